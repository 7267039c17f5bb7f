/** `Switch.outcomes`: the tree has every outcome once, and the switch stays as it is. */
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, defined, toHex } from "../../../../src/base/index.js";
import type { DeviceEvent, Entity, Update } from "../../../../src/toolchain/device/index.js";
import { loadProgram } from "../../../../src/toolchain/loading/index.js";
import { type PacketTrace, Switch, type TraceTree } from "../../../../src/toolchain/switch/index.js";
import { readTraces, storyLines } from "../../../../src/toolchain/trace/index.js";
import { ManualClock, stateOf } from "../golden.js";
import { nodesOf } from "./features.js";

const { program } = await loadProgram(
  { path: resolve(import.meta.dirname, "choices.p4"), include: [], define: [] },
  new Diagnostics(),
  "error",
);

const insert = (entity: Entity): Update => ({ type: "insert", entity });
const call = (action: string, name: string, value: number) => ({ action, params: { [name]: BigInt(value) } });
const send = (port: number) => call("TheIngress.send", "port", port);
const mark = (tag: number) => call("TheIngress.mark", "tag", tag);
const stamp = (value: number) => call("TheEgress.stamp", "value", value);

function groupOf(profile: string, groupId: number, weights: Readonly<Record<number, number>>): Update {
  const members = Object.entries(weights).map(([id, weight]) => ({ memberId: Number(id), weight }));
  return insert({ kind: "group", profile, groupId, maxSize: 0, members });
}

const member = (profile: string, memberId: number, action: ReturnType<typeof send>): Update =>
  insert({ kind: "member", profile, memberId, action });

function entry(
  table: string,
  field: string,
  value: number,
  action: Extract<Entity, { kind: "tableEntry" }>["action"],
): Update {
  const match = [{ kind: "exact", field, value: BigInt(value) } as const];
  return insert({
    kind: "tableEntry",
    table,
    match,
    priority: 0,
    ...(action === undefined ? {} : { action }),
  });
}

const WHAT = "hdr.order.what";
const PATHS = "TheIngress.paths";
const MARKS = "TheIngress.marks";
const ENDS = "TheEgress.ends";

/** Three paths (one twice as heavy), two marks, two ends of copies of group 9, a session. */
const UPDATES: readonly Update[] = [
  member(PATHS, 1, send(1)),
  member(PATHS, 2, send(2)),
  member(PATHS, 3, call("TheIngress.copy", "group", 9)),
  groupOf(PATHS, 1, { 1: 2, 2: 1 }),
  groupOf(PATHS, 2, { 1: 1, 3: 1 }),
  member(MARKS, 1, mark(0xa)),
  member(MARKS, 2, mark(0xb)),
  groupOf(MARKS, 1, { 1: 1, 2: 1 }),
  member(ENDS, 1, stamp(0xc)),
  member(ENDS, 2, stamp(0xd)),
  groupOf(ENDS, 1, { 1: 1, 2: 1 }),
  entry("TheIngress.next", WHAT, 1, { kind: "group", groupId: 1 }),
  entry("TheIngress.next", WHAT, 2, { kind: "group", groupId: 2 }),
  entry("TheIngress.next", WHAT, 7, { kind: "group", groupId: 1 }),
  entry("TheIngress.marked", WHAT, 2, { kind: "group", groupId: 1 }),
  entry("TheIngress.first", WHAT, 6, { kind: "action", ...mark(1) }),
  entry("TheIngress.second", WHAT, 6, { kind: "action", ...send(1) }),
  ...[1, 2].map((rid) =>
    entry("TheEgress.stamped", "standard.egress_rid", rid, { kind: "group", groupId: 1 }),
  ),
  insert({
    kind: "multicastGroup",
    groupId: 9,
    replicas: [1, 2].map((instance) => ({ port: 10 + instance, instance })),
  }),
  insert({
    kind: "cloneSession",
    sessionId: 5,
    replicas: [{ port: 20, instance: 0 }],
    classOfService: 0,
    packetLengthBytes: 0,
  }),
];

function start(seed = 1) {
  const sent: string[] = [];
  const events: DeviceEvent[] = [];
  const device = new Switch(program, {
    clock: new ManualClock(),
    seed,
    transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
  });
  device.watch((event) => events.push(event));
  device.apply(UPDATES, "dataplaneAtomic");
  return { device, sent, events };
}

const packet = (what: number, key = 0) => Uint8Array.from([what, 0, 0, key]);

/** What leaves, for each outcome: one choice at each fork, all copies. */
function endsOf({ outcome, branches = [] }: TraceTree): Set<string> {
  const choices = branches.filter(({ cause }) => cause === "choice").flatMap((branch) => [...endsOf(branch)]);
  const own =
    choices.length > 0
      ? choices
      : [outcome.kind === "transmit" ? `${outcome.egress_port} ${outcome.bytes}` : ""];
  let all = new Set(own);
  for (const copy of branches.filter(({ cause }) => cause !== "choice"))
    all = new Set([...all].flatMap((left) => [...endsOf(copy)].map((right) => join(left, right))));
  return all;
}

function join(...texts: string[]): string {
  return texts
    .flatMap((text) => text.split(" + ").filter((one) => one !== ""))
    .sort()
    .join(" + ");
}

const outcomes = (what: number, updates: readonly Update[] = []) => {
  const { device } = start();
  const trace = device.outcomes(3, packet(what), { runs: 1000, updates });
  return { trace, ends: [...endsOf(trace.root)].sort() };
};

describe("what decides", () => {
  it("a selector: a branch for each member, whatever its weight, and what comes before once", () => {
    const { trace, ends } = outcomes(1);
    expect(ends).toEqual(["1 01000000", "2 01000000"]);
    expect(trace.outcomes).toBe(2);
    expect(trace.root.outcome).toEqual({ kind: "fork", reason: "selector", table: "TheIngress.next" });
    expect(trace.root.branches?.map(({ cause, choice }) => [cause, choice])).toEqual([
      ["choice", "member 1 is taken (2 of 3 slots)"],
      ["choice", "member 2 is taken (1 of 3 slots)"],
    ]);
    const kinds = (tree: TraceTree) => tree.events.map(({ kind }) => kind);
    expect(kinds(trace.root)).toContain("extract");
    for (const branch of defined(trace.root.branches)) {
      expect(kinds(branch)).not.toContain("extract");
      expect(branch.events[0]).toMatchObject({
        kind: "table_lookup",
        table_name: "TheIngress.next",
        hit: true,
      });
      // No hash is claimed that the packet does not have.
      expect(branch.events[0]).not.toHaveProperty("selector");
    }
  });

  it("two selectors, and one of each copy of a group: all combinations", () => {
    const { trace, ends } = outcomes(2);
    const of = (tag: string) => {
      const copy = (port: number, value: string) => `${port} 02${tag}${value}00`;
      const pairs = ["0c", "0d"].flatMap((a) => ["0c", "0d"].map((b) => join(copy(11, a), copy(12, b))));
      return [`1 02${tag}0000`, ...pairs];
    };
    expect(ends).toEqual([...of("0a"), ...of("0b")].sort());
    expect(trace.outcomes).toBe(10);
    // The copies stand side by side: eight ends below the two forks of ports, not all combinations.
    expect(nodesOf(trace.root).filter(({ outcome }) => outcome.kind === "transmit")).toHaveLength(10);
  });

  it("a random number: each of few, and of many the ends and those at equal distances, which is said", () => {
    const few = outcomes(3);
    expect(few.ends).toEqual([4, 5, 6, 7].map((value) => `1 0300${toHex(Uint8Array.from([value]))}00`));
    expect(few.trace.cut).toBeUndefined();
    expect(few.trace.root.branches?.[3]?.choice).toBe("the random number is 7");
    const many = outcomes(4);
    expect(many.trace.outcomes).toBe(64);
    expect(many.trace.cut).toBe(true);
    expect(many.ends.at(0)).toBe("1 04000000");
    expect(many.ends.at(-1)).toBe("1 0400c800");
  });

  it("a hash with few results, but not one with many", () => {
    const { trace, ends } = outcomes(5);
    expect(ends).toEqual(["1 05000a00", "1 05000b00", "1 05000c00"]);
    const results = nodesOf(trace.root).flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === "hash" ? [event.result] : [])),
    );
    expect(results).toEqual(["0x00000000", "0x00000001", "0x00000002"]);
    expect(outcomes(8).trace.outcomes).toBe(1);
  });

  it("a clone before a selector is shown once", () => {
    const { trace, ends } = outcomes(7);
    expect(ends).toEqual(["1 07000000 + 20 07000000", "2 07000000 + 20 07000000"]);
    expect(trace.outcomes).toBe(2);
  });

  it("nothing: one outcome without a fork, as a plain trace has it", () => {
    const { device } = start();
    const traces: PacketTrace[] = [];
    device.trace = (trace) => traces.push(trace);
    const { outcomes: count, ...all } = device.outcomes(3, packet(6), { runs: 1 });
    device.receive(3, packet(6));
    expect(count).toBe(1);
    expect(all).toEqual(traces[0]);
  });
});

/** The events of each way through the choices of a copy. */
function waysOf({ events, branches = [] }: TraceTree): TraceTree["events"][] {
  const choices = branches.filter(({ cause }) => cause === "choice");
  if (choices.length === 0) return [events];
  return choices.flatMap(waysOf).map((way) => [...events, ...way]);
}

it("has each event of a way once", () => {
  const ways = waysOf(outcomes(2).trace.root);
  expect(ways).toHaveLength(4);
  for (const way of ways) {
    expect(way.filter(({ kind }) => kind === "extract")).toHaveLength(1);
    const tables = way.flatMap((event) => (event.kind === "table_lookup" ? [event.table_name] : []));
    expect(tables.filter((name) => /marked|next/.test(name))).toEqual([
      "TheIngress.marked",
      "TheIngress.next",
    ]);
  }
});

it("shows a clone once where the packet meets its choice after it", () => {
  const { device } = start();
  device.apply([entry("TheEgress.stamped", "standard.egress_rid", 0, { kind: "group", groupId: 1 })]);
  const { root, outcomes: count } = device.outcomes(3, packet(7), { runs: 100 });
  const pairs = [1, 2].flatMap((port) =>
    ["0c", "0d"].flatMap((a) => ["0c", "0d"].map((b) => `${port} 0700${a}00 + 20 0700${b}00`)),
  );
  expect([...endsOf(root)].sort()).toEqual(pairs.sort());
  expect(count).toBe(8);
  for (const path of root.branches ?? [])
    expect(path.branches?.map(({ cause }) => cause)).toEqual(["ingress_clone", "choice", "choice"]);
});

const modify = (table: string, action: ReturnType<typeof send>): Update => {
  const { entity } = entry(table, WHAT, 6, { kind: "action", ...action });
  return { type: "modify", entity };
};

describe("an update while the packet is in the switch", () => {
  const first = modify("TheIngress.first", mark(2));
  const second = modify("TheIngress.second", send(2));

  it("in the order of the packet's lookups: any mixture", () => {
    const { ends } = outcomes(6, [first, second]);
    expect(ends).toEqual(["1 06010000", "1 06020000", "2 06010000", "2 06020000"]);
  });

  it("in the other order: the packet never sees the new first table with the old second one", () => {
    const { ends } = outcomes(6, [second, first]);
    expect(ends).toEqual(["1 06010000", "2 06010000", "2 06020000"]);
  });

  it("seen twice by a packet: the second time no fewer changes", () => {
    const { device } = start();
    const before = stateOf(device);
    const added = entry("TheIngress.first", WHAT, 10, { kind: "action", ...mark(1) });
    const changed = {
      type: "modify",
      entity: { ...added.entity, action: { kind: "action", ...mark(2) } },
    } as Update;
    const { root, outcomes: count } = device.outcomes(3, packet(10), {
      runs: 100,
      updates: [added, changed],
    });
    // None, then any of three; one, then one or both; both.
    expect(count).toBe(6);
    expect([...endsOf(root)].sort()).toEqual(["1 0a000000", "1 0a010000", "1 0a020000"]);
    const labels = nodesOf(root).flatMap(({ choice }) => (choice === undefined ? [] : [choice]));
    expect(labels.filter((label) => label.startsWith("1 of 2"))).toHaveLength(3);
    expect(stateOf(device)).toBe(before);
  });

  it("of a group: its members before or after", () => {
    const { entity } = groupOf(PATHS, 1, { 2: 1 });
    const { ends, trace } = outcomes(1, [{ type: "modify", entity }]);
    expect(ends).toEqual(["1 01000000", "2 01000000"]);
    expect(trace.root.outcome).toMatchObject({ reason: "update", table: "TheIngress.next" });
    expect(trace.root.branches?.map(({ choice }) => choice)).toEqual([
      "none of 1 changes are done",
      "1 of 1 changes is done",
    ]);
  });

  it("refuses what is no table, and a change that cannot be done, before any run", () => {
    const { device } = start();
    const before = stateOf(device);
    const register: Update = {
      type: "modify",
      entity: { kind: "register", register: "TheIngress.seen", index: 0, value: 7n },
    };
    const all = (updates: Update[]) => () => device.outcomes(3, packet(6), { runs: 9, updates });
    expect(all([first, register])).toThrow("change 2 of the update is of a register");
    expect(all([first, entry("TheIngress.first", WHAT, 6, { kind: "action", ...mark(2) })])).toThrow(
      "table TheIngress.first has an entry with this key",
    );
    expect(stateOf(device)).toBe(before);
  });
});

it("refuses a port that is down, and a packet within another one", () => {
  const { device } = start();
  device.setPortState(3, false);
  const all = () => device.outcomes(3, packet(1), { runs: 9 });
  expect(all).toThrow("port 3 is down");
  device.setPortState(3, true);
  const { device: inner } = start();
  let message = "";
  const outer = new Switch(program, {
    clock: new ManualClock(),
    transmit: () => {
      try {
        outer.outcomes(3, packet(3), { runs: 9 });
      } catch (error) {
        message = (error as Error).message;
      }
    },
  });
  outer.receive(3, packet(3));
  expect(message).toBe("another packet is being run");
  expect(inner.outcomes(3, packet(3), { runs: 9 }).outcomes).toBe(4);
});

describe("limits", () => {
  it("of branches: 64 of the members of a group, and of the changes of a table", () => {
    const { device } = start();
    const many = Array.from({ length: 70 }, (_, i) => i + 10);
    device.apply([
      ...many.map((id) => member(PATHS, id, send(id))),
      groupOf(PATHS, 3, Object.fromEntries(many.map((id) => [id, 1]))),
    ]);
    const { entity } = entry("TheIngress.next", WHAT, 1, { kind: "group", groupId: 3 });
    device.apply([{ type: "modify", entity }]);
    const members = device.outcomes(3, packet(1), { runs: 1000 });
    expect([members.outcomes, members.cut]).toEqual([64, true]);
    const updates = many.map((tag) => modify("TheIngress.first", mark(tag)));
    const moments = device.outcomes(3, packet(6), { runs: 1000, updates });
    expect([moments.outcomes, moments.cut]).toEqual([64, true]);
  });

  it("of forks on one way, of a packet that recirculates without end", () => {
    const { device } = start();
    const { root, cut } = device.outcomes(3, packet(9), { runs: 2 });
    expect(cut).toBe(true);
    expect(
      nodesOf(root).filter(({ outcome }) => outcome.kind === "fork" && outcome.reason === "random"),
    ).toHaveLength(256);
  });

  it("of runs: the tree has what was run, and says that it is cut", () => {
    const { device } = start();
    const { cut, outcomes: count } = device.outcomes(3, packet(4), { runs: 5 });
    expect([cut, count]).toEqual([true, 5]);
  });
});

describe("the switch", () => {
  it("stays as it is: state, statistics, random numbers, the trace; and nothing leaves", () => {
    for (let what = 0; what <= 8; what++) {
      const [tried, plain] = [start(), start()];
      const traced: number[] = [];
      tried.device.trace = ({ input }) => traced.push(input.packet_id);
      tried.device.receive(3, packet(3));
      plain.device.receive(3, packet(3));
      const sent = tried.sent.length;
      tried.device.outcomes(3, packet(what), { runs: 1000, updates: [modify("TheIngress.second", send(2))] });
      expect(tried.sent).toHaveLength(sent);
      expect(stateOf(tried.device)).toBe(stateOf(plain.device));
      expect(tried.device.stats).toEqual(plain.device.stats);
      for (const key of [1, 2, 3]) {
        tried.device.receive(3, packet(3, key));
        plain.device.receive(3, packet(3, key));
      }
      expect(tried.sent).toEqual(plain.sent);
      expect(traced).toEqual([0, 1, 2, 3]);
    }
  });

  it("does nothing with a packet that is not in the tree", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), fc.nat(255), fc.nat(), (what, key, seed) => {
        const { device, sent } = start(seed);
        const { root, cut } = device.outcomes(3, packet(what, key), { runs: 1000 });
        device.receive(3, packet(what, key));
        const found = endsOf(root);
        if (!cut) expect([...found]).toContain(join(...sent));
      }),
      { numRuns: 200 },
    );
  });
});

it("is a document that readers take, and text that says what decides", async () => {
  const { trace } = outcomes(2);
  async function* lines() {
    yield JSON.stringify(trace);
  }
  for await (const { packet: read } of readTraces("all", lines())) expect(read).toEqual(trace);
  const text = storyLines(trace).map((line) => "  ".repeat(line.depth) + line.text);
  expect(text[0]).toBe("packet 0 on port 3: 4 bytes at 0 µs, 10 outcomes");
  expect(text).toContain("  the selector of table TheIngress.marked decides:");
  expect(text).toContain("  if member 1 is taken (1 of 2 slots)");
});

it("follows a Tofino's selector, too, and its copy to the CPU port happens in each outcome", async () => {
  const path = resolve(import.meta.dirname, "../../../golden/tna/run/control.p4");
  const { program: tofino } = await loadProgram(
    { path, include: [], define: [] },
    new Diagnostics(),
    "error",
  );
  const sent: string[] = [];
  const device = new Switch(tofino, {
    clock: new ManualClock(),
    cpuPort: 192,
    transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
  });
  const profile = "pipe.Work.members";
  const to = (port: number) => call("Work.send", "port", port);
  device.apply([
    member(profile, 1, to(7)),
    member(profile, 2, to(8)),
    groupOf(profile, 1, { 1: 1, 2: 3 }),
    entry("pipe.Work.chosen", "hdr.data.port", 5, { kind: "group", groupId: 1 }),
  ]);
  const { root, outcomes: count } = device.outcomes(1, Uint8Array.from([1, 5, 0x12, 0x34]), { runs: 10 });
  expect(count).toBe(2);
  expect([...endsOf(root)].map((text) => text.split(" ")[0])).toEqual(["7", "8"]);
  expect(sent).toEqual([]);
});
