/** Tracing changes nothing: packets, state and drawn numbers are those of a switch that is not traced. */
import { describe, expect, it } from "vitest";
import { fromHex, Random } from "../../../../src/base/index.js";
import type { Bmv2Program } from "../../../../src/toolchain/program/index.js";
import { specialise } from "../../../../src/toolchain/switch/codegen/program.js";
import type { PacketTrace, TraceTree } from "../../../../src/toolchain/switch/index.js";
import { traceSchema } from "../../../../src/toolchain/trace/schema.js";
import { framesOf, goldenJson, type Output, startGolden, stateOf } from "../golden.js";
import { nodesOf, startFeatures } from "./features.js";

const PROGRAMS = [
  "l3",
  "selector",
  "hash",
  "parse",
  "arith",
  "arith_signed",
  "arith_misc",
  "control",
  "memory",
  "cpu",
  "replicate",
  "queue",
];

function sentOf(tree: TraceTree): Output[] {
  return nodesOf(tree).flatMap(({ outcome }) =>
    outcome.kind === "transmit" ? [{ port: outcome.egress_port, hex: outcome.bytes }] : [],
  );
}

const inOrder = (list: readonly Output[]) =>
  [...list].sort((a, b) => a.port - b.port || (a.hex < b.hex ? -1 : a.hex > b.hex ? 1 : 0));

describe.each(PROGRAMS)("%s", (name) => {
  it("sends the same packets, holds the same state, and every document is whole and well formed", async () => {
    const plain = await startGolden(name);
    const traced = await startGolden(name);
    const traces: PacketTrace[] = [];
    traced.device.trace = (packet) => traces.push(packet);
    for (const { port, hex } of framesOf(name)) {
      for (const { clock } of [plain, traced]) clock.advance(clock.time + 100);
      const { dropped, transmitted } = traced.device.stats;
      const before = traces.length;
      expect(traced.play(port, hex), hex).toEqual(plain.play(port, hex));
      expect(traces.length, hex).toBe(before + 1);
      const { root, input } = traces[before]!;
      expect(input).toMatchObject({ ingress_port: port, bytes: hex });
      // The outcome in the document is the outcome of the packet.
      const { stats } = traced.device;
      expect(inOrder(sentOf(root)), hex).toEqual(inOrder(traced.outputs));
      expect(stats.transmitted - transmitted).toBe(traced.outputs.length);
      const drops = nodesOf(root).filter(({ outcome }) => outcome.kind === "drop");
      expect(drops, hex).toHaveLength(stats.dropped - dropped);
    }
    expect(stateOf(traced.device)).toBe(stateOf(plain.device));
    const malformed = traces.filter((packet) => !traceSchema.safeParse(packet).success);
    expect(malformed.slice(0, 1)).toEqual([]);
    const { dropped, drops } = traced.device.stats;
    expect(Object.values(drops).reduce((sum, count) => sum + count, 0)).toBe(dropped);
  });
});

describe("switching it on and off", () => {
  it("keeps the state, and traces just the packets in between", async () => {
    const plain = await startGolden("memory");
    const switched = await startGolden("memory");
    const random = new Random(3);
    const traced: number[] = [];
    const expected: number[] = [];
    const sink = ({ input }: PacketTrace) => void traced.push(input.packet_id);
    framesOf("memory").forEach(({ port, hex }, i) => {
      if (random.int(5) === 0) switched.device.trace = switched.device.trace === undefined ? sink : undefined;
      if (switched.device.trace !== undefined) expected.push(i);
      expect(switched.play(port, hex), hex).toEqual(plain.play(port, hex));
    });
    expect(expected.length).toBeGreaterThan(100);
    expect(traced).toEqual(expected);
    expect(stateOf(switched.device)).toBe(stateOf(plain.device));
  });

  it("hands over what is still in the switch, and packets in flight continue", () => {
    const queue = { rateBitsPerSecond: () => 8e6 };
    const { device, traces, outputs, clock } = startFeatures({ queue });
    for (let i = 0; i < 3; i++) device.receive(1, fromHex("01000a010203")!);
    device.trace = undefined;
    expect(traces.map(({ root }) => root.outcome.kind)).toEqual(["unfinished", "unfinished", "unfinished"]);
    // On again: the ones in the queue are of before, and stay untold.
    device.trace = (packet) => traces.push(packet);
    device.receive(1, fromHex("01000a010204")!);
    clock.advance(1000);
    expect(outputs).toHaveLength(4);
    expect(traces.slice(3).map(({ input }) => input.packet_id)).toEqual([3]);
  });

  it("works from within a trace", () => {
    const { device, outputs } = startFeatures();
    const seen: number[] = [];
    device.trace = ({ input }) => {
      seen.push(input.packet_id);
      if (seen.length === 1) device.receive(1, fromHex("01000a010204")!);
      else device.trace = undefined;
    };
    device.receive(1, fromHex("01000a010203")!);
    device.receive(1, fromHex("01000a010205")!);
    expect(seen).toEqual([0, 1]);
    expect(outputs).toHaveLength(3);
  });

  it("continues with another program", async () => {
    const { device, trace, traces } = startFeatures();
    trace("01000a010203");
    const { device: other } = await startGolden("l3");
    device.install(other.program!);
    device.receive(0, new Uint8Array(20));
    expect(traces.map(({ program }) => program)).toEqual(["features.p4", "l3.p4"]);
  });
});

describe("code", () => {
  it("is made once a program and variant, and the one that only runs has nothing of the other", () => {
    const program = goldenJson<Bmv2Program>("l3", "l3.json");
    const [plain, traced] = [specialise(program), specialise(program, "traced")];
    expect(specialise(program)).toBe(plain);
    expect(specialise(program, "traced")).toBe(traced);
    expect(plain.source).not.toMatch(/\bs\.tracer\b/);
    expect(traced.source).toMatch(/\bs\.tracer\./);
    expect([...traced.layout.headers]).toEqual([...plain.layout.headers]);
    expect(traced.layout.words).toBe(plain.layout.words);
  });

  it("has no names of the program in it", () => {
    const { source } = specialise(goldenJson<Bmv2Program>("l3", "l3.json"), "traced");
    expect(source).not.toMatch(/routes|TheIngress|ipv4/);
  });
});
