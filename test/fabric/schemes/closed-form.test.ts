/**
 * The closed forms of tries, against the choosers themselves: both ends of a flow on N equal elements, one of which fails, and
 * no clock.
 */
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import {
  CLIENT,
  type HostPolicy,
  type PathChooser,
  restingHost,
  SERVER,
} from "../../../src/fabric/hosts/index.js";
import { mix } from "../../../src/fabric/schemes/hash.js";
import { type FabricPlan, schemeNamed } from "../../../src/fabric/schemes/index.js";
import { build } from "../topology/load.js";

const RUNS = 20_000;
const FLOW = { src: 1n, dst: 2n, protocol: 6, srcPort: 3, dstPort: 4 };

/** The element of a direction under a selector. */
type ElementOf = (key: number, selector: number, n: number) => number;
/** P-ECMP: the selector shifts the element that the hash chooses. PRR: the hash covers it. */
const shifted: ElementOf = (key, selector, n) => (key + selector) % n;
const hashed: ElementOf = (key, selector, n) => mix(mix(key, 0x9e37), selector) % n;

/** Tries until an acknowledgement is back; undefined: the failure does not hit the flow. */
function triesOf(hosts: HostPolicy, elementOf: ElementOf, n: number, random: Random): number | undefined {
  const keys = [random.uint32(), random.uint32()] as const;
  const failed = random.int(n);
  const passes = (way: 0 | 1, selector: number) => elementOf(keys[way], selector, n) !== failed;
  const sender: PathChooser = hosts.open(FLOW, random.fork("sender"), CLIENT);
  const receiver: PathChooser = hosts.open(FLOW, random.fork("receiver"), SERVER);
  // The flow is open: both ends have seen a selector of the other.
  receiver.onData({ selector: 0, echo: 0 }, false);
  const [data, acks] = [passes(0, 0), passes(1, 0)];
  if (data && acks) return undefined;
  // The failure comes before the data pass, or after that and before their acknowledgement does.
  let known = data || (!acks && random.int(2) === 0);
  let echo = 0;
  for (let attempt = 1; attempt < 1_000; attempt++) {
    let isBack = false;
    for (const selector of sender.onTimeout(attempt)) {
      if (!passes(0, selector)) continue;
      const answers = receiver.onData({ selector, echo }, known);
      known = true;
      for (const answer of answers) {
        if (!passes(1, answer)) continue;
        if (!isBack) sender.onAck({ selector: answer, echo: selector });
        isBack = true;
        echo = answer;
      }
    }
    if (isBack) return attempt;
  }
  throw new Error("no try succeeds");
}

function planOf(scheme: string, parameters: object, tors: number): FabricPlan {
  // A ToR has this number of leaves: groups of one size, all powers of two or none.
  const topology = build({ kind: "leaf_spine", tors: 2, leaves: tors, homing: "single" });
  const chosen = schemeNamed(scheme)!;
  return chosen.plan(topology, chosen.parameters.parse(parameters));
}

describe.each([
  ["P-ECMP, failover: prr", "pecmp", { failover: "prr" }, shifted, [2, 3, 4, 5, 8, 16]],
  ["PRR, copies: 2", "prr", { copies: 2, field: "flow_label" }, hashed, [2, 3, 4, 8, 16]],
  ["PRR", "prr", { field: "flow_label" }, hashed, [2, 4, 8]],
] as const)("the closed form of %s", (_name, scheme, parameters, elementOf, sizes) => {
  it.each(sizes)("is what the choosers do, for %i equal elements", (n) => {
    const { closedForm, hosts } = planOf(scheme, parameters, n);
    const policy = schemeNamed(scheme)!.hosts(hosts, restingHost());
    const theory = closedForm!.tries({ sites: n, symmetric: true, oneSegment: true })!;
    const random = new Random(n);
    const counts: number[] = [];
    let total = 0;
    let tries = 0;
    for (let run = 0; total < RUNS; run++) {
      const count = triesOf(policy, elementOf, n, random.fork(run));
      if (count === undefined) continue;
      counts[count] = (counts[count] ?? 0) + 1;
      total++;
      tries += count;
    }
    let recovered = 0;
    for (const after of [1, 2, 3, 4]) {
      recovered += counts[after] ?? 0;
      const share = theory.recoveredAfter(after);
      // Four standard deviations of a binomial distribution.
      const margin = 4 * Math.sqrt((share * (1 - share)) / total) + 1e-9;
      expect(Math.abs(recovered / total - share), `after ${after}`).toBeLessThan(margin);
    }
    expect(tries / total).toBeCloseTo(theory.mean, 1);
    const sorted = counts.flatMap((count, after) => Array<number>(count ?? 0).fill(after));
    // No share is near 0.4 or 0.97, so that chance does not decide.
    for (const fraction of [0.4, 0.97])
      expect(theory.atQuantile(fraction)).toBe(sorted[Math.floor(total * fraction)]);
  });
});

describe("the closed forms", () => {
  it("say nothing of uneven tiers or of several segments in flight", () => {
    const prr = planOf("pecmp", { failover: "prr" }, 4).closedForm!;
    expect(prr.tries({ sites: 4, symmetric: false, oneSegment: true })).toBeUndefined();
    expect(prr.tries({ sites: 4, symmetric: true, oneSegment: false })).toBeUndefined();
    const copies = planOf("prr", { copies: 2 }, 4).closedForm!;
    expect(copies.tries({ sites: 4, symmetric: true, oneSegment: false })).toBeUndefined();
  });

  it("give P-ECMP's receiver at most three tries, and no try of one element an end", () => {
    const prr = planOf("pecmp", { failover: "prr" }, 2).closedForm!;
    const tries = prr.tries({ sites: 2, symmetric: true, oneSegment: true })!;
    expect([1, 2, 3].map((after) => tries.recoveredAfter(after))).toEqual(
      [0.5, 5 / 6, 1].map((x) => expect.closeTo(x, 12)),
    );
    const copies = planOf("prr", { copies: 2 }, 2).closedForm!;
    expect(copies.tries({ sites: 1, symmetric: true, oneSegment: true })!.atQuantile(0.5)).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});
