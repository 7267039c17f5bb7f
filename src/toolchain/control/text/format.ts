/** The forms in which simple_switch_CLI prints values, keys, actions and entries. */
import { bitLength, maskOf, toBytes } from "../../../base/index.js";
import type { ActionCall, Match, TableAction, TableEntry } from "../../device/index.js";
import type { ActionInfo, FieldInfo, TableInfo } from "../../program/index.js";

/** The smaller priority wins in this language, the larger in P4Runtime; BMv2's server converts them in the same way. */
export const LOWEST = 0x7fffffff;

const hexByte = (byte: number): string => byte.toString(16).padStart(2, "0");

/** Values of types translated to strings have no width: they have as many bytes as they need. */
function bytesOf(value: bigint, bits: number): string[] {
  return [...toBytes(value, Math.ceil((bits || bitLength(value) || 1) / 8))].map(hexByte);
}

/** All bytes of the width, joined. */
export function hex(value: bigint, bits: number): string {
  return bytesOf(value, bits).join("");
}

/** All bytes of the width with colons between. */
export function colonHex(value: bigint, bits: number): string {
  return bytesOf(value, bits).join(":");
}

/** As few bytes as the value needs, at least one. */
function shortHex(value: bigint): string {
  const digits = value.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

/** BMv2's name for a field's kind of match; BMv2 has no optional fields. */
export function kindName(field: FieldInfo): string {
  return field.kind === "optional" ? "ternary" : field.kind;
}

/** BMv2's name for a table's kind of match: the most general kind of its fields. */
export function tableKind(table: TableInfo): string {
  const kinds = table.fields.list.map(kindName);
  return ["range", "ternary", "lpm"].find((kind) => kinds.includes(kind)) ?? "exact";
}

/** A part of a key, its values in the given form; a don't-care matches all values. */
export function partText(
  field: FieldInfo,
  part: Match | undefined,
  form: (value: bigint, bits: number) => string,
): string {
  const { bitwidth } = field;
  const all = maskOf(bitwidth);
  const value = (number: bigint): string => form(number, bitwidth);
  switch (part?.kind) {
    case "exact":
      return value(part.value);
    case "lpm":
      return `${value(part.value)}/${part.prefixLength}`;
    case "ternary":
      return `${value(part.value)} &&& ${value(part.mask)}`;
    case "optional":
      return `${value(part.value)} &&& ${value(all)}`;
    case "range":
      return `${value(part.low)} -> ${value(part.high)}`;
    case undefined:
      if (field.kind === "lpm") return `${value(0n)}/0`;
      if (field.kind === "range") return `${value(0n)} -> ${value(all)}`;
      return `${value(0n)} &&& ${value(0n)}`;
  }
}

export function actionText(call: ActionCall, actions: readonly ActionInfo[]): string {
  const slots = actions.find(({ name }) => name === call.action)?.params.list ?? [];
  return `Action entry: ${call.action} - ${slots.map(({ name }) => shortHex(call.params[name] ?? 0n)).join(", ")}`;
}

/** The action of an entry; handles of members and groups are P4Runtime's ids minus one. */
export function targetText(action: TableAction | undefined, actions: readonly ActionInfo[]): string {
  switch (action?.kind) {
    case undefined:
      return "EMPTY";
    case "action":
      return actionText(action, actions);
    case "member":
      return `Index: member(${action.memberId - 1})`;
    case "group":
      return `Index: group(${action.groupId - 1})`;
    case "oneShot":
      return action.actions.map((call) => `${call.weight} of ${actionText(call, actions)}`).join("\n");
  }
}

export function entryText(
  table: TableInfo,
  handle: number,
  entry: TableEntry,
  actions: readonly ActionInfo[],
): string {
  const fields = table.fields.list;
  const width = Math.max(20, ...fields.map(({ name }) => name.length));
  const lines = [`Dumping entry 0x${handle.toString(16)}`, "Match key:"];
  for (const field of fields) {
    const part = entry.match.find((candidate) => candidate.field === field.name);
    const kind = kindName(field).toUpperCase().padEnd(10);
    lines.push(`* ${field.name.padEnd(width)}: ${kind}${partText(field, part, hex)}`);
  }
  if (table.hasPriority) lines.push(`Priority: ${LOWEST - entry.priority}`);
  lines.push(targetText(entry.action, actions));
  if (entry.elapsedNs !== undefined) {
    const ms = (ns: bigint): bigint => ns / 1_000_000n;
    lines.push(`Life: ${ms(entry.elapsedNs)}ms since hit, timeout is ${ms(entry.idleTimeoutNs ?? 0n)}ms`);
  }
  return lines.join("\n");
}

/** A value with its name in a column of 30 characters. */
export function signature({ name, params }: ActionInfo): string {
  const shape = params.list.map((slot) => `${slot.name}(${slot.bitwidth})`);
  return `${name.padEnd(30)} [${shape.join(",\t")}]`;
}

export function tableText({ name, profile, fields }: TableInfo): string {
  const key = fields.list.map((field) => `${field.name}(${kindName(field)}, ${field.bitwidth})`);
  return `${name.padEnd(30)} [implementation=${profile?.name ?? "None"}, mk=${key.join(",\t")}]`;
}

/** A number as Python prints a float. */
export function floatText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return `${value}.0`;
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e16) return String(value);
  const [digits, exponent] = value.toExponential().split("e");
  const power = Number(exponent);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
