import { describe, expect, it } from "vitest";
import { fitProgram } from "../../../src/toolchain/fit/index.js";
import { compileText, loadTarget } from "./golden.js";
import { wrap } from "./programs.js";

const tofino = loadTarget("tofino");
const FIELDS = "bit<32> a; bit<32> b; bit<32> c; bit<32> d; bit<8> s;";

/** Actions and tables `t0`, `t1`, ... from "key -> written [= read]". */
function graph(specs: readonly string[], apply: string) {
  const locals = specs.map((spec, i) => {
    const [, key, written, read] = /^(\w+) -> (\w+)(?: = (\w+))?$/.exec(spec)!;
    const value = read === undefined ? "v" : `h.d.${read} + v`;
    return `action a${i}(bit<32> v) { h.d.${written} = ${value}; }
    table t${i} { key = { h.d.${key} : exact; } actions = { a${i}; NoAction; } size = 64; default_action = NoAction(); }`;
  });
  const { program, error } = compileText(wrap(FIELDS, locals.join("\n"), apply));
  expect(error).toBeUndefined();
  const result = fitProgram(program!, tofino);
  const { edges, earliest, criticalPath } = result.problem.graph;
  const name = (id: number) => result.model.units[id]!.name.replace("Ing.", "");
  return {
    edges: edges
      .filter((edge) => name(edge.from).startsWith("t") && name(edge.to).startsWith("t"))
      .map((edge) => `${name(edge.from)} ${name(edge.to)} ${edge.kind}`),
    earliest: result.model.units.filter((u) => u.kind === "match").map((u) => earliest[u.id]),
    criticalPath,
    stages: result.stages,
    unit: (table: string) => result.model.units.find((u) => u.name === `Ing.${table}`)!.id,
    flow: result.model.flow,
  };
}

describe("dependencies", () => {
  const both = "t0.apply(); t1.apply();";

  it.each([
    ["match", ["a -> b", "b -> c"], 2],
    ["action", ["a -> b", "c -> d = b"], 2],
    ["output", ["a -> b", "c -> b"], 2],
    ["anti", ["a -> b", "c -> a"], 1],
  ] as const)("finds a %s dependency", (kind, specs, stages) => {
    const found = graph(specs, both);
    expect(found.edges).toEqual([`t0 t1 ${kind}`]);
    expect([found.criticalPath, found.stages]).toEqual([stages, stages]);
  });

  it("finds none between tables that touch nothing of each other", () => {
    const found = graph(["a -> b", "c -> d"], both);
    expect([found.edges, found.stages]).toEqual([[], 1]);
  });

  it("counts control as order, not as a stage", () => {
    const found = graph(["a -> b", "c -> d"], "if (t0.apply().hit) { t1.apply(); }");
    expect(found.edges).toEqual(["t0 t1 control"]);
    expect(found.stages).toBe(1);
  });

  it("knows that branches exclude each other", () => {
    const found = graph(["a -> b", "c -> b"], "if (h.d.s == 1) { t0.apply(); } else { t1.apply(); }");
    expect(found.edges).toEqual([]);
    expect(found.flow.exclusive(found.unit("t0"), found.unit("t1"))).toBe(true);
    expect(found.stages).toBe(1);
  });

  it("does not take two conditions on one field for exclusive", () => {
    const found = graph(
      ["a -> b", "c -> b"],
      "if (h.d.s == 1) { t0.apply(); } if (h.d.s == 2) { t1.apply(); }",
    );
    expect(found.edges).toEqual(["t0 t1 output"]);
  });

  it("lets a condition on a written field cost a stage", () => {
    const found = graph(["a -> b", "c -> d"], "t0.apply(); if (h.d.b == 1) { t1.apply(); }");
    expect(found.earliest).toEqual([0, 1]);
  });

  it("treats a slice apart from the rest of its field", () => {
    const locals = `action low(bit<16> v) { h.d.a[15:0] = v; }
      table t0 { key = { h.d.b : exact; } actions = { low; NoAction; } size = 64; default_action = NoAction(); }
      action set(bit<32> v) { h.d.c = v; }
      table t1 { key = { h.d.a[31:16] : exact; } actions = { set; NoAction; } size = 64; default_action = NoAction(); }`;
    const { program } = compileText(wrap(FIELDS, locals, both));
    const result = fitProgram(program!, tofino);
    expect(result.problem.graph.edges.filter((edge) => edge.kind === "match")).toEqual([]);
  });
});
