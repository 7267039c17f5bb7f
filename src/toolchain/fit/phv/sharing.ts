/** Which pieces may stand in one container: one after the other, instead of each other, or side by side. */
import { type Gress, labelOf } from "../model/model.js";
import {
  type AllocationInput,
  FROM_PARSER,
  type LiveRange,
  type PlacedSlice,
  type Unallocated,
} from "./allocation.js";
import { Apart } from "./apart.js";
import { meetInStage } from "./conflicts.js";
import { Lifetimes } from "./lifetimes.js";
import { type GressUse, type Piece, sizeFor } from "./pieces.js";
import type { ContainerKind } from "./requests.js";

type Writing = GressUse["operations"][number];

/** Sources of an instruction: two containers, or one and a value from the action data bus. */
const MAX_SOURCES = 2;

export class Sharing {
  readonly #lifetimes: Lifetimes;
  /** The same by the earliest stages of tables. */
  readonly #earliest: Lifetimes;
  readonly #apart: Apart;
  readonly #placed = new WeakMap<Piece, readonly PlacedSlice[]>();
  readonly #writings = new Map<string, Writing[]>();

  constructor(
    readonly input: AllocationInput,
    readonly use: GressUse,
  ) {
    this.#lifetimes = new Lifetimes(input, use.gress);
    this.#earliest = new Lifetimes({ ...input, stagesOf: (unit) => [input.earliestOf(unit)] }, use.gress);
    this.#apart = new Apart(input.model, use);
    for (const writing of use.operations) {
      const { field } = writing.op.write;
      const list = this.#writings.get(field);
      if (list === undefined) this.#writings.set(field, [writing]);
      else list.push(writing);
    }
  }

  get gress(): Gress {
    return this.use.gress;
  }

  /** The slices of a piece that begins at a bit of a container. */
  placed(piece: Piece, at: number): readonly PlacedSlice[] {
    const first =
      this.#placed.get(piece) ??
      piece.slices.map((slice) => ({ ...slice, live: this.#lifetimes.of(slice.field) }));
    this.#placed.set(piece, first);
    return at === 0 ? first : first.map((slice) => ({ ...slice, at: slice.at + at }));
  }

  /** Those that live from the earliest stage first. */
  byBirth(pieces: readonly Piece[]): Piece[] {
    const birth = ({ slices }: Piece) =>
      Math.min(...slices.map(({ field }) => this.#lifetimes.of(field).from));
    return [...pieces].sort((a, b) => birth(a) - birth(b));
  }

  /** A value for the deparser or the traffic manager. */
  isForDeparser({ slices }: Piece): boolean {
    return slices.some(({ field }) => this.input.model.forDeparser.has(field) || field.startsWith("$"));
  }

  /** The kind of container can hold the piece. */
  admits(kind: ContainerKind, piece: Piece): boolean {
    const asked = piece.slices.flatMap(({ field }) => this.input.requests.of(this.gress, field)?.kind ?? []);
    if (asked.length > 0 && kind !== "tagalong" && !asked.includes(kind)) return false;
    if (kind === "normal") return true;
    if (kind === "tagalong") return !piece.isTouched && piece.bytes !== undefined;
    if (!this.#isSetWhole(piece)) return false;
    return kind === "mocha" || (asked.includes("dark") && piece.bytes === undefined);
  }

  /** Tables write all of the piece or nothing, and compute nothing for it. */
  #isSetWhole({ slices }: Piece): boolean {
    const [slice] = slices;
    const writings = slices.flatMap(({ field }) => this.#writings.get(field) ?? []);
    if (writings.length === 0) return slices.every(({ field }) => !field.endsWith("$"));
    if (slice === undefined || slices.length > 1 || slice.at > 0 || slice.field.endsWith("$")) return false;
    return writings.every(
      ({ op: { kind, write, sources } }) =>
        kind === "set" &&
        write.lo <= slice.lo &&
        slice.lo + slice.width <= write.lo + write.width &&
        sources.every(
          ({ lo, width }) => width === write.width && (lo - write.lo) % sizeFor(slice.width) === 0,
        ),
    );
  }

  /** The slices, whose bits overlap, may be in one container: no packet has both, or with `inTurn`, one after the other. */
  mayOverlay(a: PlacedSlice, b: PlacedSlice, inTurn: boolean): boolean {
    const { requests, model } = this.input;
    const { gress } = this;
    if (requests.keepsApart(gress, a.field, b.field)) return false;
    for (const { field } of [a, b]) if (requests.of(gress, field)?.hasOwnPlace === true) return false;
    if (requests.excludes(gress, a.field, b.field)) return true;
    const [x, y] = [model.fields.get(a.field), model.fields.get(b.field)];
    if (x !== undefined && y !== undefined && !x.metadata && !y.metadata)
      if (model.parser.exclusiveHeaders(x.header, y.header)) return true;
    if (this.#apart.never(a.field, b.field)) return true;
    return (
      inTurn && areApart(a.live, b.live) && areApart(this.#earliest.of(a.field), this.#earliest.of(b.field))
    );
  }

  /** The slices, which are apart in a container and may live at once, can be there: every action that writes one of them keeps the others. */
  standTogether(slices: readonly PlacedSlice[]): boolean {
    // The deparser takes the bits that say which headers it sends from containers of their own.
    const valid = slices.filter(({ field }) => field.endsWith("$")).length;
    if (valid > 0 && valid < slices.length) return false;
    // What the parser takes from the packet overwrites its zeros in the container (p4c, phv/allocate_phv.cpp, satisfies_constraints).
    const parsed = slices.filter(({ field }) => this.#isParsed(field));
    const clears = (one: PlacedSlice, other: PlacedSlice) =>
      other.live.from === FROM_PARSER && !this.#areOfOneHeader(one.field, other.field);
    if (parsed.some((one) => slices.some((other) => other !== one && clears(one, other)))) return false;
    const writings = slices.flatMap(({ field }) => this.#writings.get(field) ?? []);
    const actions = new Map<string, Writing[]>();
    for (const writing of writings) {
      const key = `${writing.unit.id} ${writing.action}`;
      const list = actions.get(key);
      if (list === undefined) actions.set(key, [writing]);
      else if (!list.includes(writing)) list.push(writing);
    }
    return (
      [...actions.values()].every((list) => this.#isOneInstruction(list, slices)) && !this.#clash(writings)
    );
  }

  #areOfOneHeader(a: string, b: string): boolean {
    const { fields } = this.input.model;
    const [x, y] = [fields.get(a), fields.get(b)];
    return x !== undefined && !x.metadata && x.header === y?.header;
  }

  #isParsed(field: string): boolean {
    const { model } = this.input;
    const info = model.fields.get(field);
    if (info !== undefined && !info.metadata && model.parser.isCarried(this.gress, info.header)) return true;
    return model.parser.takes(this.gress).has(field);
  }

  /** Why the bits of one piece cannot stand together, as the header has them. */
  brokenBy(
    slices: readonly PlacedSlice[],
  ): Pick<Unallocated, "fields" | "rule" | "detail" | "source"> | undefined {
    const writings = slices.flatMap(({ field }) => this.#writings.get(field) ?? []);
    for (const [i, a] of writings.entries())
      for (const b of writings.slice(i + 1)) {
        if (a.op.write.field === b.op.write.field || !meetInStage(this.input, a, b)) continue;
        const fields = [a.op.write.field, b.op.write.field];
        const detail = `${labelOf(a.unit)} and ${labelOf(b.unit)} set them in one stage, and they share a container`;
        return { fields, rule: "stage", detail, source: a.op.source ?? a.unit.source };
      }
    for (const { unit, action, op } of writings) {
      const list = writings.filter((one) => one.unit === unit && one.action === action);
      if (list.length > 1 && !this.#isOneInstruction(list, slices))
        return {
          fields: list.map((one) => one.op.write.field),
          rule: "sources",
          detail: `${labelOf(unit)} sets them, which share a container, from more than two sources`,
          source: op.source ?? unit.source,
        };
    }
    return undefined;
  }

  #isOneInstruction(writings: readonly Writing[], slices: readonly PlacedSlice[]): boolean {
    const [first] = writings;
    const here = writings.filter(({ op: { write } }) => slices.some((slice) => meets(slice, write)));
    if (first === undefined || here.length === 0) return true;
    const stages = this.input.stagesOf(first.unit.id);
    const isKept = (slice: PlacedSlice) =>
      stages.length === 0 || stages.some((stage) => slice.live.from < stage && slice.live.to > stage);
    const background = slices.some(
      (slice) => isKept(slice) && !here.some(({ op: { write } }) => covers(slice, write)),
    );
    const sources = new Set(here.flatMap(({ op }) => op.sources.map(({ field }) => field)));
    const hasData = here.some(({ op }) => op.data);
    if (here.some(({ op }) => op.kind !== "set") && (here.length > 1 || background)) return false;
    if (background && here.length > 1 && (sources.size > 0 || !areNeighbours(here, slices))) return false;
    return sources.size + (hasData ? 1 : 0) + (background ? 1 : 0) <= MAX_SOURCES;
  }

  /** Two tables that can run for one packet write different fields in one stage. */
  #clash(writings: readonly Writing[]): boolean {
    for (const [i, a] of writings.entries())
      for (const b of writings.slice(i + 1))
        if (a.op.write.field !== b.op.write.field && meetInStage(this.input, a, b)) return true;
    return false;
  }
}

/** The written bits of a container stand side by side. Else the instruction needs a mask, which the compiler avoids. */
function areNeighbours(writings: readonly Writing[], slices: readonly PlacedSlice[]): boolean {
  const written = slices
    .filter((slice) => writings.some(({ op: { write } }) => meets(slice, write)))
    .sort((a, b) => a.at - b.at);
  return written.every((slice, i) => i === 0 || slice.at <= written[i - 1]!.at + written[i - 1]!.width);
}

const meets = (slice: PlacedSlice, write: Writing["op"]["write"]): boolean =>
  slice.field === write.field && slice.lo < write.lo + write.width && write.lo < slice.lo + slice.width;

const covers = (slice: PlacedSlice, write: Writing["op"]["write"]): boolean =>
  slice.field === write.field && write.lo <= slice.lo && slice.lo + slice.width <= write.lo + write.width;

const areApart = (a: LiveRange, b: LiveRange): boolean => a.to <= b.from || b.to <= a.from;
