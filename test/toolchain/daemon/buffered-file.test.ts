import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, describe, expect, it, vi } from "vitest";
import { BufferedFile } from "../../../src/toolchain/daemon/buffered-file.js";
import { RotatingFile } from "../../../src/toolchain/daemon/rotating-file.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-buffered-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const freshPath = () => join(folder, `${files++}`);
const noError = (error: unknown) => {
  throw error;
};

function descriptors(path: string): number {
  if (!existsSync("/proc/self/fd")) return 0;
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  }).length;
}

describe("a buffered file", () => {
  it("holds all pieces in order, whenever the event loop turns and however it ends", async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3000 }) },
      { weight: 1, arbitrary: fc.constant("turn" as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, waits) => {
        const path = freshPath();
        const ended = vi.fn();
        const file = new BufferedFile(path, noError, ended);
        const expected: Uint8Array[] = [];
        for (const piece of steps) {
          if (piece === "turn") {
            await nextTurn();
            continue;
          }
          expected.push(piece);
          file.add(piece);
        }
        if (waits) {
          file.end();
          file.add(Uint8Array.of(1));
          await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), { timeout: 60_000, interval: 1 });
        } else file.close();
        expect(Buffer.compare(readFileSync(path), Buffer.concat(expected))).toBe(0);
        file.add(Uint8Array.of(1));
        file.close();
        expect(ended).toHaveBeenCalledOnce();
        await vi.waitFor(() => expect(descriptors(path)).toBe(0), { timeout: 60_000, interval: 1 });
      }),
      { numRuns: 40 },
    );
  });

  it("keeps at most 8 MiB in memory: beyond, it waits for the disk", () => {
    const path = freshPath();
    const file = new BufferedFile(path, noError);
    const piece = new Uint8Array(2 ** 20);
    for (let i = 0; i < 20; i++) {
      file.add(piece);
      expect((i + 1) * piece.length - statSync(path).size).toBeLessThanOrEqual(8 * 2 ** 20);
    }
    file.close();
    expect(statSync(path).size).toBe(20 * piece.length);
  });

  it("writes beside the event loop", async () => {
    const path = freshPath();
    const file = new BufferedFile(path, noError);
    file.add(Uint8Array.of(1, 2, 3));
    expect(statSync(path).size).toBe(0);
    await vi.waitFor(() => expect(statSync(path).size).toBe(3), { timeout: 60_000, interval: 1 });
    file.close();
  });
});

it("a rotating file keeps every line in one of its files", async () => {
  const path = freshPath();
  let age = 0;
  const rotating = new RotatingFile(
    { path, what: "the log", maxBytes: 100, makeRoom: () => renameSync(path, `${path}.${age++}`) },
    noError,
  );
  const lines = Array.from({ length: 200 }, (_, i) => `line ${i}${"x".repeat(i % 50)}\n`);
  for (const [i, line] of lines.entries()) {
    rotating.add(line);
    if (i % 7 === 0) await nextTurn();
  }
  rotating.close();
  const names = [...Array.from({ length: age }, (_, i) => `${path}.${i}`), path];
  expect(age).toBeGreaterThan(20);
  for (const name of names) expect(statSync(name).size).toBeLessThanOrEqual(100);
  expect(names.map((name) => readFileSync(name, "utf8")).join("")).toBe(lines.join(""));
});
