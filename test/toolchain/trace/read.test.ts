/** Trace documents: checked when read, and filtered. */
import { describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import type { PacketTrace } from "../../../src/toolchain/switch/index.js";
import {
  readTraces,
  SourceLines,
  Story,
  type TraceFilter,
  wanted,
} from "../../../src/toolchain/trace/index.js";
import { startFeatures } from "../switch/trace/features.js";

async function read(...lines: string[]): Promise<PacketTrace[]> {
  const packets: PacketTrace[] = [];
  const input = (async function* () {
    yield* lines;
  })();
  for await (const { packet } of readTraces("t.jsonl", input)) packets.push(packet);
  return packets;
}

/** Packets that are routed, dropped, copied to two ports and cloned. */
function packets(): PacketTrace[] {
  const { trace } = startFeatures();
  return ["01000a010203", "01000b010203", "03030a000001", "04050a000001"].map((hex) => trace(hex));
}

const good = (): string => JSON.stringify(packets()[0]);

/** What is wrong, with the line it is on. */
async function complaint(...lines: string[]): Promise<string> {
  try {
    await read(...lines);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    const { file, start } = error.diagnostics[0]!.span!;
    const said = error.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n");
    return `${file.path}:${file.position(start).line}: ${said}`;
  }
  throw new Error("was accepted");
}

describe("reading", () => {
  it.each([
    ["{", /^t\.jsonl:3: P43001: not valid YAML/],
    ['{"trace_version": 2}', /^t\.jsonl:3: P43004: trace_version: expected 1, got 2/],
    ['{"trace_version": 1, "devise": "s"}', /^t\.jsonl:3: .*\bunknown key "devise"/s],
    ["trace_version: 1", /^t\.jsonl:3: .*missing key|not JSON/],
  ])("refuses the line %j with its place", async (line, message) => {
    expect(await complaint(good(), "", line)).toMatch(message);
  });

  it("takes no lines, and empty ones", async () => {
    expect(await read()).toEqual([]);
    expect(await read("", " ")).toEqual([]);
  });

  /** A document whose copies are each within the one before. */
  function nested(depth: number): string {
    const [packet] = packets();
    const { root } = packet!;
    const own = JSON.stringify({ ...root, events: [] }).slice(0, -1);
    const tree = `${own},"branches":[`.repeat(depth) + JSON.stringify(root) + "]}".repeat(depth);
    return JSON.stringify({ ...packet, root: 0 }).replace('"root":0', `"root":${tree}`);
  }

  it("takes as many copies, each within the one before, as a switch records", async () => {
    const line = nested(999);
    const [packet] = await read(line);
    expect(JSON.stringify(packet)).toBe(line);
    expect(wanted(packet!, { table: "routes" })).toBe(true);
    const story = new Story(new SourceLines(undefined, () => undefined), false).of(packet!);
    expect(story.length).toBeGreaterThan(1000);
  });

  it("takes what a switch records of a packet that goes round without end", async () => {
    const packet = startFeatures().trace("0f010a000001");
    expect(packet.cut).toBe(true);
    const line = JSON.stringify(packet);
    expect(line.split('"branches"').length).toBe(1000);
    expect(await read(line)).toEqual([packet]);
  });

  it.each([
    ["copies", nested(20_000)],
    ["lists", "[".repeat(20_000)],
    ["lists where there is none", `${good().slice(0, -1)},"more":${"[".repeat(5000)}${"]".repeat(5000)}}`],
  ])("refuses %s beyond that", async (_what, line) => {
    expect(await complaint(good(), line)).toBe(
      "t.jsonl:2: P43004: nested deeper than 2016 levels: a trace has at most 1000 copies",
    );
  });

  it.each([
    ["wrong within the deepest copy", nested(999).replace('"kind":"pipeline_stage"', '"kind":"no_stage"')],
    ["missing there", nested(999).replace('"events":[{', '"evens":[{')],
    ["unfinished", nested(999).slice(0, -1)],
    ["lists", "[".repeat(2000) + "]".repeat(2000)],
  ])("refuses what is %s and as deep as it may be", async (_what, line) => {
    expect(await complaint(good(), line)).toMatch(/^t\.jsonl:2: P4300\d: /);
  });

  it("does not count brackets within texts", async () => {
    const [packet] = packets();
    const named = { ...packet!, device: `\\"${"[{".repeat(3000)}` };
    expect(await read(JSON.stringify(named))).toEqual([named]);
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
