/** What a recording has of a fabric, from the events of its links, switches, flows and controllers, which the test makes. */
import { describe, expect, it } from "vitest";
import { FabricRecorder } from "../../../../src/fabric/experiment/seeing/timeline/fabric-recorder.js";
import {
  FlowTable,
  type OpenFlow,
  segmentData,
} from "../../../../src/fabric/experiment/seeing/timeline/flow-table.js";
import { layout } from "../../../../src/fabric/experiment/seeing/timeline/record.js";
import {
  type ControlAct,
  ETHERNET_WIRE,
  FabricEvents,
  HEADERS_ONLY,
  Simulation,
  SwitchNode,
} from "../../../../src/fabric/sim/packet/index.js";
import { buildTopology, type TopologyInput, topologySchema } from "../../../../src/fabric/topology/index.js";

type Fabric = ConstructorParameters<typeof FabricRecorder>[0];
type Tap = {
  sent?(frame: Uint8Array): void;
  arrived(frame: Uint8Array): void;
  lost(frame: Uint8Array, why: string): void;
};

const built = (input: TopologyInput) => buildTopology(topologySchema.parse(input));
const LINK = { rate: "1Gbps", delay: "1us" };
/** a - s - t - b (the last link from b to t), and a second link between s and t: the links 0 to 3. */
const WAYS = {
  kind: "graph",
  nodes: [
    { name: "a", role: "host" },
    { name: "b", role: "host" },
    { name: "s", role: "tor" },
    { name: "t", role: "tor" },
  ],
  links: [
    { a: "a", b: "s", ...LINK },
    { a: "s", b: "t", ...LINK },
    { a: "s", b: "t", ...LINK },
    { a: "b", b: "t", ...LINK },
  ],
} as unknown as TopologyInput;

class SeenSwitch extends SwitchNode {
  readonly queues: ((port: number, packets: number, bytes: number) => void)[] = [];
  override watchQueues(observer: (port: number, packets: number, bytes: number) => void): () => void {
    this.queues.push(observer);
    return () => void this.queues.splice(this.queues.indexOf(observer), 1);
  }
}

function fabricOf(input: TopologyInput = WAYS, wire = HEADERS_ONLY) {
  const topology = built(input);
  const simulation = new Simulation();
  const events = new FabricEvents();
  const nodes = topology.nodes.map(({ role, name }) =>
    role === "host"
      ? { name }
      : new SeenSwitch(simulation, { name, seed: 1, queuePackets: 10, queueBytes: 1e6 }),
  );
  const channelOf = () => {
    const taps: Tap[] = [];
    return {
      ...{ options: { delay: 1000 }, taps },
      tap: (tap: Tap) => {
        taps.push(tap);
        return () => void taps.splice(taps.indexOf(tap), 1);
      },
    };
  };
  const links = topology.links.map(() => ({ aToB: channelOf(), bToA: channelOf() }));
  const fabric = {
    topology,
    network: { simulation },
    events,
    nodes,
    wire,
    link: (index: number) => links[index]!,
  };
  const channels = new Map([
    [2, { main: { observer: undefined as ((act: ControlAct) => void) | undefined } }],
  ]);
  const recorder = new FabricRecorder(fabric as unknown as Fabric, {
    ...{ title: "T", scheme: "S", seed: 4 },
    channels: channels as never,
  });
  const node = (name: string) => topology.nodes.find((one) => one.name === name)!;
  const on = (link: number, isBack = false) => links[link]![isBack ? "bToA" : "aToB"].taps[0]!;
  const at = (time: number, work: () => void) => {
    simulation.now = time;
    work();
  };
  const switchOf = (name: string) => nodes[node(name).index] as SeenSwitch;
  const control = (act: ControlAct) => channels.get(2)!.main.observer?.(act);
  const of = (kind: string, record: ReturnType<typeof recorder.close>) =>
    record.events.filter((one) => one.kind === kind).map(({ kind: _, ...rest }) => rest);
  return { recorder, events, simulation, topology, links, channels, node, on, at, switchOf, control, of };
}

const bytesOf = (value: bigint, length: number) =>
  Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 0xffn));
interface Datum {
  readonly src: bigint;
  readonly dst: bigint;
  readonly srcPort?: number;
  readonly dstPort?: number;
  readonly sequence?: number;
  readonly payload?: number;
  readonly protocol?: number;
}
/** A frame of TCP (or of another protocol with ports) with a payload of zeros. */
function frameOf({
  src,
  dst,
  srcPort = 5000,
  dstPort = 80,
  sequence = 0,
  payload = 100,
  protocol = 6,
}: Datum): Uint8Array {
  const isV4 = src < 1n << 32n;
  const transport = [
    ...bytesOf(BigInt(srcPort), 2),
    ...bytesOf(BigInt(dstPort), 2),
    ...bytesOf(BigInt(sequence), 4),
  ];
  transport.push(0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0);
  const total = transport.length + payload;
  const ip = isV4
    ? [
        0x45,
        0,
        ...bytesOf(BigInt(20 + total), 2),
        0,
        0,
        0,
        0,
        64,
        protocol,
        0,
        0,
        ...bytesOf(src, 4),
        ...bytesOf(dst, 4),
      ]
    : [0x60, 0, 0, 0, ...bytesOf(BigInt(total), 2), protocol, 64, ...bytesOf(src, 16), ...bytesOf(dst, 16)];
  const type = isV4 ? [8, 0] : [0x86, 0xdd];
  return Uint8Array.from([
    ...new Array<number>(12).fill(2),
    ...type,
    ...ip,
    ...transport,
    ...new Array<number>(payload).fill(0),
  ]);
}
/** A flow from a to b, by the addresses of the topology. */
function flowOf({ node }: ReturnType<typeof fabricOf>, isV4 = true, more: Partial<Datum> = {}) {
  const [a, b] = [node("a").host!, node("b").host!];
  const ends = isV4 ? { src: a.ipv4, dst: b.ipv4 } : { src: a.ipv6, dst: b.ipv6 };
  const key = { ...ends, protocol: 6, srcPort: 5000, dstPort: 80 };
  return { key, data: (of: Partial<Datum> = {}) => frameOf({ ...ends, ...more, ...of }) };
}

describe("a recorded run", () => {
  it("has its title, its network and nothing else, if nothing happens", () => {
    const { recorder, simulation } = fabricOf();
    simulation.now = 4096;
    const record = recorder.close();
    expect(record).toMatchObject({
      title: "T",
      scheme: "S",
      engine: "sim",
      seed: 4,
      end: 4096,
      binNs: 1024,
      bins: 4,
    });
    expect(record.links).toEqual([
      { a: 0, b: 2, rateBps: 1e9 },
      { a: 2, b: 3, rateBps: 1e9 },
      { a: 2, b: 3, rateBps: 1e9 },
      { a: 1, b: 3, rateBps: 1e9 },
    ]);
    expect(record.use).toEqual(new Array(8).fill(undefined));
    expect([record.queues, record.flows, record.faults, record.events, record.notes]).toEqual([
      [],
      [],
      [],
      [],
      [],
    ]);
    expect(record.counts).toEqual({});
  });

  it("counts its times from the beginning of the experiment, and forgets what was before", () => {
    const testbed = fabricOf();
    const { recorder, events, at, on, of } = testbed;
    const { key, data } = flowOf(testbed);
    at(1000, () => {
      events.flowOpened(7, key, 100);
      events.faultBegan("f", "early", { link: 1 });
      on(0).arrived(data());
      on(0).lost(data(), "fault");
    });
    at(50_000, () => events.began());
    at(51_000, () => events.ordered("go"));
    at(52_000, () => events.ended());
    at(90_000, () => on(0).arrived(data()));
    const record = recorder.close();
    expect(record.end).toBe(2000);
    expect(record.events).toEqual([{ at: 1000, kind: "order", text: "go" }]);
    expect([record.flows, record.faults]).toEqual([[], []]);
    expect(record.use.every((one) => one === undefined)).toBe(true);
    expect(of("drop", record)).toEqual([]);
  });

  it("observes nothing after its end, and leaves nobody behind", () => {
    const testbed = fabricOf();
    const { recorder, events, at, on, switchOf, control, links, channels } = testbed;
    const { key, data } = flowOf(testbed);
    at(0, () => events.flowOpened(1, key, 100));
    at(1000, () => events.ended());
    at(2000, () => {
      on(0).arrived(data());
      on(0).lost(data(), "fault");
      on(0).sent!(data());
      on(0).sent!(data());
      switchOf("s").queues[0]!(1, 1, 500);
      control({ kind: "packet-out" });
      events.faultBegan("f", "late", {});
    });
    const record = recorder.close();
    expect(record.events).toEqual([]);
    expect(record.faults).toEqual([]);
    expect(record.queues).toEqual([]);
    expect(record.flows).toMatchObject([{ retransmissions: 0, paths: [] }]);
    expect(links.flatMap(({ aToB, bToA }) => [aToB.taps.length, bToA.taps.length])).toEqual(
      new Array(8).fill(0),
    );
    expect(switchOf("s").queues).toEqual([]);
    expect(channels.get(2)!.main.observer).toBeUndefined();
  });
});

describe("the use of a link", () => {
  const shares = (record: { use: readonly (Float64Array | undefined)[] }, direction: number) =>
    record.use[direction] && [...record.use[direction]!].map((one) => Number(one.toFixed(4)));

  it("is the time in which its frames leave, before their delay", () => {
    const { recorder, at, on } = fabricOf();
    // 64 bytes at 1 Gbit/s take 512 ns; the last bit leaves at 2048.
    at(3048, () => on(1).arrived(new Uint8Array(64)));
    at(4096, () => {});
    const record = recorder.close();
    expect(shares(record, 2)).toEqual([0, 0.5, 0, 0]);
    expect(record.use.filter((one) => one !== undefined)).toHaveLength(1);
  });

  it("is counted for each direction alone, and is at most 1", () => {
    const { recorder, at, on } = fabricOf();
    at(2024, () => {
      on(1, true).arrived(new Uint8Array(128));
      on(1, true).arrived(new Uint8Array(128));
      on(3).arrived(new Uint8Array(64));
    });
    at(2048, () => {});
    const record = recorder.close();
    expect(shares(record, 3)).toEqual([1, 0]);
    expect(shares(record, 6)).toEqual([0.5, 0]);
  });

  it("has what the medium adds to each frame", () => {
    const { recorder, at, on } = fabricOf(WAYS, ETHERNET_WIRE);
    // 60 bytes with 24 more: 672 ns.
    at(3048, () => on(1).arrived(new Uint8Array(10)));
    at(4096, () => {});
    expect(shares(recorder.close(), 2)).toEqual([0, Number((672 / 1024).toFixed(4)), 0, 0]);
  });

  it("of a switch with a rate in packets is one packet's time; a host has no such rate", () => {
    const links = (WAYS as { links: object[] }).links.map((link) => ({ ...link, rate_pps: 1_000_000 }));
    const { recorder, at, on } = fabricOf({ ...WAYS, links } as TopologyInput);
    at(3048, () => {
      on(1).arrived(new Uint8Array(64));
      on(0).arrived(new Uint8Array(64));
    });
    at(4096, () => {});
    const record = recorder.close();
    expect(shares(record, 2)).toEqual([0, Number((1000 / 1024).toFixed(4)), 0, 0]);
    expect(shares(record, 0)).toEqual([0, 0.5, 0, 0]);
  });

  it("in the last bin is a share of the time that there was", () => {
    const { recorder, at, on } = fabricOf();
    at(1000 + 1024 + 512, () => on(1).arrived(new Uint8Array(64)));
    at(1024 + 512, () => {});
    expect(shares(recorder.close(), 2)).toEqual([0, 1]);
  });
});

describe("a flow", () => {
  it("has its ends, its bytes, its times and its timeouts", () => {
    const testbed = fabricOf();
    const { recorder, events, at, of } = testbed;
    at(100, () => events.flowOpened(7, flowOf(testbed).key, 3000));
    at(200, () => events.flowTimedOut(7));
    at(250, () => events.flowTimedOut(8));
    at(300, () => events.flowCompleted(7));
    at(350, () => events.flowCompleted(8));
    at(400, () => events.flowCompleted(7));
    at(500, () => events.flowOpened(9, flowOf(testbed, false).key, undefined));
    const record = recorder.close();
    const none = { timeouts: 0, retransmissions: 0, moves: 0, paths: [] };
    expect(record.flows).toEqual([
      { ...none, number: 7, from: 0, to: 1, start: 100, end: 300, bytes: 3000, timeouts: 1 },
      { ...none, number: 9, from: 0, to: 1, start: 500, end: undefined, bytes: undefined },
    ]);
    expect(of("timeout", record)).toEqual([{ at: 200, text: "retransmission timeout", flow: 0 }]);
  });

  it.each([true, false])("takes the path on which its data arrive (IPv4: %s)", (isV4) => {
    const testbed = fabricOf();
    const { recorder, events, at, on, of } = testbed;
    const { key, data } = flowOf(testbed, isV4);
    at(0, () => events.flowOpened(7, key, 1000));
    for (const [i, link] of [0, 1, 3].entries()) at(10 + i, () => on(link, link === 3).arrived(data()));
    for (const [i, link] of [0, 2, 3].entries()) at(20 + i, () => on(link, link === 3).arrived(data()));
    // Acknowledgements, and data of others, go their own ways.
    at(30, () => on(1, true).arrived(frameOf({ src: key.dst, dst: key.src, srcPort: 80, dstPort: 5000 })));
    at(40, () => on(1).arrived(data({ srcPort: 5001 })));
    at(41, () => on(1).arrived(data({ protocol: 17 })));
    const record = recorder.close();
    expect(record.flows[0]).toMatchObject({
      moves: 1,
      paths: [
        [10, [0, 2, 7]],
        [21, [0, 4, 7]],
      ],
    });
    expect(of("path", record)).toEqual([{ at: 21, text: "another path from s", node: 2, flow: 0 }]);
  });

  it("sends data again where its host sends what it has sent", () => {
    const testbed = fabricOf();
    const { recorder, events, at, on, of } = testbed;
    const { key, data } = flowOf(testbed);
    at(0, () => events.flowOpened(7, key, 1000));
    const send = (time: number, sequence: number, payload = 100) =>
      at(time, () => on(0).sent!(data({ sequence, payload })));
    // Across the end of the sequence numbers.
    for (const [i, sequence] of [0xffffff38, 0xffffff9c, 0, 100].entries()) send(i, sequence);
    send(10, 200, 0);
    send(11, 50);
    send(5000, 0xffffff9c);
    send(5001, 150);
    at(6000, () => on(0).sent!(data({ protocol: 17 })));
    const record = recorder.close();
    expect(record.flows[0]!.retransmissions).toBe(2);
    expect(of("retransmission", record)).toEqual([
      { at: 11, text: "data sent again", flow: 0 },
      { at: 5000, text: "data sent again", flow: 0 },
    ]);
  });

  it("loses data by faults and in queues, each with its link; other frames count too", () => {
    const testbed = fabricOf();
    const { recorder, events, at, on, of } = testbed;
    const { key, data } = flowOf(testbed);
    at(0, () => events.flowOpened(7, key, 1000));
    at(10, () => on(1, true).lost(data(), "fault"));
    at(11, () => on(1, true).lost(data(), "fault"));
    at(12, () => on(3, true).lost(new Uint8Array(60), "queue"));
    expect(of("drop", recorder.close())).toEqual([
      { at: 10, text: "lost by a fault on t > s", link: 1, flow: 0, count: 2 },
      { at: 12, text: "no space in the queue of t > b", link: 3, count: 1 },
    ]);
  });

  it("is found by its address and ports, a later one of the same five-tuple before an earlier one", () => {
    const testbed = fabricOf();
    const { key, data } = flowOf(testbed);
    const table = new FlowTable();
    const open = (index: number) => ({ index }) as OpenFlow;
    table.add(key, true, open(1));
    table.add({ ...key, srcPort: 0x1234 }, true, open(2));
    table.add({ ...key, dstPort: 0x5678 }, true, open(3));
    table.add({ ...key, protocol: 17 }, true, open(4));
    const found = (of: Partial<Datum> = {}) => table.find(data(of))?.index;
    expect([
      found(),
      found({ srcPort: 0x1234 }),
      found({ dstPort: 0x5678 }),
      found({ protocol: 17 }),
    ]).toEqual([1, 2, 3, 4]);
    expect([found({ src: key.dst }), found({ dst: key.src }), found({ srcPort: 0x3412 })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    table.add(key, true, open(5));
    expect(found()).toBe(5);
    expect(table.find(new Uint8Array(60))).toBeUndefined();
  });

  it("has the data of its segments without padding, in both versions of IP", () => {
    const testbed = fabricOf();
    for (const isV4 of [true, false]) {
      const { key, data } = flowOf(testbed, isV4);
      const table = new FlowTable();
      table.add(key, isV4, {} as OpenFlow);
      const frame = Uint8Array.from([...data({ payload: 3, sequence: 0xffffffff }), 0, 0, 0]);
      expect(table.find(frame)).toBeDefined();
      expect(segmentData(frame, table.fields)).toEqual({ sequence: -1, length: 3 });
    }
  });
});

describe("a switch", () => {
  it("has the greatest length of each queue over time, also of one that waits until the end", () => {
    const { recorder, at, switchOf } = fabricOf();
    const [s, t] = [switchOf("s"), switchOf("t")];
    at(100, () => s.queues[0]!(2, 1, 500));
    at(200, () => s.queues[0]!(2, 2, 900));
    at(300, () => s.queues[0]!(2, 0, 0));
    at(1500, () => s.queues[0]!(3, 1, 70));
    at(2100, () => s.queues[0]!(3, 2, 140));
    at(2500, () => t.queues[0]!(1, 1, 9));
    at(2600, () => t.queues[0]!(1, 0, 0));
    // The port of the controller has no link.
    at(2700, () => t.queues[0]!(4, 1, 9999));
    at(4096, () => {});
    const { queues } = recorder.close();
    expect(queues!.map(({ bytes, ...one }) => ({ ...one, bytes: [...bytes] }))).toEqual([
      { node: 2, port: 2, direction: 2, bytes: [900, 0, 0, 0] },
      { node: 2, port: 3, direction: 4, bytes: [0, 70, 140, 140] },
      { node: 3, port: 1, direction: 3, bytes: [0, 0, 9, 0] },
    ]);
  });

  it("drops at the time at which something happened to it, with its reason", () => {
    const { recorder, at, on, switchOf, of } = fabricOf();
    const drops = (name: string) => switchOf(name).device.stats.drops as { ingress: number; queue: number };
    at(100, () => {
      on(1).arrived(new Uint8Array(60));
      drops("t").ingress += 2;
    });
    at(200, () => {
      switchOf("s").queues[0]!(2, 1, 60);
      drops("s").queue += 1;
    });
    at(9000, () => on(1).arrived(new Uint8Array(60)));
    drops("t").queue += 1;
    const record = recorder.close();
    expect(of("drop", record)).toEqual([
      { at: 100, text: "t: dropped by the program (ingress)", node: 3, count: 2 },
      { at: 200, text: "s: output queue full", node: 2, count: 1 },
      { at: 9000, text: "t: output queue full", node: 3, count: 1 },
    ]);
  });

  it("does not report drops from before the experiment", () => {
    const { recorder, at, on, events, switchOf, of } = fabricOf();
    const drops = switchOf("t").device.stats.drops as { ingress: number };
    at(100, () => {
      on(1).arrived(new Uint8Array(60));
      drops.ingress += 2;
    });
    at(200, () => events.began());
    at(300, () => on(1).arrived(new Uint8Array(60)));
    at(400, () => {});
    expect(of("drop", recorder.close())).toEqual([]);
  });
});

it("a controller has its writes, packets and digests in the record, each with its switch", () => {
  const { recorder, at, control, of } = fabricOf();
  const entry = { kind: "tableEntry", table: "routes", match: [], priority: 0 };
  at(10, () => control({ kind: "write", updates: [{ type: "insert", entity: entry }] as never }));
  at(20, () => control({ kind: "packet-out" }));
  at(21, () => control({ kind: "packet-out" }));
  at(30, () => control({ kind: "event", event: { kind: "packetIn" } as never }));
  at(40, () => control({ kind: "event", event: { kind: "digest" } as never }));
  at(50, () => control({ kind: "event", event: { kind: "portState", port: 1, up: false } }));
  const record = recorder.close();
  expect(of("write", record)).toEqual([{ at: 10, text: "s: insert table entry of routes", node: 2 }]);
  expect(of("packet-out", record)).toEqual([{ at: 20, text: "s: packet-out", node: 2, count: 2 }]);
  expect(of("packet-in", record)).toEqual([{ at: 30, text: "s: packet-in", node: 2 }]);
  expect(of("digest", record)).toEqual([{ at: 40, text: "s: digest", node: 2 }]);
  expect(record.events).toHaveLength(4);
});

it("faults have their interval and place; one that begins again ends before, and one may last", () => {
  const { recorder, at, events } = fabricOf();
  at(100, () => events.faultBegan("late", "the node", { node: 3 }));
  at(200, () => events.faultBegan("link", "half", { link: 1 }));
  at(300, () => events.faultBegan("link", "whole", { link: 1 }));
  at(400, () => events.faultEnded("link", "well", { link: 1 }));
  at(500, () => events.faultEnded("other", "well", {}));
  const record = recorder.close();
  expect(record.faults).toEqual([
    { text: "the node", from: 100, to: undefined, node: 3 },
    { text: "half", from: 200, to: 300, link: 1 },
    { text: "whole", from: 300, to: 400, link: 1 },
  ]);
  expect(record.events).toEqual([
    { at: 100, kind: "fault", text: "the node", node: 3 },
    { at: 200, kind: "fault", text: "half", link: 1 },
    { at: 300, kind: "fault", text: "whole", link: 1 },
    { at: 400, kind: "repair", text: "well", link: 1 },
    { at: 500, kind: "repair", text: "well" },
  ]);
});

it("flows beyond 20,000 are not recorded one by one, and a note says so", () => {
  const testbed = fabricOf();
  const { recorder, events } = testbed;
  const { key } = flowOf(testbed);
  for (let i = 0; i < 20_003; i++) events.flowOpened(i, { ...key, srcPort: i % 60_000 }, 1);
  const { flows, notes } = recorder.close();
  expect(flows).toHaveLength(20_000);
  expect(notes).toEqual([
    "The first 20000 flows are recorded one by one; 3 later ones are in links and queues alone.",
  ]);
});

describe("the drawing", () => {
  const placesOf = (input: object) =>
    Object.fromEntries(
      layout(built(input as TopologyInput)).map(({ name, tier, x, y }) => [name, [tier, x, y]]),
    );

  it("of tiers has a row for each, hosts at the bottom", () => {
    expect(placesOf({ kind: "leaf_spine", tors: 2, leaves: 1, homing: "single", hosts_per_rack: 2 })).toEqual(
      {
        ...{ "host0-0-0": [0, 0.125, 0.92], "host0-0-1": [0, 0.375, 0.92] },
        ...{ "host0-1-0": [0, 0.625, 0.92], "host0-1-1": [0, 0.875, 0.92] },
        ...{ "tor0-0": [1, 0.25, 0.5], "tor0-1": [1, 0.75, 0.5], "leaf0-0": [2, 0.5, 0.08] },
      },
    );
  });

  it("without tiers is a circle of switches, each with its hosts outside", () => {
    const nodes = ["p", "q", "r", "u"].map((name) => ({ name, role: "switch" }));
    const hosts = ["h", "i"].map((name) => ({ name, role: "host" }));
    const links = [
      ["p", "q"],
      ["q", "r"],
      ["r", "u"],
      ["u", "p"],
      ["q", "h"],
      ["q", "i"],
    ].map(([a, b]) => ({ a, b }));
    const places = placesOf({ kind: "graph", nodes: [...nodes, ...hosts], links });
    expect(places["p"]!.slice(1)).toEqual([0.5, 0.2]);
    expect(places["q"]!.slice(1)).toEqual([0.8, 0.5]);
    expect(places["r"]!.slice(1)).toEqual([0.5, 0.8]);
    expect(places["u"]!.slice(1)).toEqual([0.2, 0.5]);
    // Both hosts of q are as far from the middle, one on each side of q.
    const [[, hx, hy], [, ix, iy]] = [places["h"]!, places["i"]!] as [number[], number[]] as never as [
      number[],
      number[],
    ];
    expect(Math.hypot(hx! - 0.5, hy! - 0.5)).toBeCloseTo(0.46, 3);
    expect([ix, iy]).toEqual([hx, Number((1 - hy!).toFixed(4))]);
    expect(hy).toBeLessThan(0.5);
    expect(hx).toBeGreaterThan(0.9);
  });
});
