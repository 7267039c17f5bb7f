/** HULA's compiled program, packet by packet: estimator, best paths with their age, flowlets. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { hula } from "../../../../src/fabric/schemes/registry.js";
import { buildTopology, nodeNamed, topologySchema } from "../../../../src/fabric/topology/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { ManualClock } from "../../../toolchain/switch/golden.js";
import { frameOf } from "../frames.js";

/** 1 Gbit/s: 125 bytes a microsecond, 50,000 in tau. */
const topology = buildTopology(
  topologySchema.parse({
    kind: "leaf_spine",
    tors: 4,
    leaves: 4,
    homing: "single",
    hosts_per_rack: 2,
    host_link: { rate: "10Gbps" },
    fabric_link: { rate: "1Gbps" },
  }),
);
const TAU_US = 400;
const CAPACITY = 125 * TAU_US;
const FULL = 65_536;

function start(name: string, parameters: object = {}) {
  const plan = hula.plan(topology, hula.parameters.parse(parameters));
  const node = nodeNamed(topology, name)!;
  const own = plan.switches.find((one) => one.node === node.index)!;
  const program = plan.programs.find((one) => one.name === own.program)!;
  const diagnostics = new Diagnostics();
  const text = renderProgram(templates, program);
  const compiled = compile({ file: new SourceFile(`${name}.p4`, text) }, diagnostics);
  diagnostics.throwIfErrors();
  const clock = new ManualClock();
  clock.time = 10_000;
  const sent: { port: number; frame: Uint8Array }[] = [];
  const device = new Switch(compiled!.program, {
    name,
    clock,
    seed: 1,
    transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
  });
  device.apply(own.updates);
  const play = (port: number, frame: Uint8Array) => {
    sent.length = 0;
    device.receive(port, frame);
    return [...sent];
  };
  return {
    device,
    clock,
    own,
    play,
    /** Ports and utilisation of what a probe of a rack becomes. */
    probe(port: number, rack: number, utilisation: number) {
      const out = play(port, probeFrame(rack, utilisation));
      return { ports: out.map((one) => one.port), utilisation: out[0] && utilisationOf(out[0].frame) };
    },
    /** The port of a segment between hosts. */
    data(to: string, srcPort = 1000, payload = 1000) {
      const [from, host] = ["host0-0-0", to].map((one) => nodeNamed(topology, one)!.host!);
      const flow = { src: from!.ipv4, dst: host!.ipv4, protocol: 6, srcPort, dstPort: 80 };
      const head = frameOf({ family: "ipv4", flow, field: "dscp", selector: 0 });
      const frame = Uint8Array.from([...head, ...new Uint8Array(payload)]);
      return { port: play(1, frame).map((one) => one.port)[0], bytes: frame.length };
    },
  };
}

function probeFrame(rack: number, utilisation: number): Uint8Array {
  const frame = new Uint8Array(60);
  const view = new DataView(frame.buffer);
  view.setUint16(12, 0x88b5);
  view.setUint16(14, rack);
  view.setUint32(18, utilisation);
  return frame;
}

function utilisationOf(frame: Uint8Array): number {
  return new DataView(frame.buffer).getUint32(18);
}

/** Ports of tor0-0: hosts at 1 and 2, leaves at 3 to 6. Ports of a leaf: tor0-0 to tor0-3 at 1 to 4. */
const [A, B, C] = [3, 4, 5];

describe("a probe", () => {
  it("starts at a ToR, to all leaves, with utilisation 0", () => {
    const { own, play } = start("tor0-0");
    const [generator] = own.generators!;
    expect(generator).toMatchObject({ port: 510, periodNs: 200_000 });
    const out = play(510, generator!.frame);
    expect(out.map(({ port }) => port)).toEqual([3, 4, 5, 6]);
    expect(new Set(out.map(({ frame }) => Buffer.from(frame).toString("hex"))).size).toBe(1);
    expect([...out[0]!.frame.subarray(12, 22)]).toEqual([0x88, 0xb5, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it("goes from a leaf to the other ToRs, and ends at a ToR", () => {
    expect(start("leaf0-0").probe(2, 1, 7)).toEqual({ ports: [1, 3, 4], utilisation: 7 });
    expect(start("tor0-0").probe(A, 1, 7).ports).toEqual([]);
  });

  it("carries the utilisation of the busier of its path and the link that data would take", () => {
    const { clock, data, probe } = start("leaf0-0");
    probe(2, 1, 0);
    const { bytes } = data("host0-1-0");
    const own = Math.floor((bytes * FULL) / CAPACITY);
    expect(probe(2, 1, own - 100).utilisation).toBe(own);
    expect(probe(2, 1, own + 100).utilisation).toBe(own + 100);
    clock.advance(clock.time + TAU_US);
    expect(probe(2, 1, 5).utilisation).toBe(5);
  });

  it("that comes by a host's port, or of a rack that cannot be, changes nothing", () => {
    const { probe, data } = start("tor0-0");
    probe(B, 1, 0);
    expect(probe(1, 1, 0).ports).toEqual([]);
    expect(probe(A, 60_000, 0).ports).toEqual([]);
    expect(data("host0-1-0").port).toBe(B);
  });
});

describe("the estimator", () => {
  it("is U = size + U * (1 - time / tau), within a few units of rounding", () => {
    const { clock, data, probe } = start("leaf0-0");
    probe(2, 1, 0);
    let [units, last] = [0, clock.time];
    const decayed = () => (clock.time - last >= TAU_US ? 0 : units * (1 - (clock.time - last) / TAU_US));
    for (const [gap, payload] of [
      [0, 1000],
      [3, 1400],
      [17, 60],
      [399, 900],
      [401, 1000],
      [1, 1400],
      [100, 200],
    ] as const) {
      clock.advance(clock.time + gap);
      units = data("host0-1-0", 1000, payload).bytes + decayed();
      last = clock.time;
      clock.advance(clock.time + 5);
      const told = probe(2, 1, 0).utilisation!;
      expect(Math.abs(told - (decayed() * FULL) / CAPACITY)).toBeLessThan(4);
    }
  });

  it("tends to the whole capacity on a link that is full", () => {
    const { clock, data, probe } = start("leaf0-0");
    probe(2, 1, 0);
    for (let i = 0; i < 2000; i++) {
      const { bytes } = data("host0-1-0");
      clock.advance(clock.time + bytes / 125);
    }
    expect(probe(2, 1, 0).utilisation! / FULL).toBeCloseTo(1, 1);
  });

  it("counts packets where the link has a rate in packets", () => {
    const rated = buildTopology(
      topologySchema.parse({
        kind: "leaf_spine",
        tors: 2,
        leaves: 2,
        homing: "single",
        fabric_link: { rate: "1Gbps", rate_pps: 20 },
      }),
    );
    const { switches } = hula.plan(rated, hula.parameters.parse({ probe_interval: "1s" }));
    const links = switches.flatMap(({ updates }) =>
      updates.flatMap(({ entity }) =>
        entity.kind === "tableEntry" && entity.table.endsWith("links") && entity.action?.kind === "action"
          ? [entity.action.params]
          : [],
      ),
    );
    // 40 packets in tau, 2 s, are the whole capacity.
    for (const { packet_units: units, scale } of links)
      expect(Number((40n * units! * scale!) >> 24n)).toBeCloseTo(FULL, -1);
    expect(links.length).toBe(8);
  });
});

describe("the best path", () => {
  it("is the one with the least utilisation; its own probes may make it worse", () => {
    const { clock, probe, data } = start("tor0-0", { flowlet_gap: "1us" });
    const next = () => {
      clock.advance(clock.time + 10);
      return data("host0-1-0").port;
    };
    probe(A, 1, 500);
    expect(next()).toBe(A);
    probe(B, 1, 600);
    expect(next()).toBe(A);
    probe(B, 1, 400);
    expect(next()).toBe(B);
    probe(B, 1, 9000);
    expect(next()).toBe(B);
    probe(C, 1, 8999);
    expect(next()).toBe(C);
  });

  it("is another one for each rack", () => {
    const { probe, data } = start("tor0-0");
    probe(A, 1, 500);
    probe(B, 2, 500);
    expect([data("host0-1-0").port, data("host0-2-0").port]).toEqual([A, B]);
  });

  it("gives way to any other path when no probe has come for longer than `ageing`", () => {
    const { clock, probe, data } = start("tor0-0", { flowlet_gap: "1us" });
    probe(A, 1, 10);
    clock.advance(clock.time + 600);
    probe(B, 1, 60_000);
    clock.advance(clock.time + 10);
    expect(data("host0-1-0").port).toBe(A);
    probe(B, 1, 60_000);
    clock.advance(clock.time + 10);
    expect(data("host0-1-0").port).toBe(B);
  });

  it("is the first shortest path as long as there was no probe", () => {
    const { data } = start("tor0-0");
    expect(data("host0-3-1").port).toBe(3);
  });
});

describe("a flowlet", () => {
  it("stays on its path until the flow pauses for longer than the gap", () => {
    const { clock, probe, data } = start("tor0-0");
    probe(A, 1, 100);
    expect(data("host0-1-0").port).toBe(A);
    probe(B, 1, 50);
    clock.advance(clock.time + 500);
    expect(data("host0-1-0").port).toBe(A);
    clock.advance(clock.time + 501);
    expect(data("host0-1-0").port).toBe(B);
  });

  it("of another flow takes the best path at once", () => {
    const { probe, data } = start("tor0-0");
    probe(A, 1, 100);
    data("host0-1-0", 1000);
    probe(B, 1, 50);
    expect([data("host0-1-0", 1001).port, data("host0-1-0", 1000).port]).toEqual([B, A]);
  });

  it("of a flow to another rack does not share a next hop where both have one place", () => {
    const { probe, data } = start("tor0-0", { flowlets: 1 });
    probe(A, 1, 100);
    probe(B, 2, 100);
    expect([data("host0-1-0").port, data("host0-2-0").port, data("host0-1-0").port]).toEqual([A, B, A]);
  });
});
