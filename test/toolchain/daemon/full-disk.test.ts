/** Logs and traces of a switch when the disk is full. */
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { Log } from "../../../src/toolchain/daemon/log.js";
import { TraceFile } from "../../../src/toolchain/daemon/trace-file.js";

const FULL = "/dev/full";
const missing = existsSync(FULL) && existsSync("/proc/self/fd") ? "" : ` (no ${FULL} here)`;

const folder = mkdtempSync(join(tmpdir(), "p4loom-full-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Descriptors of this process that lead to the full disk. */
function open(): number {
  const target = (fd: string): string => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  };
  return readdirSync("/proc/self/fd").filter((fd) => target(fd) === FULL).length;
}

it.skipIf(missing !== "")(
  `a log that cannot be written says so once, and closes its file${missing}`,
  async () => {
    symlinkSync(FULL, join(folder, "log.txt"));
    const errors: string[] = [];
    const printed: string[] = [];
    const log = new Log(
      { level: "info", console: true, file: join(folder, "log"), maxBytes: 1e6, maxFiles: 1 },
      () => 0,
      (text) => printed.push(text),
      (error) => errors.push((error as Error).message),
    );
    expect(open()).toBe(1);
    log.write("warn", "one");
    await nextTurn();
    await nextTurn();
    expect(open()).toBe(0);
    log.write("warn", "two");
    log.close();
    expect(errors).toEqual([
      expect.stringMatching(/: cannot write the log .*log\.txt: no space is left on the disk/),
    ]);
    expect(printed.join("")).toMatch(/one\n.*two\n$/);
  },
);

it.skipIf(missing !== "")(`so does a trace${missing}`, async () => {
  const errors: string[] = [];
  const trace = new TraceFile(
    { path: FULL, maxBytes: 1e6 },
    () => {},
    (error) => errors.push((error as Error).message),
  );
  expect(open()).toBe(1);
  trace.add({} as never);
  await nextTurn();
  await nextTurn();
  expect(open()).toBe(0);
  trace.add({} as never);
  trace.close();
  expect(errors).toEqual([
    expect.stringMatching(/: cannot write the trace \/dev\/full: no space is left on the disk/),
  ]);
});
