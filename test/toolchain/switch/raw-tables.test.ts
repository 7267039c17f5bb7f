/** Tables of the BMv2 JSON ("BMv2 JSON input format", `pipelines`): keys with masks, validity as a key, and where a control goes on. */
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/base/index.js";
import type { Match } from "../../../src/toolchain/device/index.js";
import type { bmv2 } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "./golden.js";
import { changed, digits, field, hex, PACKET, type Written } from "./raw-program.js";

const TABLE = "TheIngress.t";
const set = (name: string, value: string): Written => ["assign", field("h", name), hex(value)];

/** The program with a changed table t, whose action act runs before it. */
function start(act: readonly Written[], change: (table: bmv2.Bmv2Table, program: bmv2.Bmv2Program) => void) {
  const program = changed((made) => {
    const table = made.pipelines[0]!.tables.find(({ name }) => name === TABLE)!;
    const action = made.actions.find(({ name }) => name === "TheIngress.act")!;
    action.primitives = act.map(([op, ...parameters]) => ({ op, parameters }));
    change(table, made);
  });
  const frames: string[] = [];
  const device = new Switch(program, {
    clock: new ManualClock(),
    transmit: (_, frame) => frames.push(toHex(frame)),
  });
  return {
    device,
    /** The first three fields of the header h of what leaves. */
    send: () => {
      device.receive(1, fromHex(digits(...Object.values(PACKET)))!);
      return frames.at(-1)!.slice(0, 14);
    },
    insert: (match: Match[], n: bigint) =>
      device.apply([
        {
          type: "insert",
          entity: {
            kind: "tableEntry",
            table: TABLE,
            match,
            priority: 0,
            action: { kind: "action", action: "TheIngress.with", params: { n } },
          },
        },
      ]),
  };
}

describe("a key", () => {
  it("with a mask has the bits of the mask alone", () => {
    for (const [mask, value, hits] of [
      ["0x0f", 1n, true],
      ["0x0f", 0xf1n, false],
      ["0xf1", 0xf1n, true],
      [null, 0xf1n, true],
      [null, 1n, false],
    ] as const) {
      const { send, insert } = start([set("a", "0xf1")], (table) => {
        table.key[0]!.mask = mask;
      });
      insert([{ kind: "exact", field: "hdr.h.a", value }], 7n);
      expect(send().slice(0, 2)).toBe(hits ? "07" : "f1");
    }
  });

  it("with a mask of two words has the bits of both", () => {
    const { send, insert } = start([set("d", "0x1234567890abcdef")], (table) => {
      Object.assign(table.key[0]!, { target: ["h", "d"], mask: "0x00ff0000000000ff" });
    });
    insert([{ kind: "exact", field: "hdr.h.a", value: 0x003400000000_00efn }], 7n);
    expect(send().slice(0, 2)).toBe("07");
  });

  it.each<[string, string, bigint, boolean]>([
    ["of validity matches a valid header by 1", "i", 1n, true],
    ["of validity matches no valid header by 0", "i", 0n, false],
    ["of validity matches an invalid header by 0", "k", 0n, true],
    ["of validity matches no invalid header by 1", "k", 1n, false],
  ])("%s", (_, target, value, hits) => {
    const { send, insert } = start([set("a", "0xf1")], (table) => {
      Object.assign(table.key[0]!, { match_type: "valid", target });
    });
    insert([{ kind: "exact", field: "hdr.h.a", value }], 7n);
    expect(send().slice(0, 2)).toBe(hits ? "07" : "f1");
  });

  it("of a header that is not valid counts as 0", () => {
    const { send, insert } = start([["assign", field("k", "bits"), hex("0x5")]], (table) => {
      table.key[0]!.target = ["k", "bits"];
    });
    insert([{ kind: "exact", field: "hdr.h.a", value: 0n }], 7n);
    insert([{ kind: "exact", field: "hdr.h.a", value: 5n }], 8n);
    expect(send().slice(0, 2)).toBe("07");
  });
});

describe("a control goes on", () => {
  /** What b and c are after a packet that hits t, and after one that misses it; two tables after t set b and c to 1. */
  const ways = (change: (table: bmv2.Bmv2Table) => void): [string, string] => {
    const { device, send, insert } = start(
      [set("b", "0x0"), set("c", "0x0")],
      (table, { pipelines, actions }) => {
        const { tables } = pipelines[0]!;
        const model = tables.find(({ name }) => name === "tbl_act")!;
        const template = actions.find(({ name }) => name === "TheIngress.act")!;
        ["b", "c"].forEach((name, i) => {
          const id = 100 + i;
          const [op, ...parameters] = set(name, "0x1");
          actions.push({
            ...structuredClone(template),
            id,
            name: `set_${name}`,
            primitives: [{ op, parameters }],
          });
          tables.push({
            ...structuredClone(model),
            name: `then_${name}`,
            id,
            actions: [`set_${name}`],
            action_ids: [id],
            base_default_next: null,
            next_tables: { [`set_${name}`]: null },
            default_entry: { ...model.default_entry!, action_id: id },
          });
        });
        change(table);
      },
    );
    const match: Match[] = [{ kind: "exact", field: "hdr.h.a", value: 1n }];
    insert(match, 1n);
    const hit = send().slice(2);
    device.apply([{ type: "delete", entity: { kind: "tableEntry", table: TABLE, match, priority: 0 } }]);
    return [hit, send().slice(2)];
  };
  const B = "000100000000";
  const C = "000000000001";
  const NEITHER = "000000000000";

  it.each<[string, Record<string, string | null>, string | null, [string, string]]>([
    ["by hit and miss", { __HIT__: "then_b", __MISS__: "then_c" }, null, [B, C]],
    ["by hit alone", { __HIT__: "then_b" }, null, [B, NEITHER]],
    ["by miss alone", { __MISS__: "then_c" }, null, [NEITHER, C]],
    ["by the action", { "TheIngress.with": "then_b", NoAction: "then_c" }, null, [B, C]],
    [
      "by the action, the same way for each",
      { "TheIngress.with": "then_c", NoAction: "then_c" },
      "then_c",
      [C, C],
    ],
    ["by the action, or ends", { "TheIngress.with": "then_b", NoAction: null }, null, [B, NEITHER]],
    ["nowhere", { "TheIngress.with": null, NoAction: null }, null, [NEITHER, NEITHER]],
  ])("%s", (_, next_tables, base_default_next, expected) => {
    expect(
      ways((table) => {
        Object.assign(table, { next_tables, base_default_next });
      }),
    ).toEqual(expected);
  });

  it("by its base where no action ran", () => {
    const [hit, miss] = ways((table) => {
      Object.assign(table, { next_tables: { "TheIngress.with": "then_b" }, base_default_next: "then_c" });
      delete table.default_entry;
    });
    expect([hit, miss]).toEqual([B, C]);
  });
});
