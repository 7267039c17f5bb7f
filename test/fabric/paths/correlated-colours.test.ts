/** Polarisation in random layered networks, against every value of the hash functions followed one by one. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import {
  checkPaths,
  type HashModel,
  LOCAL,
  type PathModel,
  type SwitchModel,
  UNREACHABLE,
} from "../../../src/fabric/paths/index.js";
import { nodeNamed } from "../../../src/fabric/topology/index.js";
import { build } from "../topology/load.js";

const LAYERS = [["t"], ["m0", "m1", "m2"], ["e0", "e1", "e2"], ["f0", "f1", "f2"], ["d"]];
const switches = LAYERS.flat();
/** Host z has links to switches on the way, which must not send it the packets of others. */
const topology = build({
  kind: "graph",
  nodes: [
    ...switches.map((name) => ({ name, role: "switch" as const })),
    ...["x", "y", "z"].map((name) => ({ name, role: "host" as const })),
  ],
  links: [
    ...LAYERS.slice(1).flatMap((layer, i) => LAYERS[i]!.flatMap((a) => layer.map((b) => ({ a, b })))),
    ...["m0", "m1", "m2", "e0", "e1", "e2"].map((b) => ({ a: "z", b })),
    { a: "x", b: "t" },
    { a: "y", b: "d" },
  ],
});
const node = (name: string) => nodeNamed(topology, name)!;
const nameOf = (index: number) => topology.nodes[index]!.name;
const port = (from: string, to: string) =>
  node(from).ports.find(({ peer }) => peer === node(to).index)!.number;
const [FROM, TO] = ["x", "y"].map((host) => node(host).host!.rack) as [number, number];

/** A port and the seed, of which one bit more is flipped by the second function. */
const hashModel = (name: string, field: "src_port" | "dst_port", shift: number): HashModel => ({
  name,
  affine: true,
  input: [
    { field, bits: 16 },
    { field: "seed", bits: 8 },
  ],
  hash: (bytes) => ((bytes[0]! << 8) | bytes[1]!) ^ (bytes[2]! << shift),
});
/** The source address and the seed, multiplied so that each seed gives another function. */
const carries: HashModel = {
  name: "C",
  affine: false,
  input: [
    { field: "src", bits: 32 },
    { field: "seed", bits: 8 },
  ],
  hash: (bytes) => {
    let value = Math.imul(bytes[4]! + 1, 0x9e3779b1);
    for (let i = 0; i < 4; i++) {
      value = Math.imul(value ^ bytes[i]!, 0x85ebca6b);
      value ^= value >>> 15;
    }
    return Math.imul(value, 0xc2b2ae35) >>> 16;
  },
};
const HASHES = [hashModel("A", "src_port", 0), hashModel("B", "dst_port", 1), carries];

interface Use {
  readonly hash: number;
  readonly seed: number;
  /** Next nodes by slot. */
  readonly slots: readonly string[];
}
/** By switch: its uses by class, and the class of packets from each switch of the layer before. */
interface Own {
  readonly uses: readonly Use[];
  readonly classOf: ReadonlyMap<string, number>;
}
type Network = ReadonlyMap<string, Own>;

function modelOf(network: Network): PathModel {
  const list = switches.map((name): SwitchModel => {
    const { uses, classOf } = network.get(name) ?? { uses: [], classOf: new Map() };
    const next = new Int32Array(Math.max(1, uses.length) * topology.racks.length).fill(UNREACHABLE);
    for (const kind of uses.keys()) next[kind * topology.racks.length + TO] = kind;
    if (name === "d") next[TO] = LOCAL;
    return {
      node: node(name).index,
      classes: Math.max(1, uses.length),
      portClass: [0, ...node(name).ports.map(({ peer }) => classOf.get(nameOf(peer)) ?? 0)],
      next,
      choices: uses.map(({ hash, seed, slots }) => ({
        hash,
        seed,
        rows: [slots.map((to) => port(name, to))],
      })),
    };
  });
  return { hashes: HASHES, switches: list.sort((a, b) => a.node - b.node) };
}

function randomNet(random: Random): Network {
  // With a modulo that is no power of two, the same seed is used everywhere.
  const sizes = random.pick([
    [1, 2, 4, 8],
    [1, 2, 3, 4, 6],
  ]);
  const seedOf = (hash: number) => (sizes.includes(3) ? 0 : random.int(hash === 2 ? 2 : 8));
  return new Map(
    switches.slice(0, -1).map((name) => {
      const layer = LAYERS.findIndex((names) => names.includes(name));
      const onwards = [...LAYERS[layer + 1]!, ...(layer === 1 && random.int(3) === 0 ? ["z"] : [])];
      const uses = Array.from({ length: layer < 2 ? 1 : 2 }, () => {
        const hash = random.pick([0, 0, 1, 2]);
        return {
          hash,
          seed: seedOf(hash),
          slots: Array.from({ length: random.pick(sizes) }, () => random.pick(onwards)),
        };
      });
      const before = LAYERS[layer - 1] ?? [];
      return [name, { uses, classOf: new Map(before.map((from) => [from, random.int(uses.length)])) }];
    }),
  );
}

/** The share of flows at each switch that must move, for choices that follow another one by the same function on some way. */
function sharesByCounting(network: Network): Map<string, number> {
  const loads = new Map<string, { name: string; kind: number; byPort: Map<string, number> }>();
  const reuses = new Set<string>();
  /** A function that is not affine is another one for each seed. */
  const mapOf = (hash: number, seed: number) => (hash === 2 ? 2 + seed : hash);
  const values = [12, 8].map((size) => Array.from({ length: size }, (_, value) => value));
  const isPowers = [...network.values()].every(({ uses }) =>
    uses.every(({ slots }) => slots.length % 3 !== 0),
  );
  const [range] = isPowers ? [values[1]!] : [values[0]!];
  /** `ways`: follows all slots, without flows. */
  const visit = (
    name: string,
    from: string,
    colours: readonly number[],
    weight: number,
    passed: readonly number[],
    ways: boolean,
  ) => {
    const own = network.get(name);
    if (own === undefined) return;
    const kind = own.classOf.get(from) ?? 0;
    const { hash, seed, slots } = own.uses[kind]!;
    const chooses = slots.length > 1;
    const key = `${name} ${kind}`;
    const map = mapOf(hash, seed);
    if (chooses && passed.includes(map)) reuses.add(key);
    const load = loads.get(key) ?? { name, kind, byPort: new Map<string, number>() };
    loads.set(key, load);
    const after = chooses ? [...passed, map] : passed;
    const value = isPowers && hash < 2 ? colours[hash]! ^ (seed << hash) : colours[map]!;
    for (const [slot, to] of slots.entries()) {
      const share = value % slots.length === slot ? 1 : 0;
      if (share * weight === 0 && !ways) continue;
      load.byPort.set(to, (load.byPort.get(to) ?? 0) + weight * share);
      visit(to, name, colours, weight * share, after, ways);
    }
  };
  visit("t", "x", [0, 0, 0, 0], 0, [], true);
  // Without seeds there is one function that is not affine.
  const last = isPowers ? range : [0];
  for (const a of range)
    for (const b of range)
      for (const c of range) for (const d of last) visit("t", "x", [a, b, c, d], 1, [], false);
  const shares = new Map<string, number>();
  for (const [key, { name, kind, byPort }] of loads) {
    const { slots } = network.get(name)!.uses[kind]!;
    const total = [...byPort.values()].reduce((sum, load) => sum + load, 0);
    if (!reuses.has(key) || total === 0) continue;
    let moved = 0;
    for (const [to, load] of byPort)
      moved += Math.max(0, load / total - slots.filter((slot) => slot === to).length / slots.length);
    if (moved > 0.005) shares.set(name, Math.max(moved, shares.get(name) ?? 0));
  }
  return shares;
}

describe("in a random network of layers", () => {
  it.each(Array.from({ length: 30 }, (_, seed) => seed))(
    "the polarised choices are those that counting finds (seed %i)",
    (seed) => {
      const network = randomNet(new Random(seed));
      const { correlated } = checkPaths(topology, modelOf(network), { pairs: [[FROM, TO]] });
      const found = new Map<string, number>();
      for (const { path, first, second, hash, polarisedShare, from, to } of correlated) {
        const name = nameOf(second.node);
        found.set(name, Math.max(polarisedShare, found.get(name) ?? 0));
        expect([path[0], path.at(-1), from, to]).toEqual(["t", name, FROM, TO]);
        for (const [i, hop] of path.slice(1).entries())
          expect(LAYERS[i + 1]!.includes(hop), `${hop} is in layer ${i + 1}`).toBe(true);
        const at = path.indexOf(nameOf(first.node));
        const usesOf = (own: string) =>
          network.get(own)!.uses.filter((use) => HASHES[use.hash]!.name === hash);
        expect(usesOf(path[at]!).map(({ slots }) => slots.length)).toContain(first.slots);
        expect(usesOf(name).map(({ slots }) => slots.length)).toContain(second.slots);
        // The first choice is the nearest earlier one by the function, where its switch has one class. Another seed of C is another function.
        if (hash === "C") continue;
        for (const between of path.slice(at + 1, -1))
          expect(
            network.get(between)!.uses.every((use) => usesOf(between).includes(use) && use.slots.length > 1),
          ).toBe(false);
      }
      const shares = correlated.map(({ polarisedShare }) => polarisedShare);
      expect(shares).toEqual([...shares].sort((a, b) => b - a));
      const wanted = sharesByCounting(network);
      expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
      for (const [name, share] of wanted) expect(found.get(name)).toBeCloseTo(share, 9);
    },
  );
});

/** t and all m by function `a`, e and f by function `b`, each with three slots and a seed. */
const threes = (a: readonly [number, number], b: readonly [number, number]): Network =>
  new Map(
    switches.slice(0, -1).map((name) => {
      const layer = LAYERS.findIndex((names) => names.includes(name));
      const seed = [...a, ...b][layer]!;
      const slots = layer === 3 ? ["d"] : LAYERS[layer + 1]!;
      return [name, { uses: [{ hash: layer < 2 ? 0 : 1, seed, slots }], classOf: new Map() }];
    }),
  );

describe("groups of three ports", () => {
  const sharesAt = (network: Network, layer: number) =>
    checkPaths(topology, modelOf(network), { pairs: [[FROM, TO]] })
      .correlated.filter(({ second }) => LAYERS[layer]!.includes(nameOf(second.node)))
      .map(({ polarisedShare }) => polarisedShare);

  it("with equal seeds: two thirds of the flows have one port", () => {
    for (const share of sharesAt(threes([5, 5], [0, 0]), 1)) expect(share).toBeCloseTo(2 / 3, 9);
    expect(sharesAt(threes([5, 5], [0, 0]), 1)).toHaveLength(3);
  });

  it("with seeds that differ in bit 0, a value goes up or down by one: a third of the flows must move", () => {
    // The second choice never takes the slot of the first one, and the others half of the time each.
    const shares = sharesAt(threes([0, 1], [0, 0]), 1);
    expect(shares).toHaveLength(3);
    for (const share of shares) expect(share).toBeCloseTo(1 / 3, 3);
  });

  it("of two functions with different seeds each are followed one function after the other", () => {
    const [a, b, c, d] = [0, 1, 0, 5];
    const network = new Map(threes([a, b], [c, d]));
    for (const f of LAYERS[3]!)
      network.set(f, { uses: [{ hash: 1, seed: d, slots: ["d", "d", "d"] }], classOf: new Map() });
    expect(sharesAt(network, 1)).toHaveLength(3);
    for (const share of sharesAt(network, 1)) expect(share).toBeCloseTo(1 / 3, 3);
    expect(sharesAt(network, 3)).toEqual([]);
  });
});

describe("names and pairs", () => {
  const two = (slots: Readonly<Record<string, readonly string[]>>, hashes: readonly number[]): Network =>
    new Map(
      switches.slice(0, -1).map((name) => {
        const layer = LAYERS.findIndex((names) => names.includes(name));
        return [
          name,
          { uses: [{ hash: hashes[layer]!, seed: 0, slots: slots[name[0]!]! }], classOf: new Map() },
        ];
      }),
    );
  const mixed = ["e0", "e0", "e1", "e1"];

  it("each reuse without polarisation is named by its function and its places", () => {
    const slots = {
      t: ["m0", "m1"],
      m: mixed,
      e: ["f0", "f0", "f0", "f0", "f1", "f1", "f1", "f1"],
      f: ["d"],
    };
    const placeOf = (own: number) => nameOf(own)[0]!;
    const { correlated, reuses } = checkPaths(topology, modelOf(two(slots, [0, 0, 0, 2])), {
      pairs: [[FROM, TO]],
      placeOf,
    });
    expect(correlated).toEqual([]);
    expect(reuses).toEqual([
      { hash: "A", first: "t", second: "m" },
      { hash: "A", first: "m", second: "e" },
    ]);
  });
});
