/** Sequence numbers of TCP: 32 bits on the wire, positions in a stream that grow without an end here. */

/** The stream position near `expected` whose low 32 bits are `wire` (RFC 9293, section 3.4). */
export function unwrap(wire: number, expected: number): number {
  return expected + ((wire - (expected % 4294967296)) | 0);
}
