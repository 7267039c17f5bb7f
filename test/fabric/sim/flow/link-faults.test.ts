/** Links and switches that fail during a run of the flow simulator: which flows stall, which take another path, and when. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { FLOW_SIM_SCHEMES } from "../../../../src/fabric/schemes/index.js";
import {
  Aimd,
  type FlowFigures,
  FlowNetwork,
  type FlowStart,
  type LinkChange,
  MaxMin,
  simulateFlows,
} from "../../../../src/fabric/sim/flow/index.js";
import {
  buildTopology,
  hostsOf,
  nodeNamed,
  type Topology,
  topologySchema,
} from "../../../../src/fabric/topology/index.js";

const MS = 1e6;
const PAIRS = 20;

/** s - a - d and s - b - d with 10 Gbps, and 20 pairs of hosts with 1 Gbps each. */
const topology = buildTopology(
  topologySchema.parse({
    kind: "graph",
    nodes: [
      ...["s", "a", "b", "d"].map((name) => ({ name, role: "switch" })),
      ...Array.from({ length: PAIRS }, (_, i) => [
        { name: `h${i}`, role: "host" },
        { name: `g${i}`, role: "host" },
      ]).flat(),
    ],
    links: [
      ...[
        ["s", "a"],
        ["a", "d"],
        ["s", "b"],
        ["b", "d"],
      ].map(([a, b]) => ({ a, b, rate: "10Gbps" })),
      ...Array.from({ length: PAIRS }, (_, i) => [
        { a: `h${i}`, b: "s", rate: "1Gbps" },
        { a: `g${i}`, b: "d", rate: "1Gbps" },
      ]).flat(),
    ],
  }),
);

const linkOf = (of: Topology, x: string, y: string) =>
  of.links.findIndex(({ a, b }) => {
    const names = [a, b].map(({ node }) => of.nodes[node]!.name);
    return names.includes(x) && names.includes(y);
  });

/** A link is without its carrier from one time to another. */
function down(x: string, y: string, fromMs: number, toMs: number, signalled = true): LinkChange[] {
  const link = linkOf(topology, x, y);
  const links = [2 * link, 2 * link + 1];
  return [
    { atNs: fromMs * MS, fails: true, links, signalled },
    { atNs: toMs * MS, fails: false, links, signalled },
  ];
}

interface Options {
  readonly parameters?: object;
  readonly recomputeNs?: number;
  readonly keepPaths?: boolean;
  readonly buckets?: number;
  readonly bytes?: number;
  readonly ms?: number;
  readonly aimd?: boolean;
}

function run(scheme: string, changes: readonly LinkChange[], options: Options = {}): FlowFigures {
  const network = new FlowNetwork(topology);
  const capacity = network.capacity.slice();
  const fluid = FLOW_SIM_SCHEMES[scheme]!;
  const hosts = new Map(hostsOf(topology).map(({ name, index }) => [name, index]));
  const steps = simulateFlows({
    network,
    makeRouter: fluid.router(network, fluid.parameters.parse(options.parameters ?? {}), 3),
    allocator: options.aimd
      ? new Aimd(capacity, { roundTripNs: MS, segmentBytes: 1500, seed: 1 })
      : new MaxMin(capacity),
    flows: (function* (): Generator<FlowStart> {
      for (let i = 0; i < PAIRS; i++)
        yield {
          startNs: 0,
          source: hosts.get(`h${i}`)!,
          destination: hosts.get(`g${i}`)!,
          bytes: options.bytes ?? Number.POSITIVE_INFINITY,
        };
    })(),
    durationNs: (options.ms ?? 300) * MS,
    warmUpNs: 0,
    epochNs: 10 * MS,
    stepNs: 10 * MS,
    subflows: 1,
    random: new Random(2),
    ...(options.buckets === undefined ? {} : { buckets: options.buckets }),
    ...(options.keepPaths === undefined ? {} : { keepPaths: options.keepPaths }),
    faults: { changes, capacity, recomputeNs: options.recomputeNs },
  });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Gbps in the epoch that begins then. */
const at = ({ epochs }: FlowFigures, ms: number) => (8 * epochs[ms / 10]!) / (10 * MS);

describe("a link that is down next to the switch that chooses", () => {
  const changes = down("s", "a", 100, 200);

  it.each([
    ["ecmp", {}],
    ["dahu", { deroutes: 0 }],
  ])("takes no flow under %s: the switch uses its other ports at once", (scheme, parameters) => {
    const figures = run(scheme, changes, { parameters });
    expect(at(figures, 90)).toBeGreaterThan(15);
    expect(at(figures, 100)).toBeCloseTo(10, 6);
    expect(at(figures, 190)).toBeCloseTo(10, 6);
    expect(at(figures, 290)).toBeGreaterThan(scheme === "ecmp" ? 15 : 9);
    expect(figures.stalled).toBe(0);
  });

  it("leaves the paths after the fault as they were before it under ECMP", () => {
    const figures = run("ecmp", changes);
    expect(at(figures, 290)).toBeCloseTo(at(figures, 90), 9);
    expect(run("ecmp", []).epochs.at(-1)).toBeCloseTo(figures.epochs.at(-1)!, 3);
  });

  it("stalls flows that keep their paths no longer than the switch takes to notice", () => {
    const figures = run("ecmp", changes, { keepPaths: true });
    expect(at(figures, 100)).toBeCloseTo(10, 6);
    // They do not go back.
    expect(at(figures, 290)).toBeCloseTo(10, 6);
  });

  it("takes no flow by AIMD, either", () => {
    const figures = run("ecmp", changes, { aimd: true });
    expect(at(figures, 150)).toBeGreaterThan(5);
    expect(at(figures, 150)).toBeLessThanOrEqual(10 + 1e-9);
  });
});

describe("a link that is down farther away", () => {
  const changes = down("a", "d", 100, 200);

  it("stalls its flows under ECMP until it is up", () => {
    const figures = run("ecmp", changes);
    const half = at(figures, 110);
    expect(half).toBeLessThan(10 + 1e-9);
    expect(half).toBeGreaterThan(3);
    expect(at(figures, 190)).toBeCloseTo(half, 9);
    expect(at(figures, 200)).toBeCloseTo(at(figures, 90), 9);
    expect(run("ecmp", changes, { ms: 150 }).stalled).toBeGreaterThan(3);
  });

  it("stalls them until routes are computed again", () => {
    const figures = run("ecmp", changes, { recomputeNs: 30 * MS });
    const stalled = run("ecmp", changes, { recomputeNs: 30 * MS, ms: 130 });
    expect(stalled.stalled).toBeGreaterThan(3);
    expect(at(figures, 130)).toBeCloseTo(10, 6);
    expect(at(figures, 220)).toBeCloseTo(10, 6);
    expect(at(figures, 240)).toBeCloseTo(at(figures, 90), 9);
  });

  it("stalls them for Dahu's propagation", () => {
    const figures = run("dahu", changes, { parameters: { deroutes: 0, propagation: "20ms" } });
    expect(at(figures, 110)).toBeLessThan(10 + 1e-9);
    const late = run("dahu", changes, { parameters: { deroutes: 0, propagation: "20ms" }, ms: 120 });
    expect(late.stalled).toBeGreaterThan(3);
    expect(at(figures, 120)).toBeCloseTo(10, 6);
    expect(run("dahu", changes, { parameters: { deroutes: 0, propagation: "20ms" }, ms: 150 }).stalled).toBe(
      0,
    );
  });
});

describe("links that fail without a signal, and all links", () => {
  it("a silent link stalls its flows until it is repaired", () => {
    const figures = run("dahu", down("s", "a", 100, 200, false), {
      parameters: { deroutes: 0, balance: "none" },
    });
    expect(at(figures, 150)).toBeLessThan(10 + 1e-9);
    expect(at(figures, 250)).toBeCloseTo(at(figures, 90), 9);
    const early = run("ecmp", down("s", "a", 100, 200, false), { ms: 150 });
    expect(early.stalled).toBeGreaterThan(3);
  });

  it.each([
    ["ecmp", {}],
    ["dahu", { deroutes: 1 }],
  ])("flows without any path stall under %s, and end after the fault", (scheme, parameters) => {
    const both = [...down("s", "a", 100, 200), ...down("s", "b", 100, 200)].sort((x, y) => x.atNs - y.atNs);
    for (const options of [{}, { buckets: 8 }, { buckets: 8, keepPaths: true }]) {
      const bytes = 1.5e7;
      const figures = run(scheme, both, { parameters, bytes, ms: 600, recomputeNs: 10 * MS, ...options });
      expect(at(figures, 150)).toBe(0);
      expect(figures.open).toBe(0);
      expect(figures.deliveredBytes).toBeCloseTo(PAIRS * bytes, 0);
      expect(run(scheme, both, { parameters, ms: 150, ...options }).stalled).toBe(PAIRS);
    }
  });

  it("a killed switch stalls its flows, and has the map of its plan when it runs again", () => {
    const node = nodeNamed(topology, "a")!;
    const links = node.ports.flatMap(({ link }) => [2 * link, 2 * link + 1]);
    const changes: LinkChange[] = [
      { atNs: 100 * MS, fails: true, links, signalled: false },
      { atNs: 200 * MS, fails: false, links, signalled: false, restarted: node.index },
    ];
    for (const scheme of ["ecmp", "dahu"]) {
      const figures = run(scheme, changes, { parameters: scheme === "ecmp" ? {} : { balance: "none" } });
      expect(at(figures, 150)).toBeLessThan(10 + 1e-9);
      expect(at(figures, 290)).toBeCloseTo(at(figures, 90), 9);
    }
  });
});

it("no run loses or makes bytes, and every flow ends after the faults", () => {
  const pairs: [string, string][] = [
    ["s", "a"],
    ["a", "d"],
    ["s", "b"],
    ["b", "d"],
  ];
  const fault = fc.record({
    link: fc.constantFrom(...pairs),
    from: fc.nat(20),
    length: fc.integer({ min: 1, max: 20 }),
    signalled: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(fault, { maxLength: 5 }),
      fc.constantFrom<[string, object]>(
        ["ecmp", {}],
        ["dahu", { deroutes: 0 }],
        ["dahu", { deroutes: 2, threshold: 0 }],
        ["dahu", { deroutes: 1, counters: "virtual_ports", feedback: true, off_epochs: 3 }],
      ),
      fc.constantFrom<Options>({}, { buckets: 8 }, { buckets: 8, keepPaths: true }, { recomputeNs: 15 * MS }),
      (faults, [scheme, parameters], options) => {
        const changes = faults
          .flatMap(({ link: [x, y], from, length, signalled }) =>
            down(x, y, 10 * from, 10 * (from + length), signalled),
          )
          .sort((x, y) => x.atNs - y.atNs);
        const figures = run(scheme, changes, { ...options, parameters, bytes: 2e7, ms: 1200 });
        expect(figures.open).toBe(0);
        expect(figures.stalled).toBe(0);
        expect(figures.deliveredBytes / (PAIRS * 2e7)).toBeCloseTo(1, 9);
        for (const share of figures.utilisation) expect(share).toBeLessThanOrEqual(1 + 1e-9);
      },
    ),
    { numRuns: 60, seed: 9 },
  );
});
