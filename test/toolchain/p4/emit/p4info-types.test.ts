/**
 * Types in P4Info (P4Runtime specification 1.4, section 6.5): each kind of type in a digest's struct, translations of `type` declarations,
 * and the widths that a controller sees.
 */
import { describe, expect, it } from "vitest";
import { compileParts, type Parts } from "../lower/v1model.js";

const infoOf = (parts: Parts) => compileParts(parts).program.p4info;

/** What type_info says after a digest of a struct with this field. */
function described(field: string, top = "") {
  const info = infoOf({
    top: `${top} struct all_t { ${field} f; }`,
    metadata: "all_t a;",
    ingress: "digest<all_t>(1, meta.a);",
  });
  const { typeInfo } = info;
  const member = typeInfo!.structs["all_t"]!.members[0]!;
  expect(member.name).toBe("f");
  return { spec: member.typeSpec!.typeSpec, types: typeInfo! };
}

const HEADERS = `@name(".renamed") header p_t { bit<8> p; int<8> q; varbit<32> v; } header one_t { @name("other") bit<8> o; } header_union U { p_t a; one_t b; }`;

describe("the description of", () => {
  it.each<[string, string, object]>([
    [
      "a number",
      "bit<9>",
      { case: "bitstring", value: { typeSpec: { case: "bit", value: { bitwidth: 9 } } } },
    ],
    [
      "a signed number",
      "int<4>",
      { case: "bitstring", value: { typeSpec: { case: "int", value: { bitwidth: 4 } } } },
    ],
    ["a bool", "bool", { case: "bool" }],
    ["an error", "error", { case: "error" }],
    ["a header", "one_t", { case: "header", value: { name: "one_t" } }],
    ["a header with a @name", "p_t", { case: "header", value: { name: "renamed" } }],
    [
      "a stack of headers",
      "one_t[3]",
      { case: "headerStack", value: { header: { name: "one_t" }, size: 3 } },
    ],
    ["a union", "U", { case: "headerUnion", value: { name: "U" } }],
    [
      "a stack of unions",
      "U[2]",
      { case: "headerUnionStack", value: { headerUnion: { name: "U" }, size: 2 } },
    ],
  ])("%s", (_, field, expected) => {
    expect(described(field, HEADERS).spec).toMatchObject(expected);
  });

  it("a tuple has its elements in order", () => {
    expect(described("tuple<bit<8>, bool>").spec).toMatchObject({
      case: "tuple",
      value: {
        members: [
          { typeSpec: { case: "bitstring", value: { typeSpec: { case: "bit", value: { bitwidth: 8 } } } } },
          { typeSpec: { case: "bool" } },
        ],
      },
    });
  });

  it("a struct inside is a type of its own, with the @name of its fields", () => {
    const { spec, types } = described("in_t", `struct in_t { @name("x") bit<8> a; bit<16> b; }`);
    expect(spec).toMatchObject({ case: "struct", value: { name: "in_t" } });
    expect(types.structs["in_t"]!.members.map(({ name }) => name)).toEqual(["x", "b"]);
  });

  it("headers lists fields as bit strings, with the struct's name before those of a struct inside", () => {
    const { types } = described(
      "h_t",
      "struct in_t { bit<8> a; } header h_t { bit<8> p; int<8> q; varbit<32> v; in_t s; }",
    );
    expect(
      types.headers["h_t"]!.members.map(({ name, typeSpec }) => [name, typeSpec!.typeSpec]),
    ).toMatchObject([
      ["p", { case: "bit", value: { bitwidth: 8 } }],
      ["q", { case: "int", value: { bitwidth: 8 } }],
      ["v", { case: "varbit", value: { maxBitwidth: 32 } }],
      ["s.a", { case: "bit", value: { bitwidth: 8 } }],
    ]);
  });

  it("a union lists its headers, which are described too", () => {
    const { types } = described("U", HEADERS);
    expect(types.headerUnions["U"]!.members.map(({ name, header }) => [name, header!.name])).toEqual([
      ["a", "renamed"],
      ["b", "one_t"],
    ]);
    expect(Object.keys(types.headers).sort()).toEqual(["one_t", "renamed"]);
    expect(types.headers["one_t"]!.members.map(({ name }) => name)).toEqual(["other"]);
  });

  it("`error` lists all errors in the order of their declaration", () => {
    const { types } = described("error", "error { Mine, Other }");
    expect(types.error!.members.slice(-2)).toEqual(["Mine", "Other"]);
    expect(types.error!.members[0]).toBe("NoError");
    expect(described("bool").types.error).toBeUndefined();
  });

  it("an enum lists its members, one with an underlying type their values in whole bytes", () => {
    const { spec, types } = described("Kind", "enum Kind { P, Q }");
    expect(spec).toMatchObject({ case: "enum", value: { name: "Kind" } });
    expect(types.enums["Kind"]!.members.map(({ name }) => name)).toEqual(["P", "Q"]);
    const serializable = described("Code", "enum int<12> Code { minus = -1, plus = 0x123 }");
    expect(serializable.spec).toMatchObject({ case: "serializableEnum", value: { name: "Code" } });
    const code = serializable.types.serializableEnums["Code"]!;
    expect(code.underlyingType!.bitwidth).toBe(12);
    expect(code.members.map(({ name, value }) => [name, [...value]])).toEqual([
      ["minus", [0x0f, 0xff]],
      ["plus", [0x01, 0x23]],
    ]);
  });
});

describe("a `type` declaration", () => {
  const of = (annotation: string) =>
    described("new_t", `${annotation} type bit<12> new_t;`).types.newTypes["new_t"]!.representation;

  it.each<[string, string, object]>([
    [
      "with a number",
      `@p4runtime_translation("u", 24)`,
      { uri: "u", sdnType: { case: "sdnBitwidth", value: 24 } },
    ],
    [
      "with bit<W>",
      `@p4runtime_translation("u", bit<40>)`,
      { uri: "u", sdnType: { case: "sdnBitwidth", value: 40 } },
    ],
    [
      "with bit<W> and blanks",
      `@p4runtime_translation("u",  bit < 40 >)`,
      { uri: "u", sdnType: { case: "sdnBitwidth", value: 40 } },
    ],
    ["with string", `@p4runtime_translation("u", string)`, { uri: "u", sdnType: { case: "sdnString" } }],
  ])("is translated: %s", (_, annotation, value) => {
    expect(of(annotation)).toMatchObject({ case: "translatedType", value });
  });

  it("without a translation is its original type", () => {
    expect(of("")).toMatchObject({
      case: "originalType",
      value: {
        typeSpec: { case: "bitstring", value: { typeSpec: { case: "bit", value: { bitwidth: 12 } } } },
      },
    });
  });

  it("gives keys, parameters and fields of packet-in headers its name, and the width for a controller", () => {
    const info = infoOf({
      top: `@p4runtime_translation("u", 24) type bit<12> far_t; type bit<12> near_t; enum Kind { P, Q }
        @controller_header("packet_in") header cpu_t { far_t port; near_t n; @hidden bit<8> pad; }`,
      metadata: "far_t f; near_t n; Kind k;",
      locals: `action a(far_t p, near_t q, bit<4> r, Kind k) { meta.f = p; }
        table t { key = { meta.f: exact; meta.n: exact; } actions = { a; NoAction; } }`,
      ingress: "t.apply();",
    });
    const [table] = info.tables;
    expect(table!.matchFields.map(({ bitwidth, typeName }) => [bitwidth, typeName?.name])).toEqual([
      [24, "far_t"],
      [12, "near_t"],
    ]);
    const action = info.actions.find(({ preamble }) => preamble!.name === "I.a")!;
    expect(action.params.slice(0, 3).map(({ bitwidth, typeName }) => [bitwidth, typeName?.name])).toEqual([
      [24, "far_t"],
      [12, "near_t"],
      [4, undefined],
    ]);
    expect(action.params[3]!.typeName?.name).toBe("Kind");
    const [header] = info.controllerPacketMetadata;
    expect(
      header!.metadata.map(({ id, name, bitwidth, typeName }) => [id, name, bitwidth, typeName?.name]),
    ).toEqual([
      [1, "port", 24, "far_t"],
      [2, "n", 12, "near_t"],
    ]);
  });
});

it("registers describe their elements, and indexes of a `type` have its name", () => {
  const info = infoOf({
    top: "type bit<32> index_t; enum bit<8> Code { one = 1 }",
    locals: `register<bit<48>>(4) plain; register<Code>(8) code; register<int<16>>(2) signed;`,
    metadata: "bit<48> x; Code c; int<16> s;",
    ingress: "plain.read(meta.x, 0); code.read(meta.c, 1); signed.read(meta.s, 1);",
  });
  expect(
    info.registers.map(({ preamble, size, typeSpec }) => [preamble!.alias, size, typeSpec!.typeSpec.case]),
  ).toEqual([
    ["plain", 4, "bitstring"],
    ["code", 8, "serializableEnum"],
    ["signed", 2, "bitstring"],
  ]);
});

it("counters and meters have their units, direct ones the id of their table", () => {
  const info = infoOf({
    metadata: "bit<8> x; bit<2> c;",
    locals: `counter(4, CounterType.packets) p; counter(5, CounterType.bytes) b; counter(6, CounterType.packets_and_bytes) both;
      meter(7, MeterType.packets) mp; meter(8, MeterType.bytes) mb; direct_counter(CounterType.bytes) dc; direct_meter<bit<2>>(MeterType.packets) dm;
      action a() { dm.read(meta.c); } table t { key = { meta.x: exact; } actions = { a; } counters = dc; meters = dm; default_action = a; }`,
    ingress:
      "p.count(0); b.count(0); both.count(0); mp.execute_meter(0, meta.c); mb.execute_meter(0, meta.c); t.apply();",
  });
  // BYTES = 1, PACKETS = 2, BOTH = 3.
  expect(info.counters.map(({ size, spec }) => [size, spec!.unit])).toEqual([
    [4n, 2],
    [5n, 1],
    [6n, 3],
  ]);
  expect(info.meters.map(({ size, spec }) => [size, spec!.unit])).toEqual([
    [7n, 2],
    [8n, 1],
  ]);
  const [table] = info.tables;
  expect(info.directCounters.map(({ spec, directTableId }) => [spec!.unit, directTableId])).toEqual([
    [1, table!.preamble!.id],
  ]);
  expect(info.directMeters.map(({ spec, directTableId }) => [spec!.unit, directTableId])).toEqual([
    [2, table!.preamble!.id],
  ]);
  expect(table!.directResourceIds).toEqual([
    info.directCounters[0]!.preamble!.id,
    info.directMeters[0]!.preamble!.id,
  ]);
});
