/**
 * Lists of options: those of IPv4 and TCP, and those of the hop-by-hop and destination options of IPv6. An option has a kind, a length and
 * data. In a representation padding is left out.
 */

export interface Option {
  readonly kind: number;
  readonly data: Uint8Array;
}

/** Kinds without a length in IPv4 and TCP (RFC 791, section 3.1; RFC 9293, section 3.1): the end of the list, and padding. */
export const OPTION_END = 0;
export const OPTION_NOP = 1;
/** IPv6 (RFC 8200, section 4.2): one byte of padding, and several. */
const PAD_1 = 0;
const PAD_N = 1;

/** Length of the option of IPv4 or TCP at `at`, which is not the end of the list; 0 for one that is malformed or passes `end`. */
export function optionLength(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] === OPTION_NOP) return 1;
  const length = at + 1 < end ? bytes[at + 1]! : 0;
  return length < 2 || at + length > end ? 0 : length;
}

/** Length of the option of IPv6 at `at`; 0 for one that passes `end`. */
export function ipv6OptionLength(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] === PAD_1) return 1;
  const length = at + 1 < end ? 2 + bytes[at + 1]! : 0;
  return at + length > end ? 0 : length;
}

/** Undefined for a malformed list. */
export function parseOptions(bytes: Uint8Array, from: number, end: number): Option[] | undefined {
  const options: Option[] = [];
  let length: number;
  for (let at = from; at < end && bytes[at] !== OPTION_END; at += length) {
    length = optionLength(bytes, at, end);
    if (length === 0) return undefined;
    if (bytes[at] !== OPTION_NOP) options.push({ kind: bytes[at]!, data: bytes.slice(at + 2, at + length) });
  }
  return options;
}

/** Bytes of the options, padded to whole words. */
export function optionsLength(options: readonly Option[]): number {
  return Math.ceil(options.reduce((sum, { data }) => sum + 2 + data.length, 0) / 4) * 4;
}

/** Writes the options; the padding after them keeps its zeros, which end the list. */
export function emitOptions(bytes: Uint8Array, at: number, options: readonly Option[]): void {
  for (const { kind, data } of options) {
    bytes[at] = kind;
    bytes[at + 1] = 2 + data.length;
    bytes.set(data, at + 2);
    at += 2 + data.length;
  }
}

/** Undefined for a malformed list. */
export function parseIpv6Options(bytes: Uint8Array, from: number, end: number): Option[] | undefined {
  const options: Option[] = [];
  let length: number;
  for (let at = from; at < end; at += length) {
    length = ipv6OptionLength(bytes, at, end);
    if (length === 0) return undefined;
    const kind = bytes[at]!;
    if (kind !== PAD_1 && kind !== PAD_N) options.push({ kind, data: bytes.slice(at + 2, at + length) });
  }
  return options;
}

/** The data of a header of options (without next header and length), padded to whole units of eight bytes. */
export function ipv6OptionsData(options: readonly Option[]): Uint8Array {
  const used = options.reduce((sum, { data }) => sum + 2 + data.length, 0);
  const bytes = new Uint8Array(Math.ceil((used + 2) / 8) * 8 - 2);
  let at = 0;
  for (const { kind, data } of options) {
    bytes[at] = kind;
    bytes[at + 1] = data.length;
    bytes.set(data, at + 2);
    at += 2 + data.length;
  }
  // One byte of padding is a zero; more bytes have a length.
  if (bytes.length - at > 1) bytes.set([PAD_N, bytes.length - at - 2], at);
  return bytes;
}
