/** Primitives of actions on one path. */
import { defined } from "../../base/index.js";
import { type bmv2, bmv2Number } from "../program/index.js";
import type { Term } from "../solver/index.js";
import { Expressions } from "./expressions.js";
import { calculate, withinBounds } from "./hashes.js";
import type { Num } from "./numbers.js";
import type { Pass } from "./pass.js";
import { runTofinoPrimitive } from "./tofino-primitives.js";
import { placeText, Unhandled, within } from "./unhandled.js";

/** Most primitives that one call runs; more is a loop. */
const MAX_STEPS = 10_000;

const THREE_OPERANDS: Readonly<Record<string, "+" | "-" | "^" | "|" | "&" | "<<" | ">>">> = {
  add: "+",
  subtract: "-",
  bit_xor: "^",
  bit_or: "|",
  bit_and: "&",
  shift_left: "<<",
  shift_right: ">>",
};

/** Primitives that no packet shows. */
const UNSEEN: ReadonlySet<string> = new Set([
  "no_op",
  "count",
  "log_msg",
  "generate_digest",
  "shorten_packet",
]);

/** The false assertion of a program: the packet is dropped. */
export class Aborted extends Error {}

export class Actions {
  readonly #expressions: Expressions;
  #parameters: readonly Term[] = [];

  constructor(readonly pass: Pass) {
    const { memory, chooser } = pass;
    this.#expressions = new Expressions({
      memory,
      chooser,
      parameter: (index) => {
        const term = this.#parameters[index];
        if (term === undefined) throw new Unhandled(`parameter number ${index}`);
        return { kind: "term", term, signed: false };
      },
      register: (name, index) => ({ kind: "term", term: this.#read(name, index), signed: false }),
    });
  }

  run(primitives: readonly bmv2.Primitive[], parameters: readonly Term[]): void {
    this.#parameters = parameters;
    let at = 0;
    for (let steps = 0; at < primitives.length; steps++) {
      if (steps > MAX_STEPS) throw new Unhandled(`an action of more than ${MAX_STEPS} steps`);
      const primitive = defined(primitives[at++]);
      const { op, parameters: operands } = primitive;
      if (op === "_jump") at = targetOf(operands[0]);
      else if (op === "_jump_if_zero") {
        const condition = this.#expressions.numbers.nonZero(this.#number(operands[0]));
        if (!this.pass.branch(`${primitive.source_info?.line ?? ""} ${op}`, condition))
          at = targetOf(operands[1]);
      } else within(placeText(primitive.source_info), () => this.one(primitive));
    }
  }

  #number(value: bmv2.Value | undefined): Num {
    return this.#expressions.number(given(value));
  }

  #low(value: bmv2.Value | undefined, bits: number): Term {
    return this.#expressions.numbers.low(this.#number(value), bits);
  }

  one(primitive: bmv2.Primitive): void {
    const { op } = primitive;
    if (UNSEEN.has(op)) return;
    const known =
      this.#copy(primitive) ||
      this.#resource(primitive) ||
      this.#request(primitive) ||
      this.#arithmetic(primitive) ||
      runTofinoPrimitive(primitive, this.pass, this.#expressions);
    if (!known) throw new Unhandled(`the primitive ${op}`);
  }

  #copy({ op, parameters }: bmv2.Primitive): boolean {
    const [first, second] = parameters;
    const { memory } = this.pass;
    const header = (value: bmv2.Value | undefined) => this.#expressions.header(given(value));
    switch (op) {
      case "assign":
      case "modify_field":
        this.#expressions.assign(given(first), this.#number(second));
        return true;
      case "assign_VL": {
        const from = this.#expressions.destination(given(second));
        memory.set(...this.#expressions.destination(given(first)), memory.get(...from));
        return true;
      }
      case "assign_header":
      case "copy_header": {
        const [to, from] = [header(first), header(second)];
        if (memory.shapes.header(to).metadata) memory.copyFields(to, from);
        else memory.copyHeader(to, from);
        return true;
      }
      case "assign_union": {
        const [to, from] = [first, second].map(
          (value) => memory.shapes.unions.get(String(value?.value)) ?? [],
        );
        memory.copyUnion(defined(to), defined(from));
        return true;
      }
      case "assign_header_stack":
      case "assign_union_stack": {
        const [to, from] = [this.#expressions.stack(given(first)), this.#expressions.stack(given(second))];
        to.elements.forEach((element, i) => {
          memory.copyUnion(element, defined(from.elements[i]));
        });
        memory.setNext(to.name, memory.next(from.name));
        return true;
      }
      case "push":
      case "pop": {
        const count = this.#expressions.numbers.exact(this.#number(second), 32);
        if (count.op !== "const") throw new Unhandled(`${op} by a number that varies`);
        memory.shift(this.#expressions.stack(given(first)), (op === "push" ? 1 : -1) * Number(count.value));
        return true;
      }
      case "add_header":
      case "add_header_fast":
        this.#add(header(first), op === "add_header" && this.pass.looksAtValidity);
        return true;
      case "remove_header":
        this.#remove(header(first));
        return true;
      case "mark_to_drop":
      case "drop": {
        const name = op === "drop" ? "standard_metadata" : header(first);
        memory.setIfThere(name, "egress_spec", this.pass.terms.constant(this.pass.dropPort, 9));
        memory.setIfThere(name, "mcast_grp", this.pass.terms.constant(0, 16));
        return true;
      }
      default:
        return false;
    }
  }

  #add(header: string, clears: boolean): void {
    const { memory, terms } = this.pass;
    const { metadata, fields } = memory.shapes.header(header);
    if (metadata || memory.isValid(header)) return;
    memory.setValid(header);
    if (!clears) return;
    let bits = 0;
    for (const { name, width, varbit } of fields) {
      memory.set(header, name, terms.constant(0, varbit ? 0 : width));
      bits += varbit ? 0 : width;
    }
    this.pass.grow(bits >> 3);
  }

  #remove(header: string): void {
    const { memory } = this.pass;
    const { metadata, fields } = memory.shapes.header(header);
    if (metadata || !memory.isValid(header)) return;
    const bits = fields.reduce((sum, { name }) => sum + memory.get(header, name).width, 0);
    memory.setInvalid(header);
    this.pass.grow(-(bits >> 3));
  }

  #resource({ op, parameters }: bmv2.Primitive): boolean {
    const [first, second, third, fourth] = parameters;
    const { pass } = this;
    const name = (value: bmv2.Value | undefined) => String(value?.value);
    switch (op) {
      case "register_read": {
        const index = this.#low(third, 32);
        if (!this.#isWithin(name(second), index)) return true;
        this.#expressions.assign(given(first), {
          kind: "term",
          term: this.#read(name(second), index),
          signed: false,
        });
        return true;
      }
      case "register_write": {
        const index = this.#low(second, 32);
        const { bitwidth } = pass.register(name(first));
        const value = this.#low(third, bitwidth);
        if (this.#isWithin(name(first), index)) pass.registers.write(name(first), index, value);
        return true;
      }
      case "execute_meter":
        if (pass.situation.meters.has(name(first)))
          pass.situation.leftOut.add("colours of a meter that a packet meets a second time");
        pass.situation.meters.add(name(first));
        this.#expressions.assign(given(third), {
          kind: "term",
          term: pass.outside(`meter ${name(first)} ${this.#low(second, 32).id}`, 2),
          signed: false,
        });
        return true;
      case "modify_field_with_hash_based_offset": {
        const calculation = pass.calculation(name(third));
        const hash = pass.calculated(calculate(calculation, pass.source));
        const result = withinBounds(pass.terms, hash, this.#low(second, 64), this.#low(fourth, 64));
        this.#expressions.assign(given(first), { kind: "term", term: result, signed: false });
        return true;
      }
      default:
        return false;
    }
  }

  #isWithin(register: string, index: Term): boolean {
    const { terms } = this.pass;
    const { size } = this.pass.register(register);
    return this.pass.branch(`${register} within`, terms.less(index, terms.constant(size, 32)));
  }

  #read(register: string, index: Term): Term {
    const { bitwidth, initial = "0x0" } = this.pass.register(register);
    return this.pass.registers.read(register, index, bitwidth, bmv2Number(initial));
  }

  /** What happens to the packet after this control. */
  #request({ op, parameters }: bmv2.Primitive): boolean {
    const [first, second] = parameters;
    const { requests } = this.pass;
    switch (op) {
      case "clone_ingress_pkt_to_egress":
      case "clone_egress_pkt_to_egress":
        requests.clone = this.#low(first, 15);
        requests.cloneList = this.#number16(second);
        return true;
      case "resubmit":
        requests.resubmit = this.#number16(first);
        return true;
      case "recirculate":
        requests.recirculate = this.#number16(first);
        return true;
      case "truncate":
        throw new Unhandled("truncate");
      case "exit":
        requests.exit = true;
        return true;
      case "assert":
      case "assume":
        if (!this.pass.branch(op, this.#expressions.condition(given(first)))) throw new Aborted();
        return true;
      default:
        return false;
    }
  }

  #number16(value: bmv2.Value | undefined): number {
    const number = this.#low(value, 16);
    if (number.op !== "const") throw new Unhandled("a field list that varies");
    return Number(number.value);
  }

  #arithmetic({ op, parameters }: bmv2.Primitive): boolean {
    const [first, second, third] = parameters;
    switch (op) {
      case "modify_field_rng_uniform": {
        const [low, high] = [this.#low(second, 64), this.#low(third, 64)];
        this.#expressions.assign(given(first), {
          kind: "term",
          term: this.pass.random(low, high),
          signed: false,
        });
        return true;
      }
      case "add_to_field":
      case "subtract_from_field":
        this.#expressions.assign(given(first), {
          kind: op === "add_to_field" ? "+" : "-",
          a: this.#number(first),
          b: this.#number(second),
        });
        return true;
      default: {
        const kind = THREE_OPERANDS[op];
        if (kind === undefined) return false;
        const [a, b] = [this.#number(second), this.#number(third)];
        this.#expressions.assign(
          given(first),
          kind === "<<" || kind === ">>" ? { kind, a, by: b } : { kind, a, b },
        );
        return true;
      }
    }
  }
}

function given(value: bmv2.Value | undefined): bmv2.Value {
  if (value === undefined) throw new Unhandled("a primitive with too few parameters");
  return value;
}

function targetOf(value: bmv2.Value | undefined): number {
  if (value?.type !== "hexstr") throw new Unhandled("a jump to a place that varies");
  return Number.parseInt(value.value, 16);
}
