/**
 * Which bits of the selector each hop reads (P-ECMP, appendix E).
 *
 * With control of offsets alone all hops read the same value. With control of next hops every hop needs a
 * value of its own, so the field is divided into slices, with the NIC of a dual-homed host in the lowest bits.
 * Transactional updates (section 3.4) double the number of values: this is the version bit.
 */
import { given } from "../../../base/index.js";
import { FIELD_BITS, type SelectorField } from "../../../base/packets/index.js";
import type { Control } from "./matrix.js";
import type { SelectorSlice } from "./program.js";
import { bitsFor } from "./selectors.js";

/** Hops that choose, in the order of an inter-pod packet's path; `legs`: leaf to ToR pair. */
export const HOPS = ["nic", "tor", "leaf", "spine", "legs"] as const;
export type Hop = (typeof HOPS)[number];

/** Smallest and largest group of next hops that a kind of hop has anywhere in the fabric. */
export interface FanOut {
  readonly least: number;
  readonly most: number;
}

/** The kinds of hops that have more than one next hop. */
export type FanOuts = Readonly<Partial<Record<Hop, FanOut>>>;

/**
 * Position of version bits. `none`: no transactional updates. `overall`: one bit, above all other bits (the text of
 * appendix E). `per-hop`: one bit in each slice (the only reading that gives "up to 24 bits" of section 5.1).
 */
export const VERSION_BITS = ["none", "overall", "per-hop"] as const;
export type VersionBit = (typeof VERSION_BITS)[number];

export interface SelectorLayout {
  readonly field: SelectorField;
  readonly control: Control;
  readonly versionBit: VersionBit;
  /** Whether all hops read one shared value; otherwise each hop has a slice. */
  readonly shared: boolean;
  /** Bits in use, version bits included. */
  readonly bits: number;
  /** By hop; only hops that choose. */
  readonly slices: Readonly<Partial<Record<Hop, SelectorSlice>>>;
  readonly fanOuts: FanOuts;
}

/** Number of selector values that a hop with `n` next hops treats differently: the rows of its control matrix. */
export function selectorValues(control: Control, n: number): number {
  return control === "offset" ? n : control === "hops" ? n + 1 : 2 * n;
}

/**
 * Lays out the selector. `offsetBits` is the width that the host's offsets need where all hops share one
 * value. The caller must check with {@link missingBits} that the field is wide enough.
 */
export function layOut(
  control: Control,
  field: SelectorField,
  versionBit: VersionBit,
  fanOuts: FanOuts,
  offsetBits: number,
): SelectorLayout {
  const hops = HOPS.filter((hop) => fanOuts[hop] !== undefined);
  const slices: Partial<Record<Hop, SelectorSlice>> = {};
  if (control === "offset") {
    const versioned = versionBit !== "none";
    const slice = { low: 0, width: offsetBits, ...given({ version: versioned ? offsetBits : undefined }) };
    for (const hop of hops) slices[hop] = slice;
    const bits = hops.length === 0 ? 0 : offsetBits + (versioned ? 1 : 0);
    return { field, control, versionBit, shared: true, bits, slices, fanOuts };
  }
  let low = 0;
  for (const hop of hops) {
    const width = bitsFor(selectorValues(control, fanOuts[hop]!.most));
    slices[hop] = versionBit === "per-hop" ? { low, width, version: low + width } : { low, width };
    low += versionBit === "per-hop" ? width + 1 : width;
  }
  if (versionBit === "overall" && hops.length > 0) {
    for (const hop of hops) slices[hop] = { ...slices[hop]!, version: low };
    low++;
  }
  return { field, control, versionBit, shared: false, bits: low, slices, fanOuts };
}

/** Number of bits by which the selector exceeds its field; 0 when it fits. */
export function missingBits(layout: SelectorLayout): number {
  return Math.max(0, layout.bits - FIELD_BITS[layout.field]);
}

/** The version bit that the switches of a hop read; a hop without a slice reads that of another one. */
export function versionBitOf({ slices }: SelectorLayout, hop: Hop): number | undefined {
  return slices[hop]?.version ?? Object.values(slices).find(({ version }) => version !== undefined)?.version;
}

/** All version bits of a selector, as a number; 0 without any. */
export function versionMask({ slices }: SelectorLayout): number {
  const bits = Object.values(slices).flatMap(({ version }) => (version === undefined ? [] : [version]));
  return [...new Set(bits)].reduce((sum, bit) => sum + 2 ** bit, 0);
}

/** Value that a hop reads, without the version bit; 0 for a hop without a slice. */
export function readSlice(layout: SelectorLayout, hop: Hop, selector: number): number {
  const slice = layout.slices[hop];
  return slice === undefined ? 0 : Math.floor(selector / 2 ** slice.low) % 2 ** slice.width;
}

/** The selector with one hop's value replaced. */
export function writeSlice(layout: SelectorLayout, hop: Hop, selector: number, value: number): number {
  const slice = layout.slices[hop];
  if (slice === undefined) return selector;
  return selector + (value - readSlice(layout, hop, selector)) * 2 ** slice.low;
}
