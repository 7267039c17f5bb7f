/** Frames of HTTP/2 (RFC 9113, sections 4 and 6). */

export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const FLAG = { END_STREAM: 1, ACK: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 32 } as const;

export const SETTING = {
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

/** Error codes (section 7). */
export const ERROR = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const;

export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
export const HEADER_BYTES = 9;
/** Initial value of SETTINGS_MAX_FRAME_SIZE; this server does not change it. */
export const FRAME_BYTES = 16_384;
/** Initial size of all windows. */
export const WINDOW_BYTES = 65_535;
export const MAX_WINDOW = 2 ** 31 - 1;

/** Writes the header of a frame at the start of a buffer. */
export function putHeader(
  out: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  stream: number,
): void {
  out[at] = length >>> 16;
  out[at + 1] = length >>> 8;
  out[at + 2] = length;
  out[at + 3] = type;
  out[at + 4] = flags;
  out.writeUInt32BE(stream, at + 5);
}

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(0),
): Buffer {
  const out = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  putHeader(out, 0, payload.length, type, flags, stream);
  out.set(payload, HEADER_BYTES);
  return out;
}

/** A frame whose payload is 32-bit numbers. */
export function wordFrame(type: number, stream: number, ...words: number[]): Buffer {
  const payload = Buffer.alloc(4 * words.length);
  words.forEach((word, i) => {
    payload.writeUInt32BE(word, 4 * i);
  });
  return frame(type, 0, stream, payload);
}

export function settingsFrame(settings: readonly (readonly [setting: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length);
  settings.forEach(([setting, value], i) => {
    payload.writeUInt16BE(setting, 6 * i);
    payload.writeUInt32BE(value, 6 * i + 2);
  });
  return frame(FRAME.SETTINGS, 0, 0, payload);
}

/** HEADERS, with CONTINUATION where the block does not fit in one frame. */
export function headersFrames(
  stream: number,
  block: Uint8Array,
  endStream: boolean,
  maxFrame: number,
): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  do {
    const part = block.subarray(at, at + maxFrame);
    const isFirst = at === 0;
    at += part.length;
    const flags = (at >= block.length ? FLAG.END_HEADERS : 0) | (isFirst && endStream ? FLAG.END_STREAM : 0);
    parts.push(frame(isFirst ? FRAME.HEADERS : FRAME.CONTINUATION, flags, stream, part));
  } while (at < block.length);
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}
