/**
 * Sections of the action data of one action: operands, each of which stands in one slot, are put into as few bits as possible
 * (p4c, backends/tofino/bf-p4c/mau/action_format.cpp, RamSection::condense and Format::condense_action).
 */
import { compareRanks } from "../../../base/index.js";
import { type DataBit, type DataOperand, EMPTY } from "./data-operands.js";
import {
  BY_BIT,
  canTurn,
  joined,
  moveInto,
  type Range,
  rangeOf,
  STILL,
  type Turned,
  turned,
  widened,
} from "./data-turns.js";

/** Bits that stand together at a multiple of their size: 8, 16, 32, or 64 for an operand of 32 with its mask. */
export interface Section extends Turned {
  readonly operands: readonly DataOperand[];
}

/** The section of one operand, whose bits stand where the container has them, or from the lowest bit up. */
function sectionOf(operand: DataOperand, isLow: boolean): Section {
  const { bits, use, size } = operand;
  const operands = [operand];
  if (operand.mask !== undefined) return { bits: [...bits, ...operand.mask], turn: STILL, operands };
  if (use === "fixed") return { bits, turn: STILL, operands };
  if (use === "bytes") return { bits, turn: widened(STILL, 8, size), operands };
  const section = { bits, turn: BY_BIT };
  return { ...(isLow ? turned(section, rangeOf(bits)!.low, 0) : section), operands };
}

/** The sections of an action's operands, where as many bits as possible are shared and as few are left free. */
export function sectionsOf(operands: readonly DataOperand[]): Section[] {
  const sections = operands.map((operand) => sectionOf(operand, true));
  const pairs = new Map<Section, Map<Section, Section | undefined>>();
  const pairOf = (a: Section, b: Section) => {
    const known = pairs.get(a) ?? new Map<Section, Section | undefined>();
    pairs.set(a, known);
    if (!known.has(b)) known.set(b, condensed(a, b));
    return known.get(b);
  };
  for (;;) {
    let best: { section: Section; rank: readonly number[]; a: Section; b: Section } | undefined;
    for (const [i, a] of sections.entries())
      for (const b of sections.slice(i + 1)) {
        const section = pairOf(a, b);
        if (section === undefined) continue;
        const rank = gainOf(section, a, b);
        if (best === undefined || compareRanks(rank, best.rank) < 0) best = { section, rank, a, b };
      }
    if (best === undefined) return sections;
    const { a, b } = best;
    sections.splice(0, sections.length, ...sections.filter((one) => one !== a && one !== b), best.section);
  }
}

/** What a pair put together changes, the best one least: bits in use, sections that can be turned by bit, full sections. */
function gainOf(both: Section, a: Section, b: Section): readonly number[] {
  const sum = (measure: (section: Section) => number) => measure(both) - measure(a) - measure(b);
  return [
    sum(({ bits }) => countOf(bits)),
    -sum(({ turn }) => (turn.grain === 1 ? 1 : 0)),
    -sum(({ bits }) => (countOf(bits) === bits.length ? 1 : 0)),
  ];
}

function countOf(bits: readonly DataBit[]): number {
  return bits.filter((bit) => bit !== EMPTY).length;
}

/** Both sections in one; undefined: they do not fit. */
function condensed(first: Section, second: Section): Section | undefined {
  const size = Math.max(first.bits.length, second.bits.length);
  const [a, b] = [expanded(first, size), expanded(second, size)];
  const choices: (Section | undefined)[] = [];
  for (const [atA, atB] of sharedBy(a.bits, b.bits)) {
    if (canTurn(a.turn, atA, atB)) choices.push(merged(b, { ...a, ...turned(a, atA, atB) }));
    if (canTurn(b.turn, atB, atA)) choices.push(merged(a, { ...b, ...turned(b, atB, atA) }));
  }
  choices.push(besides(a, b), besides(b, a));
  let best: Section | undefined;
  for (const choice of choices)
    if (choice !== undefined && (best === undefined || !isBetter(best, choice))) best = choice;
  return best;
}

function expanded(section: Section, size: number): Section {
  const { bits, turn } = section;
  if (bits.length >= size) return section;
  const free = new Array<DataBit>(size - bits.length).fill(EMPTY);
  return { ...section, bits: [...bits, ...free], turn: widened(turn, bits.length, size) };
}

/** Where both begin to hold the same bits of an argument, or the shorter constant is in the longer one. */
function sharedBy(a: readonly DataBit[], b: readonly DataBit[]): [number, number][] {
  const places: [number, number][] = [];
  for (const x of runsOf(a))
    for (const y of runsOf(b)) {
      if (isConstant(x.bits[0]!) !== isConstant(y.bits[0]!)) continue;
      if (isConstant(x.bits[0]!)) {
        const [long, short] = x.bits.length > y.bits.length ? [x, y] : [y, x];
        const at = long.bits.findIndex(
          (_, i) =>
            i + short.bits.length <= long.bits.length &&
            short.bits.every((bit, j) => bit === long.bits[i + j]),
        );
        if (at < 0) continue;
        places.push(long === x ? [x.at + at, y.at] : [x.at, y.at + at]);
        continue;
      }
      const at = x.bits.findIndex((bit) => y.bits.includes(bit));
      if (at >= 0) places.push([x.at + at, y.at + y.bits.indexOf(x.bits[at]!)]);
    }
  return places;
}

interface Run {
  readonly at: number;
  readonly bits: DataBit[];
}

function isConstant(bit: DataBit): boolean {
  return bit === 0 || bit === 1;
}

/** Neighbours that are bits of one argument, one after the other, or bits of constants. */
function runsOf(bits: readonly DataBit[]): Run[] {
  const runs: Run[] = [];
  for (const [at, bit] of bits.entries()) {
    if (bit === EMPTY) continue;
    const last = runs.at(-1);
    const before = at > 0 ? bits[at - 1]! : EMPTY;
    const isNext = isConstant(bit) ? isConstant(before) : bit === before + 1 && !isConstant(before);
    if (last !== undefined && before !== EMPTY && isNext) last.bits.push(bit);
    else runs.push({ at, bits: [bit] });
  }
  return runs;
}

/** Both where they stand; undefined: they have different bits in one place. */
function merged(a: Section, b: Section): Section | undefined {
  if (a.bits.some((bit, at) => bit !== EMPTY && b.bits[at] !== EMPTY && bit !== b.bits[at])) return undefined;
  return {
    bits: a.bits.map((bit, at) => (bit === EMPTY ? b.bits[at]! : bit)),
    turn: joined(a, b),
    operands: [...a.operands, ...b.operands],
  };
}

/** The second one in a hole of the first, the smallest hole first. */
function besides(a: Section, b: Section): Section | undefined {
  const used = rangeOf(b.bits);
  if (used === undefined) return undefined;
  for (const hole of holesOf(a.bits)) {
    if (hole.high - hole.low < used.high - used.low) continue;
    const move = moveInto(b, hole);
    if (move === undefined) continue;
    return merged(a, { ...b, ...turned(b, used.low, used.low + move) });
  }
  return undefined;
}

/** Free ranges, the smallest first. */
function holesOf(bits: readonly DataBit[]): Range[] {
  const holes: { low: number; high: number }[] = [];
  for (const [at, bit] of bits.entries()) {
    if (bit !== EMPTY) continue;
    const last = holes.at(-1);
    if (last !== undefined && last.high === at - 1) last.high = at;
    else holes.push({ low: at, high: at });
  }
  return holes.sort((a, b) => a.high - a.low - (b.high - b.low) || a.low - b.low);
}

/** Fewer bits, then fewer holes, then one that can be turned, then nearer to the lowest bit (RamSection::is_better_merge_than). */
function isBetter(a: Section, b: Section): boolean {
  const rank = ({ bits, turn }: Section) => [
    countOf(bits),
    holesOf(bits).length,
    turn.grain > 0 ? 0 : 1,
    bits.findLastIndex((bit) => bit !== EMPTY),
  ];
  return compareRanks(rank(a), rank(b)) < 0;
}

/** The byte of the section from which on it holds each of its operands, with the bytes that it takes. */
export function slotsOf(
  section: Section,
): { readonly operand: DataOperand; readonly byte: number; readonly bytes: number }[] {
  return section.operands.map((operand) => {
    const slot = operand.size / 8;
    const byte = Math.floor(placeOf(operand, section) / operand.size) * slot;
    return { operand, byte, bytes: operand.use === "masked" ? 2 * slot : slot };
  });
}

/** Where the operand's first written bit stands in the section. */
function placeOf(operand: DataOperand, section: Section): number {
  const own = expanded(sectionOf(operand, false), section.bits.length);
  const { low } = rangeOf(own.bits)!;
  // The bits of an array of places, turned in the same way, say where the first one comes to.
  const marks = own.bits.map((_, at) => at);
  for (const to of marks) {
    if (!canTurn(own.turn, 0, to)) continue;
    const { bits } = turned(own, 0, to);
    if (bits.some((bit, at) => bit !== EMPTY && bit !== section.bits[at])) continue;
    return turned({ turn: own.turn, bits: marks }, 0, to).bits.indexOf(low);
  }
  return 0;
}
