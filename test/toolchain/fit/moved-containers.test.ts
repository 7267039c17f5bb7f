/** Containers of what tables move between headers and metadata, and of bytes beside what logic writes, on Tofino 1. */
import { describe, expect, it } from "vitest";
import { pardeSource } from "./programs.js";
import { fitTna } from "./tna-fit.js";

interface Parts {
  readonly metadata: string;
  readonly headers?: string;
  readonly states?: string;
  readonly deparserLocals?: string;
  readonly deparser?: string;
  readonly controls: string;
  readonly apply: string;
}

/** Where the fields of ingress stand: `size@bit` of each part, by the field's own name. */
function placesOf(parts: Parts): ReadonlyMap<string, readonly string[]> {
  const { phv, verdict } = fitTna(
    pardeSource({
      types:
        "header w_h { bit<16> p; bit<16> q; bit<16> k; bit<8> u; bit<8> v; } header o_h { bit<16> a; bit<8> b; bit<4> c; bit<4> d; }" +
        "header y_h { bit<8> g; bit<16> h; bit<8> i; }",
      headers: "w_h w;",
      states: "state first { p.extract(h.w); transition accept; }",
      ...parts,
      apply: `tm.ucast_egress_port = 1; ${parts.apply}`,
    }),
  );
  expect(verdict).toBe("placed");
  const places = new Map<string, string[]>();
  for (const { gress, kind, size, slices } of phv.allocation!.containers)
    for (const { field, at } of gress === "ingress" && kind === "normal" ? slices : []) {
      const name = field.split(".").slice(-1)[0]!;
      places.set(name, [...(places.get(name) ?? []), `${size}@${at}`]);
    }
  return places;
}

const MATCHED = `action set(bit<16> x) { tm.mcast_grp_a = x; }
  table t { key = { m.d : exact; h.w.k : exact; } actions = { set; } size = 16; }`;

describe("a value that tables take from two fields of a header", () => {
  const moved = (back: string) =>
    placesOf({
      metadata: "bit<16> d;",
      controls: MATCHED,
      apply: `if (h.w.k == 1) { m.d = h.w.p; } else { m.d = h.w.q; } t.apply(); ${back}`,
    });

  it("has a container of their size", () => {
    const places = moved("");
    expect(places.get("p")).toEqual(["32@16"]);
    expect(places.get("q")).toEqual(["32@0"]);
    expect(places.get("d")).toEqual(["32@0"]);
  });

  it("has one also where a table gives it back to the header", () => {
    const places = moved("if (h.w.k == 2) { h.w.q = m.d; }");
    expect(places.get("p")).toEqual(["32@16"]);
    expect(places.get("d")).toEqual(["32@0"]);
  });

  it("has a small one where one action exchanges the fields", () => {
    const places = placesOf({
      metadata: "bit<16> d;",
      controls: `${MATCHED} action exchange() { h.w.p = h.w.q; h.w.q = m.d; }`,
      apply: "m.d = h.w.p; t.apply(); exchange();",
    });
    expect(places.get("p")).toEqual(["16@0"]);
    expect(places.get("d")).toEqual(["16@0"]);
  });
});

describe("a value that a table gives to a field of a header", () => {
  const given = (beside: string) =>
    placesOf({
      metadata: "bit<16> d;",
      states: "state first { m.d = p.lookahead<bit<16>>(); p.extract(h.w); transition accept; }",
      controls: `action set(bit<16> x) { tm.mcast_grp_a = x; } action move() { h.w.p = m.d; ${beside} }
        table t { key = { m.d : exact; h.w.q : exact; } actions = { set; } size = 16; }`,
      apply: "t.apply(); if (h.w.u == 1) move();",
    });

  it("has a container as large as both where the action sets nothing else there", () => {
    expect(given("").get("p")).toEqual(["32@16"]);
    expect(given("").get("d")).toEqual(["32@0"]);
  });

  it("has a small one where the same action sets the field beside it to a constant", () => {
    expect(given("h.w.q = 1;").get("p")).toEqual(["16@0"]);
    expect(given("h.w.q = 1;").get("d")).toEqual(["16@0"]);
  });
});

describe("an operand of a sum", () => {
  it("is in one container, so that the field that is moved to it takes its neighbours along", () => {
    const places = placesOf({
      metadata: "bit<32> d; bit<32> e; bit<32> f;",
      controls: `action set(bit<32> x) { m.e = x; } action hit() { tm.mcast_grp_a = 7; }
        table s { key = { h.w.k : exact; } actions = { set; } size = 16; }
        table t { key = { m.f : exact; } actions = { hit; } size = 16; }
        action sum() { m.f = m.e - m.d; }`,
      apply: "m.d = (bit<32>) h.w.q; s.apply(); sum(); t.apply();",
    });
    expect(places.get("d")).toEqual(["32@0"]);
    expect(places.get("q")).toEqual(["32@0"]);
    expect(places.get("p")).toEqual(["32@16"]);
  });
});

describe("logic of a field", () => {
  const logic = (value: string) =>
    placesOf({
      metadata: "bit<8> d;",
      controls: `action set(bit<8> x) { m.d = x; } action mix() { h.w.u = ${value}; }
        table t { key = { h.w.k : exact; h.w.v : exact; } actions = { set; } size = 16; }`,
      apply: "t.apply(); if (h.w.p == 3) mix();",
    });

  it.each(["h.w.u | 4", "h.w.u & 0xf0", "4 ^ h.w.u"])(
    "with a constant leaves the byte beside it: %s",
    (value) => {
      const places = logic(value);
      expect(places.get("u")).toEqual(["32@8"]);
      expect(places.get("v")).toEqual(["32@0"]);
    },
  );

  it.each(["h.w.u | m.d", "h.w.v | 4"])("with another field writes it: %s", (value) => {
    expect(logic(value).get("u")).toEqual(["8@0"]);
  });
});

describe("a header that is not sent", () => {
  it("gives a container of its own to a field, which is as large as the bytes that the field is moved to", () => {
    const places = placesOf({
      metadata: "o_h o;",
      states: "state first { p.extract(m.o); p.extract(h.w); transition accept; }",
      controls: `action set(bit<16> x) { tm.mcast_grp_a = x; }
        table t { key = { h.w.p : exact; h.w.q : exact; } actions = { set; } size = 16; }`,
      apply: "t.apply(); if (h.w.k == 1) { h.w.q = m.o.a; }",
    });
    expect(places.get("a")).toEqual(["32@0"]);
    expect(places.get("p")).toEqual(["32@16"]);
    expect(places.get("q")).toEqual(["32@0"]);
  });
});

describe("a field that a mirror carries", () => {
  it("takes no neighbours along: what it is moved to is parted, and the rest where values end", () => {
    const places = placesOf({
      metadata: "o_h o; MirrorId_t session;",
      states: "state first { p.extract(m.o); p.extract(h.w); p.extract(h.y); transition accept; }",
      headers: "w_h w; y_h y;",
      controls: `action copy() { h.y.i[7:4] = m.o.c; h.y.i[3:0] = m.o.d; dp.mirror_type = 1; m.session = 5; }
        table t { key = { h.y.g : exact; h.y.h : exact; } actions = { copy; NoAction; } size = 16; }`,
      apply: "t.apply();",
      deparserLocals: "Mirror() mirror;",
      deparser: "if (dp.mirror_type == 1) { mirror.emit<o_h>(m.session, { m.o.a, m.o.b, m.o.c, m.o.d }); }",
    });
    expect(places.get("i")).toEqual(["8@0"]);
    expect(places.get("h")).toEqual(["16@0"]);
    expect(places.get("g")).toEqual(["8@0"]);
  });
});

describe("an element of a stack that is not sent", () => {
  it("has its bytes together, as the first one", () => {
    const places = placesOf({
      metadata: "o_h[3] s;",
      states: `state first { p.extract(m.s.next); transition select(m.s.last.b) { 0 : first; default : rest; } }
        state rest { p.extract(h.w); transition accept; }`,
      controls: `action hit() { tm.mcast_grp_a = 7; }
        table t { key = { m.s[1].a : exact; m.s[1].b : exact; m.s[1].c : exact; m.s[1].d : exact; } actions = { hit; } size = 16; }`,
      apply: "t.apply();",
    });
    expect(["a", "b", "c", "d"].map((name) => places.get(name)?.[0])).toEqual([
      "32@16",
      "32@8",
      "32@4",
      "32@0",
    ]);
  });
});
