/** Which switch gets which function, seed and size under each design (ATC 2022, sections 2 to 5), and what people are told of it. */
import { describe, expect, it } from "vitest";
import { LOCAL, type PathModel, type SwitchModel, UNREACHABLE } from "../../../../src/fabric/paths/index.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { switchesOf, type Topology, tierOf, withLinksDown } from "../../../../src/fabric/topology/index.js";
import { build, example, messagesOf } from "../../topology/load.js";

const hashing = schemeNamed("hashing")!;
const planned = (topology: Topology, parameters: object) =>
  hashing.plan(topology, hashing.parameters.parse(parameters));
const modelOf = (topology: Topology, parameters: object) => planned(topology, parameters).pathModel!();
const assigned = (topology: Topology, parameters: object) =>
  hashing.hashAssignment!(topology, hashing.parameters.parse(parameters));

const jupiter = example("jupiter");
const jellyfish = build({ kind: "jellyfish", switches: 8, degree: 4, hosts_per_switch: 1, seed: 3 });
/** A polynomial of its own for each function. */
const EIGHT = ["21", "35", "49", "51", "6b", "77", "8d", "99"].map((byte) => `crc16/0x10${byte}`);

/** The function and seed of each class of a switch's choices, by node; the function's number in the chip. */
function settings(topology: Topology, parameters: object) {
  const { switches } = modelOf(topology, parameters);
  return new Map(
    switches.map(({ node, choices }) => [
      node,
      choices.filter(({ rows }) => rows[0]!.length > 1).map(({ hash, seed }) => ({ hash, seed })),
    ]),
  );
}

describe("designs", () => {
  it("one: all switches have the first function, without seeds", () => {
    for (const own of settings(jupiter, { design: "one" }).values())
      for (const { hash, seed } of own) expect([hash, seed]).toEqual([0, 0]);
    const seeds = [...settings(jupiter, { design: "one", seeds: "switch" }).values()].flatMap((own) => [
      ...new Set(own.map(({ seed }) => seed)),
    ]);
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  it.each([
    [["rtag7/xor16"], 1],
    [EIGHT.slice(0, 3), 3],
    [EIGHT, 8],
  ])(
    "per_stage: stage i has function i of the chip, in turn; switches have seeds of their own: %j",
    (chip, count) => {
      const found = settings(jupiter, { design: "per_stage", chip });
      const seeds = new Set<number>();
      for (const [node, own] of found)
        for (const { hash, seed } of own) {
          expect(hash).toBe((tierOf(jupiter.nodes[node]!) - 1) % count);
          seeds.add(seed);
        }
      expect(seeds.size).toBe([...found.values()].filter((own) => own.length > 0).length);
      for (const own of settings(jupiter, { design: "per_stage", chip, seeds: "none" }).values())
        for (const { seed } of own) expect(seed).toBe(0);
    },
  );

  it("per_stage with drawn functions: the stages of a block differ, and blocks do not draw alike", () => {
    const orders = new Map<string, Map<number, number>>();
    for (const [node, own] of settings(jupiter, { design: "per_stage", draw: true, chip: EIGHT })) {
      const { pod } = jupiter.nodes[node]!;
      const block = orders.get(String(pod)) ?? new Map<number, number>();
      orders.set(String(pod), block);
      const stage = tierOf(jupiter.nodes[node]!);
      for (const { hash } of own) {
        expect(block.get(stage) ?? hash).toBe(hash);
        block.set(stage, hash);
      }
    }
    for (const block of orders.values()) expect(new Set(block.values()).size).toBe(block.size);
    expect(new Set([...orders.values()].map((block) => [...block].join(" "))).size).toBe(orders.size);
  });

  it("random: each switch draws one function and one seed, and all functions are drawn", () => {
    const found = [...settings(jupiter, { design: "random", chip: EIGHT.slice(0, 3) }).values()];
    for (const own of found)
      expect(new Set(own.map(({ hash, seed }) => `${hash} ${seed}`)).size).toBeLessThan(2);
    expect(new Set(found.flatMap((own) => own.map(({ hash }) => hash)))).toEqual(new Set([0, 1, 2]));
    const other = settings(jupiter, { design: "random", chip: EIGHT.slice(0, 3), hash_seed: 2 });
    expect([...other.values()]).not.toEqual(found);
  });

  it("per_port: packets from below and from above have different functions, all stages too", () => {
    const { places, notes } = assigned(jupiter, { design: "per_port", chip: EIGHT });
    expect(places.map(({ place, functions }) => [place, functions])).toEqual(
      [
        ...[1, 2, 3, 4, 5].map((stage) => `stage ${stage} from below`),
        ...[4, 3, 2].map((stage) => `stage ${stage} from above`),
      ].map((place, i) => [place, [EIGHT[i]]]),
    );
    expect(notes).toEqual(["Design per_port: 8 of the chip's 8 functions are in use at 8 places."]);
    expect(planned(jupiter, { design: "per_port", chip: EIGHT }).notes).toEqual([
      "Design per_port: 8 of the chip's 8 hash functions are in use.",
    ]);
  });
});

describe("an assignment for people", () => {
  it("counts the switches, seeds and slots of each place", () => {
    const { places, placeOf, model } = assigned(jupiter, { design: "per_stage", chip: EIGHT });
    for (const { place, switches, functions, seeds, slots } of places) {
      const own = switchesOf(jupiter).filter((node) =>
        [0, 1].some((kind) => placeOf(node.index, kind) === place && node.ports.length > 0),
      );
      const stage = Number(/\d/.exec(place)![0]);
      expect(own.every((node) => tierOf(node) === stage)).toBe(true);
      expect([switches, seeds, functions]).toEqual([own.length, own.length, [EIGHT[stage - 1]]]);
      const up = place.endsWith("from below");
      const sizes = own.flatMap(({ index }) => {
        const { choices, next, classes } = model.switches.find((one) => one.node === index)!;
        const racks = next.length / classes;
        const used = [...next.subarray(up ? 0 : racks, up ? racks : 2 * racks)];
        return used.flatMap((at) => (at < 0 ? [] : [choices[at]!.rows[0]!.length]));
      });
      expect(slots).toEqual([...new Set(sizes.filter((size) => size > 1))].sort((a, b) => a - b));
    }
    expect(assigned(jupiter, { design: "one" }).places.every(({ seeds }) => seeds === 0)).toBe(true);
  });

  it("has all functions of a place where its switches differ, and the sizes of groups in ascending order", () => {
    const { places } = assigned(jellyfish, {
      design: "coprime",
      routing: "k_shortest",
      k: 3,
      group_members: 32,
    });
    for (const { slots, functions } of places) {
      expect([...slots].sort((a, b) => a - b)).toEqual(slots);
      expect(new Set(functions).size).toBe(functions.length);
    }
    expect(places.some(({ slots, functions }) => slots.length > 1 || functions.length > 1)).toBe(true);
  });
});

/** The switches with a choice on each path of each pair of racks, as the model forwards: function and slots. */
function* choicesOnPaths(topology: Topology, model: PathModel) {
  const byNode = new Map(model.switches.map((own) => [own.node, own]));
  interface Choice {
    readonly node: number;
    readonly hash: number;
    readonly slots: number;
  }
  function* walk(
    own: SwitchModel,
    ingress: number,
    from: number,
    to: number,
    met: readonly Choice[],
  ): Generator<readonly Choice[]> {
    const kind = (own.portClass?.[ingress] ?? 0) + (own.sourceClass?.[from] ?? 0);
    const next = own.next[kind * topology.racks.length + to]!;
    if (next === LOCAL || next === UNREACHABLE) return yield met;
    const { rows, hash } = own.choices[next]!;
    const slots = rows[0]!.length;
    const here = slots > 1 ? [...met, { node: own.node, hash, slots }] : met;
    for (const port of new Set(Array.from(rows[0]!))) {
      const { peer, peerPort } = topology.nodes[own.node]!.ports[port - 1]!;
      yield* walk(byNode.get(peer)!, peerPort, from, to, here);
    }
  }
  for (const from of topology.racks)
    for (const to of topology.racks)
      if (from !== to)
        for (const start of from.switches) yield* walk(byNode.get(start)!, 0, from.index, to.index, []);
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

describe("coprime sizes in a network without stages (section 5.4)", () => {
  it.each([
    ["one function", ["rtag7/crc16-bisync"], 64],
    ["two functions", ["rtag7/crc16-bisync", "rtag7/crc32-low"], 32],
    ["one function of 5 bits", ["rtag7/crc16-bisync:bits=0-4"], 64],
  ])("two choices on a path have different functions or coprime sizes: %s", (_name, chip, group_members) => {
    const parameters = { design: "coprime", routing: "k_shortest", k: 3, chip, group_members };
    let pairs = 0;
    const most = chip[0]!.endsWith("0-4") ? 32 : group_members;
    for (const met of choicesOnPaths(jellyfish, modelOf(jellyfish, parameters)))
      for (const [i, a] of met.entries()) {
        expect(a.slots).toBeLessThanOrEqual(most);
        for (const b of met.slice(i + 1)) {
          pairs++;
          if (a.hash === b.hash) expect(gcd(a.slots, b.slots)).toBe(1);
        }
      }
    expect(pairs).toBeGreaterThan(20);
  });

  it("use a further function only where sizes of the first would be in conflict", () => {
    const parameters = { design: "coprime", routing: "k_shortest", k: 3, group_members: 32 };
    const model = modelOf(jellyfish, { ...parameters, chip: EIGHT });
    const settingOf = new Map<number, Set<string>>();
    const conflicts = new Map<number, Set<number>>();
    for (const met of choicesOnPaths(jellyfish, model))
      for (const { node, hash, slots } of met) {
        settingOf.set(node, (settingOf.get(node) ?? new Set()).add(`${hash} ${slots}`));
        const others = conflicts.get(node) ?? new Set();
        conflicts.set(node, others);
        for (const other of met) if (other.node !== node) others.add(other.node);
      }
    const functionOf = (node: number) => Number([...settingOf.get(node)!][0]!.split(" ")[0]);
    for (const [node, own] of settingOf) {
      // One function and one size for all groups of a switch.
      expect(own.size).toBe(1);
      // Each function before its own is taken by a switch that shares a path with it.
      const taken = new Set([...conflicts.get(node)!].map(functionOf));
      for (let before = 0; before < functionOf(node); before++) expect(taken.has(before)).toBe(true);
      expect(taken.has(functionOf(node))).toBe(false);
    }
  });

  it("are refused where the chip's groups are too small", () => {
    expect(
      messagesOf(() =>
        planned(jellyfish, {
          design: "coprime",
          routing: "k_shortest",
          k: 3,
          chip: ["rtag7/xor16"],
          group_members: 4,
        }),
      ),
    ).toMatch(
      /error\[P45207\]: no size up to 4 is left for switch\d: it shares paths with \d other switches\nnote: sizes in use are [\d, ]+\nnote: allow more entries for a group/,
    );
  });

  it("with transit, need two sizes: for own traffic and for transit", () => {
    const mesh = build({
      kind: "spineless",
      wiring: "ring",
      blocks: 5,
      tors_per_block: 2,
      stage2_per_block: 2,
      stage3_per_block: 2,
      links_per_pair: 4,
      hosts_per_rack: 1,
    });
    const sizesOf = (parameters: object) => {
      const { places } = assigned(mesh, { design: "coprime", routing: "transit", ...parameters });
      return [...new Set(places.flatMap(({ slots }) => slots))].sort((a, b) => a - b);
    };
    // Groups have 2, 4 or 8 next hops: 8 slots are exact for all; of the odd sizes the largest is the most even.
    expect(sizesOf({})).toEqual([8, 127]);
    expect(sizesOf({ group_members: 16 })).toEqual([8, 15]);
    expect(sizesOf({ sizes: [9, 16] })).toEqual([9, 16]);
    const refused = (parameters: object) => messagesOf(() => sizesOf(parameters));
    expect(refused({ sizes: [129, 16] })).toContain(
      "a group has 129 entries\nnote: the chip has 128 for a group",
    );
    expect(refused({ sizes: [12, 16] })).toContain("12 and 16 are not coprime");
  });
});

describe("k shortest paths", () => {
  it("need hosts with one NIC", () => {
    const dual = build({ kind: "leaf_spine", tors: 2, leaves: 2, homing: "dual" });
    expect(messagesOf(() => planned(dual, { routing: "k_shortest" }))).toContain(
      "error[P45206]: k_shortest needs hosts with one NIC\nnote: write homing: single",
    );
  });

  it("k = 1 is one shortest path for each pair; more paths add next hops, and the destination is always reached", () => {
    const hops = (k: number) => {
      let choices = 0;
      let paths = 0;
      for (const met of choicesOnPaths(
        jellyfish,
        modelOf(jellyfish, { design: "one", routing: "k_shortest", k }),
      )) {
        choices += met.length;
        paths++;
      }
      return { choices, paths };
    };
    expect(hops(1)).toEqual({ choices: 0, paths: 56 });
    expect(hops(2).paths).toBeGreaterThan(56);
    expect(hops(4).paths).toBeGreaterThan(hops(2).paths);
  });

  it("avoid links that are down, and leave destinations without a path unreachable", () => {
    const links = jellyfish.links.flatMap(({ index, a, b }) =>
      [a, b].some(({ node }) => jellyfish.nodes[node]!.name === "switch2") &&
      [a, b].every(({ node }) => jellyfish.nodes[node]!.role !== "host")
        ? [index]
        : [],
    );
    const cut = withLinksDown(jellyfish, links);
    const alone = cut.nodes.find(({ name }) => name === "switch2")!.index;
    const rack = cut.racks.findIndex(({ switches }) => switches.includes(alone));
    for (const { node, next, classes } of modelOf(cut, { design: "one", routing: "k_shortest" }).switches)
      for (let kind = 0; kind < classes; kind++) {
        const to = next[kind * cut.racks.length + rack]!;
        if (node === alone) expect([LOCAL, UNREACHABLE]).toContain(to);
        else expect(to).toBe(UNREACHABLE);
      }
  });
});
