/**
 * How long a frame occupies a link: by its bytes in memory (from the Ethernet header to the last byte of the payload), which the switches'
 * programs count, and by what a medium adds to them.
 */
export interface WireModel {
  /** A shorter frame is padded to this length. */
  readonly leastBytes: number;
  /** Bytes before and after each frame. */
  readonly overheadBytes: number;
}

/** The bytes of a frame alone. */
export const HEADERS_ONLY: WireModel = { leastBytes: 0, overheadBytes: 0 };

/**
 * Ethernet (IEEE 802.3, clauses 3.2 and 4.4.2): padding to 64 bytes with the frame check sequence, which has 4 bytes, after a preamble with the
 * start delimiter of 8, before a gap of 12.
 */
export const ETHERNET_WIRE: WireModel = { leastBytes: 60, overheadBytes: 4 + 8 + 12 };

/** Bytes for which a frame occupies the link. */
export function wireBytes({ leastBytes, overheadBytes }: WireModel, frameBytes: number): number {
  return Math.max(leastBytes, frameBytes) + overheadBytes;
}
