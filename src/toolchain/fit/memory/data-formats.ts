/**
 * Where the action data of a table stands: in action RAM, and in part in the match entry, by the compiler's choice of slots
 * (p4c, backends/tofino/bf-p4c/mau/action_format.cpp), and the bytes of the action data bus that it takes (tofino/action_data_bus.cpp).
 */
import { type DataBit, EMPTY } from "./data-operands.js";
import { type Section, slotsOf } from "./data-sections.js";

/** Bytes of slots of 8, 16 and 32 bits. */
const SLOTS = [1, 2, 4] as const;
type SlotBytes = (typeof SLOTS)[number];

/** By size of slots, the bytes of an entry that some action has in such slots. */
export type BusInputs = Readonly<Record<SlotBytes, ReadonlySet<number>>>;
type GrowingInputs = Record<SlotBytes, Set<number>>;

function noInputs(): GrowingInputs {
  return { 1: new Set(), 2: new Set(), 4: new Set() };
}

/** A section with the slots of its operands; bytes count from the section's lowest. */
export interface SlottedSection {
  /** Bytes that it takes. */
  readonly bytes: number;
  /** Bits from its lowest to the highest one that holds something. */
  readonly bits: number;
  readonly slots: BusInputs;
}

export function slotted(section: Section): SlottedSection {
  const slots = noInputs();
  const inMask = new Set<number>();
  for (const { operand, byte, bytes } of slotsOf(section)) {
    for (let i = byte; i < byte + bytes; i++) slots[(operand.size / 8) as SlotBytes].add(i);
    if (operand.mask !== undefined) for (let i = byte + bytes / 2; i < byte + bytes; i++) inMask.add(i);
  }
  // A mask ends with its highest one.
  const holds = (bit: DataBit, at: number) => bit !== EMPTY && !(bit === 0 && inMask.has(at >> 3));
  const bits = section.bits.findLastIndex(holds) + 1;
  return { bytes: section.bits.length / 8, bits, slots };
}

const slotCount = ({ slots }: SlottedSection, size: SlotBytes) => slots[size].size / size;
const totalOf = (sections: readonly SlottedSection[]) => sections.reduce((sum, { bytes }) => sum + bytes, 0);
const countOf = (sections: readonly SlottedSection[], size: SlotBytes) =>
  sections.reduce((sum, section) => sum + slotCount(section, size), 0);

function addInputs(inputs: GrowingInputs, { slots }: SlottedSection, at: number): void {
  for (const size of SLOTS) for (const byte of slots[size]) inputs[size].add(at + byte);
}

/** Bytes of a word of action RAM, each of whose parts goes to the bus on its own way. */
const RAM_BYTES = 16;

/**
 * The slots of an entry of `bytes` bytes in action RAM. Actions with the most small slots come first; each puts its sections at the first
 * free place, small ones into the low bytes of a word (Format::assign_action_data_table_bytes).
 */
export function ramInputs(actions: readonly (readonly SlottedSection[])[], bytes: number): BusInputs {
  const all = noInputs();
  const order = [...actions].sort(
    (a, b) => countOf(b, 1) - countOf(a, 1) || countOf(b, 2) - countOf(a, 2) || totalOf(b) - totalOf(a),
  );
  for (const sections of order) {
    const taken = new Set<number>();
    let rest = [...sections].sort(
      (a, b) => slotCount(b, 1) - slotCount(a, 1) || slotCount(b, 2) - slotCount(a, 2) || b.bytes - a.bytes,
    );
    for (const size of SLOTS) {
      if (size === 2) rest.sort((a, b) => slotCount(b, 2) - slotCount(a, 2) || b.bytes - a.bytes);
      if (size === 4) rest.sort((a, b) => b.bytes - a.bytes);
      for (const section of rest.filter(({ slots }) => slots[size].size > 0)) {
        const at = placeInRam(section, size, { all, taken, bytes });
        addInputs(all, section, at);
        for (let i = at; i < at + section.bytes; i++) taken.add(i);
      }
      rest = rest.filter(({ slots }) => slots[size].size === 0);
    }
  }
  return all;
}

/** Bytes of a word of action RAM that slots of a size go to, one list after the other (Format::adt_iteration). */
const PREFERRED: Readonly<Record<SlotBytes, readonly (readonly [number, number])[]>> = {
  1: [
    [0, 4],
    [4, 8],
    [0, 8],
    [0, 16],
  ],
  2: [
    [0, 8],
    [0, 16],
  ],
  4: [[0, 16]],
};

function placeInRam(
  { bytes: own, slots }: SlottedSection,
  size: SlotBytes,
  { all, taken, bytes }: { all: BusInputs; taken: ReadonlySet<number>; bytes: number },
): number {
  const places = Array.from({ length: Math.ceil(bytes / own) }, (_, i) => i * own);
  const isFree = (at: number) =>
    Array.from({ length: own }, (_, i) => at + i).every((byte) => !taken.has(byte));
  const free = places.filter(isFree);
  // Where the low slots are on the bus for another action, the first free place is taken.
  if ([...slots[size]].some((byte) => all[size].has(byte)) && free.length > 0) return free[0]!;
  for (const [low, end] of PREFERRED[size]) {
    const at = free.find((place) => place % RAM_BYTES >= low && (place % RAM_BYTES) + own <= end);
    if (at !== undefined) return at;
  }
  return free[0] ?? bytes;
}

/** Slots and bits of what stands in the match entry. */
export interface EntryInputs {
  readonly inputs: BusInputs;
  /** From the lowest bit to the highest one that an action has there. */
  readonly bits: number;
}

/** The slots of match entries: bytes and halves from the lowest one up, the ones that need fewer bits last (Format::assign_immediate_bytes). */
export function entryInputs(actions: readonly (readonly SlottedSection[])[]): EntryInputs {
  const inputs = noInputs();
  let bits = 0;
  for (const sections of actions) {
    const taken = new Set<number>();
    for (const size of orderInEntry(sections))
      for (const section of sections.filter(({ bytes }) => bytes === size)) {
        let at = 0;
        while (Array.from({ length: size }, (_, i) => at + i).some((byte) => taken.has(byte))) at += size;
        addInputs(inputs, section, at);
        for (let i = at; i < at + size; i++) taken.add(i);
        bits = Math.max(bits, 8 * at + section.bits);
      }
  }
  return { inputs, bits };
}

function orderInEntry(sections: readonly SlottedSection[]): readonly SlotBytes[] {
  const least = (size: SlotBytes) => {
    const own = sections.filter(({ bytes }) => bytes === size);
    return own.length === 0 ? 0 : own.length - 1 + Math.min(...own.map(({ bits }) => bits));
  };
  const has = (size: SlotBytes) => sections.some(({ bytes }) => bytes === size);
  const isHalfLast = !has(1) || (has(2) && least(2) <= least(1));
  return isHalfLast ? [1, 2, 4] : [2, 1, 4];
}

/**
 * The sections that move from action RAM to the match entry so that at least so many bits move, with the fewest bits of the entry; undefined:
 * there are none (SingleActionPositions::best_inputs_to_move).
 * @param limit bits of action data in a match entry
 */
export function movedToEntry(
  sections: readonly SlottedSection[],
  least: number,
  limit: number,
): readonly SlottedSection[] | undefined {
  if (least <= 0) return [];
  const ofSize = (size: SlotBytes, list = sections) => list.filter(({ bytes }) => bytes === size);
  const narrowest = (size: SlotBytes) => Math.min(8 * size, ...ofSize(size).map(({ bits }) => bits));
  let last: SlotBytes | undefined;
  let fewest = limit;
  for (const size of SLOTS) {
    if (!canBeLast(size, sections, least)) continue;
    const bits = Math.floor((least - 1) / (8 * size)) * 8 * size + narrowest(size);
    if (bits <= fewest) [last, fewest] = [size, bits];
  }
  if (last === undefined) return undefined;
  const moved = [ofSize(last).find(({ bits }) => bits === narrowest(last))!];
  for (let bits = 8 * last; bits < least; bits = 8 * totalOf(moved)) {
    const rest = sections.filter((section) => !moved.includes(section));
    const [byte, half] = [ofSize(1, rest), ofSize(2, rest)];
    const isOdd = (least - bits) % 16 === 8;
    const next = byte.length >= (isOdd ? 1 : 2) ? byte[0] : half[0];
    if (next === undefined) return undefined;
    moved.push(next);
  }
  return moved;
}

/** A slot of this size can be the last one of the entry's data (SingleActionPositions::can_be_immed_msb). */
function canBeLast(size: SlotBytes, sections: readonly SlottedSection[], least: number): boolean {
  const count = (bytes: SlotBytes) => sections.filter((section) => section.bytes === bytes).length;
  if (count(size) === 0) return false;
  if (size === 1 && least % 16 === 0 && count(1) % 2 !== 0) return false;
  const smaller = SLOTS.filter((bytes) => 8 * bytes < least);
  const isLarge = !smaller.includes(size);
  return (
    isLarge ||
    smaller.reduce((sum, bytes) => sum + 8 * bytes * count(bytes), 0) >= least ||
    smaller.length === SLOTS.length
  );
}

/** Bytes of the action data bus: those in use, and those that come to the bus with them, which nothing else can have. */
export interface BusBytes {
  readonly used: number;
  readonly taken: number;
}

/** Parts of a RAM word that come to the bus whole, as slots of bytes and halves have them (ActionDataBus::alloc_bytes, alloc_halves). */
function partsOf(size: 1 | 2, own: ReadonlySet<number>, word: number): (readonly [number, number])[] {
  const isIn = (low: number, end: number) =>
    Array.from({ length: end - low }, (_, i) => word + low + i).some((byte) => own.has(byte));
  const parts: [number, number][] = [];
  if (isIn(8, 16)) parts.push([8, 16]);
  if (size === 2) {
    if (isIn(0, 4) && isIn(4, 8)) parts.push([0, 8]);
    else if (isIn(4, 8)) parts.push([4, 8]);
    else if (isIn(0, 4)) parts.push([0, 4]);
  } else {
    if (isIn(4, 8)) parts.push([4, 8]);
    if (isIn(2, 4)) parts.push([0, 4]);
    else if (isIn(0, 2)) parts.push([0, 2]);
  }
  return parts.map(([low, end]) => [word + low, word + end]);
}

/**
 * The bus for slots of action RAM. A word stands where its halves or bytes do, if its part comes to the bus whole
 * (ActionDataBus::alloc_fulls).
 */
export function ramBus(inputs: BusInputs): BusBytes {
  const all = new Set(SLOTS.flatMap((size) => [...inputs[size]]));
  const countIn = (bytes: ReadonlySet<number>, [low, end]: readonly [number, number]) =>
    [...bytes].filter((byte) => low <= byte && byte < end).length;
  let used = inputs[1].size + inputs[2].size;
  let taken = 0;
  for (const word of new Set([...all].map((byte) => byte - (byte % RAM_BYTES)))) {
    const parts = ([2, 1] as const).flatMap((size) =>
      partsOf(size, inputs[size], word).map((part) => ({ size, part })),
    );
    taken += parts.reduce((sum, { part }) => sum + countIn(all, part), 0);
    for (const half of [word, word + 8]) {
      let hasApart = false;
      for (const at of [half, half + 4].filter((byte) => inputs[4].has(byte))) {
        const host = parts.find(({ part: [low, end] }) => low <= at && at + 4 <= end);
        used += 4 - (host === undefined ? 0 : countIn(inputs[host.size], [at, at + 4]));
        if (host === undefined) hasApart = true;
      }
      if (hasApart) taken += countIn(all, [half, half + 8]);
    }
  }
  return { used, taken };
}

/** The bus for slots of match entries: a word stands where both its halves, or all its bytes, do (ActionDataBus::alloc_shared_immed). */
export function entryBus(inputs: BusInputs): BusBytes {
  const isShared = inputs[4].size > 0 && (inputs[1].size === 4 || inputs[2].size === 4);
  const used = inputs[1].size + inputs[2].size + (isShared ? 0 : inputs[4].size);
  return { used, taken: used };
}

/** Both together. */
export function bothBuses(a: BusBytes, b: BusBytes): BusBytes {
  return { used: a.used + b.used, taken: a.taken + b.taken };
}
