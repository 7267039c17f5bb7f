/** PLB's rules against a model of them that counts in another way, and the programs that mark. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import {
  CLIENT,
  type HostContext,
  type LeavingPath,
  restingHost,
  WaitingPath,
} from "../../../../src/fabric/hosts/index.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import {
  type Balancing,
  BalancingPath,
  balancingSchema,
} from "../../../../src/fabric/schemes/plb/balancing-path.js";
import { build } from "../../topology/load.js";

const DEFAULTS = balancingSchema.parse({});
const SECOND = 1e9;
const up = { leave: (from: number) => from + 1 };

type Event =
  | { what: "round"; marked: number; after: number }
  | { what: "idle"; after: number }
  | { what: "timeout"; after: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant("round" as const),
      marked: fc.integer({ min: 0, max: 10 }),
      after: fc.nat(20),
    }),
  },
  fc.record({ what: fc.constant("idle" as const), after: fc.nat(20) }),
  fc.record({ what: fc.constant("timeout" as const), after: fc.nat(20) }),
);

/** Plays events, seconds apart; gives at which of them the flow left for congestion. */
function movesOf(rules: Balancing, events: readonly Event[], seed: number): number[] {
  let now = 0;
  const clock = { now: () => now, at: () => () => {} };
  const path = new BalancingPath(new WaitingPath(up, new Random(0), 0), rules, clock, new Random(seed));
  const moves: number[] = [];
  for (const [i, one] of events.entries()) {
    now += one.after * SECOND;
    if (one.what === "round") path.onRound({ ackedBytes: 10, markedBytes: one.marked, durationNs: 1 });
    else if (one.what === "idle") path.onIdle();
    else path.onTimeout(1);
    if (path.selector > moves.length) moves.push(i);
  }
  expect(path.repaths).toBe(moves.length);
  return moves;
}

describe("PLB's rules", () => {
  it("move a flow after 12 congested rounds in sequence, and after 3 when it pauses", () => {
    const congested: Event = { what: "round", marked: 5, after: 0 };
    const clear: Event = { what: "round", marked: 4, after: 0 };
    const idle: Event = { what: "idle", after: 0 };
    const rounds = (n: number) => new Array<Event>(n).fill(congested);
    expect(movesOf(DEFAULTS, rounds(30), 1)).toEqual([11, 23]);
    expect(movesOf(DEFAULTS, [...rounds(11), clear, ...rounds(11)], 1)).toEqual([]);
    expect(movesOf(DEFAULTS, [...rounds(3), idle, idle], 1)).toEqual([3]);
    expect(movesOf(DEFAULTS, [...rounds(2), idle], 1)).toEqual([]);
  });

  it("leave congestion alone for one to two pauses after a timeout", () => {
    const rounds = Array.from({ length: 200 }, (): Event => ({ what: "round", marked: 10, after: 1 }));
    const first = Array.from(
      { length: 60 },
      (_, seed) => movesOf(DEFAULTS, [{ what: "timeout", after: 0 }, ...rounds], seed)[0]!,
    );
    // Event i is at i seconds.
    expect(Math.min(...first)).toBeGreaterThanOrEqual(60);
    expect(Math.max(...first)).toBeLessThanOrEqual(120);
    expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(40);
  });

  it("move whenever and only when a model of them does", () => {
    const rules = fc.record({
      congested_share: fc.constantFrom(0.1, 0.5, 1),
      idle_rounds: fc.integer({ min: 1, max: 4 }),
      rounds: fc.integer({ min: 1, max: 6 }),
      pause_s: fc.constant(0),
    });
    fc.assert(
      fc.property(rules, fc.array(event, { maxLength: 60 }), (own, events) => {
        const expected: number[] = [];
        let from = 0;
        for (const [i, one] of events.entries()) {
          // Rounds since the last move or timeout, in sequence, all congested.
          const rounds = events.slice(from, i + 1).filter(({ what }) => what === "round") as {
            marked: number;
          }[];
          const clear = rounds.findLastIndex(({ marked }) => marked < 10 * own.congested_share);
          const inSequence = rounds.length - 1 - clear;
          if (one.what === "timeout") from = i + 1;
          else if (inSequence >= (one.what === "idle" ? Math.min(own.idle_rounds, own.rounds) : own.rounds)) {
            if (one.what === "idle" && Math.min(inSequence, own.rounds) < own.idle_rounds) continue;
            expected.push(i);
            from = i + 1;
          }
        }
        expect(movesOf(own, events, 1)).toEqual(expected);
      }),
    );
  });

  it("count no round without bytes", () => {
    const path = new BalancingPath(
      new WaitingPath(up, new Random(0), 0),
      { ...DEFAULTS, rounds: 1 },
      restingHost().clock,
      new Random(1),
    );
    path.onRound({ ackedBytes: 0, markedBytes: 0, durationNs: 1 });
    expect(path.repaths).toBe(0);
  });
});

describe("the path below", () => {
  it("gets timeouts, acknowledgements and data, and decides their copies", () => {
    const calls: string[] = [];
    const path: LeavingPath = {
      selector: 3,
      leave: () => calls.push("leave"),
      onTimeout: (attempt) => [calls.push(`timeout ${attempt}`), 7],
      onAck: () => void calls.push("ack"),
      onData: (_segment, duplicate) => [calls.push(`data ${duplicate}`)],
    };
    const own = new BalancingPath(path, { ...DEFAULTS, rounds: 1 }, restingHost().clock, new Random(1));
    expect(own.selector).toBe(3);
    expect(own.onTimeout(2)).toEqual([1, 7]);
    own.onAck({ selector: 0, echo: 0 });
    expect(own.onData({ selector: 0, echo: 0 }, true)).toEqual([3]);
    expect(calls).toEqual(["timeout 2", "ack", "data true"]);
  });
});

describe("schemes with these rules", () => {
  const topology = build({ kind: "leaf_spine", tors: 4, leaves: 4, homing: "single" });
  const planOf = (name: string, parameters: object) => {
    const scheme = schemeNamed(name)!;
    return { scheme, plan: scheme.plan(topology, scheme.parameters.parse(parameters), () => undefined) };
  };
  /** Selectors of a flow that moves for congestion again and again. */
  const selectorsOf = (name: string, parameters: object, moves: number) => {
    const { scheme, plan } = planOf(name, parameters);
    const context: HostContext = restingHost();
    const policy = scheme.hosts(plan.hosts, context);
    expect(policy).toMatchObject({ ecn: true, needs: ["rounds", "marks", "idle"] });
    const flow = { src: 1n, dst: 2n, protocol: 6, srcPort: 5, dstPort: 80 };
    const chooser = policy.open(flow, new Random(4), CLIENT);
    return Array.from({ length: moves }, (_, i) => {
      for (let round = 0; round < 12; round++)
        chooser.onRound!({ ackedBytes: 2, markedBytes: 1, durationNs: 1 });
      expect(chooser.repaths).toBe(i + 1);
      return chooser.selector;
    });
  };

  it("draw from all values under PLB, and from the offsets under P-ECMP", () => {
    const drawn = selectorsOf("plb", {}, 200);
    expect(new Set(drawn.map((selector) => selector % 4)).size).toBe(4);
    expect(drawn.some((selector, i) => i > 0 && (selector - drawn[i - 1]!) % 2 === 0)).toBe(true);
    for (const failover of ["probe", "prr", "shift", "none"]) {
      const shifted = selectorsOf("pecmp", { balance: {}, failover }, 50);
      // Four leaves: odd offsets, so that each move leaves.
      for (const [i, selector] of shifted.entries())
        expect(Math.abs(selector - (i === 0 ? 0 : shifted[i - 1]!)) % 2).toBe(1);
    }
  });

  it.each(["plb", "pecmp"])("mark from 65 packets on, or from the set threshold: %s", (name) => {
    const ecnOf = (parameters: object) =>
      planOf(name, parameters).plan.programs.map(({ values }) => (values as { ecn?: unknown }).ecn);
    const own = (threshold: object) => (name === "plb" ? threshold : { balance: threshold });
    for (const ecn of ecnOf(own({}))) expect(ecn).toEqual({ threshold: 65, isDefault: true });
    for (const ecn of ecnOf(own({ threshold: 7 }))) expect(ecn).toEqual({ threshold: 7 });
    const { plan } = planOf(name, own({}));
    for (const { values } of plan.replanning!.programs)
      expect(values).toMatchObject({ ecn: { threshold: 65 } });
  });

  it.each([
    ["plb", { congested_share: 0 }, "congested_share"],
    ["plb", { rounds: 0 }, "rounds"],
    ["plb", { pause_s: -1 }, "pause_s"],
    ["plb", { balance: {} }, "balance"],
    ["pecmp", { balance: { share: 1 } }, "share"],
    ["pecmp", { spray: "always" }, "spray"],
  ])("%s refuses %o", (name, parameters, key) => {
    const result = schemeNamed(name)!.parameters.safeParse(parameters);
    expect(JSON.stringify(result.error)).toContain(key);
  });

  it("refuse to spray and balance", () => {
    expect(() => planOf("pecmp", { spray: "random", balance: {} })).toThrow("P45520");
  });
});
