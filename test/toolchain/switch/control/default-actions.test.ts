/** What a controller may change of a default action (P4-16 spec 14.2.1.4, P4Runtime specification 9.1.6), and what a key may be (9.1.1). */
import { describe, expect, it } from "vitest";
import {
  DeviceError,
  type Entity,
  type Match,
  type TableAction,
} from "../../../../src/toolchain/device/index.js";
import type { bmv2 } from "../../../../src/toolchain/program/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { ManualClock } from "../golden.js";
import { changed } from "../raw-program.js";

const TABLE = "TheIngress.t";

function start(change: (table: bmv2.Bmv2Table, id: (name: string) => number) => void) {
  const program = changed(({ pipelines, actions }) => {
    const table = pipelines[0]!.tables.find(({ name }) => name === TABLE)!;
    change(
      table,
      (name) => actions.find((action) => action.name === name && table.action_ids.includes(action.id))!.id,
    );
  });
  const device = new Switch(program, { clock: new ManualClock(), transmit: () => {} });
  const codeOf = (type: "insert" | "modify" | "delete", entity: Entity): string => {
    try {
      device.apply([{ type, entity }]);
      return "OK";
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      return error.code;
    }
  };
  return { device, codeOf };
}

const byDefault = (action?: TableAction, match: Match[] = []): Entity => ({
  kind: "tableEntry",
  table: TABLE,
  match,
  priority: 0,
  isDefault: true,
  ...(action === undefined ? {} : { action }),
});
const withNumber = (n: bigint): TableAction => ({ kind: "action", action: "TheIngress.with", params: { n } });
const nothing: TableAction = { kind: "action", action: "NoAction", params: {} };

describe("a default action", () => {
  it.each<[string, boolean, boolean, string, string, string]>([
    ["that is not constant", false, false, "OK", "OK", "OK"],
    ["that is constant, with parameters that are not", true, false, "OK", "PERMISSION_DENIED", "OK"],
    [
      "that is constant with its parameters",
      true,
      true,
      "PERMISSION_DENIED",
      "PERMISSION_DENIED",
      "PERMISSION_DENIED",
    ],
  ])("%s", (_, action_const, action_entry_const, parameters, action, own) => {
    const { device, codeOf } = start((table, id) => {
      table.default_entry = {
        action_id: id("TheIngress.with"),
        action_const,
        action_entry_const,
        action_data: ["0x05"],
      };
    });
    expect(codeOf("modify", byDefault(withNumber(9n)))).toBe(parameters);
    expect(codeOf("modify", byDefault(nothing))).toBe(action);
    expect(codeOf("modify", byDefault())).toBe(own);
    const { store } = device.internals.instance.tables.get(TABLE)!;
    expect([...store.defaultData]).toEqual([5]);
  });

  it("can only be modified, without a match, to an action of the table", () => {
    const { codeOf } = start(() => {});
    expect(codeOf("insert", byDefault(withNumber(1n)))).toBe("INVALID_ARGUMENT");
    expect(codeOf("delete", byDefault())).toBe("INVALID_ARGUMENT");
    expect(
      codeOf("modify", byDefault(withNumber(1n), [{ kind: "exact", field: "hdr.h.a", value: 1n }])),
    ).toBe("INVALID_ARGUMENT");
    expect(codeOf("modify", byDefault({ kind: "member", memberId: 1 }))).toBe("INVALID_ARGUMENT");
    expect(codeOf("modify", byDefault(withNumber(256n)))).toBe("INVALID_ARGUMENT");
    expect(codeOf("modify", byDefault(withNumber(255n)))).toBe("OK");
  });
});

describe("the key of an entry", () => {
  const entry = (match: Match[], priority = 0): Entity => ({
    kind: "tableEntry",
    table: TABLE,
    match,
    priority,
    action: nothing,
  });
  /** The table with a key of this kind, and what it says of an entry. */
  const codeOf = (kind: bmv2.MatchKind, match: Match[], priority = 0): string =>
    start((table) => {
      table.key[0]!.match_type = kind;
      table.match_type = kind as never;
    }).codeOf("insert", entry(match, priority));
  const field = "hdr.h.a";

  it.each<[bmv2.MatchKind, Match[], number, string]>([
    ["exact", [{ kind: "exact", field, value: 255n }], 0, "OK"],
    ["exact", [{ kind: "exact", field, value: 256n }], 0, "INVALID_ARGUMENT"],
    ["exact", [{ kind: "exact", field, value: -1n }], 0, "INVALID_ARGUMENT"],
    ["exact", [], 0, "INVALID_ARGUMENT"],
    ["exact", [{ kind: "exact", field: "hdr.h.b", value: 1n }], 0, "NOT_FOUND"],
    ["exact", [{ kind: "ternary", field, value: 1n, mask: 1n }], 0, "INVALID_ARGUMENT"],
    [
      "exact",
      [
        { kind: "exact", field, value: 1n },
        { kind: "exact", field, value: 1n },
      ],
      0,
      "INVALID_ARGUMENT",
    ],
    ["exact", [{ kind: "exact", field, value: 1n }], 1, "INVALID_ARGUMENT"],
    ["lpm", [{ kind: "lpm", field, value: 0n, prefixLength: 0 }], 0, "OK"],
    ["lpm", [], 0, "OK"],
    ["lpm", [{ kind: "lpm", field, value: 1n, prefixLength: 8 }], 0, "OK"],
    ["lpm", [{ kind: "lpm", field, value: 0n, prefixLength: 9 }], 0, "INVALID_ARGUMENT"],
    ["lpm", [{ kind: "lpm", field, value: 0n, prefixLength: -1 }], 0, "INVALID_ARGUMENT"],
    ["lpm", [{ kind: "lpm", field, value: 0n, prefixLength: 1.5 }], 0, "INVALID_ARGUMENT"],
    ["lpm", [{ kind: "lpm", field, value: 1n, prefixLength: 7 }], 0, "INVALID_ARGUMENT"],
    ["lpm", [{ kind: "lpm", field, value: 256n, prefixLength: 8 }], 0, "INVALID_ARGUMENT"],
    ["ternary", [{ kind: "ternary", field, value: 1n, mask: 255n }], 1, "OK"],
    ["ternary", [], 1, "OK"],
    ["ternary", [], 0, "INVALID_ARGUMENT"],
    ["ternary", [], -1, "INVALID_ARGUMENT"],
    ["ternary", [], 1.5, "INVALID_ARGUMENT"],
    ["ternary", [], 0x7fffffff, "OK"],
    ["ternary", [], 0x80000000, "INVALID_ARGUMENT"],
    ["ternary", [{ kind: "ternary", field, value: 1n, mask: 256n }], 1, "INVALID_ARGUMENT"],
    ["ternary", [{ kind: "ternary", field, value: 256n, mask: 1n }], 1, "INVALID_ARGUMENT"],
    ["ternary", [{ kind: "ternary", field, value: 3n, mask: 2n }], 1, "INVALID_ARGUMENT"],
    ["range", [{ kind: "range", field, low: 7n, high: 7n }], 1, "OK"],
    ["range", [{ kind: "range", field, low: 8n, high: 7n }], 1, "INVALID_ARGUMENT"],
    ["range", [{ kind: "range", field, low: 0n, high: 256n }], 1, "INVALID_ARGUMENT"],
    ["range", [{ kind: "range", field, low: -1n, high: 1n }], 1, "INVALID_ARGUMENT"],
    ["optional", [{ kind: "optional", field, value: 256n }], 1, "INVALID_ARGUMENT"],
    ["optional", [{ kind: "optional", field, value: 255n }], 1, "OK"],
  ])("%s: %o with priority %d: %s", (kind, match, priority, code) => {
    expect(codeOf(kind, match, priority)).toBe(code);
  });

  it.each<[bmv2.MatchKind, Match, number]>([
    ["lpm", { kind: "lpm", field, value: 0n, prefixLength: 0 }, 0],
    ["ternary", { kind: "ternary", field, value: 0n, mask: 0n }, 1],
    ["range", { kind: "range", field, low: 0n, high: 255n }, 1],
  ])("%s: a part that matches everything is as if it was left out", (kind, part, priority) => {
    const { device, codeOf } = start((table) => {
      table.key[0]!.match_type = kind;
      table.match_type = kind as never;
    });
    expect(codeOf("insert", entry([part], priority))).toBe("OK");
    expect(codeOf("insert", entry([], priority))).toBe("ALREADY_EXISTS");
    expect(device.query([{ kind: "tableEntry", table: TABLE }])).toMatchObject([{ match: [] }]);
    expect(codeOf("delete", entry([], priority))).toBe("OK");
  });
});
