/**
 * What P4TE's programs do with packets, as scenarios for any switch: meters that let some packets through, the frames that come in, and all
 * frames that must leave, by port in their order. Copies for the control plane leave by a port of the test.
 */
import { toHex } from "../../../../src/base/index.js";
import type { FabricPlan } from "../../../../src/fabric/schemes/index.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import {
  buildTopology,
  nodeNamed,
  type TopologyNode,
  topologySchema,
} from "../../../../src/fabric/topology/index.js";
import type { MeterConfig, Update } from "../../../../src/toolchain/device/index.js";
import type { PortFrame } from "../../../parity/bmv2.js";
import { ACK, eventFrame, SYN, type TcpFrame, type TrafficEvent, tcpFrame } from "./frames.js";

export const topology = buildTopology(
  topologySchema.parse({
    kind: "leaf_spine",
    name: "four",
    tors: 4,
    leaves: 4,
    homing: "single",
    hosts_per_rack: 4,
    host_link: { rate: "10Gbps", delay: "1us" },
    fabric_link: { rate: "10Gbps", delay: "1us" },
  }),
);

/** Instead of the CPU port. */
const CONTROL = 9;
/** Ports of a switch, 0 to this one. */
export const PORTS = 10;
/** B of these tests, in bytes. */
const WINDOW = 5000;

export interface Scenario {
  readonly name: string;
  readonly role: "tor" | "leaf";
  readonly plan: FabricPlan;
  readonly updates: readonly Update[];
  readonly packets: readonly PortFrame[];
  /** Packets per second of a port; without it no packet waits. */
  readonly queueRate?: { readonly port: number; readonly pps: number };
  /** Whether copies must have come back to ingress before the next packet; all packets then come by one port. */
  readonly apart?: boolean;
  readonly sent: readonly PortFrame[];
}

export const tor = nodeNamed(topology, "tor0-0")!;
const leaf = nodeNamed(topology, "leaf0-0")!;
const host = nodeNamed(topology, "host0-0-0")!;
const peer = nodeNamed(topology, "host0-1-0")!;
const other = nodeNamed(topology, "host0-2-0")!;
const portTo = (node: TopologyNode, to: TopologyNode) =>
  node.ports.find((port) => port.peer === to.index)!.number;
const hostPort = portTo(tor, host);
/** The upward ports, and their neighbours. */
const uplinks = tor.ports.filter((port) => topology.nodes[port.peer]!.role === "leaf");
const [first, second] = uplinks as [(typeof uplinks)[0], (typeof uplinks)[0]];
const macOf = (node: TopologyNode, port: number) => topology.nodes[node.ports[port - 1]!.peer]!.mac;

export function planWith(parameters: object): FabricPlan {
  const scheme = schemeNamed("p4te")!;
  // Without a word on them there are no events of queues, and colours do not age.
  return scheme.plan(
    topology,
    scheme.parameters.parse({
      meter: "packets",
      rate_window: WINDOW,
      delta: 1000,
      colour_age: "never",
      ...parameters,
    }),
  );
}

/** The plan's writes to a switch, with copies for the control plane to a port of the test. */
function stateOf(plan: FabricPlan, node: TopologyNode): Update[] {
  return plan.switches
    .find((own) => own.node === node.index)!
    .updates.map((update) => {
      const { entity } = update;
      if (entity.kind !== "cloneSession") return update;
      const replicas = entity.replicas.map((copy) => (copy.port === 510 ? { ...copy, port: CONTROL } : copy));
      return { ...update, entity: { ...entity, replicas } };
    });
}

/** So many packets are green, then up to `peak` are yellow, all further ones red: nothing fills the buckets again. */
function bucket(committed: number, peak = committed): MeterConfig {
  return { committedRate: 0n, committedBurst: BigInt(committed), peakRate: 0n, peakBurst: BigInt(peak) };
}

function linkMeter(port: number, config: MeterConfig): Update {
  return {
    type: "modify",
    entity: {
      kind: "directMeter",
      entry: {
        kind: "tableEntry",
        table: "FabricEgress.link_rates",
        match: [{ kind: "exact", field: "standard_metadata.egress_port", value: BigInt(port) }],
        priority: 0,
      },
      config,
    },
  };
}

function classMeter(port: number, dscp: number, config: MeterConfig): Update {
  return {
    type: "modify",
    entity: {
      kind: "directMeter",
      entry: {
        kind: "tableEntry",
        table: "FabricIngress.class_rates",
        match: [
          { kind: "exact", field: "standard_metadata.ingress_port", value: BigInt(port) },
          { kind: "exact", field: "meta.class", value: BigInt(dscp) },
        ],
        priority: 0,
      },
      config,
    },
  };
}

/** A group has these ports alone. */
function bestGroup(metric: "queue" | "rate", port: number): Update {
  return {
    type: "modify",
    entity: {
      kind: "group",
      profile: `FabricIngress.${metric}_members`,
      groupId: 1,
      members: [{ memberId: port, weight: 1 }],
      maxSize: uplinks.length,
    },
  };
}

const SHORT = 2;
const LARGE = 4;
const TREATED = 1 << 4;
const FACK_DECREASE = 2 << 4;

/** Data of the host below, as it comes in. */
function dataOf(family: "ipv4" | "ipv6", more: Partial<TcpFrame>): TcpFrame {
  return {
    family,
    src: host.host![family],
    dst: peer.host![family],
    srcPort: 40000,
    dstPort: 5201,
    sequence: 1000,
    acknowledgement: 777,
    flags: ACK,
    window: 500,
    payload: 100,
    dscp: SHORT,
    ttl: 64,
    srcMac: host.mac,
    dstMac: tor.mac,
    ...more,
  };
}

/** The same after a switch. */
function passed(frame: TcpFrame, node: TopologyNode, out: number, more: Partial<TcpFrame> = {}): TcpFrame {
  return { ...frame, ttl: frame.ttl - 1, srcMac: node.mac, dstMac: macOf(node, out), ...more };
}

/** What the other end sends back. */
function answerTo(frame: TcpFrame, more: Partial<TcpFrame>): TcpFrame {
  const { src, dst, srcPort, dstPort } = frame;
  return {
    ...frame,
    src: dst,
    dst: src,
    srcPort: dstPort,
    dstPort: srcPort,
    sequence: frame.acknowledgement,
    payload: 0,
    dscp: 0,
    srcMac: macOf(tor, first.number),
    ...more,
  };
}

const at = (port: number, frame: TcpFrame): PortFrame => ({ port, frame: tcpFrame(frame) });
const told = (event: TrafficEvent): PortFrame => ({ port: CONTROL, frame: eventFrame(event) });

/** Everything goes by the first uplink, unless the rate of a port says something else. */
const oneWay = [bestGroup("queue", first.number), bestGroup("rate", first.number)];

function colors(): Scenario {
  const plan = planWith({ rate_control: false });
  const data = dataOf("ipv4", {});
  const out = passed(data, tor, first.number);
  return {
    name: "one event when the colour changes, none while it stays (algorithm 1, lines 12 to 20)",
    role: "tor",
    plan,
    updates: [...stateOf(plan, tor), ...oneWay, linkMeter(first.number, bucket(2, 4))],
    packets: Array.from({ length: 7 }, () => at(hostPort, data)),
    sent: [
      ...Array.from({ length: 7 }, () => at(first.number, out)),
      told({ port: first.number, rateEvent: 1, color: 1 }),
      told({ port: first.number, rateEvent: 1, color: 2 }),
    ],
  };
}

/** Of a burst of n packets into an empty queue the first leaves at once, the others see n - 2, n - 3, ..., 0 behind them. */
function depths(name: string, delta: number, burst: number, events: TrafficEvent[]): Scenario {
  const plan = planWith({ rate_control: false, delta });
  const data = dataOf("ipv4", {});
  return {
    name,
    role: "tor",
    plan,
    updates: [...stateOf(plan, tor), ...oneWay, linkMeter(first.number, bucket(1000))],
    packets: Array.from({ length: burst }, () => at(hostPort, data)),
    queueRate: { port: first.number, pps: 8 },
    sent: [
      ...Array.from({ length: burst }, () => at(first.number, passed(data, tor, first.number))),
      ...events.map(told),
    ],
  };
}

const queue = (queueEvent: 1 | 2, depth: number): TrafficEvent => ({ port: first.number, queueEvent, depth });

function paths(): Scenario {
  const plan = planWith({ rate_control: false, flowlet_gap: "100s" });
  const flow = (srcPort: number, dscp: number) => dataOf("ipv6", { srcPort, dscp });
  const sends = (out: number, srcPort: number, dscp: number): [PortFrame, PortFrame] => [
    at(hostPort, flow(srcPort, dscp)),
    at(out, passed(flow(srcPort, dscp), tor, out)),
  ];
  const pairs = [
    // The port of the shortest queue is green: a short flow takes it; a large one takes the port of the lowest rate.
    sends(first.number, 1, SHORT),
    sends(second.number, 2, LARGE),
    // The first port becomes yellow with its second packet: the copy informs ingress.
    sends(first.number, 1, SHORT),
    sends(second.number, 3, SHORT),
    sends(second.number, 4, LARGE),
    // A flowlet stays where it is.
    sends(first.number, 1, SHORT),
    // The second one becomes yellow, too: a large flow takes the port of the shortest queue.
    sends(second.number, 2, LARGE),
    sends(first.number, 5, LARGE),
  ];
  return {
    name: "short flows take the shortest queue, large ones the lowest rate, as the recirculated copy says (algorithm 2)",
    role: "tor",
    plan,
    updates: [
      ...stateOf(plan, tor),
      bestGroup("queue", first.number),
      bestGroup("rate", second.number),
      linkMeter(first.number, bucket(1, 100)),
      linkMeter(second.number, bucket(3, 100)),
    ],
    packets: pairs.map(([packet]) => packet),
    apart: true,
    sent: [
      ...pairs.map(([, packet]) => packet),
      told({ port: first.number, rateEvent: 1, color: 1 }),
      told({ port: second.number, rateEvent: 1, color: 1 }),
    ],
  };
}

/** DSCPs above 15 are no classes: their lower bits say nothing. `delivered`: as the neighbour gets them. */
function foreignDscp(
  family: "ipv4" | "ipv6",
  parameters: object,
  delivered: (dscp: number) => number,
): Scenario {
  const plan = planWith({ flowlet_gap: "100s", ...parameters });
  const sends = (out: number, srcPort: number, dscp: number, after: number): [PortFrame, PortFrame] => {
    // Beyond B bytes after the first number, so that rate control would be allowed.
    const frame = dataOf(family, { srcPort, dscp, sequence: 4 * WINDOW });
    return [at(hostPort, frame), at(out, passed(frame, tor, out, { dscp: after }))];
  };
  const pairs = [
    sends(second.number, 1, LARGE, LARGE),
    // EF; the lower bits of 36 are those of the large flows' class.
    ...[46, 36, 34, 16, 32, 48, 63].map((dscp, i) => sends(first.number, 2 + i, dscp, delivered(dscp))),
  ];
  return {
    name: `a DSCP above 15 from a host is in no class (${family}, ${JSON.stringify(parameters)})`,
    role: "tor",
    plan,
    updates: [...stateOf(plan, tor), bestGroup("queue", first.number), bestGroup("rate", second.number)],
    packets: pairs.map(([packet]) => packet),
    sent: pairs.map(([, packet]) => packet),
  };
}

function atTheLeaf(family: "ipv4" | "ipv6", hold: boolean, vlan?: number): Scenario {
  const plan = planWith({ hold_window: hold });
  const tag = vlan === undefined ? {} : { vlan };
  const data = (sequence: number, more: Partial<TcpFrame> = {}) =>
    dataOf(family, { sequence, ...tag, ...more });
  const up = (frame: TcpFrame, dscp: number) => at(first.number, passed(frame, tor, first.number, { dscp }));
  const ack = (acknowledgement: number, more: Partial<TcpFrame> = {}) =>
    answerTo(data(0), { acknowledgement, window: 400, options: 12, ...more });
  const down = (frame: TcpFrame, more: Partial<TcpFrame> = {}) =>
    at(hostPort, passed(frame, tor, hostPort, more));
  const fack = (sequence: number, acknowledgement: number, window: number) =>
    at(hostPort, {
      ...answerTo(data(sequence), { acknowledgement, window, ttl: 64 }),
      srcMac: tor.mac,
      dstMac: host.mac,
    });
  const start = 0xf000_0000;
  const steps: [PortFrame, readonly PortFrame[]][] = [];
  const comes = (frame: TcpFrame, ...out: PortFrame[]) => steps.push([at(hostPort, frame), out]);
  // BMv2 gets all packets by one port, so that they stay in order; an acknowledgement may come by any.
  const returns = comes;

  const syn = data(start, { flags: SYN, payload: 0 });
  comes(syn, up(syn, SHORT));
  returns(ack(start + 1), down(ack(start + 1)));
  // Within the window behind the SYN: no rate control, and no switch behind may apply it.
  comes(data(start + WINDOW - 1), up(data(start + WINDOW - 1), SHORT | TREATED));
  // Beyond it: class and link are red, so the window of 400 is halved.
  const treated = start + WINDOW;
  comes(data(treated), up(data(treated), SHORT | TREATED), fack(treated, start + 1, 200));
  // Within B bytes, and for what is sent again, there is no second FACK.
  comes(data(treated + WINDOW - 1), up(data(treated + WINDOW - 1), SHORT | TREATED));
  comes(data(start + 10), up(data(start + 10), SHORT | TREATED));
  // The next acknowledgement has the smaller window, where the leaf holds it; beyond B bytes it has its own.
  const held = hold ? 200 : 400;
  returns(ack(treated + WINDOW - 1), down(ack(treated + WINDOW - 1), { window: held }));
  comes(
    data(treated + WINDOW),
    up(data(treated + WINDOW), SHORT | TREATED),
    fack(treated + WINDOW, treated + WINDOW - 1, held / 2),
  );
  returns(ack(treated + 2 * WINDOW), down(ack(treated + 2 * WINDOW)));
  // An acknowledgement of the host has no payload: nothing happens to it.
  const own = data(9_999_999, { payload: 0 });
  comes(own, up(own, SHORT));
  return {
    name: `the leaf of the sender: FACK with half of the window, once in B bytes, ${hold ? "and holds it" : "and no more"} (${family}${vlan === undefined ? "" : ", tagged"})`,
    role: "tor",
    plan,
    updates: [
      ...stateOf(plan, tor),
      ...oneWay,
      classMeter(hostPort, SHORT, bucket(1)),
      linkMeter(first.number, bucket(1, 1)),
    ],
    packets: steps.map(([packet]) => packet),
    apart: true,
    sent: [...steps.flatMap(([, out]) => out), told({ port: first.number, rateEvent: 1, color: 2 })],
  };
}

/** Both ends below one leaf: each SYN begins the flow of its own sender's data. */
function withinTheLeaf(): Scenario {
  const plan = planWith({});
  const near = nodeNamed(topology, "host0-0-1")!;
  const out = portTo(tor, near);
  const data = (sequence: number, more: Partial<TcpFrame> = {}) =>
    dataOf("ipv4", { dst: near.host!.ipv4, sequence, ...more });
  const answer = (more: Partial<TcpFrame>): TcpFrame => ({
    ...answerTo(data(0), { window: 400, ...more }),
    srcMac: near.mac,
    dstMac: tor.mac,
  });
  // Apart by more than half of the number space.
  const start = 0xa000_0000;
  const otherStart = 0x1000_0000;
  const syn = data(start, { flags: SYN, payload: 0 });
  const synAck = answer({ sequence: otherStart, acknowledgement: start + 1, flags: SYN | ACK });
  const ack = answer({ sequence: otherStart + 1, acknowledgement: start + 1 });
  const treated = data(start + WINDOW, { acknowledgement: otherStart + 1 });
  const fack = {
    ...answerTo(treated, { acknowledgement: start + 1, window: 200, ttl: 64 }),
    srcMac: tor.mac,
    dstMac: host.mac,
  };
  return {
    name: "both hosts below one leaf: FACK with half of the window",
    role: "tor",
    plan,
    updates: [...stateOf(plan, tor), classMeter(hostPort, SHORT, bucket(1)), linkMeter(out, bucket(1, 1))],
    packets: [syn, synAck, ack, treated].map((frame) => at(hostPort, frame)),
    apart: true,
    sent: [
      at(out, passed(syn, tor, out)),
      at(hostPort, passed(synAck, tor, hostPort)),
      at(hostPort, passed(ack, tor, hostPort)),
      at(out, passed(treated, tor, out)),
      at(hostPort, fack),
      told({ port: out, rateEvent: 1, color: 2 }),
    ],
  };
}

function increases(): Scenario {
  const plan = planWith({});
  const data = (sequence: number) => dataOf("ipv4", { sequence });
  const ack = answerTo(data(0), { acknowledgement: 1, window: 0xfff0 });
  const fack = (sequence: number, window: number) =>
    at(hostPort, {
      ...answerTo(data(sequence), { acknowledgement: 1, window, ttl: 64 }),
      srcMac: tor.mac,
      dstMac: host.mac,
    });
  const small = { ...ack, window: 402 };
  const up = (sequence: number) =>
    at(first.number, passed(data(sequence), tor, first.number, { dscp: SHORT | TREATED }));
  return {
    name: "capacity to spare: the window grows by a quarter, and not beyond its field",
    role: "tor",
    plan,
    updates: [
      ...stateOf(plan, tor),
      ...oneWay,
      classMeter(hostPort, SHORT, bucket(1)),
      linkMeter(first.number, bucket(1000)),
    ],
    packets: [
      // Green, hence no rate control.
      at(hostPort, data(20_000)),
      at(hostPort, small),
      at(hostPort, data(20_100)),
      at(hostPort, ack),
      at(hostPort, data(20_100 + WINDOW)),
    ],
    apart: true,
    sent: [
      at(first.number, passed(data(20_000), tor, first.number)),
      at(hostPort, passed(small, tor, hostPort)),
      up(20_100),
      fack(20_100, 402 + 100),
      at(hostPort, passed(ack, tor, hostPort)),
      up(20_100 + WINDOW),
      fack(20_100 + WINDOW, 0xffff),
    ],
  };
}

function atTheTop(family: "ipv4" | "ipv6"): Scenario {
  const plan = planWith({});
  const from = portTo(leaf, tor);
  const out = portTo(leaf, nodeNamed(topology, "tor0-1")!);
  const data = (sequence: number, dscp: number) =>
    dataOf(family, { sequence, dscp, srcMac: tor.mac, dstMac: leaf.mac, ttl: 63, payload: 200, options: 12 });
  const after = (sequence: number, dscp: number) => at(out, passed(data(sequence, dscp), leaf, out));
  // On its way a FACK acknowledges the number of the data and has no window: the leaf of the sender fills both in.
  const fack = at(from, {
    ...answerTo(data(50, SHORT), {
      acknowledgement: 50,
      window: 0,
      options: 0,
      ttl: 64,
      dscp: FACK_DECREASE,
    }),
    srcMac: leaf.mac,
    dstMac: tor.mac,
  });
  return {
    name: `a switch on the way: FACK towards the source, and the mark that keeps others from it (${family})`,
    role: "leaf",
    plan,
    updates: [...stateOf(plan, leaf), classMeter(from, SHORT, bucket(1)), linkMeter(out, bucket(1, 1))],
    packets: [
      at(from, data(1, SHORT)),
      at(from, data(20, SHORT | TREATED)),
      at(from, data(50, SHORT)),
      // Another class is below its safe rate.
      at(from, data(70, LARGE)),
    ],
    sent: [
      after(1, SHORT),
      after(20, SHORT | TREATED),
      at(out, passed(data(50, SHORT), leaf, out, { dscp: SHORT | TREATED })),
      fack,
      after(70, LARGE),
      told({ port: out, rateEvent: 1, color: 2 }),
    ],
  };
}

function arrives(): Scenario {
  const plan = planWith({});
  const flow = dataOf("ipv4", {});
  const stranger = { ...flow, dst: other.host!.ipv4 };
  const ack = answerTo(flow, { acknowledgement: 5000, window: 64 });
  const fack = (of: TcpFrame, position: number, dscp = FACK_DECREASE) =>
    answerTo(of, { acknowledgement: position, window: 0, dscp });
  const damaged = tcpFrame(fack(flow, 9000));
  damaged[damaged.length - 4]! ^= 1;
  const filled = (frame: TcpFrame, window: number) =>
    at(hostPort, passed(frame, tor, hostPort, { acknowledgement: 5000, window, dscp: 0 }));
  return {
    name: "a FACK of another switch: filled in for a flow that the leaf knows, refused within B bytes, damaged, or unknown",
    role: "tor",
    plan,
    updates: [...stateOf(plan, tor)],
    packets: [
      at(first.number, fack(flow, 8000)),
      at(first.number, ack),
      at(first.number, fack(stranger, 8000)),
      { port: first.number, frame: damaged },
      at(first.number, fack(flow, 9000)),
      at(first.number, fack(flow, 9000 + WINDOW - 1)),
      at(first.number, fack(flow, 9000 + WINDOW, 3 << 4)),
      at(first.number, fack(flow, 9000 + 2 * WINDOW)),
      at(first.number, fack(flow, 9000 + 3 * WINDOW)),
    ],
    sent: [
      at(hostPort, passed(ack, tor, hostPort)),
      filled(fack(flow, 9000), 32),
      filled(fack(flow, 9000), 40),
      filled(fack(flow, 9000), 20),
      // No FACK makes the window smaller than `least_window`.
      filled(fack(flow, 9000), 16),
    ],
  };
}

/** Parameters of the programs that fit Tofino: no copy of egress comes back to ingress, and no packet is cut. */
export const FOR_TOFINO = { feedback: "controller", truncate: false, hold_window: false };

/** The controller says that the first uplink is yellow: flows that would go there take the port of the other metric. */
function pathsByController(): Scenario {
  const plan = planWith({ ...FOR_TOFINO, rate_control: false, flowlet_gap: "100s" });
  const flow = (srcPort: number, dscp: number) => dataOf("ipv6", { srcPort, dscp });
  const sends = (out: number, srcPort: number, dscp: number): [PortFrame, PortFrame] => [
    at(hostPort, flow(srcPort, dscp)),
    at(out, passed(flow(srcPort, dscp), tor, out)),
  ];
  const pairs = [
    sends(second.number, 1, SHORT),
    sends(second.number, 2, LARGE),
    sends(second.number, 1, SHORT),
  ];
  return {
    name: "short flows leave the port that the controller calls yellow (algorithm 2, feedback: controller)",
    role: "tor",
    plan,
    updates: [
      ...stateOf(plan, tor),
      bestGroup("queue", first.number),
      bestGroup("rate", second.number),
      {
        type: "modify",
        entity: {
          kind: "tableEntry",
          table: "FabricIngress.port_utilizations",
          match: [{ kind: "exact", field: "meta.first_port", value: BigInt(first.number) }],
          priority: 0,
          action: { kind: "action", action: "FabricIngress.set_status", params: { color: 1n } },
        },
      },
    ],
    packets: pairs.map(([packet]) => packet),
    sent: pairs.map(([, packet]) => packet),
  };
}

/** Without `truncate` the payload of the data stays behind the FACK, and behind the event. */
function withoutTruncation(family: "ipv4" | "ipv6"): Scenario {
  const plan = planWith(FOR_TOFINO);
  const data = (sequence: number) => dataOf(family, { sequence });
  const ack = answerTo(data(0), { acknowledgement: 1, window: 400 });
  const treated = data(20_100);
  const out = passed(treated, tor, first.number, { dscp: SHORT | TREATED });
  const payload = tcpFrame(treated).slice(-treated.payload);
  const fack = tcpFrame({
    ...answerTo(treated, { acknowledgement: 1, window: 200, ttl: 64 }),
    srcMac: tor.mac,
    dstMac: host.mac,
  });
  const event = eventFrame({ port: first.number, rateEvent: 1, color: 2 });
  return {
    name: `copies keep their payload where a chip cannot cut packets (${family})`,
    role: "tor",
    plan,
    updates: [
      ...stateOf(plan, tor),
      ...oneWay,
      classMeter(hostPort, SHORT, bucket(1)),
      linkMeter(first.number, bucket(1, 1)),
    ],
    packets: [at(hostPort, data(20_000)), at(hostPort, ack), at(hostPort, treated)],
    apart: true,
    sent: [
      at(first.number, passed(data(20_000), tor, first.number)),
      at(hostPort, passed(ack, tor, hostPort)),
      at(first.number, out),
      { port: hostPort, frame: Uint8Array.from([...fack, ...payload]) },
      { port: CONTROL, frame: Uint8Array.from([...event, ...tcpFrame(out)]) },
    ],
  };
}

/** For tests of ageing: one port for each metric. `meter`: of the first one; by default it is yellow from the second packet on. */
export function agedPorts(plan: FabricPlan, meter: MeterConfig = bucket(1, 10_000)) {
  return {
    a: first.number,
    b: second.number,
    control: CONTROL,
    updates: [
      ...stateOf(plan, tor),
      bestGroup("queue", first.number),
      bestGroup("rate", second.number),
      linkMeter(first.number, meter),
      linkMeter(second.number, bucket(10_000)),
    ],
    data: { port: hostPort, frame: (flow: number) => tcpFrame(dataOf("ipv4", { srcPort: flow })) },
  };
}

export function scenarios(): Scenario[] {
  return [
    colors(),
    depths("queue depths at exactly plus and minus delta are events (algorithm 1, lines 1 to 11)", 2, 4, [
      queue(1, 2),
      queue(2, 0),
    ]),
    depths("queue depths within delta are none", 2, 3, []),
    depths("a burst is one event up, then one for each delta down", 3, 8, [
      queue(1, 6),
      queue(2, 3),
      queue(2, 0),
    ]),
    paths(),
    // Switches need the upper bits where they control rates: a host's DSCP is marked again there.
    foreignDscp("ipv4", {}, () => 0),
    foreignDscp("ipv6", {}, () => 0),
    foreignDscp("ipv4", { rate_control: false }, (dscp) => dscp),
    pathsByController(),
    withoutTruncation("ipv4"),
    withoutTruncation("ipv6"),
    atTheLeaf("ipv4", true),
    atTheLeaf("ipv6", true, 7),
    atTheLeaf("ipv4", false),
    withinTheLeaf(),
    increases(),
    atTheTop("ipv4"),
    atTheTop("ipv6"),
    arrives(),
  ];
}

/** One line a packet, port by port in their order. */
export function byPort(sent: readonly PortFrame[]): string[] {
  const lines = sent.map(({ port, frame }, i) => ({ port, i, line: `${port}: ${toHex(frame)}` }));
  return lines.sort((a, b) => a.port - b.port || a.i - b.i).map(({ line }) => line);
}
