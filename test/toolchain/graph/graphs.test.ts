/**
 * The graphs of parsers and controls. What is expected follows the rules of p4c's p4c-graphs (backends/graphs: controls.cpp,
 * parsers.cpp): which statements are nodes, and where their edges lead.
 */
import { describe, expect, it } from "vitest";
import type { DiagnosticError } from "../../../src/base/index.js";
import { control, edgesOf, graphsOf, parser } from "./programs.js";

function edges(text: string, calls = false): string[] {
  const graph = graphsOf(text, { blocks: ["I"], calls }).graphs[0]!;
  return edgesOf(graph);
}

const TABLE =
  '    action set(bit<8> v) { s.h.a = v; s.h.b = v; }\n    action none() { }\n    table t { key = { s.h.a: exact; s.h.b: exact @name("bee"); } actions = { set; none; } default_action = none; }';

describe("controls", () => {
  it("lead from start to exit, statements in one node", () => {
    expect(edges(control(""))).toEqual(["__START__ -> __EXIT__"]);
    expect(
      edges(control("s.h.a = 1; bit<8> x = s.h.a; bit<8> y; s.h.setInvalid(); y = x; s.h.b += y;")),
    ).toEqual([
      "__START__ -> s.h.a = 1 / x = s.h.a / s.h.setInvalid() / y = x / s.h.b += y",
      "s.h.a = 1 / x = s.h.a / s.h.setInvalid() / y = x / s.h.b += y -> __EXIT__",
    ]);
  });

  it("part at conditions, and meet behind them", () => {
    expect(
      edges(control("if (s.h.a == 1) { s.h.b = 1; } else if (s.h.a == 2) s.h.b = 2; s.h.a = 0;")),
    ).toEqual([
      "__START__ -> s.h.a == 1",
      "s.h.a == 1 -TRUE> s.h.b = 1",
      "s.h.a == 1 -FALSE> s.h.a == 2",
      "s.h.a == 2 -TRUE> s.h.b = 2",
      ...["s.h.b = 1 -> s.h.a = 0", "s.h.b = 2 -> s.h.a = 0", "s.h.a == 2 -FALSE> s.h.a = 0"],
      "s.h.a = 0 -> __EXIT__",
    ]);
  });

  it("have a table with key, actions and their bodies", () => {
    const table = [
      "t -> exact: s.h.a / exact: bee",
      "exact: s.h.a / exact: bee -> set",
      "set -> s.h.a = v / s.h.b = v",
    ];
    expect(edges(control("t.apply();", TABLE))).toEqual([
      ...["__START__ -> t", ...table, "exact: s.h.a / exact: bee -> none"],
      ...["s.h.a = v / s.h.b = v -> __EXIT__", "none -> __EXIT__"],
    ]);
    expect(edges(control("u.apply();", "table u { actions = { NoAction; } }"))).toEqual([
      ...["__START__ -> u", "u -> NoAction", "NoAction -> __EXIT__"],
    ]);
  });

  it("show the NoAction of a miss where a table has no default action", () => {
    expect(
      edges(control("t.apply(); s.h.a = 1;", "table t { key = { s.h.a: exact; } actions = { } }")),
    ).toEqual([
      ...["__START__ -> t", "t -> exact: s.h.a", "exact: s.h.a -> NoAction"],
      ...["NoAction -> s.h.a = 1", "s.h.a = 1 -> __EXIT__"],
    ]);
  });

  it("draw a table before the condition that asks for its result", () => {
    const found = edges(control("if (t.apply().hit && s.h.a == 1) { exit; } s.h.b = 9;", TABLE));
    expect(found.slice(5)).toEqual([
      "s.h.a = v / s.h.b = v -> t.apply().hit && s.h.a == 1",
      "none -> t.apply().hit && s.h.a == 1",
      ...["t.apply().hit && s.h.a == 1 -TRUE> __EXIT__", "t.apply().hit && s.h.a == 1 -FALSE> s.h.b = 9"],
      "s.h.b = 9 -> __EXIT__",
    ]);
    expect(edges(control("bool hit = t.apply().hit; if (hit) { return; }", TABLE)).slice(-4)).toEqual([
      ...["none -> hit = t.apply().hit", "hit = t.apply().hit -> hit"],
      ...["hit -FALSE> __EXIT__", "hit -TRUE> __EXIT__"],
    ]);
  });

  it("have the cases of a switch, with those that fall through and a default", () => {
    const body = "switch (t.apply().action_run) { set: { s.h.a = 1; } none: { } }";
    expect(edges(control(body, TABLE)).slice(5)).toEqual([
      ...["s.h.a = v / s.h.b = v -> switch: action_run", "none -> switch: action_run"],
      "switch: action_run -set> s.h.a = 1",
      "s.h.a = 1 -> __EXIT__",
      ...["switch: action_run -none> __EXIT__", "switch: action_run -default> __EXIT__"],
    ]);
    expect(edges(control("switch (s.h.a) { 1: 2: { s.h.b = 1; } default: { s.h.b = 2; } }"))).toEqual([
      "__START__ -> switch: s.h.a",
      ...["switch: s.h.a -1> s.h.b = 1", "switch: s.h.a -2> s.h.b = 1", "switch: s.h.a -default> s.h.b = 2"],
      ...["s.h.b = 1 -> __EXIT__", "s.h.b = 2 -> __EXIT__"],
    ]);
  });

  it("have loops, with break and continue", () => {
    const body =
      "for (bit<8> i = 0; i < 4; i = i + 1) { if (i == 2) { continue; } if (i == 3) { break; } s.h.a = i; } s.h.b = 1;";
    expect(edges(control(body))).toEqual([
      ...["__START__ -> i = 0", "i = 0 -> for: i < 4", "for: i < 4 -TRUE> i == 2", "i == 2 -FALSE> i == 3"],
      ...["i == 3 -FALSE> s.h.a = i", "s.h.a = i -> i = i + 1", "i == 2 -TRUE> i = i + 1"],
      ...[
        "i = i + 1 -> for: i < 4",
        "for: i < 4 -FALSE> s.h.b = 1",
        "i == 3 -TRUE> s.h.b = 1",
        "s.h.b = 1 -> __EXIT__",
      ],
    ]);
    expect(edges(control("for (bit<8> i in 1 .. 4) { s.h.a = i; }"))).toEqual([
      ...[
        "__START__ -> for: i in 1 .. 4",
        "for: i in 1 .. 4 -TRUE> s.h.a = i",
        "s.h.a = i -> for: i in 1 .. 4",
      ],
      "for: i in 1 .. 4 -FALSE> __EXIT__",
    ]);
  });

  const INNER = `control Inner(inout s_t s) {\n    action a() { s.h.b = 3; return; }\n    table u { actions = { a; } default_action = a(); }\n    apply { if (s.h.a == 7) { return; } u.apply(); }\n}\n`;

  it("draw the controls that they apply inside, whose return leads behind them", () => {
    const text = control("one.apply(s); Inner.apply(s); s.h.a = 0;", "Inner() one;", INNER);
    const [graph] = graphsOf(text, { blocks: ["I"] }).graphs;
    expect(graph!.clusters).toEqual([{ name: "one" }, { name: "Inner" }]);
    expect(
      graph!.nodes.filter(({ kind }) => kind === "table").map(({ lines, cluster }) => [lines[0], cluster]),
    ).toEqual([
      ...[
        ["one.u", 0],
        ["Inner.u", 1],
      ],
    ]);
    expect(edgesOf(graph!)).toEqual([
      ...["__START__ -> s.h.a == 7", "s.h.a == 7 -FALSE> one.u", "one.u -> a", "a -> s.h.b = 3"],
      ...[
        "s.h.b = 3 -> s.h.a == 7",
        "s.h.a == 7 -TRUE> s.h.a == 7",
        "s.h.a == 7 -FALSE> Inner.u",
        "Inner.u -> a",
      ],
      ...["a -> s.h.b = 3", "s.h.b = 3 -> s.h.a = 0", "s.h.a == 7 -TRUE> s.h.a = 0", "s.h.a = 0 -> __EXIT__"],
    ]);
    expect(edges(text, true)).toEqual([
      ...[
        "__START__ -> one.apply",
        "one.apply -> Inner.apply",
        "Inner.apply -> s.h.a = 0",
        "s.h.a = 0 -> __EXIT__",
      ],
    ]);
  });

  it("leave out what no path reaches", () => {
    expect(edges(control("exit; s.h.a = 1; if (s.h.a == 1) { s.h.b = 2; }"))).toEqual([
      "__START__ -> __EXIT__",
    ]);
  });

  it("call actions directly", () => {
    expect(edges(control("set(4); s.h.a = 2;", TABLE))).toEqual([
      ...[
        "__START__ -> set",
        "set -> s.h.a = v / s.h.b = v",
        "s.h.a = v / s.h.b = v -> s.h.a = 2",
        "s.h.a = 2 -> __EXIT__",
      ],
    ]);
  });

  it("cut long and many lines", () => {
    const sum = Array.from({ length: 20 }, () => "s.h.a").join(" + ");
    const [graph] = graphsOf(control(`s.h.b = ${sum};${" s.h.a = 1;".repeat(7)}`)).graphs.slice(-1);
    const { lines } = graph!.nodes[2]!;
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^.{59}…$/);
    expect(lines[5]).toBe("... 3 more");
  });
});

describe("parsers", () => {
  it("have states with their keys, and edges with the values", () => {
    const states = `    state more { p.advance(8); if (s.h.a == 1) { p.extract(s.h); } transition reject; }
    state start { p.extract(s.h); transition select(s.h.a, s.h.b) { (1, 2 &&& 3): more; (4 .. 5, _): start; (_, _): accept; } }
    state lost { }
    state open { transition select(s.h.a) { 7: more; } }`;
    const [graph] = graphsOf(parser(states), { blocks: ["P"] }).graphs;
    expect(edgesOf(graph!)).toEqual([
      "more / advance 8 / extract s.h -always> reject",
      "start / extract s.h / select (s.h.a, s.h.b) -(1, 2 &&& 3)> more / advance 8 / extract s.h",
      "start / extract s.h / select (s.h.a, s.h.b) -(4 .. 5, _)> start / extract s.h / select (s.h.a, s.h.b)",
      "start / extract s.h / select (s.h.a, s.h.b) -(_, _)> accept",
      "lost -always> reject",
      "open / select (s.h.a) -7> more / advance 8 / extract s.h",
      "open / select (s.h.a) -fallthrough> reject",
    ]);
    expect(graph!.nodes[0]!.lines[0]).toBe("start");
  });

  it("are drawn beside those that apply them", () => {
    const sub = "parser Sub(packet_in p, out s_t s) { state start { p.extract(s.h); transition accept; } }\n";
    const text = `${parser("    Sub() sub;\n    state start { sub.apply(p, s); transition accept; }", sub)}control W(inout s_t s) { apply { } }\nChip(Pipe(P(), W()), W()) main;\n`;
    const { graphs } = graphsOf(text);
    expect(graphs.map(({ name, roles }) => [name, ...roles])).toEqual([
      ...[["P", "pipe.first"], ["W", "pipe.second", "last"], ["Sub"]],
    ]);
    expect(graphs[0]!.nodes[0]!.lines).toEqual(["start", "apply sub"]);
  });
});

describe("the blocks of a program", () => {
  it("are those of main; of a program without main, all", () => {
    const text = `${control("")}parser P(packet_in p, out s_t s) { state start { transition accept; } }\n`;
    expect(graphsOf(text).graphs.map(({ name }) => name)).toEqual(["I", "P"]);
    const whole = `${text}Pipe(P(), I()) one;\ncontrol Last(inout s_t s) { I() i; apply { i.apply(s); } }\nChip(one, Last()) main;\n`;
    expect(graphsOf(whole).graphs.map(({ name, roles }) => [name, ...roles])).toEqual([
      ...[
        ["P", "pipe.first"],
        ["I", "pipe.second"],
        ["Last", "last"],
      ],
    ]);
    expect(graphsOf(whole, { blocks: ["Last"], calls: true }).graphs.map(edgesOf)).toEqual([
      ["__START__ -> i.apply", "i.apply -> __EXIT__"],
    ]);
  });

  it("are named by the note where one does not exist", () => {
    try {
      graphsOf(control(""), { blocks: ["i"] });
      expect.unreachable();
    } catch (error) {
      const [first] = (error as DiagnosticError).diagnostics;
      expect(first).toMatchObject({
        code: "P41300",
        message: "there is no parser or control i; did you mean I?",
      });
      expect(first!.notes[0]!.message).toBe("parsers and controls: I");
    }
  });

  it("have a bound: sixteen levels of controls that apply the next one twice", () => {
    const level = (index: number) =>
      `control C${index}(inout s_t s) { ${index === 0 ? "" : `C${index - 1}() one; C${index - 1}() two;`} apply { ${index === 0 ? "if (s.h.a == 1) { exit; }" : "one.apply(s); two.apply(s);"} } }\n`;
    const levels = Array.from({ length: 17 }, (_, index) => level(index)).join("");
    const text = control("c.apply(s);", "C16() c;", levels);
    const { graphs, diagnostics } = graphsOf(text, { blocks: ["I"] });
    expect(graphs).toEqual([]);
    expect(diagnostics.list.map(({ code }) => code)).toEqual(["P41301"]);
    expect(graphsOf(text, { blocks: ["I"], calls: true }).graphs).toHaveLength(1);
  });

  it("have a bound where the controls do nothing, too", () => {
    const level = (index: number) =>
      `control C${index}() { ${index === 0 ? "" : `C${index - 1}() one; C${index - 1}() two;`} apply { ${index === 0 ? "" : "one.apply(); two.apply();"} } }\n`;
    const levels = Array.from({ length: 16 }, (_, index) => level(index)).join("");
    const { diagnostics } = graphsOf(control("c.apply();", "C15() c;", levels), { blocks: ["I"] });
    expect(diagnostics.list.map(({ code }) => code)).toEqual(["P41301"]);
  });
});
