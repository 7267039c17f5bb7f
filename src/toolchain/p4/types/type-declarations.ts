/** Declarations of types: structs, headers, unions, enums, errors, match kinds, typedefs, externs, packages. */
import { CODES } from "../codes.js";
import type {
  EnumDeclaration,
  ErrorDeclaration,
  ExternDeclaration,
  FieldDeclaration,
  FunctionDeclaration,
  MatchKindDeclaration,
  PackageDeclaration,
  StructLikeDeclaration,
  TypedefDeclaration,
} from "../syntax/ast.js";
import { typeToString, UNKNOWN } from "./algebra.js";
import { checkAnnotations } from "./annotations.js";
import type { Checker } from "./checker.js";
import { coerce, constantOf } from "./coerce.js";
import { checkExpression } from "./expressions.js";
import { checkFunction, checkParameters, declareTypeParameters } from "./functions.js";
import { elementProblem } from "./nesting.js";
import type { Type } from "./type.js";
import { declaredType, limitParts, resolveType } from "./type-expressions.js";

const CONTAINER_WORDS = { struct: "struct", header: "header", headerUnion: "header union" } as const;

export function checkStructLike(cx: Checker, d: StructLikeDeclaration): void {
  checkAnnotations(cx, d.annotations, "type");
  cx.scoped(() => {
    declareTypeParameters(cx, d.typeParams);
    const seen = new Map<string, FieldDeclaration>();
    for (const field of d.fields) {
      checkAnnotations(cx, field.annotations, "field");
      const type = resolveType(cx, field.typeExpression);
      field.type = type;
      const wrong = elementProblem(d.kind, type);
      if (wrong !== undefined) {
        const article = d.kind === "headerUnion" || d.kind === "header" || d.kind === "struct" ? "a" : "an";
        cx.error(
          CODES.typeNesting,
          field.typeExpression.span,
          `field '${field.name.name}' of ${article} ${CONTAINER_WORDS[d.kind]} cannot have ${wrong}`,
          ...fieldAdvice(d.kind, type),
        );
        field.type = UNKNOWN;
      }
      const first = seen.get(field.name.name);
      if (first !== undefined) cx.duplicate(field.name, first.name);
      else seen.set(field.name.name, field);
    }
  });
  if (d.typeParams.length === 0) {
    const type = limitParts(
      cx,
      declaredType(cx, d),
      d.name.span,
      `${CONTAINER_WORDS[d.kind]} '${d.name.name}'`,
    );
    cx.declaredTypes.set(d, type);
  }
  cx.declare(d);
}

function fieldAdvice(kind: StructLikeDeclaration["kind"], type: Type): string[] {
  if (kind === "headerUnion") return ["the members of a header union are headers"];
  if (kind === "header" && type.kind === "enum")
    return [`give the enum an underlying type: enum bit<8> ${type.declaration.name.name} { ... }`];
  if (kind === "header")
    return ["a header holds bit<W>, int<W>, varbit<W>, bool, enums with a width, and structs of these"];
  if (type.kind === "integer") return ["give it a width, as in bit<32>"];
  return [];
}

export function checkEnum(cx: Checker, d: EnumDeclaration): void {
  checkAnnotations(cx, d.annotations, "other");
  const seen = new Map<string, (typeof d.members)[number]>();
  for (const member of d.members) {
    checkAnnotations(cx, member.annotations, "other");
    const first = seen.get(member.name.name);
    if (first !== undefined) cx.duplicate(member.name, first.name);
    else seen.set(member.name.name, member);
  }
  if (d.underlying === undefined) {
    cx.declaredTypes.set(d, { kind: "enum", declaration: d });
    cx.declare(d);
    return;
  }
  const underlying = resolveType(cx, d.underlying);
  if (underlying.kind !== "bit" && underlying.kind !== "int" && underlying.kind !== "unknown") {
    cx.error(
      CODES.enumType,
      d.underlying.span,
      `the underlying type of an enum is bit<W> or int<W>, not ${typeToString(underlying)}`,
    );
    cx.declaredTypes.set(d, UNKNOWN);
  } else cx.declaredTypes.set(d, { kind: "serializableEnum", declaration: d, underlying });
  checkMemberValues(cx, d, underlying);
  cx.declare(d);
}

/** Values of members; each can use the members before it. */
function checkMemberValues(cx: Checker, d: EnumDeclaration, underlying: Type): void {
  const known = underlying.kind === "bit" || underlying.kind === "int";
  cx.scoped(() => {
    for (const member of d.members) {
      if (member.value === undefined) continue;
      const type = checkExpression(cx, member.value, underlying);
      cx.scope.names.set(member.name.name, [member]);
      cx.memberTypes.set(member, cx.declaredTypes.get(d) ?? UNKNOWN);
      if (!known || type.kind === "unknown") continue;
      if (!coerce(cx, member.value, underlying, `the value of '${member.name.name}'`)) continue;
      const value = constantOf(member.value);
      if (value === undefined)
        cx.error(
          CODES.constantNotConstant,
          member.value.span,
          `the value of '${member.name.name}' must be known at compile time`,
        );
      else cx.enumValues.set(member, value);
    }
  });
}

export function checkErrors(cx: Checker, d: ErrorDeclaration): void {
  for (const member of d.members) {
    const first = cx.errorByName.get(member.name.name);
    if (first !== undefined) {
      cx.duplicate(member.name, first.name);
      continue;
    }
    cx.errorByName.set(member.name.name, member);
    cx.errors.push(member);
  }
}

export function checkMatchKinds(cx: Checker, d: MatchKindDeclaration): void {
  for (const member of d.members) {
    const first = cx.matchKindByName.get(member.name.name);
    if (first !== undefined) {
      cx.duplicate(member.name, first.name);
      continue;
    }
    cx.matchKindByName.set(member.name.name, member);
    cx.matchKinds.push(member);
  }
}

export function checkTypedef(cx: Checker, d: TypedefDeclaration): void {
  checkAnnotations(cx, d.annotations, "other");
  const type = resolveType(cx, d.typeExpression);
  if (!d.isNew) {
    if (["void", "dontCare", "matchKind"].includes(type.kind))
      cx.error(
        CODES.typeCannotStandHere,
        d.typeExpression.span,
        `typedef cannot give a name to ${typeToString(type)}`,
      );
    cx.declaredTypes.set(d, type);
  } else {
    if (!["bit", "int", "bool", "newType", "unknown"].includes(type.kind)) {
      cx.error(
        CODES.typeCannotStandHere,
        d.typeExpression.span,
        `a new type can be made of bit<W>, int<W> or bool, not of ${typeToString(type)}`,
        "typedef gives another name to any type",
      );
      cx.declaredTypes.set(d, UNKNOWN);
    } else cx.declaredTypes.set(d, { kind: "newType", declaration: d, underlying: type });
  }
  cx.declare(d);
}

export function checkExtern(cx: Checker, d: ExternDeclaration): void {
  checkAnnotations(cx, d.annotations, "other");
  cx.declare(d);
  cx.scoped(() => {
    declareTypeParameters(cx, d.typeParams);
    for (const prototype of d.constructors) checkFunction(cx, prototype, "prototype");
    for (const method of d.methods) checkFunction(cx, method, "prototype");
  });
  for (const method of d.methods)
    if (method.name.name === d.name.name)
      cx.error(
        CODES.abstractMethods,
        method.name.span,
        `'${d.name.name}' is the constructor of its extern, so it has no return type`,
      );
  forbidTwins(cx, d.constructors);
  forbidTwins(cx, d.methods);
}

/** Overloads must differ in the number or the names of their parameters; abstract methods have no overloads. */
function forbidTwins(cx: Checker, functions: readonly FunctionDeclaration[]): void {
  const byName = new Map<string, FunctionDeclaration[]>();
  for (const declaration of functions) {
    const others = byName.get(declaration.name.name);
    if (others === undefined) {
      byName.set(declaration.name.name, [declaration]);
      continue;
    }
    const twin = others.find((other) => {
      if (other.isAbstract || declaration.isAbstract) return true;
      const names = new Set(other.params.map((param) => param.name.name));
      return (
        other.params.length === declaration.params.length &&
        declaration.params.every((param) => names.has(param.name.name))
      );
    });
    if (twin !== undefined) cx.duplicate(declaration.name, twin.name);
    others.push(declaration);
  }
}

export function checkPackage(cx: Checker, d: PackageDeclaration): void {
  checkAnnotations(cx, d.annotations, "other");
  cx.declare(d);
  cx.scoped(() => {
    declareTypeParameters(cx, d.typeParams);
    checkParameters(cx, d.constructorParams, "package");
  });
}
