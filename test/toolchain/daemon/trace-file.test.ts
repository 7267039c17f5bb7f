/** Files of traces: bounded when written, and whole when read. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import { TraceFile, traceLines } from "../../../src/toolchain/daemon/trace-file.js";
import type { PacketTrace } from "../../../src/toolchain/switch/index.js";
import { readTraces } from "../../../src/toolchain/trace/index.js";
import { startFeatures } from "../switch/trace/features.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-trace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const freshPath = () => join(folder, `${files++}.jsonl`);
const none = () => {
  throw new Error("nothing is printed");
};

async function read(path: string): Promise<PacketTrace[]> {
  const packets: PacketTrace[] = [];
  for await (const { packet } of readTraces(path, traceLines(path))) packets.push(packet);
  return packets;
}

/** Packets that are routed, dropped, copied to two ports and cloned. */
function packets(): PacketTrace[] {
  const { trace } = startFeatures();
  return ["01000a010203", "01000b010203", "03030a000001", "04050a000001"].map((hex) => trace(hex));
}

describe("writing", () => {
  it("keeps every document, soon after it came", async () => {
    const path = freshPath();
    const file = new TraceFile({ path, maxBytes: 1e6 }, none, none);
    const [first, ...others] = packets();
    file.add(first!);
    await vi.waitFor(async () => expect(await read(path)).toEqual([first]), { timeout: 60_000 });
    for (const packet of others) file.add(packet);
    file.close();
    expect(await read(path)).toEqual([first, ...others]);
  });

  it("starts a new file at its limit and keeps one older file", async () => {
    const path = freshPath();
    const [packet] = packets();
    const length = JSON.stringify(packet).length + 1;
    const file = new TraceFile({ path, maxBytes: 3 * length + 10 }, none, none);
    const count = 8;
    for (let i = 0; i < count; i++) {
      file.add({ ...packet!, input: { ...packet!.input, packet_id: i } });
      if (i % 3 === 1) await nextTurn();
    }
    file.close();
    const kept = [...(await read(`${path}.1`)), ...(await read(path))].map(({ input }) => input.packet_id);
    expect(kept).toEqual([3, 4, 5, 6, 7]);
    for (const name of [path, `${path}.1`]) expect(statSync(name).size).toBeLessThanOrEqual(3 * length + 10);
  });

  it("prints to a stream without a bound", () => {
    const lines: string[] = [];
    const file = new TraceFile({ path: "-", maxBytes: 1 }, (text) => lines.push(text), none);
    for (const packet of packets()) file.add(packet);
    file.close();
    expect(lines.map((line) => JSON.parse(line))).toEqual(packets());
  });

  it("reports that the file cannot be written", () => {
    expect(() => new TraceFile({ path: join(folder, "no", "such"), maxBytes: 1 }, none, none)).toThrow(
      /cannot write the trace .*no\/such/,
    );
  });
});

it("names a file that cannot be read", async () => {
  await expect(read(join(folder, "none"))).rejects.toThrow(/cannot read .*none: no such file/);
});

it("writes what a reader of plain JSON lines reads", () => {
  const path = freshPath();
  const file = new TraceFile({ path, maxBytes: 1e6 }, none, none);
  for (const packet of packets()) file.add(packet);
  file.close();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(packets());
});
