/** What is captured, traced and recorded of a fabric that the test moves: which links a name means, which frames belong to a flow. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PcapngDecoder, type PcapngPacket } from "../../../../src/base/packets/index.js";
import { watchFabric } from "../../../../src/fabric/experiment/seeing/seeing.js";
import {
  FabricEvents,
  HEADERS_ONLY,
  Simulation,
  SwitchNode,
} from "../../../../src/fabric/sim/packet/index.js";
import { buildTopology, type TopologyInput, topologySchema } from "../../../../src/fabric/topology/index.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-watching-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Tap = { sent?(frame: Uint8Array): void; arrived?(frame: Uint8Array): void };
/** What a switch is asked to trace. */
interface Traced {
  traceFilter?(port: number, frame: Uint8Array): boolean;
  trace?(packet: unknown): void;
}
type Watched = Parameters<typeof watchFabric>;
type Request = Watched[2]["request"];

/** a:1 - s:1, s:2 - t:1, s:3 - t:2, b:1 - t:3. */
const TOPOLOGY = {
  kind: "graph",
  nodes: ["a", "b"]
    .map((name) => ({ name, role: "host" }))
    .concat(["s", "t"].map((name) => ({ name, role: "tor" }))),
  links: [
    { a: "a", b: "s" },
    { a: "s", b: "t" },
    { a: "s", b: "t" },
    { a: "b", b: "t" },
  ],
} as TopologyInput;

let number = 0;
function watch(request: Partial<Request>, settings: object = { name: "the name" }) {
  const name = `run${number++}`;
  const topology = buildTopology(topologySchema.parse(TOPOLOGY));
  const simulation = new Simulation();
  const channelOf = () => {
    const taps: Tap[] = [];
    const tap = (one: Tap) => {
      taps.push(one);
      return () => void taps.splice(taps.indexOf(one), 1);
    };
    return { options: { delay: 0 }, taps, tap };
  };
  const links = topology.links.map(() => ({ aToB: channelOf(), bToA: channelOf() }));
  const devices: Traced[] = [];
  const nodes = topology.nodes.map(({ role, name: of }) => {
    if (role === "host") return { name: of };
    const node = new SwitchNode(simulation, { name: of, seed: 1, queuePackets: 9, queueBytes: 9e9 });
    const device: Traced & { stats: unknown } = { stats: node.device.stats };
    devices.push(device);
    return Object.defineProperty(node, "device", { value: device });
  });
  const events = new FabricEvents();
  const fabric = {
    topology,
    network: { simulation },
    events,
    nodes,
    wire: HEADERS_ONLY,
    link: (i: number) => links[i]!,
  };
  const seeing = watchFabric(
    { topology, settings, locate: () => undefined } as unknown as Watched[0],
    { fabric, channels: new Map() } as unknown as Watched[1],
    { request: { pcap: [], flows: [], timeline: false, ...request }, folder },
    { name, scheme: "ecmp", seed: 1 },
  );
  const frame = (of: number) => new Uint8Array(60).fill(of);
  /** A frame passes a direction of a link; what is sent is seen before what arrives. */
  const pass = (link: number, way: "aToB" | "bToA", bytes: Uint8Array) => {
    for (const tap of [...links[link]![way].taps]) tap.sent?.(bytes);
    for (const tap of [...links[link]![way].taps]) tap.arrived?.(bytes);
  };
  const captured = () => {
    const decoder = new PcapngDecoder(name);
    decoder.push(readFileSync(join(folder, "captures", `${name}.pcapng`)));
    const packets: PcapngPacket[] = [];
    for (let packet = decoder.next(); packet !== undefined; packet = decoder.next()) packets.push(packet);
    decoder.finish();
    return { names: decoder.interfaces.map((one) => one.name), packets };
  };
  return { name, seeing, simulation, topology, links, events, devices, frame, pass, captured };
}

describe("a capture", () => {
  it.each<[string[], string[]]>([
    [["s:2"], ["s:2"]],
    [["  s   t "], ["s:2>t:1", "t:1>s:2", "s:3>t:2", "t:2>s:3"]],
    [["t s"], ["s:2>t:1", "t:1>s:2", "s:3>t:2", "t:2>s:3"]],
    [["a"], ["a:1>s:1", "s:1>a:1"]],
    [
      ["a", "a s", "t:3"],
      ["a:1>s:1", "s:1>a:1", "t:3"],
    ],
  ])("of %j has the interfaces %j", (pcap, names) => {
    const { seeing, captured } = watch({ pcap });
    seeing.close();
    expect(captured().names).toEqual(names);
  });

  it("of all has both directions of each link", () => {
    const { seeing, captured } = watch({ pcap: ["all"] });
    seeing.close();
    expect(captured().names).toHaveLength(8);
  });

  it.each<[string, number, "aToB" | "bToA"]>([
    ["s:1", 0, "bToA"],
    ["a:1", 0, "aToB"],
    ["s:2", 1, "aToB"],
    ["t:1", 1, "bToA"],
    ["t:3", 3, "bToA"],
  ])("of port %s has what it sends as outbound, and what it receives", (pcap, link, out) => {
    const { seeing, pass, frame, captured, simulation, links } = watch({ pcap: [pcap] });
    simulation.now = 1_000_000_002;
    pass(link, out, frame(1));
    pass(link, out === "aToB" ? "bToA" : "aToB", frame(2));
    pass(link === 2 ? 1 : 2, out, frame(3));
    seeing.close();
    expect(links.flatMap(({ aToB, bToA }) => [...aToB.taps, ...bToA.taps])).toEqual([]);
    const found = captured().packets.map((one) => [one.frame[0], one.outbound, one.seconds, one.nanoseconds]);
    expect(found).toEqual([
      [1, true, 1, 2],
      [2, false, 1, 2],
    ]);
  });

  it("of a direction has its frames where they arrive", () => {
    const { seeing, pass, frame, captured } = watch({ pcap: ["a"] });
    pass(0, "aToB", frame(1));
    pass(0, "bToA", frame(2));
    seeing.close();
    expect(captured().packets.map((one) => [one.interface, one.frame[0], one.outbound])).toEqual([
      [0, 1, undefined],
      [1, 2, undefined],
    ]);
  });

  const forms = "write all, NODE (all its links), NODE:PORT, or two nodes with a space between them";
  it.each([
    ["q", 'no node is called "q"', forms],
    ["s:9", "s has no port 9", "it has the ports 1 to 3"],
    ["s t a", '"s t a" has more than two nodes', forms],
    ["s b", "no link between s and b", "its neighbours: a, t"],
    ["a:x", 'no node is called "a:x"', forms],
  ])("of %s is refused, with what would be right", (pcap, message, note) => {
    let found: { message: string; notes: readonly { message: string }[] } | undefined;
    try {
      watch({ pcap: [pcap] });
    } catch (error) {
      [found] = (error as { diagnostics: NonNullable<typeof found>[] }).diagnostics;
    }
    expect([found!.message.startsWith(message), ...found!.notes.map((one) => one.message)]).toEqual([
      true,
      note,
    ]);
  });
});

describe("the trace of a flow", () => {
  const KEY = { src: 0x0a000001n, dst: 0x0a000002n, protocol: 17, srcPort: 0x1234, dstPort: 0x5678 };
  const hex = (src: string, dst: string, ports: string, protocol = "11") =>
    `${"02".repeat(12)}08004500001c0000000040${protocol}0000${src}${dst}${ports}00080000`;
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));
  const THERE = bytes(hex("0a000001", "0a000002", "12345678"));
  const BACK = bytes(hex("0a000002", "0a000001", "56781234"));
  const OTHERS = [
    bytes(hex("0a000001", "0a000002", "12345679")),
    bytes(hex("0a000001", "0a000003", "12345678")),
    bytes(hex("0a000002", "0a000001", "12345678")),
    bytes(hex("0a000001", "0a000002", "12345678", "06")),
    // ICMP has no ports, and ARP no addresses of IP.
    bytes(hex("0a000001", "0a000002", "12345678", "01")),
    bytes(`${"02".repeat(12)}0806${"00".repeat(28)}`),
  ];

  it("has its packets in both directions, in a file of the flow, and no others", () => {
    const { name, seeing, events, devices } = watch({ flows: [7, 8] });
    const asks = (frame: Uint8Array) => devices.map(({ traceFilter }) => traceFilter!(1, frame));
    expect(asks(THERE)).toEqual([false, false]);
    events.flowOpened(6, { ...KEY, srcPort: 1 }, 1);
    events.flowOpened(7, KEY, 1);
    events.flowOpened(8, { ...KEY, dst: 0x20010db8000000000000000000000001n, src: 5n }, 1);
    expect([asks(THERE), asks(BACK)]).toEqual([
      [true, true],
      [true, true],
    ]);
    for (const frame of OTHERS) expect(asks(frame)).toEqual([false, false]);
    const traceOf = (frame: Uint8Array) =>
      ({ input: { bytes: Buffer.from(frame).toString("hex") } }) as never;
    devices[0]!.trace!(traceOf(THERE));
    devices[1]!.trace!(traceOf(BACK));
    // A packet inside of a switch may have lost its flow meanwhile.
    devices[1]!.trace!(traceOf(OTHERS[0]!));
    seeing.close();
    const lines = (flow: number) =>
      readFileSync(join(folder, "traces", `${name}-flow-${flow}.jsonl`), "utf8");
    expect(lines(7)).toBe([THERE, BACK].map((frame) => `${JSON.stringify(traceOf(frame))}\n`).join(""));
    expect(lines(8)).toBe("");
    expect(devices.map(({ traceFilter, trace }) => [traceFilter, trace])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it("ends where a later flow that is not traced has its addresses and ports", () => {
    const { seeing, events, devices } = watch({ flows: [7] });
    events.flowOpened(7, KEY, 1);
    events.flowOpened(9, KEY, 1);
    expect(devices.map(({ traceFilter }) => traceFilter!(1, THERE))).toEqual([false, false]);
    seeing.close();
  });
});

describe("a timeline", () => {
  it.each([
    [{ name: "the name" }, "the name"],
    [{ name: "the name", title: "The title" }, "The title"],
  ])("of %j has the title %s, and is written at the end", (settings, title) => {
    const { name, seeing, simulation } = watch({ timeline: true }, settings);
    simulation.now = 5000;
    seeing.close();
    const [first] = readFileSync(join(folder, "timelines", `${name}.jsonl`), "utf8").split("\n");
    expect(JSON.parse(first!)).toMatchObject({ row: "run", title, scheme: "ecmp", end_ns: 5000 });
  });
});
