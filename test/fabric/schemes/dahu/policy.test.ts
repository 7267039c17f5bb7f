/** The policy of Dahu's switch software: closed forms, and properties over random port groups and traffic. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Balancer, PortTraffic } from "../../../../src/fabric/schemes/dahu/policy/allocation.js";
import { relativeCapacities } from "../../../../src/fabric/schemes/dahu/policy/allocation.js";
import { Rebalancing } from "../../../../src/fabric/schemes/dahu/policy/epoch.js";
import { DerouteHolds, feedsBack } from "../../../../src/fabric/schemes/dahu/policy/feedback.js";
import { FullBalancer } from "../../../../src/fabric/schemes/dahu/policy/full-balance.js";
import { HeuristicBalancer } from "../../../../src/fabric/schemes/dahu/policy/heuristic.js";
import { PortGroups, type Remap } from "../../../../src/fabric/schemes/dahu/policy/port-groups.js";
import { type FurtherRule, furtherState } from "../../../../src/fabric/schemes/dahu/policy/threshold.js";
import { switchMemory } from "./paper-memory.js";

interface Case {
  readonly groups: PortGroups;
  readonly measured: PortTraffic;
}

/** Port groups with random members, random traffic of each group, and random other traffic. */
const cases: fc.Arbitrary<Case> = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 2, max: 9 }), fc.integer({ min: 1, max: 64 }))
  .chain(([groups, ports, virtualPorts]) =>
    fc.record({
      members: fc.array(fc.subarray([...Array(ports).keys()], { minLength: 1 }), {
        minLength: groups,
        maxLength: groups,
      }),
      traffic: fc.array(fc.nat(1000), { minLength: groups * ports, maxLength: groups * ports }),
      other: fc.array(fc.nat(1000), { minLength: ports, maxLength: ports }),
      sizes: fc.constant([ports, virtualPorts] as const),
    }),
  )
  .map(({ members, traffic, other, sizes: [ports, virtualPorts] }) => {
    const groups = new PortGroups(ports, virtualPorts, members);
    const byGroup = Float64Array.from(traffic, (amount, at) => (groups.counts[at]! > 0 ? amount : 0));
    const byPort = Float64Array.from(other);
    for (const [at, amount] of byGroup.entries()) byPort[at % ports]! += amount;
    return { groups, measured: { byGroup, byPort } };
  });

/** Traffic of each port under an allocation. */
function portsUnder({ groups, measured }: Case, target: Float64Array): number[] {
  return Array.from(measured.byPort, (all, port) => {
    let sum = all;
    for (let at = port; at < target.length; at += groups.ports) sum += target[at]! - measured.byGroup[at]!;
    return sum;
  });
}

function balanced(balancer: Balancer, { groups, measured }: Case): Float64Array {
  const target = new Float64Array(measured.byGroup.length);
  balancer.balance(groups, measured, target);
  return target;
}

const squares = (values: readonly number[]) => values.reduce((sum, value) => sum + value * value, 0);

describe("port groups", () => {
  it("map virtual ports to members in turn", () => {
    const groups = new PortGroups(4, 7, [
      [1, 3],
      [0, 1, 2],
    ]);
    expect([...groups.map]).toEqual([1, 3, 1, 3, 1, 3, 1, 0, 1, 2, 0, 1, 2, 0]);
    expect([...groups.counts]).toEqual([0, 4, 0, 3, 3, 2, 2, 0]);
  });

  it("refuse a group without members and a port that does not exist", () => {
    expect(() => new PortGroups(2, 4, [[0], []])).toThrow("port group 1 has no member");
    expect(() => new PortGroups(2, 4, [[0, 2]])).toThrow("port 2 of group 0: there are 2");
    expect(() => new PortGroups(2, 4, [[-1]])).toThrow("port -1 of group 0: there are 2");
    expect(() => new PortGroups(2, 0, [[0]])).toThrow("0 virtual ports");
  });

  it("move the virtual ports of a failed port alone, evenly, and give them none back by themselves", () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ groups }, draw) => {
        const port = draw % groups.ports;
        const before = groups.map.slice();
        const counts = groups.counts.slice();
        const moved = groups.portDown(port);
        for (const { group, virtualPort, from, to } of moved) {
          expect(from).toBe(port);
          expect(groups.members[group * groups.ports + to]).toBe(1);
          expect(groups.portOf(group, virtualPort)).toBe(to);
          before[group * groups.virtualPorts + virtualPort] = to;
        }
        expect(groups.map).toEqual(before);
        for (let group = 0; group < groups.groups; group++) {
          const gained = [...Array(groups.ports).keys()]
            .filter((own) => groups.members[group * groups.ports + own] === 1)
            .map((own) => groups.counts[group * groups.ports + own]! - counts[group * groups.ports + own]!);
          if (gained.length === 0) continue;
          expect(groups.counts[group * groups.ports + port]).toBe(0);
          expect(Math.max(...gained) - Math.min(...gained)).toBeLessThanOrEqual(1);
        }
        groups.portUp(port);
        expect(groups.map).toEqual(before);
      }),
    );
  });
});

describe("the threshold rule", () => {
  const rule = (offThreshold = 0.8, offEpochs = 1): FurtherRule => ({
    threshold: 0.8,
    offThreshold,
    offEpochs,
  });

  it("allows further ports from 80 % of the shortest paths' capacity on", () => {
    expect(furtherState(0, 15.9, 20, rule())).toBe(0);
    expect(furtherState(0, 16, 20, rule())).toBe(1);
    expect(furtherState(1, 15.9, 20, rule())).toBe(0);
  });

  it("allows them where no shortest path is up", () => {
    expect(furtherState(0, 0, 0, rule())).toBe(1);
  });

  it("denies them after so many epochs in sequence below the off-threshold", () => {
    expect(furtherState(1, 12, 20, rule(0.6))).toBe(1);
    expect(furtherState(1, 11.9, 20, rule(0.6))).toBe(0);
    expect(furtherState(3, 11.9, 20, rule(0.6, 3))).toBe(2);
    expect(furtherState(2, 12, 20, rule(0.6, 3))).toBe(3);
    expect(furtherState(1, 0, 20, rule(0.6, 3))).toBe(0);
    expect(furtherState(0, 15, 20, rule(0.6, 3))).toBe(0);
  });
});

describe("ports of different rates", () => {
  const RATES = [10, 40, 1, 5];
  const balancers = [
    ["the full algorithm", () => new FullBalancer()],
    ["the heuristic", () => new HeuristicBalancer()],
  ] as const;

  it.each(balancers)("%s equalises their utilisation, not their load", (_name, make) => {
    const groups = new PortGroups(2, 1024, [[0, 1]]);
    const measured = (a: number, b: number): PortTraffic => ({
      byGroup: Float64Array.from([a, b]),
      byPort: Float64Array.from([a, b]),
      capacity: relativeCapacities([20, 5]),
    });
    for (const [a, b] of [
      [15, 15],
      [30, 0],
      [0, 30],
    ] as const) {
      const target = balanced(make(), { groups, measured: measured(a, b) });
      expect([...target]).toEqual([expect.closeTo(24, 9), expect.closeTo(6, 9)]);
    }
    expect([...balanced(make(), { groups, measured: measured(24, 6) })]).toEqual([24, 6]);
  });

  it.each(balancers)(
    "%s keeps the traffic of each group, and never raises the highest utilisation",
    (_name, make) => {
      fc.assert(
        fc.property(cases, (one) => {
          const { groups, measured } = one;
          const capacity = relativeCapacities(
            Array.from({ length: groups.ports }, (_, port) => RATES[port % RATES.length]!),
          );
          const target = balanced(make(), { groups, measured: { ...measured, capacity } });
          for (let group = 0; group < groups.groups; group++) {
            const of = (list: Float64Array) =>
              list.subarray(group * groups.ports, (group + 1) * groups.ports).reduce((sum, x) => sum + x, 0);
            expect(of(target)).toBeCloseTo(of(measured.byGroup), 6);
          }
          for (const [at, amount] of target.entries()) expect(amount > 0 ? groups.members[at] : 1).toBe(1);
          const most = (ports: ArrayLike<number>) =>
            Math.max(...Array.from(ports, (traffic, port) => traffic / capacity[port]!));
          expect(most(portsUnder(one, target))).toBeLessThanOrEqual(most(measured.byPort) * (1 + 1e-9));
        }),
      );
    },
  );

  it("have shares of the highest rate as capacities", () => {
    expect([...relativeCapacities([20, 5, 0])]).toEqual([1, 0.25, 1]);
    expect([...relativeCapacities([7, 7])]).toEqual([1, 1]);
  });
});

describe.each([
  ["the full algorithm", () => new FullBalancer()],
  ["the heuristic", () => new HeuristicBalancer()],
])("%s", (_name, make) => {
  it("keeps the traffic of each group, gives it to members alone, and never balances worse", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { groups, measured } = one;
        const target = balanced(make(), one);
        for (let group = 0; group < groups.groups; group++) {
          const [from, to] = [group * groups.ports, (group + 1) * groups.ports];
          const sum = (values: Float64Array) => values.subarray(from, to).reduce((a, b) => a + b, 0);
          expect(sum(target)).toBeCloseTo(sum(measured.byGroup), 6);
        }
        for (const [at, amount] of target.entries()) {
          expect(amount).toBeGreaterThanOrEqual(0);
          if (amount > 0) expect(groups.members[at]).toBe(1);
        }
        const before = squares([...measured.byPort]);
        expect(squares(portsUnder(one, target))).toBeLessThanOrEqual(before * (1 + 1e-9));
      }),
    );
  });

  it("moves no more than the balance lacks when virtual ports are remapped", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { groups, measured } = one;
        const { ports } = groups;
        const target = balanced(make(), one);
        const share = measured.byGroup.map((traffic, at) => traffic / Math.max(1, groups.counts[at]!));
        const flow = new Float64Array(measured.byGroup.length);
        const moves: Remap[] = [];
        new Rebalancing(make()).rebalance(groups, measured, (remap) => moves.push(remap));
        for (const { group, from, to } of moves) {
          flow[group * ports + from]! -= share[group * ports + from]!;
          flow[group * ports + to]! += share[group * ports + from]!;
        }
        for (const [at, moved] of flow.entries()) {
          const wanted = target[at]! - measured.byGroup[at]!;
          expect(Math.abs(moved)).toBeLessThanOrEqual(Math.abs(wanted) + 1e-6);
          if (moved !== 0) expect(Math.sign(moved)).toBe(Math.sign(wanted));
        }
      }),
    );
  });
});

describe("the full algorithm", () => {
  it("makes the ports of one group equal", () => {
    const groups = new PortGroups(4, 64, [[0, 1, 2, 3]]);
    const byGroup = Float64Array.of(40, 0, 0, 0);
    const one = { groups, measured: { byGroup, byPort: Float64Array.of(40, 0, 20, 4) } };
    // 64 in total: 16 each, but port 2 has 20 that do not move; (64 - 20) / 3.
    const level = 44 / 3;
    const ports = portsUnder(one, balanced(new FullBalancer(1e-9), one));
    for (const [port, value] of [level, level, 20, level].entries()) expect(ports[port]).toBeCloseTo(value);
  });

  it("balances ports that no group has together through a group between them", () => {
    const groups = new PortGroups(3, 64, [
      [0, 1],
      [1, 2],
    ]);
    const byGroup = Float64Array.of(30, 0, 0, 0, 0, 0);
    byGroup[4] = 30;
    const one = { groups, measured: { byGroup, byPort: Float64Array.of(30, 30, 0) } };
    const ports = portsUnder(one, balanced(new FullBalancer(1e-9), one));
    for (const port of ports) expect(port).toBeCloseTo(20, 4);
  });

  it("leaves no group that could still lower its highest port", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { groups } = one;
        const target = balanced(new FullBalancer(1e-9), one);
        const ports = portsUnder(one, target);
        const slack = 1e-3 * (1 + Math.max(...ports));
        for (let group = 0; group < groups.groups; group++) {
          const base = group * groups.ports;
          const own = [...Array(groups.ports).keys()].filter((port) => groups.members[base + port] === 1);
          const lowest = Math.min(...own.map((port) => ports[port]!));
          for (const port of own)
            if (target[base + port]! > slack) expect(ports[port]).toBeLessThan(lowest + slack);
        }
      }),
    );
  });
});

describe("the heuristic", () => {
  it("moves half of the difference from the highest port to the lowest, R times", () => {
    const groups = new PortGroups(4, 64, [[0, 1, 2, 3]]);
    const byGroup = Float64Array.of(80, 40, 0, 10);
    const one = { groups, measured: { byGroup, byPort: byGroup.slice() } };
    expect([...balanced(new HeuristicBalancer(1), one)]).toEqual([40, 40, 40, 10]);
    // Port 1 is the next: of three equal ones the first that has not offloaded.
    expect([...balanced(new HeuristicBalancer(2), one)]).toEqual([40, 25, 40, 25]);
  });

  it("takes what a port offloads from its groups in their order, from the next ones what the first do not have", () => {
    const groups = new PortGroups(3, 64, [
      [0, 1],
      [0, 2],
      [0, 1],
    ]);
    const byGroup = Float64Array.of(4, 0, 0, 30, 0, 6, 16, 0, 0);
    const one = { groups, measured: { byGroup, byPort: Float64Array.of(50, 0, 6) } };
    // Half of 50 to port 1, of which its groups have 20.
    expect([...balanced(new HeuristicBalancer(1), one)]).toEqual([0, 4, 0, 30, 0, 6, 0, 16, 0]);
    // Ports 1 and 2 share groups with port 0 alone, which has offloaded.
    expect([...balanced(new HeuristicBalancer(3), one)]).toEqual([0, 4, 0, 30, 0, 6, 0, 16, 0]);
  });

  it("gives a port that has offloaded nothing back in the same turn", () => {
    // The second port would give 25 to the first one, whose flows of 50 could then not move: 25 remain to be moved.
    const groups = new PortGroups(4, 8, [[0, 1, 2, 3]]);
    const traffic = Float64Array.from([100, 100, 0, 100]);
    const target = new Float64Array(4);
    new HeuristicBalancer().balance(groups, { byGroup: traffic, byPort: traffic }, target);
    expect([...target]).toEqual([50, 75, 87.5, 87.5]);
  });

  it("lets each port offload once and gives it nothing later, whatever the rates are (no check is needed: it stays the fullest)", () => {
    const rates = fc.array(fc.constantFrom(1, 2.5, 4, 10), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(cases, rates, (one, drawn) => {
        const { ports } = one.groups;
        const capacity = relativeCapacities(drawn.slice(0, ports));
        const under = (rounds: number) =>
          balanced(new HeuristicBalancer(rounds), { ...one, measured: { ...one.measured, capacity } });
        const offloaded = new Set<number>();
        let before = under(0);
        for (let rounds = 1; rounds <= ports; rounds++) {
          const after = under(rounds);
          const changed = (sign: number) =>
            new Set(
              [...after.keys()]
                .filter((at) => sign * (after[at]! - before[at]!) > 1e-9)
                .map((at) => at % ports),
            );
          const [gained, lost] = [changed(1), changed(-1)];
          expect(lost.size).toBeLessThanOrEqual(1);
          for (const port of lost) {
            expect(offloaded.has(port)).toBe(false);
            offloaded.add(port);
          }
          expect([...gained].filter((port) => offloaded.has(port))).toEqual([]);
          before = after;
        }
      }),
      { numRuns: 300 },
    );
  });

  it("offloads only to ports with which the highest shares a group, and only what the groups send", () => {
    const groups = new PortGroups(3, 64, [
      [0, 1],
      [1, 2],
    ]);
    const byGroup = Float64Array.of(10, 0, 0, 0, 0, 0);
    const one = { groups, measured: { byGroup, byPort: Float64Array.of(50, 20, 0) } };
    expect([...balanced(new HeuristicBalancer(1), one)]).toEqual([0, 10, 0, 0, 0, 0]);
  });
});

describe("remapping", () => {
  it("moves to the first port that lacks traffic, port 0 too", () => {
    const groups = new PortGroups(3, 6, [[0, 1, 2]]);
    const byGroup = Float64Array.of(0, 40, 20);
    const moved: Remap[] = [];
    new Rebalancing(new HeuristicBalancer(1)).rebalance(groups, { byGroup, byPort: byGroup }, (remap) =>
      moved.push(remap),
    );
    // Port 1 has two virtual ports of 20 each, and sends 20 to port 0.
    expect(moved).toEqual([{ group: 0, virtualPort: 1, from: 1, to: 0 }]);
    expect(groups.portOf(0, 1)).toBe(0);
  });

  // Two flows on port 0, in its virtual ports 2 and 6 of 0, 2, 4, 6; port 1 is idle.
  const measured = { byGroup: Float64Array.of(10, 0), byPort: Float64Array.of(10, 0) };
  const byVirtualPort = Float64Array.of(0, 0, 5, 0, 0, 0, 5, 0);
  const movedBy = (traffic: PortTraffic) => {
    const moved: number[] = [];
    new Rebalancing(new HeuristicBalancer()).rebalance(new PortGroups(2, 8, [[0, 1]]), traffic, (remap) =>
      moved.push(remap.virtualPort),
    );
    return moved;
  };

  it("takes virtual ports of a member as equal where the switch does not count them", () => {
    expect(movedBy(measured)).toEqual([0, 2]);
  });

  it("moves those that carry what must move, and no empty ones, where it does", () => {
    expect(movedBy({ ...measured, byVirtualPort })).toEqual([2]);
    // A flow that has the port for itself stays: all of it would be too much.
    expect(movedBy({ ...measured, byVirtualPort: Float64Array.of(0, 0, 10, 0, 0, 0, 0, 0) })).toEqual([]);
  });
});

describe("congestion feedback", () => {
  it("is given for a derouted packet alone, where shortest paths are full", () => {
    const given = [false, true].flatMap((derouted) => [false, true].map((full) => feedsBack(derouted, full)));
    expect(given).toEqual([false, false, false, true]);
  });

  it("holds one port for one destination, 5 ms from the last feedback", () => {
    const holds = new DerouteHolds(8);
    holds.hold(3, 2, 1_000_000);
    expect(holds.isHeld(3, 2, 5_999_999)).toBe(true);
    expect(holds.isHeld(3, 1, 2_000_000)).toBe(false);
    expect(holds.isHeld(2, 2, 2_000_000)).toBe(false);
    holds.hold(3, 2, 4_000_000);
    expect(holds.isHeld(3, 2, 8_999_999)).toBe(true);
    expect(holds.isHeld(3, 2, 9_000_000)).toBe(false);
    expect(holds.expire(8_999_999)).toEqual([]);
    expect(holds.expire(9_000_000)).toEqual([{ destination: 3, port: 2 }]);
    expect(holds.expire(9_000_000)).toEqual([]);
  });
});

describe("the memory of a switch", () => {
  const sizes = { groups: 64, virtualPorts: 1024, prefixes: 16_384, bitmaps: 2 };
  const kilobytes = (ports: number) =>
    Object.values(switchMemory({ ports, ...sizes })).map((bytes) => bytes / 1024);

  it("is the paper's: 64 + 64 + 512 = 640 KB, and 64 + 32 + 256 = 352 KB", () => {
    expect(kilobytes(128)).toEqual([64, 64, 512, 640]);
    expect(kilobytes(64)).toEqual([64, 32, 256, 352]);
  });
});
