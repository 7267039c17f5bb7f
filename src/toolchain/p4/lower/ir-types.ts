/** Types of the lowered program: sizes, fields, and how types of the checker become them. */
import type { Span } from "../../../base/index.js";
import { defined, fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Annotation, StructLikeDeclaration } from "../syntax/ast.js";
import type { Type } from "../types/index.js";
import type { ActionParam, AggregateType, BitsType, IrField, IrType } from "./ir.js";

/** Width in bits of `error` and enum values: BMv2 has no smaller home for them (p4c does the same). */
export const ENUM_WIDTH = 32;

/** Bits for values of type `int` at run time; BMv2 computes with integers of any size. */
const INTEGER_WIDTH = 512;

export const BOOL: IrType = { kind: "bool" };
const ERROR: IrType = { kind: "error" };

const bitsCache = new Map<number, BitsType>();

/** `bit<width>`, or `int<width>` when `signed`. */
export function bits(width: number, signed = false): BitsType {
  const key = signed ? -width - 1 : width;
  let type = bitsCache.get(key);
  if (type === undefined) {
    type = { kind: "bits", width, signed };
    bitsCache.set(key, type);
  }
  return type;
}

/** Turns checked types into types of the lowered program; one per compilation, so that equal types are one object. */
export class TypeTranslator {
  readonly #structs = new Map<StructLikeDeclaration, AggregateType[]>();
  readonly #keys = new Map<AggregateType, string>();
  readonly #enums = new Map<object, IrType>();

  translate(type: Type, span: Span | undefined): IrType {
    switch (type.kind) {
      case "bit":
        return bits(type.width);
      case "int":
        return bits(type.width, true);
      case "varbit":
        return { kind: "varbits", width: type.width };
      case "bool":
        return BOOL;
      case "error":
        return ERROR;
      case "string":
        return { kind: "string" };
      case "integer":
        // A value that was cast to `int`: wide enough that nothing is lost before it is cast back.
        return bits(INTEGER_WIDTH, true);
      case "newType":
      case "serializableEnum":
        return this.translate(type.underlying, span);
      case "enum": {
        let known = this.#enums.get(type.declaration);
        if (known === undefined) {
          const members = type.declaration.members.map((member) => member.name.name);
          known = { kind: "enum", name: type.declaration.name.name, members };
          this.#enums.set(type.declaration, known);
        }
        return known;
      }
      case "struct":
      case "header":
      case "headerUnion":
        return this.#aggregate(type, span);
      case "stack": {
        return { kind: "stack", element: this.translate(type.element, span), size: type.size };
      }
      case "tuple":
        return this.#tuple(type.elements.map((element) => this.translate(element, span)));
      case "structLiteral":
        return {
          kind: "struct",
          name: "",
          fields: type.fields.map((field) => ({
            name: field.name,
            type: this.translate(field.type, span),
            annotations: [],
          })),
        };
      default:
        return fail(
          CODES.noValueAtRunTime,
          span,
          `not supported yet: a value of type ${type.kind} at run time`,
        );
    }
  }

  #tuple(elements: IrType[]): AggregateType {
    const fields = elements.map((type, index): IrField => ({ name: `f${index}`, type, annotations: [] }));
    return { kind: "struct", name: "tuple", fields };
  }

  #aggregate(type: Extract<Type, { kind: "struct" | "header" | "headerUnion" }>, span: Span | undefined) {
    const fields = type.fields.map(
      (field, index): IrField => ({
        name: field.name,
        type: this.translate(field.type, span),
        annotations: defined(type.declaration.fields[index]).annotations,
      }),
    );
    const key = fields.map((field) => typeKey(field.type)).join(",");
    const same = this.#structs.get(type.declaration) ?? [];
    for (const known of same) if (this.#keys.get(known) === key) return known;
    const name = controlPlaneTypeName(type.declaration);
    const made: AggregateType = {
      kind: type.kind === "headerUnion" ? "union" : type.kind,
      name: same.length === 0 ? name : `${name}_${same.length}`,
      span: type.declaration.name.span,
      annotations: type.declaration.annotations,
      fields,
    };
    this.#keys.set(made, key);
    same.push(made);
    this.#structs.set(type.declaration, same);
    return made;
  }
}

/** The `@name` of a type declaration, or its own name. */
function controlPlaneTypeName(declaration: StructLikeDeclaration): string {
  return nameAnnotation(declaration.annotations) ?? declaration.name.name;
}

/** The text of `@name("...")`, if there is one. */
export function nameAnnotation(annotations: readonly Annotation[]): string | undefined {
  const body = annotations.find((annotation) => annotation.name === "name")?.body;
  if (body === undefined || body.kind === "none" || body.kind === "pairs") return undefined;
  const value = body.values?.[0];
  return value?.kind === "stringLiteral" ? value.value : undefined;
}

/** The name of an action's parameter for the control plane. */
export function parameterName({ annotations, variable }: ActionParam): string {
  return nameAnnotation(annotations) ?? variable.name;
}

/** Whether two types are the same. */
export function sameType(a: IrType, b: IrType): boolean {
  return a === b || (a.kind === b.kind && typeKey(a) === typeKey(b));
}

function typeKey(type: IrType): string {
  switch (type.kind) {
    case "bits":
      return `${type.signed ? "i" : "b"}${type.width}`;
    case "varbits":
      return `v${type.width}`;
    case "struct":
    case "header":
    case "union":
      return `${type.kind} ${type.name}{${type.fields.map((field) => typeKey(field.type)).join(",")}}`;
    case "stack":
      return `${typeKey(type.element)}[${type.size}]`;
    case "enum":
      return `enum ${type.name}`;
    default:
      return type.kind;
  }
}

/** Bits that a value of a scalar type takes in BMv2's memory; undefined for strings and aggregates. */
export function scalarWidth(type: IrType): number | undefined {
  switch (type.kind) {
    case "bits":
      return type.width;
    case "bool":
      return 1;
    case "error":
    case "enum":
      return ENUM_WIDTH;
    case "varbits":
      return type.width;
    default:
      return undefined;
  }
}

/** Whether the type is a stack of headers or header unions, not an array of values. */
export function isHeaderStack(type: IrType): boolean {
  return type.kind === "stack" && (type.element.kind === "header" || type.element.kind === "union");
}

export function isAggregate(type: IrType): boolean {
  return type.kind === "struct" || type.kind === "header" || type.kind === "union" || type.kind === "stack";
}

/** Sum of the widths of all fields, however deep; varbit fields count with their largest size. */
export function totalWidth(type: IrType): number {
  if (type.kind === "stack") return type.size * totalWidth(type.element);
  if (type.kind === "struct" || type.kind === "header" || type.kind === "union")
    return type.fields.reduce((sum, field) => sum + totalWidth(field.type), 0);
  return scalarWidth(type) ?? 0;
}

export function fieldOf(type: IrType, name: string): IrField {
  if (type.kind === "struct" || type.kind === "header" || type.kind === "union") {
    const field = type.fields.find((candidate) => candidate.name === name);
    if (field !== undefined) return field;
  }
  throw new Error(`no field ${name} in ${type.kind}`);
}
