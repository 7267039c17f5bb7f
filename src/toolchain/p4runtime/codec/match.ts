/** Match keys: `Match` by field name <-> `FieldMatch` by field id (P4Runtime spec 9.1.1). */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { maskOf } from "../../../base/index.js";
import { DeviceError, type Match, type Naming } from "../../device/index.js";
import type { FieldInfo, Slots } from "../../program/index.js";
import { type FieldMatch, FieldMatchSchema } from "../generated/p4/v1/p4runtime_pb.js";
import { bytesToValue, decodeSlot, encodeSlot } from "./bytes.js";
import { invalid, type Wire } from "./wire.js";

/** The key of a table or value set. */
export interface Keyed {
  readonly name: string;
  readonly fields: Slots<FieldInfo>;
}

export function encodeMatches(wire: Wire, owner: Keyed, matches: readonly Match[]): FieldMatch[] {
  return matches.map((match) => {
    const field = owner.fields.byName(match.field);
    if (field === undefined) {
      const known = owner.fields.list.map((f) => f.name).join(", ");
      throw invalid(`"${owner.name}" has no key field "${match.field}"; its fields: ${known}`);
    }
    const what = (): string => `"${owner.name}": field "${field.name}"`;
    if (match.kind !== field.kind) {
      throw invalid(`${what()} is matched ${field.kind}, not ${match.kind}`);
    }
    return create(FieldMatchSchema, {
      fieldId: field.id,
      fieldMatchType: encodeMatch(wire.naming, match, field, what),
    });
  });
}

type FieldMatchInit = NonNullable<MessageInitShape<typeof FieldMatchSchema>["fieldMatchType"]>;

function encodeMatch(names: Naming, match: Match, field: FieldInfo, what: () => string): FieldMatchInit {
  checkNamed(field, what);
  switch (match.kind) {
    case "exact":
      return { case: "exact", value: { value: encodeSlot(names, match.value, field, what) } };
    case "lpm":
      return {
        case: "lpm",
        value: {
          value: encodeSlot(names, match.value, field, what),
          prefixLen: prefixLength(match.prefixLength, field, what),
        },
      };
    case "ternary":
      return {
        case: "ternary",
        value: {
          value: encodeSlot(names, match.value, field, what),
          mask: encodeSlot(names, match.mask, field, what),
        },
      };
    case "range":
      return {
        case: "range",
        value: {
          low: encodeSlot(names, match.low, field, what),
          high: encodeSlot(names, match.high, field, what),
        },
      };
    case "optional":
      return { case: "optional", value: { value: encodeSlot(names, match.value, field, what) } };
  }
}

/**
 * Decodes and checks a key: every field known, of its kind, at most once, don't-cares left out, bits that do
 * not count zero, and no exact field missing. A `lenient` reader removes don't-cares and ignores the other errors.
 */
export function decodeMatches(
  wire: Wire,
  owner: Keyed,
  list: readonly FieldMatch[],
  lenient = wire.lenient,
): Match[] {
  const matches: Match[] = [];
  for (const [i, message] of list.entries()) {
    const field = owner.fields.byId(message.fieldId);
    if (field === undefined) throw invalid(`"${owner.name}" has no key field of id ${message.fieldId}`);
    for (let j = 0; j < i; j++) {
      if (list[j]!.fieldId === message.fieldId) throw invalid(`"${owner.name}": field "${field.name}" twice`);
    }
    if (lenient && !field.isString && isDontCare(field, message)) continue;
    matches.push(decodeMatch(wire.naming, owner, field, message, lenient));
  }
  if (lenient) return matches;
  for (const field of owner.fields.list) {
    if (field.kind === "exact" && !matches.some((match) => match.field === field.name)) {
      throw invalid(`"${owner.name}": the exact field "${field.name}" is missing`);
    }
  }
  return matches;
}

function isDontCare(field: FieldInfo, message: FieldMatch): boolean {
  const match = message.fieldMatchType;
  switch (match.case) {
    case "lpm":
      return match.value.prefixLen === 0;
    case "ternary":
      return bytesToValue(match.value.mask) === 0n;
    case "range":
      return (
        bytesToValue(match.value.low) === 0n && bytesToValue(match.value.high) === maskOf(field.bitwidth)
      );
    default:
      return false;
  }
}

function prefixLength(length: number, field: FieldInfo, what: () => string): number {
  if (Number.isInteger(length) && length >= 0 && length <= field.bitwidth) return length;
  throw invalid(`${what()}: prefix length ${length} is not within 0 to ${field.bitwidth}`);
}

/** Names have neither an order nor bits. */
function checkNamed(field: FieldInfo, what: () => string): void {
  if (field.isString && field.kind !== "exact" && field.kind !== "optional") {
    throw new DeviceError(
      "UNIMPLEMENTED",
      `${what()} is translated to a string, which is not matched ${field.kind}`,
    );
  }
}

function decodeMatch(
  names: Naming,
  owner: Keyed,
  field: FieldInfo,
  message: FieldMatch,
  lenient: boolean,
): Match {
  const { name } = field;
  const what = (): string => `"${owner.name}": field "${name}"`;
  const match = message.fieldMatchType;
  if (match.case !== field.kind) {
    throw invalid(`${what()} is matched ${field.kind}, not ${match.case ?? "by nothing"}`);
  }
  checkNamed(field, what);
  switch (match.case) {
    case "exact":
      return { kind: "exact", field: name, value: decodeSlot(names, match.value.value, field, what) };
    case "optional":
      return { kind: "optional", field: name, value: decodeSlot(names, match.value.value, field, what) };
    case "lpm": {
      const value = decodeSlot(names, match.value.value, field, what);
      const { prefixLen } = match.value;
      if (prefixLen < 0 || prefixLen > field.bitwidth) {
        throw invalid(`${what()}: prefix length ${prefixLen} is not within 1 to ${field.bitwidth}`);
      }
      if (prefixLen === 0) throw invalid(`${what()}: leave the field out instead of a prefix of length 0`);
      if (!lenient && (value & maskOf(field.bitwidth - prefixLen)) !== 0n) {
        throw invalid(`${what()}: bits of the value beyond the prefix of ${prefixLen} must be 0`);
      }
      return { kind: "lpm", field: name, value, prefixLength: prefixLen };
    }
    case "ternary": {
      const value = decodeSlot(names, match.value.value, field, what);
      const mask = decodeSlot(names, match.value.mask, field, what);
      if (mask === 0n) throw invalid(`${what()}: leave the field out instead of a mask of 0`);
      if (!lenient && (value & mask) !== value)
        throw invalid(`${what()}: bits of the value outside the mask must be 0`);
      return { kind: "ternary", field: name, value, mask };
    }
    case "range": {
      const low = decodeSlot(names, match.value.low, field, what);
      const high = decodeSlot(names, match.value.high, field, what);
      if (low > high) throw invalid(`${what()}: the low end ${low} is above the high end ${high}`);
      if (low === 0n && high === maskOf(field.bitwidth)) {
        throw invalid(`${what()}: leave the field out instead of a range over everything`);
      }
      return { kind: "range", field: name, low, high };
    }
    default:
      throw new DeviceError("UNIMPLEMENTED", `${what()}: matches of other kinds are not supported`);
  }
}
