/**
 * Action data: the arguments and large constants of a table's actions. In action RAM each takes the space of the
 * containers that it goes to. A few bits (32 on Tofino) can instead be part of the match entry, without padding.
 */
import type { Access, ActionDatum, ActionModel, Gress, Operation } from "../model/model.js";
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
  /** The bits of arguments by their places; undefined: it holds something else, too. */
  content: string[] | undefined;
}

/**
 * The places that an action's data takes. What one container takes is one piece; containers that take the same bits of the same arguments
 * take them from one place (p4c, mau/action_format.cpp, RamSection::condense).
 */
function piecesOf(action: ActionModel, gress: Gress, phv: PhvLayout): Piece[] {
  const spans: Span[] = [];
  const byContainer = new Map<number, Span>();
  const spanOf = (container: Container) => {
    const span = byContainer.get(container.id) ?? {
      start: container.size,
      end: 0,
      bytes: container.size / 8,
      content: [],
    };
    if (!byContainer.has(container.id)) spans.push(span);
    byContainer.set(container.id, span);
    return span;
  };
  for (const datum of action.data) {
    // An index is part of the entry's address; an operand of a stateful ALU takes a word of the action bus.
    const containers = datum.target === undefined ? [] : placesOf([datum.target], gress, phv);
    if (containers.length === 0 && datum.target !== undefined)
      spans.push({ start: 0, end: datum.bits, bytes: bytesOf(datum.bits), content: undefined });
    for (const container of containers)
      if (!isLoaded(action, container)) extend(spanOf(container), datum.target!, container, datum.argument);
  }
  const scattered = new Set(scatteredIn(action, gress, phv));
  for (const write of action.operations.filter(isOfData).map((one) => one.write)) {
    if (action.data.some(({ target }) => target === write)) continue;
    // An instruction writes a container from one place: constants beside an argument are data, too (p4c, mau/action_format.cpp).
    for (const container of placesOf([write], gress, phv))
      if (byContainer.has(container.id) || scattered.has(container))
        extend(spanOf(container), write, container, undefined);
  }
  // The mask of an instruction that writes some bits is a word beside its data.
  for (const { id, size } of scattered)
    if (byContainer.has(id)) spans.push({ start: 0, end: size, bytes: size / 8, content: undefined });
  return distinct(spans).map(({ start, end, bytes }) => ({ bits: end - start, bytes }));
}

/** The field is set to a constant or an argument. */
function isOfData({ kind, sources, given }: Operation): boolean {
  return kind === "set" && sources.length === 0 && given === undefined;
}

/**
 * Containers that the action writes constants and arguments to, in bits with other fields between them: the instruction takes a mask, or has
 * whole bytes of two sources (p4c, mau/action_analysis.cpp, verify_set_alignment). Validity bits are left out: the compiler orders them in
 * their containers by the actions that write them, which phv/ does not.
 */
function scatteredIn(action: ActionModel, gress: Gress, phv: PhvLayout): Container[] {
  const writes = action.operations.filter(isOfData).map(({ write }) => write);
  return placesOf(writes, gress, phv).filter((container) => {
    const own = bitsIn(container, writes);
    if (container.slices.some(({ field }) => field.endsWith("$"))) return false;
    const others = action.operations.filter((one) => !isOfData(one)).map(({ write }) => write);
    if (bitsIn(container, others).size > 0) return false;
    const held = bitsIn(container, container.slices);
    const isFree = (bit: number) => own.has(bit) || !held.has(bit);
    const [first, last] = [Math.min(...own), Math.max(...own)];
    const isWhole = (byte: number) => [0, 1, 2, 3, 4, 5, 6, 7].every((bit) => isFree(8 * byte + bit));
    const isTogether = Array.from({ length: last - first + 1 }, (_, i) => first + i).every(isFree);
    return !isTogether && (container.size === 8 || ![...own].every((bit) => isWhole(bit >> 3)));
  });
}

/** The bits of a container that hold these bits of fields. */
function bitsIn({ slices }: Container, accesses: readonly Access[]): Set<number> {
  const bits = new Set<number>();
  for (const access of accesses)
    for (const slice of slices.filter(({ field }) => field === access.field)) {
      const [low, high] = common(slice, access);
      for (let bit = low; bit < high; bit++) bits.add(slice.at + bit - slice.lo);
    }
  return bits;
}

/** Without those that hold what another one of their size holds. */
function distinct(spans: readonly Span[]): Span[] {
  const known = new Set<string>();
  return spans.filter(({ bytes, content }) => {
    if (content === undefined) return true;
    const key = `${bytes} ${[...content].sort().join()}`;
    return known.size < known.add(key).size;
  });
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

/** Bits of a constant that an instruction for a whole container holds (p4c, mau/action_analysis.h, LOADCONST_MAX). */
const LOADED_BITS = 21n;

/** One instruction sets the whole container to a constant, which is no data (action_analysis.cpp, check_constant_to_actiondata). */
function isLoaded({ operations }: ActionModel, container: Container): boolean {
  if (container.isMocha) return false;
  const written = new Set<number>();
  let value = 0n;
  for (const { write, constant } of operations)
    for (const slice of container.slices.filter(({ field }) => field === write.field)) {
      const [low, high] = common(slice, write);
      if (low >= high) continue;
      if (constant === undefined) return false;
      const bits = (constant >> BigInt(low - write.lo)) & ((1n << BigInt(high - low)) - 1n);
      value |= bits << BigInt(slice.at + low - slice.lo);
      for (let bit = low; bit < high; bit++) written.add(slice.at + bit - slice.lo);
    }
  return written.size === container.size && value >> LOADED_BITS === 0n;
}

/** The bits of the field, from the first up to before the second, that both have. */
function common(a: Omit<Access, "field">, b: Omit<Access, "field">): [number, number] {
  return [Math.max(a.lo, b.lo), Math.min(a.lo + a.width, b.lo + b.width)];
}

/** Adds the bits of the container that hold the access. */
function extend(
  span: Span,
  { field, lo, width }: Access,
  { slices }: Container,
  argument: ActionDatum["argument"],
): void {
  for (const slice of slices) {
    const [low, high] = common(slice, { lo, width });
    if (slice.field !== field || low >= high) continue;
    const at = slice.at + low - slice.lo;
    span.start = Math.min(span.start, at);
    span.end = Math.max(span.end, at + high - low);
    if (argument === undefined) span.content = undefined;
    else span.content?.push(`${at}+${high - low} ${argument.name} ${argument.lo + low - lo}`);
  }
}

/**
 * Bytes of the action data bus: data of entries, and what hashes, meters and random numbers give. Containers of each size have places of
 * their own on the bus, which the actions of a table share (p4c, mau/tofino/action_data_bus.cpp).
 */
export function busBytes(actions: readonly ActionModel[], gress: Gress, phv: PhvLayout): number {
  const given = (action: ActionModel) => placesOf(action.fromBus, gress, phv).map(({ size }) => size / 8);
  const data = actions.map((action) => piecesOf(action, gress, phv).map(({ bytes }) => bytes));
  return placesFor(data) + placesFor(actions.map(given));
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
