/** What the check of paths finds at each choice of a small recombining network, against the enumeration of all flows. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkPaths,
  type HashModel,
  LOCAL,
  type PathModel,
  UNREACHABLE,
} from "../../src/fabric/paths/index.js";
import { nodeNamed } from "../../src/fabric/topology/index.js";
import { build } from "../fabric/topology/load.js";
import { type ChoiceNetwork, variations } from "../models/choices.js";

/** Switches by stage; each has a link to all of the next one. */
const STAGES = [["s"], ["m0", "m1"], ["d0", "d1"], ["e0", "e1"], ["z"]] as const;
const NEXT: ReadonlyMap<string, readonly string[]> = new Map(
  STAGES.flatMap((stage, i) => stage.map((name) => [name, STAGES[i + 1] ?? []] as const)),
);
const SWITCHES = STAGES.flat();

const topology = build({
  kind: "graph",
  nodes: [
    ...SWITCHES.map((name) => ({ name, role: "switch" as const })),
    ...["x", "y"].map((name) => ({ name, role: "host" as const })),
  ],
  links: [
    ...[...NEXT].flatMap(([from, all]) => all.map((to) => ({ a: from, b: to }))),
    { a: "x", b: "s" },
    { a: "y", b: "z" },
  ],
});
const node = (name: string) => nodeNamed(topology, name)!;
const port = (from: string, to: string) =>
  node(from).ports.find(({ peer }) => peer === node(to).index)!.number;
const [FROM, TO] = ["x", "y"].map((host) => node(host).host!.rack) as [number, number];

/** Functions of the low bits of one field each, so their values are independent. */
const HASHES: readonly HashModel[] = (["src_port", "dst_port"] as const).map((field) => ({
  name: field,
  affine: true,
  input: [{ field, bits: 16 }],
  hash: (bytes) => (bytes[0]! << 8) | bytes[1]!,
}));

/** A choice: its function, and the next switch by slot: both as often, or one of them. */
interface Choice {
  readonly hash: number;
  readonly slots: readonly number[];
}

function pathModel(choices: ReadonlyMap<string, Choice>): PathModel {
  const switches = SWITCHES.map((name) => {
    const next = new Int32Array(topology.racks.length).fill(UNREACHABLE);
    const to = NEXT.get(name)!;
    next[TO] = to.length === 0 ? LOCAL : 0;
    const { hash, slots } = choices.get(name) ?? { hash: 0, slots: [0] };
    const all = to.map((each) => port(name, each));
    const choice = { hash, seed: 0, rows: [slots.map((slot) => all[slot % all.length]!)] };
    return { node: node(name).index, classes: 1, next, choices: to.length === 0 ? [] : [choice] };
  });
  return { hashes: HASHES, switches: switches.sort((a, b) => a.node - b.node) };
}

const networkOf = (choices: ReadonlyMap<string, Choice>): ChoiceNetwork => ({
  values: { 0: 4, 1: 4 },
  choiceAt: (name) => {
    const choice = choices.get(name);
    return choice && { function: String(choice.hash), entries: choice.slots };
  },
  next: (name, to) => NEXT.get(name)![to]!,
});

const choice = fc.record({
  hash: fc.nat(1),
  slots: fc.constantFrom([0, 1], [1, 0], [0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 0, 1], [0], [1]),
});
const CHOOSING = ["s", "m0", "m1", "d0", "d1"];
const drawn = fc
  .array(choice, { minLength: CHOOSING.length, maxLength: CHOOSING.length })
  .map((all) => new Map(CHOOSING.map((name, i) => [name, all[i]!])));

describe("colours that recombine", () => {
  it("leave each choice the share of polarised flows that counting all of them gives", () => {
    let polarised = 0;
    fc.assert(
      fc.property(drawn, (choices) => {
        const { correlated } = checkPaths(topology, pathModel(choices), { pairs: [[FROM, TO]] });
        const counted = variations(networkOf(choices), ["s"]);
        for (const name of CHOOSING) {
          const variation = counted.get(name);
          if (variation === undefined) continue;
          const found = correlated.filter(({ second }) => second.node === node(name).index);
          const share = Math.max(0, ...found.map(({ polarisedShare }) => polarisedShare));
          // Of two ports with equal shares, half of the difference would have to move.
          expect([name, share]).toEqual([name, expect.closeTo(variation / 2, 9)]);
          if (share > 0) polarised++;
        }
      }),
    );
    expect(polarised).toBeGreaterThan(10);
  });

  it("are those of figure 7: a function serves again behind a stage that mixes its colours, and not without it", () => {
    const again = (second: Choice) =>
      new Map<string, Choice>([
        ["s", { hash: 0, slots: [0, 1] }],
        ["m0", second],
        ["m1", second],
        ["d0", { hash: 0, slots: [0, 1] }],
        ["d1", { hash: 0, slots: [0, 1] }],
      ]);
    const correlated = (choices: ReadonlyMap<string, Choice>) =>
      checkPaths(topology, pathModel(choices), { pairs: [[FROM, TO]] }).correlated.length;
    expect(correlated(again({ hash: 1, slots: [0, 1] }))).toBe(0);
    expect(correlated(again({ hash: 0, slots: [0, 1] }))).toBeGreaterThan(0);
  });
});
