/** `bit<0>` has one value and no place in BMv2: fields, variables and writes of it go, and the rest stays as it is. */
import { expect, it } from "vitest";
import { Diagnostics, fromHex, SourceFile, toHex } from "../../../../src/base/index.js";
import { readBmv2 } from "../../../../src/toolchain/program/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { compileParts } from "../lower/v1model.js";

it("compiles to a program that can be read and run", () => {
  const { program } = compileParts({
    top: "header h_t { bit<8> a; bit<0> z; bit<8> b; }",
    headers: "h_t h;",
    metadata: "@field_list(1) bit<0> m; @field_list(1) bit<8> n;",
    states: "state start { pkt.extract(hdr.h); transition select(hdr.h.z) { 0: accept; } }",
    ingress: `bit<0> local = hdr.h.z + 1;
      meta.m = local;
      hdr.h.z = meta.m;
      hash(meta.m, HashAlgorithm.crc16, (bit<16>)0, { hdr.h.a, hdr.h.z }, (bit<16>)8);
      hash(hdr.h.b, HashAlgorithm.identity, (bit<16>)0, { hdr.h.z, hdr.h.a }, (bit<16>)256);
      if (meta.m == local) { hdr.h.b = hdr.h.b ++ hdr.h.z; } else { hdr.h.b = 0; }
      clone_preserving_field_list(CloneType.I2E, 5, 1);`,
    deparser: "pkt.emit(hdr.h);",
  });
  const diagnostics = new Diagnostics();
  readBmv2(new SourceFile("a.json", JSON.stringify(program.bmv2)), diagnostics);
  expect(diagnostics.list).toEqual([]);
  const sent: string[] = [];
  const node = new Switch(program, {
    clock: { now: () => 0, at: () => () => undefined },
    transmit: (_, frame) => sent.push(toHex(frame)),
  });
  node.receive(0, fromHex("0702")!);
  expect(sent).toEqual(["0707"]);
});
