/** Types in P4Info: the `type_info` dictionary, names of user types, and their widths for a controller. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import { toBytes, toUnsigned } from "../../../base/index.js";
import type { p4types } from "../../program/index.js";
import { fault } from "../lower/ir.js";
import { nameAnnotation } from "../lower/ir-types.js";
import type { TypedefDeclaration } from "../syntax/ast.js";
import type { StructLikeType, Type } from "../types/index.js";
import { annotated, annotationArguments, findAnnotation, integerOf } from "./p4info-annotations.js";
import { typeWidth } from "./type-width.js";

type DataSpec = MessageInitShape<typeof p4types.P4DataTypeSpecSchema>;
type BitSpec = MessageInitShape<typeof p4types.P4BitstringLikeTypeSpecSchema>;
type TypeInfo = MessageInitShape<typeof p4types.P4TypeInfoSchema>;

interface Translation {
  uri: string;
  /** Undefined where the controller uses a string. */
  width: number | undefined;
}

/** `@p4runtime_translation(uri, width or string)` of a `type` declaration. */
function translationOf(declaration: TypedefDeclaration): Translation | undefined {
  const [uri, sdn] = annotationArguments(declaration.annotations, "p4runtime_translation") ?? [];
  if (uri?.kind !== "stringLiteral") return undefined;
  // The second argument is a width, `bit<W>`, or `string`.
  const width = integerOf(sdn);
  return { uri: uri.value, width: width === undefined ? bitWidthIn(declaration) : Number(width) };
}

/** `bit<W>` as the second argument does not parse as an expression: read it from the text. */
function bitWidthIn(declaration: TypedefDeclaration): number | undefined {
  const body = findAnnotation(declaration.annotations, "p4runtime_translation")?.body;
  const width = body?.kind === "unstructured" ? /bit\s*<\s*(\d+)\s*>/.exec(body.text)?.[1] : undefined;
  return width === undefined ? undefined : Number(width);
}

/** Width of a value as a controller sends it: 0 for strings. */
export function controllerWidth(type: Type): number {
  if (type.kind === "newType") {
    const translation = translationOf(type.declaration);
    if (translation !== undefined) return translation.width ?? 0;
  }
  return typeWidth(type);
}

/** The name for a field's `type_name`: that of a `type` declaration. */
export function newTypeName(type: Type): string | undefined {
  return type.kind === "newType" ? type.declaration.name.name : undefined;
}

/** Collects the user's types that P4Info objects mention. */
export class TypeRegistry {
  readonly info = {
    structs: {} as NonNullable<TypeInfo["structs"]>,
    headers: {} as NonNullable<TypeInfo["headers"]>,
    headerUnions: {} as NonNullable<TypeInfo["headerUnions"]>,
    enums: {} as NonNullable<TypeInfo["enums"]>,
    serializableEnums: {} as NonNullable<TypeInfo["serializableEnums"]>,
    newTypes: {} as NonNullable<TypeInfo["newTypes"]>,
    error: undefined as TypeInfo["error"],
  };

  constructor(readonly errors: readonly string[]) {}

  /** The description of a type; the user's types in it are added to the dictionary. */
  describe(type: Type): DataSpec {
    switch (type.kind) {
      case "bit":
      case "int":
      case "varbit":
        return { typeSpec: { case: "bitstring", value: bitstring(type) } };
      case "bool":
        return { typeSpec: { case: "bool", value: {} } };
      case "error":
        this.info.error ??= { members: [...this.errors] };
        return { typeSpec: { case: "error", value: {} } };
      case "tuple":
        return {
          typeSpec: { case: "tuple", value: { members: type.elements.map((one) => this.describe(one)) } },
        };
      case "struct":
        return { typeSpec: { case: "struct", value: { name: this.#struct(type) } } };
      case "header":
        return { typeSpec: { case: "header", value: { name: this.#header(type) } } };
      case "headerUnion":
        return { typeSpec: { case: "headerUnion", value: { name: this.#union(type) } } };
      case "stack":
        return this.#stack(type);
      case "enum":
        return { typeSpec: { case: "enum", value: { name: this.#enum(type) } } };
      case "serializableEnum":
        return { typeSpec: { case: "serializableEnum", value: { name: this.#serializableEnum(type) } } };
      case "newType":
        return { typeSpec: { case: "newType", value: { name: this.#newType(type) } } };
      default:
        return fault(undefined, `a controller cannot be shown a value of type ${type.kind}`);
    }
  }

  #stack(type: Extract<Type, { kind: "stack" }>): DataSpec {
    const { element, size } = type;
    if (element.kind === "header")
      return { typeSpec: { case: "headerStack", value: { header: { name: this.#header(element) }, size } } };
    if (element.kind === "headerUnion")
      return {
        typeSpec: { case: "headerUnionStack", value: { headerUnion: { name: this.#union(element) }, size } },
      };
    return fault(undefined, "a controller cannot be shown this array");
  }

  #struct(type: StructLikeType): string {
    const name = typeName(type.declaration);
    if (this.info.structs[name] === undefined)
      this.info.structs[name] = {
        members: type.fields.map((field, index) => ({
          name: fieldName(type, index, field.name),
          typeSpec: this.describe(field.type),
        })),
      };
    return name;
  }

  #header(type: StructLikeType): string {
    const name = typeName(type.declaration);
    if (this.info.headers[name] === undefined)
      this.info.headers[name] = {
        members: flatFields(type).map((field) => {
          this.describe(field.type);
          return { name: field.name, typeSpec: bitstring(field.type) };
        }),
      };
    return name;
  }

  #union(type: StructLikeType): string {
    const name = typeName(type.declaration);
    if (this.info.headerUnions[name] === undefined)
      this.info.headerUnions[name] = {
        members: type.fields.map((field) => ({
          name: field.name,
          header: { name: field.type.kind === "header" ? this.#header(field.type) : "" },
        })),
      };
    return name;
  }

  #enum(type: Extract<Type, { kind: "enum" }>): string {
    const name = typeName(type.declaration);
    this.info.enums[name] ??= {
      members: type.declaration.members.map((member) => ({ name: member.name.name })),
    };
    return name;
  }

  #serializableEnum(type: Extract<Type, { kind: "serializableEnum" }>): string {
    const name = typeName(type.declaration);
    const width = typeWidth(type.underlying);
    this.info.serializableEnums[name] ??= {
      underlyingType: { bitwidth: width },
      members: type.declaration.members.map((member) => ({
        name: member.name.name,
        value: toBytes(toUnsigned(integerOf(member.value) ?? 0n, width), Math.ceil(width / 8)),
      })),
    };
    return name;
  }

  #newType(type: Extract<Type, { kind: "newType" }>): string {
    const name = typeName(type.declaration);
    if (this.info.newTypes[name] !== undefined) return name;
    let underlying: Type = type;
    while (underlying.kind === "newType") underlying = underlying.underlying;
    const translation = translationOf(type.declaration);
    const original = this.describe(underlying);
    const { annotations, structuredAnnotations } = annotated(type.declaration.annotations, [
      "p4runtime_translation",
    ]);
    this.info.newTypes[name] = {
      annotations,
      structuredAnnotations,
      representation:
        translation === undefined
          ? { case: "originalType", value: original }
          : {
              case: "translatedType",
              value: {
                uri: translation.uri,
                sdnType:
                  translation.width === undefined
                    ? { case: "sdnString", value: {} }
                    : { case: "sdnBitwidth", value: translation.width },
              },
            },
    };
    return name;
  }
}

function typeName(declaration: {
  name: { name: string };
  annotations: TypedefDeclaration["annotations"];
}): string {
  return nameAnnotation(declaration.annotations)?.replace(/^\./, "") ?? declaration.name.name;
}

function fieldName(type: StructLikeType, index: number, name: string): string {
  return nameAnnotation(type.declaration.fields[index]?.annotations ?? []) ?? name;
}

function bitstring(type: Type): BitSpec {
  switch (type.kind) {
    case "bit":
      return { typeSpec: { case: "bit", value: { bitwidth: type.width } } };
    case "int":
      return { typeSpec: { case: "int", value: { bitwidth: type.width } } };
    case "varbit":
      return { typeSpec: { case: "varbit", value: { maxBitwidth: type.width } } };
    case "newType":
    case "serializableEnum":
      return bitstring(type.underlying);
    default:
      return { typeSpec: { case: "bit", value: { bitwidth: typeWidth(type) } } };
  }
}

/** Fields of a header; structs inside it are flattened. */
export function flatFields(
  type: StructLikeType,
  prefix = "",
): { name: string; type: Type; annotations: TypedefDeclaration["annotations"] }[] {
  return type.fields.flatMap((field, index) => {
    const annotations = type.declaration.fields[index]?.annotations ?? [];
    const name = prefix + (nameAnnotation(annotations) ?? field.name);
    return field.type.kind === "struct"
      ? flatFields(field.type, `${name}.`)
      : [{ name, type: field.type, annotations }];
  });
}
