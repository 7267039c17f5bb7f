/** Workloads as streams of flows: order, ids, ends, loads, random streams that do not disturb each other. */
import { describe, expect, it } from "vitest";
import { hostsOf } from "../../../src/fabric/topology/index.js";
import { type FlowArrival, SizeDistribution } from "../../../src/fabric/traffic/index.js";
import { drawn, leafSpine, open, part, play } from "./flows.js";

const topology = leafSpine(4, 4);

function offered(flows: readonly FlowArrival[]): number {
  const bits = flows.reduce((sum, { bytes }) => sum + 8 * bytes, 0);
  return (bits * 1e9) / flows.at(-1)!.startNs;
}

describe("drawn flows", () => {
  it("come in the order of their starts, with ids from 0, up to the number of flows", () => {
    const flows = drawn(open(topology, [part()], { flows: 500 }));
    expect(flows.map(({ id }) => id)).toEqual([...Array(500).keys()]);
    for (const [i, flow] of flows.entries()) {
      expect(Number.isSafeInteger(flow.startNs)).toBe(true);
      if (i > 0) expect(flow.startNs).toBeGreaterThanOrEqual(flows[i - 1]!.startNs);
      expect(flow.source).not.toBe(flow.destination);
      expect(flow).toMatchObject({ bytes: 10_000, protocol: "tcp", port: 5201 });
      expect(flow.rateBps).toBeUndefined();
    }
  });

  it("start before the duration, and no flow follows the last one", () => {
    const workload = open(topology, [part()], { flows: undefined, durationNs: 50_000 });
    const flows = drawn(workload);
    // 16 hosts at 5 Gbit/s: a flow of 80,000 bits each microsecond.
    expect(flows.length).toBeGreaterThan(25);
    expect(flows.length).toBeLessThan(85);
    expect(flows.every(({ startNs }) => startNs < 50_000)).toBe(true);
    expect(workload.next()).toBeUndefined();
    expect(workload.next()).toBeUndefined();
  });

  it("say nothing of completions", () => {
    expect(open(topology, [part()]).completed).toBeUndefined();
  });

  it("are UDP at a rate where the part says so", () => {
    const service = { protocol: "udp", rateBps: 5e8, port: 7 } as const;
    const [flow] = drawn(open(topology, [part({ service })], { flows: 1 }));
    expect(flow).toMatchObject({ protocol: "udp", rateBps: 5e8, port: 7 });
  });

  it("are the same for a seed, and others for another", () => {
    const starts = (seed: number) => drawn(open(topology, [part()], {}, seed)).map(({ startNs }) => startNs);
    expect(starts(3)).toEqual(starts(3));
    expect(starts(3)).not.toEqual(starts(4));
  });
});

describe("random streams", () => {
  const pairs = (flows: readonly FlowArrival[]) => flows.map((flow) => [flow.source, flow.destination]);
  const starts = (flows: readonly FlowArrival[]) => flows.map(({ startNs }) => startNs);
  const bytes = (flows: readonly FlowArrival[]) => flows.map((flow) => flow.bytes);
  const uniform = SizeDistribution.uniform(1, 19_999);
  const base = drawn(open(topology, [part()]));

  it("of sizes leave pairs and arrivals as they are", () => {
    // The mean is the same, so the load gives the same gaps.
    const other = drawn(open(topology, [part({ sizes: uniform })]));
    expect(pairs(other)).toEqual(pairs(base));
    expect(starts(other)).toEqual(starts(base));
    expect(new Set(bytes(other)).size).toBeGreaterThan(900);
  });

  it("of pairs leave sizes and arrivals as they are", () => {
    const sizes = uniform;
    const [one, other] = [
      drawn(open(topology, [part({ sizes })])),
      drawn(open(topology, [part({ sizes, pattern: { kind: "inter_rack" } })])),
    ];
    expect(bytes(other)).toEqual(bytes(one));
    expect(starts(other)).toEqual(starts(one));
    expect(pairs(other)).not.toEqual(pairs(one));
  });

  it("of arrivals leave sizes and pairs as they are, and a load scales the starts only", () => {
    const sizes = uniform;
    const half = drawn(open(topology, [part({ sizes })]));
    const quarter = drawn(
      open(topology, [part({ sizes, pace: { kind: "load", load: 0.25, arrivals: "poisson" } })]),
    );
    const bursty = { kind: "load", load: 0.5, arrivals: { lognormal: { sigma: 2 } } } as const;
    for (const other of [quarter, drawn(open(topology, [part({ sizes, pace: bursty })]))]) {
      expect(bytes(other)).toEqual(bytes(half));
      expect(pairs(other)).toEqual(pairs(half));
    }
    for (const [i, flow] of quarter.entries())
      expect(Math.abs(flow.startNs - 2 * half[i]!.startNs)).toBeLessThan(2);
  });

  it("of one part leave the other parts as they are", () => {
    const first = part({ pace: { kind: "load", load: 0.3, arrivals: "poisson" } });
    const second = (port: number, load: number) =>
      part({ service: { protocol: "tcp", port }, pace: { kind: "load", load, arrivals: "poisson" } });
    const limits = { flows: undefined, durationNs: 1e6 };
    const flowsOfFirst = (load: number) =>
      drawn(open(topology, [first, second(80, load)], limits))
        .filter(({ port }) => port === 5201)
        .map(({ startNs, source, destination }) => [startNs, source, destination]);
    expect(flowsOfFirst(0.1)).toEqual(flowsOfFirst(0.6));
    expect(flowsOfFirst(0.1).length).toBeGreaterThan(400);
  });
});

describe("load", () => {
  it.each(["poisson", "constant", { lognormal: { sigma: 1 } }] as const)(
    "of %j arrivals is the share of the hosts' links",
    (arrivals) => {
      const workload = open(topology, [part({ pace: { kind: "load", load: 0.4, arrivals } })], {
        flows: 100_000,
      });
      expect(workload.offeredBps).toBeCloseTo(0.4 * 16 * 10e9, 0);
      expect(offered(drawn(workload)) / (0.4 * 16 * 10e9)).toBeCloseTo(1, 1);
    },
  );

  it("of equal gaps is exact", () => {
    const pace = { kind: "load", load: 0.5, arrivals: "constant" } as const;
    const flows = drawn(open(topology, [part({ pace })], { flows: 10 }));
    // 80,000 bits at 80 Gbit/s.
    expect(flows.map(({ startNs }) => startNs)).toEqual([
      1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000,
    ]);
  });

  it("counts all NICs of a host", () => {
    const dual = leafSpine(4, 4, { homing: "dual" });
    expect(open(dual, [part()]).offeredBps).toBe(0.5 * hostsOf(dual).length * 20e9);
  });

  it("of the core is that of the links above the racks, by what goes between racks", () => {
    // Four racks with four uplinks of 10 Gbit/s. Of 15 partners 12 are in another rack.
    const workload = open(topology, [part()], { loadOf: "core" });
    expect(workload.offeredBps! * (12 / 15)).toBeCloseTo(0.5 * 16 * 10e9, 0);
    const between = open(topology, [part({ pattern: { kind: "inter_rack" } })], { loadOf: "core" });
    expect(between.offeredBps).toBeCloseTo(0.5 * 16 * 10e9, 0);
    const oversubscribed = leafSpine(4, 8);
    const halved = open(oversubscribed, [part({ pattern: { kind: "inter_rack" } })], { loadOf: "core" });
    expect(halved.offeredBps).toBeCloseTo(0.5 * 4 * 40e9, 0);
  });

  it("of an incast is that of the receivers' links", () => {
    const pattern = {
      kind: "requests",
      clients: 2,
      servers: undefined,
      degree: 8,
      questionBytes: 0,
    } as const;
    const workload = open(topology, [part({ pattern })], { flows: 80_000 });
    expect(workload.offeredBps).toBeCloseTo(0.5 * 2 * 10e9, 0);
    expect(offered(drawn(workload)) / workload.offeredBps!).toBeCloseTo(1, 1);
  });

  it("adds up over parts, and is unknown with a closed loop", () => {
    const interval = part({ pace: { kind: "interval", intervalNs: 8000, arrivals: "poisson" } });
    expect(open(topology, [part(), interval]).offeredBps).toBeCloseTo(80e9 + 10e9, 0);
    const pattern = {
      kind: "requests",
      clients: 1,
      servers: undefined,
      degree: 1,
      questionBytes: 0,
    } as const;
    const closed = part({ pattern, pace: { kind: "closed", outstanding: 1, thinkNs: 0 } });
    expect(open(topology, [part(), closed]).offeredBps).toBeUndefined();
  });
});

describe("requests", () => {
  const hosts = hostsOf(topology).map(({ index }) => index);
  const pattern = (given: object = {}) =>
    ({
      kind: "requests",
      clients: undefined,
      servers: undefined,
      degree: 5,
      questionBytes: 0,
      ...given,
    }) as const;

  it("without questions are answers that start together, at one client, from different servers", () => {
    const flows = drawn(open(topology, [part({ pattern: pattern() })], { flows: 502 }));
    expect(flows.length).toBe(500);
    for (let i = 0; i < 500; i += 5) {
      const group = flows.slice(i, i + 5);
      expect(new Set(group.map(({ source }) => source)).size).toBe(5);
      expect(new Set(group.map(({ destination }) => destination)).size).toBe(1);
      expect(new Set(group.map((flow) => flow.group)).size).toBe(1);
      expect(group[0]!.group).toMatchObject({ startNs: group[0]!.startNs, flows: 5 });
      expect(group.map(({ startNs }) => startNs)).toEqual(Array(5).fill(group[0]!.startNs));
    }
    expect(new Set(flows.map(({ group }) => group!.id)).size).toBe(100);
  });

  it("draw all sets of servers, equally likely, never the client", () => {
    const counts = new Map<string, number>();
    const flows = drawn(
      open(
        topology,
        [part({ pattern: pattern({ clients: [hosts[1]!], servers: hosts.slice(0, 4), degree: 2 }) })],
        {
          flows: 6000,
        },
      ),
    );
    for (let i = 0; i < flows.length; i += 2) {
      const key = [flows[i]!.source, flows[i + 1]!.source].sort((a, b) => a - b).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(
      [
        [hosts[0], hosts[2]],
        [hosts[0], hosts[3]],
        [hosts[2], hosts[3]],
      ]
        .map((pair) => pair.join())
        .sort(),
    );
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(100);
  });

  it("with questions get an answer when a question is complete, of a size that does not depend on when", () => {
    const spec = [
      part({ pattern: pattern({ questionBytes: 200 }), sizes: SizeDistribution.uniform(1, 1e6) }),
    ];
    const answers = (takesNs: (flow: FlowArrival) => number) => {
      const flows = play(open(topology, spec, { flows: 100 }), takesNs);
      expect(flows.length).toBe(100);
      expect([...flows.map(({ id }) => id)].sort((a, b) => a - b)).toEqual([...Array(100).keys()]);
      const questions = flows.filter(({ bytes }) => bytes === 200);
      expect(questions.length).toBe(50);
      const found = flows.filter(({ bytes }) => bytes !== 200);
      for (const answer of found) {
        const question = questions.find(
          ({ group, destination }) => group === answer.group && destination === answer.source,
        )!;
        expect(answer.startNs).toBe(question.startNs + takesNs(question));
        expect(answer.destination).toBe(question.source);
        expect(answer.group!.flows).toBe(10);
      }
      return found.map(({ group, source, bytes }) => `${group!.id} ${source} ${bytes}`).sort();
    };
    expect(answers(() => 1000)).toEqual(answers(({ id }) => 1 + ((id * 7919) % 5000)));
  });

  it("in a closed loop follow each other after a time of thinking, the same in every network", () => {
    const closed = part({
      pattern: pattern({ clients: hosts.slice(0, 3), degree: 2 }),
      sizes: SizeDistribution.uniform(1, 1e6),
      pace: { kind: "closed", outstanding: 2, thinkNs: 5000 },
    });
    const play3 = (takesNs: (flow: FlowArrival) => number) =>
      play(open(topology, [closed], { flows: undefined, durationNs: 200_000 }), takesNs);
    const flows = play3(() => 10_000);
    const perClient = (list: readonly FlowArrival[], client: number) =>
      [...new Set(list.filter(({ destination }) => destination === client).map(({ group }) => group!))].sort(
        (a, b) => a.startNs - b.startNs,
      );
    for (const client of hosts.slice(0, 3)) {
      const requests = perClient(flows, client);
      // Two at a time, each 10 us and 5 us of thinking on average.
      expect(requests.length).toBeGreaterThan(16);
      expect(requests.length).toBeLessThan(38);
      for (const [i, request] of requests.entries())
        if (i >= 2) expect(request.startNs).toBeGreaterThanOrEqual(requests[i - 2]!.startNs);
    }
    // The first request of each place for a request is the same in a slower network, and its gap to the next one too.
    const slow = play3(() => 60_000);
    const first = (list: readonly FlowArrival[]) =>
      list
        .slice(0, 12)
        .map(({ startNs, source, destination, bytes }) => [startNs, source, destination, bytes]);
    const ofAll = (list: readonly FlowArrival[]) =>
      list.filter(({ group }) => group!.id < 6).map(({ startNs, source, bytes }) => [startNs, source, bytes]);
    expect(first(ofAll(slow) as never)).toEqual(first(ofAll(flows) as never));
    expect(slow.length).toBeLessThan(flows.length);
  });

  it("of a closed loop do not start at or after the end, and whole groups only", () => {
    const closed = part({
      pattern: pattern({ degree: 3 }),
      pace: { kind: "closed", outstanding: 1, thinkNs: 0 },
    });
    const flows = play(open(topology, [closed], { flows: 100 }), () => 1000);
    expect(flows.length).toBe(99);
    expect(flows.slice(0, 48).every(({ startNs }) => startNs === 0)).toBe(true);
    const timed = play(open(topology, [closed], { flows: undefined, durationNs: 3000 }), () => 1000);
    expect(new Set(timed.map(({ startNs }) => startNs))).toEqual(new Set([0, 1000, 2000]));
    expect(timed.length).toBe(3 * 48);
  });
});

describe("a mix", () => {
  it("ends in front of a group that does not fit", () => {
    const pattern = {
      kind: "requests",
      clients: undefined,
      servers: undefined,
      degree: 15,
      questionBytes: 0,
    } as const;
    const flows = drawn(
      open(topology, [part(), part({ pattern, service: { protocol: "tcp", port: 80 } })], { flows: 40 }),
    );
    expect(flows.filter(({ port }) => port === 80).length % 15).toBe(0);
    expect(flows.length).toBeLessThanOrEqual(40);
  });
});
