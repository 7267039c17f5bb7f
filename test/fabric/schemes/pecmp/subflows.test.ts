/** Which subflows survive a failure: the rules for their selectors against the paper's count, for all places of a failure. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { CLIENT, type ConnectionEnd, restingHost } from "../../../../src/fabric/hosts/index.js";
import { pecmpHosts } from "../../../../src/fabric/schemes/pecmp/hosts.js";
import { HOPS, layOut, readSlice } from "../../../../src/fabric/schemes/pecmp/layout.js";
import type { Control } from "../../../../src/fabric/schemes/pecmp/matrix.js";
import { offsetSet } from "../../../../src/fabric/schemes/pecmp/selectors.js";
import { type SubflowRule, shifted, subflowOffset } from "../../../../src/fabric/schemes/pecmp/subflows.js";

/** Subflows that avoid place `a` of `n` on the way there and place `b` on the way back. */
function survivors(rule: SubflowRule, count: number, n: number, a: number, b: number): number {
  let alive = 0;
  for (let subflow = 0; subflow < count; subflow++) {
    const at = (role: ConnectionEnd["role"]) => subflowOffset(rule, { role, subflow, subflows: count }) % n;
    if (at("client") !== a && at("server") !== b) alive++;
  }
  return alive;
}

/** Share of the pairs of places at which no subflow is left. */
function lostShare(rule: SubflowRule, count: number, n: number): number {
  let lost = 0;
  for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) if (survivors(rule, count, n, a, b) === 0) lost++;
  return lost / n ** 2;
}

describe("the selectors of subflows", () => {
  it("leave a subflow whatever fails, with four or more of them and halved selectors", () => {
    for (let n = 2; n <= 70; n++)
      for (let count = 4; count <= 9; count++)
        expect([n, count, lostShare("halved", count, n)]).toEqual([n, count, 0]);
  });

  it("lose half of the connections at two places, if both directions have the same", () => {
    for (let count = 2; count <= 8; count++) expect(lostShare("mirrored", count, 2)).toBe(0.5);
    expect(lostShare("mirrored", 4, 4)).toBe(0);
  });

  it("lose as one flow does, if all have offset 0", () => {
    for (const n of [2, 4, 8]) expect(lostShare("none", 4, n)).toBeCloseTo((2 * n - 1) / n ** 2, 12);
  });

  const fanOuts = { nic: { least: 2, most: 2 }, tor: { least: 4, most: 4 }, leaf: { least: 8, most: 8 } };
  const layoutOf = (control: Control) =>
    layOut(control, "flow_label", "none", fanOuts, offsetSet("odd", 8).bits);

  it.each(["offset", "hops", "both"] as const)("move every hop by the offset: control %s", (control) => {
    const layout = layoutOf(control);
    const first = control === "hops" ? 1 : 0;
    fc.assert(
      fc.property(fc.nat(3), fc.nat(9), (start, offset) => {
        const from = shifted(layout, shifted(layout, 0, 0), start);
        const to = shifted(layout, from, offset);
        for (const hop of HOPS) {
          const n = fanOuts[hop as keyof typeof fanOuts]?.least;
          if (n === undefined) continue;
          const [before, after] = [from, to].map((selector) => readSlice(layout, hop, selector) - first);
          expect([hop, (((after! - before! - offset) % n) + n) % n]).toEqual([hop, 0]);
        }
      }),
    );
  });

  it.each(["offset", "hops"] as const)("begin at one place for one five-tuple: control %s", (control) => {
    const layout = layoutOf(control);
    const flow = { src: 1n, dst: 2n, protocol: 6, srcPort: 77, dstPort: 80 };
    const policy = pecmpHosts(
      { failover: "none", layout, offsets: offsetSet("odd", 8), subflows: "halved" },
      restingHost(),
    );
    const selectorOf = (role: ConnectionEnd["role"], subflow: number, seed: number) =>
      policy.open(flow, new Random(seed), { role, subflow, subflows: 4 }).selector;
    for (let k = 0; k < 4; k++) {
      expect(selectorOf("client", k, k)).toBe(shifted(layout, selectorOf("client", 0, 99), k));
      expect(selectorOf("server", k, k)).toBe(
        shifted(layout, selectorOf("server", 0, 99), Math.floor(k / 2)),
      );
    }
    expect(policy.open(flow, new Random(1), CLIENT).selector === 0).toBe(control === "offset");
  });
});
