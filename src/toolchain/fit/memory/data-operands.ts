/**
 * What the instructions of an action take of action data: one operand for each container that it writes from arguments, or from constants
 * that the instruction has no room for (p4c, backends/tofino/bf-p4c/mau/action_analysis.cpp).
 */
import type { Access, ActionModel, Gress, Operation } from "../model/model.js";
import type { Container, ContainerSize, PhvLayout } from "../phv/pack.js";

/**
 * How the bits of an operand can stand in its slot. `turned`: at any place, which the instruction turns (deposit-field); `bytes`: turned by
 * whole bytes (byte-rotate-merge); `masked`: in their places, beside a slot for the mask (bitmasked-set); `fixed`: in their places.
 */
type SlotUse = "turned" | "bytes" | "masked" | "fixed";

/** A bit of data. Equal numbers are one bit of one argument; 0 and 1 are the bits of constants. */
export type DataBit = number;
/** The place holds nothing. */
export const EMPTY = -1;

export interface DataOperand {
  /** Bits of the container, which are those of a slot of the action data bus. */
  readonly size: ContainerSize;
  readonly use: SlotUse;
  /** By bit of the container, what is written there. */
  readonly bits: readonly DataBit[];
  /** By bit, 1 where it is written and 0 elsewhere. */
  readonly mask?: readonly DataBit[];
}

/** Constants that an instruction holds. */
export interface ConstantLimits {
  readonly min: number | null;
  readonly max: number | null;
}

/** Bits of a constant that an instruction for a whole container holds (mau/action_analysis.h, LOADCONST_MAX). */
const LOADED_BITS = 21n;

/** More bits than an argument has. */
const ARGUMENT_BITS = 1 << 16;

/** Numbers the bits of an action's arguments, those of one argument one after the other. */
class BitNumbers {
  readonly #firsts = new Map<string, DataBit>();
  #next: DataBit = 2;

  /** The first number of an argument, or of a value that no other place gets. */
  firstOf(argument: string | undefined): DataBit {
    const first = this.#firsts.get(argument ?? "") ?? this.#next;
    if (first === this.#next) this.#next += ARGUMENT_BITS;
    if (argument !== undefined) this.#firsts.set(argument, first);
    return first;
  }
}

/** The bits of a container that an action writes. */
interface Writes {
  readonly container: Container;
  readonly data: DataBit[];
  readonly constants: DataBit[];
  readonly fields: Set<string>;
  /** All are set to a value each: none is computed. */
  isSet: boolean;
  /** An ALU, a hash or a random number gives some of them. */
  isGiven: boolean;
}

/** The operands of an action, and the bits of each datum that goes to no container. */
export function operandsOf(
  action: ActionModel,
  gress: Gress,
  phv: PhvLayout,
  limits: ConstantLimits,
): { readonly operands: readonly DataOperand[]; readonly outside: readonly number[] } {
  const numbers = new BitNumbers();
  const byContainer = new Map<number, Writes>();
  for (const operation of action.operations) note(operation, action, { gress, phv, numbers, byContainer });
  const list = [...byContainer.values()].sort(
    (a, b) => a.container.size - b.container.size || a.container.id - b.container.id,
  );
  // An index is part of the entry's address; an operand of a stateful ALU takes no place of the bus.
  const outside = action.data.filter(
    ({ target }) => target !== undefined && phv.touchedBy(gress, target).length === 0,
  );
  return {
    operands: list.map((writes) => operandOf(writes, limits)).filter((operand) => operand !== undefined),
    outside: outside.map(({ bits }) => bits),
  };
}

interface Places {
  readonly gress: Gress;
  readonly phv: PhvLayout;
  readonly numbers: BitNumbers;
  readonly byContainer: Map<number, Writes>;
}

function note(operation: Operation, action: ActionModel, { gress, phv, numbers, byContainer }: Places): void {
  const { write, constant, kind } = operation;
  const datum = action.data.find(({ target }) => target === write);
  const first = numbers.firstOf(datum?.argument?.name) + (datum?.argument?.lo ?? 0) - write.lo;
  const known = new Set<number>();
  for (const container of phv.touchedBy(gress, write)) {
    const all = placesIn(container, write).filter(({ role }) => role !== "cleared" || constant !== 0n);
    // Of bits that stand in several containers in turn, an action writes one.
    const places = all.filter(({ bit, role }) => role === "validity" || !known.has(bit));
    if (places.length === 0) continue;
    const writes = byContainer.get(container.id) ?? emptyWrites(container);
    byContainer.set(container.id, writes);
    writes.fields.add(write.field);
    if (operation.given === true) writes.isGiven = true;
    for (const { bit, at, role } of places) {
      if (role === "validity") {
        writes.constants[at] = 1;
        continue;
      }
      known.add(bit);
      if (kind === "logic" || kind === "arithmetic") writes.isSet = false;
      if (constant !== undefined) writes.constants[at] = Number((constant >> BigInt(bit - write.lo)) & 1n);
      else if (datum !== undefined) writes.data[at] = first + bit;
    }
  }
}

function emptyWrites(container: Container): Writes {
  const nothing = () => new Array<DataBit>(container.size).fill(EMPTY);
  return {
    container,
    data: nothing(),
    constants: nothing(),
    fields: new Set(),
    isSet: true,
    isGiven: false,
  };
}

/** A bit of a field, and where it stands in a container. */
interface Place extends Pick<Container["slices"][number], "role"> {
  readonly bit: number;
  readonly at: number;
}

/** Bits of the field that the container holds, each with its place there. */
function placesIn({ slices }: Container, { field, lo, width }: Access): Place[] {
  const places: Place[] = [];
  for (const slice of slices) {
    if (slice.field !== field) continue;
    const { role } = slice;
    const end = Math.min(slice.lo + slice.width, lo + width);
    for (let bit = Math.max(slice.lo, lo); bit < end; bit++)
      places.push({ bit, at: slice.at + bit - slice.lo, ...(role === undefined ? {} : { role }) });
  }
  return places;
}

function operandOf(writes: Writes, limits: ConstantLimits): DataOperand | undefined {
  const { container, data, constants, isGiven } = writes;
  const { size } = container;
  const hasData = data.some((bit) => bit !== EMPTY);
  const hasConstants = constants.some((bit) => bit !== EMPTY);
  if (isGiven || !(hasData || hasConstants)) return undefined;
  const both = data.map((bit, at) => (bit === EMPTY ? constants[at]! : bit));
  const use = slotUse(writes, both);
  const areData = hasData || use === "bytes" || use === "masked" || isTooLarge(writes, limits);
  if (!areData) return undefined;
  if (use === "turned") return { size, use, bits: both };
  const bits = both.map((bit) => (bit === EMPTY ? 0 : bit));
  return use === "masked"
    ? { size, use, bits, mask: both.map((bit) => (bit === EMPTY ? 0 : 1)) }
    : { size, use, bits };
}

/** The instruction that writes these bits (action_analysis.cpp, verify_set_alignment). */
function slotUse(writes: Writes, bits: readonly DataBit[]): SlotUse {
  const { container, isSet } = writes;
  if (!isSet || container.isMocha) return "fixed";
  const own = [...bits.keys()].filter((at) => bits[at] !== EMPTY);
  const held = heldBeside(writes);
  const isFree = (at: number) => bits[at] !== EMPTY || !held.has(at);
  const [first, last] = [own[0]!, own.at(-1)!];
  if (Array.from({ length: last - first + 1 }, (_, i) => first + i).every(isFree)) return "turned";
  const isWhole = (byte: number) => [0, 1, 2, 3, 4, 5, 6, 7].every((bit) => isFree(8 * byte + bit));
  return container.size > 8 && own.every((at) => isWhole(at >> 3)) ? "bytes" : "masked";
}

/**
 * Bits of the container that hold values beside those that the action writes, at the same time. Values that share bits with a written one
 * exclude it, and so do other fields of their headers (phv_fields.cpp, bits_allocated).
 */
function heldBeside({ container: { slices }, fields }: Writes): Set<number> {
  const own = slices.filter(({ field }) => fields.has(field));
  const shares = (slice: (typeof slices)[number]) =>
    own.some(({ at, width }) => at < slice.at + slice.width && slice.at < at + width);
  const headers = new Set(own.map(({ field }) => headerOf(field)));
  const excluded = new Set(
    slices
      .filter((slice) => !headers.has(headerOf(slice.field)) && shares(slice))
      .map(({ field }) => headerOf(field)),
  );
  const held = new Set<number>();
  for (const slice of slices) {
    if (fields.has(slice.field) || excluded.has(headerOf(slice.field)) || shares(slice)) continue;
    for (let at = slice.at; at < slice.at + slice.width; at++) held.add(at);
  }
  for (const { at, width } of own) for (let bit = at; bit < at + width; bit++) held.add(bit);
  return held;
}

/** The header of a packet's field; a value of metadata stands for itself. */
function headerOf(field: string): string {
  return field.startsWith("scalars.") ? field : field.slice(0, field.lastIndexOf("."));
}

/** The constants of a container, together, are more than its instruction holds (action_analysis.cpp, check_constant_to_actiondata). */
function isTooLarge({ container, constants, isSet }: Writes, limits: ConstantLimits): boolean {
  const own = [...constants.keys()].filter((at) => constants[at] !== EMPTY);
  const value = own.reduce((sum, at) => sum | (BigInt(constants[at]!) << BigInt(at)), 0n);
  if (isSet && container.isMocha !== true && own.length === container.size)
    return value >> LOADED_BITS !== 0n;
  if (limits.min === null || limits.max === null) return false;
  const width = isSet && container.isMocha !== true ? own.at(-1)! - own[0]! + 1 : container.size;
  const shifted = isSet && container.isMocha !== true ? value >> BigInt(own[0]!) : value;
  const most = BigInt(limits.max) + 1n;
  if (shifted < most || shifted > (1n << BigInt(width)) - 1n + BigInt(limits.min)) return false;
  if (!isSet || container.isMocha === true) return true;
  // A few bits together, or all but a few, are a small constant that the instruction turns.
  const [ones, zeros] = [most, BigInt(-limits.min)].map((count) => count.toString(2).length - 1) as [
    number,
    number,
  ];
  const isNarrow = (part: bigint, bits: number) => part === 0n || spanOf(part, container.size) <= bits;
  return !isNarrow(shifted, ones) && !isNarrow(~shifted & ((1n << BigInt(width)) - 1n), zeros);
}

/** Bits from the first to the last one that is set, around the end of a container, too. */
function spanOf(value: bigint, size: number): number {
  const bits = Array.from({ length: size }, (_, i) => i).filter((i) => ((value >> BigInt(i)) & 1n) === 1n);
  const gaps = bits.map((bit, i) => (i === 0 ? bit + size - bits.at(-1)! : bit - bits[i - 1]!));
  return size - Math.max(...gaps) + 1;
}
