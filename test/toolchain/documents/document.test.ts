import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Diagnostics, formatDiagnostic, SourceFile, spanText } from "../../../src/base/index.js";
import { loadExperiment, loadExperimentFile } from "../../../src/fabric/experiment/index.js";
import { loadDocument } from "../../../src/toolchain/documents/index.js";
import { formatPath } from "../../../src/toolchain/documents/schema-issues.js";

const bad = join(import.meta.dirname, "../..", "bad", "experiment");

function messages(text: string, schema: z.ZodType): string[] {
  const diagnostics = new Diagnostics();
  const document = loadDocument(new SourceFile("file.yaml", text), schema, diagnostics);
  expect(document === undefined).toBe(diagnostics.hasErrors);
  return diagnostics.list.map((diagnostic) => formatDiagnostic(diagnostic).split("\n")[0]!);
}

const shape = z.strictObject({
  name: z.string(),
  count: z.number().int().min(1).max(9).optional(),
  on: z.boolean().default(false),
  list: z.array(z.enum(["red", "green"])).optional(),
  inner: z.strictObject({ depth: z.number() }).optional(),
  either: z
    .discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("a"), size: z.number() }),
      z.strictObject({ kind: z.literal("b"), weight: z.number() }),
    ])
    .optional(),
});

describe("documents", () => {
  it("load with defaults, and know where everything stands", () => {
    const text = "name: x\nlist: [red, green]\ninner:\n  depth: 3\n";
    const file = new SourceFile("file.yaml", text);
    const { value, locate } = loadDocument(file, shape, new Diagnostics())!;
    expect(value).toEqual({ name: "x", on: false, list: ["red", "green"], inner: { depth: 3 } });
    const at = (...path: PropertyKey[]) => {
      const span = locate(path);
      return (
        span && `${file.position(span.start).line}:${file.position(span.start).column} ${spanText(span)}`
      );
    };
    expect(at("name")).toBe("1:7 x");
    expect(at("list", 1)).toBe("2:13 green");
    expect(at("inner")).toBe("3:1 inner");
    expect(at("inner", "depth")).toBe("4:10 3");
    expect(at("inner", "width")).toBeUndefined();
    expect(at("list", 7)).toBeUndefined();
    expect(at("name", "first")).toBeUndefined();
  });

  it.each([
    ["name: x\nnmae: y\n", 'file.yaml:2:1: error[P43002]: unknown key "nmae"; did you mean "name"?'],
    ["count: 3\n", 'file.yaml:1:1: error[P43003]: missing key "name": expected text'],
    [
      "name: x\nlist: [gren]\n",
      'file.yaml:2:8: error[P43004]: list[0]: expected one of red, green, got "gren"; did you mean "green"?',
    ],
    ["name: 7\n", "file.yaml:1:7: error[P43004]: name: expected text, got 7"],
    ["name: x\ncount: many\n", 'file.yaml:2:8: error[P43004]: count: expected a number, got "many"'],
    ["name: x\ncount: 1.5\n", "file.yaml:2:8: error[P43004]: count: expected a whole number, got 1.5"],
    ["name: x\ncount: .nan\n", "file.yaml:2:8: error[P43004]: count: expected a number, got NaN"],
    ["name: x\ncount: -.inf\n", "file.yaml:2:8: error[P43004]: count: expected a number, got -Infinity"],
    ["name: x\ncount: 10\n", "file.yaml:2:8: error[P43004]: count: expected a number of at most 9, got 10"],
    ["name: x\non: 1\n", "file.yaml:2:5: error[P43004]: on: expected true or false, got 1"],
    [
      "name: x\nlist: [red, blue]\n",
      'file.yaml:2:13: error[P43004]: list[1]: expected one of red, green, got "blue"',
    ],
    ["name: x\nlist: red\n", 'file.yaml:2:7: error[P43004]: list: expected a list, got "red"'],
    ["name: x\ninner: 5\n", "file.yaml:2:8: error[P43004]: inner: expected a map of keys, got 5"],
    ["name: x\ninner: {}\n", 'file.yaml:2:1: error[P43003]: missing key "depth" in inner: expected a number'],
    [
      "name: x\neither: { kind: c }\n",
      'file.yaml:2:17: error[P43004]: either.kind: expected one of a, b, got "c"',
    ],
    ["", "file.yaml:1:1: error[P43003]: the file is empty: expected a map of keys"],
    ["- 1\n", "file.yaml:1:1: error[P43004]: the document: expected a map of keys, got a list of 1"],
    [
      "name: *x\n",
      "file.yaml:1:1: error[P43001]: not valid YAML: Unresolved alias (the anchor must be set before the alias): x",
    ],
    ["name: x\nname: y\n", "file.yaml:2:1: error[P43001]: not valid YAML: Map keys must be unique"],
  ])("report what is wrong with %j", (text, message) => {
    expect(messages(text, shape)).toEqual([message]);
  });

  it("report only the first error of a text that is no YAML", () => {
    const found = messages("# Title\n}\n]: {\n`a` @ [\n", shape);
    expect(found.length).toBe(1);
    expect(found[0]).toContain("P43001");
  });

  it("report all mistakes at once, and list the keys that the chosen kind has", () => {
    const diagnostics = new Diagnostics();
    const file = new SourceFile("f", "name: x\ncount: 0\neither: { kind: b, size: 1, weight: 2 }\n");
    expect(loadDocument(file, shape, diagnostics)).toBeUndefined();
    expect(diagnostics.list.map((one) => one.code)).toEqual(["P43004", "P43002"]);
    expect(diagnostics.list[1]!.notes).toEqual([{ message: "keys here: kind, weight" }]);
  });

  it("follow anchors and read JSON", () => {
    const text = "name: &n x\ninner: &i { depth: 1 }\n";
    expect(messages(text, shape)).toEqual([]);
    expect(messages('{"name": "x", "list": ["green"]}', shape)).toEqual([]);
  });
});

describe("hostile documents", () => {
  it("are refused like others", () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (const [name, before] of [
      ["b", "a"],
      ["c", "b"],
      ["d", "c"],
      ["e", "d"],
    ])
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join()}]`);
    expect(messages(bomb.join("\n"), shape)[0]).toContain("P43001");
    for (const text of [
      "__proto__: { name: x }\n",
      "? [a, b]\n: c\n",
      "!!js/function 'x'",
      "\u0000",
      "name: x\n---\nname: y\n",
    ])
      expect(messages(text, shape).length).toBeGreaterThan(0);
  });

  it("never cause anything but diagnostics", () => {
    const word = fc.constantFrom(
      "name",
      "count",
      "either",
      "kind",
      ":",
      " ",
      "\n",
      "- ",
      "{",
      "}",
      "[",
      "]",
      ",",
      "&a",
      "*a",
      "|",
      "'",
      '"',
      "3",
      "#",
      "\t",
      "?",
      "!",
      "<<",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        const diagnostics = new Diagnostics();
        const file = new SourceFile("f", words.join(""));
        expect(loadDocument(file, shape, diagnostics) === undefined).toBe(diagnostics.hasErrors);
        for (const diagnostic of diagnostics.list) {
          formatDiagnostic(diagnostic);
          expect(diagnostic.span!.end).toBeLessThanOrEqual(file.text.length + 1);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("formatPath", () => {
  it("writes keys with dots and list positions in brackets", () => {
    expect(formatPath(["schemes", 1, "field"])).toBe("schemes[1].field");
  });
});

describe("wrong experiment files", () => {
  const files = readdirSync(bad).filter((name) => name.endsWith(".yaml"));

  it("exist for every code that a file can cause", () => {
    const codes = new Set(files.map((name) => name.slice(0, 6)));
    for (const code of [
      "P43001",
      "P43002",
      "P43003",
      "P43004",
      "P43006",
      "P43007",
      "P43008",
      "P43009",
      "P43014",
      "P43015",
      "P43020",
      "P43023",
    ])
      expect(codes).toContain(code);
  });

  it.each(files)("%s gives one error of that code at a place in the file", (name) => {
    const path = join(bad, name);
    const diagnostics = new Diagnostics();
    const source = new SourceFile(path, readFileSync(path, "utf8"));
    expect(loadExperimentFile(source, diagnostics)).toBeUndefined();
    expect(diagnostics.list.map((one) => one.code)).toEqual([name.slice(0, 6)]);
    const [diagnostic] = diagnostics.list;
    expect(diagnostic!.span?.file.path).toBe(path);
    const span = diagnostic!.span!;
    expect(span.file.path).toBe(path);
    expect(span.end).toBeGreaterThan(span.start);
    // The words of other rooms are theirs to change.
    if (!name.startsWith("P430")) return;
    const file = new SourceFile(name, readFileSync(path, "utf8"));
    expect(formatDiagnostic({ ...diagnostic!, span: { ...span, file } })).toMatchSnapshot();
  });

  it("are distinguished from missing files", () => {
    const diagnostics = new Diagnostics();
    expect(loadExperiment(join(bad, "nothing.yaml"), diagnostics)).toBeUndefined();
    expect(diagnostics.list[0]!.code).toBe("P43005");
    expect(loadExperiment(bad, diagnostics)).toBeUndefined();
    expect(diagnostics.list[1]!.message).toContain("it is a directory");
  });
});
