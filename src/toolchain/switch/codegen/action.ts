/** Actions as functions `NAME(s, P, A, o)`: packet state, PHV, and the action's parameters from word o of A. */
import { defined } from "../../../base/index.js";
import { type bmv2, bmv2Number } from "../../program/index.js";
import { Emitter } from "./emitter.js";
import { ExpressionWriter, type HeaderPlace, Unsupported } from "./expression.js";
import { type HeaderSlot, type Layout, type StackSlot, wordsOf } from "./layout.js";
import type { Loads } from "./loads.js";
import { constant, type Num, NumberWriter, rangeOf, word } from "./number.js";
import { StoreWriter } from "./store.js";
import type { TracePoints } from "./trace-points.js";

/** Resources of the program by name: their places in the generated state object. */
export interface Resources {
  readonly layout: Layout;
  readonly counters: ReadonlyMap<string, string>;
  readonly meters: ReadonlyMap<string, string>;
  readonly registers: ReadonlyMap<string, { place: string; width: number }>;
  readonly calculations: ReadonlyMap<string, CalculationPlace>;
  /** What parsers load; undefined: all. */
  readonly loads?: Loads;
  /** A header that becomes valid keeps what its fields hold. */
  readonly keepsFields: boolean;
  /** The trace points of the traced variant; undefined in the variant that does not trace. */
  readonly trace?: TracePoints;
}

export interface CalculationPlace {
  /** Function that gives the low 32 bits of the hash. */
  readonly low: string;
  /** Text that gives the high 32 bits after a call of `low`, if the hash has more than 32. */
  readonly high: string | undefined;
}

/** Where an action's parameters lie: the first word of each. */
export function parameterOffsets(action: bmv2.Bmv2Action): number[] {
  let at = 0;
  return action.runtime_data.map(({ bitwidth }) => {
    const offset = at;
    at += wordsOf(bitwidth);
    return offset;
  });
}

export function parameterWords(action: bmv2.Bmv2Action): number {
  return action.runtime_data.reduce((sum, { bitwidth }) => sum + wordsOf(bitwidth), 0);
}

/** Maximum number of backward jumps in an action; a program with more would never end. */
const MAX_JUMPS = 1 << 20;

export function writeAction(name: string, action: bmv2.Bmv2Action, resources: Resources): string {
  const out = new Emitter();
  out.open(`function ${name}(s, P, A, o)`);
  new PrimitiveWriter(out, resources, action).body(action.primitives);
  out.close();
  return out.toString();
}

/** Whether running the primitives may end the control they are called from. */
export function mayExit(primitives: readonly bmv2.Primitive[]): boolean {
  return primitives.some(({ op }) => op === "exit" || op === "assert" || op === "assume" || op === "_jump");
}

export class PrimitiveWriter {
  readonly #numbers: NumberWriter;
  readonly #expressions: ExpressionWriter;
  readonly #stores: StoreWriter;
  /** Expressions for the tracer about the current primitive: an index, a hash. */
  #traced: string[] = [];

  constructor(
    readonly out: Emitter,
    readonly resources: Resources,
    action?: bmv2.Bmv2Action,
  ) {
    this.#numbers = new NumberWriter(out);
    const offsets = action === undefined ? [] : parameterOffsets(action);
    this.#expressions = new ExpressionWriter({
      layout: resources.layout,
      numbers: this.#numbers,
      parameter: (index) => {
        const width = action?.runtime_data[index]?.bitwidth;
        if (width === undefined) throw new Unsupported(`the action has no parameter number ${index}`);
        const words = Array.from(
          { length: wordsOf(width) },
          (_, i) => `A[o + ${defined(offsets[index]) + i}]`,
        );
        return { kind: "words", words, range: { width, signed: false } };
      },
      register: (array, index) => this.#registerElement(array, index),
    });
    this.#stores = new StoreWriter(out, this.#expressions);
  }

  /** Writes primitives in order; with jumps, as a switch over the targets of the jumps. */
  body(primitives: readonly bmv2.Primitive[]): void {
    const targets = new Set<number>();
    for (const { op, parameters } of primitives) {
      if (op === "_jump") targets.add(this.#jumpTarget(parameters[0]));
      if (op === "_jump_if_zero") targets.add(this.#jumpTarget(parameters[1]));
    }
    if (targets.size === 0) {
      for (const primitive of primitives) this.write(primitive);
      return;
    }
    this.out.line("let next = 0, jumps = 0;");
    this.out.open("again: for (;;) switch (next)");
    this.out.open("case 0:");
    primitives.forEach((primitive, i) => {
      if (i > 0 && targets.has(i)) {
        this.out.close();
        this.out.open(`case ${i}:`);
      }
      const { op, parameters } = primitive;
      if (op === "_jump") this.#jump(i, this.#jumpTarget(parameters[0]));
      else if (op === "_jump_if_zero") {
        this.out.open(
          `if (!(${this.#branch(this.#numbers.nonZero(this.#number(parameters[0])), primitive)}))`,
        );
        this.#jump(i, this.#jumpTarget(parameters[1]));
        this.out.close();
      } else this.write(primitive);
    });
    this.out.line("return;");
    this.out.close();
    this.out.line("default: return;");
    this.out.close();
  }

  #branch(condition: string, { parameters, source_info }: bmv2.Primitive): string {
    const { trace } = this.resources;
    if (trace === undefined) return condition;
    return trace.call(
      "branch",
      { kind: "branch", expression: defined(parameters[0]), source: source_info },
      condition,
    );
  }

  #jumpTarget(value: bmv2.Value | undefined): number {
    if (value?.type !== "hexstr") throw new Unsupported("a jump to a place that varies");
    return Number.parseInt(value.value, 16);
  }

  #jump(from: number, to: number): void {
    if (to <= from)
      this.out.line(
        `if (++jumps > ${MAX_JUMPS}) { s.abort("endless_loop", "endless loop in an action"); return; }`,
      );
    this.out.line(`next = ${to}; continue again;`);
  }

  #number(value: bmv2.Value | undefined): Num {
    return this.#expressions.number(given(value));
  }

  #header(value: bmv2.Value | undefined): HeaderPlace {
    return this.#expressions.headerOf(given(value));
  }

  #stack(value: bmv2.Value | undefined): StackSlot {
    if (value?.type !== "header_stack" && value?.type !== "header_union_stack")
      throw new Unsupported("a stack operation on something else");
    return this.#expressions.stack(value.value);
  }

  /** The name in the state of a counter, meter, register or calculation. */
  #resource<T>(map: ReadonlyMap<string, T>, value: bmv2.Value | undefined): T {
    const { type, value: name } = given(value);
    const found = map.get(name as string);
    if (found === undefined)
      throw new Unsupported(`a value of type ${type} as a counter, meter, register or calculation`);
    return found;
  }

  #index(value: bmv2.Value | undefined): string {
    return this.out.hold(`${this.#numbers.low(this.#number(value), 32).words[0]} >>> 0`);
  }

  #registerElement(array: string, index: Num): Num {
    const register = defined(this.resources.registers.get(array));
    const count = wordsOf(register.width);
    const at = this.out.hold(`${this.#numbers.low(index, 32).words[0]} >>> 0`);
    const words = Array.from({ length: count }, (_, i) => this.#held(register.place, at, count, i));
    return { kind: "words", words, range: { width: register.width, signed: false } };
  }

  /** Word `i` of a register's element, 0 beyond its end. */
  #held(place: string, at: string, count: number, i: number): string {
    return this.out.hold(`${at} < ${place}.size ? ${place}.data[${at} * ${count} + ${i}] : 0`);
  }

  write(primitive: bmv2.Primitive): void {
    const { trace } = this.resources;
    if (trace === undefined) {
      this.#write(primitive);
      return;
    }
    const target = this.#target(primitive);
    this.#traced = [];
    this.#write(primitive);
    const { op, parameters } = primitive;
    const named = parameters[op === "register_read" ? 1 : op === CALCULATE ? 2 : 0];
    const resource = typeof named?.value === "string" ? named.value : "";
    trace.write(this.out, "did", { kind: "primitive", primitive, op, resource }, target, ...this.#traced);
  }

  /** The first word of the field that a primitive always writes; "-1" where that is not one field. */
  #target({ op, parameters }: bmv2.Primitive): string {
    const value = op === "execute_meter" ? parameters[2] : parameters[0];
    if (value === undefined || !(WRITES_FIELD.has(op) || op in THREE_OPERANDS)) return "-1";
    const { field, shift } = this.#stores.destination(value);
    return this.out.hold(`${field.at} + ${shift}`);
  }

  /** The element of a resource that a primitive uses. */
  #element(value: bmv2.Value | undefined): string {
    const index = this.#index(value);
    this.#traced = [index];
    return index;
  }

  #write(primitive: bmv2.Primitive): void {
    const written =
      this.#writeCopy(primitive) ||
      this.#writeHeader(primitive) ||
      this.#writeResource(primitive) ||
      this.#writePacketOperation(primitive) ||
      this.#writeCheck(primitive) ||
      this.#writeArithmetic(primitive);
    if (!written) throw new Unsupported(`the primitive ${primitive.op}`);
  }

  /** Values, headers, unions and stacks as wholes. False: the primitive is of another kind. */
  #writeCopy({ op, parameters }: bmv2.Primitive): boolean {
    const [first, second] = parameters;
    const { out } = this;
    switch (op) {
      case "assign":
      case "modify_field":
        this.#stores.assign(given(first), this.#number(second));
        return true;
      case "assign_VL": {
        const to = this.#stores.destination(given(first));
        const from = this.#stores.destination(given(second));
        const words = Math.min(to.field.words, from.field.words);
        out.line(
          `P.copyWithin(${to.field.at} + ${to.shift}, ${from.field.at} + ${from.shift}, ${from.field.at + words} + ${from.shift});`,
        );
        return true;
      }
      case "assign_header":
      case "copy_header":
        this.#stores.copyHeader(this.#header(first), this.#header(second));
        return true;
      case "assign_union": {
        const to = this.resources.layout.unions.get(String(first?.value));
        const from = this.resources.layout.unions.get(String(second?.value));
        if (to === undefined || from === undefined) throw new Unsupported("assign_union of something else");
        to.members.forEach((member, i) => {
          this.#stores.copyHeader(this.#place(member.name), this.#place(defined(from.members[i]).name));
        });
        return true;
      }
      case "assign_header_stack":
      case "assign_union_stack": {
        const to = this.#stack(first);
        const from = this.#stack(second);
        const validOf = (stack: StackSlot) => defined(defined(stack.elements[0])[0]).valid;
        const atOf = (stack: StackSlot) => defined(defined(stack.elements[0])[0]).at;
        out.line(
          `P.copyWithin(${validOf(to)}, ${validOf(from)}, ${validOf(from) + from.size * from.validStride});`,
        );
        out.line(`P.copyWithin(${atOf(to)}, ${atOf(from)}, ${atOf(from) + from.size * from.stride});`);
        out.line(`P[${to.next}] = P[${from.next}];`);
        return true;
      }
      case "push":
      case "pop": {
        const stack = this.#stack(first);
        const element = defined(defined(stack.elements[0])[0]);
        const count = this.#numbers.small(this.#number(second), stack.size);
        out.line(
          `shiftStack(P, ${element.valid}, ${stack.validStride}, ${element.at}, ${stack.stride}, ${stack.size}, ${stack.next}, ${op === "push" ? "" : "-"}(${count}));`,
        );
        return true;
      }
      default:
        return false;
    }
  }

  /** Headers that become valid or invalid, and the mark to drop. False: the primitive is of another kind. */
  #writeHeader({ op, parameters }: bmv2.Primitive): boolean {
    const [first] = parameters;
    switch (op) {
      case "add_header":
        if (this.resources.keepsFields) this.#stores.addHeaderFast(this.#header(first));
        else this.#stores.addHeader(this.#header(first));
        return true;
      case "add_header_fast":
        this.#stores.addHeaderFast(this.#header(first));
        return true;
      case "remove_header":
        this.#stores.removeHeader(this.#header(first));
        return true;
      case "mark_to_drop":
        this.#markToDrop(this.#header(first).slot);
        return true;
      case "drop":
        this.#markToDrop(this.#header({ type: "header", value: "standard_metadata" }).slot);
        return true;
      default:
        return false;
    }
  }

  /** Counters, meters, registers and hashes. False: the primitive is of another kind. */
  #writeResource({ op, parameters }: bmv2.Primitive): boolean {
    const [first, second, third, fourth] = parameters;
    const { out } = this;
    switch (op) {
      case "count": {
        const counter = this.#resource(this.resources.counters, first);
        const index = this.#element(second);
        out.line(
          `if (${index} < ${counter}.size) { ${counter}.counts[2 * ${index}]++; ${counter}.counts[2 * ${index} + 1] += s.ingressLength; }`,
        );
        return true;
      }
      case "execute_meter": {
        const meter = this.#resource(this.resources.meters, first);
        const index = this.#element(second);
        out.open(`if (${index} < ${meter}.size)`);
        this.#stores.assign(
          given(third),
          word(`${meter}.execute(${index}, s.ingressLength, s.own.time())`, 2),
        );
        out.close();
        return true;
      }
      case "register_read": {
        const register = this.#resource(this.resources.registers, second);
        const index = this.#element(third);
        out.open(`if (${index} < ${register.place}.size)`);
        const words = Array.from(
          { length: wordsOf(register.width) },
          (_, i) => `${register.place}.data[${index} * ${wordsOf(register.width)} + ${i}]`,
        );
        this.#stores.assign(given(first), {
          kind: "words",
          words,
          range: { width: register.width, signed: false },
        });
        out.close();
        return true;
      }
      case "register_write": {
        const register = this.#resource(this.resources.registers, first);
        const index = this.#element(second);
        const words = this.#numbers.cut(this.#number(third), register.width);
        if (this.resources.trace !== undefined)
          this.#traced.push(...words.map((_, i) => this.#held(register.place, index, words.length, i)));
        out.open(`if (${index} < ${register.place}.size)`);
        words.forEach((w, i) => {
          out.line(`${register.place}.data[${index} * ${words.length} + ${i}] = ${w};`);
        });
        out.close();
        return true;
      }
      case "register_fill": {
        const register = this.#resource(this.resources.registers, first);
        const words = this.#numbers.cut(this.#number(second), register.width);
        out.line(`${register.place}.fill(bigOf([${words.join(", ")}], false));`);
        return true;
      }
      case "low_pass":
      case "early_drop": {
        const [spec, state] = [second, third].map(
          (one) => this.#resource(this.resources.registers, one).place,
        );
        const value = out.hold(this.#numbers.low(this.#number(fourth), 32).words[0]!);
        const index = this.#element(parameters[4]);
        const args = `${spec}.data, ${state}.data, ${index} * 4, ${value}, s.own.time()`;
        const call =
          op === "low_pass"
            ? `lowPass(${args})`
            : `earlyDrop(${args}, () => (s.own.random.uint32() >>> 0) / 4294967296)`;
        out.open(`if (${index} < ${spec}.size)`);
        this.#stores.assign(given(first), word(out.hold(`${call} | 0`)));
        out.close();
        return true;
      }
      case CALCULATE:
        this.#hash(first, second, this.#resource(this.resources.calculations, third), fourth);
        return true;
      default:
        return false;
    }
  }

  /** What happens to the packet after this pipeline. False: the primitive is of another kind. */
  #writePacketOperation({ op, parameters }: bmv2.Primitive): boolean {
    const [first, second] = parameters;
    const { out } = this;
    switch (op) {
      case "clone_ingress_pkt_to_egress":
      case "clone_egress_pkt_to_egress":
        out.line(`s.clone = ${this.#numbers.low(this.#number(first), 16).words[0]} & 32767 | 32768;`);
        out.line(`s.cloneList = ${this.#numbers.low(this.#number(second), 16).words[0]} & 65535;`);
        return true;
      case "resubmit":
        out.line(`s.resubmit = ${this.#numbers.low(this.#number(first), 16).words[0]} & 65535;`);
        return true;
      case "recirculate":
        out.line(`s.recirculate = ${this.#numbers.low(this.#number(first), 16).words[0]} & 65535;`);
        return true;
      case "generate_digest":
        out.line(`s.digest = ${this.#numbers.low(this.#number(second), 16).words[0]} & 65535;`);
        return true;
      case "mirror": {
        const length =
          second === undefined ? "0" : `${this.#resource(this.resources.calculations, second).low}(s)`;
        out.line(`s.mirrorTo(${this.#numbers.low(this.#number(first), 16).words[0]} & 65535, ${length});`);
        return true;
      }
      case "resubmit_data": {
        const length =
          first === undefined ? "0" : `${this.#resource(this.resources.calculations, first).low}(s)`;
        out.line(`s.resubmitWith(${length});`);
        return true;
      }
      case "truncate":
        out.line(`s.truncateTo(${this.#numbers.low(this.#number(first), 32).words[0]} >>> 0);`);
        return true;
      case "exit":
        out.line("s.exit = 1;");
        return true;
      default:
        return false;
    }
  }

  /** Assertions and log messages. False: the primitive is of another kind. */
  #writeCheck({ op, parameters }: bmv2.Primitive): boolean {
    const [first, second] = parameters;
    const { out } = this;
    switch (op) {
      case "assert":
      case "assume":
        if (this.resources.trace === undefined)
          out.line(`if (!(${this.#condition(first)})) s.abort("assertion", "${op} failed");`);
        else {
          const holds = out.hold(`${this.#condition(first)} ? 1 : 0`);
          this.#traced = [holds];
          out.line(`if (${holds} === 0) s.abort("assertion", "${op} failed");`);
        }
        return true;
      case "log_msg": {
        const format = JSON.stringify(String(first?.value));
        const values = second?.type === "parameters_vector" ? second.value : [];
        out.open(this.resources.trace?.messagesForLogOnly === false ? "" : "if (s.own.onLog !== undefined)");
        const texts = values.map((value) => {
          const num = this.#number(value);
          const { signed } = rangeOf(num);
          return `bigOf([${this.#numbers.exact(num).join(", ")}], ${signed})`;
        });
        out.line(
          `${this.resources.trace?.message(format, `[${texts.join(", ")}]`) ?? `s.log(${format}, [${texts.join(", ")}])`};`,
        );
        out.close();
        return true;
      }
      default:
        return false;
    }
  }

  /** A number of one or two numbers, or a random one. False: the primitive is of another kind. */
  #writeArithmetic({ op, parameters }: bmv2.Primitive): boolean {
    const [first, second, third] = parameters;
    const { out } = this;
    switch (op) {
      case "modify_field_rng_uniform": {
        const low = this.#numbers.cut(this.#number(second), 64).map((w) => out.hold(w));
        const high = this.#numbers.cut(this.#number(third), 64).map((w) => out.hold(w));
        const draw = this.resources.trace?.draw ?? "s.randomBetween";
        out.open(`if (${draw}(W, ${[...low, ...high].join(", ")}))`);
        this.#stores.assign(given(first), {
          kind: "words",
          words: ["W[0]", "W[1]"],
          range: { width: 64, signed: false },
        });
        out.close();
        return true;
      }
      case "no_op":
        return true;
      case "parser_place":
        // In a parser, `O` is where it reads next.
        this.#stores.assign(given(first), word("O"));
        return true;
      case "parsed_checksum": {
        const from = this.#numbers.low(this.#number(second), 32).words[0];
        this.#stores.assign(given(first), word(`csum16(s.frame.subarray(${from}, s.start))`, 16));
        return true;
      }
      case "shorten_packet":
        out.line(`s.ingressLength -= ${this.#numbers.low(this.#number(first), 32).words[0]};`);
        return true;
      case "math_unit": {
        const numbers = third?.type === "parameters_vector" ? third.value : [];
        const list = numbers.map((one) => (one.type === "hexstr" ? Number(bmv2Number(one.value)) : 0));
        const [halfPowers, scale, ...table] = list;
        const operand = this.#numbers.low(this.#number(second), 32).words[0];
        this.#stores.assign(
          given(first),
          word(out.hold(`mathUnit(${operand}, ${halfPowers}, ${scale}, [${table.join(", ")}])`)),
        );
        return true;
      }
      case "add_to_field":
      case "subtract_from_field": {
        const operation = op === "add_to_field" ? "+" : "-";
        this.#stores.assign(given(first), {
          kind: "binary",
          op: operation,
          a: this.#number(first),
          b: this.#number(second),
        });
        return true;
      }
      default: {
        const binary = THREE_OPERANDS[op];
        if (binary === undefined) return false;
        const [a, b] = [this.#number(second), this.#number(third)];
        this.#stores.assign(
          first!,
          binary === "<<" || binary === ">>"
            ? { kind: binary === "<<" ? "shl" : "shr", a, by: b }
            : { kind: "binary", op: binary, a, b },
        );
        return true;
      }
    }
  }

  /** Uses the given header, which may be a copy of the standard metadata. */
  #markToDrop(header: HeaderSlot): void {
    const spec = header.byName.get("egress_spec");
    if (spec === undefined) throw new Unsupported(`mark_to_drop of ${header.name}, which has no egress_spec`);
    const { fields } = this.resources.layout.changes;
    fields.add(spec.at);
    this.out.line(`P[${spec.at}] = s.own.dropPort;`);
    const group = header.byName.get("mcast_grp");
    if (group === undefined) return;
    fields.add(group.at);
    this.out.line(`P[${group.at}] = 0;`);
  }

  #condition(value: bmv2.Value | undefined): string {
    return this.#expressions.condition(given(value));
  }

  #place(header: string): HeaderPlace {
    return this.#expressions.header(header);
  }

  /** dst = base + hash mod max, all of 64 bits; max 0 counts as 1. */
  #hash(
    to: bmv2.Value | undefined,
    base: bmv2.Value | undefined,
    calculation: CalculationPlace,
    max: bmv2.Value | undefined,
  ): void {
    const { out } = this;
    const low = out.hold(`${calculation.low}(s)`);
    const high = calculation.high === undefined ? undefined : out.hold(calculation.high);
    this.#traced = [low, high ?? "0"];
    const [maxLow, maxHigh] = this.#numbers
      .cut({ kind: "binary", op: "&", a: this.#number(max), b: constant(2n ** 64n - 1n) }, 64)
      .map((w) => out.hold(w));
    const { trace } = this.resources;
    const reduced = (text: string): string =>
      trace === undefined ? text : trace.reduced(text, defined(maxLow), defined(maxHigh));
    let rest: Num;
    if (high !== undefined) {
      out.line(`modulo64(W, ${low}, ${high}, ${maxLow}, ${maxHigh});`);
      const words = [out.hold(reduced("W[0]")), out.hold("W[1]")];
      rest = { kind: "words", words, range: { width: 64, signed: false } };
    } else {
      const small = `(${maxLow} === 0 ? 0 : (${low} >>> 0) % (${maxLow} >>> 0) | 0)`;
      const left = maxHigh === "0" ? small : `${maxHigh} !== 0 ? ${low} : ${small}`;
      rest = word(out.hold(reduced(left)));
    }
    const from: Num = { kind: "binary", op: "&", a: this.#number(base), b: constant(2n ** 64n - 1n) };
    const sum: Num = { kind: "binary", op: "+", a: rest, b: from };
    this.#stores.assign(given(to), { kind: "binary", op: "&", a: sum, b: constant(2n ** 64n - 1n) });
  }
}

/** A parameter of a primitive; the reader of the JSON does not check their number. */
function given(value: bmv2.Value | undefined): bmv2.Value {
  if (value === undefined) throw new Unsupported("a primitive with too few parameters");
  return value;
}

/** The `hash` of v1model. */
const CALCULATE = "modify_field_with_hash_based_offset";

/** Primitives with one field as result, other than those with three operands. */
const WRITES_FIELD: ReadonlySet<string> = new Set([
  "assign",
  "modify_field",
  "assign_VL",
  "execute_meter",
  "register_read",
  "low_pass",
  "early_drop",
  CALCULATE,
  "modify_field_rng_uniform",
  "add_to_field",
  "subtract_from_field",
]);

const THREE_OPERANDS: Readonly<Record<string, "+" | "-" | "^" | "|" | "&" | "<<" | ">>">> = {
  add: "+",
  subtract: "-",
  bit_xor: "^",
  bit_or: "|",
  bit_and: "&",
  shift_left: "<<",
  shift_right: ">>",
};

/** scratch[0..2) = (the 64-bit number low, high) modulo (maxLow, maxHigh); a divisor of 0 counts as 1. */
export function modulo64(
  scratch: Int32Array,
  low: number,
  high: number,
  maxLow: number,
  maxHigh: number,
): void {
  if (maxHigh === 0) {
    // A divisor of 0 counts as 1. In steps of 16 bits, so that no number exceeds 2^48.
    const max = maxLow >>> 0 || 1;
    let rest = (high >>> 0) % max;
    rest = (rest * 65536 + (low >>> 16)) % max;
    rest = (rest * 65536 + (low & 0xffff)) % max;
    scratch[0] = rest | 0;
    scratch[1] = 0;
    return;
  }
  const join = (l: number, h: number) => (BigInt(h >>> 0) << 32n) | BigInt(l >>> 0);
  const rest = join(low, high) % join(maxLow, maxHigh);
  scratch[0] = Number(BigInt.asIntN(32, rest));
  scratch[1] = Number(BigInt.asIntN(32, rest >> 32n));
}

/**
 * A math unit: the leading bits of the operand choose a result of the table, which is shifted by `halfPowers / 2` for each place of the
 * leading bit, and by `scale`.
 */
export function mathUnit(
  operand: number,
  halfPowers: number,
  scale: number,
  table: readonly number[],
): number {
  const x = operand >>> 0;
  if (x === 0) return 0;
  const place = 31 - Math.clz32(x);
  const isOdd = halfPowers % 2 !== 0 && place % 2 === 1;
  const even = isOdd ? place + 1 : place;
  const index = Math.floor(x / 2 ** (even - 3));
  return Number(
    BigInt.asIntN(32, BigInt(Math.floor(table[index]! * 2 ** ((halfPowers / 2) * even + scale)))),
  );
}

/** The number in int32 words, low first, extended to the top of the last; for log messages. */
export function bigOf(words: readonly number[], signed: boolean): bigint {
  const value = words.reduceRight((sum, w) => (sum << 32n) | BigInt(w >>> 0), 0n);
  return signed ? BigInt.asIntN(32 * words.length, value) : value;
}
