/** Size classes of flows: small, medium, large, by two bounds. */

/**
 * In the order of rows. `all` is every measured flow. The default bounds, 100 KB and 10 MB, are those of comparisons since DCTCP
 * (SIGCOMM 2010, section 2.2) and pFabric (SIGCOMM 2013, section 5.4). Flows up to 100 KB end within a few round trips, and queues
 * determine their times; the times of flows from 10 MB depend on their share of the links.
 */
export const SIZE_CLASSES = ["small", "medium", "large"] as const;
export type SizeClass = (typeof SIZE_CLASSES)[number];

/** Bytes of payload. */
export interface SizeBounds {
  /** The largest small flow. */
  readonly small: number;
  /** The smallest large flow. */
  readonly large: number;
}

export const DEFAULT_BOUNDS: SizeBounds = { small: 100_000, large: 10_000_000 };

export function sizeClassOf(bytes: number, { small, large }: SizeBounds): SizeClass {
  return bytes <= small ? "small" : bytes >= large ? "large" : "medium";
}
