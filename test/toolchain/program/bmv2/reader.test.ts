/** Reading BMv2 JSON: the recorded programs are good, one wrong file a code, and no input makes the reader fall over. */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { jsonPlace } from "../../../../src/toolchain/program/bmv2/json-place.js";
import { readBmv2 } from "../../../../src/toolchain/program/index.js";

const root = resolve(import.meta.dirname, "../../..");
const bad = readdirSync(resolve(root, "bad/program")).filter((name) => /^P4101[1-4]-.*\.json$/.test(name));

function read(text: string) {
  const diagnostics = new Diagnostics();
  return { program: readBmv2(new SourceFile("program.json", text), diagnostics), diagnostics };
}

describe("readBmv2", () => {
  it.each(["l3", "parse", "cpu", "memory", "control"])("takes %s as it is", (name) => {
    const text = readFileSync(resolve(root, `golden/${name}/${name}.json`), "utf8");
    const { program, diagnostics } = read(text);
    expect(diagnostics.list).toEqual([]);
    expect(program!.pipelines.map((pipeline) => pipeline.name)).toEqual(["ingress", "egress"]);
  });

  it("gives no table a key that would make it a constant one in BMv2", () => {
    const text = readFileSync(resolve(root, "golden/selector/selector.json"), "utf8");
    const tables = (pipelines: { tables: object[] }[]) => pipelines.flatMap((pipeline) => pipeline.tables);
    const written = tables(JSON.parse(text).pipelines).map((table) => "entries" in table);
    expect(tables(read(text).program!.pipelines).map((table) => "entries" in table)).toEqual(written);
    expect(written).toContain(false);
  });

  it("has a wrong file for every code", () => {
    expect(bad.map((name) => name.slice(0, 6))).toEqual(["P41011", "P41012", "P41013", "P41014"]);
  });

  it.each(bad)("refuses %s with its code and a place", (name) => {
    const { program, diagnostics } = read(readFileSync(resolve(root, "bad/program", name), "utf8"));
    expect(program).toBeUndefined();
    expect(diagnostics.list[0]!.code).toBe(name.slice(0, 6));
    expect(diagnostics.list[0]!.span).toBeDefined();
  });

  it("refuses a name or an id that comes twice in a list", () => {
    const text = readFileSync(resolve(root, "golden/cpu/cpu.json"), "utf8");
    for (const list of ["headers", "header_types", "actions"]) {
      const json = JSON.parse(text) as Record<string, { id: number; name: string }[]>;
      const [first, second] = json[list]!;
      second!.id = first!.id;
      const { program, diagnostics } = read(JSON.stringify(json));
      expect(program).toBeUndefined();
      expect(diagnostics.list.map(({ message }) => message)).toContain(
        `the id ${first!.id} is used twice in ${list}`,
      );
    }
    const json = JSON.parse(text) as Record<string, { id: number; name: string }[]>;
    json["headers"]![1]!.name = json["headers"]![0]!.name;
    const { diagnostics } = read(JSON.stringify(json));
    expect(diagnostics.list[0]!.message).toBe(
      `the name ${json["headers"]![0]!.name} is used twice in headers`,
    );
  });

  it("refuses a header stack without headers, with one header twice, or with headers of two types", () => {
    const text = readFileSync(resolve(root, "golden/parse/parse.json"), "utf8");
    const messagesOf = (change: (stack: { header_ids: number[] }, others: number[]) => void) => {
      const json = JSON.parse(text) as {
        headers: { id: number }[];
        header_stacks: { header_ids: number[] }[];
      };
      const stack = json.header_stacks[0]!;
      const inStacks = json.header_stacks.flatMap(({ header_ids }) => header_ids);
      change(
        stack,
        json.headers.map(({ id }) => id).filter((id) => !inStacks.includes(id)),
      );
      return read(JSON.stringify(json)).diagnostics.list.map(({ message }) => message);
    };
    expect(messagesOf(() => {})).toEqual([]);
    expect(messagesOf(({ header_ids: ids }) => (ids[1] = ids[0]!))).toEqual(["one id comes twice"]);
    expect(messagesOf(({ header_ids: ids }) => ids.splice(0))).toEqual([
      "a header stack needs at least one element",
    ]);
    expect(messagesOf(({ header_ids: ids }, others) => (ids[1] = others[0]!))).toEqual([
      "the headers of a stack are of different types",
    ]);
  });

  it("takes transitions without a type, as p4c wrote them before 2018", () => {
    const json = JSON.parse(readFileSync(resolve(root, "golden/l3/l3.json"), "utf8"));
    const types: string[] = [];
    for (const state of json.parsers[0].parse_states)
      for (const transition of state.transitions) {
        types.push(transition.type);
        if (transition.type === "default") transition.value = "default";
        delete transition.type;
      }
    const { program } = read(JSON.stringify(json));
    const states = program!.parsers[0]!.parse_states;
    expect(states.flatMap((state) => state.transitions.map(({ type }) => type))).toEqual(types);
  });

  it("points at the value that is wrong", () => {
    const name = bad.find((file) => file.startsWith("P41012"))!;
    const { diagnostics } = read(readFileSync(resolve(root, "bad/program", name), "utf8"));
    const { span, message } = diagnostics.list[0]!;
    expect(span!.file.text.slice(span!.start, span!.end)).toBe('"8"');
    expect(message).toContain("header_types[0].fields[0][1]");
  });

  it("refuses a look ahead of no bits, of a negative offset, and of more than 65,536 bits", () => {
    const text = readFileSync(resolve(root, "golden/parse/parse.json"), "utf8");
    const found = '"lookahead","value":[0,24]';
    expect(text).toContain(found);
    const ahead = (value: string) => read(text.replace(found, `"lookahead","value":[${value}]`));
    for (const good of ["0,1", "8,65536"]) expect(ahead(good).diagnostics.list).toEqual([]);
    for (const wrong of ["0,0", "-1,8", "0,65537"]) {
      const { program, diagnostics } = ahead(wrong);
      expect(program).toBeUndefined();
      expect(diagnostics.list.map(({ code }) => code)).toEqual(["P41012"]);
    }
  });

  it.each([
    ['{"program": "x",\n "headers": ', "}"],
    ["[1 ", "2]"],
    ["[1, ", "]"],
    ["", ""],
    ["0", "1"],
    ['["a', '\nb"]'],
    ['["a\\', 'q"]'],
    ['{"a": 1,', ""],
    ["[t", "urn]"],
    ["[-", ".5]"],
    ["{", "a: 1}"],
    ["[] ", "x"],
  ])("points at the place where a text stops being JSON: %j %j", (good, rest) => {
    const { span } = read(good + rest).diagnostics.list[0]!;
    expect(span!.start).toBe(good.length);
  });

  it("refuses two fields of a table with prefixes, and takes one", () => {
    const json = JSON.parse(readFileSync(resolve(root, "golden/l3/l3.json"), "utf8"));
    const tables = json.pipelines.flatMap(
      ({ tables }: { tables: { key: { match_type: string }[] }[] }) => tables,
    );
    const table = tables.find(({ key }: { key: { match_type: string }[] }) =>
      key.some((one) => one.match_type === "lpm"),
    );
    expect(read(JSON.stringify(json)).diagnostics.list).toEqual([]);
    table.key.push({ ...table.key[0], match_type: "lpm" });
    const { diagnostics } = read(JSON.stringify(json));
    expect(diagnostics.list.map(({ message }) => message)).toEqual([
      "a table has more than one lpm field in its key",
    ]);
  });

  it("refuses a field of three parts, and an error or a next table that is none", () => {
    const json = JSON.parse(readFileSync(resolve(root, "golden/l3/l3.json"), "utf8"));
    const table = json.pipelines[0].tables.find(({ key }: { key: object[] }) => key.length > 0);
    table.key[0].target.push("third");
    json.errors[1][1] = -1;
    const conditional = json.pipelines[0].conditionals[0];
    conditional.false_next = "nowhere";
    const { diagnostics } = read(JSON.stringify(json));
    expect(
      diagnostics.list.map(({ code, message, span }) => [
        code,
        message,
        span!.file.text.slice(span!.start, span!.start + 12),
      ]),
    ).toEqual([
      ["P41012", "`errors[1][1]` is -1; it should be a whole number from 0 to 2147483647", '-1],["NoMatc'],
      ["P41013", '"nowhere" names no table or condition of this program', '"nowhere"},{'],
      ["P41012", "a field is written as [header, field]", '["ipv4","dsc'],
    ]);
  });

  it("survives any damage to a good program", () => {
    const text = readFileSync(resolve(root, "golden/cpu/cpu.json"), "utf8");
    const values: unknown[] = [null, -1, "x", [], {}, 1e99, true];
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...values), fc.boolean(), (seed, value, drop) => {
        const json = JSON.parse(text) as Record<string, unknown>;
        let at: unknown = json;
        let turn = seed;
        for (let depth = 0; depth < 12 && typeof at === "object" && at !== null; depth++) {
          const keys = Object.keys(at);
          if (keys.length === 0) break;
          const key = keys[turn % keys.length]!;
          turn = Math.floor(turn / 3) + depth;
          const holder = at as Record<string, unknown>;
          if (depth > 3 && turn % 3 === 0) {
            if (drop && !Array.isArray(holder)) delete holder[key];
            else holder[key] = value;
            break;
          }
          at = holder[key];
        }
        const { program, diagnostics } = read(JSON.stringify(json));
        expect(program === undefined).toBe(diagnostics.hasErrors);
      }),
      { numRuns: 200 },
    );
  });
});

describe("an operation with one side", () => {
  it("may leave the other one out", () => {
    const json = JSON.parse(readFileSync(resolve(root, "golden/l3/l3.json"), "utf8"));
    const value = { op: "-", right: { type: "hexstr", value: "0x01" } };
    json.actions[0].primitives = [
      {
        op: "assign",
        parameters: [
          { type: "field", value: ["standard_metadata", "egress_spec"] },
          { type: "expression", value },
        ],
      },
    ];
    const { program } = read(JSON.stringify(json));
    expect(program!.actions[0]!.primitives[0]!.parameters[1]).toEqual({
      type: "expression",
      value: { ...value, left: null },
    });
  });
});

describe("jsonPlace", () => {
  it("finds every value of a document", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (document) => {
        const file = new SourceFile("x.json", JSON.stringify(document, null, 2));
        const walk = (value: unknown, path: (string | number)[]) => {
          const { start, end } = jsonPlace(file, path);
          expect(JSON.parse(file.text.slice(start, end))).toEqual(JSON.parse(JSON.stringify(value)));
          if (Array.isArray(value)) for (const [i, element] of value.entries()) walk(element, [...path, i]);
          else if (typeof value === "object" && value !== null)
            for (const [key, element] of Object.entries(value)) walk(element, [...path, key]);
        };
        walk(document, []);
      }),
    );
  });
});
