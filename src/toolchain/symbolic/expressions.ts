/** Values and expressions of BMv2 JSON on one path: numbers, conditions, headers. */
import { defined } from "../../base/index.js";
import { type bmv2, bmv2Number } from "../program/index.js";
import type { Term } from "../solver/index.js";
import type { Chooser } from "./chooser.js";
import type { Memory, Stack } from "./memory.js";
import { type Num, Numbers, rangeOf } from "./numbers.js";
import { Unhandled } from "./unhandled.js";

/** What an expression may refer to besides the memory. */
export interface Scope {
  readonly memory: Memory;
  readonly chooser: Chooser;
  /** Action parameter by index. */
  parameter?(index: number): Num;
  register?(name: string, index: Term): Num;
}

type Operation = bmv2.Expression;
type StackField = Extract<bmv2.Value, { type: "stack_field" | "union_stack_field" }>;

/** Operations whose result is true or false; as a number it is 1 or 0. */
const CONDITIONS: ReadonlySet<string> = new Set([
  "and",
  "or",
  "not",
  "d2b",
  "==",
  "!=",
  "<",
  ">",
  "<=",
  ">=",
  "valid",
  "valid_union",
]);

export class Expressions {
  readonly numbers: Numbers;

  constructor(readonly scope: Scope) {
    this.numbers = new Numbers(scope.memory.terms);
  }

  get #memory(): Memory {
    return this.scope.memory;
  }

  number(value: bmv2.Value): Num {
    switch (value.type) {
      case "field":
        return this.field(value.value);
      case "hexstr":
        return { kind: "const", value: bmv2Number(value.value) };
      case "bool":
        return { kind: "const", value: value.value ? 1n : 0n };
      case "local":
      case "runtime_data":
        if (this.scope.parameter === undefined) throw new Unhandled("a parameter outside of an action");
        return this.scope.parameter(value.value);
      case "stack_field":
      case "union_stack_field":
        return this.#fieldOf(...this.#lastField(value));
      case "register":
        if (this.scope.register === undefined) throw new Unhandled("a register outside of an action");
        return this.scope.register(value.value[0], this.numbers.low(this.number(value.value[1]), 32));
      case "expression":
        return this.#numberOf(value.value);
      default:
        throw new Unhandled(`a value of type ${value.type} as a number`);
    }
  }

  field([header, name]: readonly [string, string]): Num {
    if (name !== "$valid$") return this.#fieldOf(header, name);
    const members = this.#memory.shapes.unions.get(header) ?? [header];
    return this.#bit(this.#memory.terms.truth(members.some((member) => this.#memory.isValid(member))));
  }

  #fieldOf(header: string, name: string): Num {
    if (name === "$valid$") return this.#bit(this.#memory.terms.truth(this.#memory.isValid(header)));
    const field = this.#memory.field(header, name);
    if (field === undefined) throw new Unhandled(`the field ${header}.${name}`);
    return { kind: "term", term: this.#memory.get(header, name), signed: field.signed };
  }

  #bit(term: Term): Num {
    return { kind: "term", term, signed: false };
  }

  /** A field of the element of a stack that was extracted last; of the first one where none was. */
  #lastField({ value }: StackField): [header: string, field: string] {
    const { elements, members } = this.#memory.shapes.stack(value[0]);
    const last = Math.min(Math.max(0, this.#memory.next(value[0]) - 1), elements.length - 1);
    const [member, field] = value.length === 3 ? [members.indexOf(value[1]), value[2]] : [0, value[1]];
    return [defined(defined(elements[last])[member]), field];
  }

  condition(value: bmv2.Value): Term {
    const { terms } = this.#memory;
    if (value.type === "bool") return terms.truth(value.value);
    if (value.type !== "expression") return this.numbers.nonZero(this.number(value));
    const inner = value.value;
    if (!isOperation(inner)) return this.condition(inner);
    const right = () => rightOf(inner);
    const less = (a: bmv2.Value, b: bmv2.Value) => this.numbers.less(this.number(a), this.number(b));
    switch (inner.op) {
      case "and": {
        // What a false left side guards is not read.
        const left = this.condition(leftOf(inner));
        return left === terms.false ? left : terms.and(left, this.condition(right()));
      }
      case "or": {
        const left = this.condition(leftOf(inner));
        return left === terms.true ? left : terms.or(left, this.condition(right()));
      }
      case "not":
        return terms.not(this.condition(right()));
      case "d2b":
        return this.numbers.nonZero(this.number(right()));
      case "==":
        return this.#equal(leftOf(inner), right());
      case "!=":
        return terms.not(this.#equal(leftOf(inner), right()));
      case "<":
        return less(leftOf(inner), right());
      case ">":
        return less(right(), leftOf(inner));
      case "<=":
        return terms.not(less(right(), leftOf(inner)));
      case ">=":
        return terms.not(less(leftOf(inner), right()));
      case "valid":
        return terms.truth(this.#memory.isValid(this.header(right())));
      case "valid_union":
        return terms.truth(this.#unionOf(right()).some((member) => this.#memory.isValid(member)));
      case "?":
        return terms.choose(
          this.condition(defined(inner.cond)),
          this.condition(leftOf(inner)),
          this.condition(right()),
        );
      default:
        return this.numbers.nonZero(this.number(value));
    }
  }

  /** The name of a header that is named directly or through a stack or union. */
  header(value: bmv2.Value): string {
    if (value.type === "header") return value.value;
    if (value.type === "expression") {
      const inner = value.value;
      if (!isOperation(inner)) return this.header(inner);
      if (inner.op === "dereference_header_stack")
        return defined(this.#element(this.stack(leftOf(inner)), this.number(rightOf(inner)))[0]);
      if (inner.op === "access_union_header") {
        const member = this.#unionOf(leftOf(inner))[memberOf(inner.right)];
        if (member !== undefined) return member;
      }
    }
    throw new Unhandled(`a value of type ${value.type} as a header`);
  }

  #unionOf(value: bmv2.Value): readonly string[] {
    if (value.type === "header_union") return defined(this.#memory.shapes.unions.get(value.value));
    if (value.type === "expression") {
      const inner = value.value;
      if (!isOperation(inner)) return this.#unionOf(inner);
      if (inner.op === "dereference_union_stack")
        return this.#element(this.stack(leftOf(inner)), this.number(rightOf(inner)));
    }
    throw new Unhandled(`a value of type ${value.type} as a header union`);
  }

  stack(value: bmv2.Value): Stack {
    if (value.type === "header_stack" || value.type === "header_union_stack")
      return this.#memory.shapes.stack(value.value);
    if (value.type === "expression" && !isOperation(value.value)) return this.stack(value.value);
    throw new Unhandled(`a value of type ${value.type} as a header stack`);
  }

  /** An index behind the end stands for the last element, as in the switch. */
  #element({ name, elements }: Stack, index: Num): readonly string[] {
    const { terms } = this.#memory;
    if (rangeOf(index).signed) throw new Unhandled("an index with sign");
    const last = elements.length - 1;
    const exact = this.numbers.exact(index, 32);
    const way = this.scope.chooser.choose(
      elements.map((_, i) => {
        const at = terms.constant(i, exact.width);
        return {
          label: `${name}[${i}]`,
          condition: i < last ? terms.equal(exact, at) : terms.not(terms.less(exact, at)),
        };
      }),
    );
    return defined(elements[way]);
  }

  #numberOf(inner: Operation | bmv2.Value): Num {
    if (!isOperation(inner)) return this.number(inner);
    const right = () => this.number(rightOf(inner));
    switch (inner.op) {
      case "+":
      case "-":
        if (inner.left === null) return inner.op === "+" ? right() : { kind: "negate", a: right() };
        return { kind: inner.op, a: this.number(inner.left), b: right() };
      case "*":
      case "/":
      case "%":
      case "&":
      case "|":
      case "^":
        return { kind: inner.op, a: this.number(leftOf(inner)), b: right() };
      case "<<":
      case ">>":
        return { kind: inner.op, a: this.number(leftOf(inner)), by: right() };
      case "~":
        return { kind: "~", a: right() };
      case "two_comp_mod":
        return { kind: "wrap", a: this.number(leftOf(inner)), width: widthOf(right()) };
      case "sat_cast":
      case "usat_cast":
        return {
          kind: "clamp",
          a: this.number(leftOf(inner)),
          range: { width: widthOf(right()), signed: inner.op === "sat_cast" },
        };
      case "?":
        return {
          kind: "choose",
          condition: this.condition(defined(inner.cond)),
          a: this.number(leftOf(inner)),
          b: right(),
        };
      case "last_stack_index":
        return { kind: "const", value: BigInt(this.#memory.next(this.stack(rightOf(inner)).name) - 1) };
      case "size_stack":
        return { kind: "const", value: BigInt(this.#memory.next(this.stack(rightOf(inner)).name)) };
      case "access_field": {
        const header = this.header(leftOf(inner));
        const field = this.#memory.shapes.header(header).fields[memberOf(inner.right)];
        if (field === undefined) throw new Unhandled(`a field of ${header}`);
        return this.#fieldOf(header, field.name);
      }
      case "b2d":
        return this.#bit(this.condition(rightOf(inner)));
      default:
        if (!CONDITIONS.has(inner.op)) throw new Unhandled(`the operation ${inner.op}`);
        return this.#bit(this.condition({ type: "expression", value: inner }));
    }
  }

  #equal(left: bmv2.Value, right: bmv2.Value): Term {
    const kind = kindOf(left);
    if (kind === "header") return this.#sameHeader(this.header(left), this.header(right));
    if (kind === "union") {
      const others = this.#unionOf(right);
      const same = this.#unionOf(left).map((one, i) => this.#sameHeader(one, defined(others[i])));
      return this.#memory.terms.all(same);
    }
    const [a, b] = [this.#varbit(left), this.#varbit(right)];
    const { terms } = this.#memory;
    if (a !== undefined && b !== undefined) return a.width === b.width ? terms.equal(a, b) : terms.false;
    return this.numbers.equal(this.number(left), this.number(right));
  }

  #varbit(value: bmv2.Value): Term | undefined {
    if (value.type === "expression" && !isOperation(value.value)) return this.#varbit(value.value);
    if (value.type !== "field") return undefined;
    const [header, name] = value.value;
    return this.#memory.field(header, name)?.varbit ? this.#memory.get(header, name) : undefined;
  }

  #sameHeader(a: string, b: string): Term {
    const memory = this.#memory;
    if (memory.isValid(a) !== memory.isValid(b)) return memory.terms.false;
    if (!memory.isValid(a)) return memory.terms.true;
    const others = memory.shapes.header(b).fields;
    return memory.terms.all(
      memory.shapes.header(a).fields.map(({ name }, i) => {
        const [left, right] = [memory.get(a, name), memory.get(b, defined(others[i]).name)];
        return left.width === right.width ? memory.terms.equal(left, right) : memory.terms.false;
      }),
    );
  }

  /** Stores a number in the field that a value names. */
  assign(to: bmv2.Value, value: Num): void {
    const [header, name] = this.destination(to);
    const field = this.#memory.field(header, name);
    if (field === undefined) throw new Unhandled(`the field ${header}.${name}`);
    if (field.varbit) throw new Unhandled(`an assignment to ${header}.${name}, of variable length`);
    this.#memory.set(header, name, this.numbers.low(value, field.width));
  }

  destination(value: bmv2.Value): [header: string, field: string] {
    switch (value.type) {
      case "field":
        return value.value;
      case "stack_field":
      case "union_stack_field":
        return this.#lastField(value);
      case "expression": {
        const inner = value.value;
        if (!isOperation(inner)) return this.destination(inner);
        if (inner.op === "access_field" && inner.left !== null) {
          const header = this.header(inner.left);
          const field = this.#memory.shapes.header(header).fields[memberOf(inner.right)];
          if (field !== undefined) return [header, field.name];
        }
      }
    }
    throw new Unhandled(`a value of type ${value.type} as the destination of an assignment`);
  }
}

function isOperation(value: Operation | bmv2.Value): value is Operation {
  return "op" in value;
}

function leftOf(expression: Operation): bmv2.Value {
  return defined(expression.left ?? undefined);
}

function rightOf({ right }: Operation): bmv2.Value {
  return typeof right === "number" ? { type: "hexstr", value: `0x${right.toString(16)}` } : right;
}

function memberOf(right: bmv2.Value | number): number {
  if (typeof right === "number") return right;
  if (right.type === "hexstr") return Number.parseInt(right.value, 16);
  throw new Unhandled("a member that is no number");
}

function widthOf(num: Num): number {
  if (num.kind !== "const" || num.value < 1n || num.value > 8192n) throw new Unhandled("a width that varies");
  return Number(num.value);
}

function kindOf(value: bmv2.Value): "header" | "union" | "number" {
  if (value.type === "header") return "header";
  if (value.type === "header_union") return "union";
  if (value.type !== "expression") return "number";
  const inner = value.value;
  if (!isOperation(inner)) return kindOf(inner);
  if (inner.op === "dereference_header_stack" || inner.op === "access_union_header") return "header";
  return inner.op === "dereference_union_stack" ? "union" : "number";
}
