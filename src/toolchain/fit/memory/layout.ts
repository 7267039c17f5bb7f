/** The memory of one table: the cheapest of all layouts that the target offers. */
import { defined } from "../../../base/index.js";
import type { Attached, KeyPart, Unit } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";
import { actionBlocks, busBytes, type DataFormat, dataFormats, totalDataBytes } from "./action-data.js";
import { attachedMemory, hasWideGroups } from "./attached.js";
import {
  askedWays,
  type HashSearch,
  identityBlocks,
  type KeyBytes,
  lineBitsOf,
  type Packing,
  packings,
  searchesOf,
  waySizes,
} from "./exact.js";
import { indirectionBlocks, rangeRows, ternaryGroups, ternaryWidth } from "./ternary.js";

/** SRAM blocks by what they hold. */
interface BlockUse {
  readonly match: number;
  readonly indirection: number;
  readonly action: number;
  /** Direct counters and meters, spares included. */
  readonly direct: number;
}

/** Blocks and hash bits of a table, or of the part of it that is in one stage. */
export interface TableLayout {
  readonly match: "exact" | "ternary" | "none";
  /** Entries that the blocks hold: at least the number that was asked for. */
  readonly entries: number;
  readonly srams: number;
  readonly blocks: BlockUse;
  readonly mapRams: number;
  readonly tcams: number;
  /** TCAM blocks side by side. */
  readonly tcamWidth: number;
  /** RAM blocks of each hash way, over the whole width. */
  readonly wayRams: readonly number[];
  readonly entriesPerWord: number;
  /** Hash functions that address the blocks, one after the other. */
  readonly searches: readonly HashSearch[];
  readonly hashBits: number;
  /** Logical tables: more than one for partitions that take more blocks than a row has for one. */
  readonly logicalTables: number;
}

/** The layout of a unit without match memory. */
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
  searches: [],
  hashBits: 0,
  logicalTables: 1,
};

/** Blocks side by side that one logical table of partitions can compare (p4c, mau/memories.h, MAX_PARTITION_RAMS_PER_ROW). */
const PARTITION_BLOCKS = 5;
/** Partitions beyond which logical tables are not filled (p4c, mau/resource_estimate.cpp, calculate_partition_sizes). */
const MANY_PARTITIONS = 4096;
/** Entries of partitions in a word (p4c, mau/table_layout.cpp, MAX_ENTRIES_PER_ROW). */
const MAX_PARTITION_PACK = 5;
/** Ways that are listed; a table that no stage holds has more. */
const MAX_SHOWN_WAYS = 1000;

function matchKind(unit: Unit): TableLayout["match"] {
  if (unit.kind !== "match") return "none";
  if (unit.algorithmic !== undefined) return "exact";
  if (unit.pragmas.isTernary) return "ternary";
  return unit.key.every((part) => part.kind === "exact") ? "exact" : "ternary";
}

/** Lays out the memory of one table for any number of entries, as placement splits it. Layouts are cached. */
export class TablePlan {
  readonly match: TableLayout["match"];
  /** The rows of a gateway are the entries: the table needs no memory. */
  readonly isGateway: boolean;
  /** The key is the address of the entry's data and memories, without a match: hash distribution brings it there. */
  readonly isAddressed: boolean;
  readonly keyBytes: KeyBytes;
  readonly nibbleBits: number;
  readonly actionBytes: number;
  /** Bytes of the action data bus. */
  readonly busBytes: number;
  readonly #formats: readonly DataFormat[];
  readonly #fixedOverhead: number;
  readonly #cache = new Map<number, TableLayout>();

  /** @param isGateway a gateway may hold the entries, where they fit it */
  constructor(
    readonly unit: Unit,
    readonly target: Target,
    phv: PhvLayout,
    isGateway = false,
  ) {
    this.keyBytes = keyBytesOf(unit, phv);
    this.nibbleBits = nibbleBitsOf(unit.key, this.keyBytes);
    this.actionBytes = totalDataBytes(unit.actions, unit.gress, phv);
    this.busBytes = busBytes(unit.actions, unit.gress, phv);
    const indirect = unit.implementation !== undefined;
    this.#formats = indirect
      ? [{ immediateBits: 0, ramBytes: 0, inRam: [] }]
      : dataFormats(unit.actions, unit.gress, phv, target);
    this.#fixedOverhead = selectorBits(unit, target) + addressBits(unit, target);
    this.isGateway = isGateway && fitsGateway(unit, target) && dataFits(unit, target, phv);
    this.isAddressed = !this.isGateway && this.#isAddress();
    this.match = this.isGateway || this.isAddressed ? "none" : matchKind(unit);
  }

  /** The cheapest layout for at least `entries` entries. */
  layout(entries: number): TableLayout {
    if (this.isAddressed) return this.#addressed(entries);
    if (this.match === "none") return { ...NO_MEMORY, entries };
    let layout = this.#cache.get(entries);
    if (layout === undefined) {
      const { algorithmic } = this.unit;
      if (algorithmic !== undefined) layout = this.#algorithmic(algorithmic, entries);
      else layout = this.match === "exact" ? this.#exact(entries) : this.#ternary(entries);
      this.#cache.set(entries, layout);
    }
    return layout;
  }

  /** Bytes of an entry in action RAM where none is in the match entry. */
  get ramBytes(): number {
    return this.#formats[0]?.ramBytes ?? 0;
  }

  /**
   * The program states as many entries as the key has values, and all entries have the same action (p4c, mau/table_layout.cpp, can_be_hash_action). One
   * whose data no stage holds is matched, because such a table is not split.
   */
  #isAddress(): boolean {
    const { unit, target } = this;
    const { algorithmic, attached, implementation, size } = unit;
    return (
      target.hash.distribution_bits !== null &&
      matchKind(unit) === "exact" &&
      algorithmic === undefined &&
      implementation === undefined &&
      unit.actions.length === 1 &&
      unit.hasEveryKey === true &&
      attached.every(({ kind }) => kind !== "idle") &&
      this.#fixedOverhead === 0 &&
      this.#addressed(size).srams <= target.sram.blocks
    );
  }

  #addressed(entries: number): TableLayout {
    const action = actionBlocks(entries, this.ramBytes, this.target);
    const direct = this.#direct(entries);
    return {
      ...NO_MEMORY,
      entries,
      srams: action + direct.blocks,
      blocks: { match: 0, indirection: 0, action, direct: direct.blocks },
      mapRams: direct.mapRams,
    };
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
    const maxWayBlocks = target.exact.max_way_blocks ?? target.sram.blocks;
    const single = hasWideGroups(unit.implementation, target);
    const lineBits = lineBitsOf(target);
    const { hash_group_bits: columns } = target.per_stage;
    const selectBits = columns === null ? Number.POSITIVE_INFINITY : columns - minWays * lineBits;
    let best: Choice | undefined;
    for (const format of this.#formats) {
      const overhead = this.#fixedOverhead + format.immediateBits;
      for (const { entriesPerWord, width } of asked(
        packings(this.keyBytes, overhead, target, { immediate: format.immediateBits, single }),
        unit,
      )) {
        const needed = Math.ceil(entries / (entriesPerWord * depth));
        let words = Math.max(needed, minWays, 1);
        // No stage holds more, so the ways of a deeper table are never used. This bounds their number.
        let ways = waySizes(Math.min(words, target.sram.blocks), minWays, maxWayBlocks);
        const { ways: count } = unit.pragmas;
        if (count !== undefined) {
          ways = askedWays(Math.min(needed, target.sram.blocks), count);
          words = Math.max(
            ways.reduce((sum, size) => sum + size, 0),
            needed,
          );
        }
        const identity = this.#hasOwnAddress(format)
          ? identityBlocks(this.keyBytes.bits, entriesPerWord, words, target)
          : undefined;
        if (identity !== undefined && (count ?? 1) === 1) {
          ways = [identity];
          words = identity;
        }
        const searches = searchesOf(ways, { most: minWays, selectBits, isAsked: count !== undefined });
        const allocated = words * entriesPerWord * depth;
        const action = actionBlocks(allocated, format.ramBytes, target);
        const beside = this.#direct(allocated);
        const srams = words * width + action + beside.blocks;
        const layout: TableLayout = {
          match: "exact",
          entries: allocated,
          srams,
          blocks: { match: words * width, indirection: 0, action, direct: beside.blocks },
          mapRams: beside.mapRams,
          tcams: 0,
          tcamWidth: 0,
          wayRams: ways.map((size) => size * width),
          entriesPerWord,
          searches,
          hashBits: searches.reduce((sum, { ways: own, select }) => sum + own * lineBits + select, 0),
          logicalTables: 1,
        };
        const bytes = format.ramBytes;
        if (best === undefined || isCheaper({ layout, width, bytes }, best)) best = { layout, width, bytes };
      }
    }
    return best?.layout ?? this.#tooWide(entries);
  }

  /**
   * A short key can be its own address (p4c, mau/resource_estimate.cpp, can_be_identity_hash): one that fills a block or more only where no
   * action that can be the default uses a memory or has data in action RAM, because the driver keeps an entry for it.
   */
  #hasOwnAddress({ inRam }: DataFormat): boolean {
    const { unit, keyBytes, target } = this;
    if (unit.implementation !== undefined) return false;
    if (keyBytes.bits < lineBitsOf(target)) return true;
    if (unit.attached.some(({ kind }) => kind === "idle")) return false;
    return unit.actions.every(
      ({ isDefault, memories }, i) => !isDefault || (memories.length === 0 && inRam[i] !== true),
    );
  }

  /** A key that is too wide for every packing: one entry in as many blocks as its bits need, as a number to report. */
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
      searches: [{ ways: this.target.exact.min_ways ?? 1, select: 0 }],
      hashBits: (this.target.exact.min_ways ?? 1) * lineBitsOf(this.target),
    };
  }

  /**
   * Partitions in SRAM: the number of the partition is the address, and an entry holds the rest of the key as value and
   * mask. All entries of a partition are compared at once.
   */
  #algorithmic({ partitions, index, extra }: NonNullable<Unit["algorithmic"]>, wanted: number): TableLayout {
    const { target, unit } = this;
    // As much of the data as the entry has room for.
    const format = this.#formats.at(-1);
    const { version_bits: version, max_pack: maxPack, max_width: maxWidth } = target.exact;
    // A bit that can be left open takes two, a bit of an exact key one.
    const keyBits = unit.key.reduce(
      (sum, { access, kind }, at) => sum + (at === index ? 0 : access.width * (kind === "exact" ? 1 : 2)),
      0,
    );
    const entryBits = Math.max(1, keyBits + (version ?? 0) + this.#fixedOverhead + format!.immediateBits);
    const perPartition = Math.ceil((wanted + extra) / partitions);
    const lines = Math.min(partitions, target.sram.depth);
    const ways = Math.ceil(partitions / target.sram.depth);
    let best: { srams: number; perWord: number; width: number; deep: number } | undefined;
    for (let width = 1; width <= (maxWidth ?? Math.ceil(entryBits / target.sram.width)); width++) {
      const fitting = Math.floor((width * target.sram.width) / entryBits);
      const perWord = Math.min(MAX_PARTITION_PACK, maxPack === null ? fitting : Math.min(maxPack, fitting));
      if (perWord <= 0) continue;
      const deep = Math.ceil(perPartition / perWord);
      const srams = deep * width * ways;
      if (best === undefined || srams < best.srams) best = { srams, perWord, width, deep };
    }
    if (best === undefined) return this.#tooWide(wanted + extra);
    const entries = best.deep * ways * best.perWord * lines;
    const action = actionBlocks(entries, format!.ramBytes, target);
    const beside = this.#direct(entries);
    // The number of the partition chooses the line, and the block where there are more partitions than lines.
    const select = Math.max(0, Math.ceil(Math.log2(partitions)) - lineBitsOf(target));
    // Each logical table of many partitions takes a block of its own.
    const perTable = partitions > MANY_PARTITIONS ? 1 : PARTITION_BLOCKS;
    return {
      ...NO_MEMORY,
      match: "exact",
      entries,
      srams: best.srams + action + beside.blocks,
      blocks: { match: best.srams, indirection: 0, action, direct: beside.blocks },
      mapRams: beside.mapRams,
      wayRams: new Array<number>(Math.min(best.deep, MAX_SHOWN_WAYS)).fill(ways * best.width),
      entriesPerWord: best.perWord,
      searches: [{ ways: 1, select }],
      hashBits: lineBitsOf(target) + select,
      logicalTables: Math.max(1, Math.ceil(best.deep / perTable)),
    };
  }

  #ternary(entries: number): TableLayout {
    const { target } = this;
    const width = Math.max(
      ternaryWidth(this.nibbleBits, target),
      this.unit.key.some(({ kind }) => kind === "range") ? ternaryGroups(this.keyBytes) : 1,
    );
    const rows = rangeRows(this.unit.key, entries, target);
    const units = Math.max(1, Math.ceil(rows / target.tcam.depth));
    const allocated = units * target.tcam.depth;
    let best: TableLayout | undefined;
    let bestRank: readonly number[] = [];
    for (const format of this.#formats) {
      const indirection = indirectionBlocks(allocated, this.#fixedOverhead + format.immediateBits, target);
      const action = actionBlocks(allocated, format.ramBytes, target);
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
        searches: [],
        hashBits: 0,
        logicalTables: 1,
      };
    }
    return best!;
  }

  /**
   * A counter or meter beside the entries is within the rows that its ALU reaches, as a register is: the compiler splits the table there (p4c,
   * mau/memories.h, MAX_DATA_SWBOX_ROWS). A chip that gives a long one a second spare reaches all rows.
   */
  isInReach({ entries }: TableLayout): boolean {
    const { max_blocks: most, max_statistics_blocks: more } = this.target.stateful;
    if (most === null || more !== null) return true;
    return this.unit.attached.every(
      (memory) =>
        memory.index !== "direct" ||
        memory.kind === "idle" ||
        attachedMemory(memory, entries, this.target).mapRams <= most,
    );
  }

  /**
   * The largest part of `entries` entries whose layout is within the free blocks, as a number of entries; undefined when the smallest part
   * exceeds them. A part of a ternary table takes whole units, a part of an exact table takes whole ways. Where an entry takes several rows,
   * the layout has more rows than the part has entries.
   */
  largest(
    entries: number,
    free: { srams: number; tcamUnits: number; mapRams: number; logicalTables: number },
  ): number | undefined {
    const fits = (layout: TableLayout) =>
      this.isInReach(layout) &&
      layout.logicalTables <= free.logicalTables &&
      layout.srams <= free.srams &&
      layout.mapRams <= free.mapRams &&
      (layout.tcamWidth === 0 || layout.tcams / layout.tcamWidth <= free.tcamUnits);
    if (fits(this.layout(entries))) return entries;
    if (this.isAddressed) return undefined;
    const { algorithmic } = this.unit;
    const depth = this.match === "ternary" ? this.target.tcam.depth : this.target.sram.depth;
    const step = algorithmic?.partitions ?? depth;
    let low = 0;
    let high = Math.ceil(entries / step);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (fits(this.layout(middle * step))) low = middle;
      else high = middle;
    }
    if (low === 0) return undefined;
    // Ways hold what they hold: a part takes what its blocks have room for, where that needs no more blocks.
    const room = Math.min(this.layout(low * step).entries, entries);
    return fits(this.layout(room)) ? room : low * step;
  }
}

/**
 * Few entries that the program states can be rows of a gateway (p4c, mau/payload_gateway.cpp): the bits of the key are what a gateway sees.
 * What all entries have beside the key is within what a word has for it; each names its action, one more than the table has, and of every
 * memory the address, whether it is used and with which method (table_format.cpp, bitvec_necessary).
 */
function fitsGateway(
  { kind, key, constEntries, algorithmic, implementation, actions, attached }: Unit,
  { gateway, exact }: Target,
): boolean {
  const { entries, bytes, hash_bits: hashBits } = gateway;
  if (entries === null || constEntries === undefined || constEntries > entries || constEntries === 0)
    return false;
  if (kind !== "match" || algorithmic !== undefined || implementation !== undefined) return false;
  const addresses = attached.filter(({ index }) => index !== "direct");
  const overhead = addresses.reduce(
    (sum, memory) => sum + addressOf(memory) + 1 + (memory.kind === "counter" ? 0 : METHOD_BITS),
    Math.ceil(Math.log2(actions.filter(({ hit }) => hit).length + 1)),
  );
  if (overhead * constEntries > (exact.overhead_bits_per_word ?? Number.POSITIVE_INFINITY)) return false;
  const bits = key.reduce((sum, { access }) => sum + access.width, 0);
  return key.every((part) => part.kind !== "range") && bits <= 8 * (bytes ?? 0) + (hashBits ?? 0);
}

/** The data of the entries is in no memory of its own. */
function dataFits(unit: Unit, target: Target, phv: PhvLayout): boolean {
  return dataFormats(unit.actions, unit.gress, phv, target).some(({ ramBytes }) => ramBytes === 0);
}

/** The packings that a pragma asks for, where there are such. */
function asked(list: readonly Packing[], { pragmas }: Unit): readonly Packing[] {
  const own = list.filter(({ entriesPerWord }) => entriesPerWord === pragmas.pack);
  return own.length > 0 ? own : list;
}

/** A layout of an exact table, with the blocks of a word and the bytes of an entry in action RAM. */
interface Choice {
  readonly layout: TableLayout;
  readonly width: number;
  readonly bytes: number;
}

/** The order in which the compiler tries layouts (p4c, mau/resource_estimate.cpp, select_best_option). */
function isCheaper(a: Choice, b: Choice): boolean {
  const sameEntries = a.layout.entries === b.layout.entries;
  const rank = ({ layout, width, bytes }: Choice) => [
    layout.srams,
    width,
    sameEntries ? layout.entriesPerWord : 0,
    bytes > 0 ? 1 : 0,
    bytes,
    -layout.entries,
  ];
  return isLess(rank(a), rank(b));
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, value] of a.entries()) {
    if (value !== b[i]) return value < defined(b[i]);
  }
  return false;
}

/** Bits that choose the action of an entry. */
function selectorBits(unit: Unit, target: Target): number {
  const hits = unit.actions.filter((action) => action.hit).length;
  if (hits <= 1) return 0;
  const { map_entries: mapped, address_bits: address } = target.action;
  return mapped === null || address === null || hits <= mapped ? Math.ceil(Math.log2(hits)) : address;
}

/** Bits that name the method of a register which an entry calls. */
const METHOD_BITS = 3;

function addressOf({ size }: Attached): number {
  return Math.ceil(Math.log2(Math.max(2, size)));
}

/**
 * Bits of the addresses that an entry holds: of counters, meters, registers and members. Where not all actions of entries use the memory, a
 * bit says whether it is used, and where several use a register, others say with which method (p4c, mau/table_layout.cpp).
 */
function addressBits(unit: Unit, target: Target): number {
  let bits = 0;
  const hits = unit.actions.filter(({ hit }) => hit);
  for (const memory of unit.attached) {
    const { index, kind, name } = memory;
    if (index === "direct") continue;
    const users = hits.filter(({ memories }) => memories.includes(name)).length;
    bits += addressOf(memory) + (users < hits.length ? 1 : 0);
    if (kind === "register" && users > 1) bits += METHOD_BITS;
  }
  const { implementation } = unit;
  if (implementation !== undefined) {
    bits += Math.ceil(Math.log2(Math.max(2, implementation.members))) + 1;
    if (implementation.selector !== undefined) bits += target.selector.entry_bits ?? 0;
  }
  return bits;
}

/** Bits of the key in each byte of its containers; two fields in one byte count once. */
function keyBytesOf(unit: Unit, phv: PhvLayout): KeyBytes {
  const bytes = new Map<string, number>();
  const ranges = new Map<string, number>();
  let bits = 0;
  for (const [index, part] of unit.key.entries()) {
    const { access } = part;
    bits += access.width;
    const add = (name: string, count: number) => {
      bytes.set(name, (bytes.get(name) ?? 0) + count);
      if (part.kind === "range") ranges.set(name, index);
    };
    const containers = phv.of(unit.gress, access.field);
    if (containers.length === 0) {
      for (let lo = 0; lo < access.width; lo += 8)
        add(`${access.field}:${lo}`, Math.min(8, access.width - lo));
    }
    for (const container of containers) {
      for (const slice of container.slices) {
        if (slice.field !== access.field) continue;
        const low = Math.max(slice.lo, access.lo);
        const high = Math.min(slice.lo + slice.width, access.lo + access.width);
        for (let bit = low; bit < high; bit++) add(`${container.id}:${(slice.at + bit - slice.lo) >> 3}`, 1);
      }
    }
  }
  return { bytes: [...bytes.values()], ranges: [...bytes.keys()].map((name) => ranges.get(name)), bits };
}

/** Key bits with part-filled bytes rounded up to nibbles; ranges count twice. */
function nibbleBitsOf(key: readonly KeyPart[], bytes: KeyBytes): number {
  let ranges = 0;
  for (const part of key) if (part.kind === "range") ranges += Math.ceil(part.access.width / 4) * 4;
  return bytes.bytes.reduce((sum, bits) => sum + (bits > 4 ? 8 : 4), 0) + ranges;
}
