import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitProgram } from "../../../src/toolchain/fit/index.js";
import { countWords } from "../../../src/toolchain/fit/phv/naive.js";
import { compileText, loadProgram, loadTarget } from "./golden.js";
import { wrap } from "./programs.js";

const times = (count: number, width: number) => new Array<number>(count).fill(width);

describe("PHV as the P4TE paper counts it", () => {
  it("takes 46 / 32 / 61 containers and 2,832 bits for the leaf's words", () => {
    const ingress = [...times(30, 8), ...times(8, 16), ...times(8, 32), ...times(7, 48), ...times(3, 128)];
    const egress = [
      ...times(13, 8),
      ...times(13, 16),
      ...times(1, 24),
      ...times(14, 32),
      ...times(4, 48),
      ...times(4, 128),
    ];
    expect(countWords([...ingress, ...egress])).toEqual({ 8: 46, 16: 32, 32: 61, bits: 2832 });
    expect(countWords(ingress).bits).toBe(1344);
    expect(countWords(egress).bits).toBe(1488);
    expect(Math.round((10_000 * 2832) / 4096) / 100).toBe(69.14);
  });

  it("never takes fewer bits than the fields have", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 200 })), (widths) => {
        const { bits } = countWords(widths);
        const own = widths.reduce((sum, width) => sum + width, 0);
        return bits >= own && bits < own + 8 * widths.length + 1;
      }),
    );
  });
});

describe("packed PHV", () => {
  const tofino = loadTarget("tofino");

  it("overlays headers that exclude each other", () => {
    const header = (name: string) => `header ${name}_t { bit<32> a; bit<32> b; }`;
    const text = (select: boolean) => `#include <core.p4>
#include <v1model.p4>
header first_t { bit<8> kind; }
${header("x")} ${header("y")}
struct headers_t { first_t f; x_t x; y_t y; }
struct meta_t { }
parser P(packet_in pkt, out headers_t h, inout meta_t m, inout standard_metadata_t sm) {
  state start { pkt.extract(h.f); transition select(h.f.kind) { 1: x; default: y; } }
  state x { pkt.extract(h.x); transition ${select ? "accept" : "y"}; }
  state y { pkt.extract(h.y); transition accept; }
}
control V(inout headers_t h, inout meta_t m) { apply { } }
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) {
  apply { if (h.f.kind == 1) { h.x.a = h.x.b; } else { h.y.a = h.y.b; } }
}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) { apply { } }
control C(inout headers_t h, inout meta_t m) { apply { } }
control D(packet_out pkt, in headers_t h) { apply { pkt.emit(h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;
    const words = (program: string) =>
      fitProgram(compileText(program).program!, tofino).phv.packed[32].containers;
    expect(words(text(true))).toBe(2);
    expect(words(text(false))).toBe(4);
  });

  it("keeps results that share a container in different stages", () => {
    const tables = [0, 1, 2, 3].map(
      (i) => `action a${i}(bit<8> v) { h.d.r${i} = v; }
      table t${i} { key = { h.d.k${i} : exact; } actions = { a${i}; NoAction; } size = 16; default_action = NoAction(); }`,
    );
    const program = (bits: number) =>
      wrap(
        [0, 1, 2, 3].map((i) => `bit<32> k${i};`).join(" ") +
          [0, 1, 2, 3].map((i) => `bit<${bits}> r${i};`).join(" "),
        tables.join("\n").replaceAll("bit<8> v", `bit<${bits}> v`),
        "t0.apply(); t1.apply(); t2.apply(); t3.apply();",
      );
    const narrow = fitProgram(compileText(program(8)).program!, tofino);
    expect([narrow.stages, narrow.problem.graph.criticalPath]).toEqual([4, 1]);
    expect(fitProgram(compileText(program(32)).program!, tofino).stages).toBe(1);
  });

  it("places tables whose instructions write all of a container in one stage", () => {
    const tables = [0, 1].map(
      (i) => `action a${i}() { h.d.r${i} = ~(h.d.s${i} ^ h.d.t${i}); }
      table t${i} { key = { h.d.k : exact; } actions = { a${i}; NoAction; } size = 16; default_action = NoAction(); }`,
    );
    const fields = ["r", "s", "t"].map((name) => `bit<16> ${name}0; bit<16> ${name}1;`).join(" ");
    const program = wrap(`bit<32> k; ${fields}`, tables.join("\n"), "t0.apply(); t1.apply();");
    expect(fitProgram(compileText(program).program!, tofino).stages).toBe(1);
  });

  it("charges bridged metadata in both gresses", () => {
    const result = fitProgram(loadProgram("phv_bridge_6x32").program!, tofino);
    const words = result.phv.packed[32];
    expect([words.bitsIngress, words.bitsEgress]).toEqual([192, 384]);
  });
});
