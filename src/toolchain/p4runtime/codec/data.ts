/**
 * Values of registers and digests (P4Runtime spec 8.4): a P4 type spec says how a flat list of numbers, in the
 * order of the type's leaves, is laid out as `P4Data`. Booleans are 0 and 1, `int<W>` its unsigned bits.
 */
import { create } from "@bufbuild/protobuf";
import { DeviceError } from "../../device/index.js";
import type { P4InfoIndex, p4types } from "../../program/index.js";
import { type P4Data, P4DataSchema } from "../generated/p4/v1/p4data_pb.js";
import { decodeName, decodeSigned, decodeSlot, encodeName, encodeSigned, encodeSlot } from "./bytes.js";
import { invalid, type Wire } from "./wire.js";

type Spec = p4types.P4DataTypeSpec | undefined;

/** Takes the values of one type from the front of `values`; `what` names the object in messages. */
export function encodeData(wire: Wire, spec: Spec, values: readonly bigint[], what: string): P4Data {
  const rest = values.values();
  const take = (): bigint => {
    const next = rest.next();
    if (next.done) throw invalid(`"${what}": fewer values than its type has`);
    return next.value;
  };
  const data = encode(wire, spec, take, what, 0);
  if (!rest.next().done) throw invalid(`"${what}": more values than its type has`);
  return data;
}

export function decodeData(wire: Wire, spec: Spec, data: P4Data | undefined, what: string): bigint[] {
  const out: bigint[] = [];
  decode({ wire, what, out }, spec, data, 0);
  return out;
}

/** Types are nested by name; a malformed P4Info could nest them without end. */
const MAX_DEPTH = 32;

/** Structs and tuples as lists of types, new types as the types that they rename. */
function resolve(index: P4InfoIndex, spec: Spec, what: string, depth: number): NonNullable<Spec>["typeSpec"] {
  const type = spec?.typeSpec;
  if (depth > MAX_DEPTH) throw invalid(`"${what}": its type is nested too deep`);
  if (type?.case !== "newType") return type ?? { case: undefined };
  const representation = index.types?.newTypes[type.value.name]?.representation;
  if (representation?.case === "originalType") return resolve(index, representation.value, what, depth + 1);
  return type;
}

function unsupported(type: NonNullable<Spec>["typeSpec"], what: string): DeviceError {
  return new DeviceError(
    "UNIMPLEMENTED",
    `"${what}": values of type ${type.case ?? "unknown"} are not supported`,
  );
}

function encode(wire: Wire, spec: Spec, take: () => bigint, what: string, depth: number): P4Data {
  const { index, naming } = wire;
  const type = resolve(index, spec, what, depth);
  const slot = (bitwidth: number): Uint8Array =>
    encodeSlot(naming, take(), { bitwidth, isString: false }, () => `"${what}"`, "OUT_OF_RANGE");
  switch (type.case) {
    case "bitstring": {
      const bits = type.value.typeSpec;
      if (bits.case === "bit") {
        return create(P4DataSchema, { data: { case: "bitstring", value: slot(bits.value.bitwidth) } });
      }
      if (bits.case !== "int") throw unsupported(type, what);
      const value = encodeSigned(take(), bits.value.bitwidth);
      return create(P4DataSchema, { data: { case: "bitstring", value } });
    }
    case "bool":
      return create(P4DataSchema, { data: { case: "bool", value: take() !== 0n } });
    case "serializableEnum": {
      const width = index.bitwidthOf(spec);
      if (width === undefined) throw unsupported(type, what);
      return create(P4DataSchema, { data: { case: "enumValue", value: slot(width) } });
    }
    case "newType": {
      const named = index.stringTypeOf(spec);
      if (named !== undefined) {
        return create(P4DataSchema, {
          data: { case: "bitstring", value: encodeName(take(), named, naming) },
        });
      }
      const width = index.bitwidthOf(spec);
      if (width === undefined) throw unsupported(type, what);
      return create(P4DataSchema, { data: { case: "bitstring", value: slot(width) } });
    }
    case "struct":
    case "tuple": {
      const specs = index.membersOf(spec);
      if (specs === undefined) throw unsupported(type, what);
      const members = specs.map((member) => encode(wire, member, take, what, depth + 1));
      return create(P4DataSchema, { data: { case: type.case, value: { members } } });
    }
    default:
      throw unsupported(type, what);
  }
}

/** A value on its way from its message: the parts are added to `out`. */
interface Decoding {
  readonly wire: Wire;
  readonly what: string;
  readonly out: bigint[];
}

function decode(decoding: Decoding, spec: Spec, message: P4Data | undefined, depth: number): void {
  const { wire, what, out } = decoding;
  const { index, naming } = wire;
  const type = resolve(index, spec, what, depth);
  const data = message?.data;
  const expect = (name: string): DeviceError =>
    invalid(`"${what}": expected a ${name}, got ${data?.case ?? "nothing"}`);
  const slot = (bytes: Uint8Array, bitwidth: number): bigint =>
    decodeSlot(naming, bytes, { bitwidth, isString: false }, () => `"${what}"`, "OUT_OF_RANGE");
  switch (type.case) {
    case "bitstring": {
      const bits = type.value.typeSpec;
      if (bits.case !== "bit" && bits.case !== "int") throw unsupported(type, what);
      if (data?.case !== "bitstring") throw expect("bitstring");
      if (bits.case === "bit") out.push(slot(data.value, bits.value.bitwidth));
      else out.push(decodeSigned(data.value, bits.value.bitwidth, () => `"${what}"`));
      break;
    }
    case "bool":
      if (data?.case !== "bool") throw expect("bool");
      out.push(data.value ? 1n : 0n);
      break;
    case "serializableEnum":
    case "newType": {
      const named = index.stringTypeOf(spec);
      if (named !== undefined) {
        if (data?.case !== "bitstring") throw expect("bitstring");
        out.push(decodeName(data.value, named, naming, () => `"${what}"`));
        break;
      }
      const width = index.bitwidthOf(spec);
      if (width === undefined) throw unsupported(type, what);
      // BMv2 writes the members of a digest as bit strings, whatever their type
      if (data?.case !== "bitstring" && data?.case !== "enumValue") throw expect("bitstring");
      out.push(slot(data.value, width));
      break;
    }
    case "struct":
    case "tuple": {
      const specs = index.membersOf(spec);
      if (specs === undefined) throw unsupported(type, what);
      if (data?.case !== "struct" && data?.case !== "tuple") throw expect(type.case);
      const { members } = data.value;
      if (members.length !== specs.length) {
        throw invalid(`"${what}": ${members.length} members where its type has ${specs.length}`);
      }
      for (const [i, member] of specs.entries()) decode(decoding, member, members[i], depth + 1);
      break;
    }
    default:
      throw unsupported(type, what);
  }
}
