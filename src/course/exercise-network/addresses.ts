/** 10.0.1.1 of a number. */
export function formatIpv4(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((address >> shift) & 0xffn)).join(".");
}
