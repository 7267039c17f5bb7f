/** A header with a varbit whose fields change, while every header stays where it was. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";

const CHOICES = readFileSync(
  join(resolve(import.meta.dirname, ".."), "coverage/programs/choices.p4"),
  "utf8",
);

it.each([false, true])("has none of its old bits (ownsFrames: %s)", (ownsFrames) => {
  const text = CHOICES.replace("bit<8> value;", "bit<8> value;\n    varbit<16> rest;").replace(
    "packet.extract(hdr.data);",
    "packet.extract(hdr.data, 16);",
  );
  const program = compile({ file: new SourceFile("program.p4", text) }, new Diagnostics())!.program;
  const sent: string[] = [];
  const device = new Switch(program, {
    clock: { now: () => 0, at: () => () => undefined },
    ownsFrames,
    transmit: (_, frame) => sent.push(Buffer.from(frame).toString("hex")),
  });
  device.receive(1, Uint8Array.of(3, 0xff, 0xaa, 0xbb, 0xcc));
  expect(sent).toEqual(["0300aabbcc"]);
});
