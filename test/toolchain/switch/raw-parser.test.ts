/** Parsers of the BMv2 JSON ("BMv2 JSON input format", `parsers`): what is read, where the payload begins, and which error ends them (P4-16 spec 12.8). */
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/base/index.js";
import type { bmv2 } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "./golden.js";
import { changed, digits, field, hex, operation } from "./raw-program.js";

const NO_ERROR = 0;
const TOO_SHORT = 1;
const STACK_OUT_OF_BOUNDS = 3;
const HEADER_TOO_SHORT = 4;
const TIMEOUT = 5;
const INVALID_ARGUMENT = 6;

type Op = bmv2.ParserOp;
type TransitionKey = bmv2.ParseState["transition_key"][number];
const extract = (value: string): Op => ({ op: "extract", parameters: [{ type: "regular", value }] });
const next = (value: string): Op => ({ op: "extract", parameters: [{ type: "stack", value }] });
const nextMember = (stack: string, member: string): Op => ({
  op: "extract",
  parameters: [{ type: "union_stack", value: [stack, member] }],
});
const extractVarbit = (bits: bmv2.Value): Op => ({
  op: "extract_VL",
  parameters: [{ type: "regular", value: "v" }, bits],
});
const set = (to: bmv2.Value, from: bmv2.Value | { type: "lookahead"; value: [number, number] }): Op =>
  ({ op: "set", parameters: [to, from] }) as Op;
const advance = (bits: bmv2.Value): Op => ({ op: "advance", parameters: [bits] });
const shift = (bytes: bmv2.Value): Op => ({ op: "shift", parameters: [bytes] });

const [a, b, c] = [field("h", "a"), field("h", "b"), field("h", "c")];
/** All that a packet begins with: h with a = 1, b = 2, c = 3, d = 4. */
const H = "01 0002 00000003 0000000000000004";

interface State {
  readonly ops?: readonly Op[];
  readonly key?: readonly TransitionKey[];
  readonly to?: readonly Partial<bmv2.Transition>[];
}

/** The number of the parser's error, and what leaves, for a parser whose start extracts h first. */
function parsed(
  bytes: string,
  states: State | readonly State[],
  errors?: [string, number][],
): { error: number; sent: string } {
  const program = changed((made) => {
    const { parsers, actions } = made;
    if (errors !== undefined) made.errors = errors;
    const parser = parsers[0]!;
    const template = parser.parse_states[0]!;
    parser.init_state = "s0";
    parser.parse_states = [states].flat().map(({ ops = [], key = [], to = [] }, i) => ({
      ...template,
      name: `s${i}`,
      id: i,
      parser_ops: i === 0 ? [extract("h"), ...ops] : [...ops],
      transition_key: [...key],
      transitions: [
        ...to.map((transition) => ({ type: "hexstr", mask: null, ...transition }) as bmv2.Transition),
        ...(to.some(({ type }) => type === "default")
          ? []
          : [{ type: "default", value: null, mask: null, next_state: null } as bmv2.Transition]),
      ],
    }));
    const act = actions.find(({ name }) => name === "TheIngress.act")!;
    act.primitives = [{ op: "assign", parameters: [c, field("standard_metadata", "parser_error")] }];
  });
  const frames: string[] = [];
  const device = new Switch(program, {
    clock: new ManualClock(),
    transmit: (_, frame) => frames.push(toHex(frame)),
  });
  device.receive(1, fromHex(digits(bytes))!);
  const [sent] = frames as [string];
  return { error: Number.parseInt(sent.slice(6, 14), 16), sent: `${sent.slice(0, 6)} ${sent.slice(30)}` };
}

describe("an extraction", () => {
  const bits = (value: number) => extractVarbit(hex(`0x${value.toString(16)}`));
  it.each<[string, Op[], string, number, string]>([
    [
      "takes a header, and leaves the payload",
      [extract("i")],
      `${"11".repeat(15)} aabb`,
      NO_ERROR,
      `${"11".repeat(15)}aabb`,
    ],
    [
      "of a header that is cut ends the parser, and takes nothing",
      [extract("i")],
      "11".repeat(14),
      TOO_SHORT,
      "11".repeat(14),
    ],
    ["fills a stack", [next("s"), next("s"), next("s")], "010203 04", NO_ERROR, "01020304"],
    [
      "into a full stack ends the parser",
      [next("s"), next("s"), next("s"), next("s")],
      "010203 04",
      STACK_OUT_OF_BOUNDS,
      "01020304",
    ],
    [
      "of a full stack is not tried for its bytes",
      [next("s"), next("s"), next("s"), next("s")],
      "010203",
      STACK_OUT_OF_BOUNDS,
      "010203",
    ],
    ["of a stack's element that is cut takes nothing", [next("s"), next("s")], "01", TOO_SHORT, "01"],
    [
      "into a stack of unions takes a member of each",
      [nextMember("us", "p"), nextMember("us", "q")],
      "01 0203 04",
      NO_ERROR,
      "01020304",
    ],
    [
      "into a full stack of unions ends the parser",
      [nextMember("us", "p"), nextMember("us", "p"), nextMember("us", "p")],
      "0102 03",
      STACK_OUT_OF_BOUNDS,
      "010203",
    ],
    [
      "into another member of a union leaves the last one alone valid",
      [extract("u.p"), extract("u.q")],
      "01 0203",
      NO_ERROR,
      "0203",
    ],
    ["of no bits of a varbit", [bits(0)], "08 aabb", NO_ERROR, "08aabb"],
    ["of some bytes of a varbit", [bits(16)], "08 aabb cc", NO_ERROR, "08aabbcc"],
    ["of all bytes of a varbit", [bits(32)], "08 aabbccdd ee", NO_ERROR, "08aabbccddee"],
    ["of more than a varbit holds", [bits(40)], "08 aabbccddee ff", HEADER_TOO_SHORT, "08aabbccddeeff"],
    ["of bits that are no whole bytes", [bits(12)], "08 aabb", INVALID_ARGUMENT, "08aabb"],
    ["of more than the packet has", [bits(24)], "08 aabb", TOO_SHORT, "08aabb"],
    ["of more than the packet has and a varbit holds", [bits(40)], "08 aabb", TOO_SHORT, "08aabb"],
    [
      "of a length that a field gives",
      [extractVarbit(operation("*", b, hex("0x8")))],
      "08 aabb cc",
      NO_ERROR,
      "08aabbcc",
    ],
    [
      "of a length beyond all numbers of bits",
      [extractVarbit(operation("-", b, hex("0x3")))],
      "08 aabb",
      TOO_SHORT,
      "08aabb",
    ],
  ])("%s", (_, ops, bytes, error, rest) => {
    const { error: found, sent } = parsed(`${H} ${bytes}`, { ops });
    expect([found, sent]).toEqual([error, `010002 ${rest}`]);
  });

  it("of an element makes the next one the place of the next extraction", () => {
    const last: bmv2.Value = { type: "stack_field", value: ["s", "x"] };
    const ops = [next("s"), next("s"), set(a, last)];
    expect(parsed(`${H} 0708`, { ops }).sent).toBe("080002 0708");
  });
});

describe("a parser passes over bits", () => {
  const bits = (value: number) => advance(hex(`0x${value.toString(16)}`));
  // What is passed over leaves the packet: no header has it, and it is no payload.
  it.each<[string, Op[], string, number, string]>([
    ["none", [bits(0)], "aabb", NO_ERROR, "aabb"],
    ["some bytes", [bits(8)], "aabb", NO_ERROR, "bb"],
    ["all that is left", [bits(16)], "aabb", NO_ERROR, ""],
    ["more than is left", [bits(24)], "aabb", TOO_SHORT, "aabb"],
    ["that are no whole bytes", [bits(12)], "aabb", INVALID_ARGUMENT, "aabb"],
    ["of a number that a field gives", [advance(operation("*", b, hex("0x4")))], "aabb", NO_ERROR, "bb"],
    ["whole bytes", [shift(hex("0x1"))], "aabb", NO_ERROR, "bb"],
    ["whole bytes, all that are left", [shift(b)], "aabb", NO_ERROR, ""],
    ["whole bytes, more than are left", [shift(hex("0x3"))], "aabb", TOO_SHORT, "aabb"],
    ["of a number that is too large", [advance(operation("-", b, hex("0x3")))], "aabb", TOO_SHORT, "aabb"],
  ])("%s", (_, ops, bytes, error, rest) => {
    const { error: found, sent } = parsed(`${H} ${bytes}`, { ops });
    expect([found, sent]).toEqual([error, `010002 ${rest}`]);
  });
});

describe("a lookahead", () => {
  it.each<[string, [number, number], string, string]>([
    ["of the next bytes", [0, 16], "abcd", "01abcd"],
    ["of bits in the middle", [4, 8], "abcd", "0100bc"],
    ["of bits up to the end", [12, 4], "abcd", "01000d"],
  ])("%s", (_, value, bytes, expected) => {
    const { error, sent } = parsed(`${H} ${bytes}`, { ops: [set(b, { type: "lookahead", value })] });
    expect([error, sent]).toEqual([NO_ERROR, `${expected} ${bytes}`]);
  });

  it.each<[[number, number], number]>([
    [[0, 16], NO_ERROR],
    [[0, 17], TOO_SHORT],
    [[8, 8], NO_ERROR],
    [[8, 9], TOO_SHORT],
  ])("at %o of two bytes: error %d", (value, error) => {
    const { error: found } = parsed(`${H} abcd`, { ops: [set(b, { type: "lookahead", value })] });
    expect(found).toBe(error);
  });
});

describe("a verification", () => {
  const verify = (condition: bmv2.Value, error: number): Op => ({
    op: "verify",
    parameters: [condition, hex(`0x${error.toString(16)}`)],
  });
  it.each<[string, bmv2.Value, number]>([
    ["that holds goes on", operation("==", a, hex("0x1")), NO_ERROR],
    ["that fails ends the parser with its error", operation("==", a, hex("0x2")), 2],
  ])("%s", (_, condition, error) => {
    const { error: found, sent } = parsed(`${H} 07`, { ops: [verify(condition, 2), next("s")] });
    expect(found).toBe(error);
    expect(sent).toBe("010002 07");
  });
});

describe("a select", () => {
  const key = (...names: string[]): TransitionKey[] => names.map((name) => field("h", name) as TransitionKey);
  /** States 1 and 2 extract one and two elements of s: what leaves shows which one came. */
  const chosen = (select: State, bytes = "abcd"): number => {
    const program = [select, { ops: [advance(hex("0x8"))] }, { ops: [advance(hex("0x10"))] }];
    const { sent } = parsed(`${H} ${bytes}`, program);
    return (4 - (sent.length - 7)) / 2;
  };
  const to = (value: string, next_state: string, mask: string | null = null) => ({ value, mask, next_state });

  it.each<[string, TransitionKey[], ReturnType<typeof to>[], number]>([
    ["takes the first case that matches", key("a"), [to("0x01", "s1"), to("0x01", "s2")], 1],
    ["passes over cases that do not match", key("a"), [to("0x02", "s1"), to("0x01", "s2")], 2],
    ["accepts where no case matches", key("a"), [to("0x02", "s1"), to("0x03", "s2")], 0],
    ["looks at the bits of a mask alone", key("a"), [to("0xf0", "s1", "0x10"), to("0xf1", "s2", "0x0f")], 2],
    ["takes a case without a bit that counts", key("a"), [to("0xff", "s2", "0x00"), to("0x01", "s1")], 2],
    ["matches keys one by one", key("a", "b"), [to("0x010003", "s1"), to("0x010002", "s2")], 2],
    [
      "matches keys under their masks",
      key("a", "b"),
      [to("0x02ffff", "s1", "0xff0000"), to("0xff0002", "s2", "0x00ffff")],
      2,
    ],
    [
      "matches keys of two words",
      key("d"),
      [to("0x0000000100000004", "s1"), to("0x0000000000000004", "s2")],
      2,
    ],
    [
      "matches keys of two words under a mask",
      key("d"),
      [
        to("0x0000000100000004", "s1", "0x00000001ffffffff"),
        to("0xff00000000000004", "s2", "0x00ffffffffffffff"),
      ],
      2,
    ],
    [
      "has no match for a bit that the key has not",
      [{ type: "field", value: ["scalars", "metadata.colour"] } as never],
      [to("0x04", "s1"), to("0x00", "s2")],
      2,
    ],
  ])("%s", (_, names, cases, state) => {
    expect(chosen({ key: names, to: cases })).toBe(state);
  });

  it("looks at bits that are not extracted yet", () => {
    const ahead = { type: "lookahead", value: [4, 8] } as TransitionKey;
    expect(chosen({ key: [ahead], to: [to("0xab", "s1"), to("0xbc", "s2")] })).toBe(2);
    const beyond = { type: "lookahead", value: [8, 16] } as TransitionKey;
    expect(parsed(`${H} abcd`, [{ key: [beyond], to: [to("0xab", "s1")] }, {}]).error).toBe(TOO_SHORT);
  });

  it("without an end ends with an error", () => {
    const loop = { type: "default", value: null, next_state: "s1" };
    expect(parsed(`${H} abcd`, [{ to: [loop as never] }, { to: [loop as never] }]).error).toBe(TIMEOUT);
  });

  it("may come back while it extracts", () => {
    const again = { type: "default", value: null, next_state: "s1" };
    const { error, sent } = parsed(`${H} abcd`, [
      { to: [again as never] },
      { ops: [advance(hex("0x8"))], to: [again as never] },
    ]);
    expect([error, sent]).toEqual([TOO_SHORT, "010002 "]);
  });
});

describe("a value set", () => {
  const SIX_BITS = { type: "lookahead", value: [0, 6] } as unknown as TransitionKey;
  const key = [SIX_BITS, field("h", "b"), field("h", "d")];
  /** Whether the set with these members (value and mask of all 86 bits) has the key 0b101010, 2, 4. */
  const holds = (...members: [value: bigint, mask: bigint][]): boolean => {
    const program = changed(({ parsers, parse_vsets }) => {
      parse_vsets[0]!.compressed_bitwidth = 86;
      const [start, more] = parsers[0]!.parse_states;
      start!.parser_ops = [extract("h")];
      start!.transition_key = key;
      more!.parser_ops = [advance(hex("0x8"))];
    });
    const frames: string[] = [];
    const device = new Switch(program, {
      clock: new ManualClock(),
      transmit: (_, frame) => frames.push(toHex(frame)),
    });
    const [set] = [...device.internals.instance.valueSets.values()];
    set!.members = members.map(([value, mask]) => set!.member([], value, mask));
    device.receive(1, fromHex(digits(`${H} ab cd`))!);
    return frames[0]!.length === 32;
  };
  const ALL = (1n << 86n) - 1n;
  const right = (0b101010n << 80n) | (2n << 64n) | 4n;

  it("has a key whose bits are those of a member, in the order of the select", () => {
    expect(holds()).toBe(false);
    expect(holds([right, ALL])).toBe(true);
    for (const bit of [0n, 31n, 32n, 63n, 64n, 79n, 80n, 85n]) {
      expect(holds([right ^ (1n << bit), ALL])).toBe(false);
      expect(holds([right ^ (1n << bit), ALL ^ (1n << bit)])).toBe(true);
      expect(holds([0n, ALL], [right ^ (1n << bit), ALL], [right, ALL])).toBe(true);
    }
  });
});

describe("an error", () => {
  it.each<[string, [string, number][], number]>([
    ["has the number that the program gives it", [["PacketTooShort", 9]], 9],
    ["that the program does not name has the number of core.p4", [], TOO_SHORT],
  ])("%s", (_, errors, number) => {
    expect(parsed(H, { ops: [extract("i")] }, errors).error).toBe(number);
  });
});
