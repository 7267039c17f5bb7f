/** The parser as a function: headers from packet bytes into the PHV (P4-16 spec 12, BMv2's rules in docs/switch.md). */
import { defined } from "../../../base/index.js";
import { type Bmv2Program, type bmv2, bmv2Bits, bmv2Number } from "../../program/index.js";
import { PrimitiveWriter, type Resources } from "./action.js";
import { chunk, load } from "./bits.js";
import { Emitter } from "./emitter.js";
import { ExpressionWriter, type HeaderPlace, memberIndex, phv, Unsupported } from "./expression.js";
import { expressionText } from "./expression-text.js";
import { writeGraph } from "./graph.js";
import { type Num, NumberWriter } from "./number.js";
import { StoreWriter } from "./store.js";
import type { TracePoints } from "./trace-points.js";

/** Maximum number of joins of the state graph that a packet passes; a program that loops without extracting stops here. */
const MAX_JUMPS = 65536;

const CORE_ERRORS = {
  PacketTooShort: 1,
  StackOutOfBounds: 3,
  HeaderTooShort: 4,
  ParserTimeout: 5,
  ParserInvalidArgument: 6,
};

interface ParserContext {
  readonly program: Bmv2Program;
  readonly resources: Resources;
  /** Value sets are `s.<place>` by name. */
  readonly valueSets: ReadonlyMap<string, string>;
  /** The states that read `s.front` in place of the frame, where they begin in it, and how many bytes it has (see front.ts). */
  readonly front?: { states: ReadonlyMap<string, number> | undefined; bytes: number };
}

export interface ParserCode {
  readonly text: string;
  /** It reads something of `s.front`. */
  readonly readsFront: boolean;
  /** It reads or passes something of the frame. */
  readonly readsFrame: boolean;
}

/** `function NAME(s)`: reads `s.frame[s.start..s.end)`, sets `s.start` to the end of the last header, and returns the number of the error. */
export function writeParser(parser: bmv2.Bmv2Parser, name: string, context: ParserContext): ParserCode {
  const out = new Emitter();
  const writer = new StateWriter(out, context);
  out.open(`function ${name}(s)`);
  out.line("const P = s.phv, D = s.frame, E = s.end;");
  if (context.front !== undefined) out.line("const F = s.front;");
  out.line("let O = s.start, error = 0, jumps = 0;");
  out.open("parse:");
  const states = new Map(parser.parse_states.map((state) => [state.name, state]));
  writeGraph(out, {
    start: parser.init_state,
    nodes: states,
    successors: (state) => state.transitions.map((transition) => transition.next_state),
    write: (state, go) => writer.state(state, go),
    end: "break parse;",
    beforeJump: writer.timeout(),
  });
  out.close();
  out.line("s.start = O;");
  out.line("return error;");
  out.close();
  return { text: out.toString(), readsFront: writer.readsFront, readsFrame: writer.readsFrame };
}

function choiceText(transition: bmv2.Transition | undefined): string {
  if (transition === undefined) return "none";
  if (transition.type === "default") return "default";
  const mask = transition.mask === null ? "" : ` &&& ${transition.mask}`;
  return `${transition.value}${mask}`;
}

class StateWriter {
  readonly #numbers: NumberWriter;
  readonly #expressions: ExpressionWriter;
  readonly #stores: StoreWriter;
  readonly #primitives: PrimitiveWriter;
  readonly #errors: Map<string, number>;
  readonly #trace: TracePoints | undefined;
  #state: bmv2.ParseState | undefined;
  /** The current operation, for the trace of an error. */
  #doing = "";
  /** Where the state reads in `s.front`; undefined: it reads the frame. */
  #front: number | undefined;
  readsFront = false;
  readsFrame = false;

  constructor(
    readonly out: Emitter,
    readonly context: ParserContext,
  ) {
    const { program, resources } = context;
    this.#trace = resources.trace;
    this.#numbers = new NumberWriter(out);
    this.#expressions = new ExpressionWriter({ layout: resources.layout, numbers: this.#numbers });
    this.#stores = new StoreWriter(out, this.#expressions);
    this.#primitives = new PrimitiveWriter(out, resources);
    this.#errors = new Map(program.errors);
  }

  error(name: keyof typeof CORE_ERRORS): number {
    return this.#errors.get(name) ?? CORE_ERRORS[name];
  }

  timeout(): string {
    this.#doing = "the states loop without end";
    return `if (++jumps > ${MAX_JUMPS}) { ${this.#stop(String(this.error("ParserTimeout")))} }`;
  }

  #fail(condition: string, name: keyof typeof CORE_ERRORS): void {
    this.out.line(`if (${condition}) { ${this.#stop(String(this.error(name)))} }`);
  }

  /** Statements that end the parser with an error. */
  #stop(error: string): string {
    const point = {
      kind: "stop",
      state: this.#state?.name ?? "",
      reason: this.#doing,
      of: this.#state,
    } as const;
    const traced = this.#trace === undefined ? "" : ` ${this.#trace.call("stop", point, "error", "E - O")};`;
    return `error = ${error};${traced} break parse;`;
  }

  state(state: bmv2.ParseState, go: (next: string | null) => void): void {
    this.#state = state;
    this.#front = this.context.front?.states?.get(state.name);
    for (const op of state.parser_ops) this.#op(op);
    this.#doing = "a lookahead of select";
    this.#transitions(state, go);
  }

  /** Bytes of the metadata in front of the packet that an operation passes. */
  #passFront(bytes: number): void {
    this.#front = defined(this.#front) + bytes;
    if (this.#front === this.context.front?.bytes) this.#front = undefined;
  }

  #op(op: bmv2.ParserOp): void {
    switch (op.op) {
      case "extract":
        this.#extract(op, this.#target(op.parameters[0]), undefined);
        this.#advanceStack(op.parameters[0]);
        return;
      case "extract_VL":
        this.#extract(op, this.#target(op.parameters[0]), this.#expressions.number(op.parameters[1]));
        this.#advanceStack(op.parameters[0]);
        return;
      case "set": {
        const [to, from] = op.parameters;
        this.#doing = "a lookahead";
        const shown = { op: "assign", parameters: [to, from as bmv2.Value] };
        const target = this.#trace === undefined ? "" : this.#destination(to);
        this.#stores.assign(
          to,
          from.type === "lookahead" ? this.#lookahead(from.value) : this.#expressions.number(from),
        );
        const point = {
          kind: "primitive",
          primitive: shown,
          op: "assign",
          resource: "",
          parserOp: op,
        } as const;
        this.#trace?.write(this.out, "did", point, target);
        return;
      }
      case "verify": {
        const [condition, code] = op.parameters;
        const holds = this.#expressions.condition(condition);
        const point = { kind: "branch", expression: condition, source: undefined, verify: op } as const;
        this.out.open(`if (!${this.#trace?.call("branch", point, holds) ?? holds})`);
        this.#doing = "verify";
        this.out.line(this.#stop(`${this.#numbers.low(this.#expressions.number(code), 32).words[0]}`));
        this.out.close();
        return;
      }
      case "advance": {
        const [by] = op.parameters;
        if (this.#front !== undefined && by.type === "hexstr") {
          this.#passFront(Number(bmv2Number(by.value)) / 8);
          this.#trace?.write(this.out, "advance", { kind: "advance", op }, String(bmv2Number(by.value)));
          return;
        }
        const distance = this.#expressions.number(by);
        this.readsFrame = true;
        this.#doing = "advance";
        const bits = this.out.hold(this.#numbers.small(distance, 2 ** 30 - 8));
        this.#fail(`${bits} & 7`, "ParserInvalidArgument");
        this.#fail(`E - O < ${bits} >> 3`, "PacketTooShort");
        this.out.line(`O += ${bits} >> 3;`);
        this.#trace?.write(this.out, "advance", { kind: "advance", op }, bits);
        return;
      }
      case "shift": {
        const bytes = this.out.hold(this.#numbers.small(this.#expressions.number(op.parameters[0]), 2 ** 27));
        this.readsFrame = true;
        this.#doing = "shift";
        this.#fail(`E - O < ${bytes}`, "PacketTooShort");
        this.out.line(`O += ${bytes};`);
        this.#trace?.write(this.out, "advance", { kind: "advance", op }, `8 * ${bytes}`);
        return;
      }
      case "primitive":
        this.readsFrame = true;
        this.#primitives.write(op.parameters[0]);
        return;
    }
  }

  /** The header to extract into; a full stack is an error. */
  #target(target: bmv2.ExtractTarget): HeaderPlace {
    if (target.type === "regular") return this.#expressions.header(target.value);
    const stack = this.#expressions.stack(target.type === "stack" ? target.value : target.value[0]);
    this.#doing = `extract ${stack.name}.next`;
    const member = target.type === "stack" ? 0 : memberIndex(stack, target.value[1]);
    this.#fail(`P[${stack.next}] >= ${stack.size}`, "StackOutOfBounds");
    return this.#expressions.element(stack, `P[${stack.next}]`, member);
  }

  #advanceStack(target: bmv2.ExtractTarget): void {
    if (target.type === "regular") return;
    const stack = this.#expressions.stack(target.type === "stack" ? target.value : target.value[0]);
    this.out.line(`P[${stack.next}]++;`);
  }

  #extract(op: bmv2.ParserOp, place: HeaderPlace, length: Num | undefined): void {
    const { out } = this;
    const { slot } = place;
    const fixed = slot.fixedBits >> 3;
    const at = this.#front;
    let more = "0";
    this.#doing = `extract ${slot.name}`;
    if (at === undefined) this.readsFrame = true;
    if (at !== undefined) this.#passFront(fixed);
    else if (length === undefined) {
      if (fixed > 0) this.#fail(`E - O < ${fixed}`, "PacketTooShort");
    } else {
      const bits = out.hold(this.#numbers.small(length, 2 ** 30 - 8));
      this.#fail(`${bits} & 7`, "ParserInvalidArgument");
      this.#fail(`E - O < ${fixed} + (${bits} >> 3)`, "PacketTooShort");
      this.#fail(`${bits} > ${slot.varbit?.width ?? 0}`, "HeaderTooShort");
      more = bits;
    }
    let bit = 0;
    let base = at === undefined ? "O" : String(at);
    for (const field of slot.fields) {
      if (field.varbit) {
        out.line(`loadVarbit(P, ${field.at} + ${place.shift}, ${field.words}, D, 8 * O + ${bit}, ${more});`);
        base = out.hold(`O + (${more} >> 3)`);
        continue;
      }
      if (this.context.resources.loads?.has(field) !== false) {
        if (at !== undefined) this.readsFront = true;
        load(at === undefined ? "D" : "F", base, bit, field.width).forEach((text, i) => {
          out.line(`${phv(field.at + i, place.shift)} = ${text};`);
        });
      }
      bit += field.width;
    }
    this.#stores.markValid(place);
    // No place in the frame: the deparser writes all of it.
    if (slot.place >= 0) out.line(`P[${slot.place}] = ${at === undefined ? "O" : -1};`);
    if (at === undefined) out.line(`O += ${fixed}${more === "0" ? "" : ` + (${more} >> 3)`};`);
    this.#trace?.write(out, "extract", { kind: "extract", header: slot, op }, place.shift);
  }

  #destination(to: bmv2.Value): string {
    const { field, shift } = this.#stores.destination(to);
    return this.out.hold(`${field.at} + ${shift}`);
  }

  #lookahead([offset, width]: [number, number]): Num {
    const at = this.#front;
    if (at === undefined) this.#fail(`E - O < ${(offset + width + 7) >> 3}`, "PacketTooShort");
    if (at === undefined) this.readsFrame = true;
    else this.readsFront = true;
    const [bytes, base] = at === undefined ? ["D", "O"] : ["F", String(at)];
    const words = load(bytes!, base!, offset, width).map((text) => this.out.hold(text));
    return { kind: "words", words, range: { width, signed: false } };
  }

  #transitions(state: bmv2.ParseState, go: (next: string | null) => void): void {
    const { out } = this;
    const parts = state.transition_key.map((key) => {
      const num = key.type === "lookahead" ? this.#lookahead(key.value) : this.#expressions.number(key);
      if (num.kind !== "words") throw new Unsupported("a select on something that is no field");
      return { words: num.words.map((text) => out.hold(text)), width: num.range.width };
    });
    const leave = (transition: bmv2.Transition | undefined) => {
      const { from, to, choice } = {
        from: state.name,
        to: transition?.next_state ?? null,
        choice: state.transition_key.length === 0 ? undefined : choiceText(transition),
      };
      const key = state.transition_key.map((value, i) => ({
        text: value.type === "lookahead" ? "lookahead" : expressionText(value),
        width: defined(parts[i]).width,
      }));
      const words = `[${parts.map((part) => `[${part.words.join(", ")}]`).join(", ")}]`;
      const point = { kind: "transition", from, to, key, choice, state, transition } as const;
      this.#trace?.write(out, "transition", point, words);
      if (transition !== undefined) go(transition.next_state);
    };
    for (const transition of state.transitions) {
      if (transition.type === "default") {
        leave(transition);
        return;
      }
      const condition =
        transition.type === "parse_vset"
          ? this.#inValueSet(transition, parts)
          : this.#matches(transition.value ?? "0x0", transition.mask, parts);
      if (condition === "") {
        leave(transition);
        return;
      }
      out.open(`if (${condition})`);
      leave(transition);
      out.close();
    }
    leave(undefined);
    out.line("break parse;");
  }

  #inValueSet(
    transition: bmv2.Transition,
    parts: readonly { words: readonly string[]; width: number }[],
  ): string {
    const place = defined(this.context.valueSets.get(transition.value!));
    const bits = parts.reduce((sum, part) => sum + part.width, 0);
    // The members are compared as one string of bits, in words from the front; the last word is padded at its end.
    for (let i = 0; 32 * i < bits; i++) this.out.line(`W[${i}] = ${chunk(parts, 32 * i, 32, false)};`);
    return `${place}.has(W)`;
  }

  #matches(
    value: string,
    mask: string | null,
    parts: readonly { words: readonly string[]; width: number }[],
  ): string {
    const bytes = parts.reduce((sum, part) => sum + ((part.width + 7) >> 3), 0);
    // The place of a sign among several keys is not known: p4c joins them as bytes, and writes none.
    const width = parts.length === 1 ? defined(parts[0]).width : 8 * bytes;
    let key = bmv2Bits(value, width);
    let care = mask === null ? (1n << BigInt(8 * bytes)) - 1n : bmv2Bits(mask, width);
    const conditions: string[] = [];
    for (const part of [...parts].reverse()) {
      const size = BigInt(8 * ((part.width + 7) >> 3));
      const partKey = BigInt.asUintN(Number(size), key);
      const partCare = BigInt.asUintN(Number(size), care);
      key >>= size;
      care >>= size;
      if ((partKey & partCare) >> BigInt(part.width) !== 0n) return "false";
      part.words.forEach((text, i) => {
        const count = Math.min(32, part.width - 32 * i);
        const keyWord = Number(BigInt.asIntN(32, partKey >> BigInt(32 * i)));
        const careWord = Number(BigInt.asIntN(32, partCare >> BigInt(32 * i)));
        const all = count === 32 ? -1 : 2 ** count - 1;
        if ((careWord & all) === 0) return;
        conditions.push(
          (careWord & all) === all
            ? `${text} === ${keyWord}`
            : `(${text} & ${careWord}) === ${keyWord & careWord}`,
        );
      });
    }
    return conditions.reverse().join(" && ");
  }
}
