/**
 * Values and expressions of the BMv2 JSON as numbers ({@link Num}) and conditions (JavaScript text).
 * Meanings are those of the "BMv2 JSON input format" document; where it says nothing, those of p4c's output.
 */
import { defined } from "../../../base/index.js";
import { type bmv2, bmv2Number } from "../../program/index.js";
import type { FieldSlot, HeaderSlot, Layout, StackSlot } from "./layout.js";
import { constant, type Num, type NumberWriter, type StoredWords, TooWide, word } from "./number.js";

/** A part of the program that this switch cannot run; it becomes a diagnostic when the program is loaded. */
export class Unsupported extends Error {}

/** A header found at run time: its words are at `base + offset within the header`. */
export interface HeaderPlace {
  /** The header itself, or the first element of its stack. */
  readonly slot: HeaderSlot;
  /** Words to add to the slot's own places; "0" for the header itself. */
  readonly shift: string;
  readonly validShift: string;
  /** The other members of its union, if any, as slots of the same element. */
}

/** What an expression may refer to besides fields. */
export interface Scope {
  readonly layout: Layout;
  readonly numbers: NumberWriter;
  /** Action parameter by index. */
  parameter?(index: number): Num;
  /** Element of a register array. */
  register?(name: string, index: Num): Num;
}

/** A PHV word as an int32 expression. */
export function phv(at: number, shift = "0"): string {
  return shift === "0" ? `P[${at}]` : `P[${at} + ${shift}]`;
}

function fieldNumber(field: FieldSlot, shift = "0"): StoredWords {
  return {
    kind: "words",
    words: Array.from({ length: field.words }, (_, i) => phv(field.at + i, shift)),
    range: { width: field.width, signed: field.signed },
  };
}

/** Text that is 1 or 0: the validity of a header. */
export function validWord(place: HeaderPlace): string {
  return place.slot.metadata ? "1" : phv(place.slot.valid, place.validShift);
}

function headerPlace(slot: HeaderSlot): HeaderPlace {
  return { slot, shift: "0", validShift: "0" };
}

function fieldOf(place: HeaderPlace, name: string): Num {
  if (name === "$valid$") return word(validWord(place), 1);
  const field = place.slot.byName.get(name);
  if (field === undefined) throw new Unsupported(`header ${place.slot.name} has no field ${name}`);
  return fieldNumber(field, place.shift);
}

export class ExpressionWriter {
  constructor(readonly scope: Scope) {}

  get #layout(): Layout {
    return this.scope.layout;
  }

  header(name: string): HeaderPlace {
    const slot = this.#layout.headers.get(name);
    if (slot === undefined) throw new Unsupported(`there is no header ${name}`);
    return headerPlace(slot);
  }

  stack(name: string): StackSlot {
    return (this.#layout.stacks.get(name) ?? this.#layout.unionStacks.get(name))!;
  }

  field(reference: readonly [string, string]): StoredWords {
    const [header, name] = reference;
    if (name === "$valid$") {
      const union = this.#layout.unions.get(header);
      return word(union === undefined ? validWord(this.header(header)) : `(${unionValid(union.members)})`, 1);
    }
    const slot = defined(this.#layout.field(header, name));
    if (slot.varbit)
      throw new Unsupported(`field ${header}.${name} has variable length: no arithmetic on it`);
    return fieldNumber(slot);
  }

  /** Member `member` (0 in a header stack) of the stack's element at a run-time index, held within the stack. */
  element(stack: StackSlot, index: string, member = 0): HeaderPlace {
    const slot = defined(defined(stack.elements[0])[member]);
    if (stack.size === 1) return headerPlace(slot);
    const held = this.scope.numbers.out.hold(index);
    return {
      slot,
      shift: this.scope.numbers.out.hold(`${held} * ${stack.stride}`),
      validShift: this.scope.numbers.out.hold(`${held} * ${stack.validStride}`),
    };
  }

  /** The element that was extracted last; the first element when none was extracted. */
  lastElement(stack: StackSlot, member = 0): HeaderPlace {
    return this.element(stack, `(P[${stack.next}] > 1 ? P[${stack.next}] - 1 : 0)`, member);
  }

  number(value: bmv2.Value): Num {
    switch (value.type) {
      case "field":
        return this.field(value.value);
      case "hexstr":
        return constant(bmv2Number(value.value));
      case "bool":
        return constant(value.value ? 1 : 0);
      case "local":
      case "runtime_data":
        if (this.scope.parameter === undefined) throw new Unsupported("a parameter outside of an action");
        return this.scope.parameter(value.value);
      case "stack_field": {
        const stack = this.stack(value.value[0]);
        return fieldOf(this.lastElement(stack), value.value[1]);
      }
      case "union_stack_field": {
        const [name, member, field] = value.value;
        const stack = this.stack(name);
        return fieldOf(this.lastElement(stack, memberIndex(stack, member)), field);
      }
      case "register": {
        if (this.scope.register === undefined) throw new Unsupported("a register outside of an action");
        return this.scope.register(value.value[0], this.number(value.value[1]));
      }
      case "expression":
        return this.#numberOf(value.value);
      default:
        throw new Unsupported(`a value of type ${value.type} as a number`);
    }
  }

  condition(value: bmv2.Value): string {
    if (value.type === "bool") return value.value ? "true" : "false";
    if (value.type !== "expression") return this.scope.numbers.nonZero(this.number(value));
    const inner = value.value;
    if (!isOperation(inner)) return this.condition(inner);
    const { op } = inner;
    switch (op) {
      case "and":
        return `(${this.condition(inner.left!)} && ${this.condition(rightValue(inner))})`;
      case "or":
        return `(${this.condition(inner.left!)} || ${this.condition(rightValue(inner))})`;
      case "not":
        return `!${this.condition(rightValue(inner))}`;
      case "d2b":
        return `(${this.scope.numbers.nonZero(this.number(rightValue(inner)))})`;
      case "==":
      case "!=": {
        const equal = this.#equal(inner.left!, rightValue(inner));
        return op === "==" ? equal : `!${equal}`;
      }
      case "<":
        return this.scope.numbers.less(this.number(inner.left!), this.number(rightValue(inner)));
      case ">":
        return this.scope.numbers.less(this.number(rightValue(inner)), this.number(inner.left!));
      case "<=":
        return `!${this.scope.numbers.less(this.number(rightValue(inner)), this.number(inner.left!))}`;
      case ">=":
        return `!${this.scope.numbers.less(this.number(inner.left!), this.number(rightValue(inner)))}`;
      case "valid":
        return `(${validWord(this.headerOf(rightValue(inner)))} === 1)`;
      case "valid_union":
        return `((${this.#unionOf(rightValue(inner)).map(validWord).join(" | ")}) === 1)`;
      case "?": {
        const condition = this.scope.numbers.out.hold(this.condition(inner.cond!));
        return `(${condition} ? ${this.condition(inner.left!)} : ${this.condition(rightValue(inner))})`;
      }
      default:
        return this.scope.numbers.nonZero(this.number(value));
    }
  }

  /** A header named directly or reached through a stack or a union. */
  headerOf(value: bmv2.Value): HeaderPlace {
    if (value.type === "header") return this.header(value.value);
    if (value.type === "expression") {
      const inner = value.value;
      if (!isOperation(inner)) return this.headerOf(inner);
      if (inner.op === "dereference_header_stack") {
        const stack = this.#stackOf(inner.left!);
        return this.element(stack, this.#index(stack, rightValue(inner)));
      }
      if (inner.op === "access_union_header") {
        const members = this.#unionOf(inner.left!);
        const place = members[memberNumber(inner.right)];
        if (place !== undefined) return place;
      }
    }
    throw new Unsupported(`a value of type ${value.type} as a header`);
  }

  /** The members of a union named directly or reached through a stack of unions. */
  #unionOf(value: bmv2.Value): HeaderPlace[] {
    if (value.type === "header_union")
      return defined(this.#layout.unions.get(value.value)).members.map(headerPlace);
    if (value.type === "expression") {
      const inner = value.value;
      if (!isOperation(inner)) return this.#unionOf(inner);
      if (inner.op === "dereference_union_stack") {
        const stack = this.#stackOf(inner.left!);
        const index = this.#index(stack, rightValue(inner));
        const held = this.scope.numbers.out.hold(index);
        return defined(stack.elements[0]).map((_, member) => this.element(stack, held, member));
      }
    }
    throw new Unsupported(`a value of type ${value.type} as a header union`);
  }

  #stackOf(value: bmv2.Value): StackSlot {
    if (value.type === "header_stack" || value.type === "header_union_stack") return this.stack(value.value);
    if (value.type === "expression" && !isOperation(value.value)) return this.#stackOf(value.value);
    throw new Unsupported(`a value of type ${value.type} as a header stack`);
  }

  #index(stack: StackSlot, value: bmv2.Value): string {
    return this.scope.numbers.small(this.number(value), stack.size - 1);
  }

  #numberOf(inner: bmv2.Expression | bmv2.Value): Num {
    if (!isOperation(inner)) return this.number(inner);
    const { op } = inner;
    switch (op) {
      case "+":
      case "-":
        if (inner.left === null)
          return op === "+"
            ? this.number(rightValue(inner))
            : { kind: "negate", a: this.number(rightValue(inner)) };
        return { kind: "binary", op, a: this.number(inner.left), b: this.number(rightValue(inner)) };
      case "*":
      case "/":
      case "%":
      case "&":
      case "|":
      case "^":
        return { kind: "binary", op, a: this.number(inner.left!), b: this.number(rightValue(inner)) };
      case "<<":
        return { kind: "shl", a: this.number(inner.left!), by: this.number(rightValue(inner)) };
      case ">>":
        return { kind: "shr", a: this.number(inner.left!), by: this.number(rightValue(inner)) };
      case "~":
        return { kind: "not", a: this.number(rightValue(inner)) };
      case "two_comp_mod":
        return { kind: "wrap", a: this.number(inner.left!), width: this.#width(inner) };
      case "sat_cast":
      case "usat_cast": {
        const range = { width: this.#width(inner), signed: op === "sat_cast" };
        return { kind: "clamp", a: this.number(inner.left!), range };
      }
      case "?":
        return {
          kind: "select",
          condition: this.scope.numbers.out.hold(this.condition(inner.cond!)),
          a: this.number(inner.left!),
          b: this.number(rightValue(inner)),
        };
      case "b2d":
        return word(`(${this.condition(rightValue(inner))} ? 1 : 0)`, 1);
      case "last_stack_index":
        return {
          kind: "binary",
          op: "-",
          a: word(`P[${this.#stackOf(rightValue(inner)).next}]`, 16),
          b: constant(1),
        };
      case "size_stack":
        return word(`P[${this.#stackOf(rightValue(inner)).next}]`, 16);
      case "access_field": {
        const place = this.headerOf(inner.left!);
        const field = place.slot.fields[memberNumber(inner.right)];
        if (field === undefined) throw new Unsupported(`header ${place.slot.name} has no such field`);
        return fieldNumber(field, place.shift);
      }
      default:
        // A comparison that is used as a number is 1 or 0.
        return word(`(${this.condition({ type: "expression", value: inner })} ? 1 : 0)`, 1);
    }
  }

  #width(expression: bmv2.Expression): number {
    const width = this.number(rightValue(expression));
    if (width.kind !== "const" || width.value < 1n)
      throw new Unsupported(`${expression.op} to a width that varies`);
    if (width.value > 8192n) throw new TooWide(`${expression.op} to ${width.value} bits`);
    return Number(width.value);
  }

  #equal(left: bmv2.Value, right: bmv2.Value): string {
    const kind = operandKind(left);
    if (kind === "header") return this.#sameHeader(this.headerOf(left), this.headerOf(right));
    if (kind === "union") {
      const a = this.#unionOf(left);
      const b = this.#unionOf(right);
      return `(${a.map((member, i) => this.#sameHeader(member, defined(b[i]))).join(" && ")})`;
    }
    const varbits = [this.#varbit(left), this.#varbit(right)];
    if (varbits[0] !== undefined && varbits[1] !== undefined) {
      const [a, b] = varbits;
      const words = Math.min(a.words, b.words);
      const same = Array.from({ length: words }, (_, i) => `P[${a.at + i}] === P[${b.at + i}]`);
      return `(${same.join(" && ")})`;
    }
    return this.scope.numbers.equal(this.number(left), this.number(right));
  }

  /** A field of variable length; its first word is the length, so that comparing words compares lengths too. */
  #varbit(value: bmv2.Value): FieldSlot | undefined {
    if (value.type === "expression" && !isOperation(value.value)) return this.#varbit(value.value);
    if (value.type !== "field") return undefined;
    const slot = this.#layout.field(value.value[0], value.value[1]);
    return slot?.varbit ? slot : undefined;
  }

  #sameHeader(a: HeaderPlace, b: HeaderPlace): string {
    const same = a.slot.fields.flatMap((field, i) =>
      Array.from(
        { length: field.words },
        (_, k) => `${phv(field.at + k, a.shift)} === ${phv(defined(b.slot.fields[i]).at + k, b.shift)}`,
      ),
    );
    const valid = `${validWord(a)} === ${validWord(b)}`;
    return `(${valid} && (${validWord(a)} === 0 || ${same.length === 0 ? "true" : same.join(" && ")}))`;
  }
}

export function unionValid(members: readonly HeaderSlot[]): string {
  return members.map((member) => `P[${member.valid}]`).join(" | ");
}

export function memberIndex(stack: StackSlot, member: string): number {
  const index = stack.memberNames.indexOf(member);
  if (index < 0) throw new Unsupported(`union stack ${stack.name} has no member ${member}`);
  return index;
}

/** The number of a field in its header, or of a member in its union. */
export function memberNumber(right: bmv2.Value | number): number {
  if (typeof right === "number") return right;
  if (right.type === "hexstr") return Number.parseInt(right.value, 16);
  throw new Unsupported("a member that is no number");
}

function rightValue(expression: bmv2.Expression): bmv2.Value {
  if (typeof expression.right === "number")
    return { type: "hexstr", value: `0x${expression.right.toString(16)}` };
  return expression.right;
}

export function isOperation(value: bmv2.Expression | bmv2.Value): value is bmv2.Expression {
  return "op" in value;
}

function operandKind(value: bmv2.Value): "header" | "union" | "number" {
  if (value.type === "header") return "header";
  if (value.type === "header_union") return "union";
  if (value.type === "expression") {
    const inner = value.value;
    if (!isOperation(inner)) return operandKind(inner);
    if (inner.op === "dereference_header_stack" || inner.op === "access_union_header") return "header";
    if (inner.op === "dereference_union_stack") return "union";
  }
  return "number";
}
