/** One state of a parser: what its statements take from the packet, write, add up and count, and what its key looks at. */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { fieldsOf } from "./liveness.js";
import {
  type KeyPart,
  NotCounted,
  type PacketBits,
  type StateContent,
  type SumUse,
  type Taken,
  type Written,
  widthOf,
} from "./packet.js";

/** What is known when a packet enters a state. */
export interface Variables {
  /** Elements of each stack that are extracted. */
  readonly stacks: ReadonlyMap<string, number>;
  /** Variables with a constant, or with what is none (undefined); others are 0. */
  readonly values: ReadonlyMap<string, bigint | undefined>;
}

/** A value in a state: bits of the packet, a constant, what the counter says, or something that an earlier state has. */
type Source =
  | ({ readonly kind: "bits" } & PacketBits)
  | { readonly kind: "constant"; readonly value: bigint }
  | { readonly kind: "counter" }
  | { readonly kind: "before" };

/** Variables of the compiler for the counter of a parser, which is a stack of four on Tofino 2. */
const COUNTER = /^scalars\.counter[0-3](_\d+)*$/;

export interface ReadState {
  readonly content: StateContent;
  readonly after: Variables;
  /** By part of the program's key: its constant; undefined: a part of the key of the hardware. */
  readonly decided: readonly (bigint | undefined)[];
}

export function readState(program: bmv2.Bmv2Program, state: bmv2.ParseState, before: Variables): ReadState {
  return new StateReader(program, before).read(state);
}

class StateReader {
  readonly #stacks: Map<string, number>;
  readonly #values: Map<string, bigint | undefined>;
  readonly #here = new Map<string, Source>();
  readonly #headers: { header: string; at: number }[] = [];
  readonly #taken: Taken[] = [];
  readonly #written: Written[] = [];
  readonly #sums: SumUse[] = [];
  readonly #counts: ("load" | "change")[] = [];
  /** Bits that a variable has the sum of, until they are added to an engine. */
  readonly #added = new Map<string, { bits: PacketBits[]; source: bmv2.SourceInfo | undefined }>();
  #at = 0;

  constructor(
    readonly program: bmv2.Bmv2Program,
    before: Variables,
  ) {
    this.#stacks = new Map(before.stacks);
    this.#values = new Map(before.values);
  }

  read(state: bmv2.ParseState): ReadState {
    for (const op of state.parser_ops) this.#statement(op);
    const sources = state.transition_key.map((part) => this.#part(part));
    const key = sources.flatMap(({ source, slot }, i): KeyPart[] => {
      if (source.kind === "constant") return [];
      const width = widthOf(this.program, defined(state.transition_key[i]));
      const at = source.kind === "bits" ? source.at : undefined;
      return [{ slot, width, at, isCounter: source.kind === "counter" }];
    });
    return {
      content: {
        bits: this.#at,
        headers: this.#headers,
        taken: this.#taken,
        written: this.#written,
        sums: this.#sums,
        counts: this.#counts,
        key,
      },
      after: { stacks: this.#stacks, values: this.#values },
      decided: sources.map(({ source }) => (source.kind === "constant" ? source.value : undefined)),
    };
  }

  #part(part: bmv2.Value): { source: Source; slot: string } {
    if (part.type === "field") return { source: this.#sourceOf(part), slot: part.value.join(".") };
    if (part.type === "stack_field") {
      const [stack, field] = part.value;
      const slot = `${this.#element(stack, (this.#stacks.get(stack) ?? 0) - 1)}.${field}`;
      return { source: this.#here.get(slot) ?? { kind: "before" }, slot };
    }
    if (part.type === "lookahead")
      return { source: this.#sourceOf(part), slot: `lookahead ${part.value.join(" ")}` };
    throw new NotCounted(`a select looks at ${part.type}`, undefined);
  }

  #statement(op: bmv2.ParserOp): void {
    switch (op.op) {
      case "extract":
        this.#extract(op.parameters[0]);
        return;
      case "advance":
      case "shift": {
        const source = this.#sourceOf(op.parameters[0]);
        if (source.kind !== "constant")
          throw new NotCounted("it advances over a number of bits that the packet states", undefined);
        this.#at += Number(source.value) * (op.op === "shift" ? 8 : 1);
        return;
      }
      case "set":
        this.#set(op.parameters[0], op.parameters[1]);
        return;
      case "primitive":
        this.#primitive(op.parameters[0]);
        return;
      case "extract_VL":
        throw new NotCounted(
          "it extracts a varbit, for which the compiler makes a state a length",
          undefined,
        );
      case "verify":
        return;
    }
  }

  #element(stack: string, index: number): string {
    const found = this.program.header_stacks.find(({ name }) => name === stack);
    const id = found?.header_ids[index];
    return this.program.headers.find((header) => header.id === id)?.name ?? `${stack}[${index}]`;
  }

  #extract(target: bmv2.ExtractTarget): void {
    if (target.type === "union_stack") throw new NotCounted("it extracts to a union", undefined);
    let header = target.value;
    if (target.type === "stack") {
      const at = this.#stacks.get(target.value) ?? 0;
      this.#stacks.set(target.value, at + 1);
      header = this.#element(target.value, at);
    }
    const type = this.program.headers.find(({ name }) => name === header)?.header_type;
    const fields = defined(this.program.header_types.find(({ name }) => name === type)).fields;
    this.#headers.push({ header, at: this.#at });
    this.#written.push({ field: `${header}.$valid$`, value: 1n });
    for (const [name, width] of fields) {
      if (width === "*")
        throw new NotCounted(
          "it extracts a varbit, for which the compiler makes a state a length",
          undefined,
        );
      if (name === "$valid$") continue;
      const bits = { at: this.#at, width };
      this.#here.set(`${header}.${name}`, { kind: "bits", ...bits });
      this.#taken.push({ field: `${header}.${name}`, lo: 0, ...bits });
      this.#at += width;
    }
  }

  #set(target: bmv2.Value, value: bmv2.Value): void {
    if (target.type !== "field") return;
    const name = target.value.join(".");
    if (COUNTER.test(name)) {
      this.#count(name, value);
      return;
    }
    if (this.#isSum(name, value)) return;
    const source = this.#sourceOf(value);
    this.#here.set(name, source);
    this.#values.set(name, source.kind === "constant" ? source.value : undefined);
    if (source.kind === "bits") {
      const width = Math.min(source.width, widthOf(this.program, target));
      this.#taken.push({ field: name, lo: 0, width, at: source.at + source.width - width });
    } else if (source.kind === "constant" && source.value !== 0n)
      this.#written.push({ field: name, value: source.value });
  }

  /** Only the top of a stack of counters is one statement of the hardware. */
  #count(name: string, value: bmv2.Value): void {
    this.#here.set(name, { kind: "counter" });
    this.#values.set(name, undefined);
    if (!/^scalars\.counter0/.test(name)) return;
    this.#counts.push(fieldsOf(value).includes(name) ? "change" : "load");
  }

  /** A statement of a checksum engine: its variable plus the sum of a list, with the carry; or a value that the engine gives. */
  #isSum(name: string, value: bmv2.Value): boolean {
    const named = fieldsOf(value);
    const sum = named.find((one) => this.#added.has(one));
    if (sum !== undefined) {
      const engine = named.find((one) => one !== sum);
      const { bits, source } = defined(this.#added.get(sum));
      this.#added.delete(sum);
      if (engine !== undefined) this.#sums.push({ engine, bits, gives: false, source });
      return true;
    }
    const engine = named.find((one) => ENGINE.test(one));
    if (engine === undefined) return ENGINE.test(name);
    this.#sums.push({ engine, bits: [], gives: true, source: undefined });
    this.#here.set(name, { kind: "before" });
    this.#values.set(name, undefined);
    return true;
  }

  #primitive({ op, parameters, source_info: source }: bmv2.Primitive): void {
    if (op === "add_header" && parameters[0]?.type === "header")
      this.#written.push({ field: `${parameters[0].value}.$valid$`, value: 1n });
    // What the engine has is given when the parser ends.
    const last = this.#sums.at(-1);
    if (op === "parser_place" && last !== undefined)
      this.#sums.push({ engine: last.engine, bits: [], gives: true, source });
    if (op !== "modify_field_with_hash_based_offset") return;
    const [result] = parameters;
    const called = parameters.find((one) => one.type === "calculation")?.value;
    const calculation = this.program.calculations.find(({ name }) => name === called);
    if (result?.type !== "field") return;
    const bits = (calculation?.input ?? []).flatMap((one): PacketBits[] => {
      if (one.type === "payload") return [];
      const from = this.#sourceOf(one as bmv2.Value);
      return from.kind === "bits" ? [{ at: from.at, width: from.width }] : [];
    });
    this.#added.set(result.value.join("."), { bits, source });
  }

  #sourceOf(value: bmv2.Value): Source {
    switch (value.type) {
      case "hexstr":
        return { kind: "constant", value: BigInt(value.value) };
      case "bool":
        return { kind: "constant", value: value.value ? 1n : 0n };
      case "lookahead":
        return { kind: "bits", at: this.#at + value.value[0], width: value.value[1] };
      case "field":
        return this.#valueOf(value.value.join("."));
      case "expression":
        return "op" in value.value ? this.#computed(value.value) : this.#sourceOf(value.value);
      default:
        return { kind: "before" };
    }
  }

  #valueOf(name: string): Source {
    const here = this.#here.get(name);
    if (here !== undefined) return here;
    if (COUNTER.test(name)) return { kind: "counter" };
    if (!name.startsWith("scalars.")) return { kind: "before" };
    // The parser begins with zeros in all variables.
    const known = this.#values.has(name) ? this.#values.get(name) : 0n;
    return known === undefined ? { kind: "before" } : { kind: "constant", value: known };
  }

  /** Slices and casts of packet bits are bits; other values of a computation are those of the counter, or of no form. */
  #computed({ op, left, right }: bmv2.Expression): Source {
    const a = left === null ? undefined : this.#sourceOf(left);
    const b = typeof right === "number" ? undefined : this.#sourceOf(right);
    if (a?.kind === "counter" || b?.kind === "counter") return { kind: "counter" };
    if (left === null && (op === "b2d" || op === "d2b") && b !== undefined) return b;
    if (a?.kind === "bits" && b?.kind === "constant") {
      if (op === "&" && isOnes(b.value)) {
        const width = Math.min(a.width, b.value.toString(2).length);
        return { kind: "bits", at: a.at + a.width - width, width };
      }
      if (op === ">>" && b.value < BigInt(a.width))
        return { kind: "bits", at: a.at, width: a.width - Number(b.value) };
    }
    return { kind: "before" };
  }
}

/** The variable in which a checksum engine of a parser adds up. */
const ENGINE = /^scalars\.checksum(_\d+)*$/;

const isOnes = (value: bigint): boolean => value > 0n && (value & (value + 1n)) === 0n;
