/** PRR's receivers where both ends send data: two choosers that answer each other. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { CLIENT, type PathChooser, restingHost, SERVER } from "../../../../src/fabric/hosts/index.js";
import { prr } from "../../../../src/fabric/schemes/prr/index.js";
import { build } from "../../topology/load.js";

const topology = build({ kind: "leaf_spine", tors: 2, leaves: 4, homing: "single" });

/** Changes of either end's selector in exchanges of new data, after one timeout of the client. */
function movesOf(receiver: "attempts" | "duplicates", exchanges: number): number {
  const plan = prr.plan(topology, prr.parameters.parse({ field: "vlan", receiver }), () => undefined);
  const policy = prr.hosts(plan.hosts, restingHost());
  const flow = { src: 1n, dst: 2n, protocol: 6, srcPort: 5, dstPort: 80 };
  const ends: PathChooser[] = [
    policy.open(flow, new Random(1), CLIENT),
    policy.open(flow, new Random(2), SERVER),
  ];
  ends[0]!.onTimeout(1);
  let moves = 0;
  for (let i = 0; i < exchanges; i++) {
    const [from, to] = [ends[i % 2]!, ends[(i + 1) % 2]!];
    const before = to.selector;
    to.onData({ selector: from.selector, echo: to.selector }, false);
    if (to.selector !== before) moves++;
  }
  return moves;
}

describe("a receiver of PRR", () => {
  it("never stays where both ends send data, if the other end's move counts as an attempt", () => {
    expect(movesOf("attempts", 20)).toBeGreaterThan(18);
  });

  it("stays until it receives duplicates, if only those count", () => {
    expect(movesOf("duplicates", 20)).toBe(0);
  });

  it("is refused a rule for one copy where it gets two, at the rule", () => {
    const places: unknown[] = [];
    const plan = (parameters: object) =>
      prr.plan(topology, prr.parameters.parse(parameters), (path) => void places.push(path));
    expect(() => plan({ copies: 2, receiver: "duplicates" })).toThrow(/P45543.*receiver: duplicates/s);
    expect(places).toEqual([["receiver"]]);
    expect(plan({ copies: 2, receiver: "attempts" }).scheme).toBe("prr");
  });

  it("has the closed form of both directions drawn again with attempts alone", () => {
    const formOf = (parameters: object) =>
      prr.plan(topology, prr.parameters.parse(parameters), () => undefined).closedForm;
    expect(formOf({})?.formula).toContain("N");
    expect(formOf({ receiver: "duplicates" })).toBeUndefined();
    expect(formOf({ copies: 2 })).toBeDefined();
  });
});
