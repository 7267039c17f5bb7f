/** v1model's `random`: uniform between both bounds, which are possible results themselves, at widths beyond one word. */
import { expect, it } from "vitest";
import { Diagnostics, fromHex, SourceFile, toHex } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { fresh, ManualClock } from "./golden.js";

const PROGRAM = `
#include <core.p4>
#include <v1model.p4>
header h_t { bit<64> low; bit<64> high; bit<64> drawn; }
struct headers_t { h_t h; }
struct meta_t { }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
  state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply { } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
  apply { random(hdr.h.drawn, hdr.h.low, hdr.h.high); }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) { apply { } }
control C(inout headers_t hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

const diagnostics = new Diagnostics();
const compiled = compile({ file: new SourceFile("random.p4", PROGRAM) }, diagnostics);
diagnostics.throwIfErrors();

function draws(low: bigint, high: bigint, count: number): bigint[] {
  const drawn: bigint[] = [];
  const transmit = (_: number, frame: Uint8Array) => drawn.push(BigInt(`0x${toHex(frame).slice(32)}`));
  const device = new Switch(fresh(compiled!.program), { clock: new ManualClock(), seed: 5, transmit });
  const hex = [low, high, 0n].map((value) => value.toString(16).padStart(16, "0")).join("");
  for (let i = 0; i < count; i++) device.receive(1, fromHex(hex)!);
  return drawn;
}

const W = 2n ** 32n;

it.each<[string, bigint, bigint]>([
  ["one value", 9n * W + 7n, 9n * W + 7n],
  ["two values in two words", W - 1n, W],
  ["a word", 3n * W, 4n * W - 1n],
  ["three words and a part", 2n * W, 4n * W + 5n],
  ["one more than a word", 5n, W + 5n],
  ["a difference that borrows", W - 3n, 3n * W + 1n],
  ["all", 0n, W * W - 1n],
])("between the bounds, over all of their range: %s", (_, low, high) => {
  const list = draws(low, high, 200);
  expect(list.filter((value) => value < low || value > high)).toEqual([]);
  // 200 draws leave an eighth of the range out in one of 10^10 cases; the seed is fixed.
  const eighth = (high - low) / 8n;
  expect(list.some((value) => value <= low + eighth)).toBe(true);
  expect(list.some((value) => value >= high - eighth)).toBe(true);
});
