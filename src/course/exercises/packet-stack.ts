/**
 * Reads the packets of a test: a list of headers with fields and payloads. This file resolves names and values; `build-frame.ts`
 * builds the frame of a stack to send, `packet-pattern.ts` compares a frame with an expected stack.
 */
import { type Diagnostics, didYouMean, fromHex, type Span } from "../../base/index.js";
import { formatValue, parseValue, styleOfWidth } from "../../toolchain/device/index.js";
import { CODES } from "./codes.js";
import type { PacketInput } from "./exercise-schema.js";
import type { HeaderLayout } from "./header-layouts.js";
import { layoutBytes } from "./header-layouts.js";
import type { ExerciseHost } from "./topology-file.js";

export interface HeaderPart {
  readonly header: string;
  readonly layout: HeaderLayout;
  /** Fields that have a value. */
  readonly fields: ReadonlyMap<string, bigint>;
  /** Bytes of the field with width 0. */
  readonly open?: Uint8Array;
}

/** Bytes that do not belong to a header. */
interface PayloadPart {
  readonly bytes: Uint8Array;
}

export type StackPart = HeaderPart | PayloadPart;

/** The names that packets can use. */
interface PacketNames {
  readonly headers: ReadonlyMap<string, HeaderLayout>;
  readonly hosts: readonly ExerciseHost[];
}

const PAYLOADS: Readonly<Record<string, string>> = {
  text: "a text",
  hex: "hexadecimal digits, such as 0a0b",
  zeros: "a number of bytes, 1 to 9000",
};
const MAX_ZEROS = 9000;

/** Reads a stack; reports errors as P46303 at `spanOf` of their place. */
export function readStack(
  input: PacketInput,
  names: PacketNames,
  spanOf: (path: readonly PropertyKey[]) => Span | undefined,
  diagnostics: Diagnostics,
): StackPart[] {
  const wrong = (path: readonly PropertyKey[], message: string, ...notes: string[]): undefined => {
    diagnostics.error(CODES.packet, spanOf(path), message, ...notes);
    return undefined;
  };
  return input.flatMap((element, index): StackPart[] => {
    const keys = Object.keys(element);
    const [name] = keys;
    if (name === undefined || keys.length > 1) {
      wrong(
        [index],
        `expected one header for each element, got ${keys.length === 0 ? "none" : keys.join(" and ")}`,
      );
      return [];
    }
    const value = element[name];
    if (name in PAYLOADS) {
      const bytes = payloadOf(name, value);
      return bytes === undefined
        ? (wrong([index, name], `${name}: expected ${PAYLOADS[name]}`) ?? [])
        : [{ bytes }];
    }
    const layout = names.headers.get(name);
    const known = [...names.headers.keys(), ...Object.keys(PAYLOADS)];
    if (layout === undefined) {
      const hint = didYouMean(name, known, "`");
      return wrong([index], `there is no header \`${name}\`${hint}`, `headers: ${known.join(", ")}`) ?? [];
    }
    if (typeof value !== "object") {
      return wrong([index, name], `${name}: expected fields, such as { ${[...layout.keys()][0]}: 1 }`) ?? [];
    }
    const fields = new Map<string, bigint>();
    for (const [field, written] of Object.entries(value ?? {})) {
      const width = layout.get(field);
      if (width === undefined) {
        const hint = didYouMean(field, [...layout.keys()], "`");
        wrong(
          [index, name, field],
          `${name} has no field \`${field}\`${hint}`,
          `fields: ${[...layout.keys()].join(", ")}`,
        );
        continue;
      }
      const read = readValue(written, width, names.hosts);
      if (typeof read === "string") wrong([index, name, field], `${name}.${field}: ${read}`);
      else fields.set(field, read);
    }
    return [{ header: name, layout, fields }];
  });
}

function payloadOf(kind: string, value: unknown): Uint8Array | undefined {
  if (kind === "text") {
    return typeof value === "string" || typeof value === "number"
      ? new TextEncoder().encode(String(value))
      : undefined;
  }
  if (kind === "hex") return typeof value === "string" ? fromHex(value.replaceAll(/[\s:]/g, "")) : undefined;
  const bytes = typeof value === "number" ? value : Number.NaN;
  return Number.isInteger(bytes) && bytes > 0 && bytes <= MAX_ZEROS ? new Uint8Array(bytes) : undefined;
}

/** Reads a number, an address, or the name of a host for its MAC or IPv4 address. Returns a message for any other text. */
export function readValue(
  written: string | number,
  width: number,
  hosts: readonly ExerciseHost[],
): bigint | string {
  const host = hosts.find(({ name }) => name === written);
  if (host !== undefined && width === 48) return host.mac;
  if (host !== undefined && width === 32) return host.ipv4;
  const parsed = parseValue(String(written), width);
  return parsed.ok ? parsed.value : parsed.message;
}

const ADDRESSES = /^(src|dst|sender_ip|target_ip)$/;

/** The text of a field's value. */
export function fieldText(field: string, width: number, value: bigint): string {
  if (width === 32 && ADDRESSES.test(field)) return formatValue(value, width, "ipv4");
  return formatValue(value, width, width === 16 && field === "type" ? "hex" : styleOfWidth(width));
}

/** Bytes of a part. */
export function partBytes(part: StackPart): number {
  return "bytes" in part ? part.bytes.length : layoutBytes(part.layout) + (part.open?.length ?? 0);
}
