/** Operations on types: text, equality, substitution, width, the underlying type of a new type. */
import { defined } from "../../../base/index.js";
import type { Parameter, StructLikeDeclaration, TypeParameter } from "../syntax/ast.js";
import type { StructLikeType, Type, TypedField } from "./type.js";

export type Substitution = ReadonlyMap<TypeParameter, Type>;

export const UNKNOWN: Type = { kind: "unknown" };
export const BOOL: Type = { kind: "bool" };
export const INTEGER: Type = { kind: "integer" };
export const STRING: Type = { kind: "string" };
export const ERROR: Type = { kind: "error" };
export const MATCH_KIND: Type = { kind: "matchKind" };
export const VOID: Type = { kind: "void" };
export const DONT_CARE: Type = { kind: "dontCare" };

const bitTypes: Type[] = [];
const intTypes: Type[] = [];

/** `bit<width>`; one object a width. */
export function bitType(width: number): Type {
  return (bitTypes[width] ??= { kind: "bit", width });
}

/** `int<width>`; one object a width. */
export function intType(width: number): Type {
  return (intTypes[width] ??= { kind: "int", width });
}

/** A struct, header or union; its fields are computed at the first use. */
class DeclaredStruct implements StructLikeType {
  readonly kind: "struct" | "header" | "headerUnion";
  #fields: readonly TypedField[] | undefined;

  constructor(
    readonly declaration: StructLikeDeclaration,
    readonly args: Type[],
  ) {
    this.kind = declaration.kind;
  }

  get fields(): readonly TypedField[] {
    if (this.#fields === undefined) {
      const { typeParams, fields } = this.declaration;
      const map = substitutionOf(typeParams, this.args);
      this.#fields = fields.map((field) => ({
        name: field.name.name,
        type: substitute(field.type ?? UNKNOWN, map),
      }));
    }
    return this.#fields;
  }
}

export function structType(declaration: StructLikeDeclaration, args: Type[]): StructLikeType {
  return new DeclaredStruct(declaration, args);
}

/** Type parameters to their arguments; missing arguments stay open. */
export function substitutionOf(params: readonly TypeParameter[], args: readonly Type[]): Substitution {
  const map = new Map<TypeParameter, Type>();
  for (const [index, param] of params.entries()) {
    const arg = args[index];
    if (arg !== undefined) map.set(param, arg);
  }
  return map;
}

/** The type with type variables replaced; the same object where nothing changes. */
export function substitute(type: Type, map: Substitution): Type {
  if (map.size === 0) return type;
  switch (type.kind) {
    case "typeVariable":
      return map.get(type.declaration) ?? type;
    case "struct":
    case "header":
    case "headerUnion": {
      const args = substituteAll(type.args, map);
      return args === type.args ? type : structType(type.declaration, args);
    }
    case "extern":
    case "parser":
    case "control":
    case "package": {
      const args = substituteAll(type.args, map);
      return args === type.args ? type : ({ ...type, args } as Type);
    }
    case "stack":
    case "list":
    case "set": {
      const element = substitute(type.element, map);
      return element === type.element ? type : { ...type, element };
    }
    case "tuple": {
      const elements = substituteAll(type.elements, map);
      return elements === type.elements ? type : { kind: "tuple", elements };
    }
    case "structLiteral":
      return {
        kind: "structLiteral",
        fields: type.fields.map((field) => ({ name: field.name, type: substitute(field.type, map) })),
      };
    case "function":
      return { ...type, returns: substitute(type.returns, map) };
    case "typeName":
      return { kind: "typeName", type: substitute(type.type, map) };
    default:
      return type;
  }
}

function substituteAll(types: Type[], map: Substitution): Type[] {
  let changed = false;
  const result = types.map((type) => {
    const next = substitute(type, map);
    if (next !== type) changed = true;
    return next;
  });
  return changed ? result : types;
}

/** Same type: declared types by declaration and arguments, the others by structure (section 7.2). */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  switch (a.kind) {
    case "bit":
    case "int":
    case "varbit":
      return b.kind === a.kind && b.width === a.width;
    case "struct":
    case "header":
    case "headerUnion":
      return b.kind === a.kind && a.declaration === b.declaration && sameTypes(a.args, b.args);
    case "stack":
      return b.kind === "stack" && a.size === b.size && sameType(a.element, b.element);
    case "tuple":
      return b.kind === "tuple" && sameTypes(a.elements, b.elements);
    case "list":
    case "set":
      return b.kind === a.kind && sameType(a.element, b.element);
    case "enum":
    case "serializableEnum":
    case "newType":
    case "table":
    case "applyResult":
    case "actionRun":
    case "action":
    case "function":
    case "typeVariable":
      return b.kind === a.kind && a.declaration === b.declaration;
    case "extern":
    case "parser":
    case "control":
    case "package":
      return b.kind === a.kind && a.declaration === b.declaration && sameTypes(a.args, b.args);
    case "structLiteral":
      return (
        b.kind === "structLiteral" &&
        a.fields.length === b.fields.length &&
        a.fields.every((field, i) => {
          const other = defined(b.fields[i]);
          return field.name === other.name && sameType(field.type, other.type);
        })
      );
    case "typeName":
      return b.kind === "typeName" && sameType(a.type, b.type);
    default:
      return a.kind === b.kind;
  }
}

function sameTypes(a: readonly Type[], b: readonly Type[]): boolean {
  return a.length === b.length && a.every((type, i) => sameType(type, defined(b[i])));
}

/** The type beneath new types and serialisable enums; any other type itself. */
export function unwrap(type: Type): Type {
  let inner = type;
  while (inner.kind === "newType" || inner.kind === "serializableEnum") inner = inner.underlying;
  return inner;
}

/** The type beneath new types only. */
export function unwrapNew(type: Type): Type {
  let inner = type;
  while (inner.kind === "newType") inner = inner.underlying;
  return inner;
}

/** Size in bits as in `maxSizeInBits` (section 9); undefined for types without a size. */
export function widthOf(type: Type): number | undefined {
  return sizeOf(type, "max");
}

/** `minSizeInBits` or `maxSizeInBits` of a type; undefined where section 9 defines none. */
export function sizeOf(type: Type, which: "min" | "max"): number | undefined {
  switch (type.kind) {
    case "bit":
    case "int":
      return type.width;
    case "varbit":
      return which === "max" ? type.width : 0;
    case "bool":
      return 1;
    case "newType":
    case "serializableEnum":
      return sizeOf(type.underlying, which);
    case "struct":
    case "header":
      return sum(
        type.fields.map((field) => field.type),
        which,
      );
    case "tuple":
      return sum(type.elements, which);
    case "structLiteral":
      return sum(
        type.fields.map((field) => field.type),
        which,
      );
    case "headerUnion": {
      const sizes = type.fields.map((field) => sizeOf(field.type, which));
      return sizes.includes(undefined) ? undefined : Math.max(0, ...(sizes as number[]));
    }
    case "stack": {
      const size = sizeOf(type.element, which);
      return size === undefined ? undefined : size * type.size;
    }
    default:
      return undefined;
  }
}

const counted = new WeakMap<Type, number>();

/** How many scalars a value of the type holds; a header counts as at least one. */
export function partCount(type: Type): number {
  if (!("fields" in type) && type.kind !== "stack" && type.kind !== "tuple") return 1;
  const known = counted.get(type);
  if (known !== undefined) return known;
  let count = 0;
  if (type.kind === "stack") count = type.size * partCount(type.element);
  else if (type.kind === "tuple") for (const element of type.elements) count += partCount(element);
  else for (const field of type.fields) count += partCount(field.type);
  count = Math.max(1, count);
  counted.set(type, count);
  return count;
}

function sum(types: readonly Type[], which: "min" | "max"): number | undefined {
  let total = 0;
  for (const type of types) {
    const size = sizeOf(type, which);
    if (size === undefined) return undefined;
    total += size;
  }
  return total;
}

/** Whether a type holds something that `test` accepts, at any depth of its structure and arguments. */
export function contains(type: Type, test: (type: Type) => boolean): boolean {
  if (test(type)) return true;
  switch (type.kind) {
    case "struct":
    case "header":
    case "headerUnion":
      return type.fields.some((field) => contains(field.type, test));
    case "structLiteral":
      return type.fields.some((field) => contains(field.type, test));
    case "extern":
    case "parser":
    case "control":
    case "package":
      return type.args.some((arg) => contains(arg, test));
    case "stack":
    case "list":
    case "set":
      return contains(type.element, test);
    case "tuple":
      return type.elements.some((element) => contains(element, test));
    default:
      return false;
  }
}

/** The type as P4 writes it. */
export function typeToString(type: Type): string {
  switch (type.kind) {
    case "bit":
    case "int":
    case "varbit":
      return `${type.kind}<${type.width}>`;
    case "integer":
      return "int";
    case "matchKind":
      return "match_kind";
    case "bool":
    case "string":
    case "error":
    case "void":
      return type.kind;
    case "struct":
    case "header":
    case "headerUnion":
    case "extern":
    case "parser":
    case "control":
    case "package":
      return withArgs(type.declaration.name.name, type.args);
    case "stack":
      return `${typeToString(type.element)}[${type.size}]`;
    case "tuple":
      return `tuple<${type.elements.map(typeToString).join(", ")}>`;
    case "list":
    case "set":
      return `${type.kind}<${typeToString(type.element)}>`;
    case "enum":
    case "serializableEnum":
    case "newType":
    case "typeVariable":
      return type.declaration.name.name;
    case "table":
      return `table ${type.declaration.name.name}`;
    case "applyResult":
      return `result of ${type.declaration.name.name}.apply()`;
    case "actionRun":
      return `action_run of ${type.declaration.name.name}`;
    case "action":
      return `action ${type.declaration.name.name}`;
    case "function":
      return `function ${signatureToString(type.declaration.name.name, type.params)}`;
    case "structLiteral":
      return `{ ${type.fields.map((field) => `${field.name} = ${typeToString(field.type)}`).join(", ")} }`;
    case "typeName":
      return `type ${typeToString(type.type)}`;
    case "invalidHeader":
      return "{#}";
    case "dontCare":
      return "_";
    case "state":
    case "default":
    case "unknown":
      return type.kind;
  }
}

/** `f(in bit<8> x, out T y)`, for messages. */
export function signatureToString(name: string, params: readonly Parameter[]): string {
  const list = params.map((param) => {
    const direction = param.direction === "none" ? "" : `${param.direction} `;
    return `${direction}${typeToString(param.type ?? UNKNOWN)} ${param.name.name}`;
  });
  return `${name}(${list.join(", ")})`;
}

function withArgs(name: string, args: readonly Type[]): string {
  return args.length === 0 ? name : `${name}<${args.map(typeToString).join(", ")}>`;
}
