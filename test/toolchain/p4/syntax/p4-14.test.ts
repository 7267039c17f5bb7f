/** A P4-14 program gets one message; a P4-16 program with mistakes keeps its own. */
import { describe, expect, it } from "vitest";
import { messagesOf } from "./helpers.js";

const codesOf = (text: string): string[] =>
  messagesOf(text).map((each) => each.split(" ").slice(0, 2).join(" "));

describe("a P4-14 program", () => {
  it.each([
    ["header_type h_t { fields { a : 8; } }", "1:1 P40228"],
    ["#include <tofino/intrinsic_metadata.p4>\n\nheader_type h_t { fields { a : 8; } }", "3:1 P40228"],
    ["parser start { extract(ethernet); return ingress; }", "1:1 P40228"],
    ["parser start {\n  return select(latest.etherType) { default : ingress; } }", "1:1 P40228"],
    ["header ethernet_t ethernet;\nmetadata meta_t meta;", "2:1 P40228"],
    ["metadata meta_t meta { a : 0; }", "1:1 P40228"],
    ["field_list f { ipv4.src; }\nfield_list_calculation c { input { f; } }", "1:1 P40228"],
    [
      "action a(x) { modify_field(m.a, x); }\ntable t { reads { m.a : exact; } actions { a; } }",
      "2:1 P40228",
    ],
    ["control ingress { apply(t); }", "1:1 P40228"],
  ])("has one message: %j", (text, message) => {
    expect(codesOf(text)).toEqual([message]);
  });

  it("is said with the way out", () => {
    expect(messagesOf("control egress { }")).toEqual([
      "1:1 P40228 this is a P4-14 program ('control' is a declaration of P4-14), and only P4-16 is compiled",
    ]);
  });

  it.each([
    "header h_t { bit<8> a; bit<8 b; }",
    "parser P { state start { transition accept; } }",
    "control C { apply { } }",
    "const bit<8> header_type = 1",
    "control C(inout bit<8> x) { table t { reads = { x : exact; } actions = { } } apply { } }",
    "table t { key = { } }",
  ])("is none of these, which have mistakes: %j", (text) => {
    const found = codesOf(text);
    expect(found.length).toBeGreaterThan(0);
    expect(found.join()).not.toContain("P40228");
  });
});
