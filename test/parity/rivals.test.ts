/**
 * HULA, LetFlow and WCMP on BMv2: the same frames in, by the same ports and in the same order, and the same bytes out of every port as on our switch.
 * CONGA, DRILL and Presto have tests of their own beside this one; spraying, REPS and PLB run in `switches.test.ts`.
 *
 * BMv2 reads its files in the order of their times, so that frames of several ports keep their order at ingress. Times are so long, or so short, that the
 * real clock changes no choice.
 */
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { Diagnostics, given, SourceFile, toHex } from "../../src/base/index.js";
import { schemeOfModule } from "../../src/fabric/own-schemes/module.js";
import { type FabricPlan, schemeNamed } from "../../src/fabric/schemes/index.js";
import { nodeNamed, type Topology } from "../../src/fabric/topology/index.js";
import type { Update } from "../../src/toolchain/device/index.js";
import { renderProgram } from "../../src/toolchain/generate/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { frameOf } from "../fabric/schemes/frames.js";
import { build } from "../fabric/topology/load.js";
import { templates } from "../toolchain/generate/load.js";
import { ManualClock } from "../toolchain/switch/golden.js";
import { BMV2, CPU_PORT, NO_BMV2, type PortFrame, playOnBmv2 } from "./bmv2.js";

(globalThis as Record<symbol, unknown>)[Symbol.for("p4loom.import")] = createRequire(import.meta.url)(
  "../fabric/own-schemes/native-import.cjs",
);

const PORTS = 8;

interface Configured {
  readonly program: Program;
  readonly updates: readonly Update[];
}

/** A plan's program and state of one switch. */
function configured(topology: Topology, plan: FabricPlan, name: string): Configured {
  const own = plan.switches.find(({ node }) => node === nodeNamed(topology, name)!.index)!;
  const text = renderProgram(templates, plan.programs.find((one) => one.name === own.program)!);
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile(`${name}.p4`, text) }, diagnostics);
  diagnostics.throwIfErrors();
  return { program: result!.program, updates: own.updates };
}

function planOf(name: string, topology: Topology, parameters: object): FabricPlan {
  const scheme = schemeNamed(name)!;
  return scheme.plan(topology, scheme.parameters.parse(parameters));
}

/** A segment of TCP between two hosts of a topology. */
function segment(topology: Topology, from: string, to: string, srcPort: number, payload = 0): Uint8Array {
  const [source, target] = [from, to].map((name) => nodeNamed(topology, name)!.host!);
  const flow = { src: source!.ipv4, dst: target!.ipv4, protocol: 6, srcPort, dstPort: 80 };
  const head = frameOf({ family: "ipv4", flow, field: "dscp", selector: 0 });
  return Uint8Array.from([...head, ...new Uint8Array(payload)]);
}

/** What our switch sends for frames that follow each other after `pauseUs`. */
function onOurs({ program, updates }: Configured, packets: readonly PortFrame[], pauseUs: number) {
  const sent: PortFrame[] = [];
  const clock = new ManualClock();
  clock.time = 5_000_000;
  const device = new Switch(program, {
    ...{ name: "ours", clock, seed: 1 },
    transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
  });
  device.apply(updates);
  for (const { port, frame } of packets) {
    clock.advance(clock.time + pauseUs);
    device.receive(port, Uint8Array.from(frame));
  }
  return sent;
}

const byPort = (frames: readonly PortFrame[]) =>
  Array.from({ length: PORTS }, (_, port) =>
    frames.filter((one) => one.port === port).map(({ frame }) => toHex(frame)),
  );

/** Ports of a ToR: hosts at 1 and 2, leaves at 3 to 6; of a leaf: the ToRs in their order. */
const fast = build({ kind: "leaf_spine", tors: 3, leaves: 4, homing: "single", hosts_per_rack: 2 });
/** A packet of 1,000 bytes is 0.05 % of what a link carries in tau. */
const slow = build({
  ...{ kind: "leaf_spine", tors: 3, leaves: 4, homing: "single", hosts_per_rack: 2 },
  fabric_link: { rate: "1Mbps" },
});

function probe(rack: number, utilisation: number): Uint8Array {
  const frame = new Uint8Array(60);
  const view = new DataView(frame.buffer);
  view.setUint16(12, 0x88b5);
  view.setUint16(14, rack);
  view.setUint32(18, utilisation);
  return frame;
}
const UTILISATION_AT = 18;
const isProbe = (frame: Uint8Array) => frame[12] === 0x88 && frame[13] === 0xb5;
const utilisationOf = (frame: Uint8Array) =>
  new DataView(frame.buffer, frame.byteOffset).getUint32(UTILISATION_AT);

const HULA_TOR = { probe_interval: "20ms", ageing: "1000s", flowlet_gap: "1000s" };
const HULA_LEAF = { probe_interval: "1s", tau: "16s", ageing: "1000s", flowlet_gap: "1000s" };

/** The probe of the own rack, which a controller sends. */
const OWN_PROBE = probe(0, 0);

/** Probes by all uplinks, then new and old flows to two racks, probe after probe: better paths, worse ones, those of the own port. */
function throughTor(): PortFrame[] {
  const flows = (to: string, first: number) =>
    [0, 1, 2].map((i) => ({ port: 1, frame: segment(fast, "host0-0-0", to, first + i) }));
  const told = (port: number, rack: number, utilisation: number) => ({
    port,
    frame: probe(rack, utilisation),
  });
  return [
    ...flows("host0-1-0", 1000),
    told(3, 1, 900),
    told(4, 1, 500),
    told(5, 1, 700),
    ...flows("host0-1-1", 2000),
    told(6, 2, 100),
    told(5, 2, 90),
    ...flows("host0-2-0", 3000),
    // The best path becomes worse, another one is now better.
    told(4, 1, 5000),
    ...flows("host0-1-0", 4000),
    told(6, 1, 4999),
    ...flows("host0-1-0", 5000),
    // Flowlets stay.
    ...flows("host0-1-0", 1000),
    ...flows("host0-2-0", 3000),
    // By a host's port, and of a rack that cannot be: nothing.
    told(1, 1, 0),
    told(3, 60_000, 0),
    ...flows("host0-1-0", 6000),
    ...flows("host0-0-1", 7000),
  ];
}

/** Data that load the links to the ToRs, and probes of all racks: some with less than the use of the link that data would take, some with more. */
const throughLeaf = (): PortFrame[] =>
  Array.from({ length: 60 }, (_, i) => {
    const n = Math.floor(i / 6);
    return i % 6 === 5
      ? { port: 1 + (n % 3), frame: probe(n % 3, n % 4 === 3 ? 20_000 : 0) }
      : { port: 1, frame: segment(slow, "host0-0-0", `host0-${1 + (i % 2)}-0`, 1000 + i, 900) };
  });

/** Links of two rates: WCMP's group holds one next hop three times. */
const uneven = build({
  kind: "graph",
  nodes: [
    ...["tor0", "tor1"].map((name) => ({ name, role: "tor" as const })),
    ...["leaf0", "leaf1"].map((name) => ({ name, role: "leaf" as const })),
    ...["a", "b", "c", "d"].map((name) => ({ name, role: "host" as const })),
  ],
  links: [
    ...[
      ["a", "tor0"],
      ["b", "tor0"],
      ["c", "tor1"],
      ["d", "tor1"],
    ].map(([a, b]) => ({ a: a!, b: b! })),
    ...["tor0", "tor1"].flatMap((tor) => [
      { a: tor, b: "leaf0", rate: "1Gbps" },
      { a: tor, b: "leaf1", rate: "3Gbps" },
    ]),
  ],
});

/** The plan of the module examples/schemes/letflow. */
async function letflow(gapUs: number): Promise<FabricPlan> {
  const url = pathToFileURL(resolve(import.meta.dirname, "../../examples/schemes/letflow/scheme.mjs")).href;
  const scheme = await schemeOfModule(url, undefined, { loadMs: 60_000, limitMs: 60_000 });
  return scheme.plan(fast, scheme.parameters.parse({ gap_us: gapUs }));
}

/** By port, what BMv2 sends for the frames. */
async function onBmv2(
  own: Configured,
  packets: readonly PortFrame[],
  expected: number,
  packetOuts?: readonly Uint8Array[],
) {
  const { sent } = await playOnBmv2({ ...own, packets, ports: PORTS, expected, ...given({ packetOuts }) });
  return byPort(sent);
}

describe.skipIf(BMV2 === undefined)(`rivals on BMv2${BMV2 === undefined ? `: ${NO_BMV2}` : ""}`, () => {
  it("HULA's ToR: new flowlets take the best path of the probes, and the rest stay", async () => {
    const own = configured(fast, planOf("hula", fast, HULA_TOR), "tor0-0");
    const packets = throughTor();
    const ours = onOurs(own, [{ port: CPU_PORT, frame: OWN_PROBE }, ...packets], 1);
    // Each uplink was the best one of some flow, and hosts get theirs.
    expect(new Set(ours.map(({ port }) => port))).toEqual(new Set([2, 3, 4, 5, 6]));
    const theirs = await onBmv2(own, packets, ours.length, [OWN_PROBE]);
    expect(theirs).toEqual(byPort(ours));
  }, 120_000);

  it("HULA's leaf: probes leave by the same ports, and carry the use of the links", async () => {
    const own = configured(slow, planOf("hula", slow, HULA_LEAF), "leaf0-0");
    const packets = throughLeaf();
    const ours = onOurs(own, packets, 1);
    const theirs = await onBmv2(own, packets, ours.length);
    const hexProbes = (frames: readonly string[]) => frames.map((hex) => Buffer.from(hex, "hex"));
    byPort(ours).forEach((expected, port) => {
      const [a, b] = [expected, theirs[port]!].map(hexProbes) as [Buffer[], Buffer[]];
      expect(b.map(isProbe)).toEqual(a.map(isProbe));
      a.forEach((frame, i) => {
        const other = b[i]!;
        if (isProbe(frame)) {
          // The estimator decays with the real clock: some milliseconds of 16 s.
          expect(Math.abs(utilisationOf(other) - utilisationOf(frame))).toBeLessThanOrEqual(64);
          other.writeUInt32BE(utilisationOf(frame), UTILISATION_AT);
        }
        expect(toHex(other)).toBe(toHex(frame));
      });
    });
    const raised = ours.filter(({ frame }) => isProbe(frame)).map(({ frame }) => utilisationOf(frame));
    // Some probes carry more than they came with: the use of the switch's own link.
    expect(raised.some((value) => value > 100 && value < 20_000)).toBe(true);
    expect(raised).toContain(20_000);
  }, 120_000);

  // Eight flows take turns: eight packets take BMv2 more than a microsecond, and less than a thousand seconds.
  const flowlets = async (gapUs: number) => {
    const own = configured(fast, await letflow(gapUs), "tor0-0");
    const packets = Array.from({ length: 96 }, (_unused, i) => ({
      port: 1,
      frame: segment(fast, "host0-0-0", `host0-${1 + (i % 2)}-0`, 1000 + (i % 8)),
    }));
    const ours = onOurs(own, packets, 1);
    expect(ours).toHaveLength(packets.length);
    return { ours: byPort(ours), theirs: await onBmv2(own, packets, ours.length) };
  };
  /** Flows and their ports. */
  const paths = (frames: readonly string[][]) =>
    new Set(frames.flatMap((all, port) => all.map((hex) => `${port} ${hex.slice(68, 72)}`))).size;

  it("LetFlow: a flow is one flowlet, of the port that its hash tells", async () => {
    const { ours, theirs } = await flowlets(1e9);
    expect(paths(ours)).toBe(8);
    expect(theirs).toEqual(ours);
  }, 120_000);

  // Each switch draws by its own generator, so ports differ. Twelve draws of four ports leave one out with 4 * (3/4)^12 = 13 %.
  it("LetFlow: each packet is a flowlet, and takes any uplink", async () => {
    const { ours, theirs } = await flowlets(1);
    for (const frames of [ours, theirs]) {
      expect(paths(frames)).toBeGreaterThan(24);
      expect(paths(frames)).toBeLessThanOrEqual(32);
      expect(frames.map((all) => all.length > 0)).toEqual(
        [0, 1, 2, 3, 4, 5, 6, 7].map((port) => port >= 3 && port <= 6),
      );
    }
    // Behind the MAC addresses, which are those of the port.
    const rest = (frames: readonly string[][]) =>
      frames.flatMap((all) => all.map((hex) => hex.slice(24))).sort();
    expect(rest(theirs)).toEqual(rest(ours));
  }, 120_000);

  it("WCMP: each next hop gets the flows of its members", async () => {
    const own = configured(uneven, planOf("wcmp", uneven, {}), "tor0");
    const packets = Array.from({ length: 400 }, (_, i) => ({
      port: 1,
      frame: segment(uneven, "a", i % 2 === 0 ? "c" : "d", 1000 + i),
    }));
    const ours = onOurs(own, packets, 1);
    const [thin, thick] = [3, 4].map((port) => ours.filter((one) => one.port === port).length) as [
      number,
      number,
    ];
    expect(thin + thick).toBe(packets.length);
    expect(thick / thin).toBeGreaterThan(2);
    expect(await onBmv2(own, packets, ours.length)).toEqual(byPort(ours));
  }, 120_000);
});
