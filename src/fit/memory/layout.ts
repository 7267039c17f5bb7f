/** The memory of one table: all ways to lay it out that the target offers, and the cheapest of them. */
import type { KeyPart, Unit } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";
import { actionBlocks, type DataFormat, dataFormats, totalDataBytes } from "./action-data.js";
import { attachedMemory } from "./attached.js";
import { directBlocks, hashBits, type KeyBytes, packings, waySizes } from "./exact.js";
import { indirectionBlocks, rangeRows, ternaryWidth, unitsPerStage } from "./ternary.js";

/** Blocks by what they hold. */
interface BlockUse {
  readonly match: number;
  readonly indirection: number;
  readonly action: number;
  /** Direct counters and meters, spares included. */
  readonly direct: number;
}

export interface TableLayout {
  readonly match: "exact" | "ternary" | "none";
  /** Entries that the blocks hold; at least as many as were asked for. */
  readonly entries: number;
  readonly srams: number;
  readonly blocks: BlockUse;
  readonly mapRams: number;
  readonly tcams: number;
  /** TCAM blocks side by side. */
  readonly tcamWidth: number;
  /** RAM blocks of each hash way, width counted in. */
  readonly wayRams: readonly number[];
  readonly entriesPerWord: number;
  readonly hashBits: number;
}

export const NO_MEMORY: TableLayout = {
  match: "none",
  entries: 1,
  srams: 0,
  blocks: { match: 0, indirection: 0, action: 0, direct: 0 },
  mapRams: 0,
  tcams: 0,
  tcamWidth: 0,
  wayRams: [],
  entriesPerWord: 0,
  hashBits: 0,
};

function matchKind(unit: Unit): TableLayout["match"] {
  if (unit.kind !== "match" || unit.key.length === 0) return "none";
  if (unit.algorithmic !== undefined) return "exact";
  return unit.key.every((part) => part.kind === "exact") ? "exact" : "ternary";
}

/** Plans the memory of one table; sizes can be asked again and again, as placement splits the table. */
export class TablePlan {
  readonly match: TableLayout["match"];
  readonly keyBytes: KeyBytes;
  readonly nibbleBits: number;
  readonly actionBytes: number;
  readonly #formats: readonly DataFormat[];
  readonly #fixedOverhead: number;
  readonly #cache = new Map<number, TableLayout>();

  constructor(
    readonly unit: Unit,
    readonly target: Target,
    phv: PhvLayout,
  ) {
    this.match = matchKind(unit);
    this.keyBytes = keyBytesOf(unit, phv);
    this.nibbleBits = nibbleBitsOf(unit.key, this.keyBytes);
    this.actionBytes = totalDataBytes(unit.actions, unit.gress, phv);
    const indirect = unit.implementation !== undefined;
    this.#formats = indirect
      ? [{ immediateBits: 0, ramBytes: 0 }]
      : dataFormats(unit.actions, unit.gress, phv, target, true);
    this.#fixedOverhead = selectorBits(unit) + addressBits(unit);
  }

  /** The cheapest layout for at least `entries` entries. */
  layout(entries: number): TableLayout {
    if (this.match === "none") return NO_MEMORY;
    const { algorithmic } = this.unit;
    if (algorithmic !== undefined) return this.#algorithmic(algorithmic.partitions, algorithmic.perPartition);
    let layout = this.#cache.get(entries);
    if (layout === undefined) {
      layout = this.match === "exact" ? this.#exact(entries) : this.#ternary(entries);
      this.#cache.set(entries, layout);
    }
    return layout;
  }

  #direct(entries: number): { blocks: number; mapRams: number } {
    let blocks = 0;
    let mapRams = 0;
    for (const attached of this.unit.attached) {
      if (attached.index !== "direct") continue;
      const memory = attachedMemory(attached, entries, this.target);
      blocks += memory.blocks;
      mapRams += memory.mapRams;
    }
    return { blocks, mapRams };
  }

  #exact(entries: number): TableLayout {
    const { target, unit } = this;
    const { depth } = target.sram;
    const minWays = target.exact.min_ways ?? 1;
    const single = (unit.implementation?.selector?.maxGroup ?? 0) > 120;
    let best: TableLayout | undefined;
    let bestRank: readonly number[] = [];
    for (const format of this.#formats) {
      const overhead = this.#fixedOverhead + format.immediateBits;
      for (const { entriesPerWord, width } of packings(this.keyBytes, overhead, target, single)) {
        const needed = Math.ceil(entries / (entriesPerWord * depth));
        let ways = waySizes(Math.max(needed, 1), minWays);
        let words = ways.reduce((sum, size) => sum + size, 0);
        let bits = hashBits(ways, minWays);
        const direct = directBlocks(this.keyBytes.bits, entriesPerWord, words);
        if (direct !== undefined && minWays > 1 && unit.implementation === undefined) {
          ways = [direct];
          words = direct;
          bits = 10 + Math.ceil(Math.log2(direct));
        }
        const allocated = words * entriesPerWord * depth;
        const action = actionBlocks(allocated, format.ramBytes, depth);
        const beside = this.#direct(allocated);
        const srams = words * width + action + beside.blocks;
        const rank = [srams, width, action, -allocated];
        if (best !== undefined && !isLess(rank, bestRank)) continue;
        bestRank = rank;
        best = {
          match: "exact",
          entries: allocated,
          srams,
          blocks: { match: words * width, indirection: 0, action, direct: beside.blocks },
          mapRams: beside.mapRams,
          tcams: 0,
          tcamWidth: 0,
          wayRams: ways.map((size) => size * width),
          entriesPerWord,
          hashBits: bits,
        };
      }
    }
    return best ?? this.#tooWide(entries);
  }

  /** A key that no packing holds: one entry in as many blocks as its bits need, to have a number to report. */
  #tooWide(entries: number): TableLayout {
    const { depth, width } = this.target.sram;
    const wide = Math.ceil((this.keyBytes.bits + this.#fixedOverhead) / width);
    const words = Math.max(Math.ceil(entries / depth), this.target.exact.min_ways ?? 1);
    return {
      ...NO_MEMORY,
      match: "exact",
      entries: words * depth,
      srams: words * wide,
      blocks: { match: words * wide, indirection: 0, action: 0, direct: 0 },
      wayRams: [words * wide],
      entriesPerWord: 1,
      hashBits: 40,
    };
  }

  /**
   * Partitions in SRAM: the partition's number is the address, each entry has the rest of the key as value and
   * mask, all entries of a partition are compared at once.
   */
  #algorithmic(partitions: number, perPartition: number): TableLayout {
    const { target } = this;
    const [format] = this.#formats;
    const index = Math.ceil(Math.log2(partitions));
    const entryBits = 2 * (this.keyBytes.bits - index) + 4 + this.#fixedOverhead + format!.immediateBits;
    let best: { srams: number; perWord: number; width: number } | undefined;
    for (let width = 1; width <= 8; width++) {
      const perWord = Math.min(9, Math.floor((width * target.sram.width) / entryBits));
      if (perWord === 0) continue;
      const srams = Math.ceil(perPartition / perWord) * width * Math.ceil(partitions / target.sram.depth);
      if (best === undefined || srams < best.srams) best = { srams, perWord, width };
    }
    if (best === undefined) return this.#tooWide(partitions * perPartition);
    const entries = (best.srams / best.width) * best.perWord * target.sram.depth;
    const action = actionBlocks(entries, format!.ramBytes, target.sram.depth);
    const beside = this.#direct(entries);
    return {
      ...NO_MEMORY,
      match: "exact",
      entries,
      srams: best.srams + action + beside.blocks,
      blocks: { match: best.srams, indirection: 0, action, direct: beside.blocks },
      mapRams: beside.mapRams,
      wayRams: [best.srams],
      entriesPerWord: best.perWord,
      hashBits: index,
    };
  }

  #ternary(entries: number): TableLayout {
    const { target } = this;
    const width = ternaryWidth(this.nibbleBits, target);
    const rows = rangeRows(this.unit.key, entries, target);
    const units = Math.max(1, Math.ceil(rows / target.tcam.depth));
    const allocated = units * target.tcam.depth;
    let best: TableLayout | undefined;
    let bestRank: readonly number[] = [];
    for (const format of this.#formats) {
      const indirection = indirectionBlocks(allocated, this.#fixedOverhead + format.immediateBits, target);
      const action = actionBlocks(allocated, format.ramBytes, target.sram.depth);
      const beside = this.#direct(allocated);
      const srams = indirection + action + beside.blocks;
      const rank = [srams, action];
      if (best !== undefined && !isLess(rank, bestRank)) continue;
      bestRank = rank;
      best = {
        match: "ternary",
        entries: allocated,
        srams,
        blocks: { match: 0, indirection, action, direct: beside.blocks },
        mapRams: beside.mapRams,
        tcams: units * width,
        tcamWidth: width,
        wayRams: [],
        entriesPerWord: 0,
        hashBits: 0,
      };
    }
    return best!;
  }

  /**
   * The largest layout for at most `entries` entries that uses no more than the free blocks; undefined when not even
   * the smallest does. A part of a ternary table takes whole units, a part of an exact table whole ways.
   */
  largest(
    entries: number,
    free: { srams: number; tcamUnits: number; mapRams: number },
  ): TableLayout | undefined {
    const fits = (layout: TableLayout) =>
      layout.srams <= free.srams &&
      layout.mapRams <= free.mapRams &&
      (layout.tcamWidth === 0 || layout.tcams / layout.tcamWidth <= free.tcamUnits);
    const whole = this.layout(entries);
    if (fits(whole)) return whole;
    const step = this.match === "ternary" ? this.target.tcam.depth : this.target.sram.depth;
    let low = 0;
    let high = Math.ceil(entries / step);
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (fits(this.layout(middle * step))) low = middle;
      else high = middle;
    }
    return low === 0 ? undefined : this.layout(low * step);
  }

  /** Ternary units of this table's width that an empty stage holds. */
  get unitsPerStage(): number {
    return unitsPerStage(ternaryWidth(this.nibbleBits, this.target), this.target);
  }
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, value] of a.entries()) {
    if (value !== b[i]) return value < b[i]!;
  }
  return false;
}

/** Bits that choose the action of an entry. */
function selectorBits(unit: Unit): number {
  const hits = unit.actions.filter((action) => action.hit).length;
  if (hits <= 1) return 0;
  return hits <= 8 ? Math.ceil(Math.log2(hits)) : 6;
}

/** Bits of the addresses that an entry holds: of counters, meters and registers with an enable bit, of members. */
function addressBits(unit: Unit): number {
  let bits = 0;
  for (const attached of unit.attached) {
    if (attached.index !== "direct") bits += Math.ceil(Math.log2(Math.max(2, attached.size))) + 1;
  }
  const { implementation } = unit;
  if (implementation !== undefined) {
    bits += Math.ceil(Math.log2(Math.max(2, implementation.members))) + 1;
    if (implementation.selector !== undefined) bits += 12;
  }
  return bits;
}

/** Bits of the key in each byte of its containers; two fields in one byte count once. */
function keyBytesOf(unit: Unit, phv: PhvLayout): KeyBytes {
  const bytes = new Map<string, number>();
  let bits = 0;
  for (const part of unit.key) {
    const { access } = part;
    bits += access.width;
    const containers = phv.of(unit.gress, access.field);
    if (containers.length === 0) {
      for (let lo = 0; lo < access.width; lo += 8) {
        bytes.set(`${access.field}:${lo}`, Math.min(8, access.width - lo));
      }
    }
    for (const container of containers) {
      let position = container.slices.reduce((sum, slice) => sum + slice.width, 0);
      for (const slice of container.slices) {
        position -= slice.width;
        if (slice.field !== access.field) continue;
        const low = Math.max(slice.lo, access.lo);
        const high = Math.min(slice.lo + slice.width, access.lo + access.width);
        for (let bit = low; bit < high; bit++) {
          const key = `${container.id}:${(position + bit - slice.lo) >> 3}`;
          bytes.set(key, (bytes.get(key) ?? 0) + 1);
        }
      }
    }
  }
  return { bytes: [...bytes.values()], bits };
}

/** Key bits with part-filled bytes rounded up to nibbles; ranges count twice. */
function nibbleBitsOf(key: readonly KeyPart[], bytes: KeyBytes): number {
  let ranges = 0;
  for (const part of key) if (part.kind === "range") ranges += Math.ceil(part.access.width / 4) * 4;
  return bytes.bytes.reduce((sum, bits) => sum + (bits > 4 ? 8 : 4), 0) + ranges;
}
