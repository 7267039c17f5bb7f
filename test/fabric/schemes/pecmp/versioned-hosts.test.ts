/** Hosts with a version bit (section 3.4): their policy is that without versions, plus the bit; when a flow changes, and what a controller reads. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, Random } from "../../../../src/base/index.js";
import type { FlowKey } from "../../../../src/base/packets/index.js";
import { CLIENT, type HostContext, type PathChooser } from "../../../../src/fabric/hosts/index.js";
import { hostPolicyOf } from "../../../../src/fabric/schemes/index.js";
import { pecmp } from "../../../../src/fabric/schemes/pecmp/index.js";
import type { SelectorLayout } from "../../../../src/fabric/schemes/pecmp/layout.js";
import { versionMask } from "../../../../src/fabric/schemes/pecmp/layout.js";
import { pecmpParameters } from "../../../../src/fabric/schemes/pecmp/parameters.js";
import type { MovedFlows } from "../../../../src/fabric/schemes/pecmp/update/moved-flows.js";
import type { UpdateSpec } from "../../../../src/fabric/schemes/pecmp/update/parameters.js";
import { targetOf } from "../../../../src/fabric/schemes/pecmp/update/target.js";
import { build } from "../../topology/load.js";

const topology = build({
  kind: "clos",
  pods: 2,
  tors_per_pod: 2,
  leaves_per_pod: 3,
  spines_per_plane: 2,
  hosts_per_rack: 2,
});
const INPUT = { version_bit: "overall", offsets: "primes", field: "dscp_flow_label" };
const flowOf = (protocol: number): FlowKey => ({ src: 1n, dst: 2n, protocol, srcPort: 3, dstPort: 4 });
const segment = (position: number) => ({ position, bytes: 1000, nowNs: position });

const ALL_MOVED: MovedFlows = { others: "all", to: [] };

const CONTEXT: HostContext = {
  name: "host0-0-0",
  nics: 2,
  clock: { now: () => 0, at: () => () => {} },
  random: new Random(3),
  tell: () => {},
};

/** Hosts under a policy with versions, and messages of a controller to them. */
function hostsUnder(more: object = {}, update: object = {}) {
  const parameters = pecmpParameters.parse({ ...INPUT, ...more, update: { mode: "transaction", ...update } });
  const plan = pecmp.plan(topology, parameters);
  const layout = (plan.hosts as unknown as { layout: SelectorLayout }).layout;
  const known = new Map<string, object>();
  const rulesOf = (spec: UpdateSpec) => {
    const key = JSON.stringify(spec);
    const rules = known.get(key) ?? targetOf(topology, parameters, layout, spec).rules;
    known.set(key, rules);
    return rules;
  };
  return () => {
    const policy = hostPolicyOf(plan.hosts, CONTEXT);
    const ask = (message: object) =>
      policy.onMessage!(JSON.parse(JSON.stringify(message)) as Json) as unknown as {
        version: number;
        waiting: number;
        specs: unknown[];
        pending: number | null;
        late: number;
        furthest_bytes: number;
      };
    return {
      policy,
      mask: versionMask(layout),
      ask,
      state: () => ask({ op: "state" }),
      announce: (to: number, spec: UpdateSpec = {}) => ask({ op: "announce", to, spec }),
      commit: (to: number, spec: UpdateSpec = {}, moved: MovedFlows = ALL_MOVED) =>
        ask({ op: "commit", to, rules: rulesOf(spec), moved }),
      replace: (spec: UpdateSpec) => ask({ op: "replace", spec, rules: rulesOf(spec) }),
      open: (protocol = 6) => policy.open(flowOf(protocol), new Random(9), CLIENT),
    };
  };
}

const host = (more: object = {}, update: object = {}) => hostsUnder(more, update)();

type Event =
  | { kind: "timeout" | "round" | "idle" | "reordering" | "segment" | "fast"; value: number }
  | { kind: "ack" | "data"; value: number; echo: number };

/** Few different selectors, so that events meet what the chooser has tried. */
const events: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom("timeout", "round", "idle", "reordering", "segment", "fast"),
      value: fc.integer({ min: 1, max: 6 }),
    }),
    fc.record({
      kind: fc.constantFrom("ack", "data"),
      value: fc.integer({ min: 0, max: 15 }),
      echo: fc.integer({ min: -1, max: 15 }),
    }),
  ) as fc.Arbitrary<Event>,
  { minLength: 10, maxLength: 40 },
);

/** What a chooser answers to an event; selectors that come in have these version bits of `mask`. */
function answer(chooser: PathChooser, event: Event, mask: number, bits: number): unknown {
  const { kind, value } = event;
  switch (kind) {
    case "timeout":
      return chooser.onTimeout(value);
    case "fast":
      return chooser.onFastRetransmit?.() ?? [chooser.selector];
    case "round":
      return chooser.onRound?.({ ackedBytes: 1000 * value, markedBytes: 900 * (value % 2), durationNs: 1e6 });
    case "idle":
      return chooser.onIdle?.(1e9 * value);
    case "reordering":
      return chooser.onReordering?.(value);
    case "segment":
      return chooser.selectorFor?.(segment(1000 * value)) ?? chooser.selector;
    default: {
      const received = (selector: number) => (selector & ~mask) | bits;
      const marks = {
        selector: received(value),
        echo: event.echo < 0 ? -1 : received(event.echo),
        marked: value % 3 === 0,
      };
      return kind === "ack" ? chooser.onAck(marks, 1000) : chooser.onData(marks, value % 2 === 0);
    }
  }
}

describe("a flow", () => {
  it.each([
    ["offsets", {}],
    ["a bit for each hop", { control: "both", version_bit: "per-hop", field: "flow_label" }],
    ["sprays its packets", { spray: "random" }],
    ["balances by marks", { balance: {} }],
    ["moves at once", { failover: "prr" }],
  ])("decides as without versions, and carries the version of its host: %s", (_name, more) => {
    const input = pecmpParameters.safeParse({ ...INPUT, ...more });
    // A test of other parameters than those of the scheme would be none.
    expect(input.error?.issues).toBeUndefined();
    const plain = hostPolicyOf(pecmp.plan(topology, input.data!).hosts, CONTEXT);
    const make = hostsUnder(more, { switchover: "at_once" });
    fc.assert(
      fc.property(events, fc.constantFrom(0, 1), fc.nat(1), (list, version, bit) => {
        const { policy, mask, commit } = make();
        if (version === 1) commit(1);
        const mark = version === 0 ? 0 : mask;
        const marked = (value: unknown) => {
          if (typeof value === "number") return (value | mark) >>> 0;
          return Array.isArray(value) ? value.map((one: number) => (one | mark) >>> 0) : value;
        };
        const wanted = plain.open(flowOf(6), new Random(9), CLIENT);
        const found = policy.open(flowOf(6), new Random(9), CLIENT);
        for (const event of list) {
          // Packets of either version come in.
          const comes = bit === 0 ? 0 : mask;
          expect(answer(found, event, mask, comes)).toEqual(marked(answer(wanted, event, mask, 0)));
          expect(found.selector).toBe(marked(wanted.selector));
          expect(policy.nic(flowOf(6), found.selector, 2)).toBe(plain.nic(flowOf(6), wanted.selector, 2));
        }
      }),
      { numRuns: 25, seed: 1 },
    );
  });

  it("has the host's version from its first segment on", () => {
    const { open, commit, mask } = host();
    expect(open().selector & mask).toBe(0);
    expect(commit(1).version).toBe(1);
    expect(open().selector & mask).toBe(mask);
    commit(0);
    expect(open().selector & mask).toBe(0);
  });

  it("changes at once while no data are in flight", () => {
    const { open, commit, mask, state } = host();
    const flow = open();
    const before = flow.selector;
    commit(1);
    expect(state().waiting).toBe(0);
    expect(flow.holds).toBe(false);
    expect(flow.selector).toBe(before | mask);
  });

  it("with data in flight holds new data back until all are acknowledged, and keeps its version until then", () => {
    const { open, commit, mask, state } = host();
    const [flow, other] = [open(), open()];
    flow.selectorFor!(segment(0));
    expect([flow.holds, other.holds]).toEqual([false, false]);
    commit(1);
    expect(state().waiting).toBe(1);
    expect([flow.holds, other.holds]).toEqual([true, false]);
    expect(flow.selector & mask).toBe(0);
    // A retransmission belongs to the data in flight.
    for (const selector of [...flow.onTimeout(1), ...flow.onFastRetransmit!()])
      expect(selector & mask).toBe(0);
    // An acknowledgement without data changes at once.
    for (const selector of flow.onData({ selector: 0, echo: -1 }, false)) expect(selector & mask).toBe(mask);
    flow.onDrained!();
    expect([flow.holds, state().waiting]).toEqual([false, 0]);
    expect(flow.selectorFor!(segment(1000)) & mask).toBe(mask);
  });

  it("that the update does not move changes at once, with data in flight", () => {
    const { open, commit, mask, state } = host();
    const flow = open();
    flow.selectorFor!(segment(0));
    const before = flow.selector;
    commit(1, {}, { others: {}, to: [] });
    expect([flow.holds, state().waiting]).toEqual([false, 0]);
    expect(flow.selectorFor!(segment(1000))).toBe(before | mask);
  });

  it("moves or not by its destination and the slices of its selector", () => {
    const { open, commit, state } = host();
    const [flow, other] = [open(), open()];
    const [next] = flow.onTimeout(1);
    flow.onAck({ selector: 0, echo: next! });
    for (const one of [flow, other]) one.selectorFor!(segment(0));
    const there: MovedFlows["to"][number]["racks"] = [["0", 8, String(1n << 120n), 8]];
    // All flows go to the address 2, in a rack of the prefix 0.0.0.0/8; other destinations do not matter.
    commit(1, {}, { others: "all", to: [{ racks: there, selectors: { tor: [next!] } }] });
    expect([flow.holds, other.holds, state().waiting]).toEqual([true, false, 1]);
  });

  it("moves where the update brings another control, because it begins with another selector", () => {
    const { open, commit, state } = host({ control: "both" });
    const flow = open();
    flow.selectorFor!(segment(0));
    commit(1, { control: "offset" }, { others: {}, to: [] });
    expect([flow.holds, state().waiting]).toEqual([true, 1]);
  });

  it("moves where its NIC goes out of service", () => {
    const { open, ask, state } = host();
    const flows = Array.from({ length: 8 }, () => open());
    for (const flow of flows) flow.selectorFor!(segment(0));
    const plan = pecmp.plan(topology, pecmpParameters.parse({ ...INPUT, update: { mode: "transaction" } }));
    const { kind: _, switchover: __, ...rules } = plan.hosts as Record<string, unknown>;
    const used = pecmp.hosts(plan.hosts, CONTEXT).nic(flowOf(6), flows[0]!.selector, 2);
    ask({ op: "commit", to: 1, rules: { ...rules, nics: [used] }, moved: { others: {}, to: [] } });
    expect(state().waiting).toBe(0);
    for (const flow of flows) flow.selectorFor!(segment(1000));
    ask({ op: "commit", to: 0, rules: { ...rules, nics: [1 - used] }, moved: { others: {}, to: [] } });
    expect(state().waiting).toBe(8);
  });

  it("of a protocol without acknowledgements, or under at_once, changes with its next packet", () => {
    for (const [made, protocol] of [
      [host(), 17],
      [host({}, { switchover: "at_once" }), 6],
    ] as const) {
      const flow = made.open(protocol);
      flow.selectorFor!(segment(0));
      made.commit(1);
      expect([flow.holds, made.state().waiting]).toEqual([false, 0]);
      expect(flow.selectorFor!(segment(1000)) & made.mask).toBe(made.mask);
    }
  });

  it("that has not changed after the controller's patience does so when it is asked to hurry", () => {
    const { open, commit, ask, mask } = host();
    const [flow, idle] = [open(), open()];
    flow.selectorFor!(segment(0));
    commit(1);
    expect(ask({ op: "hurry" }).waiting).toBe(0);
    expect(flow.selector & mask).toBe(mask);
    expect(flow.holds).toBe(false);
    expect(idle.selector & mask).toBe(mask);
  });

  it("continues from its selector under new rules of the same kind", () => {
    const { open, commit, mask } = host();
    const flow = open();
    const [first] = flow.onTimeout(1);
    flow.onAck({ selector: 0, echo: first! });
    const before = flow.selector;
    commit(1, { weights: [["leaf0-0", "spine0-0", 2]] });
    expect(flow.selector).toBe(before | mask);
  });
});

describe("new rules", () => {
  it("hold for a flow from its change on: without failover it stays on its path at timeouts", () => {
    const { open, commit, mask } = host();
    const [idle, busy] = [open(), open()];
    busy.selectorFor!(segment(0));
    commit(1, { failover: "none" });
    const start = idle.selector;
    for (let attempt = 1; attempt < 6; attempt++) {
      expect(idle.onTimeout(attempt)).toEqual([start]);
      expect(idle.selector).toBe(start);
    }
    // Data in flight are sent again by the old rules: the first try already leaves the path.
    expect(new Set(busy.onTimeout(1)).size).toBeGreaterThan(0);
    expect(busy.onTimeout(2).some((selector) => selector !== (start & ~mask))).toBe(true);
    busy.onDrained!();
    const now = busy.selector;
    expect(now & mask).toBe(mask);
    expect(busy.onTimeout(1)).toEqual([now]);
  });

  it("of another control begin with selectors of their own", () => {
    const { open, commit, mask } = host({ control: "both" });
    const flow = open();
    const [first] = flow.onTimeout(1);
    flow.onAck({ selector: 0, echo: first! });
    commit(1, { control: "offset" });
    // The hash decides again.
    expect(flow.selector).toBe(mask);
  });

  it("need what a policy without versions needs, and holding, packets and messages", () => {
    const needs = (more: object) => host(more).policy.needs;
    expect(needs({})).toEqual(["messages", "packets", "holding"]);
    expect(needs({ spray: "random" })).toEqual(["messages", "packets", "holding"]);
    expect(needs({ balance: {} })).toEqual(
      expect.arrayContaining(["rounds", "idle", "messages", "packets", "holding"]),
    );
    expect([host({ balance: {} }).policy.ecn, Object.hasOwn(host().policy, "ecn")]).toEqual([true, false]);
  });
});

describe("what a controller reads and writes", () => {
  it("an update is announced, stored with its target, and closed", () => {
    const { announce, commit, ask, state } = host();
    const spec: UpdateSpec = { without: ["leaf0-1"] };
    expect(state()).toEqual({
      version: 0,
      waiting: 0,
      specs: [{}, {}],
      pending: null,
      late: 0,
      furthest_bytes: 0,
    });
    expect(announce(1, spec)).toMatchObject({ version: 0, specs: [{}, spec], pending: 1 });
    expect(commit(1, spec)).toMatchObject({ version: 1, specs: [{}, spec], pending: 1 });
    // The same request again, of another controller: the target of the version in use stays.
    expect(announce(1, {})).toMatchObject({ specs: [{}, spec], pending: 1 });
    expect(commit(1, {})).toMatchObject({ version: 1 });
    expect(ask({ op: "close" })).toMatchObject({ version: 1, specs: [spec, spec], pending: null });
  });

  it("an update that was taken back leaves the old target in both versions", () => {
    const { announce, ask } = host();
    announce(1, { without: ["leaf0-1"] });
    expect(ask({ op: "close" })).toMatchObject({ version: 0, specs: [{}, {}], pending: null });
  });

  it("rules that replace the earlier ones hold for flows with data in flight too", () => {
    const { open, replace, state, mask } = host({ update: { mode: "plain" } }, { mode: "plain" });
    const flow = open();
    flow.selectorFor?.(segment(0));
    const spec: UpdateSpec = { without: ["leaf0-1"] };
    expect(replace(spec)).toMatchObject({ version: 0, waiting: 0, specs: [spec, spec], pending: null });
    expect(flow.holds).toBe(false);
    expect(flow.selector & mask).toBe(0);
    expect(state().version).toBe(0);
  });

  it("counts segments that arrived late, and the greatest distance", () => {
    const { open, state } = host();
    const [one, other] = [open(), open()];
    one.onReordering!(1000);
    other.onReordering!(5000);
    one.onReordering!(300);
    expect(state()).toMatchObject({ late: 3, furthest_bytes: 5000 });
  });

  it.each([[{ op: "commit", to: 2 }], [{ op: "announce", to: 1 }], [{ op: "other" }], [{}]])(
    "refuses a request of another shape: %j",
    (message) => {
      expect(() => host().ask(message)).toThrow(/P42210/);
    },
  );
});
