/** Keys of match tables: BF Runtime's fields as the domain's matches and back. A smaller `$MATCH_PRIORITY` wins, a larger priority of the domain. */
import { create } from "@bufbuild/protobuf";
import { maskOf } from "../../../base/index.js";
import { DeviceError, type Match } from "../../device/index.js";
import { type KeyField, KeyFieldSchema } from "../generated/bfrt_proto/bfruntime_pb.js";
import { type KeyPart, keyPart, type Table } from "./schema-index.js";
import { bitsOf, bytesOf, checkedNumber, exactField } from "./values.js";

const PRIORITY = "$MATCH_PRIORITY";
/** One more than the largest `$MATCH_PRIORITY` of the drivers (24 bits). */
const PRIORITIES = 1 << 24;

/** Keys of a program's P4Info and of its bf-rt.json differ in these two forms (docs/tna/lowered.md). */
function deviceName(name: string): string {
  return name.replace(/\.\$valid$/, ".$valid$").replace(/\$(\d+)/g, "[$1]");
}

export interface Key {
  readonly match: Match[];
  readonly priority: number;
}

export function keyOf(table: Table, fields: readonly KeyField[]): Key {
  const match: Match[] = [];
  const needs = table.key.find(({ name }) => name === PRIORITY);
  let priority = needs === undefined ? 0 : PRIORITIES;
  for (const field of fields) {
    const part = keyPart(table, field.fieldId);
    if (part.name === PRIORITY) {
      const { matchType } = field;
      const given = matchType.case === "exact" ? checkedNumber(matchType.value.value, 32, PRIORITY) : 0n;
      if (given >= BigInt(PRIORITIES))
        throw new DeviceError("INVALID_ARGUMENT", `${PRIORITY} ${given} is not below ${PRIORITIES}`);
      priority = PRIORITIES - Number(given);
      continue;
    }
    const one = matchOf(part, field);
    if (one !== undefined) match.push(one);
  }
  // The schema's own order, in which the device keeps them.
  const order = table.key.map(({ name }) => deviceName(name));
  match.sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
  return { match, priority };
}

/** Undefined: every value matches. */
function matchOf(part: KeyPart, { matchType }: KeyField): Match | undefined {
  const bits = bitsOf(part.type);
  const field = deviceName(part.name);
  const number = (bytes: Uint8Array): bigint => checkedNumber(bytes, bits, part.name);
  switch (matchType.case) {
    case "exact":
      if (part.match_type !== "Exact") break;
      return { kind: "exact", field, value: number(matchType.value.value) };
    case "ternary": {
      if (part.match_type !== "Ternary") break;
      const mask = number(matchType.value.mask);
      return mask === 0n
        ? undefined
        : { kind: "ternary", field, value: number(matchType.value.value) & mask, mask };
    }
    case "lpm": {
      if (part.match_type !== "LPM") break;
      const { value, prefixLen } = matchType.value;
      if (prefixLen < 0 || prefixLen > bits)
        throw new DeviceError(
          "INVALID_ARGUMENT",
          `a prefix of ${prefixLen} bits of ${part.name}, which has ${bits}`,
        );
      if (prefixLen === 0) return undefined;
      const mask = maskOf(bits) ^ maskOf(bits - prefixLen);
      return { kind: "lpm", field, value: number(value) & mask, prefixLength: prefixLen };
    }
    case "range": {
      if (part.match_type !== "Range") break;
      const low = number(matchType.value.low);
      const high = number(matchType.value.high);
      return low === 0n && high === maskOf(bits) ? undefined : { kind: "range", field, low, high };
    }
    case "optional": {
      if (part.match_type !== "Optional") break;
      const { value, isValid } = matchType.value;
      return isValid ? { kind: "optional", field, value: number(value) } : undefined;
    }
    default:
  }
  throw new DeviceError("INVALID_ARGUMENT", `${part.name} is matched as ${part.match_type}`);
}

export function keyFields(table: Table, { match, priority }: Key): KeyField[] {
  const byField = new Map(match.map((one) => [one.field, one]));
  return table.key.map((part) => {
    if (part.name === PRIORITY) return exactField(part, BigInt(Math.max(0, PRIORITIES - priority)));
    return keyField(part, byField.get(deviceName(part.name)));
  });
}

function keyField(part: KeyPart, match: Match | undefined): KeyField {
  const bits = bitsOf(part.type);
  const bytes = (value: bigint): Uint8Array => bytesOf(value, bits);
  const fieldId = part.id;
  const value = match !== undefined && "value" in match ? bytes(match.value) : bytes(0n);
  switch (part.match_type) {
    case "Ternary": {
      const mask = bytes(match?.kind === "ternary" ? match.mask : 0n);
      return create(KeyFieldSchema, { fieldId, matchType: { case: "ternary", value: { value, mask } } });
    }
    case "LPM": {
      const prefixLen = match?.kind === "lpm" ? match.prefixLength : 0;
      return create(KeyFieldSchema, { fieldId, matchType: { case: "lpm", value: { value, prefixLen } } });
    }
    case "Range": {
      const [low, high] = match?.kind === "range" ? [match.low, match.high] : [0n, maskOf(bits)];
      const range = { low: bytes(low), high: bytes(high) };
      return create(KeyFieldSchema, { fieldId, matchType: { case: "range", value: range } });
    }
    case "Optional": {
      const optional = { value, isValid: match !== undefined };
      return create(KeyFieldSchema, { fieldId, matchType: { case: "optional", value: optional } });
    }
    default:
      return create(KeyFieldSchema, { fieldId, matchType: { case: "exact", value: { value } } });
  }
}
