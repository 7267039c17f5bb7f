/** Annotations in P4Info (P4Runtime specification 1.4, sections 6.1.3 to 6.1.6): texts, structured ones, documentation, ids of fields. */
import { describe, expect, it } from "vitest";
import { compileParts, tryCompile, v1model } from "../lower/v1model.js";

const CONSTANTS = `const bool FLAG = true; const string WORD = "word"; const int NUMBER = 9;`;

const source = (annotations: string) => ({
  top: CONSTANTS,
  metadata: "bit<8> x;",
  locals: `${annotations} action a() {} table t { key = { meta.x: exact; } actions = { a; } }`,
  ingress: "t.apply();",
});

function preamble(annotations: string) {
  const { actions } = compileParts(source(annotations)).program.p4info;
  return actions.find(({ preamble }) => preamble!.name.endsWith("a"))!.preamble!;
}

describe("a text", () => {
  it.each([
    ["@plain", "@plain"],
    ["@empty()", "@empty"],
    ["@blank( )", "@blank"],
    ["@one(1)", "@one(1)"],
    [
      `@tokens(a  b,c , "d e" 0x1F ... 4 .. 5 && &&& ++ << <= >= == != || |)`,
      `@tokens(a b ,c , "d e" 0x1F ... 4 .. 5 && &&& ++ << <= >= == != || |)`,
    ],
    [`@deprecated("old")`, `@deprecated("old")`],
  ])("%s", (annotation, text) => {
    const got = preamble(annotation).annotations;
    // A comma has no blank before the next token where the annotation is not one that the language defines.
    expect(got.map((one) => one.replace(/ ?, ?/g, ","))).toEqual([text.replace(/ ?, ?/g, ",")]);
  });

  it("is left out where another part of the message says it", () => {
    const { annotations, name, id, doc } = preamble(
      `@name("other.a") @id(7) @brief("short") @description("long") @kept`,
    );
    expect(annotations).toEqual(["@kept"]);
    expect([name, id]).toEqual(["I.other.a", 0x01000007]);
    expect(doc).toMatchObject({ brief: "short", description: "long" });
  });

  it("documentation can have one part only, or none", () => {
    expect(preamble(`@brief("short")`).doc).toMatchObject({ brief: "short", description: "" });
    expect(preamble(`@description("long")`).doc).toMatchObject({ brief: "", description: "long" });
    expect(preamble("@kept").doc).toBeUndefined();
  });
});

describe("a structured annotation", () => {
  const values = (annotation: string) => preamble(annotation).structuredAnnotations[0]!.body;

  it("keeps a list of values, of constants too", () => {
    expect(values(`@list[FLAG, WORD, NUMBER, "plain", false, -5, 1 + 2, !FLAG]`)).toMatchObject({
      case: "expressionList",
      value: {
        expressions: [
          { value: { case: "boolValue", value: true } },
          { value: { case: "stringValue", value: "word" } },
          { value: { case: "int64Value", value: 9n } },
          { value: { case: "stringValue", value: "plain" } },
          { value: { case: "boolValue", value: false } },
          { value: { case: "int64Value", value: -5n } },
          { value: { case: "int64Value", value: 3n } },
          { value: { case: "boolValue", value: false } },
        ],
      },
    });
    expect(values("@none[]")).toMatchObject({ case: "expressionList", value: { expressions: [] } });
  });

  it("keeps pairs in their order", () => {
    expect(values("@pairs[b = FLAG, a = WORD, c = NUMBER]")).toMatchObject({
      case: "kvPairList",
      value: {
        kvPairs: [
          { key: "b", value: { value: { case: "boolValue", value: true } } },
          { key: "a", value: { value: { case: "stringValue", value: "word" } } },
          { key: "c", value: { value: { case: "int64Value", value: 9n } } },
        ],
      },
    });
  });

  it("holds numbers of 64 bits with sign", () => {
    const most = (1n << 63n) - 1n;
    expect(values(`@list[${most}, -${most + 1n}]`)).toMatchObject({
      value: { expressions: [{ value: { value: most } }, { value: { value: -most - 1n } }] },
    });
    expect(tryCompile(v1model(source(`@list[${most + 1n}]`))).codes).toHaveLength(1);
    expect(tryCompile(v1model(source(`@list[-${most + 2n}]`))).codes).toHaveLength(1);
  });
});

it("ids of parameters are counted, but for those that @id gives", () => {
  const { program } = compileParts({
    metadata: "bit<8> x;",
    locals: `action a(bit<8> p, @id(2) bit<8> q, bit<8> r, @id(9) bit<8> s, bit<8> t) { meta.x = p; } table u { key = { meta.x: exact; } actions = { a; NoAction; } }`,
    ingress: "u.apply();",
  });
  const action = program.p4info.actions.find(({ preamble }) => preamble!.name === "I.a")!;
  const ids = action.params.map(({ id }) => id);
  expect(ids[1]).toBe(2);
  expect(ids[3]).toBe(9);
  expect(new Set(ids).size).toBe(5);
  expect(ids[0]).toBe(1);
});

it("the package has the pairs of its annotations, of both forms", () => {
  const text = v1model({}).replace(
    "V1Switch(P()",
    `@pkginfo[name = "n", version = "1"] @platform_property(multicast_group_table_size = 10, multicast_group_table_total_replicas = 20) @other V1Switch(P()`,
  );
  const { result } = tryCompile(text);
  const { pkgInfo } = result!.program.p4info;
  expect(pkgInfo).toMatchObject({ arch: "v1model", name: "n", version: "1", annotations: ["@other"] });
  expect(pkgInfo!.structuredAnnotations).toEqual([]);
  expect(pkgInfo!.platformProperties).toMatchObject({
    multicastGroupTableSize: 10,
    multicastGroupTableTotalReplicas: 20,
    multicastGroupTableMaxReplicasPerEntry: 0,
  });
  expect(tryCompile(v1model({})).result!.program.p4info.pkgInfo!.platformProperties).toBeUndefined();
});

it("the package's pairs in brackets hold numbers, and unknown keys are no texts of it", () => {
  const text = v1model({}).replace(
    "V1Switch(P()",
    `@platform_property[multicast_group_table_size = 10, multicast_group_table_max_replicas_per_entry = 3, flag = true] @pkginfo(contact = "me \\"x\\"", odd = "y") V1Switch(P()`,
  );
  const { pkgInfo } = tryCompile(text).result!.program.p4info;
  expect(pkgInfo!.contact).toContain("me");
  expect(pkgInfo).not.toHaveProperty("odd");
  expect(pkgInfo!.platformProperties).toMatchObject({
    multicastGroupTableSize: 10,
    multicastGroupTableMaxReplicasPerEntry: 3,
  });
});
