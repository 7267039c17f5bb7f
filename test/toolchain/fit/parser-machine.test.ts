/**
 * The states of the hardware's parser, run over random packets: a second model, which does in each cycle what the rows say with what a cycle
 * sees, gives the packets that the embedded switch sends.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { type FitResult, fitProgram, onePipe, type Target } from "../../../src/toolchain/fit/index.js";
import type { HardwareState, Row } from "../../../src/toolchain/fit/parde/machine.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { runs } from "../../fuzz-seed.js";
import { ManualClock } from "../switch/golden.js";
import { loadTarget } from "./golden.js";

interface StateShape {
  /** Bytes of the header behind its tag and its selector. */
  readonly body: readonly (1 | 2 | 4)[];
  /** Bytes between both, so that the selector is not always near. */
  readonly gap: number;
  /** Bytes that the state goes on without a header. */
  readonly skip: number;
  /** The header comes up to three times. */
  readonly isStack: boolean;
  /** What the select looks at: its own selector, that of the first state, or a byte ahead. */
  readonly looks: "own" | "first" | "ahead" | "both" | "nothing";
  readonly ahead: number;
  /** Value, mask and next state of each branch; the last one takes the rest. */
  readonly branches: readonly { readonly value: number; readonly mask: number; readonly next: number }[];
}

const LENGTH = 3;

/** A program with one header a state; each header that was found gets its tag plus one. */
function source(states: readonly StateShape[], arch: "tna" | "t2na"): string {
  const name = (i: number) => `h${i}`;
  const types = states.map(({ body, gap }, i) => {
    const gaps = Array.from({ length: gap }, (_, k) => `bit<8> g${k};`).join(" ");
    const fields = body.map((bytes, k) => `bit<${8 * bytes}> f${k};`).join(" ");
    return `header ${name(i)}_t { bit<8> tag; ${gaps} bit<8> sel; ${fields} }`;
  });
  const parts = states.map(({ isStack }, i) => `${name(i)}_t${isStack ? `[${LENGTH}]` : ""} ${name(i)};`);
  const target = (next: number) => (next >= states.length ? "accept" : `s${next}`);
  const parser = states.map((state, i) => {
    const header = `h.${name(i)}${state.isStack ? ".next" : ""}`;
    const own = `h.${name(i)}${state.isStack ? ".last" : ""}.sel`;
    const first = states[0]!.isStack ? own : "h.h0.sel";
    const last = target(i + 1);
    const skip = state.skip > 0 ? `p.advance(${8 * state.skip});` : "";
    if (state.looks === "nothing") return `state s${i} { p.extract(${header}); ${skip} transition ${last}; }`;
    const ahead = `p.lookahead<bit<${8 * (state.ahead + 1)}>>()[7:0]`;
    const key = { own, first, ahead: "x", both: `${own}, ${first}` }[state.looks];
    const rest = state.looks === "both" ? "(_, _)" : "_";
    const cases = state.branches.map(({ value, mask, next }) => {
      const one = `8w${value} &&& 8w${mask}`;
      return `${state.looks === "both" ? `(${one}, ${one})` : one} : ${target(next)};`;
    });
    const look = state.looks === "ahead" ? `bit<8> x = ${ahead};` : "";
    // A state with a stack comes back to itself, until the stack is full.
    const again = state.isStack ? `${state.looks === "both" ? "(8w7, _)" : "8w7"} : s${i};` : "";
    return `state s${i} { p.extract(${header}); ${skip} ${look} transition select(${key}) { ${again} ${cases.join(" ")} ${rest} : ${last}; } }`;
  });
  const tags = states.flatMap(({ isStack }, i) =>
    Array.from({ length: isStack ? LENGTH : 1 }, (_, k) => {
      const header = `h.${name(i)}${isStack ? `[${k}]` : ""}`;
      return `if (${header}.isValid()) { ${header}.tag = ${header}.tag + 1; }`;
    }),
  );
  return `#include <core.p4>
#include <${arch}.p4>
${types.join("\n")}
struct headers_t { ${parts.join(" ")} }
struct locals_t { }
struct no_headers_t { }
parser IP(packet_in p, out headers_t h, out locals_t m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); transition s0; }
  ${parser.join("\n  ")}
}
control I(inout headers_t h, inout locals_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  apply { tm.ucast_egress_port = 2; tm.bypass_egress = 1; ${tags.join(" ")} }
}
control ID(packet_out p, inout headers_t h, in locals_t m, in ingress_intrinsic_metadata_for_deparser_t dp) { apply { p.emit(h); } }
parser EP(packet_in p, out no_headers_t h, out locals_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); transition accept; } }
control E(inout no_headers_t h, inout locals_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { } }
control ED(packet_out p, inout no_headers_t h, in locals_t m, in egress_intrinsic_metadata_for_deparser_t dp) { apply { p.emit(h); } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;
}

function built(states: readonly StateShape[], target: Target, form: "hardware" | "switch") {
  const arch = target.name === "tofino" ? "tna" : "t2na";
  const diagnostics = new Diagnostics();
  const defines = { __TARGET_TOFINO__: target.name === "tofino" ? "1" : "2" };
  const file = new SourceFile("test.p4", source(states, arch));
  const made = compile({ file, resolveInclude: () => undefined, defines, form }, diagnostics);
  diagnostics.throwIfErrors();
  return made!.program;
}

const CHIP = { tofino: { before: 16 }, tofino2: { before: 32 } };

const bitsOf = (bytes: Uint8Array, at: number, width: number): bigint => {
  let value = 0n;
  for (let i = at; i < at + width; i++) value = (value << 1n) | BigInt((bytes[i >> 3]! >> (7 - (i & 7))) & 1);
  return value;
};

/** Runs the states; throws where a row does what a cycle cannot. */
function run(
  states: readonly HardwareState[],
  chip: NonNullable<Target["parde"]>["parser"],
  frame: Uint8Array,
) {
  const fields = new Map<string, bigint>();
  const registers = new Map<string, bigint>();
  let at = 0;
  for (let id: number | undefined = 0, cycles = 0; id !== undefined; cycles++) {
    if (cycles > 200) throw new Error("no end");
    const state: HardwareState = states[id]!;
    const values = state.match.map(({ slot }) => {
      if (!registers.has(slot)) throw new Error(`${state.name}: ${slot} is in no register`);
      return registers.get(slot)!;
    });
    const row: Row | undefined = state.rows.find(({ values: wanted, masks }) =>
      masks.every((mask, i) => (values[i]! & mask) === wanted[i]),
    );
    if (row === undefined) throw new Error(`${state.name}: no row`);
    const seen = (from: number, bits: number) => {
      if (from < 0 || from + bits > 8 * chip.buffer_bytes) throw new Error(`${state.name}: out of sight`);
      return bitsOf(frame, 8 * at + from, bits);
    };
    const taken = { 8: 0, 16: 0, 32: 0 };
    for (const { size, from, taken: bits, written } of row.writes) {
      if (from !== undefined && (from < 0 || from + size / 8 > chip.buffer_bytes))
        throw new Error("container out of sight");
      if (chip.extractors[size] > 0) taken[size]++;
      else taken[16] += Math.ceil(size / 16);
      for (const one of bits) {
        const old = fields.get(one.field) ?? 0n;
        fields.set(one.field, old | (seen(one.at, one.width) << BigInt(one.lo)));
      }
      for (const { field, value } of written) fields.set(field, value);
    }
    for (const size of [8, 16, 32] as const)
      if (taken[size] > chip.extractors[size])
        throw new Error(`${state.name}: ${taken[size]} of ${size} bits`);
    for (const { from, taken: bits } of row.past) {
      if (from >= chip.buffer_bytes) throw new Error("piece out of sight");
      for (const one of bits) fields.set(one.field, bitsOf(frame, 8 * at + one.at, one.width));
    }
    for (const { slot, at: from, width } of row.saves) registers.set(slot, seen(from, width));
    if (row.shift > chip.buffer_bytes) throw new Error(`${state.name}: shift ${row.shift}`);
    at += row.shift;
    id = row.to;
  }
  return { fields, at };
}

/** The packet that the deparser makes of the fields. */
function deparsed(
  result: FitResult,
  { fields, at }: { fields: Map<string, bigint>; at: number },
  frame: Uint8Array,
): string {
  const { model } = result;
  let out = "";
  for (const header of model.program.deparsers[0]!.order) {
    if ((fields.get(`${header}.$valid$`) ?? 0n) === 0n) continue;
    for (const name of model.headers.get(header)!.fields) {
      const { width } = model.fields.get(name)!;
      if (name.endsWith("$valid$")) continue;
      const value = (fields.get(name) ?? 0n) + (name.endsWith(".tag") ? 1n : 0n);
      out += BigInt.asUintN(width, value)
        .toString(16)
        .padStart(width / 4, "0");
    }
  }
  return out + Buffer.from(frame.subarray(at)).toString("hex");
}

const byte = fc.integer({ min: 0, max: 255 });
const shape = (count: number): fc.Arbitrary<StateShape> =>
  fc.record({
    body: fc.array(fc.constantFrom<1 | 2 | 4>(1, 2, 4), { maxLength: 12 }),
    gap: fc.integer({ min: 0, max: 20 }),
    skip: fc.constantFrom(0, 0, 0, 1, 7, 33),
    isStack: fc.boolean(),
    looks: fc.constantFrom("own", "own", "first", "ahead", "both", "nothing"),
    ahead: fc.integer({ min: 0, max: 20 }),
    branches: fc.array(
      fc.record({
        value: fc.constantFrom(0, 1, 2, 3),
        mask: fc.constantFrom(3, 1, 255),
        next: fc.integer({ min: 1, max: count }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  });

const shapes = fc
  .integer({ min: 1, max: 5 })
  .chain((count) => fc.array(shape(count), { minLength: count, maxLength: count }))
  // A state leads to later ones alone; the first one is no stack, so that its selector has one name.
  .map((list) =>
    list.map((one, i) => ({
      ...one,
      isStack:
        i > 0 && one.isStack && one.looks !== "first" && one.looks !== "nothing" && one.looks !== "ahead",
      branches: one.branches.map((branch) => ({
        value: branch.value & branch.mask,
        mask: branch.mask,
        next: i + 1 + (branch.next % (list.length - i)),
      })),
    })),
  );

describe.each(["tofino", "tofino2"] as const)("the parser of %s", (name) => {
  const target = loadTarget(name);

  it("takes from a packet what the switch takes", () => {
    fc.assert(
      fc.property(
        shapes,
        fc.array(fc.array(byte, { minLength: 500, maxLength: 500 }), { minLength: 4, maxLength: 4 }),
        (list, packets) => {
          const program = built(list, target, "hardware");
          const result = fitProgram(onePipe(program, "pipe"), target);
          const [parser] = result.parde!.parsers;
          expect(result.parde!.uncounted).toEqual([]);
          const sent: string[] = [];
          const device = new Switch(built(list, target, "switch"), {
            clock: new ManualClock(),
            transmit: (_port, frame) => sent.push(Buffer.from(frame).toString("hex")),
          });
          for (const bytes of packets) {
            // Small selectors, so that branches are taken.
            const frame = Uint8Array.from(bytes, (one) => (one < 160 ? one % 4 : one < 200 ? 7 : one));
            sent.length = 0;
            device.receive(1, frame.slice());
            const whole = new Uint8Array(CHIP[name].before + frame.length);
            whole.set(frame, CHIP[name].before);
            const parsed = run(parser!.states, target.parde!.parser, whole);
            expect(deparsed(result, parsed, whole)).toBe(sent[0]);
          }
        },
      ),
      // Smaller cases of a failure take minutes: the seed finds this one again.
      { ...runs(25), endOnFailure: true },
    );
  });
});
