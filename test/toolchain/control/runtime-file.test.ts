/** `sN-runtime.json`: its writes, and errors at their place. */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { readRuntimeFile } from "../../../src/toolchain/control/index.js";
import { placeOf } from "../../../src/toolchain/control/runtime-file.js";
import { P4InfoIndex } from "../../../src/toolchain/program/index.js";
import { goldenText, startGolden, startUnconfigured } from "../switch/golden.js";
import { p4infoOf } from "./start.js";

const bad = resolve(import.meta.dirname, "../../bad/control");

const index = new P4InfoIndex(p4infoOf("l3"));

function read(text: string) {
  const diagnostics = new Diagnostics();
  const file = readRuntimeFile(new SourceFile("s1-runtime.json", text), diagnostics);
  const updates = file?.updates(index, diagnostics) ?? [];
  return { file, updates, diagnostics, messages: diagnostics.list.map(formatDiagnostic) };
}

const entry = (table: object) => JSON.stringify({ target: "bmv2", table_entries: [table] });

describe("a runtime file", () => {
  it("of a recorded program writes what its commands write", async () => {
    const { file, updates, messages } = read(goldenText("l3", "runtime.json")!);
    expect(messages).toEqual([]);
    expect(file).toMatchObject({ target: "bmv2", p4info: "l3.p4info.txtpb", bmv2Json: "l3.json" });
    const { device } = startUnconfigured("l3", p4infoOf("l3"));
    device.apply(updates);
    const { device: other } = await startGolden("l3", "config.txt", p4infoOf("l3"));
    // Its priorities are 1000 less those of the commands.
    const entries = (from: typeof device) =>
      from
        .query([{ kind: "tableEntry" }])
        .map((one) => (one.kind === "tableEntry" ? { ...one, priority: one.priority === 0 ? 0 : 1 } : one));
    expect(entries(device)).toEqual(entries(other));
  });

  it("has values by their look, groups and sessions", () => {
    const { updates, messages } = read(
      JSON.stringify({
        target: "bmv2",
        p4info: "build/l3.p4.p4info.txtpb",
        bmv2_json: "build/l3.json",
        _note: "keys like this one are comments",
        table_entries: [
          {
            table: "routes4",
            default_action: true,
            action_name: "route",
            action_params: { next_hop: "0x1f" },
          },
          {
            table: "TheIngress.routes6",
            match: { "hdr.ipv6.dst": ["2001:db8::", 32], ingress_port: [7] },
            action_name: "TheIngress.route6",
            action_params: { next_hop: 3 },
          },
          {
            table: "TheIngress.acl",
            match: {
              "hdr.ipv4.src": ["10.1.2.3", "255.255.255.0"],
              "hdr.ports.dst": [1, 9],
              "meta.protocol": 6,
            },
            priority: 5,
            action_name: "TheIngress.deny",
          },
          {
            table: "TheIngress.next_hops",
            match: { "meta.next_hop": 4 },
            action_name: "to_next_hop",
            action_params: { port: 1, dst: "08:00:00:00:01:11", src: 281474976710655 },
          },
        ],
        multicast_group_entries: [
          { multicast_group_id: 2, replicas: [{ egress_port: 1, instance: 1 }, { egress_port: 2 }] },
        ],
        clone_session_entries: [
          { clone_session_id: 57, replicas: [{ egress_port: 510, instance: 1 }], packet_length_bytes: 128 },
        ],
      }),
    );
    expect(messages).toEqual([]);
    expect(updates).toMatchObject([
      { type: "modify", entity: { isDefault: true, match: [], action: { params: { next_hop: 31n } } } },
      {
        type: "insert",
        entity: {
          match: [
            { kind: "lpm", value: 0x20010db8n << 96n, prefixLength: 32 },
            { kind: "exact", value: 7n },
          ],
        },
      },
      {
        type: "insert",
        entity: {
          priority: 5,
          match: [
            { kind: "ternary", value: 0x0a010200n, mask: 0xffffff00n },
            { kind: "optional", value: 6n },
            { kind: "range", low: 1n, high: 9n },
          ],
        },
      },
      {
        type: "insert",
        entity: { action: { params: { port: 1n, dst: 0x080000000111n, src: 0xffffffffffffn } } },
      },
      {
        type: "insert",
        entity: {
          kind: "multicastGroup",
          groupId: 2,
          replicas: [
            { port: 1, instance: 1 },
            { port: 2, instance: 0 },
          ],
        },
      },
      { type: "insert", entity: { kind: "cloneSession", sessionId: 57, packetLengthBytes: 128 } },
    ]);
  });

  it("reads numbers beyond 2^53 with all their digits", () => {
    const text = `{"table_entries":[{"table":"routes6","match":{"hdr.ipv6.dst":[18446744073709551617,128],"ingress_port":1},
      "action_name":"route6","action_params":{"next_hop":1}}]}`;
    expect(read(text).updates).toMatchObject([
      { entity: { match: [{ value: (1n << 64n) + 1n, prefixLength: 128 }, { value: 1n }] } },
    ]);
  });

  it("takes the spellings of older files", () => {
    const { updates, messages } = read(
      entry({
        table_name: "routes4",
        match: { dst: ["10.0.0.0", 8] },
        action: "route",
        params: { next_hop: 1 },
      }),
    );
    expect(messages).toEqual([]);
    expect(updates).toHaveLength(1);
  });

  it("never throws, whatever the JSON", () => {
    const keys = fc.constantFrom(
      "table",
      "match",
      "action_name",
      "action_params",
      "priority",
      "default_action",
    );
    const words = fc.constantFrom(
      "routes4",
      "acl",
      "route",
      "deny",
      "hdr.ipv4.dst",
      "next_hop",
      "10.0.0.1",
      8,
      -1,
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        words,
        fc.jsonValue(),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(keys, tie("any")),
      ),
    })).any;
    fc.assert(
      fc.property(fc.array(fc.dictionary(keys, value), { maxLength: 4 }), (entries) => {
        const { updates, diagnostics } = read(JSON.stringify({ table_entries: entries }));
        expect(updates.length + diagnostics.errorCount).toBeGreaterThanOrEqual(entries.length);
      }),
    );
  });
});

describe("wrong runtime files", () => {
  const files = readdirSync(bad).filter((name) => name.endsWith(".json"));

  it("are there for every code", () => {
    const codes = [...new Set(files.map((name) => name.slice(0, 6)))].sort();
    expect(codes).toEqual(["P43211", "P43212", "P43213", "P43214"]);
  });

  it.each(files)("%s", (name) => {
    const { diagnostics, messages } = read(readFileSync(resolve(bad, name), "utf8"));
    expect(diagnostics.list.map(({ code }) => code)).toEqual([name.slice(0, 6)]);
    expect(messages.join("\n")).toMatchSnapshot();
  });

  const good = { table: "routes4", match: { dst: ["10.0.0.0", 8] }, action_name: "route" };

  it.each<[string, object, string]>([
    ["no table", { ...good, table: undefined }, "`table_entries.0.table` is missing"],
    ["an unknown field", { ...good, match: { dts: ["10.0.0.0", 8] } }, "did you mean `dst`?"],
    ["an unknown action", { ...good, action_name: "rout" }, "did you mean `route`?"],
    ["an unknown parameter", { ...good, action_params: { hop: 1 } }, "there are: next_hop"],
    ["a missing parameter", { ...good, action_params: {} }, "lacks its parameter next_hop"],
    ["a prefix too long", { ...good, match: { dst: ["10.0.0.0", 33] } }, "0 to 32"],
    ["three values", { ...good, match: { dst: [1, 2, 3] } }, "[value, length]"],
    ["two values of an exact field", { table: "next_hops", match: { next_hop: [1, 2] } }, "is exact"],
    [
      "a missing exact field",
      { table: "next_hops", match: {}, action_name: "drop" },
      "the match lacks meta.next_hop",
    ],
    ["a match of the default", { ...good, default_action: true }, "a default entry has no match"],
    ["no priority", { table: "acl", match: {}, action_name: "deny" }, "needs a `priority` above 0"],
    [
      "priority 0",
      { table: "acl", match: {}, priority: 0, action_name: "deny" },
      "needs a `priority` above 0",
    ],
    ["a priority too much", { ...good, priority: 4, action_params: { next_hop: 1 } }, "has none"],
    ["a value too wide", { ...good, action_params: { next_hop: 65536 } }, "does not fit 16 bits"],
  ])("%s", (_, table, message) => {
    const { diagnostics, messages, updates } = read(entry(table));
    expect(messages.join("\n")).toContain(message);
    expect(diagnostics.errorCount).toBe(1);
    expect(updates).toEqual([]);
  });

  it.each([
    ['{"target": "bmv2",}', 17, "a comma"],
    ["{'target': 1}", 1, "double quotes"],
    ['{"target" 1}', 10, "`:`"],
    ['{"a": [1 2]}', 9, "`,` or `]`"],
    ["// note\n{}", 0, "no comments"],
    ['{"a": nul}', 6, "a value"],
    ['{"a": {', 6, "the file ends"],
    ['{"a": "b', 6, "not closed"],
    ["{} {}", 3, "end of the file"],
    ["[".repeat(100_000), 501, "500 brackets"],
  ])("%s is no JSON: says where", (text, at, message) => {
    const { diagnostics } = read(text);
    expect(diagnostics.list).toMatchObject([{ code: "P43211", message: expect.stringContaining(message) }]);
    expect(diagnostics.list[0]!.span!.start).toBe(at);
  });

  it("may be long: all in one line, and over many", () => {
    const table_entries = Array.from({ length: 5000 }, (_, i) => ({
      table: "routes4",
      match: { dst: [`10.${i >> 8}.${i & 255}.0`, 24] },
      action_name: "route",
      action_params: { next_hop: i === 4321 ? 70000 : 1 },
    }));
    for (const indent of [0, 2]) {
      const text = JSON.stringify({ table_entries }, null, indent);
      const { updates, diagnostics } = read(text);
      expect(updates).toHaveLength(4999);
      expect(placeOf(updates[4998]!)!.start).toBe(text.lastIndexOf("{", text.lastIndexOf('"table"')));
      expect(diagnostics.list).toMatchObject([{ code: "P43213", span: { start: text.indexOf("70000") } }]);
    }
  });

  it("warn of keys that mean nothing", () => {
    const { diagnostics, updates } = read('{"table_entrys": [], "table_entries": []}');
    expect(diagnostics.list).toMatchObject([{ severity: "warning", code: "P43211" }]);
    expect(updates).toEqual([]);
  });
});
