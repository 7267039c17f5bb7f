/** Fields that a program does not name stay in the frame: every packet leaves as the one of the code that loads all fields does. */
import { describe, expect, it } from "vitest";
import { Diagnostics, Random, SourceFile, toHex } from "../../../../src/base/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { specialise } from "../../../../src/toolchain/switch/codegen/program.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";

function v1model(ingress: string, emits: string) {
  const text = `
#include <core.p4>
#include <v1model.p4>
header a_t { bit<8> kind; bit<4> high; bit<4> low; bit<16> more; }
header b_t { bit<16> first; bit<3> three; bit<10> ten; bit<3> last; }
struct headers { a_t a; b_t b; a_t c; }
struct metadata { }
parser P(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t s) {
  state start { p.extract(hdr.a); transition select(hdr.a.kind) { 1: b; 2: c; default: accept; } }
  state b { p.extract(hdr.b); transition c; }
  state c { p.extract(hdr.c); transition accept; }
}
control None(inout headers hdr, inout metadata m) { apply { } }
control I(inout headers hdr, inout metadata m, inout standard_metadata_t s) { apply { s.egress_spec = 1; ${ingress} } }
control E(inout headers hdr, inout metadata m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers hdr) { apply { ${emits} } }
V1Switch(P(), None(), I(), E(), None(), D()) main;
`;
  const diagnostics = new Diagnostics();
  const compiled = compile({ file: new SourceFile("loads.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return compiled!.program;
}

const IN_ORDER = "p.emit(hdr.a); p.emit(hdr.b); p.emit(hdr.c);";
const SWAPPED = "p.emit(hdr.c); p.emit(hdr.a); p.emit(hdr.b);";

const PROGRAMS: readonly (readonly [name: string, ingress: string, emits: string])[] = [
  ["changes nothing", "", IN_ORDER],
  ["changes half a byte", "hdr.a.high = 5; hdr.b.ten = 3;", IN_ORDER],
  ["moves headers, the size stays", "", SWAPPED],
  ["moves headers and changes them", "hdr.a.low = 7; hdr.c.more = 1; hdr.b.last = 2;", SWAPPED],
  ["loses a header", "if (hdr.a.high == 1) hdr.b.setInvalid();", IN_ORDER],
  ["loses a header and gets it back", "hdr.b.setInvalid(); if (hdr.a.low > 7) hdr.b.setValid();", IN_ORDER],
  ["copies a header", "if (hdr.c.isValid()) hdr.a = hdr.c;", IN_ORDER],
  ["exchanges headers", "a_t t = hdr.a; hdr.a = hdr.c; hdr.c = t;", SWAPPED],
  ["resubmits", "if (s.instance_type == 0) { resubmit_preserving_field_list(0); hdr.a.high = 2; }", SWAPPED],
];

describe.each(PROGRAMS)("a program that %s", (_name, ingress, emits) => {
  const program = v1model(ingress, emits);

  it.each([false, true])("does the same as with all fields loaded (owns frames: %s)", (ownsFrames) => {
    const sent: string[][] = [[], []];
    const [plain, traced] = sent.map(
      (list, i) =>
        new Switch(program, {
          clock: { now: () => 0, at: () => () => {} },
          ownsFrames,
          transmit: (port, frame) => list.push(`${port} ${toHex(frame)}`),
          ...(i === 0 ? {} : { trace: () => {} }),
        }),
    );
    const random = new Random(1);
    for (let i = 0; i < 400; i++) {
      const frame = Uint8Array.from({ length: random.int(24) }, () => random.int(256));
      if (frame.length > 0) frame[0] = random.int(4);
      for (const device of [plain!, traced!]) device.receive(0, frame.slice());
    }
    expect(sent[0]!.length).toBeGreaterThan(300);
    expect(sent[0]).toEqual(sent[1]);
  });
});

it("loads what the program names, and what shares a byte with it", () => {
  const { source } = specialise(v1model("hdr.a.high = 5;", IN_ORDER).bmv2);
  const parser = /function parse\(s\) \{[\s\S]*?\n\}/.exec(source)![0];
  // kind for the choice, both halves of the byte; nothing of the other two bytes, of b and of c.
  expect(parser.match(/= [^;]*\bD\[/g)).toHaveLength(3);
});
