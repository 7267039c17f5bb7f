/** Texts and bytes in the headers of gRPC (its "HTTP/2 transport mapping", sections Requests and Responses). */

/** A message as `grpc-message` has it: UTF-8 with all but printable ASCII as %XX. */
export function encodeMessage(text: string): string {
  let out = "";
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    out += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}

/** The value of a header whose name ends in `-bin`. */
export function encodeBinary(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64").replace(/=+$/, "");
}

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** Milliseconds of a `grpc-timeout`; undefined when it is not one. */
export function timeoutMs(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * UNIT_MS[unit!]!;
}
