/** Presto: labels of cells, timeouts and twice received data; reassembly below TCP, its times; its plan, and whole flows through compiled programs. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { Segment } from "../../../../src/base/packets/index.js";
import { CLIENT, restingHost } from "../../../../src/fabric/hosts/index.js";
import { hostPolicyOf, schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { Reassembly } from "../../../../src/fabric/sim/packet/transport/reassembly.js";
import { nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import { build, messagesOf } from "../../topology/load.js";

const scheme = schemeNamed("presto")!;
const fabric = build({ kind: "leaf_spine", tors: 3, leaves: 4, homing: "single", hosts_per_rack: 2 });

function planOf(parameters: object = {}, topology: Topology = fabric) {
  const plan = scheme.plan(topology, scheme.parameters.parse(parameters));
  return { plan, policy: hostPolicyOf(plan.hosts, restingHost()) };
}

const flow = (from: string, to: string) => {
  const [src, dst] = [from, to].map((name) => nodeNamed(fabric, name)!.host!.ipv4);
  return { src: src!, dst: dst!, protocol: 6, srcPort: 1000, dstPort: 80 };
};
const MARKS = { selector: 0, echo: 0 };

describe("a sender", () => {
  it("takes the routes in turn, one for each 64 KB, also where it sends data again", () => {
    const path = planOf().policy.open(flow("host0-0-0", "host0-1-0"), new Random(1), CLIENT);
    const at = (position: number) => path.selectorFor!({ position, bytes: 1440, nowNs: 0 });
    const cells = Array.from({ length: 9 }, (_, cell) => [at(cell * 65_536), at(cell * 65_536 + 65_535)]);
    for (const [first, last] of cells) expect(last).toBe(first);
    const labels = cells.map(([first]) => first);
    expect([...new Set(labels)].sort()).toEqual([1, 2, 3, 4]);
    expect(labels.slice(0, 4).sort()).toEqual([1, 2, 3, 4]);
    expect(labels.slice(4)).toEqual(labels.slice(0, 5));
    expect(at(70_000)).toBe(labels[1]);
  });

  it("takes the next route after a timeout, and a receiver where data come twice", () => {
    const path = planOf().policy.open(flow("host0-0-0", "host0-1-0"), new Random(1), CLIENT);
    const first = path.selectorFor!({ position: 0, bytes: 1440, nowNs: 0 });
    const [next] = path.onTimeout(1);
    expect(next).not.toBe(first);
    expect(path.selectorFor!({ position: 0, bytes: 1440, nowNs: 0 })).toBe(next);
    expect(path.onData(MARKS, false)).toEqual([next]);
    expect(path.onData(MARKS, true)).not.toEqual([next]);
  });

  it("begins at a route that is drawn, and has label 0 in its own rack", () => {
    const { policy } = planOf();
    const starts = Array.from(
      { length: 40 },
      (_, i) => policy.open(flow("host0-0-0", "host0-1-0"), new Random(i), CLIENT).selector,
    );
    expect(new Set(starts).size).toBe(4);
    expect(policy.open(flow("host0-0-0", "host0-0-1"), new Random(1), CLIENT).selector).toBe(0);
  });
});

describe("the plan", () => {
  it("needs reassembly from the engine unless it is off", () => {
    expect(planOf().policy).toMatchObject({
      needs: ["packets", "reassembly"],
      reassembly: { cellBytes: 65_536, holdNs: 1e6 },
    });
    const { policy, plan } = planOf({ reassembly: false, cell: 10_000 });
    expect(policy.needs).toEqual(["packets"]);
    expect(policy.reassembly).toBeUndefined();
    expect(plan.notes!.join(" ")).toMatch(/cells of 10000 bytes .* nothing puts them in order again/);
  });

  it("has routes over all leaves, as many as are asked for", () => {
    const selectors = (paths: number) => {
      const path = planOf({ paths }).policy.open(flow("host0-0-0", "host0-1-0"), new Random(1), CLIENT);
      return new Set(
        Array.from({ length: 12 }, (_, cell) =>
          path.selectorFor!({ position: cell * 65_536, bytes: 1, nowNs: 0 }),
        ),
      );
    };
    expect(selectors(4).size).toBe(4);
    expect(selectors(2).size).toBe(2);
  });

  it("refuses a field with too few labels, and wrong cells", () => {
    const clos = build({ kind: "leaf_spine", tors: 2, leaves: 70, homing: "single", hosts_per_rack: 1 });
    expect(messagesOf(() => planOf({ paths: 64 }, clos))).toMatch(/P45541.*field dscp has 63 selectors/);
    for (const cell of [999, 1.5, 2 ** 31]) expect(() => scheme.parameters.parse({ cell })).toThrow();
    for (const paths of [1, 65]) expect(() => scheme.parameters.parse({ paths })).toThrow();
  });
});

describe("reassembly", () => {
  const make = () => new Reassembly({ cellBytes: 100, holdNs: 1000 });
  const segment = (sequence: number) => Object.assign(new Segment(), { sequence });

  it("lets a gap within a cell pass at once: it is a loss", () => {
    expect(make().holds(segment(50), 1, 50, 10, 0)).toBe(false);
    expect(make().holds(segment(150), 1, 150, 10, 0)).toBe(true);
  });

  it("holds what another path has overtaken until the gap closes, with the labels of the segments", () => {
    const reassembly = make();
    expect(reassembly.holds(segment(150), 2, 150, 50, 0)).toBe(true);
    expect(reassembly.holds(segment(100), 2, 100, 50, 0)).toBe(true);
    expect(reassembly.release(60, 100)).toBeUndefined();
    expect(reassembly.release(100, 200)).toMatchObject({ selector: 2, segment: { sequence: 100 } });
    expect(reassembly.release(150, 200)?.segment.sequence).toBe(150);
    expect(reassembly.release(200, 200)).toBeUndefined();
    expect(reassembly.deadline).toBe(Number.POSITIVE_INFINITY);
    // Twice the mean time that gaps were open.
    expect(reassembly.patienceNs).toBe(400);
  });

  it("lets go what has waited too long, in order", () => {
    const reassembly = make();
    reassembly.holds(segment(250), 1, 250, 50, 0);
    reassembly.holds(segment(150), 1, 150, 50, 500);
    expect(reassembly.deadline).toBe(1000);
    expect(reassembly.release(50, 999)).toBeUndefined();
    expect(reassembly.release(50, 1000)?.segment.sequence).toBe(150);
    expect(reassembly.release(50, 1000)?.segment.sequence).toBe(250);
    expect(reassembly.release(50, 1000)).toBeUndefined();
  });

  it("keeps a copy: the next frame does not change it", () => {
    const reassembly = make();
    const reused = segment(150);
    reassembly.holds(reused, 1, 150, 50, 0);
    reused.sequence = 9;
    reused.sackStarts[0] = 7;
    const held = reassembly.release(150, 0)!.segment;
    expect([held.sequence, held.sackStarts[0]]).toEqual([150, 0]);
  });
});
