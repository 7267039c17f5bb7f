import { describe, expect, it } from "vitest";
import { nameHash, SymbolTable } from "../../../../src/toolchain/p4/emit/p4info-symbols.js";
import { compileParts } from "../lower/v1model.js";

describe("ids", () => {
  // Read off p4c's output for the reference programs.
  it.each([
    ["table", "TheIngress.t_crc16", 50206990],
    ["action", "NoAction", 21257015],
    ["actionProfile", "TheIngress.sel_crc16", 286249062],
    ["digest", "learn_t", 398033514],
    ["register", "TheEgress.lengths", 377950877],
  ] as const)("of the %s %s", (kind, name, id) => {
    const symbols = new SymbolTable();
    symbols.add(kind, name);
    symbols.assign();
    expect(symbols.id(kind, name)).toBe(id);
  });

  it("pass over one that is taken", () => {
    const symbols = new SymbolTable();
    const wanted = nameHash("a") & 0xffffff;
    symbols.add("table", "first", wanted);
    symbols.add("table", "a");
    symbols.assign();
    expect(symbols.id("table", "first")).toBe(0x02000000 + wanted);
    expect(symbols.id("table", "a")).toBe(0x02000000 + wanted + 1);
  });
});

it("gives the shortest unique suffix as alias", () => {
  const symbols = new SymbolTable();
  for (const name of ["I.a.t", "I.b.t", "E.u", "t2"]) symbols.add("table", name);
  symbols.add("action", "X.E.u");
  expect(["I.a.t", "I.b.t", "E.u", "X.E.u", "t2"].map((name) => symbols.alias(name))).toEqual([
    "a.t",
    "b.t",
    "E.u",
    "X.E.u",
    "t2",
  ]);
});

it("has translations, widths, documentation and scopes", () => {
  const { program } = compileParts({
    top: `@p4runtime_translation("my/port", 32) type bit<9> port_t;
      @p4runtime_translation("my/name", string) type bit<16> vrf_t;
      enum bit<8> kind_t { one = 1, two = 2 }`,
    metadata: "port_t port; vrf_t vrf; kind_t kind;",
    locals: `@brief("Sends it") action send(@id(5) port_t to, bit<8> x) { sm.egress_spec = (bit<9>) to; }
      action drop() { mark_to_drop(sm); }
      @description("All of it") table t {
        key = { meta.port : exact @name("port"); meta.vrf : ternary; meta.kind : optional; }
        actions = { @tableonly send; @defaultonly drop; }
        const default_action = drop;
        size = 7;
      }`,
    ingress: "t.apply();",
  });
  const { tables, actions, typeInfo } = program.p4info;
  const [table] = tables;
  expect(table!.matchFields.map((one) => [one.id, one.name, one.bitwidth, one.typeName?.name])).toEqual([
    [1, "port", 32, "port_t"],
    [2, "meta.vrf", 0, "vrf_t"],
    [3, "meta.kind", 8, undefined],
  ]);
  expect(table!.preamble?.doc?.description).toBe("All of it");
  expect(table!.constDefaultActionId).toBe(
    actions.find((one) => one.preamble?.alias === "drop")!.preamble!.id,
  );
  expect(table!.actionRefs.map((one) => one.scope)).toEqual([1, 2]);
  const send = actions.find((one) => one.preamble?.name === "I.send")!;
  expect(send.preamble?.doc?.brief).toBe("Sends it");
  expect(send.params.map((one) => [one.id, one.name, one.bitwidth])).toEqual([
    [5, "to", 32],
    [2, "x", 8],
  ]);
  expect(Object.keys(typeInfo!.newTypes).sort()).toEqual(["port_t", "vrf_t"]);
  expect(typeInfo!.serializableEnums["kind_t"]!.members.map((one) => [one.name, [...one.value]])).toEqual([
    ["one", [1]],
    ["two", [2]],
  ]);
});
