/** The least possible time of a flow: the closed form against a recursion, and against packets in an empty network. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  idealTimeOnPath,
  pacedTimeOnPath,
  ShortestPaths,
} from "../../../../src/fabric/experiment/kinds/load/ideal-time.js";
import { ETHERNET_WIRE, HEADERS_ONLY } from "../../../../src/fabric/sim/packet/index.js";
import { QuantileSketch } from "../../../../src/fabric/statistics/index.js";
import { computeRoutes, hostsOf, nodeNamed } from "../../../../src/fabric/topology/index.js";
import { loadOf, play, read } from "./play.js";

const sizes = { payload: 1000, headers: 62, opening: [], wire: HEADERS_ONLY };

/** Segment after segment over link after link, as the packets go. */
function recursion(
  path: readonly { rateBps: number; delayNs: number }[],
  frames: readonly number[],
  interval = 0,
): number {
  const free = path.map(() => 0);
  let last = 0;
  for (const [number, frame] of frames.entries()) {
    let at = number * interval;
    for (const [i, { rateBps, delayNs }] of path.entries()) {
      free[i] = Math.max(at, free[i]!) + Math.ceil((8e9 * frame) / rateBps);
      at = free[i]! + delayNs;
    }
    last = at;
  }
  return last;
}

const link = fc.record({
  rateBps: fc.constantFrom(1e6, 1e8, 1e9, 2.5e9, 10e9, 100e9),
  delayNs: fc.integer({ min: 0, max: 50_000 }),
});

describe("the closed form", () => {
  it("is the time at which the last segment arrives, whatever the links are", () => {
    fc.assert(
      fc.property(
        fc.array(link, { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 1, max: 60_000 }),
        (path, bytes) => {
          const frames: number[] = [];
          for (let left = bytes; left > 0; left -= 1000) frames.push(Math.min(left, 1000) + 62);
          expect(idealTimeOnPath(path, bytes, sizes)).toBe(recursion(path, frames));
        },
      ),
    );
  });

  it("pads short frames and adds what is around a frame, with the wire of Ethernet", () => {
    const path = [{ rateBps: 1e9, delayNs: 0 }];
    const ethernet = { ...sizes, headers: 54, wire: ETHERNET_WIRE, opening: [54] };
    // A SYN of 54 bytes takes 60 + 24; segments of 1054 take 1078, the last one of 55 again 84.
    expect(idealTimeOnPath(path, 2001, ethernet)).toBe(8 * (84 + 2 * 1078 + 84));
  });

  it("is so for a sender at a rate too", () => {
    fc.assert(
      fc.property(
        fc.array(link, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 30_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        (path, bytes, interval) => {
          const frames: number[] = [];
          for (let left = bytes; left > 0; left -= 1000) frames.push(Math.min(left, 1000) + 62);
          expect(pacedTimeOnPath(path, bytes, sizes, interval)).toBe(recursion(path, frames, interval));
        },
      ),
    );
  });

  it("adds the round trip that opens the connection", () => {
    const path = [
      { rateBps: 1e9, delayNs: 500 },
      { rateBps: 2e9, delayNs: 700 },
    ];
    const alone = idealTimeOnPath(path, 5000, sizes);
    // 74 bytes of SYN and 66 of its answer: 592 + 296 ns, 528 + 264 ns, and twice the propagation.
    expect(idealTimeOnPath(path, 5000, { ...sizes, opening: [74, 66] })).toBe(
      alone + 592 + 296 + 528 + 264 + 2400,
    );
  });
});

/** Both transports with a window that does not limit the flow. */
const TRANSPORTS = {
  fixed: "{ protocol: fixed, window_segments: 10000 }",
  tcp: "{ congestion_control: fixed, initial_window: 10000, receive_buffer: 1GB }",
};

const ONE = (
  sizeOf: string,
  rest: string,
  transport: keyof typeof TRANSPORTS = "fixed",
  ip = 4,
) => `schemes: [ecmp]
traffic: { ip: ${ip}, sizes: { fixed: ${sizeOf} }, pattern: all_to_all, interval: 1ms, flows: 1 }
transport: ${TRANSPORTS[transport]}
queues: { packets: 1000000, bytes: 1000000000 }
${rest}
`;

const TOPOLOGIES = [
  "topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 1, host_link: { rate: 10Gbps, delay: 1us }, fabric_link: { rate: 4Gbps, delay: 3us } }",
  "topology: { kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2, homing: dual, host_link: { rate: 3Gbps, delay: 2us }, fabric_link: { rate: 7Gbps, delay: 1us } }",
  "topology: { kind: fat_tree, k: 4, host_link: { rate: 1Gbps, delay: 1us }, fabric_link: { rate: 1Gbps, delay: 1us } }",
];

describe("a flow alone in the empty network", () => {
  const cases = TOPOLOGIES.flatMap((topology) =>
    (["fixed", "tcp"] as const).map((transport) => [transport, topology] as const),
  );
  const wires = [
    ...cases.map((one) => [...one, "headers"] as const),
    ...cases.map((one) => [...one, "ethernet"] as const),
  ];
  it.each(wires)("takes the time of the closed form: %s, %s, wire: %s", async (transport, topology, wire) => {
    for (const [bytes, ip, seed] of [
      [1, 4, 1],
      [999, 6, 2],
      [1001, 4, 3],
      [250_500, 6, 4],
      [2_000_000, 4, 5],
    ] as const) {
      const rest = `${topology}\nwire: ${wire}`;
      const [outcome] = await play(loadOf(ONE(String(bytes), rest, transport, ip)), seed);
      const { flows } = outcome!;
      const slowdowns = Object.values(flows).map(({ slowdown }) => QuantileSketch.fromJson(slowdown));
      const [one] = slowdowns.filter(({ count }) => count > 0);
      expect(one!.count).toBe(1);
      // The clock of a switch is in microseconds, in binary fractions: some picoseconds a hop.
      expect(one!.quantile(1)).toBeCloseTo(1, 4);
      expect(outcome!.drops).toMatchObject({ switch_queue: 0, host_queue: 0, fault: 0 });
    }
  });
});

describe("a model of the wire", () => {
  const ONE_LINK =
    "topology: { kind: graph, nodes: [{ name: s, role: switch }, { name: h0, role: host }, { name: h1, role: host }], links: [{ a: h0, b: s, rate: 1Gbps, delay: 0s }, { a: h1, b: s, rate: 1Gbps, delay: 0s }] }";
  const long = (wire: string) =>
    ONE("10MB", `${ONE_LINK}\nwire: ${wire}`, "tcp").replace(
      "interval: 1ms, flows: 1 }",
      "interval: 1us, flows: 1, arrivals: constant, duration: 50ms }",
    );
  const goodput = async (wire: string) => {
    const [outcome] = await play(loadOf(long(wire)));
    const seconds = (outcome!.window[1] - outcome!.window[0]) / 1e9;
    const to = outcome!.links!.filter(({ to }) => to === "h1");
    const back = outcome!.links!.filter(({ from }) => from === "h1");
    const { delivered } = outcome!.flows.large;
    return [(8 * delivered) / seconds / 1e9, to[0]!.utilisation, back[0]!.utilisation] as const;
  };

  it("sets the payload that a link carries, and the use of a link counts all of the wire", async () => {
    const [plain, used] = await goodput("headers");
    const [real, realUsed, acknowledgements] = await goodput("ethernet");
    // Segments of 1000 bytes take 1062 bytes, and with preamble, check sequence and gap 1086.
    expect(plain).toBeCloseTo(1000 / 1062, 2);
    expect(real).toBeCloseTo(1000 / 1086, 2);
    expect([used, realUsed]).toEqual([expect.closeTo(1, 2), expect.closeTo(1, 2)]);
    // An acknowledgement of two segments takes 62 + 24 bytes.
    expect(acknowledgements).toBeCloseTo(((62 + 24) * real) / 2 / 1000, 3);
  });

  it("is refused where it has no such name", () => {
    expect(read(long("optical")).messages[0]).toMatch(/P43004.*wire: .*headers.*ethernet/);
  });
});

describe("a flow alone on links with rates in packets", () => {
  const RATED = (host: number, fabric: number) =>
    `topology: { kind: leaf_spine, tors: 2, leaves: 1, homing: single, hosts_per_rack: 1, host_link: { rate: 10Gbps, delay: 1us, rate_pps: ${host} }, fabric_link: { rate: 4Gbps, delay: 3us, rate_pps: ${fabric} } }`;

  it.each([
    [40_000, 20_000, "fixed"],
    [20_000, 40_000, "fixed"],
    [40_000, 20_000, "tcp"],
    [20_000, 40_000, "tcp"],
    [1_000_000, 900_000, "tcp"],
  ] as const)("takes the time of the closed form: %i and %i pps, %s", async (host, fabric, transport) => {
    for (const [bytes, seed] of [
      [1, 1],
      [250_500, 2],
    ] as const) {
      const [outcome] = await play(loadOf(ONE(String(bytes), RATED(host, fabric), transport)), seed);
      const slowdowns = Object.values(outcome!.flows).map((one) => QuantileSketch.fromJson(one.slowdown));
      const [one] = slowdowns.filter(({ count }) => count > 0);
      expect(one!.quantile(1)).toBeCloseTo(1, transport === "fixed" ? 4 : 2);
    }
  });

  it("counts packets, not bytes, as the use of a link", async () => {
    // 251 segments without a handshake; the window ends with the run.
    const text = ONE("251000", RATED(40_000, 20_000));
    const windowed = text.replace("flows: 1 }", "arrivals: constant, flows: 1, duration: 30ms }");
    const [outcome] = await play(loadOf(windowed), 1);
    const uplinks = outcome!.links!.filter(({ from, to }) => from.startsWith("tor") && to.startsWith("leaf"));
    const [most] = uplinks.map(({ utilisation }) => utilisation).sort((a, b) => b - a);
    const seconds = (outcome!.window[1] - outcome!.window[0]) / 1e9;
    expect(seconds).toBeLessThan(0.03);
    expect(most).toBeCloseTo(251 / (20_000 * seconds), 5);
  });
});

describe("a UDP flow alone in the empty network", () => {
  it.each(["100Mbps", "2Gbps", "20Gbps"])("takes the time of the closed form at %s", async (rate) => {
    for (const [bytes, seed] of [
      [4, 1],
      [30_500, 2],
    ] as const) {
      const text = ONE(String(bytes), TOPOLOGIES[0]!).replace(
        "flows: 1 }",
        `flows: 1, protocol: { udp: ${rate} } }`,
      );
      const [outcome] = await play(loadOf(text), seed);
      const { small } = outcome!.flows;
      expect(small.unfinished).toBe(0);
      expect(QuantileSketch.fromJson(small.slowdown).quantile(1)).toBeCloseTo(1, 3);
    }
  });
});

describe("shortest paths", () => {
  it("are as long as the routes of the switches, on fabrics with links that are missing", () => {
    const { topology } = loadOf(
      ONE(
        "1",
        "topology: { kind: clos, pods: 3, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2, homing: single, missing_links: [[tor0-0, leaf0-1], [leaf1-0, spine0-0]] }",
      ),
    );
    const paths = new ShortestPaths(topology);
    const tables = new Map(computeRoutes(topology).map((table) => [table.node, table]));
    const matches = (address: bigint, prefix: { address: bigint; length: number }) =>
      address >> BigInt(32 - prefix.length) === prefix.address >> BigInt(32 - prefix.length);
    /** Links that a packet crosses as the routing tables send it, by the first port of each hop set. */
    const walk = (from: number, to: number): number => {
      const { ipv4 } = topology.nodes[to]!.host!;
      let [at, links] = [topology.nodes[from]!.ports[0]!.peer, 1];
      while (at !== to) {
        const { routes, hopSets } = tables.get(at)!;
        const best = routes
          .filter((route) => matches(ipv4, route.ipv4))
          .reduce((a, b) => (b.ipv4.length > a.ipv4.length ? b : a));
        const hops = hopSets[best.hops]!;
        const { ports } = topology.nodes[at]!;
        const port =
          hops.direction === "local" ? ports.find(({ peer }) => peer === to)! : ports[hops.ports[0]! - 1]!;
        at = port.peer;
        links++;
      }
      return links;
    };
    const hosts = hostsOf(topology);
    for (const { index: from } of hosts)
      for (const { index: to } of hosts) {
        if (from === to) continue;
        const found = paths.between(from, to);
        expect(found.length).toBe(1);
        expect(found[0]!.length).toBe(walk(from, to));
      }
  });

  it("go by either switch of a host with two links, where both ways are equally long", () => {
    const { topology } = loadOf(
      ONE(
        "1",
        `topology:
  kind: graph
  nodes: [{ name: h1, role: host }, { name: h2, role: host }, { name: t1, role: tor }, { name: t2, role: tor }]
  links:
    - { a: h1, b: t1, rate: 1Gbps }
    - { a: h1, b: t2, rate: 2Gbps }
    - { a: h2, b: t1, rate: 3Gbps }
    - { a: h2, b: t2, rate: 4Gbps }`,
      ),
    );
    const [from, to] = ["h1", "h2"].map((name) => nodeNamed(topology, name)!.index) as [number, number];
    const rates = new ShortestPaths(topology)
      .between(from, to)
      .map((path) => path.map(({ rateBps }) => rateBps / 1e9));
    expect(rates).toHaveLength(2);
    expect(rates).toEqual(
      expect.arrayContaining([
        [1, 3],
        [2, 4],
      ]),
    );
  });

  it("differ where rates differ, and the ideal time is that of the best", () => {
    const { topology } = loadOf(
      ONE(
        "1",
        `topology:
  kind: graph
  nodes: [{ name: h1, role: host }, { name: h2, role: host }, { name: t1, role: tor }, { name: t2, role: tor }, { name: fast, role: leaf }, { name: slow, role: leaf }]
  links:
    - { a: h1, b: t1 }
    - { a: h2, b: t2 }
    - { a: t1, b: fast, rate: 100Gbps }
    - { a: t2, b: fast, rate: 100Gbps }
    - { a: t1, b: slow, rate: 1Gbps }
    - { a: t2, b: slow, rate: 1Gbps }`,
      ),
    );
    const [from, to] = ["h1", "h2"].map((name) => nodeNamed(topology, name)!.index) as [number, number];
    const paths = new ShortestPaths(topology).between(from, to);
    expect(paths.map((path) => path.map(({ rateBps }) => rateBps / 1e9))).toEqual([
      [100, 100, 100, 100],
      [100, 1, 1, 100],
    ]);
  });
});
