/** The packet that a test expects: its headers with the fields to check. */
import { toHex } from "../../base/index.js";
import { Ipv4 } from "../../base/packets/index.js";
import { readBits } from "./header-layouts.js";
import { fieldText, partBytes, type StackPart } from "./packet-stack.js";

/** A packet that is expected. */
export interface PacketPattern {
  readonly parts: readonly StackPart[];
  /** Length of the frame; absent: bytes after the last part are not checked. */
  readonly bytes?: number;
}

/**
 * Describes the differences of a frame from a pattern: other values of fields, another payload, a wrong IPv4 checksum (unless
 * the pattern gives one), a frame that is too short, another length. Empty: the frame is as expected.
 */
export function differences({ parts, bytes }: PacketPattern, frame: Uint8Array): string[] {
  const found: string[] = [];
  let at = 0;
  for (const part of parts) {
    const end = at + partBytes(part);
    if (end > frame.length) {
      const what = "bytes" in part ? "the payload" : part.header;
      found.push(`the packet ends after ${frame.length} bytes, within ${what}, which ends at byte ${end}`);
      break;
    }
    if ("bytes" in part) {
      const got = frame.subarray(at, end);
      if (!part.bytes.every((byte, index) => byte === got[index]))
        found.push(`the payload at byte ${at} is ${toHex(got)}, expected ${toHex(part.bytes)}`);
    } else {
      let bit = 8 * at;
      for (const [field, width] of part.layout) {
        const wanted = part.fields.get(field);
        const value = readBits(frame, bit, width)!;
        if (wanted !== undefined && wanted !== value) {
          const text = (one: bigint): string => fieldText(field, width, one);
          found.push(`${part.header}.${field} is ${text(value)}, expected ${text(wanted)}`);
        }
        bit += width;
      }
      if (part.header === "ipv4" && !part.fields.has("checksum")) {
        if (!Ipv4.hasRightChecksum(frame, at)) {
          const value = Ipv4.checksum(frame, at).toString(16).padStart(4, "0");
          found.push(`ipv4.checksum is 0x${value}, which is wrong for the other fields`);
        }
      }
    }
    at = end;
  }
  if (bytes !== undefined && bytes !== frame.length)
    found.push(`the packet has ${frame.length} bytes, expected ${bytes}`);
  return found;
}

/** The pattern as one line: `ethernet { dst 08:00:00:00:01:11 }, ipv4 { ttl 63 }`. */
export function patternText({ parts, bytes }: PacketPattern): string {
  const texts = parts
    .map((part) => {
      if ("bytes" in part) return `payload ${toHex(part.bytes)}`;
      const fields = [...part.fields].map(
        ([name, value]) => `${name} ${fieldText(name, part.layout.get(name)!, value)}`,
      );
      return fields.length === 0 ? part.header : `${part.header} { ${fields.join(", ")} }`;
    })
    .join(", ");
  return bytes === undefined ? texts : `${texts} (${bytes} bytes)`;
}

/** A frame as one line: its values of the fields that the pattern names. */
export function frameText({ parts }: PacketPattern, frame: Uint8Array): string {
  let at = 0;
  const texts: string[] = [];
  for (const part of parts) {
    const end = at + partBytes(part);
    if (end > frame.length) break;
    if ("bytes" in part) texts.push(`payload ${toHex(frame.subarray(at, end))}`);
    else {
      const fields: string[] = [];
      let bit = 8 * at;
      for (const [field, width] of part.layout) {
        if (part.fields.has(field))
          fields.push(`${field} ${fieldText(field, width, readBits(frame, bit, width)!)}`);
        bit += width;
      }
      texts.push(fields.length === 0 ? part.header : `${part.header} { ${fields.join(", ")} }`);
    }
    at = end;
  }
  return `${texts.join(", ")} (${frame.length} bytes)`;
}
