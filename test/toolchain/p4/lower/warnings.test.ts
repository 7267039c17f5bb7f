/** Warnings that need the whole program (P40650 to P40658): each rule with programs on both sides of its edge. */
import { describe, expect, it } from "vitest";
import { type Parts, tryCompile, v1model } from "./v1model.js";

/** The warnings of a program without errors: code and message. */
function warnings(parts: Parts, port = "sm.egress_spec = 1;"): [code: string, message: string][] {
  const text = v1model({
    ...parts,
    metadata: `bit<8> x; bit<8> y; bool f; ${parts.metadata ?? ""}`,
    top: `header h_t { bit<8> a; bit<8> b; } ${parts.top ?? ""}`,
  }).replace("sm.egress_spec = 1;", port);
  const { diagnostics, result } = tryCompile(text);
  expect(result, diagnostics.list.map(({ message }) => message).join()).toBeDefined();
  // P40604: a table that is never applied.
  return diagnostics.list.flatMap(({ code, message }) => (code === "P40604" ? [] : [[code, message]]));
}
const codes = (parts: Parts, port?: string) => warnings(parts, port).map(([code]) => code);

describe("P40650: no statement of ingress decides the output port", () => {
  it.each<[string, Parts, boolean]>([
    ["nothing", {}, true],
    ["another field of the standard metadata", { ingress: "sm.priority = 1;" }, true],
    [
      "a field of that name elsewhere",
      { metadata: "bit<9> egress_spec;", ingress: "meta.egress_spec = 1;" },
      true,
    ],
    ["a local variable", { locals: "bit<8> v;", ingress: "v = meta.y; meta.x = v;" }, true],
    ["a read of the field", { ingress: "meta.x = (bit<8>) sm.egress_spec;" }, true],
    ["egress only", { egress: "mark_to_drop(sm);" }, true],
    ["the field", { ingress: "sm.egress_spec = sm.ingress_port;" }, false],
    ["a slice of the field", { ingress: "sm.egress_spec[3:0] = 1;" }, false],
    ["the multicast group", { ingress: "sm.mcast_grp = 1;" }, false],
    ["mark_to_drop in a branch", { ingress: "if (meta.x == 1) { mark_to_drop(sm); }" }, false],
    [
      "resubmit",
      { metadata: "@field_list(1) bit<8> kept;", ingress: "resubmit_preserving_field_list(1);" },
      false,
    ],
    [
      "a copy of all standard metadata",
      { locals: "standard_metadata_t other;", ingress: "other = sm; other.priority = 1; sm = other;" },
      false,
    ],
    [
      "an action of a table",
      {
        locals:
          "action to(bit<9> p) { sm.egress_spec = p; } table t { key = { meta.x: exact; } actions = { to; NoAction; } }",
        ingress: "t.apply();",
      },
      false,
    ],
    [
      "an action of a table that does something else",
      {
        locals:
          "action set() { meta.x = 1; } table t { key = { meta.x: exact; } actions = { set; NoAction; } }",
        ingress: "t.apply();",
      },
      true,
    ],
  ])("%s", (_, parts, warned) => {
    expect(codes(parts, "")).toEqual(warned ? ["P40650"] : []);
  });
});

describe("P40651: a statement takes back a drop", () => {
  it.each<[string, Parts, number]>([
    ["the port, after mark_to_drop", { ingress: "mark_to_drop(sm); sm.egress_spec = 2;" }, 1],
    ["the group, after mark_to_drop", { ingress: "mark_to_drop(sm); sm.mcast_grp = 2;" }, 1],
    ["another field, after mark_to_drop", { ingress: "mark_to_drop(sm); sm.priority = 2;" }, 0],
    [
      "two writes after one drop: the first is told",
      { ingress: "mark_to_drop(sm); sm.egress_spec = 2; sm.egress_spec = 3;" },
      1,
    ],
    [
      "two drops that are taken back",
      { ingress: "mark_to_drop(sm); sm.egress_spec = 2; mark_to_drop(sm); sm.mcast_grp = 3;" },
      2,
    ],
    ["a drop after the port", { ingress: "sm.egress_spec = 2; mark_to_drop(sm);" }, 0],
    [
      "a drop in a branch does not always drop",
      { ingress: "if (meta.x == 1) { mark_to_drop(sm); } sm.egress_spec = 2;" },
      0,
    ],
    ["both inside a branch", { ingress: "if (meta.x == 1) { mark_to_drop(sm); sm.egress_spec = 2; }" }, 1],
    [
      "both inside the other branch",
      { ingress: "if (meta.x == 1) {} else { mark_to_drop(sm); sm.egress_spec = 2; }" },
      1,
    ],
    ["both inside a block", { ingress: "{ mark_to_drop(sm); sm.egress_spec = 2; }" }, 1],
    [
      "an action that drops",
      { locals: "action drop() { mark_to_drop(sm); }", ingress: "drop(); sm.egress_spec = 2;" },
      1,
    ],
    [
      "an action that drops among other statements",
      {
        locals: "action drop() { meta.x = 1; mark_to_drop(sm); meta.y = 2; }",
        ingress: "drop(); sm.egress_spec = 2;",
      },
      1,
    ],
    [
      "an action that does not drop",
      { locals: "action set() { meta.x = 1; }", ingress: "set(); sm.egress_spec = 2;" },
      0,
    ],
    [
      "a control that drops",
      {
        top: "control Drop(inout standard_metadata_t s) { apply { if (s.ingress_port == 1) { return; } mark_to_drop(s); } }",
        locals: "Drop() d;",
        ingress: "d.apply(sm); sm.egress_spec = 2;",
      },
      1,
    ],
    [
      "inside an action",
      { locals: "action both() { mark_to_drop(sm); sm.egress_spec = 2; }", ingress: "both();" },
      1,
    ],
    ["in egress", { egress: "mark_to_drop(sm); sm.mcast_grp = 2;" }, 1],
  ])("%s", (_, parts, count) => {
    expect(codes(parts)).toEqual(Array.from({ length: count }, () => "P40651"));
  });
});

describe("P40652: a header that is read and never made valid", () => {
  const read = "if (meta.x == 1) { meta.y = hdr.h.a; }";
  const headers = "h_t h; h_t g; h_t[2] s;";
  it.each<[string, Parts, string[]]>([
    ["read in ingress", { headers, ingress: read }, ["h"]],
    ["two of them, each once", { headers, ingress: `${read} meta.x = hdr.h.b + hdr.g.a;` }, ["h", "g"]],
    ["read in egress", { headers, egress: "meta.x = hdr.g.a;" }, ["g"]],
    ["read in a state", { headers, states: "state start { meta.x = hdr.h.a; transition accept; }" }, ["h"]],
    ["its validity only", { headers, ingress: "if (hdr.h.isValid()) { meta.x = 1; }" }, []],
    [
      "a field of it is written, which makes nothing valid",
      { headers, ingress: `hdr.h.a = 1; ${read}` },
      ["h"],
    ],
    [
      "extracted",
      { headers, states: "state start { pkt.extract(hdr.h); transition accept; }", ingress: read },
      [],
    ],
    ["made valid", { headers, ingress: `hdr.h.setValid(); ${read}` }, []],
    [
      "made valid in an action",
      { headers, locals: "action set() { hdr.h.setValid(); }", ingress: `set(); ${read}` },
      [],
    ],
    ["assigned", { headers, ingress: `hdr.h = { 1, 2 }; ${read}` }, []],
    [
      "assigned with all headers",
      { headers, locals: "headers_t other;", ingress: `hdr = other; ${read}` },
      [],
    ],
    [
      "an element of a stack, of which another is made valid",
      { headers, ingress: "hdr.s[1].setValid(); meta.x = hdr.s[0].a;" },
      [],
    ],
    ["an element of a stack, of which none is", { headers, ingress: "meta.x = hdr.s[0].a;" }, ["s"]],
    ["a stack that is shifted", { headers, ingress: "hdr.s.push_front(1); meta.x = hdr.s[0].a;" }, []],
    [
      "a header in the metadata or a local",
      { headers, metadata: "h_t m;", ingress: "h_t l; meta.x = meta.m.a + l.a;" },
      [],
    ],
    [
      "inside a struct",
      {
        headers: "in_t one;",
        top: "struct in_t { h_t h; h_t i; }",
        ingress: "hdr.one.h.setValid(); meta.x = hdr.one.i.a;",
      },
      ["one.i"],
    ],
    [
      "inside a struct that is assigned",
      {
        headers: "in_t one;",
        top: "struct in_t { h_t h; h_t i; }",
        locals: "in_t other;",
        ingress: "hdr.one = other; meta.x = hdr.one.i.a;",
      },
      [],
    ],
    [
      "a name that begins with the same letters",
      { headers: "h_t he; h_t head;", ingress: "hdr.he.setValid(); meta.x = hdr.head.a;" },
      ["head"],
    ],
  ])("%s", (_, parts, expected) => {
    expect(warnings(parts)).toEqual(
      expected.map((name) => ["P40652", `the header ${name} is read, but nothing ever makes it valid`]),
    );
  });
});

describe("P40653: a state that rejects", () => {
  it.each<[string, string, boolean]>([
    ["alone", "transition reject;", true],
    ["behind a verify that can hold", "verify(hdr.h.a == 1, error.NoMatch); transition reject;", true],
    ["behind a verify that always holds", "verify(true, error.NoMatch); transition reject;", true],
    ["behind a verify that never holds", "verify(1 == 2, error.NoMatch); transition reject;", false],
  ])("%s", (_, body, warns) => {
    const states = `state start { pkt.extract(hdr.h); transition select(hdr.h.a) { 1: no; default: accept; } } state no { ${body} }`;
    expect(codes({ headers: "h_t h;", states }).includes("P40653")).toBe(warns);
  });
});

describe("P40654: a direct counter or meter without a table", () => {
  const table = (rest: string) =>
    `action a() {} table t { key = { meta.x: exact; } actions = { a; } ${rest} }`;
  const counter = "direct_counter(CounterType.packets) c;";
  const meter = "direct_meter<bit<8>>(MeterType.bytes) m;";
  it.each<[string, string, string, string[]]>([
    ["a counter", counter, "meta.x = 1;", ["I.c belongs to no table"]],
    ["a meter", meter, "meta.x = 1;", ["I.m belongs to no table"]],
    [
      "both, and one has a table",
      `${counter} ${meter} ${table("counters = c;")}`,
      "t.apply();",
      ["I.m belongs to no table"],
    ],
    [
      "two counters, of which the second has a table",
      `direct_counter(CounterType.bytes) b; ${counter} ${table("counters = c;")}`,
      "t.apply();",
      ["I.b belongs to no table"],
    ],
    [
      "the counter of a table that is never applied",
      `${counter} ${table("counters = c;")}`,
      "meta.x = 1;",
      [],
    ],
    ["a counter that is no direct one", "counter(4, CounterType.packets) c;", "c.count(0);", []],
    ["a register", "register<bit<8>>(4) r;", "r.write(0, meta.x);", []],
  ])("%s", (_, locals, ingress, messages) => {
    expect(warnings({ locals, ingress })).toEqual(messages.map((message) => ["P40654", message]));
  });

  it.each([
    [counter, "write counters = ... in the table that it is for"],
    [meter, "write meters = ... in the table that it is for"],
  ])("says which property it needs: %s", (locals, note) => {
    const { diagnostics } = tryCompile(v1model({ locals }));
    expect(diagnostics.list.flatMap(({ notes }) => (notes ?? []).map((one) => one.message))).toEqual([note]);
  });
});

it.each<[string, string, string[]]>([
  [
    "of a table with an action profile",
    "default_action = a; implementation = action_profile(4);",
    ["P40655"],
  ],
  [
    "of a table with a profile: NoAction",
    "default_action = NoAction; implementation = action_profile(4);",
    [],
  ],
  ["of a table with a profile: none", "implementation = action_profile(4);", []],
  ["of a table with a profile and other properties", "size = 4; implementation = action_profile(4);", []],
  ["of a table without one", "default_action = a;", []],
])("P40655: the default action %s", (_, rest, expected) => {
  const locals = `action a() { meta.y = 1; } table t { key = { meta.x: exact; } actions = { a; NoAction; } ${rest} }`;
  expect(codes({ locals, ingress: "t.apply();" })).toEqual(expected);
});

it.each<[string, string, number]>([
  ["a list with a field", "resubmit_preserving_field_list(1);", 0],
  ["a list without", "resubmit_preserving_field_list(2);", 1],
  ["in an action that is called", "again();", 1],
  ["a clone", "clone_preserving_field_list(CloneType.I2E, 5, 7);", 1],
  [
    "a clone whose session, not list, has that number",
    "clone_preserving_field_list(CloneType.I2E, 7, 1);",
    0,
  ],
])("P40656: %s", (_, ingress, count) => {
  const parts: Parts = {
    metadata: "@field_list(1) bit<8> kept;",
    locals: "action again() { resubmit_preserving_field_list(9); }",
    ingress,
  };
  const used = ingress.startsWith("again") ? parts : { ...parts, locals: "" };
  expect(codes(used)).toEqual(Array.from({ length: count }, () => "P40656"));
});

describe("P40657", () => {
  const loop = (body: string, condition = "meta.x < 9", update = "") =>
    `for (bit<8> i = 0; ${condition}; ${update}) { ${body} }`;
  it.each<[string, Parts, boolean]>([
    ["nothing changes the condition", { ingress: loop("meta.y = 1;") }, true],
    ["the body does", { ingress: loop("meta.x = meta.x + 1;") }, false],
    ["a slice is changed", { ingress: loop("meta.x[3:0] = 1;") }, false],
    ["the update does", { ingress: loop("meta.y = 1;", "i < meta.y", "i = i + 1") }, false],
    ["a branch does", { ingress: loop("if (meta.y == 1) { meta.x = 10; }") }, false],
    ["a break leaves it", { ingress: loop("if (meta.y == 1) { break; }") }, false],
    ["an exit leaves it", { ingress: loop("if (meta.y == 1) { exit; }") }, false],
    ["a return leaves it", { ingress: loop("if (meta.y == 1) { return; }") }, false],
    ["a continue does not", { ingress: loop("if (meta.y == 1) { continue; } meta.y = 2;") }, true],
    [
      "a table can change everything",
      {
        locals: "action a() {} table t { actions = { a; } default_action = a; }",
        ingress: loop("t.apply();"),
      },
      false,
    ],
    ["a condition that is always false never runs", { ingress: loop("meta.y = 1;", "1 > 2") }, false],
    ["a condition that is always true", { ingress: loop("meta.y = 1;", "true") }, true],
    [
      "a register's value is read into it",
      { locals: "register<bit<8>>(1) r;", ingress: loop("r.read(meta.x, 0);") },
      false,
    ],
    ["in an action", { locals: `action a() { ${loop("meta.y = 1;")} }`, ingress: "a();" }, true],
    ["in egress", { egress: loop("meta.y = 1;") }, true],
  ])("loops: %s", (_, parts, warned) => {
    const got = codes(parts).filter((code) => code === "P40657");
    expect(got.length > 0).toBe(warned);
  });

  it.each<[string, string, string[]]>([
    [
      "two states that lead to one another",
      "state start { transition two; } state two { transition select(sm.ingress_port) { 1: start; default: accept; } }",
      ["start"],
    ],
    [
      "a cycle behind the start",
      "state start { pkt.extract(hdr.h); transition one; } state one { transition two; } state two { transition select(hdr.h.a) { 1: one; default: accept; } }",
      ["one"],
    ],
    [
      "a cycle that extracts",
      "state start { pkt.extract(hdr.s.next); transition select(hdr.s.last.a) { 1: start; default: accept; } }",
      [],
    ],
    [
      "a cycle of which one state extracts",
      "state start { transition two; } state two { pkt.extract(hdr.s.next); transition select(hdr.s.last.a) { 1: start; default: accept; } }",
      [],
    ],
    [
      "a select of which one case comes back",
      "state start { transition select(sm.ingress_port) { 1: start; default: accept; } }",
      ["start"],
    ],
    [
      "two ways to one state are no cycle",
      "state start { transition select(sm.ingress_port) { 1: one; default: two; } } state one { transition three; } state two { transition three; } state three { transition accept; }",
      [],
    ],
    ["a state that ends", "state start { transition accept; }", []],
  ])("states: %s", (_, states, names) => {
    const got = warnings({ headers: "h_t h; h_t[3] s;", states }).filter(([code]) => code === "P40657");
    expect(got.map(([, message]) => message)).toEqual(
      names.map((name) => `the state ${name} comes back to itself without an end`),
    );
  });
});

it("gives a warning of an action's body once, however often the action is called", () => {
  const locals =
    "action both() { mark_to_drop(sm); sm.egress_spec = 2; for (bit<8> i = 0; meta.x < 3; ) { } }";
  expect(codes({ locals, ingress: "both(); both();" })).toEqual(["P40651", "P40657"]);
});
