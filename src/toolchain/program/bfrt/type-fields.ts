/** The data type of an instance as a list of fields: BF Runtime knows no nesting. */
import { fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  P4BitstringLikeTypeSpec,
  P4DataTypeSpec,
  P4TypeInfo,
} from "../p4info/generated/p4/config/v1/p4types_pb.js";
import type { Context } from "./context.js";
import { bytes, plain } from "./fields.js";
import type { BfrtType } from "./schema.js";

interface TypeField {
  readonly id: number;
  readonly name: string;
  readonly type: BfrtType;
}

/** The names of the fields where the type has none, and the number of the first. */
interface Naming {
  readonly names?: readonly string[];
  readonly firstId?: number;
}

/**
 * The members of a struct, a header or a tuple, or one field `f1` of a single value, numbered upwards. Fails with P41023 where a
 * member has members itself, and with P41007 where the type is not described.
 */
export function typeFields(
  { p4info }: Context,
  spec: P4DataTypeSpec | undefined,
  owner: string,
  naming: Naming = {},
): TypeField[] {
  const first = naming.firstId ?? 1;
  const types = p4info.typeInfo;
  const type = spec?.typeSpec;
  const single = (member: P4DataTypeSpec | undefined): BfrtType => singleType(types, member, owner);
  switch (type?.case) {
    case "struct": {
      const struct = described(types?.structs, type.value.name, owner);
      return struct.members.map(({ name, typeSpec }, index) => ({
        id: first + index,
        name,
        type: single(typeSpec),
      }));
    }
    case "header": {
      const header = described(types?.headers, type.value.name, owner);
      return header.members.map(({ name, typeSpec }, index) => ({
        id: first + index,
        name,
        type: bytes(bitsOf(typeSpec)),
      }));
    }
    case "tuple":
      return type.value.members.map((member, index) => ({
        id: first + index,
        name: naming.names?.[index] ?? `f${first + index}`,
        type: single(member),
      }));
    case "bitstring":
    case "serializableEnum":
    case "newType":
      return [{ id: first, name: naming.names?.[0] ?? "f1", type: single(spec) }];
    default:
      return tooComplex(owner);
  }
}

/** Most new types that one stands for through others. */
const MAX_NEW_TYPES = 100;

/** `around`: the new types that the type stands for, so that none that stands for itself is followed without an end. */
function singleType(
  types: P4TypeInfo | undefined,
  spec: P4DataTypeSpec | undefined,
  owner: string,
  around: readonly string[] = [],
): BfrtType {
  const type = spec?.typeSpec;
  switch (type?.case) {
    case "serializableEnum":
      return bytes(described(types?.serializableEnums, type.value.name, owner).underlyingType?.bitwidth ?? 0);
    case "bitstring":
      return bytes(bitsOf(type.value));
    case "bool":
      return plain("bool", true);
    case "newType": {
      const { name } = type.value;
      if (around.length >= MAX_NEW_TYPES || around.includes(name)) return tooComplex(owner);
      const { representation } = described(types?.newTypes, name, owner);
      if (representation.case === "originalType")
        return singleType(types, representation.value, owner, [...around, name]);
      const translated = representation.value?.sdnType;
      return translated?.case === "sdnBitwidth" ? bytes(translated.value) : tooComplex(owner);
    }
    default:
      return tooComplex(owner);
  }
}

function bitsOf(spec: P4BitstringLikeTypeSpec | undefined): number {
  const type = spec?.typeSpec;
  return type?.case === "varbit" ? type.value.maxBitwidth : (type?.value?.bitwidth ?? 0);
}

function described<T>(types: Readonly<Record<string, T>> | undefined, name: string, owner: string): T {
  const found = types !== undefined && Object.hasOwn(types, name) ? types[name] : undefined;
  return (
    found ??
    fail(CODES.reference, undefined, `${owner} uses type "${name}", which type_info does not describe`)
  );
}

function tooComplex(owner: string): never {
  return fail(
    CODES.bfrtType,
    undefined,
    `the type of ${owner} has no form in bf-rt.json`,
    "a value, an enum with numbers, or a struct, header or tuple of such values has one",
  );
}
