/** Files of traces: bounded when written, checked when read, filtered. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import { type TraceFilter, wanted } from "../../../src/cli/trace/filter.js";
import { readTraces, TraceFile } from "../../../src/cli/trace/trace-file.js";
import type { PacketTrace } from "../../../src/switch/index.js";
import { startFeatures } from "../../switch/trace/features.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-trace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const freshPath = () => join(folder, `${files++}.jsonl`);
const none = () => {
  throw new Error("nothing is printed");
};

async function read(path: string): Promise<PacketTrace[]> {
  const packets: PacketTrace[] = [];
  for await (const { packet } of readTraces(path)) packets.push(packet);
  return packets;
}

/** Packets that are routed, dropped, copied to two ports and cloned. */
function packets(): PacketTrace[] {
  const { trace } = startFeatures();
  return ["01000a010203", "01000b010203", "03030a000001", "04050a000001"].map((hex) => trace(hex));
}

async function complaint(task: Promise<unknown>): Promise<string> {
  try {
    await task;
  } catch (error) {
    if (error instanceof DiagnosticError) return error.message;
    throw error;
  }
  throw new Error("was accepted");
}

describe("writing", () => {
  it("keeps every document, soon after it came", async () => {
    const path = freshPath();
    const file = new TraceFile({ path, maxBytes: 1e6 }, none, none);
    const [first, ...others] = packets();
    file.add(first!);
    await nextTurn();
    await nextTurn();
    expect(await read(path)).toEqual([first]);
    for (const packet of others) file.add(packet);
    file.close();
    expect(await read(path)).toEqual([first, ...others]);
  });

  it("starts anew at its bound and keeps one older file", async () => {
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

  it("says when the file cannot be written", () => {
    expect(() => new TraceFile({ path: join(folder, "no", "such"), maxBytes: 1 }, none, none)).toThrow(
      /cannot write the trace .*no\/such/,
    );
  });
});

describe("reading", () => {
  it.each([
    ["{", /^not valid YAML/],
    ['{"trace_version": 2}', /^trace_version: expected 1, got 2/],
    ['{"trace_version": 1, "devise": "s"}', /unknown key "devise"/],
  ])("refuses the line %j with its place", async (line, message) => {
    const path = freshPath();
    writeFileSync(path, `${JSON.stringify(packets()[0])}\n\n${line}\n`);
    try {
      await read(path);
      expect.unreachable();
    } catch (error) {
      const { diagnostics } = error as DiagnosticError;
      expect(diagnostics.map(({ message }) => message).join("\n")).toMatch(message);
      const { file, start } = diagnostics[0]!.span!;
      expect(file.position(start).line).toBe(3);
    }
  });

  it("refuses YAML, which is no JSON", async () => {
    const path = freshPath();
    writeFileSync(path, "trace_version: 1\n");
    expect(await complaint(read(path))).toMatch(/missing key|not JSON/);
  });

  it("names a file that is not there", async () => {
    expect(await complaint(read(join(folder, "none")))).toMatch(/cannot read .*none: no such file/);
  });

  it("takes an empty file", async () => {
    const path = freshPath();
    writeFileSync(path, "");
    expect(await read(path)).toEqual([]);
  });
});

describe("filters", () => {
  it.each<[TraceFilter, number[]]>([
    [{}, [0, 1, 2, 3]],
    [{ packet: 2 }, [2]],
    [{ port: 1 }, [0, 1, 2, 3]],
    [{ port: 2 }, [0]],
    [{ port: 6 }, [2]],
    [{ port: 8 }, [3]],
    [{ table: "TheIngress.routes" }, [0, 1]],
    [{ table: "routes" }, [0, 1]],
    [{ table: "outes" }, []],
    [{ dropped: true }, [1]],
    [{ dropped: true, port: 2 }, []],
  ])("%j", (filter, expected) => {
    const found = packets().filter((packet) => wanted(packet, filter));
    expect(found.map(({ input }) => input.packet_id)).toEqual(expected);
  });
});

it("writes what a reader of plain JSON lines reads", () => {
  const path = freshPath();
  const file = new TraceFile({ path, maxBytes: 1e6 }, none, none);
  for (const packet of packets()) file.add(packet);
  file.close();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(packets());
});
