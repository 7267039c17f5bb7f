/**
 * The bounds of what a control plane may write: the last value that is taken and the first that is refused. Ids, indexes and weights are
 * those of the P4Runtime specification, sections 9.1 to 9.7; ports have 9 bits, multicast groups and instances 16, as in v1model; clone
 * sessions have 15 bits, as in BMv2.
 */
import { describe, expect, it } from "vitest";
import {
  DeviceError,
  type Entity,
  type Match,
  type TableAction,
  type Update,
} from "../../../../src/toolchain/device/index.js";
import { goldenJson, startProgram } from "../golden.js";

const PROFILE = "TheIngress.spread";
const use = (port: bigint) => ({ action: "TheIngress.use", params: { port } });

const start = () => startProgram(goldenJson("cpu", "cpu.json")).device;

/** How each update of a row ends, one after another on one switch. */
function codes(updates: readonly Update[]): string[] {
  const device = start();
  return updates.map((update) => {
    try {
      device.apply([update]);
      return "OK";
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      return error.code;
    }
  });
}

const insert = (entity: Entity): Update => ({ type: "insert", entity });
const modify = (entity: Entity): Update => ({ type: "modify", entity });

const counter = (index: number, packets = 1n, bytes = 0n) =>
  modify({ kind: "counter", counter: "TheIngress.seen", index, data: { packets, bytes } });
const register = (index: number, value = 1n) =>
  modify({ kind: "register", register: "TheIngress.cells", index, value });
const meter = (index: number, rates: readonly [bigint, bigint, bigint, bigint] = [1n, 1n, 1n, 1n]) => {
  const [committedRate, committedBurst, peakRate, peakBurst] = rates;
  return modify({
    kind: "meter",
    meter: "TheIngress.rates",
    index,
    config: { committedRate, committedBurst, peakRate, peakBurst },
  });
};
const multicast = (groupId: number, port = 1, instance = 1) =>
  insert({ kind: "multicastGroup", groupId, replicas: [{ port, instance }] });
const clone = (sessionId: number, packetLengthBytes = 0, classOfService = 0) =>
  insert({
    kind: "cloneSession",
    sessionId,
    replicas: [{ port: 3, instance: 1 }],
    classOfService,
    packetLengthBytes,
  });
const member = (memberId: number) => insert({ kind: "member", profile: PROFILE, memberId, action: use(1n) });
const group = (groupId: number, weights: readonly number[], maxSize = 0) =>
  insert({
    kind: "group",
    profile: PROFILE,
    groupId,
    members: weights.map((weight, i) => ({ memberId: i + 1, weight })),
    maxSize,
  });
const oneShot = (key: bigint, weights: readonly number[]) =>
  entryOf("TheIngress.paths", [{ kind: "exact", field: "meta.vlan", value: key }], 0, {
    kind: "oneShot",
    actions: weights.map((weight) => ({ ...use(1n), weight })),
  });
const entryOf = (table: string, match: Match[], priority: number, action: TableAction) =>
  insert({ kind: "tableEntry", table, match, priority, action });
const plain = (name: string, params: Record<string, bigint>): TableAction => ({
  kind: "action",
  action: `TheIngress.${name}`,
  params,
});

const RANGE = "OUT_OF_RANGE";
const WRONG = "INVALID_ARGUMENT";
const FULL = "RESOURCE_EXHAUSTED";
const MOST = 2n ** 63n - 1n;

describe("the control plane's bounds", () => {
  it.each<[string, Update[], string[]]>([
    ["indexes of counters", [0, 3, 4, -1, 0.5].map((i) => counter(i)), ["OK", "OK", RANGE, RANGE, RANGE]],
    ["indexes of registers", [0, 3, 4, -1, 0.5].map((i) => register(i)), ["OK", "OK", RANGE, RANGE, RANGE]],
    ["indexes of meters", [0, 3, 4, -1, 0.5].map((i) => meter(i)), ["OK", "OK", RANGE, RANGE, RANGE]],
    [
      "counts, of 63 bits",
      [
        counter(0, MOST),
        counter(0, MOST + 1n),
        counter(0, -1n),
        counter(0, 0n, MOST + 1n),
        counter(0, 0n, -1n),
      ],
      ["OK", WRONG, WRONG, WRONG, WRONG],
    ],
    [
      "values of a register of 32 bits",
      [0n, 2n ** 32n - 1n, 2n ** 32n, -1n].map((value) => register(0, value)),
      ["OK", "OK", WRONG, WRONG],
    ],
    [
      "rates and bursts of a meter: 0 is one, the peak rate may be the committed one",
      [
        meter(0, [0n, 0n, 0n, 0n]),
        meter(0, [5n, 1n, 5n, 1n]),
        meter(0, [5n, 1n, 4n, 1n]),
        meter(0, [5n, -1n, 5n, 1n]),
        meter(0, [5n, 1n, 5n, -1n]),
      ],
      ["OK", "OK", WRONG, WRONG, WRONG],
    ],
    [
      "multicast groups",
      [1, 0xffff, 0, 0x10000, 1.5].map((id) => multicast(id)),
      ["OK", "OK", WRONG, WRONG, WRONG],
    ],
    [
      "ports of copies",
      [0, 511, 512, -1, 0.5].map((port, i) => multicast(i + 1, port)),
      ["OK", "OK", WRONG, WRONG, WRONG],
    ],
    [
      "instances of copies",
      [0, 0xffff, 0x10000, -1, 0.5].map((instance, i) => multicast(i + 1, 1, instance)),
      ["OK", "OK", WRONG, WRONG, WRONG],
    ],
    ["clone sessions", [0, 32767, 32768, -1, 0.5].map((id) => clone(id)), ["OK", "OK", WRONG, WRONG, WRONG]],
    [
      "lengths and classes of clones",
      [clone(1, 14), clone(2, -1), clone(3, 1.5), clone(4, 0, 1)],
      ["OK", WRONG, WRONG, "UNIMPLEMENTED"],
    ],
    ["members", [0, 4, -1, 0.5].map(member), ["OK", "OK", WRONG, WRONG]],
    [
      "groups and their sizes; 0 is no limit",
      [group(0, []), group(7, [], 3), group(-1, []), group(0.5, []), group(8, [], -1), group(9, [], 0.5)],
      ["OK", "OK", WRONG, WRONG, WRONG, WRONG],
    ],
    [
      "weights of members, whose sum is the size of the group",
      [
        member(1),
        member(2),
        group(1, [1, 2], 3),
        group(2, [2, 2], 3),
        group(3, [0]),
        group(4, [-1]),
        group(5, [1.5]),
      ],
      ["OK", "OK", "OK", FULL, WRONG, WRONG, WRONG],
    ],
    [
      "weights in a set of weighted actions",
      [oneShot(1n, [1, 1]), oneShot(2n, [0]), oneShot(3n, [-1]), oneShot(4n, [1.5]), oneShot(5n, [])],
      ["OK", WRONG, WRONG, WRONG, WRONG],
    ],
  ])("%s", (_, updates, expected) => {
    expect(codes(updates)).toEqual(expected);
  });

  const type = "hdr.eth.type";
  const filter = (part: Match, priority = 1) =>
    entryOf("TheIngress.filters", [part], priority, plain("drop", {}));
  const prefix = (value: bigint, prefixLength: number) =>
    entryOf(
      "TheIngress.types",
      [{ kind: "lpm", field: type, value, prefixLength }],
      0,
      plain("set_vlan", { vlan: 1n }),
    );
  it.each<[string, Update[], string[]]>([
    [
      "prefixes",
      [prefix(0n, 0), prefix(0xffffn, 16), prefix(0x8000n, 17), prefix(0x8000n, -1), prefix(0x8000n, 0.5)],
      ["OK", "OK", WRONG, WRONG, WRONG],
    ],
    ["bits of a prefix match alone", [prefix(0x8000n, 1), prefix(0xc000n, 1)], ["OK", WRONG]],
    [
      "masks",
      [
        filter({ kind: "ternary", field: "hdr.eth.src", value: 4n, mask: 6n }),
        filter({ kind: "ternary", field: "hdr.eth.src", value: 1n, mask: 6n }),
        filter({ kind: "ternary", field: "hdr.eth.src", value: 0n, mask: 1n << 48n }),
      ],
      ["OK", WRONG, WRONG],
    ],
    [
      "ranges",
      [
        filter({ kind: "range", field: type, low: 5n, high: 5n }),
        filter({ kind: "range", field: type, low: 6n, high: 5n }),
        filter({ kind: "range", field: type, low: 6n, high: 0x10000n }),
      ],
      ["OK", WRONG, WRONG],
    ],
    [
      "priorities of a table that needs them",
      [1, 2 ** 31 - 1, 2 ** 31, 0, -1, 0.5].map((priority) =>
        filter({ kind: "ternary", field: "hdr.eth.src", value: 4n, mask: 6n }, priority),
      ),
      ["OK", "OK", WRONG, WRONG, WRONG, WRONG],
    ],
  ])("of keys: %s", (_, updates, expected) => {
    expect(codes(updates)).toEqual(expected);
  });
});

describe("an entity that the program does not have", () => {
  const data = { packets: 0n, bytes: 0n };
  it.each<[string, Entity]>([
    ["counter", { kind: "counter", counter: "x", index: 0, data }],
    ["meter", { kind: "meter", meter: "x", index: 0 }],
    ["register", { kind: "register", register: "x", index: 0, value: 0n }],
    ["value set", { kind: "valueSet", valueSet: "x", members: [] }],
    ["action profile", { kind: "member", profile: "x", memberId: 1, action: use(1n) }],
    ["digest", { kind: "digest", digest: "x", maxListSize: 1, maxTimeoutNs: 0n, ackTimeoutNs: 0n }],
  ])("is not found: %s", (_, entity) => {
    expect(codes([modify(entity)])).toEqual(["NOT_FOUND"]);
    expect(() => start().query([queryOf(entity)])).toThrowError(
      expect.objectContaining({ code: "NOT_FOUND" }),
    );
  });
});

/** The question for all of such an entity by its name. */
function queryOf(entity: Entity): never {
  const { kind, counter, meter, register, valueSet, profile, digest } = entity as Record<string, never> &
    Entity;
  return { kind, counter, meter, register, valueSet, profile, digest } as never;
}
