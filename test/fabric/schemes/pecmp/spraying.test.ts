/** Spraying: each combination of next hops equally often, the first hop in turn. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { CLIENT, restingHost } from "../../../../src/fabric/hosts/index.js";
import { pecmpHosts } from "../../../../src/fabric/schemes/pecmp/hosts.js";
import { HOPS, layOut, readSlice } from "../../../../src/fabric/schemes/pecmp/layout.js";
import type { Control } from "../../../../src/fabric/schemes/pecmp/matrix.js";
import { offsetSet } from "../../../../src/fabric/schemes/pecmp/selectors.js";
import { combination, combinations, type Spray } from "../../../../src/fabric/schemes/pecmp/spraying.js";

const fanOuts = { tor: { least: 4, most: 4 }, leaf: { least: 3, most: 3 }, legs: { least: 2, most: 2 } };
const layoutOf = (control: Control) =>
  layOut(control, "flow_label", "none", fanOuts, offsetSet("primes", 4).bits);

/** The selectors of the first packets of a flow. */
function packetsOf(control: Control, spray: Spray, count: number, flows = 1): number[][] {
  const offsets = offsetSet("primes", 4);
  const policy = pecmpHosts(
    { failover: "probe", layout: layoutOf(control), offsets, subflows: "halved", spray },
    { ...restingHost(), random: new Random(5) },
  );
  expect(policy.needs).toEqual(["packets"]);
  const choosers = Array.from({ length: flows }, (_, i) =>
    policy.open({ src: 1n, dst: 2n, protocol: 6, srcPort: i, dstPort: 80 }, new Random(i), CLIENT),
  );
  const lists: number[][] = choosers.map(() => []);
  for (let i = 0; i < count; i++)
    for (const [j, chooser] of choosers.entries())
      lists[j]!.push(chooser.selectorFor!({ position: 0, bytes: 1, nowNs: 0 }));
  return lists;
}

function counts(values: readonly number[]): number[] {
  const own = new Map<number, number>();
  for (const value of values) own.set(value, (own.get(value) ?? 0) + 1);
  return [...own.values()];
}

describe("combinations of next hops", () => {
  it("are all different, and name next hops that exist", () => {
    for (const control of ["hops", "both"] as const) {
      const layout = layoutOf(control);
      expect(combinations(layout)).toBe(24);
      const all = Array.from({ length: 24 }, (_, i) => combination(layout, i));
      expect(new Set(all).size).toBe(24);
      const first = control === "hops" ? 1 : 0;
      for (const selector of all)
        for (const hop of HOPS) {
          const n = fanOuts[hop as keyof typeof fanOuts]?.least;
          if (n === undefined) continue;
          expect(readSlice(layout, hop, selector)).toBeGreaterThanOrEqual(first);
          expect(readSlice(layout, hop, selector)).toBeLessThan(first + n);
        }
    }
    expect(combinations(layoutOf("offset"))).toBe(4);
  });
});

describe("a host that sprays", () => {
  it("takes the first next hops in turn, whichever flow sends", () => {
    const lists = packetsOf("hops", "round_robin", 24, 3);
    const inOrder = lists[0]!.flatMap((_, i) => lists.map((list) => list[i]!));
    const tors = inOrder.map((selector) => readSlice(layoutOf("hops"), "tor", selector));
    for (let i = 0; i + 4 <= tors.length; i++) expect(new Set(tors.slice(i, i + 4)).size).toBe(4);
    expect(counts(inOrder)).toEqual(new Array(24).fill(3));
  });

  it("gives each flow its turns where the hash decides too", () => {
    for (const list of packetsOf("offset", "round_robin", 40, 2))
      expect(counts(list)).toEqual([10, 10, 10, 10]);
  });

  it("draws every combination equally often, in no order", () => {
    const [list] = packetsOf("hops", "random", 24_000);
    const own = counts(list!);
    expect(own).toHaveLength(24);
    for (const count of own) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(1000));
    const repeats = list!.filter((selector, i) => selector === list![i - 1]).length;
    expect(repeats).toBeGreaterThan(800);
  });

  it("sends data again in turn, and lets acknowledgements draw without taking a turn", () => {
    const layout = layoutOf("hops");
    const policy = pecmpHosts(
      {
        failover: "probe",
        layout,
        offsets: offsetSet("primes", 4),
        subflows: "halved",
        spray: "round_robin",
      },
      restingHost(),
    );
    const path = policy.open(
      { src: 1n, dst: 2n, protocol: 6, srcPort: 1, dstPort: 80 },
      new Random(1),
      CLIENT,
    );
    const tors: number[] = [];
    const acks = new Set<number>();
    for (let i = 0; i < 40; i++) {
      const [selector] =
        i % 4 === 3 ? path.onTimeout(1) : [path.selectorFor!({ position: 0, bytes: 1, nowNs: 0 })];
      tors.push(readSlice(layout, "tor", selector!));
      acks.add(path.onData({ selector: 0, echo: 0 }, false)[0]!).add(path.selector);
    }
    for (let i = 0; i + 4 <= tors.length; i++) expect(new Set(tors.slice(i, i + 4)).size).toBe(4);
    expect(acks.size).toBeGreaterThan(15);
  });
});
