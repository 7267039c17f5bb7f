/** Patterns against packets: the comparison as a definition by characters, and the bookkeeping of whole ports. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, toHex } from "../../../src/base/index.js";
import {
  compareOutputs,
  type Expect,
  firstDifference,
  type Output,
} from "../../../src/toolchain/stf/expectations.js";
import { type Pattern, readStf } from "../../../src/toolchain/stf/script.js";

function patternOf(text: string): Pattern {
  const [command] = readStf(new SourceFile("x.stf", `expect 1 ${text}`), new Diagnostics());
  if (command?.kind !== "expect" || command.pattern === undefined) throw new Error(text);
  return command.pattern;
}

/** p4c's rule, written by characters of hexadecimal text. */
function matches(pattern: string, hex: string): boolean {
  const exact = pattern.endsWith("$");
  const body = exact ? pattern.slice(0, -1) : pattern;
  if (hex.length < body.length || (exact && hex.length > body.length)) return false;
  return [...body].every((digit, i) => digit === "*" || digit === hex[i]);
}

const frames = fc.uint8Array({ maxLength: 6 });
const bodies = fc
  .array(fc.constantFrom("0", "1", "f", "*"), { minLength: 1, maxLength: 12 })
  .map((a) => a.join(""));

describe("firstDifference", () => {
  it("is undefined exactly when p4c's rule says that the packet matches", () => {
    fc.assert(
      fc.property(frames, bodies, fc.boolean(), (random, body, exact) => {
        const even = body.length % 2 === 0 ? body : `${body}*`;
        const frame = Uint8Array.from(random, (byte) => [0, 1, 0xf, 0x10, 0x11, 0xff][byte % 6]!);
        const text = exact ? `${even}$` : even;
        expect(firstDifference(patternOf(text), frame) === undefined).toBe(matches(text, toHex(frame)));
      }),
    );
  });

  it("names the byte: the first wrong one, the first missing one, the first one too many", () => {
    const frame = Uint8Array.of(0x12, 0x34, 0x56);
    expect(firstDifference(patternOf("12 3* 57"), frame)).toBe(2);
    expect(firstDifference(patternOf("12 34 56 78"), frame)).toBe(3);
    expect(firstDifference(patternOf("12 34 $"), frame)).toBe(2);
    expect(firstDifference(patternOf("12 3* 56 $"), frame)).toBeUndefined();
  });
});

describe("compareOutputs", () => {
  const file = new SourceFile("x.stf", "");
  const span = { file, start: 0, end: 0 };
  const expectByte = (byte: number): Expect => ({
    kind: "expect",
    span,
    port: 1,
    pattern: patternOf(byte.toString(16).padStart(2, "0")),
  });
  const output = (byte: number): Output => ({ port: 1, frame: Uint8Array.of(byte), cause: undefined });
  const bytes = fc.uniqueArray(fc.integer({ min: 0, max: 255 }), { maxLength: 8 });

  it("finds each lost packet and nothing else", () => {
    fc.assert(
      fc.property(bytes, fc.infiniteStream(fc.boolean()), (sent, keep) => {
        const got = sent.filter(() => keep.next().value);
        const diagnostics = new Diagnostics();
        const tally = compareOutputs(sent.map(expectByte), got.map(output), diagnostics);
        expect(tally).toEqual({ passed: got.length, failed: sent.length - got.length });
        expect(diagnostics.list.map(({ code }) => code)).toEqual(
          new Array(sent.length - got.length).fill("P41256"),
        );
      }),
    );
  });

  it("finds each packet too many and nothing else", () => {
    fc.assert(
      fc.property(bytes, fc.infiniteStream(fc.boolean()), (sent, keep) => {
        const wanted = sent.filter(() => keep.next().value);
        const diagnostics = new Diagnostics();
        const tally = compareOutputs(wanted.map(expectByte), sent.map(output), diagnostics);
        expect(tally).toEqual({ passed: wanted.length, failed: sent.length - wanted.length });
        expect(diagnostics.list.every(({ code }) => code === "P41257")).toBe(true);
      }),
    );
  });

  it("does not accept packets in another order", () => {
    const diagnostics = new Diagnostics();
    expect(compareOutputs([1, 2].map(expectByte), [2, 1].map(output), diagnostics)).toEqual({
      passed: 0,
      failed: 2,
    });
  });
});
