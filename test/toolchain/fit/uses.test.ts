/** Places of findings in source files, and who uses which field of a program. */
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../src/base/index.js";
import { fitProgram, type Target } from "../../../src/toolchain/fit/index.js";
import { buildModel } from "../../../src/toolchain/fit/model/build.js";
import { findUses } from "../../../src/toolchain/fit/model/uses.js";
import { naiveWidths } from "../../../src/toolchain/fit/phv/naive.js";
import { Places } from "../../../src/toolchain/fit/source.js";
import { compileText, loadTarget } from "./golden.js";
import { built, featureText } from "./model-text.js";
import { wrap } from "./programs.js";

const tofino = loadTarget("tofino");

describe("a place", () => {
  const file = new SourceFile("p.p4", "one\n  two words\nlast");
  const info = (line: number, column: number, source_fragment: string, filename = "p.p4") => ({
    filename,
    line,
    column,
    source_fragment,
  });
  const textOf = (places: Places, ...args: Parameters<typeof info>) => {
    const span = places.spanOf(info(...args));
    if (span === undefined) return undefined;
    const { line, column } = span.file.position(span.start);
    return [span.file.path, line, column, span.file.text.slice(span.start, span.end)];
  };
  const known = new Places((path) => (path === "p.p4" ? file : undefined));

  it("is that of the fragment's first line, in the file", () => {
    expect(textOf(known, 1, 0, "one")).toEqual(["p.p4", 1, 1, "one"]);
    expect(textOf(known, 2, 2, "two words\nlast")).toEqual(["p.p4", 2, 3, "two words"]);
    expect(known.spanOf(info(2, 2, "two"))!.file).toBe(file);
    // A place without a fragment is one character; none goes beyond the file.
    expect(textOf(known, 2, 6, "")).toEqual(["p.p4", 2, 7, "w"]);
    expect(textOf(known, 3, 2, "stone")).toEqual(["p.p4", 3, 3, "st"]);
    expect(textOf(known, 3, 99, "x")).toEqual(["p.p4", 3, 5, ""]);
  });

  it("has its line without the file, or where the file has fewer lines", () => {
    for (const places of [new Places(undefined), new Places(() => undefined)])
      expect(textOf(places, 7, 4, "t.apply();\nmore")).toEqual(["p.p4", 7, 5, "t.apply();"]);
    expect(textOf(known, 7, 4, "t")).toEqual(["p.p4", 7, 5, "t"]);
    expect(textOf(known, 1, 0, "x", "q.p4")).toEqual(["q.p4", 1, 1, "x"]);
  });

  it("is missing for what has no line", () => {
    expect(known.spanOf(undefined)).toBeUndefined();
    expect(textOf(known, 0, 0, "x")).toBeUndefined();
  });
});

const FIELDS = "bit<32> a; bit<32> b; bit<32> c; bit<8> n; bit<16> sum;";
const programOf = (locals: string, apply: string, egress = "") => {
  const { program, error } = compileText(wrap(FIELDS, locals, apply, egress));
  expect(error).toBeUndefined();
  return program!;
};

describe("the fields of a program", () => {
  const uses = (locals: string, apply: string, egress = "") => {
    const program = programOf(locals, apply, egress);
    const { model } = buildModel(program, tofino);
    const found = findUses(program.bmv2, model.fields);
    const short = (names: Iterable<string>) =>
      [...names]
        .filter((name) => name.includes("meta_t"))
        .map((name) => name.slice(-2))
        .sort();
    const own = program.bmv2.actions.map(({ id, name }) => [name, [...found.localsOf(id)]] as const);
    return {
      live: short(found.live),
      used: short(found.used),
      written: short(found.writtenIn("ingress")),
      readInEgress: short(found.readIn("egress")),
      locals: Object.fromEntries(own.filter(([, names]) => names.length > 0)),
      places: found.places,
    };
  };
  const T = (key: string, body: string) =>
    `action go() { ${body} } table t { key = { ${key}: exact; } actions = { go; NoAction; } default_action = NoAction(); }`;

  it.each<[string, string, string, string, Record<string, unknown>]>([
    [
      "written, and read by nothing",
      T("h.d.a", "m.m0 = 1;"),
      "t.apply();",
      "",
      { live: [], used: ["m0"], written: ["m0"], readInEgress: [] },
    ],
    ["a key", T("m.m0", ""), "t.apply();", "", { live: ["m0"], used: ["m0"], written: [], readInEgress: [] }],
    ["a condition", "", "if (m.m0 == 1) { h.d.a = 1; }", "", { live: ["m0"], used: ["m0"] }],
    [
      "a condition of egress",
      "",
      "h.d.a = 1;",
      "if (m.m0 == 1) { h.d.a = 1; }",
      { live: ["m0"], readInEgress: ["m0"] },
    ],
    [
      "read by a statement of egress",
      "",
      "m.m1 = h.d.a;",
      "h.d.b = m.m1;",
      { live: ["m1"], written: ["m1"], readInEgress: ["m1"] },
    ],
    [
      "input of a hash",
      "",
      "hash(h.d.a, HashAlgorithm.crc32, 32w0, { m.m1 }, 32w16);",
      "",
      { live: ["m1"], written: [] },
    ],
    [
      "result of a hash",
      "",
      "hash(m.m1, HashAlgorithm.crc32, 32w0, { h.d.a }, 32w16);",
      "",
      { live: [], written: ["m1"] },
    ],
    ["result of a random number", "", "random(m.m2, 8w0, 8w255);", "", { live: [], written: ["m2"] }],
    [
      "result of a register",
      "register<bit<32>>(16) r;",
      "r.read(m.m0, h.d.a);",
      "",
      { live: [], written: ["m0"] },
    ],
    [
      "index and value of a register",
      "register<bit<32>>(16) r;",
      "r.write(m.m0, m.m1);",
      "",
      { live: ["m0", "m1"], written: [] },
    ],
    ["part of a digest", "", "digest<bit<32>>(1, m.m0);", "", { live: ["m0"] }],
    [
      "result of a direct meter",
      "direct_meter<bit<8>>(MeterType.bytes) k; action go() { k.read(m.m2); } table t { key = { h.d.a: exact; } actions = { go; } meters = k; }",
      "t.apply();",
      "",
      { live: [], used: ["m2"] },
    ],
    [
      "input of a selector",
      "action_selector(HashAlgorithm.crc16, 16, 4) s; action go() { } table t { key = { h.d.a: exact; m.m0: selector; } actions = { go; NoAction; } implementation = s; }",
      "t.apply();",
      "",
      { live: ["m0"] },
    ],
  ])("are live where something reads them: %s", (_, locals, apply, egress, expected) => {
    expect(uses(locals, apply, egress)).toMatchObject(expected);
  });

  it("are local to an action that sets them first and alone uses them", () => {
    const local = (body: string, more = "") =>
      uses(T("h.d.n", body), `t.apply(); ${more}`).locals["Ing.go"]?.map((name) => name.slice(-2));
    expect(local("m.m0 = h.d.a; h.d.b = m.m0;")).toEqual(["m0"]);
    expect(local("h.d.b = m.m0; m.m0 = h.d.a;")).toBeUndefined();
    expect(local("m.m0 = m.m0 + 1; h.d.b = m.m0;")).toBeUndefined();
    expect(local("m.m0 = h.d.a; h.d.b = m.m0;", "if (m.m0 == 1) { h.d.c = 1; }")).toBeUndefined();
    expect(local("m.m0 = h.d.a; h.d.b = m.m0;", "m.m0 = 1;")).toBeUndefined();
    expect(local("m.m0 = h.d.a; m.m1 = m.m0; h.d.b = m.m1;")).toEqual(["m0", "m1"]);
    // A field of a header is no variable of an action.
    expect(local("h.d.b = h.d.a; h.d.c = h.d.b;")).toBeUndefined();
  });

  it("have the place of the statement that first sets them, or of the table that matches them", () => {
    const { places } = uses(T("m.m0", ""), "m.m1 = 1;\n m.m1 = 2;\n t.apply();");
    const lineOf = (name: string) => [...places].find(([field]) => field.endsWith(name))?.[1].source_fragment;
    expect([lineOf("m0"), lineOf("m1")]).toEqual([
      expect.stringContaining("t"),
      expect.stringContaining("m.m1 = 1"),
    ]);
  });

  it("without a counterpart are reported", () => {
    const { features } = built(wrap(FIELDS, "", "sm.priority = 3;"));
    expect(features.map(featureText)).toEqual(["intrinsic standard_metadata.priority"]);
    expect(built(wrap(FIELDS, "", "sm.egress_spec = 3;")).features).toEqual([]);
  });
});

describe("metadata that egress reads", () => {
  const units = (apply: string, egress: string, target: Target = tofino) =>
    built(wrap(FIELDS, "", apply, egress), target).model.units.map(({ label }) => label);

  it("is carried by a header, which a bare action at the start makes valid", () => {
    expect(units("m.m0 = h.d.a;", "h.d.b = m.m0;")).toEqual([
      "metadata that egress reads",
      "m.m0 = h.d.a",
      "h.d.b = m.m0",
    ]);
    // Only what ingress writes, and only where fields share containers.
    expect(units("h.d.a = 1;", "h.d.b = m.m0;")).toEqual(["h.d.a = 1", "h.d.b = m.m0"]);
    expect(units("m.m0 = h.d.a;", "h.d.b = 1;")).toEqual(["m.m0 = h.d.a", "h.d.b = 1"]);
    expect(units("h.d.c = h.d.a;", "h.d.b = h.d.c;")).toEqual(["h.d.c = h.d.a", "h.d.b = h.d.c"]);
    expect(units("m.m0 = h.d.a;", "h.d.b = m.m0;", loadTarget("rmt"))).toEqual([
      "m.m0 = h.d.a",
      "h.d.b = m.m0",
    ]);
    expect(units("sm.egress_spec = 1;", "if (sm.egress_spec == 1) { h.d.b = 1; }")).toHaveLength(3);
  });

  it("takes words in both gresses where fields share none", () => {
    const widths = (apply: string, egress: string) =>
      naiveWidths(buildModel(programOf("", apply, egress), tofino).model).sort((a, b) => a - b);
    // A parsed header counts in both: 32 x 3, 8, 16 twice.
    const header = [8, 16, 32, 32, 32];
    const both = [...header, ...header].sort((a, b) => a - b);
    expect(widths("", "")).toEqual(both);
    expect(widths("m.m2 = h.d.n;", "h.d.n = m.m2;")).toEqual([8, 8, ...both].sort((a, b) => a - b));
    expect(widths("m.m2 = h.d.n; h.d.n = m.m2;", "")).toEqual(both);
    expect(widths("sm.egress_spec = 1;", "")).toEqual([...both, 9].sort((a, b) => a - b));
  });
});

describe("sizes", () => {
  const sized = (sizes: [string, number][], maxSize?: number) => {
    const program = structuredClone(
      programOf(
        "action_profile(64) p; action go() { } table t { key = { h.d.a: exact; } actions = { go; } size = 32; implementation = p; }",
        "t.apply();",
      ),
    );
    if (maxSize !== undefined) {
      program.bmv2.pipelines[0]!.tables[0]!.max_size = maxSize;
      program.bmv2.pipelines[0]!.action_profiles[0]!.max_size = maxSize;
    }
    const unit = buildModel(program, tofino, new Map(sizes)).model.units.find(
      ({ kind }) => kind === "match",
    )!;
    return [unit.size, unit.implementation!.members];
  };

  it("are those of the program, of the caller, or 1,024 where none is stated", () => {
    expect(sized([])).toEqual([32, 64]);
    expect(sized([["Ing.t", 5]])).toEqual([5, 64]);
    expect(sized([["Ing.p", 7]])).toEqual([32, 7]);
    expect(sized([], 0)).toEqual([1024, 1024]);
    expect(sized([], 1)).toEqual([1, 1]);
  });

  it("of a short exact key are its values at most", () => {
    const text = (key: string, size: number) =>
      wrap(
        FIELDS,
        `action go() { } table t { key = { ${key} } actions = { go; } size = ${size}; }`,
        "t.apply();",
      );
    const entries = (key: string, size: number) => {
      const { placement } = fitProgram(compileText(text(key, size)).program!, tofino);
      return placement.parts.reduce((sum, part) => sum + part.entries, 0);
    };
    expect([entries("h.d.n: exact;", 1000), entries("h.d.n: exact;", 200)]).toEqual([256, 200]);
    expect([entries("h.d.n: ternary;", 1000), entries("h.d.n: exact; h.d.sum: exact;", 1000)]).toEqual([
      1000, 1000,
    ]);
  });
});
