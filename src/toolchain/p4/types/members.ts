/** `x.member`: fields, members of enums and errors, properties of stacks and of table results. */
import { closest, defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { MemberExpression } from "../syntax/ast.js";
import { BOOL, bitType, ERROR, typeToString, UNKNOWN } from "./algebra.js";
import { type Checker, hint } from "./checker.js";
import { constantOf } from "./coerce.js";
import { checkExpression } from "./expressions.js";
import type { Type } from "./type.js";

const STACK_PROPERTIES = ["next", "last", "lastIndex", "size"] as const;
const RESULT_PROPERTIES = ["hit", "miss", "action_run"] as const;
export const SIZE_METHODS = ["minSizeInBits", "minSizeInBytes", "maxSizeInBits", "maxSizeInBytes"] as const;

export function checkMember(cx: Checker, e: MemberExpression): Type {
  const base = checkExpression(cx, e.base);
  return memberType(cx, e, base);
}

/** The type of a member that is not called. */
function memberType(cx: Checker, e: MemberExpression, base: Type): Type {
  const name = e.member.name;
  switch (base.kind) {
    case "unknown":
      return UNKNOWN;
    case "typeName":
      return typeMember(cx, e, base.type);
    case "struct":
    case "header":
    case "headerUnion": {
      const index = base.fields.findIndex((field) => field.name === name);
      if (index < 0) break;
      e.resolved = { kind: "field", name };
      const whole = constantOf(e.base);
      if (whole?.kind === "aggregate" && whole.elements[index] !== undefined)
        e.constant = whole.elements[index];
      return defined(base.fields[index]).type;
    }
    case "structLiteral": {
      const field = base.fields.find((candidate) => candidate.name === name);
      if (field === undefined) break;
      e.resolved = { kind: "field", name };
      return field.type;
    }
    case "stack": {
      const property = STACK_PROPERTIES.find((candidate) => candidate === name);
      if (property === undefined) break;
      if (base.element.kind !== "header" && base.element.kind !== "headerUnion" && property !== "size") {
        cx.error(
          CODES.noSuchMember,
          e.member.span,
          `only header stacks have '${property}', this is ${typeToString(base)}`,
        );
        return UNKNOWN;
      }
      e.resolved = { kind: "stack", property };
      if (property === "size") {
        e.constant = { kind: "integer", value: BigInt(base.size) };
        return bitType(32);
      }
      if (cx.place.kind !== "state" && cx.place.kind !== "parserLocals")
        cx.error(
          CODES.callInWrongPlace,
          e.span,
          `'${property}' of a stack can be used in a parser only`,
          "use an index instead",
        );
      return property === "lastIndex" ? bitType(32) : base.element;
    }
    case "applyResult": {
      const property = RESULT_PROPERTIES.find((candidate) => candidate === name);
      if (property === undefined) break;
      e.resolved = { kind: "applyResult", property };
      if (property !== "action_run") return BOOL;
      if (cx.switchSubject !== e)
        cx.error(
          CODES.callInWrongPlace,
          e.span,
          "'action_run' can only be the whole expression of a switch statement",
        );
      return { kind: "actionRun", declaration: base.declaration };
    }
  }
  noMember(cx, e, base);
  return UNKNOWN;
}

function typeMember(cx: Checker, e: MemberExpression, type: Type): Type {
  const name = e.member.name;
  switch (type.kind) {
    case "unknown":
      return UNKNOWN;
    case "error": {
      const member = cx.errorByName.get(name);
      if (member === undefined) {
        const near = closest(name, cx.errorByName.keys());
        cx.error(CODES.noSuchMember, e.member.span, `no error '${name}' is declared here`, ...hint(near));
        return UNKNOWN;
      }
      e.resolved = { kind: "enumMember", member };
      e.constant = { kind: "member", member };
      return ERROR;
    }
    case "enum":
    case "serializableEnum": {
      const member = type.declaration.members.find((candidate) => candidate.name.name === name);
      if (member === undefined) break;
      e.resolved = { kind: "enumMember", member };
      if (type.kind === "enum") e.constant = { kind: "member", member };
      else {
        const value = cx.enumValues.get(member);
        if (value !== undefined) e.constant = value;
      }
      return type;
    }
  }
  noMember(cx, e, type);
  return UNKNOWN;
}

/** Reports a member that a type does not have. */
export function noMember(cx: Checker, e: MemberExpression, base: Type): void {
  const name = e.member.name;
  const members = memberNames(base);
  if (isMethodOf(base, name)) {
    cx.error(CODES.notCallable, e.span, `'${name}' is a method: it must be called, as ${name}(...)`);
    return;
  }
  const near = closest(name, members);
  const what = typeToString(base);
  cx.error(
    CODES.noSuchMember,
    e.member.span,
    `${what} has no member '${name}'`,
    ...(near !== undefined
      ? hint(near)
      : members.length > 0 && members.length <= 12
        ? [`its members are ${members.join(", ")}`]
        : []),
  );
}

/** What can be written after the dot of a value of a type. */
export function memberNames(type: Type): string[] {
  switch (type.kind) {
    case "struct":
    case "structLiteral":
      return type.fields.map((field) => field.name);
    case "header":
      return [...type.fields.map((field) => field.name), "isValid", "setValid", "setInvalid"];
    case "headerUnion":
      return [...type.fields.map((field) => field.name), "isValid"];
    case "stack":
      return [...STACK_PROPERTIES, "push_front", "pop_front"];
    case "applyResult":
      return [...RESULT_PROPERTIES];
    case "enum":
    case "serializableEnum":
      return type.declaration.members.map((member) => member.name.name);
    case "extern":
      return [...new Set(type.declaration.methods.map((method) => method.name.name))];
    case "table":
    case "parser":
    case "control":
      return ["apply"];
    default:
      return [];
  }
}

function isMethodOf(type: Type, name: string): boolean {
  if ((SIZE_METHODS as readonly string[]).includes(name)) return true;
  const fields = "fields" in type ? type.fields.map((field) => field.name) : [];
  if (fields.includes(name) || type.kind === "applyResult" || type.kind === "enum") return false;
  return type.kind !== "serializableEnum" && memberNames(type).includes(name);
}
