/** Checks of values and expressions ("type value objects") of the BMv2 JSON. */
import { CODES } from "../codes.js";
import type { Checker, JsonObject } from "./checker.js";
import type { JsonPath } from "./json-place.js";

/** Names that values may refer to, by kind. */
export interface Names {
  /** Fields by header, `$valid$` included. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
  readonly headers: ReadonlySet<string>;
  readonly stacks: ReadonlySet<string>;
  readonly unions: ReadonlySet<string>;
  readonly unionStacks: ReadonlySet<string>;
  readonly counters: ReadonlySet<string>;
  readonly meters: ReadonlySet<string>;
  readonly registers: ReadonlySet<string>;
  readonly calculations: ReadonlySet<string>;
}

/** Nested deeper than this is no output of a compiler. */
const MAX_DEPTH = 500;

const BINARY = new Set([
  "+",
  "-",
  "*",
  "/",
  "%",
  "<<",
  ">>",
  "&",
  "|",
  "^",
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "and",
  "or",
  "two_comp_mod",
  "sat_cast",
  "usat_cast",
  "dereference_header_stack",
  "dereference_union_stack",
  "access_field",
  "access_union_header",
  "?",
]);
const UNARY = new Set([
  "-",
  "+",
  "~",
  "not",
  "d2b",
  "b2d",
  "valid",
  "valid_union",
  "last_stack_index",
  "size_stack",
]);

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}

export class ValueChecker {
  constructor(
    readonly checker: Checker,
    readonly names: Names,
  ) {}

  /** `[header, field]` of a header or a union, aliases included. */
  field(value: unknown, path: JsonPath): void {
    const { checker, names } = this;
    if (
      !Array.isArray(value) ||
      value.length !== 2 ||
      typeof value[0] !== "string" ||
      typeof value[1] !== "string"
    ) {
      checker.complain(CODES.bmv2Shape, path, "a field is written as [header, field]");
      return;
    }
    const [header, field] = value as [string, string];
    if (names.fields.get(header)?.has(field)) return;
    checker.complain(CODES.bmv2Reference, path, `there is no field ${header}.${field}`);
  }

  value(value: unknown, path: JsonPath, depth = 0): void {
    const { checker, names } = this;
    if (depth > MAX_DEPTH) {
      checker.complain(CODES.bmv2Limit, path, `an expression is nested more than ${MAX_DEPTH} deep`);
      return;
    }
    const object = checker.object(value, path);
    if (object === undefined) return;
    const inner = [...path, "value"];
    const known = (what: string, set: ReadonlySet<string>) =>
      checker.reference(object.value, inner, what, set);
    switch (object.type) {
      case "field":
        this.field(object.value, inner);
        return;
      case "hexstr":
        checker.hex(object.value, inner);
        return;
      case "bool":
        checker.boolean(object.value, inner);
        return;
      case "string":
        checker.string(object.value, inner);
        return;
      case "header":
        known("header", names.headers);
        return;
      case "header_stack":
        known("header stack", names.stacks);
        return;
      case "header_union":
        known("header union", names.unions);
        return;
      case "header_union_stack":
        known("stack of header unions", names.unionStacks);
        return;
      case "calculation":
        known("calculation", names.calculations);
        return;
      case "counter_array":
        known("counter", names.counters);
        return;
      case "meter_array":
        known("meter", names.meters);
        return;
      case "register_array":
        known("register", names.registers);
        return;
      case "stack_field":
      case "union_stack_field": {
        const list = checker.array(object.value, inner);
        const stacks = object.type === "stack_field" ? names.stacks : names.unionStacks;
        checker.reference(list[0], [...inner, 0], "stack", stacks);
        for (let i = 1; i < (object.type === "stack_field" ? 2 : 3); i++)
          checker.string(list[i], [...inner, i]);
        return;
      }
      case "register": {
        const list = checker.array(object.value, inner);
        checker.reference(list[0], [...inner, 0], "register", names.registers);
        this.value(list[1], [...inner, 1], depth + 1);
        return;
      }
      case "lookahead": {
        const list = checker.array(object.value, inner);
        checker.integer(list[0], [...inner, 0], 0, 1 << 20);
        checker.integer(list[1], [...inner, 1], 1, 1 << 16);
        return;
      }
      case "local":
      case "runtime_data":
        checker.integer(object.value, inner, 0, 1 << 16);
        return;
      case "parameters_vector":
        // p4c writes an empty list of values as an empty object.
        if (isEmptyObject(object.value)) object.value = [];
        checker.array(object.value, inner).forEach((element, i) => {
          this.value(element, [...inner, i], depth + 1);
        });
        return;
      case "payload":
      case "extern":
        return;
      case "field_list":
        checker.array(object.value, inner).forEach((element, i) => {
          this.value(element, [...inner, i], depth + 1);
        });
        return;
      case "expression":
        this.#expression(object.value, inner, depth + 1);
        return;
      default:
        checker.complain(
          CODES.bmv2Shape,
          [...path, "type"],
          `a value of unknown type ${JSON.stringify(object.type)}`,
        );
    }
  }

  #expression(value: unknown, path: JsonPath, depth: number): void {
    const object = this.checker.object(value, path);
    if (object === undefined) return;
    if (!("op" in object)) {
      this.value(object, path, depth);
      return;
    }
    this.#operation(object, path, depth);
  }

  #operation(object: JsonObject, path: JsonPath, depth: number): void {
    const { checker } = this;
    const op = typeof object.op === "string" ? object.op : "";
    object.left ??= null;
    const unary = object.left === null;
    if (!(unary ? UNARY : BINARY).has(op)) {
      checker.complain(
        CODES.bmv2Shape,
        [...path, "op"],
        `unknown ${unary ? "unary " : ""}operation ${JSON.stringify(object.op)}`,
      );
      return;
    }
    if (op === "?") this.value(object.cond, [...path, "cond"], depth + 1);
    if (!unary) this.value(object.left, [...path, "left"], depth + 1);
    if (op === "access_field" || op === "access_union_header") {
      if (typeof object.right === "number") checker.integer(object.right, [...path, "right"], 0, 1 << 16);
      else this.value(object.right, [...path, "right"], depth + 1);
    } else this.value(object.right, [...path, "right"], depth + 1);
  }
}

/** A number of BMv2 JSON: hexadecimal text, which p4c writes with a sign where P4 has a negative constant. */
export function bmv2Number(text: string): bigint {
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

/** The bits of a number in a field of `width` bits: a negative number in two's complement; a positive number is not cut. */
export function bmv2Bits(text: string, width: number): bigint {
  const value = bmv2Number(text);
  return value < 0n ? BigInt.asUintN(width, value) : value;
}
