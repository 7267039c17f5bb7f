/** Compares the packets that left with those that a test expects, as p4c's BMv2 runner does. */
import { type Diagnostics, defined, type Span, toHex } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { Pattern, StfCommand } from "./script.js";

export type Expect = StfCommand & { kind: "expect" };

/** A frame that left the switch, and the line after which it left. */
export interface Output {
  readonly port: number;
  readonly frame: Uint8Array;
  readonly cause: Span | undefined;
}

export interface Tally {
  passed: number;
  failed: number;
}

/** Maximum length in bytes of a packet that a message shows in full. */
const SHOWN_BYTES = 256;

/** The nibbles of a frame as text; a long text is cut. */
function hexText(frame: Uint8Array): string {
  const text = toHex(frame.subarray(0, SHOWN_BYTES));
  return frame.length > SHOWN_BYTES ? `${text}... (${frame.length} bytes)` : text || "(no bytes)";
}

function patternText({ nibbles, exact }: Pattern): string {
  const shown = nibbles.subarray(0, 2 * SHOWN_BYTES);
  let text = "";
  for (const nibble of shown) text += nibble < 0 ? "*" : nibble.toString(16);
  return `${text}${shown.length < nibbles.length ? "..." : ""}${exact ? "$" : ""}`;
}

/**
 * The position of the first byte that does not match the pattern: the length of a frame that is too short, the length of
 * the pattern when the frame continues after `$`; undefined when the frame matches.
 */
export function firstDifference(pattern: Pattern, frame: Uint8Array): number | undefined {
  const { nibbles, exact } = pattern;
  for (let i = 0; i < nibbles.length; i++) {
    const byte = frame[i >> 1];
    if (byte === undefined) return i >> 1;
    const wanted = defined(nibbles[i]);
    if (wanted >= 0 && wanted !== ((byte >> (i % 2 === 0 ? 4 : 0)) & 15)) return i >> 1;
  }
  return exact && frame.length > Math.ceil(nibbles.length / 2) ? Math.ceil(nibbles.length / 2) : undefined;
}

function reportDifference(expect: Expect, pattern: Pattern, output: Output, diagnostics: Diagnostics): void {
  const { frame, cause } = output;
  const at = defined(firstDifference(pattern, frame));
  const wantedLength = Math.ceil(pattern.nibbles.length / 2);
  const what =
    at >= frame.length
      ? `it ends after ${frame.length} of ${wantedLength} bytes`
      : at >= wantedLength
        ? `it has ${frame.length} bytes, ${frame.length - wantedLength} too many`
        : `byte ${at} is ${toHex(frame.subarray(at, at + 1))}, not ${patternText({ nibbles: pattern.nibbles.subarray(2 * at, 2 * at + 2), exact: false })}`;
  diagnostics.error(
    CODES.otherPacket,
    expect.span,
    `another packet left port ${expect.port}: ${what}`,
    `expected ${patternText(pattern)}`,
    `got      ${hexText(frame)}`,
    ...(cause === undefined ? [] : [{ message: "it left after this", span: cause }]),
  );
}

function reportUnexpected(output: Output, diagnostics: Diagnostics): void {
  diagnostics.error(
    CODES.unexpectedPacket,
    output.cause,
    `a packet left port ${output.port} that no line expects`,
    `got ${hexText(output.frame)}`,
  );
}

/** Warns of packets at ports that the test does not name: one message for each port. */
export function warnOfOthers(outputs: readonly Output[], diagnostics: Diagnostics): void {
  const first = new Map<number, Output>();
  for (const output of outputs) if (!first.has(output.port)) first.set(output.port, output);
  for (const { port, frame, cause } of first.values()) {
    diagnostics.warning(
      CODES.unexpectedPort,
      cause,
      `a packet left port ${port}, which the test does not name`,
      `it was ${hexText(frame)}`,
    );
  }
}

/** Reports every expectation that does not hold (P41255, P41256, P41257) and counts both kinds. */
export function compareOutputs(
  expects: readonly Expect[],
  outputs: readonly Output[],
  diagnostics: Diagnostics,
): Tally {
  const tally = { passed: 0, failed: 0 };
  const ports = new Set([...expects.map(({ port }) => port), ...outputs.map(({ port }) => port)]);
  for (const port of [...ports].sort((a, b) => a - b)) {
    const wanted = expects.filter((expect) => expect.port === port);
    const got = outputs.filter((output) => output.port === port);
    comparePort(wanted, got, tally, diagnostics);
  }
  return tally;
}

/**
 * Compares packets and lines in order, one to one. Where their numbers differ, it passes over packets that match no line,
 * or lines that no packet matches, so that one lost packet is one message.
 */
function comparePort(
  wanted: readonly Expect[],
  got: readonly Output[],
  tally: Tally,
  diagnostics: Diagnostics,
): void {
  const patterns = wanted.filter(
    (expect): expect is Expect & { pattern: Pattern } => expect.pattern !== undefined,
  );
  const anyPacket = wanted.length - patterns.length;
  if (anyPacket > 0 && patterns.length === 0) {
    tally.passed += anyPacket;
    return;
  }
  let missing = wanted.length - got.length;
  let next = 0;
  for (const expect of wanted) {
    const { pattern } = expect;
    const fits = (output: Output | undefined) =>
      output !== undefined && (pattern === undefined || firstDifference(pattern, output.frame) === undefined);
    while (missing < 0 && !fits(got[next])) {
      reportUnexpected(defined(got[next++]), diagnostics);
      tally.failed++;
      missing++;
    }
    if (fits(got[next])) {
      next++;
      tally.passed++;
    } else if (missing > 0) {
      missing--;
      tally.failed++;
      const shown = pattern === undefined ? "any packet" : patternText(pattern);
      diagnostics.error(
        CODES.missingPacket,
        expect.span,
        `no such packet left port ${expect.port}`,
        `expected ${shown}; ${got.length} packets left the port, ${wanted.length} are expected`,
      );
    } else {
      tally.failed++;
      reportDifference(expect, pattern!, defined(got[next++]), diagnostics);
    }
  }
  for (const output of got.slice(next)) {
    reportUnexpected(output, diagnostics);
    tally.failed++;
  }
}
