/** What the passes leave behind, read off the text that `--dump` writes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileParts, tryCompile, v1model } from "./v1model.js";

const golden = join(import.meta.dirname, "../../../golden");

function dumpsOf(name: string): Map<string, string> {
  return tryCompile(readFileSync(join(golden, name, `${name}.p4`), "utf8"), `${name}.p4`).dumps;
}

/** Pass -> what no text after it may hold. */
const GONE: [pass: string, pattern: RegExp][] = [
  ["expand-switches", /^\s*switch \((?!.*action_run)/m],
  ["expand-aggregates", /^\s+\w+[.[]\S* = \{/m],
  ["lower-slices", /\[\d+:\d+\]|\+\+/],
  ["select-masks", /0x[0-9a-f]+ \.\. 0x/],
];

describe.each(["control", "parse", "replicate", "l3"])("%s", (name) => {
  it("is written after every pass, once", () => {
    const order = [...dumpsOf(name).keys()];
    expect(order[0]).toBe("elaborate");
    expect(order.at(-1)).toBe("group-actions");
    expect(new Set(order).size).toBe(order.length);
  });

  it.each(GONE)("has nothing left for %s afterwards", (pass, pattern) => {
    const dumps = dumpsOf(name);
    const order = [...dumps.keys()];
    // Names for the control plane may hold anything.
    for (const later of order.slice(order.indexOf(pass)))
      expect(dumps.get(later)!.replace(/@name\("[^"]*"\)/g, "")).not.toMatch(pattern);
  });
});

it("names hidden actions by file and line, as p4c does", () => {
  const text = v1model({ metadata: "bit<8> x;", ingress: "if (meta.x == 1) { meta.x = 2; }\n meta.x = 3;" });
  const { result } = tryCompile(text, "some/dir/prog9.p4");
  const line = (wanted: string): number => text.split("\n").findIndex((each) => each.includes(wanted)) + 1;
  // The name ends with the line, so a digit before it gets a letter between; inner statements come first.
  expect(result!.program.bmv2.actions.map((action) => action.name)).toEqual([
    `prog9l${line("meta.x = 2")}`,
    `prog9l${line("sm.egress_spec = 1")}`,
    `prog9l${line("meta.x = 3")}`,
  ]);
});

it("keeps the user's places to the end", () => {
  const { program } = compileParts({
    metadata: "bit<8> x;",
    locals:
      "action set(bit<8> v) { meta.x = v + 1; }\n table t { key = { meta.x : exact; } actions = { set; } }",
    ingress: "t.apply();",
  });
  const action = program.bmv2.actions.find((one) => one.name === "I.set")!;
  expect(action.primitives[0]!.source_info).toMatchObject({
    filename: "test.p4",
    source_fragment: "meta.x = v + 1",
  });
  const table = program.bmv2.pipelines[0]!.tables.find((one) => one.name === "I.t")!;
  expect(table.source_info).toMatchObject({ source_fragment: "t", column: 7 });
});

it("computes slices of constants, so that a loop that a slice controls is written out", () => {
  const { dumps, codes } = tryCompile(
    v1model({
      metadata: "bit<8> x;",
      ingress: "for (bit<8> i = 0x10; i[3:0] < 3; i = i + 1) { meta.x = meta.x + i; }",
    }),
  );
  expect(codes).toEqual([]);
  expect(dumps.get("elaborate")).toMatch(/\[3:0\]/);
  expect(dumps.get("unroll-loops")).not.toMatch(/\[3:0\]/);
  expect(dumps.get("unroll-loops")).toMatch(/meta\.x = \(meta\.x \+ 8w18\)/);
});

it("joins slices of slices and drops slices of whole values", () => {
  const { dumps } = tryCompile(
    v1model({
      metadata: "bit<8> x; bit<8> y; bit<3> z;",
      ingress: "meta.z = meta.x[7:2][3:1]; meta.y = meta.x[7:0];",
    }),
  );
  expect(dumps.get("simplify")).toMatch(/meta\.z = meta\.x\[5:3\];/);
  expect(dumps.get("simplify")).toMatch(/meta\.y = meta\.x;/);
});

it("drops a write in a state that a later write replaces, also when an extract of its header stands between them", () => {
  const states = "state start { hdr.e.a = 1; pkt.extract(hdr.e); hdr.e.a = 2; transition accept; }";
  const { dumps } = tryCompile(v1model({ top: "header H { bit<8> a; }", headers: "H e;", states }));
  const written = (pass: string) => dumps.get(pass)!.match(/hdr\.e\.a = \S+;/g);
  expect(written("lower-slices")).toHaveLength(2);
  expect(written("drop-overwritten")).toHaveLength(1);
});
