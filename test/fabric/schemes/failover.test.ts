/**
 * Hosts and switches of a scheme together, without time: a silent failure somewhere on a flow's two ways,
 * retransmissions as the host policy asks for them, until an acknowledgement comes through.
 */

import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import type { FlowKey } from "../../../src/base/packets/index.js";
import { CLIENT, type PathChooser, SERVER } from "../../../src/fabric/hosts/index.js";
import type { FabricPlan } from "../../../src/fabric/schemes/index.js";
import { compileFabric } from "../../../src/fabric/schemes/pecmp/fabric.js";
import { pecmp } from "../../../src/fabric/schemes/pecmp/index.js";
import type { SelectorLayout } from "../../../src/fabric/schemes/pecmp/layout.js";
import { pecmpParameters } from "../../../src/fabric/schemes/pecmp/parameters.js";
import { prr } from "../../../src/fabric/schemes/prr/index.js";
import type { Role, Topology } from "../../../src/fabric/topology/index.js";
import { build, example } from "../topology/load.js";
import { flowBetween, ModelFabric, reverse, type Walk } from "./model-fabric.js";

type Place = Exclude<Role, "host" | "switch"> | "link";

interface End {
  readonly chooser: PathChooser;
  echo: number;
}

/** The two ends of one flow, and the selector that each saw last. */
class Flow {
  readonly back: FlowKey;
  readonly #sender: End;
  readonly #receiver: End;
  /** By selector: a fabric does not change. */
  readonly #forth = new Map<number, Walk>();
  readonly #back = new Map<number, Walk>();

  constructor(
    readonly fabric: ModelFabric,
    readonly forth: FlowKey,
    random: Random,
  ) {
    this.back = reverse(forth);
    const hosts = fabric.policy;
    this.#sender = { chooser: hosts.open(forth, random.fork("sender"), CLIENT), echo: 0 };
    this.#receiver = { chooser: hosts.open(this.back, random.fork("receiver"), SERVER), echo: 0 };
  }

  get selector(): number {
    return this.#sender.chooser.selector;
  }

  /** The ways of data and acknowledgements. */
  get ways(): readonly [Walk, Walk] {
    return [this.#walk(this.forth, this.selector), this.#walk(this.back, this.#receiver.chooser.selector)];
  }

  #walk(key: FlowKey, selector: number): Walk {
    const known = key === this.forth ? this.#forth : this.#back;
    let walk = known.get(selector);
    if (walk === undefined) {
      walk = this.fabric.walk(key, selector);
      known.set(selector, walk);
    }
    return walk;
  }

  /**
   * Sends one segment on each of `selectors`; `fresh` until it has arrived once. Tells whether it arrived, and
   * how many acknowledgements came back.
   */
  exchange(selectors: readonly number[], fresh: boolean, broken: (walk: Walk) => boolean) {
    const sender = this.#sender;
    const receiver = this.#receiver;
    let arrived = false;
    let acks = 0;
    const echo = sender.echo;
    for (const selector of selectors) {
      if (broken(this.#walk(this.forth, selector))) continue;
      const duplicate = !fresh || arrived;
      arrived = true;
      const answers = receiver.chooser.onData({ selector, echo }, duplicate);
      receiver.echo = selector;
      for (const answer of answers) {
        if (broken(this.#walk(this.back, answer))) continue;
        if (acks++ === 0) sender.chooser.onAck({ selector: answer, echo: receiver.echo });
        sender.echo = answer;
      }
    }
    return { arrived, acks };
  }

  timeout(attempt: number): readonly number[] {
    return this.#sender.chooser.onTimeout(attempt);
  }
}

interface Outcome {
  /** Timeouts until an acknowledgement came back. */
  readonly attempts: number;
  /** Segments of the following data that got no acknowledgement. */
  readonly lostAfter: number;
  /** Acknowledgements of the last of them. */
  readonly lastAcks: number;
}

const LIMIT = 60;

/** Indexes of the elements of a place that some flow of these hosts passes. */
function passed(fabric: ModelFabric, place: Place, hosts: [string, string]): number[] {
  const random = new Random("passed");
  const seen = new Set<number>();
  for (let i = 0; i < 200; i++) {
    const flow = flowBetween(fabric.topology, ...hosts, random);
    const walk = fabric.walk(i % 2 === 0 ? flow : reverse(flow), random.int(64));
    for (const index of place === "link" ? walk.links : walk.nodes)
      if (place === "link" || fabric.topology.nodes[index]!.role === place) seen.add(index);
  }
  return [...seen].sort((a, b) => a - b);
}

function failOver(
  fabric: ModelFabric,
  place: Place,
  elements: readonly number[],
  random: Random,
  hosts: [string, string],
): Outcome {
  const { topology } = fabric;
  // Whatever fails does so regardless of the flow: flows are drawn until one is hit.
  const failed = random.pick(elements);
  for (let i = 0; ; i++) {
    const flow = new Flow(fabric, flowBetween(topology, ...hosts, random), random.fork(`flow ${i}`));
    const outcome = followFlow(flow, place, failed, random);
    if (outcome !== undefined) return outcome;
  }
}

/** Undefined if the failure does not touch the flow. */
function followFlow(flow: Flow, place: Place, failed: number, random: Random): Outcome | undefined {
  // The flow is open: both ends have seen a selector of the other.
  flow.exchange([flow.selector], true, () => false);
  const ways = flow.ways;
  const broken = (walk: Walk) => (place === "link" ? walk.links : walk.nodes).includes(failed);
  if (!ways.some(broken)) return undefined;
  // Data that passed the failed element before it failed may have arrived, with its acknowledgement lost.
  let fresh = broken(ways[0]) ? random.int(2) === 0 || !broken(ways[1]) : false;
  let attempts = 0;
  for (let acks = 0; acks === 0 && attempts < LIMIT; ) {
    const { arrived, acks: got } = flow.exchange(flow.timeout(++attempts), fresh, broken);
    if (arrived) fresh = false;
    acks = got;
  }
  let lostAfter = 0;
  let lastAcks = 0;
  for (let i = 0; i < 3; i++) {
    lastAcks = flow.exchange([flow.selector], true, broken).acks;
    if (lastAcks === 0) lostAfter++;
  }
  return { attempts, lostAfter, lastAcks };
}

function pecmpFabric(topology: Topology, input: object, hashScope: "tier" | "switch" = "tier"): ModelFabric {
  const parameters = pecmpParameters.parse(input);
  const { layout } = compileFabric(topology, parameters, () => undefined);
  return new ModelFabric(topology, pecmp.plan(topology, parameters), layout, hashScope);
}

function run(fabric: ModelFabric, place: Place, runs: number, hosts: [string, string]): Outcome[] {
  const random = new Random(`${place} ${runs}`);
  const elements = passed(fabric, place, hosts);
  return Array.from({ length: runs }, (_, i) => failOver(fabric, place, elements, random.fork(i), hosts));
}

const FAR: [string, string] = ["host0-0-0", "host1-1-0"];
const NEAR: [string, string] = ["host0-0-0", "host0-1-0"];

const planes = example("clos");
const mesh = build({
  ...{ kind: "clos", pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 4, hosts_per_rack: 1 },
  wiring: "mesh",
});
const uneven = build({
  ...{ kind: "clos", pods: 2, tors_per_pod: 4, leaves_per_pod: 5, spines_per_plane: 3, hosts_per_rack: 1 },
  missing_links: [["leaf1-3", "spine3-2"]],
});

describe("P-ECMP that probes", () => {
  const fabrics: [string, Topology, object][] = [
    ["planes", planes, {}],
    ["mesh", mesh, {}],
    ["mesh with version bits", mesh, { version_bit: "overall" }],
    ["mesh, both controls", mesh, { control: "both", field: "flow_label" }],
    ["missing links and odd groups", uneven, { field: "flow_label" }],
  ];
  const places: Place[] = ["tor", "leaf", "spine", "link"];
  const cases = fabrics.flatMap(([name, topology, input]) =>
    places.map((place) => [name, place, topology, input] as const),
  );
  it.each(cases)("survives on the first try: %s, %s", (_name, place, topology, input) => {
    const outcomes = run(pecmpFabric(topology, input), place, 150, FAR);
    expect(outcomes.filter(({ attempts }) => attempts !== 1)).toEqual([]);
    // Both ends settle: from then on one copy each way, and nothing is lost.
    expect(outcomes.filter(({ lostAfter, lastAcks }) => lostAfter > 0 || lastAcks !== 1)).toEqual([]);
  });

  it("inside a pod as well", () => {
    for (const place of ["tor", "leaf", "link"] as const) {
      const outcomes = run(pecmpFabric(planes, {}), place, 150, NEAR);
      expect(outcomes.every(({ attempts, lostAfter }) => attempts === 1 && lostAfter === 0)).toBe(true);
    }
  });

  it("loses its certainty when switches of a tier hash differently", () => {
    const outcomes = run(pecmpFabric(mesh, { seed_scope: "switch" }, "switch"), "tor", 300, FAR);
    expect(outcomes.some(({ attempts }) => attempts > 1)).toBe(true);
  });
});

describe("P-ECMP that shifts, as the paper's text reads", () => {
  it("is sure only when both directions failed", () => {
    // Of two ToRs the three states (bad, bad), (bad, good), (good, bad) are equally likely; the last two stay
    // broken at every odd shift of both directions.
    const outcomes = run(pecmpFabric(planes, { failover: "shift" }), "tor", 400, FAR);
    const first = outcomes.filter(({ attempts }) => attempts === 1).length / outcomes.length;
    expect(first).toBeGreaterThan(1 / 3 - 0.08);
    expect(first).toBeLessThan(1 / 3 + 0.08);
  });
});

/** Checks a share of first tries against its expected value; four standard errors. */
function expectFirstTries(outcomes: Outcome[], p: number): void {
  const first = outcomes.filter(({ attempts }) => attempts === 1).length / outcomes.length;
  expect(Math.abs(first - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / outcomes.length));
}

/**
 * Of 2N - 1 flows that the failure of one of N elements hits, N - 1 are hit on the way of the data alone, N - 1 on the way of the
 * acknowledgements alone, and one on both. Of the last, half of the data arrived before the failure.
 */
const hitShares = (n: number) => ({
  data: (n - 1) / (2 * n - 1),
  acks: (n - 1) / (2 * n - 1),
  both: 1 / (2 * n - 1),
});

describe("both directions on one path, as footnote 1 of the paper assumes", () => {
  // One NIC, planes, exact next hops: the receiver's mirrored selector names the next hops that the data took.
  const single = build({
    ...{ kind: "clos", pods: 2, tors_per_pod: 2, leaves_per_pod: 4, spines_per_plane: 4, hosts_per_rack: 1 },
    homing: "single",
  });
  const fabric = pecmpFabric(single, { control: "hops", failover: "shift" });

  it("is what P-ECMP's receiver does with control of next hops", () => {
    const random = new Random("one path");
    for (let i = 0; i < 50; i++) {
      const flow = new Flow(fabric, flowBetween(single, ...FAR, random), random.fork(i));
      flow.exchange([flow.selector], true, () => false);
      const [there, back] = flow.ways;
      expect(there.nodes).toHaveLength(7);
      expect([...back.nodes].reverse()).toEqual(there.nodes);
    }
  });

  it.each(["leaf", "spine"] as const)("makes every first try a success with one copy: %s", (place) => {
    const outcomes = run(fabric, place, 150, FAR);
    expect(outcomes.filter(({ attempts, lostAfter }) => attempts !== 1 || lostAfter > 0)).toEqual([]);
  });
});

describe("P-ECMP with weights", () => {
  const graph = build({
    kind: "graph",
    nodes: [
      { name: "h1", role: "host" },
      { name: "h2", role: "host" },
      { name: "t1", role: "tor" },
      { name: "t2", role: "tor" },
      ...["a", "b", "c"].map((name) => ({ name, role: "leaf" as const })),
    ],
    links: [
      { a: "h1", b: "t1" },
      { a: "h2", b: "t2" },
      ...["t1", "t2"].flatMap((tor) => ["a", "b", "c"].map((leaf) => ({ a: tor, b: leaf }))),
    ],
  });
  const weighted = (weight: number, input: object) =>
    pecmpFabric(graph, {
      weights: [
        ["t1", "a", weight],
        ["t2", "a", weight],
      ],
      ...input,
    });
  const firstTries = (fabric: ModelFabric, place: Place) => {
    const outcomes = run(fabric, place, 300, ["h1", "h2"]);
    return outcomes.filter(({ attempts }) => attempts === 1).length / outcomes.length;
  };

  it("draws next hops, not slots, under control of next hops", () => {
    for (const weight of [2, 3]) expect(firstTries(weighted(weight, { control: "hops" }), "leaf")).toBe(1);
  });

  it("draws offsets that move every flow, where there are any", () => {
    // Slots a b c a: only an offset of 2 moves every flow. Slots a b a c a: no offset does.
    expect(firstTries(weighted(2, {}), "leaf")).toBe(1);
    expect(firstTries(weighted(3, {}), "leaf")).toBeLessThan(0.9);
  });
});

describe("P-ECMP in the roles of PRR, with one copy", () => {
  it.each([
    ["tor", 2],
    ["leaf", 4],
    ["spine", 4],
  ] as const)("succeeds at once as often as the closed form says: %s, N = %d", (place, n) => {
    const outcomes = run(pecmpFabric(mesh, { failover: "prr" }), place, 800, FAR);
    // A lost data segment: the sender leaves the failed element, and the receiver stays. Lost acknowledgements: the receiver
    // leaves it, but the sender may move to it from another one. Both lost: the receiver leaves only if the data arrived.
    const { data, acks, both } = hitShares(n);
    expectFirstTries(outcomes, data + (acks * (n - 2)) / (n - 1) + both / 2);
    expect(outcomes.filter(({ lostAfter }) => lostAfter > 0)).toEqual([]);
  });

  it("recovers within three tries with two ToRs", () => {
    const outcomes = run(pecmpFabric(planes, { failover: "prr" }), "tor", 400, FAR);
    expect(Math.max(...outcomes.map(({ attempts }) => attempts))).toBe(3);
  });
});

describe("PRR", () => {
  const fabricOf = (topology: Topology, input: object = {}) =>
    new ModelFabric(
      topology,
      prr.plan(topology, prr.parameters.parse({ field: "flow_label", ...input })),
      undefined,
    );

  it.each([
    ["tor", 2],
    ["leaf", 4],
    ["spine", 4],
  ] as const)("recovers at each attempt with p = ((N-1)/N)^2: %s, N = %d", (place, n) => {
    const runs = 800;
    const p = ((n - 1) / n) ** 2;
    const outcomes = run(fabricOf(mesh), place, runs, FAR);
    const tries = outcomes.reduce((sum, { attempts }) => sum + attempts, 0);
    // A geometric variable: mean 1/p, deviation sqrt(1-p)/p; four standard errors.
    expect(Math.abs(tries / runs - 1 / p)).toBeLessThan((4 * Math.sqrt(1 - p)) / p / Math.sqrt(runs));
    expectFirstTries(outcomes, p);
  });

  it.each([
    ["tor", 2],
    ["leaf", 4],
    ["spine", 4],
  ] as const)("with two copies succeeds at once as often as the closed form says: %s, N = %d", (place, n) => {
    const outcomes = run(fabricOf(mesh, { copies: 2 }), place, 600, FAR);
    const q = 1 / n;
    const { data, acks, both } = hitShares(n);
    // The new path of the data is good with 1 - q. If only the acknowledgements were lost, the old path of the data is good too:
    // the receiver tries one new path for each copy that arrives.
    expectFirstTries(
      outcomes,
      data * (1 - q) + acks * ((1 - q) * (1 - q ** 2) + q * (1 - q)) + both * (1 - q) ** 2,
    );
    expect(outcomes.filter(({ lostAfter, lastAcks }) => lostAfter > 0 || lastAcks !== 1)).toEqual([]);
  });
});

describe("hosts that do nothing", () => {
  it.each([["pecmp", { failover: "none" }]] as const)("stay on the failed path: %s", (_, input) => {
    const outcomes = run(pecmpFabric(planes, input), "tor", 20, FAR);
    expect(outcomes.every(({ attempts }) => attempts === LIMIT)).toBe(true);
  });
});

describe("a shifted path", () => {
  const disjoint = (topology: Topology, layout: SelectorLayout | undefined, plan: FabricPlan) => {
    const fabric = new ModelFabric(topology, plan, layout);
    const random = new Random("disjoint");
    for (let i = 0; i < 100; i++) {
      const flow = flowBetween(topology, ...FAR, random);
      const [old, shifted] = [fabric.walk(flow, 0), fabric.walk(flow, 1)];
      expect(old.links.filter((link) => shifted.links.includes(link))).toEqual([]);
      expect(old.nodes.slice(1, -1).filter((node) => shifted.nodes.includes(node))).toEqual([]);
    }
  };
  it("has no switch and no link of the old one, in planes and in a mesh", () => {
    for (const topology of [planes, mesh]) {
      const parameters = pecmpParameters.parse({});
      const { layout } = compileFabric(topology, parameters, () => undefined);
      disjoint(topology, layout, pecmp.plan(topology, parameters));
    }
  });
});
