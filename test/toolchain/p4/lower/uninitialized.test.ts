/** P40658: where a local variable is read without a value, and where it is not, on each kind of way through a program. */
import { describe, expect, it } from "vitest";
import { formatDiagnostic } from "../../../../src/base/index.js";
import { type Parts, tryCompile, v1model } from "./v1model.js";

/** Messages of P40658 without place, `here` or `some` for whether it holds on every way; the program has no error. */
function unset(parts: Parts): string[] {
  const { result, diagnostics } = tryCompile(
    v1model({
      metadata: "bit<8> x; bit<8> z;",
      ...parts,
      top: `struct s_t { bit<8> p; bit<8> q; } header h_t { bit<8> f; } ${parts.top ?? ""}`,
    }),
  );
  expect(result, diagnostics.list.map(({ message }) => message).join()).toBeDefined();
  return diagnostics.list
    .filter(({ code }) => code === "P40658")
    .map(({ message }) =>
      message
        .replace(" is read, but it has no value here", " here")
        .replace(" is read, but it has no value on every way to here", " some"),
    );
}

const ACTIONS = "bit<8> y; action one() { y = 1; } action two() { y = 2; } action none() {}";
const table = (actions: string, rest: string) =>
  `${ACTIONS} table t { key = { meta.x: exact; } actions = { ${actions} } ${rest} }`;

describe("in a control", () => {
  it.each<[string, Parts, string[]]>([
    ["no local without a value", { ingress: "bit<8> y = 1; meta.x = y;" }, []],
    ["a struct without any value", { ingress: "s_t s; meta.x = s.q;" }, ["s here"]],
    ["another field of a struct", { ingress: "s_t s; s.p = 1; meta.x = s.q;" }, ["s here"]],
    ["the field that is set", { ingress: "s_t s; s.p = 1; meta.x = s.p;" }, []],
    ["a struct that is copied as a whole", { ingress: "s_t s; s_t r; r = s; meta.x = r.p;" }, ["s here"]],
    ["a struct that is set as a whole", { ingress: "s_t s; s = { 1, 2 }; meta.x = s.p + s.q;" }, []],
    ["a header, which has validity", { ingress: "h_t h; if (h.isValid()) { meta.x = h.f; }" }, []],
    ["an array", { ingress: "bit<8>[2] a; meta.x = a[1];" }, ["a here"]],
    ["an array with an element that is set", { ingress: "bit<8>[2] a; a[0] = 1; meta.x = a[1];" }, []],
    ["a stack of headers", { ingress: "h_t[2] a; meta.x = a[1].f;" }, []],
    ["a bool", { ingress: "bool b; if (b) { meta.x = 1; }" }, ["b here"]],
    ["one message a variable", { ingress: "bit<8> y; meta.x = y; meta.z = y;" }, ["y here"]],
    ["two variables", { ingress: "bit<8> y; bit<8> w; meta.x = y; meta.z = w;" }, ["y here", "w here"]],
    [
      "bits of bits",
      { ingress: "bit<8> y; y[7:4][1:0] = 3; meta.x[1:0] = y[5:4]; meta.x[7:6] = y[7:6];" },
      ["y is read, but bits 7:6 have no value here"],
    ],
    ["all bits, by bits of bits", { ingress: "bit<8> y; y[7:0][3:0] = 1; y[7:4] = 2; meta.x = y;" }, []],
    [
      "a miss whose default action sets it",
      {
        locals: table("one; two;", "default_action = two();"),
        ingress: "if (t.apply().hit) {} else { meta.x = y; }",
      },
      [],
    ],
    [
      "a miss of a table with a profile, which runs no default action",
      {
        locals: table("one; two;", "default_action = two(); implementation = action_profile(4);"),
        ingress: "if (t.apply().hit) {} else { meta.x = y; }",
      },
      ["y here"],
    ],
    ["one branch", { ingress: "bit<8> y; if (meta.x == 1) { y = 1; } meta.x = y;" }, ["y some"]],
    ["both branches", { ingress: "bit<8> y; if (meta.x == 1) { y = 1; } else { y = 2; } meta.x = y;" }, []],
    [
      "all cases of a switch, with a default",
      { ingress: "bit<8> y; switch (meta.x) { 1: { y = 1; } default: { y = 2; } } meta.x = y;" },
      [],
    ],
    [
      "a switch without a default",
      { ingress: "bit<8> y; switch (meta.x) { 1: { y = 1; } 2: { y = 2; } } meta.x = y;" },
      ["y some"],
    ],
    [
      "a case that sets nothing",
      { ingress: "bit<8> y; switch (meta.x) { 1: { y = 1; } default: {} } meta.x = y;" },
      ["y some"],
    ],
    [
      "the body of a loop that may not run",
      { ingress: "bit<8> y; for (bit<8> i = 0; i < meta.z; i = i + 1) { y = i; } meta.x = y;" },
      ["y some"],
    ],
    [
      "an index",
      { top: "", headers: "h_t[2] s;", ingress: "bit<8> y; hdr.s[y].f = 1; meta.x = 2;" },
      ["y here"],
    ],
  ])("%s", (_, parts, expected) => {
    expect(unset(parts)).toEqual(expected);
  });

  it.each<[string, string, string, string[]]>([
    [
      "a key",
      `bit<8> y; action none() {} table t { key = { y: exact; } actions = { none; } default_action = none; }`,
      "t.apply();",
      ["y here"],
    ],
    ["the only action sets it", table("one;", "const default_action = one;"), "t.apply(); meta.z = y;", []],
    [
      "no action sets it",
      table("none;", "const default_action = none;"),
      "t.apply(); meta.z = y;",
      ["y here"],
    ],
    // A variable of the control that some actions set is not reported.
    ["some actions set it", table("one; none;", "default_action = none;"), "t.apply(); meta.z = y;", []],
    [
      "the branch of the action that sets it",
      table("one; none;", "default_action = none;"),
      "switch (t.apply().action_run) { one: { meta.z = y; } }",
      [],
    ],
    [
      "the branch of the action that does not",
      table("one; none;", "default_action = none;"),
      "switch (t.apply().action_run) { none: { meta.z = y; } }",
      ["y here"],
    ],
    [
      "the branch of the other actions",
      table("one; two; none;", "default_action = none;"),
      "switch (t.apply().action_run) { one: two: { meta.x = y; } default: { meta.z = y; } }",
      ["y here"],
    ],
    [
      "a hit",
      table("one; @defaultonly none;", "const default_action = none;"),
      "if (t.apply().hit) { meta.x = 1; } else { meta.z = y; }",
      ["y here"],
    ],
  ])("a table: %s", (_, locals, ingress, expected) => {
    expect(unset({ locals, ingress })).toEqual(expected);
  });
});

describe("in a parser", () => {
  const parser = (states: string) => ({ headers: "h_t h;", parserLocals: "bit<8> y; bit<8> w;", states });
  it.each<[string, string, string[]]>([
    ["in the first state", "state start { meta.x = y; transition accept; }", ["y here"]],
    [
      "as the key of a select",
      "state start { transition select(y) { 1: accept; default: reject; } }",
      ["y here"],
    ],
    [
      "after a state that sets it",
      "state start { y = 1; transition next; } state next { meta.x = y; transition accept; }",
      [],
    ],
    [
      "after a state that sets another one",
      "state start { w = 1; transition next; } state next { meta.x = y + w; transition accept; }",
      ["y here"],
    ],
    // A variable of the parser that only some ways set is not reported.
    [
      "on one of two ways",
      `state start { transition select(meta.z) { 1: set; default: next; } } state set { y = 1; transition next; }
       state next { meta.x = y; transition accept; }`,
      [],
    ],
    [
      "on neither of two ways, in a state that is written first",
      `state next { meta.x = y; transition accept; } state start { transition select(meta.z) { 1: set; default: other; } }
       state set { y = 1; transition next; } state other { y = 2; transition next; }`,
      [],
    ],
    [
      "in a loop of states, only on the first round",
      `state start { pkt.extract(hdr.h); transition again; } state again { meta.x = y; y = 1; transition select(meta.z) { 1: again; default: accept; } }`,
      [],
    ],
    [
      "in a loop of states that sets it first",
      `state start { pkt.extract(hdr.h); transition again; } state again { y = 1; meta.x = y; transition select(meta.z) { 1: again; default: accept; } }`,
      [],
    ],
    [
      "in a state that is never reached",
      "state start { transition accept; } state lost { meta.x = y; transition accept; }",
      [],
    ],
  ])("%s", (_, states, expected) => {
    expect(unset(parser(states))).toEqual(expected);
  });
});

it("names the variable as it is written, with the places of the read and of the declaration", () => {
  const { diagnostics } = tryCompile(
    v1model({ metadata: "bit<8> x;", ingress: "bit<8> y;\nmeta.x = y + 1;" }),
  );
  const text = formatDiagnostic(diagnostics.list.find(({ code }) => code === "P40658")!);
  expect(text.split("\n").map((line) => line.trim())).toEqual([
    expect.stringMatching(/^test\.p4:\d+:10: warning\[P40658\]: y is read, but it has no value here$/),
    "meta.x = y + 1;",
    "^",
    expect.stringMatching(/^test\.p4:\d+:\d+: note: it is declared here, without a value$/),
    "bit<8> y;",
    "^",
  ]);
});
