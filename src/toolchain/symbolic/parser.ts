/** The parser on one path: headers from a packet into a memory. */
import { defined } from "../../base/index.js";
import { type Bmv2Program, type bmv2, bmv2Bits } from "../program/index.js";
import type { Term } from "../solver/index.js";
import type { Chooser } from "./chooser.js";
import { Expressions } from "./expressions.js";
import type { Memory } from "./memory.js";
import { byteName, LENGTH, LENGTH_BITS, type Packet } from "./packet.js";
import { Unhandled, within } from "./unhandled.js";
import type { ValueSets } from "./value-sets.js";

/** Of core.p4, where the program has no numbers of its own. */
const ERRORS: Readonly<Record<string, number>> = {
  PacketTooShort: 1,
  StackOutOfBounds: 3,
  HeaderTooShort: 4,
  ParserTimeout: 5,
  ParserInvalidArgument: 6,
};

/** Most states on one path; more is a loop that no stack ends. */
const MAX_STATES = 256;

class Stop extends Error {
  constructor(readonly number: number) {
    super();
  }
}

export interface Parsed {
  /** Bytes of the packet that the parser has passed. */
  readonly bytes: number;
  /** Number of the error; 0 for none. */
  readonly error: Term;
}

export interface ParserScope {
  readonly program: Bmv2Program;
  readonly memory: Memory;
  readonly chooser: Chooser;
  readonly packet: Packet;
  /** Zeros behind the packet that can be read. */
  readonly checkBytes?: number;
  readonly primitive: (primitive: bmv2.Primitive) => void;
  readonly valueSets: ValueSets;
}

export class Parser {
  readonly #expressions: Expressions;
  #at = 0;
  /** A Tofino's parsers may have states of one name. */
  #name = "";
  /** Names the operation that is run. */
  #place = "";

  constructor(readonly scope: ParserScope) {
    const { memory, chooser } = scope;
    this.#expressions = new Expressions({ memory, chooser });
  }

  run(parser: bmv2.Bmv2Parser | undefined): Parsed {
    const { terms } = this.scope.memory;
    this.#name = parser?.name ?? "";
    const states = new Map(parser?.parse_states.map((state) => [state.name, state]));
    let name: string | null = parser?.init_state ?? null;
    try {
      for (let count = 0; name !== null; count++) {
        const state = states.get(name);
        if (state === undefined) break;
        if (count > MAX_STATES) throw new Unhandled(`more than ${MAX_STATES} states of the parser`);
        name = within(`state ${state.name}`, () => this.#state(state));
      }
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      return { bytes: this.#at >> 3, error: terms.constant(error.number, 32) };
    }
    return { bytes: this.#at >> 3, error: terms.constant(0, 32) };
  }

  #state(state: bmv2.ParseState): string | null {
    for (const [i, op] of state.parser_ops.entries()) {
      this.#place = `${this.#name} ${state.name} operation ${i}`;
      this.#run(op);
    }
    this.#place = `${this.#name} ${state.name} select`;
    return this.#next(state);
  }

  #stop(name: string): never {
    const own = this.scope.program.errors.find(([error]) => error === name)?.[1];
    throw new Stop(own ?? ERRORS[name] ?? 0);
  }

  /** The packet has so many bits from here on, or the parser stops. */
  #need(bits: number): void {
    const { terms } = this.scope.memory;
    const bytes = this.scope.packet.arrivedBytes((this.#at + bits + 7) >> 3);
    // What a deparser put in front is there.
    if (this.#at + bits <= this.scope.packet.front.width || bytes <= 0) return;
    const { chooser, checkBytes = 0 } = this.scope;
    const length = terms.variable(LENGTH, LENGTH_BITS);
    const number = (count: number) => terms.constant(Math.max(0, count), LENGTH_BITS);
    this.#check(terms.less(length, number(bytes - checkBytes)), "PacketTooShort");
    for (let at = Math.max(0, bytes - checkBytes); at < bytes && checkBytes > 0; at++)
      chooser.require(
        terms.or(
          terms.less(number(at), length),
          terms.equal(terms.variable(byteName(at), 8), terms.constant(0, 8)),
        ),
      );
  }

  /** Going on is something new at each place: what a longer packet has behind it is else found by chance alone. */
  #check(wrong: Term, error: string): void {
    const way = this.scope.chooser.choose([
      { label: `${this.#place} goes on`, condition: this.scope.memory.terms.not(wrong) },
      { label: `parser error ${error}`, condition: wrong },
    ]);
    if (way === 1) this.#stop(error);
  }

  #run(op: bmv2.ParserOp): void {
    const { numbers } = this.#expressions;
    switch (op.op) {
      case "extract":
      case "extract_VL": {
        const header = this.#target(op.parameters[0]);
        const length = op.op === "extract_VL" ? this.#length(header, op.parameters[1]) : 0;
        this.#extract(header, length);
        const [target] = op.parameters;
        if (target.type !== "regular") {
          const stack = target.type === "stack" ? target.value : target.value[0];
          this.scope.memory.setNext(stack, this.scope.memory.next(stack) + 1);
        }
        return;
      }
      case "set": {
        const [to, from] = op.parameters;
        if (from.type === "lookahead")
          this.#expressions.assign(to, { kind: "term", term: this.#lookahead(from.value), signed: false });
        else this.#expressions.assign(to, this.#expressions.number(from));
        return;
      }
      case "verify": {
        const [condition, code] = op.parameters;
        const holds = this.#expressions.condition(condition);
        const error = numbers.low(this.#expressions.number(code), 32);
        const way = this.scope.chooser.choose([
          { label: `${this.#place} holds`, condition: holds },
          { label: `${this.#place} does not hold`, condition: this.scope.memory.terms.not(holds) },
        ]);
        if (way === 0) return;
        if (error.op !== "const") throw new Unhandled("an error that varies");
        throw new Stop(Number(error.value));
      }
      case "advance": {
        const bits = numbers.exact(this.#expressions.number(op.parameters[0]), 32);
        if (bits.op !== "const") throw new Unhandled("advance by a number that varies");
        if (bits.value % 8n !== 0n) this.#stop("ParserInvalidArgument");
        if (bits.value > 65536n) this.#stop("PacketTooShort");
        this.#need(Number(bits.value));
        this.#at += Number(bits.value);
        return;
      }
      case "shift":
        throw new Unhandled("the parser operation shift");
      case "primitive": {
        const [{ op: name, parameters }] = op.parameters;
        if (name === "parser_place")
          this.#expressions.assign(defined(parameters[0]), { kind: "const", value: BigInt(this.#at >> 3) });
        else this.scope.primitive(op.parameters[0]);
      }
    }
  }

  #target(target: bmv2.ExtractTarget): string {
    if (target.type === "regular") return target.value;
    const { memory } = this.scope;
    const [name, member] = target.type === "stack" ? [target.value] : target.value;
    const { elements, members } = memory.shapes.stack(name);
    const element = elements[memory.next(name)];
    return element?.[member === undefined ? 0 : members.indexOf(member)] ?? this.#stop("StackOutOfBounds");
  }

  /** The length of a varbit in bits: one of those that it can have. */
  #length(header: string, value: bmv2.Value): number {
    const { terms } = this.scope.memory;
    const shape = this.scope.memory.shapes.header(header);
    const most = shape.fields.find(({ varbit }) => varbit)?.width ?? 0;
    const exact = this.#expressions.numbers.exact(this.#expressions.number(value), 32);
    const ways: { label: string; condition: Term; bits: number; error?: string }[] = [];
    for (let bits = 0; bits <= most; bits += 8)
      ways.push({
        label: `${header} with ${bits} bits`,
        condition: terms.equal(exact, terms.constant(bits, exact.width)),
        bits,
      });
    const odd = terms.nonZero(terms.slice(exact, 0, 3));
    ways.push({
      label: "parser error ParserInvalidArgument",
      condition: odd,
      bits: 0,
      error: "ParserInvalidArgument",
    });
    const tooLong = terms.less(terms.constant(most, exact.width), exact);
    ways.push({
      label: "parser error HeaderTooShort",
      condition: terms.and(tooLong, terms.not(odd)),
      bits: 0,
      error: "HeaderTooShort",
    });
    const way = defined(ways[this.scope.chooser.choose(ways)]);
    // A packet that is too short is the first error of the two.
    if (way.error === "HeaderTooShort") throw new Unhandled("a variable length that is too large");
    if (way.error !== undefined) this.#stop(way.error);
    return way.bits;
  }

  #extract(header: string, varbits: number): void {
    const { fields } = this.scope.memory.shapes.header(header);
    const widthOf = ({ varbit, width }: { varbit: boolean; width: number }) => (varbit ? varbits : width);
    this.#need(fields.reduce((sum, field) => sum + widthOf(field), 0));
    for (const field of fields) {
      this.scope.memory.set(header, field.name, this.scope.packet.bits(this.#at, widthOf(field)));
      this.#at += widthOf(field);
    }
    this.scope.memory.setValid(header);
  }

  #lookahead([offset, width]: [number, number]): Term {
    this.#need(offset + width);
    return this.scope.packet.bits(this.#at + offset, width);
  }

  #next(state: bmv2.ParseState): string | null {
    const { terms } = this.scope.memory;
    const keys = state.transition_key.map((key) =>
      key.type === "lookahead"
        ? this.#lookahead(key.value)
        : this.#expressions.numbers.exact(this.#expressions.number(key)),
    );
    const ways: { label: string; condition: Term; to: string | null; take?: () => void }[] = [];
    const { valueSets } = this.scope;
    const passed: string[] = [];
    let before = terms.true;
    // What is behind a value set is reached by keys that it does not have.
    const misses = (sets: readonly string[]) => () => {
      for (const set of sets) valueSets.miss(set, keys);
    };
    for (const [i, transition] of state.transitions.entries()) {
      const label = `${this.#name} ${state.name} ${i}`;
      const way = { label, to: transition.next_state };
      if (transition.type === "parse_vset") {
        const set = transition.value ?? "";
        const skip = misses([...passed]);
        for (const { condition, take } of valueSets.find(set, keys))
          ways.push({
            ...way,
            condition: terms.and(before, condition),
            take: () => {
              skip();
              take();
            },
          });
        before = terms.and(before, valueSets.isMissed(set, keys));
        passed.push(set);
        continue;
      }
      const matches = this.#matches(transition, keys);
      ways.push({ ...way, condition: terms.and(before, matches), take: misses([...passed]) });
      before = terms.and(before, terms.not(matches));
    }
    const none = `${this.#name} ${state.name} none`;
    ways.push({ label: none, condition: before, to: null, take: misses(passed) });
    const way = defined(ways[this.scope.chooser.choose(ways)]);
    way.take?.();
    return way.to;
  }

  #matches(transition: bmv2.Transition, keys: readonly Term[]): Term {
    const { terms } = this.scope.memory;
    if (transition.type === "default") return terms.true;
    // Each part fills whole bytes; a single value may have a sign.
    const bytes = keys.reduce((sum, { width }) => sum + ((width + 7) >> 3), 0);
    const width = keys.length === 1 ? defined(keys[0]).width : 8 * bytes;
    let value = bmv2Bits(transition.value ?? "0x0", width);
    let mask = transition.mask === null ? (1n << BigInt(8 * bytes)) - 1n : bmv2Bits(transition.mask, width);
    let all = terms.true;
    for (const key of [...keys].reverse()) {
      const size = 8 * ((key.width + 7) >> 3);
      const [part, care] = [BigInt.asUintN(size, value), BigInt.asUintN(size, mask)];
      value >>= BigInt(size);
      mask >>= BigInt(size);
      if ((part & care) >> BigInt(key.width) !== 0n) return terms.false;
      const masked = terms.and(key, terms.constant(care, key.width));
      all = terms.and(all, terms.equal(masked, terms.constant(part & care, key.width)));
    }
    return all;
  }
}
