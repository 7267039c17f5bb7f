/**
 * Action data: the arguments and large constants of a table's actions. In action RAM each takes the space of the
 * containers that it goes to. A few bits (32 on Tofino) can instead be part of the match entry, without padding.
 */
import type { Access, ActionModel, Gress } from "../model/model.js";
import type { Container, PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";

export interface DataFormat {
  /** Bits in the match entry. */
  readonly immediateBits: number;
  /** Bytes of an entry in action RAM; 0: no action RAM. */
  readonly ramBytes: number;
  /** By action: it has data in action RAM. */
  readonly inRam: readonly boolean[];
}

interface Piece {
  /** From the lowest bit of its container that is written to the highest one. */
  readonly bits: number;
  readonly bytes: number;
}

/** The bits of a container that an action writes: from `start` to before `end`. */
interface Span {
  start: number;
  end: number;
  readonly bytes: number;
}

function piecesOf(action: ActionModel, gress: Gress, phv: PhvLayout): Piece[] {
  const spans: Span[] = [];
  // What one container takes is one piece.
  const byContainer = new Map<number, Span>();
  for (const datum of action.data) {
    // An index is part of the entry's address; an operand of a stateful ALU takes a word of the action bus.
    const containers = datum.target === undefined ? [] : phv.touchedBy(gress, datum.target);
    if (containers.length === 0) {
      if (datum.target !== undefined) spans.push({ start: 0, end: datum.bits, bytes: bytesOf(datum.bits) });
      continue;
    }
    for (const container of containers) {
      const known = byContainer.get(container.id);
      const span = known ?? { start: container.size, end: 0, bytes: container.size / 8 };
      extend(span, datum.target!, container);
      if (known !== undefined || span.end === 0) continue;
      byContainer.set(container.id, span);
      spans.push(span);
    }
  }
  for (const { kind, write, sources } of action.operations) {
    // An instruction writes a container from one place: constants beside an argument are data, too (p4c, mau/action_format.cpp).
    if (kind !== "set" || sources.length > 0 || byContainer.size === 0) continue;
    for (const container of phv.touchedBy(gress, write)) {
      const span = byContainer.get(container.id);
      if (span !== undefined) extend(span, write, container);
    }
  }
  return spans.map(({ start, end, bytes }) => ({ bits: end - start, bytes }));
}

/** Adds the bits of the container that hold the access. */
function extend(span: Span, { field, lo, width }: Access, { slices }: Container): void {
  for (const slice of slices) {
    const low = Math.max(slice.lo, lo);
    const high = Math.min(slice.lo + slice.width, lo + width);
    if (slice.field !== field || low >= high) continue;
    span.start = Math.min(span.start, slice.at + low - slice.lo);
    span.end = Math.max(span.end, slice.at + high - slice.lo);
  }
}

/**
 * Bytes of the action data bus: data of entries, and what hashes, meters and random numbers give. Containers of each size have places of
 * their own on the bus, which the actions of a table share (p4c, mau/tofino/action_data_bus.cpp).
 */
export function busBytes(actions: readonly ActionModel[], gress: Gress, phv: PhvLayout): number {
  const given = (action: ActionModel) => {
    const containers = new Map(
      action.fromBus.flatMap((access) => phv.touchedBy(gress, access)).map(({ id, size }) => [id, size / 8]),
    );
    return [...containers.values()];
  };
  const data = actions.map((action) => piecesOf(action, gress, phv).map(({ bytes }) => bytes));
  return placesFor(data) + placesFor(actions.map(given));
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

function bytesOf(bits: number): number {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : 4 * Math.ceil(bits / 32);
}

/** Bytes of the action bus that the largest action takes. */
export function totalDataBytes(actions: readonly ActionModel[], gress: Gress, phv: PhvLayout): number {
  return Math.max(
    0,
    ...actions.map((action) => piecesOf(action, gress, phv).reduce((sum, piece) => sum + piece.bytes, 0)),
  );
}

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
  const lists = actions.map((action) => piecesOf(action, gress, phv));
  const total = (pieces: readonly Piece[]) => pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  const ramOf = (bytes: readonly number[]) => roundedRam(Math.max(0, ...bytes), target);
  const limit = target.action.immediate_bits ?? 0;
  const all: DataFormat = {
    immediateBits: 0,
    ramBytes: ramOf(lists.map(total)),
    inRam: lists.map(({ length }) => length > 0),
  };
  const formats = [all];
  if (limit === 0 || actions.some(({ fromBus }) => fromBus.length > 0)) return formats;
  const word = wordBytes(target);
  for (let ram = all.ramBytes; ram > 0; ram = formats.at(-1)!.ramBytes) {
    const next = ram > word ? ram - word : Math.floor(ram / 2);
    const moves = lists.map((pieces) => leastMoved(pieces, 8 * (total(pieces) - next), limit));
    if (moves.some((move) => move === undefined)) break;
    const left = lists.map((pieces, i) => total(pieces) - moves[i]!.slots / 8);
    formats.push({
      immediateBits: Math.max(0, ...moves.map((move) => move!.bits)),
      ramBytes: ramOf(left),
      inRam: left.map((bytes) => bytes > 0),
    });
  }
  return formats;
}

const SLOTS = [8, 16, 32] as const;

/**
 * The pieces whose slots have at least so many bits together, with the fewest bits of the match entry: all slots but the last one are there
 * whole. Undefined: there are none within `limit` bits.
 */
function leastMoved(
  pieces: readonly Piece[],
  least: number,
  limit: number,
): { readonly bits: number; readonly slots: number } | undefined {
  if (least <= 0) return { bits: 0, slots: 0 };
  const bySize = SLOTS.map((size) => pieces.filter(({ bytes }) => 8 * bytes === size));
  const narrowest = bySize.map((list) => Math.min(...list.map(({ bits }) => bits)));
  let best: { bits: number; slots: number } | undefined;
  const most = (index: number) => Math.min(bySize[index]!.length, Math.floor(limit / SLOTS[index]!));
  for (let bytes = 0; bytes <= most(0); bytes++)
    for (let halves = 0; halves <= most(1); halves++)
      for (let words = 0; words <= most(2); words++) {
        const counts = [bytes, halves, words];
        const slots = 8 * bytes + 16 * halves + 32 * words;
        if (slots < least || slots > limit) continue;
        for (const [i, count] of counts.entries()) {
          const bits = slots - SLOTS[i]! + narrowest[i]!;
          if (count > 0 && (best === undefined || bits < best.bits)) best = { bits, slots };
        }
      }
  return best;
}

/** RAM blocks for action data of `entries` entries of `ramBytes` bytes (a size of {@link roundedRam}). */
export function actionBlocks(entries: number, ramBytes: number, target: Target): number {
  if (ramBytes === 0 || entries === 0) return 0;
  const { depth } = target.sram;
  const word = wordBytes(target);
  if (ramBytes > word) return Math.ceil(entries / depth) * (ramBytes / word);
  return Math.ceil(entries / (depth * Math.floor(word / ramBytes)));
}
