/**
 * The same description of a fault in the simulator, on our switch and on BMv2: the channels of the simulator lose the packets
 * that the fault tables of the generated program lose. Where a share is lost, the shares are equal within the bounds of chance.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, Random, SourceFile, toHex } from "../../src/base/index.js";
import { buildFabric } from "../../src/fabric/experiment/boot.js";
import type { Fault } from "../../src/fabric/experiment/faults/fault.js";
import { faultEntries, faultTables } from "../../src/fabric/experiment/faults/fault-entries.js";
import { loadTimeline, type Timeline } from "../../src/fabric/experiment/index.js";
import { SimulatorFaults } from "../../src/fabric/experiment/on-simulator.js";
import { type Node, NS_PER_MS, type Simulation, SwitchNode } from "../../src/fabric/sim/packet/index.js";
import { nodeNamed, type TopologyNode } from "../../src/fabric/topology/index.js";
import type { Update } from "../../src/toolchain/device/index.js";
import { renderProgram, withFaultTables } from "../../src/toolchain/generate/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { templates } from "../toolchain/generate/load.js";
import { BMV2, NO_BMV2, type PortFrame, playOnBmv2 } from "./bmv2.js";
import { mixedPackets } from "./packets.js";

const HEAD = `name: parity
topology: { kind: clos, pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 4 }
schemes: [pecmp]
flows: [{ from: host0-0-0, to: host1-0-0 }]
duration: 10s
`;
const PACKETS = 2000;
const TABLES = 3;
const NAME = "tor0-0";

function timelineOf(faults: readonly string[], ip: 4 | 6): Timeline {
  const text = `${HEAD}traffic: { ip: ${ip} }\nfaults:\n${faults.map((fault) => `  - { at: 0s, ${fault} }\n`).join("")}`;
  const diagnostics = new Diagnostics();
  const timeline = loadTimeline(new SourceFile("f.yaml", text), diagnostics);
  if (timeline === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  return timeline;
}

const plain = timelineOf(["loss: 1, switch: tor0-0"], 4);
const { topology } = plain;
const [scheme] = plain.schemes as [Timeline["schemes"][number]];
const tor = nodeNamed(topology, NAME)!;
const planned = scheme.plan.switches.find(({ node }) => node === tor.index)!;
const packets = mixedPackets(topology, tor, PACKETS);

const programs = new Map<number, Program>();
beforeAll(() => {
  const plan = scheme.plan.programs.find(({ name }) => name === planned.program)!;
  for (const tables of [0, TABLES]) {
    const text = renderProgram(templates, tables === 0 ? plan : withFaultTables(plan, tables));
    const diagnostics = new Diagnostics();
    const result = compile({ file: new SourceFile("tor.p4", text) }, diagnostics);
    diagnostics.throwIfErrors();
    programs.set(tables, result!.program);
  }
});

/** A neighbour that takes everything and sends nothing. */
class Neighbour implements Node {
  constructor(readonly name: string) {}
  attach(): void {}
  receive(): void {}
}

/** What the neighbours of the switch receive: the packets come over its links, and leave over them. */
async function inSimulator(faults: readonly Fault[]): Promise<PortFrame[]> {
  const makeSwitch = (node: TopologyNode, simulation: Simulation) =>
    node.index === tor.index
      ? new SwitchNode(simulation, { name: NAME, seed: 1, queuePackets: 1000, queueBytes: 1e9 })
      : new Neighbour(node.name);
  const fabric = buildFabric(plain, scheme, makeSwitch, 1);
  const { network } = fabric;
  const { device } = fabric.nodes[tor.index] as SwitchNode;
  await device.load(programs.get(0)!);
  await device.write(planned.updates);
  const made = new SimulatorFaults(fabric, {
    random: new Random("parity"),
    kill: () => {},
    restart: () => undefined,
    control: new Map(),
  });
  for (const fault of faults) made.begin(fault);
  const received: PortFrame[] = [];
  network.observer = ({ source, target, targetPort }, frame) => {
    if (fabric.indexOf(source) !== tor.index) return;
    const peer = topology.nodes[fabric.indexOf(target)]!.ports.find(({ number }) => number === targetPort)!;
    received.push({ port: peer.peerPort, frame: Uint8Array.from(frame) });
  };
  packets.forEach(({ port, frame }, i) => {
    const { link } = tor.ports.find(({ number }) => number === port)!;
    const { a, aToB, bToA } = fabric.link(link);
    const towards = fabric.indexOf(a.node) === tor.index ? bToA : aToB;
    network.simulation.at(i * NS_PER_MS, () => towards.send(Uint8Array.from(frame)));
  });
  network.simulation.run();
  return received;
}

function entriesOf(faults: readonly Fault[]): Update[] {
  const tables = faultTables(topology, faults)!;
  return faults.flatMap((fault) =>
    faultEntries(topology, fault, tables.get(fault)!)
      .filter(({ node }) => node === tor.index)
      .flatMap(({ entries }) => entries.map((entity): Update => ({ type: "insert", entity }))),
  );
}

async function onOurSwitch(faults: readonly Fault[]): Promise<PortFrame[]> {
  const sent: PortFrame[] = [];
  const device = new Switch(undefined, {
    clock: { now: () => 0, at: () => () => {} },
    seed: 1,
    transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
  });
  await device.load(programs.get(TABLES)!);
  await device.write([...planned.updates, ...entriesOf(faults)]);
  for (const { port, frame } of packets) device.receive(port, Uint8Array.from(frame));
  return sent;
}

async function onBmv2(faults: readonly Fault[], expected: number): Promise<PortFrame[]> {
  const { sent } = await playOnBmv2({
    program: programs.get(TABLES)!,
    updates: [...planned.updates, ...entriesOf(faults)],
    packets,
    ports: tor.ports.length + 1,
    expected,
  });
  return sent;
}

/** One line a packet, in an order that does not depend on the order between ports. */
function lines(frames: readonly PortFrame[]): string[] {
  return frames.map(({ port, frame }) => `${port}: ${toHex(frame)}`).sort();
}

/** What only one of both has, a few lines of it. */
function difference(a: readonly PortFrame[], b: readonly PortFrame[]): { first: string[]; second: string[] } {
  const count = (frames: readonly PortFrame[]) => {
    const counts = new Map<string, number>();
    for (const line of lines(frames)) counts.set(line, (counts.get(line) ?? 0) + 1);
    return counts;
  };
  const [first, second] = [count(a), count(b)];
  const more = (one: Map<string, number>, other: Map<string, number>) =>
    [...one]
      .filter(([line, times]) => times > (other.get(line) ?? 0))
      .map(([line]) => line)
      .slice(0, 3);
  return { first: more(first, second), second: more(second, first) };
}
const SAME = { first: [], second: [] };

/** What the leaf sends is lost at the leaf, which is not part of the test. */
const UP = "link: [tor0-0, leaf0-1], direction: out";
const EXACT: [name: string, ip: 4 | 6, faults: string[]][] = [
  ["what a switch sends by a link", 4, [`loss: 1, ${UP}`]],
  ["what a host sends", 4, ["loss: 1, link: [host0-0-0, tor0-0], direction: out"]],
  ["a host", 4, ["loss: 1, host: host0-0-1"]],
  ["a switch", 4, ["loss: 1, switch: tor0-0"]],
  ["UDP at a switch", 4, ["loss: 1, switch: tor0-0, match: { protocol: udp }"]],
  ["sources in a prefix", 4, ["loss: 1, switch: tor0-0, match: { src: 10.0.0.0/16 }"]],
  ["a host's packets by address", 6, ["loss: 1, switch: tor0-0, match: { dst: host1-0-0 }"]],
  ["all packets of IPv6", 6, [`loss: 1, ${UP}, match: { src: "::/0" }`]],
  ["small packets", 4, ["loss: 1, switch: tor0-0, match: { max_bytes: 65 }"]],
  [
    "several at once on one switch",
    4,
    [
      `loss: 1, ${UP}`,
      "loss: 1, switch: tor0-0, match: { protocol: icmp }",
      "loss: 1, switch: tor0-0, match: { protocol: tcp, src: 10.1.0.0/16 }",
    ],
  ],
];

const SHARES: [name: string, faults: string[], expected: number][] = [
  ["of all packets", ["loss: 30%, switch: tor0-0"], 0.3],
  [
    "twice at once",
    ["loss: 30%, switch: tor0-0, match: { max_bytes: 60000 }", "loss: 30%, switch: tor0-0"],
    0.51,
  ],
  ["small", ["loss: 2%, switch: tor0-0"], 0.02],
];

/** Frames that cross the switch without faults. */
let all: PortFrame[];
beforeAll(async () => {
  all = await onOurSwitch([]);
});

function expectShare(sent: readonly PortFrame[], share: number): void {
  const lost = 1 - sent.length / all.length;
  expect(Math.abs(lost - share)).toBeLessThan(4.5 * Math.sqrt((share * (1 - share)) / all.length));
}

/** Flips of bits, by what they do to the frame: the IPv4 header checksum, or the port. */
function flips(sent: readonly PortFrame[]): number {
  const whole = new Set(lines(all));
  return lines(sent).filter((line) => !whole.has(line)).length;
}

describe("the simulator and our switch", () => {
  it("pass the same packets without faults", async () => {
    expect(all.length).toBeGreaterThan(800);
    expect(difference(await inSimulator([]), all)).toEqual(SAME);
  });

  it.each(EXACT)("lose the same packets: %s", async (_, ip, list) => {
    const { faults } = timelineOf(list, ip);
    const [simulated, real] = [await inSimulator(faults), await onOurSwitch(faults)];
    expect(difference(real, simulated)).toEqual(SAME);
    expect(real.length).toBeLessThan(all.length);
  });

  it.each(SHARES)("lose the same share %s", async (_, list, share) => {
    const { faults } = timelineOf(list, 4);
    expectShare(await inSimulator(faults), share);
    expectShare(await onOurSwitch(faults), share);
  });

  it("corrupt the same share, and lose what has no checksum", async () => {
    const { faults } = timelineOf(["corruption: 40%, switch: tor0-0"], 4);
    for (const sent of [await inSimulator(faults), await onOurSwitch(faults)]) {
      // ICMP over IPv6 has neither a header checksum nor ports.
      expect(sent.length).toBeLessThan(all.length);
      const share = flips(sent) / all.length;
      expect(share + 1 - sent.length / all.length).toBeGreaterThan(0.33);
      expect(share + 1 - sent.length / all.length).toBeLessThan(0.47);
    }
  });
});

describe.skipIf(BMV2 === undefined)(`BMv2${BMV2 === undefined ? ` (${NO_BMV2})` : ""}`, () => {
  it.concurrent.each(EXACT)(
    "loses the same packets: %s",
    async (_, ip, list) => {
      const { faults } = timelineOf(list, ip);
      const simulated = await inSimulator(faults);
      expect(difference(await onBmv2(faults, simulated.length), simulated)).toEqual(SAME);
    },
    180_000,
  );

  it.concurrent.each(SHARES)(
    "loses the same share %s",
    async (_, list, share) => {
      const { faults } = timelineOf(list, 4);
      expectShare(await onBmv2(faults, Math.round(all.length * (1 - share) * 0.9)), share);
    },
    180_000,
  );

  it.concurrent("corrupts the same packets", async () => {
    const { faults } = timelineOf(["corruption: 1, switch: tor0-0"], 4);
    const ours = await onOurSwitch(faults);
    expect(difference(await onBmv2(faults, ours.length), ours)).toEqual(SAME);
  });
});
