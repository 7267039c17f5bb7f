/**
 * The PHV allocation: what allocate.ts makes of random headers, metadata and operations holds against verify.ts, and every corrupted
 * allocation is refused by the rule that it breaks.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Target } from "../../../src/toolchain/fit/index.js";
import { allocatePhv } from "../../../src/toolchain/fit/phv/allocate.js";
import type { AllocatedContainer, PhvAllocation } from "../../../src/toolchain/fit/phv/allocation.js";
import { NO_REQUESTS, type PhvRequests, readRequests } from "../../../src/toolchain/fit/phv/requests.js";
import { verifyPhv } from "../../../src/toolchain/fit/phv/verify.js";
import { runs } from "../../fuzz-seed.js";
import { loadTarget } from "./golden.js";
import { allocationInputOf, fitTna } from "./tna-fit.js";

const tofino = loadTarget("tofino");
const tofino2 = loadTarget("tofino2");

interface Shape {
  /** Widths of the fields of the header, in bytes. */
  readonly header: readonly number[];
  /** Widths of metadata in bits. */
  readonly metadata: readonly number[];
  /** Statements of the ingress. */
  readonly apply: readonly string[];
  /** Pragmas before the ingress. */
  readonly pragmas?: string;
  /** What the parser of ingress sets. */
  readonly parsed?: string;
  /** Headers besides, which the parser may extract. */
  readonly more?: number;
  /** Statements of the deparser of ingress. */
  readonly deparsed?: string;
  /** Bits of random numbers, `rnd`. */
  readonly random?: number;
}

/** A program for TNA: a header that is always there, and one of two others. */
function source(shape: Shape, arch: "tna" | "t2na"): string {
  const { header, metadata, apply, pragmas = "", parsed = "", deparsed = "", more = 0, random } = shape;
  const others = Array.from({ length: more }, (_, i) => `n${i}`);
  const fields = header.map((bytes, i) => `bit<${8 * bytes}> f${i};`).join(" ");
  const locals = metadata.map((bits, i) => `bit<${bits}> m${i};`).join(" ");
  return `#include <core.p4>
#include <${arch}.p4>
header first_h { bit<8> kind; ${fields} }
header other_h { bit<32> x; bit<16> y; }
header third_h { bit<32> z; }
struct headers_t { first_h a; other_h b; other_h c; third_h d; ${others.map((name) => `third_h ${name};`).join(" ")} }
struct locals_t { ${locals} bit<8> last; }
parser IP(packet_in p, out headers_t h, out locals_t m, out ingress_intrinsic_metadata_t ig, out ingress_intrinsic_metadata_for_tm_t tm) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); ${parsed} p.extract(h.a);
    transition select(h.a.kind) { 1: b; 2: d; ${others.map((name, i) => `${10 + i}: ${name};`).join(" ")} default: c; } }
  state b { p.extract(h.b); transition accept; }
  state c { p.extract(h.c); transition accept; }
  state d { p.extract(h.d); transition accept; }
  ${others.map((name) => `state ${name} { p.extract(h.${name}); transition accept; }`).join("\n  ")}
}
${pragmas}
control I(inout headers_t h, inout locals_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  ${random === undefined ? "" : `Random<bit<${random}>>() rnd;`}
  apply { tm.ucast_egress_port = ig.ingress_port; ${apply.join("\n")} }
}
header mirror_h { bit<24> kept; }
control ID(packet_out p, inout headers_t h, in locals_t m, in ingress_intrinsic_metadata_for_deparser_t dp) {
  Mirror() mirror;
  apply { ${deparsed} p.emit(h); }
}
struct e_headers_t { first_h a; }
struct e_locals_t { }
parser EP(packet_in p, out e_headers_t h, out e_locals_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); p.extract(h.a); transition accept; } }
control E(inout e_headers_t h, inout e_locals_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { } }
control ED(packet_out p, inout e_headers_t h, in e_locals_t m, in egress_intrinsic_metadata_for_deparser_t dp) { apply { p.emit(h); } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;
}

function fitOf(shape: Shape, target: Target) {
  const result = fitTna(source(shape, target.name === "tofino" ? "tna" : "t2na"), target);
  const input = { ...allocationInputOf(result), requests: NO_REQUESTS };
  return { result, input, allocation: result.phv.allocation! };
}

/** A statement over fields `f0` ... and metadata `m0` ... of one width. */
function statement(
  shape: Pick<Shape, "header" | "metadata">,
  [kind, a, b, c]: readonly [number, number, number, number],
): string[] {
  const names = new Map<number, string[]>();
  const add = (bits: number, name: string) => names.set(bits, [...(names.get(bits) ?? []), name]);
  shape.header.forEach((bytes, i) => void add(8 * bytes, `h.a.f${i}`));
  shape.metadata.forEach((bits, i) => void add(bits, `m.m${i}`));
  const all = [...names.values()];
  const here = all[a % all.length]!;
  const [x, y] = [here[b % here.length]!, here[c % here.length]!];
  switch (kind % 5) {
    case 0:
      return [`${x} = ${y};`];
    case 1:
      return [`${x} = ${x} ^ ${y};`];
    case 2:
      return [`${x} = 5 & 3;`];
    case 3:
      return [`if (${x} == 1) { h.b.x = 7; } else { h.c.y = 9; }`];
    default:
      return [`${x} = ${x} + ${y};`];
  }
}

const numbers = fc.tuple(fc.nat(4), fc.nat(50), fc.nat(50), fc.nat(50));
const shapes = fc
  .record({
    header: fc.array(fc.constantFrom(1, 2, 4, 6), { minLength: 1, maxLength: 8 }),
    metadata: fc.array(fc.constantFrom(1, 3, 8, 9, 16, 32), { minLength: 1, maxLength: 10 }),
    statements: fc.array(numbers, { maxLength: 12 }),
  })
  .map(({ header, metadata, statements }) => ({
    header,
    metadata,
    apply: statements.flatMap((one) => statement({ header, metadata }, one)),
  }));

describe("an allocation", () => {
  it.each([
    ["tofino", tofino],
    ["tofino2", tofino2],
  ])("of random fields and operations holds on %s", (_, target) => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { input, allocation } = fitOf(shape, target);
        expect(verifyPhv(input, allocation)).toEqual([]);
        expect(allocation.unallocated.filter(({ rule }) => rule === "container")).toEqual([]);
      }),
      runs(25),
    );
  });

  const shape: Shape = {
    header: [4, 2, 1, 1, 4],
    metadata: [8, 16, 32, 2, 2, 9],
    apply: [
      "h.a.f0 = m.m2 + h.a.f4; m.m2 = h.a.f0;",
      "m.m0 = h.a.f2; if (h.a.kind == 7) { m.m0 = h.a.f3; } h.a.f2 = m.m0 ^ h.a.f2;",
      "if (h.a.kind == 3) { m.m3 = 1; } if (h.a.kind == 4) { m.m4 = 1; }",
      "m.m5 = m.m5 + 3; if (m.m5 == 7) { h.b.x = 7; }",
      "if (m.m3 == 1) { h.b.x = 7; } if (m.m4 == 1) { h.c.x = 9; }",
    ],
  };

  it("gives headers that exclude each other one place, and the bytes that no table touches none in the pipeline", () => {
    const { allocation } = fitOf(shape, tofino);
    const places = (field: string) =>
      allocation.containers.filter(
        ({ gress, slices }) => gress === "ingress" && slices.some((one) => one.field === field),
      );
    expect(places("h.b.y").map(({ kind }) => kind)).toEqual(["tagalong"]);
    expect(places("h.a.f1").map(({ kind }) => kind)).toEqual(["tagalong"]);
    const second = fitOf({ ...shape, apply: ["h.b.x = 7; h.c.x = 9;"] }, tofino).allocation;
    const shared = second.containers.filter(({ slices }) => slices.some(({ field }) => field === "h.b.x"));
    expect(shared.map(({ slices }) => slices.map(({ field }) => field).sort())).toEqual([["h.b.x", "h.c.x"]]);
  });

  it("halves bytes that no table touches before a gress takes one more collection", () => {
    const { allocation } = fitOf({ ...shape, header: [4, 4, 4, 4, 4], apply: [] }, tofino);
    const beside = allocation.containers.filter(
      ({ kind, gress }) => kind === "tagalong" && gress === "ingress",
    );
    expect(new Set(beside.map(({ group }) => group)).size).toBe(1);
  });

  it("keeps bytes whole that no table touches, where no collection has room for a part of them", () => {
    const header = Array.from({ length: 20 }, () => 4);
    const arrangement = { ...tofino.phv.arrangement!, collections: 4 };
    const target = { ...tofino, phv: { ...tofino.phv, arrangement } };
    const { allocation } = fitOf({ ...shape, header, apply: [] }, target);
    const ofHeader = allocation.containers.filter(({ slices }) =>
      slices.some(({ field }) => /\.a\.f\d/.test(field)),
    );
    const beside = ofHeader.filter(({ kind }) => kind === "tagalong");
    expect(new Set(beside.map(({ size }) => size))).toEqual(new Set([32, 16, 8]));
    const others = ofHeader.filter((one) => !beside.includes(one));
    expect(new Set(others.map(({ size }) => size))).toEqual(new Set([32]));
  });

  const placeOf = (allocation: PhvAllocation, field: string) =>
    allocation.containers.filter(({ slices }) => slices.some((one) => one.field === field));

  it("has the kind of mirror and the session of the mirror that drops packets in ingress, on Tofino 2 as a zero", () => {
    const { allocation } = fitOf({ ...shape, apply: [] }, tofino);
    const fields = (name: string) =>
      placeOf(allocation, name).map(({ size, slices }) => [size, ...slices.map(({ field }) => field)]);
    expect(fields("$ingress.unset_mirror_type")).toEqual([[8, "$ingress.unset_mirror_type"]]);
    expect(fields("$ingress.mirror_session")).toEqual([[16, "$ingress.mirror_session"]]);
    const later = fitOf({ ...shape, apply: [] }, tofino2).allocation;
    expect(placeOf(later, "$ingress.mirror_session").map(({ size, isZero }) => [size, isZero])).toEqual([
      [8, true],
    ]);
    expect(placeOf(later, "$egress.mirror_io_select").length).toBe(1);
    expect(placeOf(allocation, "$egress.mirror_io_select")).toEqual([]);
  });

  /** What has the container of the session; the parser sets `m0`. */
  function beforeSession(apply: readonly string[]): string[] {
    const { allocation } = fitOf(
      { header: [2], metadata: [16, 8], apply, parsed: "m.m0 = p.lookahead<bit<16>>();" },
      tofino,
    );
    const places = placeOf(allocation, "$ingress.mirror_session");
    return places.flatMap(({ slices }) => slices.map(({ field }) => field)).sort();
  }

  it("lets the session of the mirror that drops packets take the place of a value that is over before a table of all packets", () => {
    const early = "if (m.m0 == 700) { m.m1 = 7; }";
    expect(beforeSession([early, "h.b.y = (bit<16>) m.m1;"])).toEqual([
      "$ingress.mirror_session",
      "ig.ingress_port",
    ]);
    const later = [
      "if (m.m1 == 7) { m.m1 = 9; }",
      "if (m.m1 == 9) { m.m1 = 11; }",
      "h.b.y = (bit<16>) m.m1;",
    ];
    expect(beforeSession([early, ...later])).toContain("$ingress.mirror_session");
    // The branch that reads the value comes after the only table of all packets, which would take one stage more after it.
    expect(beforeSession(["if (m.m0 == 700) { h.b.y = 7; }"])).toEqual(["$ingress.mirror_session"]);
  });

  it("gives a value the place of another one that is over, before a free container", () => {
    const apply = [
      "if (m.m0 == 700) { m.m2 = 7; }",
      ...Array.from({ length: 4 }, (_, i) => `m.m2 = m.m2 + ${i + 1};`),
      "if (m.m2 == 3) { m.m1 = 5; } else { m.m1 = 700; }",
      "if (m.m1 == 5) { h.b.y = 7; }",
    ];
    const parsed = "m.m0 = p.lookahead<bit<32>>();";
    const { allocation } = fitOf({ header: [2], metadata: [32, 12, 8], apply, parsed }, tofino);
    const [place, ...others] = placeOf(allocation, "scalars.m.m1");
    expect(others).toEqual([]);
    expect(place?.slices.map(({ field }) => field)).toContain("scalars.m.m0");
  });

  it("leaves bytes of a header together where values take larger containers, on chips where new containers count first", () => {
    const apply = [
      "if (h.a.kind == 3) { m.m0 = h.a.f0; m.m1 = h.a.f1; }",
      "if (m.m0 == 7) { h.b.x = 7; } if (m.m1 == 9) { h.c.x = 9; }",
    ];
    const pairs = { header: [2, 2], metadata: [16, 16], apply };
    const sizes = (allocation: PhvAllocation, field: string) =>
      placeOf(allocation, field).flatMap(({ gress, size }) => (gress === "ingress" ? [size] : []));
    const { allocation } = fitOf(pairs, tofino);
    for (const field of ["h.a.f0", "h.a.f1", "scalars.m.m0", "scalars.m.m1"])
      expect(sizes(allocation, field), field).toEqual([32]);
    expect(sizes(fitOf(pairs, tofino2).allocation, "h.a.f0")).toEqual([16]);
    // The value comes from other bits of the header than those that it goes to.
    const moved = ["if (h.a.kind == 3) { m.m0 = h.a.f0; }", "if (h.a.kind == 4) { h.a.f1 = m.m0; }"];
    expect(sizes(fitOf({ ...pairs, apply: moved }, tofino).allocation, "h.a.f0")).toEqual([32]);
  });

  it("has bits at the low end of a container for the headers of the padding, and none where nothing is padded", () => {
    const [place] = placeOf(fitOf({ ...shape, apply: [] }, tofino).allocation, "$egress.padding");
    const slice = place?.slices.find(({ field }) => field === "$egress.padding");
    // 65 bytes, without the 27 of the chip's header and those of `h.a`, in headers of 11.
    expect([place?.size, slice?.at, slice?.width]).toEqual([8, 0, 3]);
    expect(placeOf(fitOf({ ...shape, apply: [] }, tofino2).allocation, "$egress.padding")).toEqual([]);
  });

  it("cuts a value of metadata where tables name a part of it, and leaves whole what they name as a whole", () => {
    const parts = [
      "m.m0[7:0] = h.a.f2;",
      "m.m0[23:8] = h.a.f1;",
      "m.m0[55:24] = h.a.f0;",
      "if (m.m0 == 7) { h.b.x = 7; }",
      "if (h.a.kind == 1) { m.m1 = 5; } else { m.m1 = 70000; }",
      "if (m.m1[7:0] == 3) { h.b.y = 7; } if (m.m1[31:24] == 3) { h.c.y = 7; }",
    ];
    const { allocation } = fitOf({ header: [4, 2, 1, 4], metadata: [56, 32], apply: parts }, tofino);
    const sizes = (field: string) => placeOf(allocation, field).map(({ size }) => size);
    expect(sizes("scalars.m.m0").sort((a, b) => a - b)).toEqual([8, 16, 32]);
    expect(sizes("scalars.m.m1")).toEqual([32]);
  });

  it("puts a part of a value into bits that others leave, rather than all of it into a container of its own", () => {
    const apply = [
      "if (h.a.kind == 1) { m.m0 = 5; } else { m.m0 = 700; }",
      "if (m.m0 == 700) { h.b.x = 7; }",
    ];
    const { allocation } = fitOf({ header: [4], metadata: [10], apply }, tofino);
    const places = placeOf(allocation, "scalars.m.m0");
    expect(places.map(({ size }) => size)).toEqual([8, 8]);
    expect(places.some(({ slices }) => slices.length > 1)).toBe(true);
  });

  it("gives a value that the parser alone sets for the deparser a container", () => {
    const apply = ["if (h.a.kind == 7) { h.b.x = 7; }"];
    const multicast = "scalars.tm.mcast_grp_a";
    const set = { header: [4], metadata: [], apply, parsed: "tm.mcast_grp_a = 7;" };
    expect(placeOf(fitOf(set, tofino).allocation, multicast).map(({ size }) => size)).toEqual([16]);
    expect(placeOf(fitOf({ ...set, parsed: "" }, tofino).allocation, multicast)).toEqual([]);
  });

  it("cuts what a mirror carries into whole bytes, which nothing else shares", () => {
    const apply = [
      "dp.mirror_type = 1; m.m0 = 5; m.m1 = h.a.f0 ++ h.a.f1; if (h.a.kind == 1) { m.m2 = 1; }",
      "if (m.m2 == 1) { h.b.x = 7; }",
    ];
    const mirrored = {
      header: [1, 2],
      metadata: [10, 24, 1],
      apply,
      deparsed: "if (dp.mirror_type == 1) { mirror.emit<mirror_h>(m.m0, { m.m1 }); }",
    };
    const { allocation } = fitOf(mirrored, tofino);
    const places = ["m0", "m1"].map((name) => placeOf(allocation, `scalars.m.${name}`));
    expect(places.map((list) => list.map(({ size }) => size).sort((a, b) => a - b))).toEqual([[16], [8, 16]]);
    for (const { slices } of places.flat())
      expect(new Set(slices.filter(({ live }) => live.to > 100).map(({ field }) => field)).size).toBe(1);
  });

  it("leaves fields of a header together that a mirror carries and that have a byte in common", () => {
    const apply = ["h.b.p = 3; h.b.s = 1; h.b.t = 7; if (h.a.kind == 1) { dp.mirror_type = 1; }"];
    const deparsed = "if (dp.mirror_type == 1) { mirror.emit<mirrored_h>(m.m0, { h.b.p, h.b.s, h.b.t }); }";
    const text = source({ header: [1], metadata: [10], apply, deparsed }, "tna")
      .replace(
        "header other_h { bit<32> x; bit<16> y; }",
        "header other_h { bit<6> p; bit<10> s; bit<16> t; }",
      )
      .replace("header mirror_h", "header mirrored_h { bit<6> p; bit<10> s; bit<16> t; }\nheader mirror_h");
    const allocation = fitTna(text, tofino).phv.allocation!;
    const places = placeOf(allocation, "h.b.s");
    expect(places.map(({ size }) => size)).toEqual([16]);
    expect(places[0]!.slices.map(({ field }) => field)).toContain("h.b.p");
    expect(
      placeOf(allocation, "h.b.t").flatMap(({ slices }) => slices.map(({ field }) => field)),
    ).not.toContain("h.b.s");
  });

  it("cuts a header before the byte that another table of the same stage writes", () => {
    const apply = ["if (h.a.kind == 1) { h.a.f0 = 5; } if (h.a.kind == 2) { h.a.f1 = 7; }"];
    const { allocation, input } = fitOf({ header: [1, 1], metadata: [], apply }, tofino);
    const stages = input.model.units
      .filter(({ gress, actions }) => gress === "ingress" && actions.some(({ writes }) => writes.length > 0))
      .flatMap(({ id }) => input.stagesOf(id));
    expect(new Set(stages).size).toBe(1);
    const beside = placeOf(allocation, "h.a.f0").flatMap(({ gress, slices }) =>
      gress === "ingress" ? slices.map(({ field }) => field) : [],
    );
    expect(beside).toContain("h.a.f0");
    expect(beside).not.toContain("h.a.f1");
  });

  it("cuts the bytes of a header for the places that a header leaves which excludes it", () => {
    const pragmas = '@pa_container_size("ingress", "h.b.x", 16, 16)';
    const apply = ["if (h.a.kind == 1) { h.b.x = 7; } else { h.d.z = 9; }"];
    const { allocation } = fitOf({ header: [4], metadata: [], apply, pragmas }, tofino);
    const places = placeOf(allocation, "h.d.z");
    expect(places.map(({ size }) => size)).toEqual([16, 16]);
    for (const { slices } of places) expect(slices.map(({ field }) => field)).toContain("h.b.x");
  });

  it("keeps the bits of validity together, in the smallest container for all of them", () => {
    const many = Array.from({ length: 7 }, (_, i) => i);
    const { allocation } = fitOf({ header: [4], metadata: [], apply: [], more: many.length }, tofino);
    const bits = allocation.containers.flatMap(({ gress, size, slices }) => {
      const valid = slices.filter(({ field }) => field.endsWith("$valid$")).length;
      return gress === "ingress" && valid > 0 ? [[size, valid]] : [];
    });
    expect(bits).toEqual([[16, 4 + many.length]]);
  });

  it("has a bit for each header that a deparser sends, also for one that every way through the parser extracts", () => {
    const { allocation } = fitOf({ ...shape, apply: [] }, tofino);
    const valid = allocation.containers.flatMap(({ gress, slices }) =>
      slices.flatMap(({ field }) => (field.endsWith("$valid$") ? [`${gress} ${field}`] : [])),
    );
    expect(valid.sort()).toEqual([
      "egress h_0.a.$valid$",
      "ingress h.a.$valid$",
      "ingress h.b.$valid$",
      "ingress h.c.$valid$",
      "ingress h.d.$valid$",
    ]);
  });

  it("gives values of different branches one place, and the verifier refuses those of one branch there", () => {
    const apply = [
      "if (h.a.kind == 1) { m.m0 = h.a.f2 + 1; h.a.f3 = m.m0 ^ h.a.f3; }",
      "else { m.m1 = h.a.f3 + 1; h.a.f2 = m.m1 ^ h.a.f2; }",
    ];
    const branches = { header: [4, 2, 1, 1], metadata: [8, 8], apply };
    const { allocation } = fitOf(branches, tofino);
    const [shared] = placeOf(allocation, "scalars.m.m0");
    expect(shared?.slices.map(({ field }) => field).sort()).toEqual(["scalars.m.m0", "scalars.m.m1"]);
    const together = {
      ...branches,
      apply: ["m.m0 = h.a.f2 + 1; m.m1 = h.a.f3 + 1; h.a.f3 = m.m0 ^ h.a.f3; h.a.f2 = m.m1 ^ h.a.f2;"],
    };
    const { input, allocation: apart } = fitOf(together, tofino);
    const [first, second] = ["scalars.m.m0", "scalars.m.m1"].map((field) => placeOf(apart, field)[0]!);
    expect(first).not.toBe(second);
    const slices = [...first!.slices, ...second!.slices];
    const wrong = {
      ...apart,
      containers: apart.containers.map((one) => (one === first ? { ...one, slices } : one)),
    };
    expect(verifyPhv(input, wrong).map(({ rule }) => rule)).toContain("overlay");
  });

  it("takes such bytes past the pipeline on Tofino 2", () => {
    const { allocation } = fitOf(shape, tofino2);
    expect(allocation.bypasses).toContainEqual({ gress: "ingress", header: "h.b", firstByte: 4, bytes: 2 });
    expect(allocation.containers.some(({ kind }) => kind === "mocha")).toBe(true);
  });

  it("puts values that every action sets together into one mocha container, and the verifier no others", () => {
    const sets = (first: string, second: string) => ({
      header: [1, 1],
      metadata: [3, 3],
      apply: [
        `if (h.a.f0 == 1) { ${first} } else { ${second} }`,
        "if (m.m0 == 2 && m.m1 == 3) { h.a.f1 = 9; }",
      ],
    });
    const both = fitOf(sets("m.m0 = 2; m.m1 = 3;", "m.m0 = 4; m.m1 = 5;"), tofino2);
    const [place] = placeOf(both.allocation, "scalars.m.m0");
    expect(place?.kind).toBe("mocha");
    expect(place?.slices.map(({ field }) => field).sort()).toEqual(["scalars.m.m0", "scalars.m.m1"]);
    expect(verifyPhv(both.input, both.allocation)).toEqual([]);
    const one = fitOf(sets("m.m0 = 2; m.m1 = 3;", "m.m0 = 4;"), tofino2);
    const slices = place!.slices.map((slice) => ({ ...slice, live: { from: -1, to: 5 } }));
    const wrong = one.allocation.containers
      .map((here) => ({ ...here, slices: here.slices.filter(({ field }) => !/m\.m[01]/.test(field)) }))
      .filter(
        (here) =>
          here.slices.length > 0 &&
          !(here.kind === "mocha" && here.index === place!.index && here.size === place!.size),
      );
    const containers = [...wrong, { ...place!, slices }];
    expect(verifyPhv(one.input, { ...one.allocation, containers }).map(({ rule }) => rule)).toContain("kind");
  });

  it("puts into mocha containers no random numbers and no bits of validity that tables set", () => {
    const apply = [
      "m.m0 = rnd.get(); if (h.a.f0 == 1) { m.m1 = 2; } else { m.m1 = 4; }",
      "if (m.m0 == 2 && m.m1 == 3) { h.a.setInvalid(); }",
    ];
    const { input, allocation } = fitOf({ header: [1, 1], metadata: [8, 8], apply, random: 8 }, tofino2);
    const kindsOf = (field: string) => placeOf(allocation, field).map(({ kind }) => kind);
    expect(kindsOf("scalars.m.m0")).toEqual(["normal"]);
    expect(kindsOf("scalars.m.m1")).toEqual(["mocha"]);
    expect(kindsOf("h.a.$valid$")).toEqual(["normal"]);
    expect(kindsOf("h_0.a.$valid$")).toEqual(["mocha"]);
    expect(verifyPhv(input, allocation)).toEqual([]);
    const [normal] = placeOf(allocation, "scalars.m.m0");
    const wrong = { ...normal!, kind: "mocha" as const, index: 15, group: 3, size: 8 as const };
    const containers = allocation.containers.map((one) => (one === normal ? wrong : one));
    expect(verifyPhv(input, { ...allocation, containers }).map(({ rule }) => rule)).toContain("kind");
  });

  it("moves what tables are done with to a dark container while another value has its place, on chips with such containers", () => {
    const shape = {
      header: [4, 1, 4, 1],
      metadata: [8, 8],
      apply: [
        "if (h.a.kind == 3) { h.a.f1 = 4; }",
        "m.m1 = h.a.kind + 1; m.m1 = m.m1 + 2; m.m1 = m.m1 + 3;",
        "if (m.m1 == 7) { m.m0 = 4; } if (m.m1 == 8) { m.m0 = 9; } h.a.f3 = m.m0;",
      ],
    };
    const { input, allocation } = fitOf(shape, tofino2);
    const places = placeOf(allocation, "h.a.f1").filter(({ gress }) => gress === "ingress");
    const [place, parking] = [...places].sort((a, b) => b.slices.length - a.slices.length);
    expect(place?.slices.map(({ field }) => field).sort()).toEqual(["h.a.f1", "scalars.m.m0"]);
    const left = place?.slices.find(({ field }) => field === "h.a.f1");
    expect([parking?.kind, parking?.slices]).toEqual([
      "dark",
      [{ ...left, away: undefined, live: left?.away, isParked: true }],
    ]);
    expect(verifyPhv(input, allocation)).toEqual([]);
    // The verifier wants the dark container, and the value there while it is away.
    const lost = { ...allocation, containers: allocation.containers.filter((one) => one !== parking) };
    expect(verifyPhv(input, lost)).not.toEqual([]);
    const details = (change: (one: (typeof allocation.containers)[number]) => typeof one) =>
      verifyPhv(input, { ...allocation, containers: allocation.containers.map(change) }).map(
        ({ detail }) => detail,
      );
    expect(details((one) => (one === parking ? { ...one, group: one.group + 1 } : one)).join()).toContain(
      "left no container of its group",
    );
    const early = { from: -1, to: left!.away!.to };
    const leavesEarly = details((one) => ({
      ...one,
      slices: one.slices.map((slice) =>
        slice === left
          ? { ...slice, away: early }
          : slice.isParked === true
            ? { ...slice, live: early }
            : slice,
      ),
    }));
    expect(leavesEarly.join()).toContain("touches h.a.f1 while another value has its place");
    // Nothing gives the other value a beginning where all ways write it; and a table of it may run before one of the first value.
    const [first, chain, last] = shape.apply;
    const written = "m.m0 = m.m1 + 4; if (m.m0 == 7) { m.m0 = m.m0 + 1; } h.a.f3 = m.m0;";
    for (const apply of [
      [first!, chain!, written],
      [chain!, last!, first!],
    ])
      expect(
        fitOf({ ...shape, apply }, tofino2).allocation.containers.flatMap(({ slices }) =>
          slices.filter(({ away }) => away !== undefined),
        ),
      ).toEqual([]);
    expect(
      placeOf(fitOf(shape, tofino).allocation, "h.a.f1").flatMap(({ slices }) =>
        slices.filter(({ away }) => away),
      ),
    ).toEqual([]);
  });

  it("keeps a value that only other values set, and nothing looks up, in a dark container", () => {
    const moved = (...apply: string[]) => {
      const { input, allocation } = fitOf({ header: [2, 2], metadata: [16], apply }, tofino2);
      expect(verifyPhv(input, allocation)).toEqual([]);
      return placeOf(allocation, "scalars.m.m0").map(({ kind }) => kind);
    };
    expect(
      moved(
        "if (h.a.kind == 3) { m.m0 = h.a.f0; } else { m.m0 = h.a.f1; }",
        "if (h.a.kind == 4) { h.a.f1 = m.m0; }",
      ),
    ).toEqual(["dark"]);
    expect(
      moved(
        "if (h.a.kind == 3) { m.m0 = h.a.f0; } else { m.m0 = h.a.f1; }",
        "if (m.m0 == 4) { h.a.f1 = m.m0; }",
      ),
    ).not.toContain("dark");
  });

  it("lists the bits of values for the deparser before those of headers", () => {
    const shapeOf = (apply: string) => ({
      header: [1],
      metadata: [],
      more: 1,
      apply: [apply, "tm.ucast_egress_port = 3;"],
    });
    const listOf = (apply: string) =>
      placeOf(fitOf(shapeOf(apply), tofino2).allocation, "h.a.$valid$")[0]!.slices.map(({ field }) => field);
    const values = ["scalars.dp.mirror_type.$valid$", "scalars.tm.ucast_egress_port.$valid$", "h.a.$valid$"];
    expect(listOf("h.n0.setValid();").slice(0, 2).sort()).toEqual(values.slice(0, 2));
    expect(listOf("h.n0.setValid();")[2]).toBe(values[2]);
  });

  /** The allocation with one container changed, the first that the change applies to. */
  function changed(
    { containers, ...rest }: PhvAllocation,
    change: (
      container: AllocatedContainer,
      all: readonly AllocatedContainer[],
    ) => AllocatedContainer | undefined,
  ): PhvAllocation {
    for (const [at, container] of containers.entries()) {
      const other = change(container, containers);
      if (other !== undefined) return { ...rest, containers: containers.with(at, other) };
    }
    throw new Error("no container to change");
  }
  const has = ({ slices, gress }: AllocatedContainer, field: string) =>
    gress === "ingress" && slices.some((one) => one.field === field);

  it.each<
    [
      string,
      string,
      (container: AllocatedContainer, all: readonly AllocatedContainer[]) => AllocatedContainer | undefined,
    ]
  >([
    ["place", "a field without a container", (c) => (has(c, "h.a.f0") ? { ...c, slices: [] } : undefined)],
    [
      "container",
      "a container beyond the device",
      (c) => (c.kind === "normal" ? { ...c, index: 999 } : undefined),
    ],
    [
      "container",
      "a container twice",
      (c, all) =>
        c !== all[0] && c.kind === all[0]!.kind && c.size === all[0]!.size
          ? { ...c, index: all[0]!.index, group: all[0]!.group }
          : undefined,
    ],
    ["container", "a wrong group", (c) => (c.kind === "normal" ? { ...c, group: c.group + 1 } : undefined)],
    [
      "container",
      "bits beyond the container",
      (c) => (has(c, "h.a.f0") ? { ...c, slices: c.slices.map((s) => ({ ...s, at: s.at + 8 })) } : undefined),
    ],
    [
      "gress",
      "a container of the other gress",
      (c) => (c.kind === "normal" && c.group === 0 ? { ...c, gress: "egress" } : undefined),
    ],
    [
      "overlay",
      "two values at one time",
      (c, all) =>
        has(c, "h.a.f2")
          ? { ...c, slices: [...c.slices, ...all.find((o) => has(o, "scalars.m.m0"))!.slices] }
          : undefined,
    ],
    [
      "parser",
      "bytes in another order",
      (c) =>
        has(c, "h.a.f0")
          ? {
              ...c,
              slices: c.slices
                .map((s) => ({ ...s, lo: s.lo + 8, width: 24 }))
                .concat(c.slices.map((s) => ({ ...s, width: 8, at: 24 }))),
            }
          : undefined,
    ],
    [
      "deparser",
      "half a byte",
      (c) => (has(c, "h.a.f2") ? { ...c, slices: c.slices.map((s) => ({ ...s, width: 4 })) } : undefined),
    ],
    [
      "kind",
      "a touched field beside the pipeline",
      (c) => (has(c, "h.a.f2") ? { ...c, kind: "tagalong", group: 0, index: 3 } : undefined),
    ],
    [
      "sources",
      "operands in different groups",
      (c) => (has(c, "h.a.f4") ? { ...c, group: 2, index: 35 } : undefined),
    ],
    [
      "alignment",
      "an operand at other bits",
      (c) =>
        has(c, "scalars.m.m0")
          ? { ...c, slices: c.slices.map((s) => ({ ...s, at: 1, width: 7 })) }
          : undefined,
    ],
    [
      "arithmetic",
      "a value beside a sum",
      (c, all) =>
        has(c, "scalars.m.m5")
          ? {
              ...c,
              slices: [
                ...c.slices,
                {
                  ...all
                    .find((o) => has(o, "scalars.m.m3"))!
                    .slices.find(({ field }) => field === "scalars.m.m3")!,
                  at: 15,
                },
              ],
            }
          : undefined,
    ],
    [
      "stage",
      "two values that tables of one stage set",
      (c, all) =>
        has(c, "scalars.m.m3")
          ? {
              ...c,
              slices: [
                ...c.slices,
                {
                  ...all
                    .find((o) => has(o, "scalars.m.m4"))!
                    .slices.find(({ field }) => field === "scalars.m.m4")!,
                  at: 6,
                },
              ],
            }
          : undefined,
    ],
  ])("is refused by the rule %s: %s", (rule, _, change) => {
    const { input, allocation } = fitOf(shape, tofino);
    expect(verifyPhv(input, allocation)).toEqual([]);
    expect(verifyPhv(input, changed(allocation, change)).map((one) => one.rule)).toContain(rule);
  });

  it("is refused where it breaks what a pragma asks, and obeys it where it can", () => {
    const { input, allocation } = fitOf(shape, tofino);
    const asked = (request: ReturnType<PhvRequests["of"]>): PhvRequests => ({
      ...NO_REQUESTS,
      of: (gress, field) => (gress === "ingress" && field === "scalars.m.m0" ? request : undefined),
    });
    for (const request of [{ sizes: [32] as const }, { kind: "dark" as const }])
      expect(verifyPhv({ ...input, requests: asked(request) }, allocation).map(({ rule }) => rule)).toContain(
        "pragma",
      );
    const solitary = { ...input, requests: asked({ isSolitary: true, hasOwnPlace: true }) };
    expect(verifyPhv(solitary, allocatePhv(solitary, fitOf(shape, tofino).result.problem.phv)!)).toEqual([]);
  });

  /** The containers of a field of ingress, and the notes of a fit. */
  function withPragmas(pragmas: string, target: Target, field: string) {
    const { input, result, allocation } = fitOf({ ...shape, pragmas }, target);
    const requests = readRequests(result.model, target).requests;
    expect(verifyPhv({ ...input, requests }, allocation)).toEqual([]);
    const here = allocation.containers.filter((one) => has(one, field));
    const notes = result.diagnostics.filter(({ code }) => code === "P44048").map(({ message }) => message);
    return { here, notes, sizes: here.map(({ size }) => size) };
  }

  it("has the containers that @pa_container_size states, of metadata and of headers", () => {
    const size = (field: string, list: string) =>
      withPragmas(
        `@pa_container_size("ingress", "${field}", ${list})`,
        tofino,
        field.replace(/^m/, "scalars.m"),
      ).sizes;
    expect(size("m.m5", "32")).toEqual([32]);
    expect(size("h.a.f2", "8")).toEqual([8]);
    expect(size("h.a.f1", "8")).toEqual([8, 8]);
    expect(withPragmas("", tofino, "scalars.m.m5").sizes).toEqual([16]);
  });

  it("gives a field that is solitary a container that it has alone", () => {
    const flags = (pragmas: string) => withPragmas(pragmas, tofino, "scalars.m.last").here;
    expect(flags("")).toEqual([]);
    const own = withPragmas('@pa_solitary("ingress", "m.m3")', tofino, "scalars.m.m3").here;
    expect(own.map(({ slices }) => slices.map(({ field }) => field))).toEqual([["scalars.m.m3"]]);
  });

  it("lets no field share the place of one with @pa_no_overlay, and fields share that never meet", () => {
    const both = { ...shape, apply: ["h.b.x = 7; h.c.x = 9;"] };
    const places = (pragmas: string) =>
      fitOf({ ...both, pragmas }, tofino).allocation.containers.filter(
        (one) => has(one, "h.b.x") || has(one, "h.c.x"),
      ).length;
    expect(places("")).toBe(1);
    expect(places('@pa_no_overlay("ingress", "h.b.x")')).toBe(2);
    expect(places('@pa_no_overlay("ingress", "h.b.x", "h.c.x")')).toBe(2);
    const sums = { ...shape, apply: ["m.m2 = m.m2 + 3; h.a.f0 = m.m2;", "m.m1 = m.m1 + 1; h.a.f1 = m.m1;"] };
    const apart = fitOf(sums, tofino).allocation;
    expect(apart.containers.some((one) => has(one, "scalars.m.m1") && has(one, "scalars.m.m2"))).toBe(false);
  });

  it("takes the kind of container that @pa_container_type states, where the chip has it", () => {
    const kinds = (kind: string, target: Target) =>
      withPragmas(`@pa_container_type("ingress", "h.a.kind", "${kind}")`, target, "h.a.kind");
    expect(kinds("normal", tofino2).here.map(({ kind }) => kind)).toEqual(["normal"]);
    expect(kinds("mocha", tofino2).here.map(({ kind }) => kind)).toEqual(["mocha"]);
    expect(kinds("mocha", tofino).notes).toEqual([
      "tofino: @pa_container_type(ingress, h.a.kind, mocha) is not followed: tofino has no mocha containers",
    ]);
  });

  it.each([
    ['@pa_container_size("ingress", "h.a.none", 8)', "ingress has no field h.a.none"],
    ['@pa_container_size("ingress", "h.a.f0", 7)', "ingress has no field 7"],
    ['@pa_solitary("both", "h.a.f0")', "it names neither ingress nor egress"],
    ['@pa_byte_pack("ingress", "h.a.f0")', "fit does not follow it"],
    ['@pa_atomic("ingress", "h.a.f5")', "a container has 32 bits at most"],
  ])("passes over %s, with a note", (pragma, reason) => {
    const wide = { ...shape, header: [...shape.header, 6], pragmas: pragma };
    const notes = fitOf(wide, tofino).result.diagnostics.filter(({ code }) => code === "P44048");
    expect(notes.map(({ message }) => message.split(" not followed: ")[1])).toEqual([reason]);
    const { file, start } = notes[0]!.span!;
    expect(file.position(start).line).toBe(source(wide, "tna").split("\n").indexOf(pragma) + 1);
  });

  it("takes a larger container of the gress's own before one that no gress has by itself", () => {
    const header = Array.from({ length: 17 }, () => 2);
    const { allocation } = fitOf(
      {
        header,
        metadata: [16],
        parsed: "m.m0 = p.lookahead<bit<16>>();",
        apply: ["if (m.m0 == 3) { dp.drop_ctl = 1; }", ...header.map((_, i) => `h.a.f${i} = h.a.f${i} + 1;`)],
      },
      tofino,
    );
    const groupsOf = (size: number) =>
      allocation.containers
        .filter((one) => one.size === size && one.kind === "normal")
        .map(({ group }) => group);
    // The results of sums fill the first group of 16 bits and begin a block of another one.
    expect(new Set(groupsOf(16))).toEqual(new Set([0, 1, 2]));
    const own = allocation.containers.find(({ slices }) => slices.some(({ field }) => field.endsWith(".m0")));
    expect([own?.size, own?.group]).toEqual([32, 0]);
  });

  it("has no part of a list of validity bits beside other values", () => {
    const { allocation } = fitOf(
      { header: [1], metadata: [], more: 5, apply: ["if (h.a.f0 == 3) { dp.drop_ctl = 1; }"] },
      tofino,
    );
    const ofValidity = allocation.containers.filter(
      ({ gress, slices }) => gress === "ingress" && slices.some(({ field }) => field.endsWith(".$valid$")),
    );
    // Nine bits: eight of them and one beside drop_ctl are as many new containers, and use room that one has.
    expect(ofValidity.map(({ size, slices }) => [size, slices.length])).toEqual([[16, 9]]);
  });

  it("makes the verdict fits by counts where a field has none, and names it", () => {
    const arrangement = tofino.phv.arrangement!;
    const groups = { 8: 2, 16: 2, 32: 2 };
    const small = {
      ...tofino,
      phv: { ...tofino.phv, arrangement: { ...arrangement, groups, normal: groups, collections: 0 } },
    };
    const { result } = fitOf(shape, small as Target);
    const fields = new Set(
      result.phv.allocation?.unallocated
        .filter(({ rule }) => rule === "container")
        .flatMap((one) => one.fields),
    );
    expect(fields.size).toBeGreaterThan(1);
    const more = fields.size - 1;
    const count = more === 1 ? "1 more field" : `${more} more fields`;
    expect(result.verdict).toBe("fits by counts");
    expect(result.phv.exceeded[0]).toMatch(
      new RegExp(`^PHV: \\S+ and ${count} have no container: no container of \\d+ bits is left`),
    );
  });
});
