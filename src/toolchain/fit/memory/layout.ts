/** The memory of one table: the cheapest of all layouts that the target offers. */
import { compareRanks } from "../../../base/index.js";
import type { Unit } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";
import { actionBlocks, type DataFormat, dataFormats, givenBytes } from "./action-data.js";
import { aluMemory, attachedMemory } from "./attached.js";
import { type ArrayUse, NOTHING_IN_ARRAY, type Way } from "./blocks.js";
import { type BusBytes, bothBuses } from "./data-formats.js";
import {
  addressBits,
  addressOf,
  directBits,
  keyBytesOf,
  METHOD_BITS,
  nibbleBitsOf,
  selectorBits,
} from "./entry-bits.js";
import {
  askedWays,
  type HashSearch,
  identityBlocks,
  type KeyBytes,
  lineBitsOf,
  overheadBitsOf,
  type Packing,
  packings,
  searchesOf,
  selectBitsOf,
  waySizes,
} from "./exact.js";
import { type Free, isWithin, largestWhere } from "./parts.js";
import { hasWideGroups } from "./selectors.js";
import { entriesWithin, indirectionBlocks, rangeRows, ternaryGroups, ternaryWidth } from "./ternary.js";
import { wordHolds } from "./word.js";

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
  /** SRAM blocks side by side that hold a word of entries; 0: no entries in SRAM. */
  readonly wordBlocks: number;
  /** Its memories as the array of a stage takes them. */
  readonly array: ArrayUse;
  /** Hash functions that address the blocks, one after the other. */
  readonly searches: readonly HashSearch[];
  readonly hashBits: number;
  /** Logical tables: more than one for partitions that take more blocks than a row has for one. */
  readonly logicalTables: number;
  /** The action data bus, for data of entries. */
  readonly bus: BusBytes;
}

/** A part of a table in one stage: its layout, and how many of the table's entries it takes. */
export interface TablePart {
  readonly layout: TableLayout;
  readonly entries: number;
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
  wordBlocks: 0,
  array: NOTHING_IN_ARRAY,
  searches: [],
  hashBits: 0,
  logicalTables: 1,
  bus: { used: 0, taken: 0 },
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
  /** Bytes of the action data bus for what hashes, meters and random numbers give. */
  readonly #givenBytes: number;
  readonly #formats: readonly DataFormat[];
  readonly #fixedOverhead: number;
  /** The overhead by which the compiler packs exact entries. */
  readonly #packedOverhead: number;
  readonly #cache = new Map<number, TableLayout>();
  readonly #held = new Map<string, boolean>();
  #known: readonly { readonly format: DataFormat; readonly packing: Packing }[] | undefined;

  /** @param isGateway a gateway may hold the entries, where they fit it */
  constructor(
    readonly unit: Unit,
    readonly target: Target,
    phv: PhvLayout,
    isGateway = false,
  ) {
    this.keyBytes = keyBytesOf(unit, phv);
    this.nibbleBits = nibbleBitsOf(unit.key, this.keyBytes);
    this.#givenBytes = givenBytes(unit.actions, unit.gress, phv);
    const formats = dataFormats(unit.actions, unit.gress, phv, target);
    const { bytes, bus } = formats[0]!;
    this.actionBytes = bytes;
    // The members of a profile have the data, all in action RAM.
    this.#formats =
      unit.implementation === undefined
        ? formats
        : [{ immediateBits: 0, bytes: 0, ramBytes: 0, inRam: [], bus }];
    this.#fixedOverhead = selectorBits(unit, target) + addressBits(unit, target);
    this.#packedOverhead = this.#fixedOverhead + directBits(unit, target);
    this.isGateway = isGateway && fitsGateway(unit, target, phv);
    this.isAddressed = !this.isGateway && this.#isAddress();
    this.match = this.isGateway || this.isAddressed ? "none" : matchKind(unit);
  }

  /** The cheapest layout for at least `entries` entries. */
  layout(entries: number): TableLayout {
    if (this.isAddressed) return this.#addressed(entries);
    if (this.match === "none") return { ...NO_MEMORY, entries, bus: this.#formats.at(-1)!.bus };
    let layout = this.#cache.get(entries);
    if (layout === undefined) {
      const { algorithmic } = this.unit;
      if (algorithmic !== undefined) layout = this.#algorithmic(algorithmic, entries);
      else layout = this.match === "exact" ? this.#cheapest(entries) : this.#ternary(entries);
      this.#cache.set(entries, layout);
    }
    return layout;
  }

  /** The action data bus. */
  get bus(): BusBytes {
    const given = { used: this.#givenBytes, taken: this.#givenBytes };
    return bothBuses(this.layout(this.unit.size).bus, given);
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
      array: this.#array(entries, { ramBytes: this.ramBytes }, {}),
      bus: this.#formats[0]!.bus,
    };
  }

  /** What the table has in the array beside its entries. */
  #array(entries: number, { ramBytes }: Pick<DataFormat, "ramBytes">, more: Partial<ArrayUse>): ArrayUse {
    const { target, unit } = this;
    const blocks = actionBlocks(entries, ramBytes, target);
    const width = Math.max(1, Math.ceil((8 * ramBytes) / target.sram.width));
    return {
      ...NOTHING_IN_ARRAY,
      action: blocks === 0 ? [] : [{ depth: blocks / width, width }],
      alu: unit.attached
        .filter(({ index, kind }) => index === "direct" && kind !== "idle")
        .map((attached) => aluMemory(attached, attachedMemory(attached, entries, target), true)),
      ...more,
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

  #cheapest(entries: number): TableLayout {
    let best: Choice | undefined;
    for (const choice of this.#options(entries))
      if (best === undefined || isCheaper(choice, best)) best = choice;
    return best?.layout ?? this.#tooWide(entries);
  }

  /** Of each format of data and each packing: the layout of at least so many entries. */
  *#options(entries: number): Generator<Choice> {
    for (const { format, packing } of this.#packings()) {
      const layout = this.#exact(entries, format, packing);
      if (this.#wordHolds(layout, format)) yield { layout, bytes: format.ramBytes };
    }
  }

  /** The packing holds bit by bit; a key of several search buses is taken to. Larger ways imply more bits of the key. */
  #wordHolds({ entriesPerWord: count, wordBlocks: width, array }: TableLayout, format: DataFormat): boolean {
    const { keyBytes, target, unit } = this;
    const { masks = [] } = keyBytes;
    const { ghost_bits: implied, version_bits: version } = target.exact;
    if (implied === null || masks.length > target.sram.width / 8) return true;
    const smallest = Math.min(...array.ways.map(({ depth }) => depth));
    const ghost = implied + Math.floor(Math.log2(smallest));
    const overhead = this.#fixedOverhead + format.immediateBits;
    const question = `${count} ${width} ${ghost} ${overhead}`;
    const known = this.#held.get(question);
    if (known !== undefined) return known;
    const entry = {
      bytes: masks,
      ghost,
      overhead,
      overheadBits: overheadBitsOf(target, format.immediateBits > 0),
      hasVersion: (version ?? 0) > 0,
    };
    const answer = unit.pragmas.pack !== undefined || wordHolds(entry, count, width);
    this.#held.set(question, answer);
    return answer;
  }

  #packings(): readonly { readonly format: DataFormat; readonly packing: Packing }[] {
    const single = hasWideGroups(this.unit.implementation, this.target);
    this.#known ??= this.#formats.flatMap((format) => {
      const { immediateBits: immediate } = format;
      const list = packings(this.keyBytes, this.#packedOverhead + immediate, this.target, {
        immediate,
        single,
      });
      return asked(list, this.unit).map((packing) => ({ format, packing }));
    });
    return this.#known;
  }

  #exact(entries: number, format: DataFormat, { entriesPerWord, width }: Packing): TableLayout {
    const { target, unit } = this;
    const { depth } = target.sram;
    const minWays = target.exact.min_ways ?? 1;
    const maxWayBlocks = target.exact.max_way_blocks ?? target.sram.blocks;
    const lineBits = lineBitsOf(target);
    const selectBits = selectBitsOf(target);
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
    return {
      match: "exact",
      entries: allocated,
      srams,
      blocks: { match: words * width, indirection: 0, action, direct: beside.blocks },
      mapRams: beside.mapRams,
      tcams: 0,
      tcamWidth: 0,
      wayRams: ways.map((size) => size * width),
      entriesPerWord,
      wordBlocks: width,
      array: this.#array(allocated, format, { ways: ways.map((depth) => ({ depth, width })) }),
      searches,
      hashBits: searches.reduce((sum, { ways: own, select }) => sum + own * lineBits + select, 0),
      logicalTables: 1,
      bus: format.bus,
    };
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
      wordBlocks: wide,
      searches: [{ ways: this.target.exact.min_ways ?? 1, select: 0 }],
      hashBits: (this.target.exact.min_ways ?? 1) * lineBitsOf(this.target),
    };
  }

  /**
   * Partitions in SRAM: the number of the partition is the address, and an entry holds the rest of the key as value and
   * mask. All entries of a partition are compared at once.
   */
  #algorithmic(
    { partitions: count, index, extra }: NonNullable<Unit["algorithmic"]>,
    wanted: number,
  ): TableLayout {
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
    const perPartition = Math.ceil((wanted + extra) / count);
    const lines = Math.min(count, target.sram.depth);
    const ways = Math.ceil(count / target.sram.depth);
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
    const select = Math.max(0, Math.ceil(Math.log2(count)) - lineBitsOf(target));
    // Each logical table of many partitions takes a block of its own.
    const perTable = count > MANY_PARTITIONS ? 1 : PARTITION_BLOCKS;
    const { width, deep } = best;
    // A stage holds no more, so that the others need no list.
    const shown = Math.min(deep, target.sram.blocks + 1);
    const partitions = Array.from({ length: Math.ceil(shown / perTable) }, (_, table) =>
      new Array<Way>(ways).fill({ depth: Math.min(perTable, shown - table * perTable), width }),
    ).flat();
    return {
      ...NO_MEMORY,
      match: "exact",
      entries,
      srams: best.srams + action + beside.blocks,
      blocks: { match: best.srams, indirection: 0, action, direct: beside.blocks },
      mapRams: beside.mapRams,
      wayRams: new Array<number>(Math.min(best.deep, MAX_SHOWN_WAYS)).fill(ways * best.width),
      entriesPerWord: best.perWord,
      wordBlocks: best.width,
      array: this.#array(entries, format!, { partitions }),
      searches: [{ ways: 1, select }],
      hashBits: lineBitsOf(target) + select,
      logicalTables: Math.max(1, Math.ceil(best.deep / perTable)),
      bus: format!.bus,
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
      if (best !== undefined && compareRanks(rank, bestRank) >= 0) continue;
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
        wordBlocks: 0,
        array: this.#array(allocated, format, { indirection }),
        searches: [],
        hashBits: 0,
        logicalTables: 1,
        bus: format.bus,
      };
    }
    return best!;
  }

  /** All layouts of at least `entries` entries, the cheapest first, as the compiler tries them. */
  layouts(entries: number): readonly TableLayout[] {
    if (this.match !== "exact" || this.unit.algorithmic !== undefined) return [this.layout(entries)];
    const choices = [...this.#options(entries)].sort((a, b) => (isCheaper(a, b) ? -1 : 1));
    return choices.length === 0 ? [this.layout(entries)] : choices.map(({ layout }) => layout);
  }

  /**
   * Parts of a table of `entries` entries that are within the free blocks, the largest first, down to the smallest that the ways need: where
   * the array of the stage does not hold one, the compiler tries the next (p4c, mau/table_placement.cpp, shrink_preferred_lo). A part of a
   * ternary table takes whole units, a part of an exact table whole words. Where an entry takes several rows, the layout has more rows than
   * the part has entries.
   */
  *parts(entries: number, free: Free): Generator<TablePart> {
    if (this.isAddressed) return;
    if (this.match === "exact" && this.unit.algorithmic === undefined) yield* this.#exactParts(entries, free);
    else yield* this.#steppedParts(entries, free);
  }

  *#exactParts(entries: number, free: Free): Generator<TablePart> {
    const { depth } = this.target.sram;
    // The compiler gives up packings that do not hold all entries, also where they would hold a part.
    const held = this.#packings().filter(({ format, packing }) =>
      this.#wordHolds(this.#exact(entries, format, packing), format),
    );
    const options = held.map(({ format, packing }) => {
      const { entriesPerWord: perWord, width } = packing;
      const at = (words: number) => this.#exact(words * perWord * depth, format, packing);
      const least = Math.round(at(1).entries / (perWord * depth));
      const isWithinFree = (words: number) => isWithin(at(words), free);
      const words = largestWhere(least, Math.ceil(entries / (perWord * depth)), isWithinFree);
      return { at, least, words, width, perWord, format };
    });
    for (;;) {
      const rank = ({ at, words, width, perWord, format }: (typeof options)[number]) => [
        -at(words).entries,
        width,
        perWord,
        format.ramBytes,
      ];
      const best = options
        .filter(({ words, least }) => words >= least)
        .reduce<(typeof options)[number] | undefined>(
          (first, one) => (first === undefined || compareRanks(rank(one), rank(first)) < 0 ? one : first),
          undefined,
        );
      if (best === undefined) return;
      const layout = best.at(best.words);
      const isAll = best.words * best.perWord * depth >= entries;
      if (this.#wordHolds(layout, best.format))
        yield { layout, entries: isAll ? entries : Math.min(entries, layout.entries) };
      const { srams } = layout;
      do best.words--;
      while (best.words >= best.least && best.at(best.words).srams >= srams);
    }
  }

  *#steppedParts(entries: number, free: Free): Generator<TablePart> {
    const isTernary = this.match === "ternary";
    const step = isTernary
      ? this.target.tcam.depth
      : (this.unit.algorithmic?.partitions ?? this.target.sram.depth);
    // A step of a ternary table is a block of rows, of which an entry with ranges takes several.
    const held = (steps: number) =>
      Math.min(entries, isTernary ? entriesWithin(this.unit.key, steps * step, this.target) : steps * step);
    const rows = isTernary ? rangeRows(this.unit.key, entries, this.target) : entries;
    const isWithinFree = (steps: number) => isWithin(this.layout(held(steps)), free);
    for (let steps = largestWhere(1, Math.ceil(rows / step), isWithinFree); steps > 0; steps--) {
      // Partitions hold what they hold: a part takes what its blocks have room for, where that needs no more blocks.
      const room = isTernary ? held(steps) : Math.min(this.layout(held(steps)).entries, entries);
      const part = isWithin(this.layout(room), free) ? room : held(steps);
      yield { layout: this.layout(part), entries: part };
    }
  }

  /** The layout of at least `entries` entries with the packing of another one; the cheapest where there is none. */
  layoutLike({ entriesPerWord, wordBlocks }: TableLayout, entries: number): TableLayout {
    let best: Choice | undefined;
    for (const choice of this.#options(entries)) {
      const { layout } = choice;
      if (layout.entriesPerWord !== entriesPerWord || layout.wordBlocks !== wordBlocks) continue;
      if (best === undefined || isCheaper(choice, best)) best = choice;
    }
    return best?.layout ?? this.layout(entries);
  }
}

/**
 * Few entries that the program states can be rows of a gateway (p4c, mau/payload_gateway.cpp): the bits of the key are what a gateway sees.
 * What all entries have beside the key is within what a word has for it, as in `packings`: each has its data, which is in no memory of its own, names its
 * action, one more than the table has, and of every memory the address, whether it is used and with which method (table_format.cpp,
 * bitvec_necessary).
 */
function fitsGateway(unit: Unit, target: Target, phv: PhvLayout): boolean {
  const { kind, key, constEntries, algorithmic, implementation, actions, attached } = unit;
  const { gateway, exact } = target;
  const { entries, bytes, hash_bits: hashBits } = gateway;
  if (entries === null || constEntries === undefined || constEntries > entries || constEntries === 0)
    return false;
  if (kind !== "match" || algorithmic !== undefined || implementation !== undefined) return false;
  const data = dataFormats(actions, unit.gress, phv, target).find(({ ramBytes }) => ramBytes === 0);
  if (data === undefined) return false;
  const addresses = attached.filter(({ index }) => index !== "direct");
  const overhead = addresses.reduce(
    (sum, memory) => sum + addressOf(memory.size, target) + 1 + (memory.kind === "counter" ? 0 : METHOD_BITS),
    data.immediateBits + Math.ceil(Math.log2(actions.filter(({ hit }) => hit).length + 1)),
  );
  const room = (exact.overhead_bits_per_word ?? Number.POSITIVE_INFINITY) - (data.immediateBits > 0 ? 1 : 0);
  if (overhead * constEntries > room) return false;
  const bits = key.reduce((sum, { access }) => sum + access.width, 0);
  return key.every((part) => part.kind !== "range") && bits <= 8 * (bytes ?? 0) + (hashBits ?? 0);
}

/** The packings that a pragma asks for, where there are such. */
function asked(list: readonly Packing[], { pragmas }: Unit): readonly Packing[] {
  const own = list.filter(({ entriesPerWord }) => entriesPerWord === pragmas.pack);
  return own.length > 0 ? own : list;
}

/** A layout of an exact table, with the bytes of an entry in action RAM. */
interface Choice {
  readonly layout: TableLayout;
  readonly bytes: number;
}

/** The order in which the compiler tries layouts (p4c, mau/resource_estimate.cpp, select_best_option). */
function isCheaper(a: Choice, b: Choice): boolean {
  const sameEntries = a.layout.entries === b.layout.entries;
  const rank = ({ layout, bytes }: Choice) => [
    layout.srams,
    layout.wordBlocks,
    sameEntries ? layout.entriesPerWord : 0,
    bytes > 0 ? 1 : 0,
    bytes,
    -layout.entries,
  ];
  return compareRanks(rank(a), rank(b)) < 0;
}
