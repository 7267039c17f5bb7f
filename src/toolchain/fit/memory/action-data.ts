/**
 * Action data: the arguments and large constants of a table's actions. In action RAM each takes the space of the
 * containers that it goes to. A few bits (32 on Tofino) can instead be part of the match entry, without padding.
 */
import type { Access, ActionModel, Gress } from "../model/model.js";
import type { Container, PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";
import {
  type BusBytes,
  bothBuses,
  entryBus,
  entryInputs,
  movedToEntry,
  ramBus,
  ramInputs,
  type SlottedSection,
  slotted,
} from "./data-formats.js";
import { operandsOf } from "./data-operands.js";
import { sectionsOf } from "./data-sections.js";

export interface DataFormat {
  /** Bits in the match entry. */
  readonly immediateBits: number;
  /** Bytes that the largest action has in action RAM. */
  readonly bytes: number;
  /** Bytes of an entry in action RAM; 0: no action RAM. */
  readonly ramBytes: number;
  /** By action: it has data in action RAM. */
  readonly inRam: readonly boolean[];
  readonly bus: BusBytes;
}

/** The containers of these bits, each once. Of bits that stand in several containers in turn, an action writes one. */
function placesOf(accesses: readonly Access[], gress: Gress, phv: PhvLayout): Container[] {
  const containers = new Map<number, Container>();
  for (const access of accesses) {
    const known = new Set<number>();
    for (const container of phv.touchedBy(gress, access)) {
      const before = known.size;
      for (const slice of container.slices.filter(({ field }) => field === access.field)) {
        const [low, high] = common(slice, access);
        for (let bit = low; bit < high; bit++) known.add(bit);
      }
      if (known.size > before) containers.set(container.id, container);
    }
  }
  return [...containers.values()];
}

/** The bits of the field, from the first up to before the second, that both have. */
function common(a: Omit<Access, "field">, b: Omit<Access, "field">): [number, number] {
  return [Math.max(a.lo, b.lo), Math.min(a.lo + a.width, b.lo + b.width)];
}

/** Bytes of the bus for what hashes, meters and random numbers give, whose places the actions of a table share. */
export function givenBytes(actions: readonly ActionModel[], gress: Gress, phv: PhvLayout): number {
  return placesFor(actions.map((action) => placesOf(action.fromBus, gress, phv).map(({ size }) => size / 8)));
}

/** Bytes of the bus for the results of an ALU, which stand in containers; `results`: by action, the bits that take them. */
export function resultBytesOf(results: readonly (readonly Access[])[], gress: Gress, phv: PhvLayout): number {
  return placesFor(results.map((accesses) => placesOf(accesses, gress, phv).map(({ size }) => size / 8)));
}

/** Bytes of the bus for the slots of each action, by their sizes: words stand where two halves or four bytes of another action do. */
function placesFor(actions: readonly (readonly number[])[]): number {
  const most = (size: number) =>
    Math.max(0, ...actions.map((slots) => slots.filter((bytes) => bytes === size).length));
  const total = (slots: readonly number[]) => slots.reduce((sum, bytes) => sum + bytes, 0);
  const sizes = [...new Set(actions.flat())];
  const apart = sizes.reduce((sum, size) => sum + size * most(size), 0);
  const shared = Math.min(most(4), Math.floor(most(2) / 2) + Math.floor(most(1) / 4));
  return Math.max(apart - 4 * shared, ...actions.map(total));
}

/** The sections of an action's data: what stands in containers, and whole words for what has none. */
function slottedOf(action: ActionModel, gress: Gress, phv: PhvLayout, target: Target): SlottedSection[] {
  const { min_constant: min, max_constant: max } = target.action;
  const { operands, outside } = operandsOf(action, gress, phv, { min, max });
  return [...sectionsOf(operands).map(slotted), ...outside.flatMap(wordsOf)];
}

/** The slots of so many bits that no container has. */
function wordsOf(bits: number): SlottedSection[] {
  const bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
  return Array.from({ length: Math.ceil(bits / 32) }, () => {
    const slots = { 1: new Set<number>(), 2: new Set<number>(), 4: new Set<number>() };
    for (let i = 0; i < bytes; i++) slots[bytes].add(i);
    return { bytes, bits: Math.min(bits, 32), slots };
  });
}

const totalOf = (sections: readonly SlottedSection[]) => sections.reduce((sum, { bytes }) => sum + bytes, 0);

/** Bytes of action data as a RAM holds them: a power of two within a word, whole words beyond it. */
export function roundedRam(bytes: number, target: Target): number {
  const word = wordBytes(target);
  if (bytes <= 0) return 0;
  if (bytes > word) return Math.ceil(bytes / word) * word;
  let size = 1;
  while (size < bytes) size *= 2;
  return Math.min(size, word);
}

function wordBytes(target: Target): number {
  return Math.max(1, Math.floor(target.sram.width / 8));
}

/**
 * Formats of a table's action data (p4c, mau/action_format.cpp, determine_next_immediate_bytes): all of it in action RAM, then as much of it
 * in the match entry as halves the RAM entry, again and again while the match entry has room. The caller lays out all of them and takes the
 * cheapest. Where an action takes a hash, a random number or a colour, the way of the match entry's data is taken.
 */
export function dataFormats(
  actions: readonly ActionModel[],
  gress: Gress,
  phv: PhvLayout,
  target: Target,
): DataFormat[] {
  const lists = actions.map((action) => slottedOf(action, gress, phv, target));
  const formatOf = (
    inRam: readonly (readonly SlottedSection[])[],
    moved: readonly (readonly SlottedSection[])[],
  ) => {
    const bytes = Math.max(0, ...inRam.map(totalOf));
    const ramBytes = roundedRam(bytes, target);
    const { inputs, bits } = entryInputs(moved);
    const format: DataFormat = {
      immediateBits: bits,
      bytes,
      ramBytes,
      inRam: inRam.map(({ length }) => length > 0),
      bus: bothBuses(ramBus(ramInputs(inRam, ramBytes)), entryBus(inputs)),
    };
    return format;
  };
  const formats = [formatOf(lists, [])];
  const limit = target.action.immediate_bits ?? 0;
  if (limit === 0 || actions.some(({ fromBus }) => fromBus.length > 0)) return formats;
  const word = wordBytes(target);
  for (let ram = formats[0]!.ramBytes; ram > 0; ram = formats.at(-1)!.ramBytes) {
    const next = ram > word ? ram - word : Math.floor(ram / 2);
    const moves = lists.map((list) => {
      const least = 8 * (totalOf(list) - next);
      return least > limit ? undefined : movedToEntry(list, least, limit);
    });
    const moved = moves.filter((move) => move !== undefined);
    if (moved.length < moves.length) break;
    formats.push(
      formatOf(
        lists.map((list, i) => list.filter((section) => !moved[i]!.includes(section))),
        moved,
      ),
    );
  }
  return formats;
}

/** RAM blocks for action data of `entries` entries of `ramBytes` bytes (a size of {@link roundedRam}). */
export function actionBlocks(entries: number, ramBytes: number, target: Target): number {
  if (ramBytes === 0 || entries === 0) return 0;
  const { depth } = target.sram;
  const word = wordBytes(target);
  if (ramBytes > word) return Math.ceil(entries / depth) * (ramBytes / word);
  return Math.ceil(entries / (depth * Math.floor(word / ramBytes)));
}
