/** Collective operations: every part reaches every host, each step waits for the one before, and the time is that of the closed form. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import { buildTopology, type Topology, topologySchema } from "../../../src/fabric/topology/index.js";
import {
  type FlowArrival,
  type OperationSpec,
  openWorkload,
  type PaceSpec,
  SizeDistribution,
} from "../../../src/fabric/traffic/index.js";

function topologyOf(hosts: number): Topology {
  return buildTopology(
    topologySchema.parse({
      ...{ kind: "leaf_spine", tors: 2, leaves: 2, hosts_per_rack: Math.ceil(hosts / 2), homing: "single" },
    }),
  );
}

const hostIndexes = (topology: Topology) =>
  topology.nodes.filter(({ role }) => role === "host").map(({ index }) => index);

interface Played {
  readonly flows: {
    readonly flow: FlowArrival;
    readonly from: number;
    readonly to: number;
    readonly end: number;
  }[];
  readonly end: number;
}

/** Plays a workload where a flow takes as long as `timeOf` says. */
function played(
  topology: Topology,
  pattern: OperationSpec,
  pace: PaceSpec,
  limits: { flows: number; bytes: number },
  timeOf: (flow: FlowArrival) => number,
): Played {
  const workload = openWorkload(
    {
      parts: [
        {
          ...{ pattern, pace, sizes: SizeDistribution.fixed(limits.bytes) },
          service: { protocol: "tcp", port: 1 },
        },
      ],
      ...{ loadOf: "host_links", segmentBytes: 1000, flows: limits.flows },
    },
    topology,
    new Random(1),
  );
  const open: { flow: FlowArrival; end: number }[] = [];
  const flows: Played["flows"] = [];
  const begin = (flow: FlowArrival) => open.push({ flow, end: flow.startNs + timeOf(flow) });
  for (let flow = workload.next(); flow !== undefined; flow = workload.next()) begin(flow);
  let end = 0;
  while (open.length > 0) {
    const at = open.reduce((best, { end: time }, i) => (time < open[best]!.end ? i : best), 0);
    const [one] = open.splice(at, 1);
    end = one!.end;
    flows.push({ flow: one!.flow, from: one!.flow.source, to: one!.flow.destination, end });
    for (const next of workload.completed!(one!.flow, end)) {
      expect(next.startNs).toBeGreaterThanOrEqual(end);
      begin(next);
    }
  }
  return { flows, end };
}

const ONCE: PaceSpec = { kind: "closed", outstanding: 1, thinkNs: 0 };

const anyRing = fc.record({
  hosts: fc.integer({ min: 2, max: 9 }),
  bytes: fc.integer({ min: 1, max: 100_000 }),
  seed: fc.nat(1e6),
});

describe("a ring all-reduce", () => {
  it("adds up all parts everywhere, in 2(N-1) steps of which each waits for the one before", () => {
    fc.assert(
      fc.property(anyRing, ({ hosts, bytes, seed }) => {
        const topology = topologyOf(hosts);
        const ring = hostIndexes(topology).slice(0, hosts);
        const random = new Random(seed);
        const count = 2 * hosts * (hosts - 1);
        const pattern: OperationSpec = { kind: "collective", operation: "all_reduce", hosts: ring };
        const { flows } = played(
          topology,
          pattern,
          ONCE,
          { flows: count, bytes },
          () => 1 + random.int(1000),
        );
        expect(flows).toHaveLength(count);
        // What a host has of each part: the hosts whose values are in its sum.
        const has = ring.map((_, i) => ring.map(() => new Set([i])));
        const steps = ring.map(() => 0);
        const sent: Set<number>[][] = ring.map(() => []);
        const byStart = [...flows].sort((a, b) => a.flow.id - b.flow.id);
        const arrivals = new Map(flows.map(({ flow, end }) => [flow.id, end]));
        // Flows of a host are numbered in the order of its steps; replay their contents in the order of events.
        const events = byStart
          .flatMap(({ flow }) => [
            { time: flow.startNs, isEnd: 0, flow },
            { time: arrivals.get(flow.id)!, isEnd: 1, flow },
          ])
          .sort((a, b) => a.time - b.time || b.isEnd - a.isEnd || a.flow.id - b.flow.id);
        const stepOf = new Map<number, number>();
        const got = ring.map(() => new Map<number, Set<number>>());
        const applied = ring.map(() => 0);
        for (const { isEnd, flow } of events) {
          const rank = ring.indexOf(flow.source);
          const to = ring.indexOf(flow.destination);
          expect(to).toBe((rank + 1) % hosts);
          if (isEnd === 0) {
            const step = steps[rank]!++;
            stepOf.set(flow.id, step);
            // All earlier steps have arrived here.
            expect(applied[rank]).toBeGreaterThanOrEqual(step);
            sent[rank]!.push(new Set(has[rank]![(rank - step + 2 * hosts) % hosts]!));
          } else {
            const step = stepOf.get(flow.id)!;
            got[to]!.set(step, sent[rank]![step]!);
            for (
              let next = got[to]!.get(applied[to]!);
              next !== undefined;
              next = got[to]!.get(applied[to]!)
            ) {
              const part = (rank - applied[to]! + 2 * hosts) % hosts;
              has[to]![part] = new Set([...has[to]![part]!, ...next]);
              applied[to]!++;
            }
          }
        }
        for (const parts of has) for (const part of parts) expect(part.size).toBe(hosts);
        // Each host sends 2(N-1)/N of its data, to a byte a step.
        for (const host of ring) {
          const sum = flows
            .filter(({ from }) => from === host)
            .reduce((all, { flow }) => all + flow.bytes, 0);
          expect(Math.abs(sum - (2 * (hosts - 1) * bytes) / hosts)).toBeLessThanOrEqual(2 * hosts);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("an all-to-all in rounds", () => {
  it("sends from every host to every other one, once", () => {
    fc.assert(
      fc.property(anyRing, ({ hosts, bytes, seed }) => {
        const topology = topologyOf(hosts);
        const ring = hostIndexes(topology).slice(0, hosts);
        const random = new Random(seed);
        const count = hosts * (hosts - 1);
        const pattern: OperationSpec = { kind: "collective", operation: "all_to_all", hosts: ring };
        const { flows } = played(
          topology,
          pattern,
          ONCE,
          { flows: count, bytes },
          () => 1 + random.int(1000),
        );
        const pairs = new Set(flows.map(({ from, to }) => `${from} ${to}`));
        expect([flows.length, pairs.size]).toEqual([count, count]);
        for (const host of ring)
          for (const end of ["from", "to"] as const)
            expect(flows.filter((one) => one[end] === host)).toHaveLength(hosts - 1);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the time of an operation", () => {
  it.each(["all_reduce", "all_to_all"] as const)(
    "is that of its steps where flows are alike, and its ideal time otherwise: %s",
    (operation) => {
      fc.assert(
        fc.property(anyRing, fc.boolean(), ({ hosts, bytes, seed }, isEqual) => {
          const topology = topologyOf(hosts);
          const ring = hostIndexes(topology).slice(0, hosts);
          const steps = operation === "all_reduce" ? 2 * (hosts - 1) : hosts - 1;
          // A time of each pair of hosts.
          const timeOf = ({ source, destination }: FlowArrival) =>
            isEqual ? 777 : 1 + new Random(`${seed} ${source} ${destination}`).int(1000);
          const pattern: OperationSpec = { kind: "collective", operation, hosts: ring };
          const { end, flows } = played(topology, pattern, ONCE, { flows: steps * hosts, bytes }, timeOf);
          expect(flows[0]!.flow.group!.idealNs!(timeOf)).toBe(end);
          if (isEqual) expect(end).toBe(steps * 777);
        }),
        { numRuns: 60 },
      );
    },
  );

  it("adds up where one operation follows the other, and only whole ones begin", () => {
    const topology = topologyOf(4);
    const pattern: OperationSpec = { kind: "collective", operation: "all_reduce", hosts: undefined };
    const { flows, end } = played(topology, pattern, ONCE, { flows: 24 * 3 + 23, bytes: 4000 }, () => 10);
    expect(flows).toHaveLength(72);
    expect(end).toBe(3 * 60);
    expect(new Set(flows.map(({ flow }) => flow.group!.id)).size).toBe(3);
    const open = played(
      topology,
      { ...pattern, hosts: 3 },
      { kind: "interval", intervalNs: 1000, arrivals: "constant" },
      { flows: 24, bytes: 4000 },
      () => 10,
    );
    expect(open.flows).toHaveLength(24);
    expect(open.end).toBe(2040);
    expect(new Set(open.flows.map(({ from }) => from)).size).toBe(3);
  });
});
