/** Entries that come with a program: which ones go in, and that none is lost in silence. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import {
  type Bmv2Program,
  type bmv2,
  createP4Info,
  readBmv2,
} from "../../../../src/toolchain/program/index.js";
import { startGolden, startProgram } from "../golden.js";

/** A table of one 8-bit key and four entries at most; its second entry does not fit. */
function read(): { program: Bmv2Program; table: bmv2.Bmv2Table } {
  const path = resolve(import.meta.dirname, "../../../bad/switch/P41103-entry-too-wide.json");
  const diagnostics = new Diagnostics();
  const program = readBmv2(new SourceFile("t.json", readFileSync(path, "utf8")), diagnostics)!;
  expect(diagnostics.list).toEqual([]);
  return { program, table: program.pipelines[0]!.tables[0]! };
}

const entry = (key: string, more: Partial<bmv2.ConstEntry> = {}): bmv2.ConstEntry => ({
  match_key: [{ match_type: "exact", key }],
  action_entry: { action_id: 0, action_data: [] },
  priority: 1,
  ...more,
});

it("go in once a key, the first one of equal keys", () => {
  const { program, table } = read();
  table.entries = [entry("0x01"), entry("0x02"), entry("0x01")];
  const { device } = startProgram(program);
  const values = device
    .query([{ kind: "tableEntry" }])
    .map((entity) => entity.kind === "tableEntry" && entity.match);
  expect(values).toEqual([1n, 2n].map((value) => [{ kind: "exact", field: "h.f", value }]));
});

// Bits that do not count are cleared; an optional key without a mask matches all (BMv2 JSON, `match_key`).
it.each<[kind: string, written: object, match: object[]]>([
  ["exact", { match_type: "exact", key: "0xf5" }, [{ value: 0xf5n }]],
  ["lpm", { match_type: "lpm", key: "0xff", prefix_length: 4 }, [{ value: 0xf0n, prefixLength: 4 }]],
  ["ternary", { match_type: "ternary", key: "0xf5", mask: "0x0f" }, [{ value: 5n, mask: 0xfn }]],
  ["range", { match_type: "range", start: "0x02", end: "0x09" }, [{ low: 2n, high: 9n }]],
  ["optional", { match_type: "optional", key: "0xf5", mask: "0xff" }, [{ value: 0xf5n }]],
  ["optional", { match_type: "optional", key: "0x00", mask: "0x00" }, []],
  ["optional", { match_type: "ternary", key: "0xf5", mask: "0xff" }, [{ value: 0xf5n }]],
  ["optional", { match_type: "ternary", key: "0x00", mask: "0x00" }, []],
])("match %s keys as they are written: %j", (kind, written, match) => {
  const { program, table } = read();
  table.match_type = kind as never;
  table.key[0]!.match_type = kind as never;
  table.entries = [entry("", { match_key: [written as never] })];
  const { device } = startProgram(program);
  const found = device.query([{ kind: "tableEntry" }]);
  expect(found).toMatchObject([{ match: match.map((part) => ({ kind, field: "h.f", ...part })) }]);
});

it.each<[string, bmv2.ConstEntry[], RegExp]>([
  [
    "an action that the table has not",
    [entry("0x01"), entry("0x02", { action_entry: { action_id: 7, action_data: [] } })],
    /P41103.*entry 2 of table t: the table has no action of id 7; it has 0 \(a\)/,
  ],
  [
    "another kind of key",
    [entry("", { match_key: [{ match_type: "range", start: "0x01", end: "0x02" }] })],
    /P41103.*entry 1 of table t: .*range/,
  ],
  [
    "a kind of key without a meaning in P4-16",
    [entry("", { match_key: [{ match_type: "valid", key: "0x01" } as never] })],
    /P41103.*entry 1 of table t: .*valid/,
  ],
  [
    "more entries than there is room for",
    ["1", "2", "3", "4", "5"].map((i) => entry(`0x0${i}`)),
    /P41103.*entry 5/,
  ],
])("are refused with the program: %s", (_, entries, message) => {
  const { program, table } = read();
  table.entries = entries;
  expect(() => startProgram(program)).toThrow(message);
});

it("are refused with their place in the source, at load and at verify, and the program before stays", async () => {
  const { program } = read();
  const wanted = {
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/P41103.*entry 2.*t\.p4:31:13.*511/),
  };
  const { device } = await startGolden("l3");
  const before = device.program;
  await expect(device.verify({ bmv2: program, p4info: createP4Info() })).rejects.toMatchObject(wanted);
  await expect(device.load({ bmv2: program, p4info: createP4Info() })).rejects.toMatchObject(wanted);
  expect(device.program).toBe(before);
});
