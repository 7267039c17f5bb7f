/** Which pieces may stand in one container: one after the other, instead of each other, or side by side. */
import { type Gress, labelOf } from "../model/model.js";
import { type AllocationInput, FROM_PARSER, type PlacedSlice, type Unallocated } from "./allocation.js";
import { Apart } from "./apart.js";
import { Beginnings } from "./beginnings.js";
import { meetInStage } from "./conflicts.js";
import { Dominators } from "./dominators.js";
import type { GressUse } from "./gress-use.js";
import { Lifetimes } from "./lifetimes.js";
import { areFieldsApart, MadeFields } from "./made-fields.js";
import { type Piece, sizeFor } from "./piece.js";
import { isAtEnd } from "./pieces.js";
import type { ContainerKind } from "./requests.js";
import { type Spill, Spills } from "./spills.js";

type Writing = GressUse["operations"][number];

/** Sources of an instruction: two containers, or one and a value from the action data bus. */
const MAX_SOURCES = 2;

/** How the name of a bit ends that says whether a header or a value for the deparser is there. */
const VALID = ".$valid$";

export class Sharing {
  readonly #lifetimes: Lifetimes;
  readonly #beginnings: Beginnings;
  readonly #spills: Spills;
  #borders: ReadonlyMap<string, ReadonlySet<number>> | undefined;
  readonly #apart: Apart;
  readonly #made: MadeFields;
  readonly #placed = new WeakMap<Piece, readonly PlacedSlice[]>();
  readonly #writings = new Map<string, Writing[]>();
  readonly #needs = new WeakMap<Piece, number>();

  constructor(
    readonly input: AllocationInput,
    readonly use: GressUse,
  ) {
    this.#lifetimes = new Lifetimes(input, use.gress);
    this.#apart = new Apart(input.model, use);
    this.#made = new MadeFields(input.model, use);
    const dominators = new Dominators(input.model, use.gress, !input.target.phv.deparser_validity_shared);
    this.#beginnings = new Beginnings(input, use.gress, this.#apart, this.#lifetimes, dominators);
    this.#spills = new Spills(input, use.gress, this.#beginnings, dominators);
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

  /** The parser gives some of it, or some packet reads it before a table writes it. */
  hasFirstValue({ slices }: Piece): boolean {
    return slices.some(
      ({ field }) => this.#lifetimes.of(field).from === FROM_PARSER || this.#lifetimes.beginsOpen(field),
    );
  }

  /** The parser takes some of it from the packet, so that it keeps its bits of a byte. */
  isFromPacket({ slices }: Piece): boolean {
    return slices.some(({ field }) => this.#isParsed(field));
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
    return kind === "mocha" || this.#isDark(piece, asked.includes("dark"));
  }

  /** How much more a container of the kind can than the piece needs: 1 for each kind between (p4c, phv/allocate_phv.cpp). */
  excessOf(kind: ContainerKind, piece: Piece): number {
    const known =
      this.#needs.get(piece) ?? (this.admits("dark", piece) ? 0 : this.admits("mocha", piece) ? 1 : 2);
    this.#needs.set(piece, known);
    return kind === "normal" ? 2 - known : kind === "mocha" ? 1 - known : 0;
  }

  /** Only tables have the piece, none looks it up, and none sets it to action data or a constant (p4c, phv/analysis/dark.cpp). */
  #isDark({ slices, bytes }: Piece, isAsked: boolean): boolean {
    if (bytes !== undefined) return false;
    if (isAsked) return true;
    const { model } = this.input;
    return slices.every(({ field }) => {
      const info = model.fields.get(field);
      if (info === undefined || !info.metadata || info.intrinsic || model.forDeparser.has(field))
        return false;
      if (model.parser.sets(this.gress).has(field) || model.parser.reads(this.gress).has(field)) return false;
      if (this.use.matched.has(field)) return false;
      return (this.#writings.get(field) ?? []).every(({ op }) => !op.data && op.sources.length > 0);
    });
  }

  /** Tables write all of the piece or nothing, and its fields may stand in a container that is only set whole. */
  #isSetWhole({ slices }: Piece): boolean {
    const [slice] = slices;
    if (!slices.every(({ field }) => this.#isOnlySet(field))) return false;
    const writings = slices.flatMap(({ field }) => this.#writings.get(field) ?? []);
    if (writings.length === 0) return true;
    if (slice === undefined || slices.length > 1 || slice.at > 0) return false;
    return writings.every(
      ({ op: { write, sources } }) =>
        write.lo <= slice.lo &&
        slice.lo + slice.width <= write.lo + write.width &&
        sources.every(
          ({ lo, width }) => width === write.width && (lo - write.lo) % sizeFor(slice.width) === 0,
        ),
    );
  }

  /**
   * No table computes the field, takes it from an ALU, a hash or the random numbers, or sets it where it is a bit for the deparser; and a
   * field of a packet ends with a byte of its header (p4c, phv/analysis/mocha.cpp and non_mocha_dark_fields.cpp).
   */
  #isOnlySet(field: string): boolean {
    const { model } = this.input;
    const writings = this.#writings.get(field) ?? [];
    if (writings.some(({ op: { kind, given } }) => kind !== "set" || given === true)) return false;
    // What sets a value for the deparser sets its bit, too.
    if (field.endsWith("$")) return writings.length === 0 && !model.forDeparser.has(ownerOf(field));
    const info = model.fields.get(field);
    if (info === undefined || info.metadata || info.intrinsic) return true;
    const bits = model.headers.get(info.header)?.bits ?? 0;
    return (bits - info.offset - info.width) % 8 === 0;
  }

  /** No packet has both, so that their bits may overlap in a container. */
  mayOverlay(a: PlacedSlice, b: PlacedSlice): boolean {
    const { requests, model } = this.input;
    if (this.#keepsApart(a, b)) return false;
    if (requests.excludes(this.gress, a.field, b.field)) return true;
    const [x, y] = [model.fields.get(a.field), model.fields.get(b.field)];
    if (x !== undefined && y !== undefined && !x.metadata && !y.metadata)
      if (areFieldsApart(model, this.gress, x, y)) return !this.#made.meet(a.field, b.field);
    return this.#apart.never(a.field, b.field);
  }

  #keepsApart(a: PlacedSlice, b: PlacedSlice): boolean {
    const { requests } = this.input;
    if (requests.keepsApart(this.gress, a.field, b.field)) return true;
    return [a, b].some(({ field }) => requests.of(this.gress, field)?.hasOwnPlace === true);
  }

  /** Values leave their containers for dark ones, and come back. */
  get spillsValues(): boolean {
    return this.#beginnings.movesValues;
  }

  /** No instruction or key names a part of the bits, nor of bits that go to them or come from them (p4c, phv/make_clusters.cpp, MakeSlices). */
  isOneSlice({ field, lo, width }: PlacedSlice): boolean {
    this.#borders ??= bordersOf(this.use);
    return ![...(this.#borders.get(field) ?? [])].some((bit) => lo < bit && bit < lo + width);
  }

  /** How the one makes room for the other while nothing needs it. */
  spill(outer: PlacedSlice, inner: PlacedSlice): Spill | undefined {
    if ([outer, inner].some(({ field }) => field.endsWith("$") || field.startsWith("$"))) return undefined;
    return this.#keepsApart(outer, inner) ? undefined : this.#spills.of(outer.field, inner.field);
  }

  /** Another value can have the bits of a container of the kind before or after. */
  takesTurns(kind: ContainerKind): boolean {
    return kind === "normal" || (kind === "mocha" && this.#beginnings.movesValues);
  }

  /**
   * The slices of one container, some of whose bits overlap, one after the other: with what gives a later one its zero, and the lives that
   * follow. Undefined where two need the bits at one time.
   */
  inTurn(guests: readonly PlacedSlice[], mine: readonly PlacedSlice[]): PlacedSlice[] | undefined {
    const fails = (a: PlacedSlice, b: PlacedSlice) =>
      overlap(a, b) && !this.#takeTurns(a.field, b.field) && !this.mayOverlay(a, b);
    if (mine.some((one) => guests.some((guest) => fails(one, guest)))) return undefined;
    const slices = [...guests, ...mine];
    const turned: PlacedSlice[] = [];
    for (const slice of slices) {
      const others = slices.filter((one) => one !== slice && !this.mayOverlay(one, slice));
      const meeting = others.filter((one) => overlap(one, slice));
      if (meeting.some((one) => this.#keepsApart(one, slice))) return undefined;
      const before = meeting.filter(({ field }) => this.#beginnings.comesBefore(field, slice.field));
      const after = meeting.filter(({ field }) => this.#beginnings.comesBefore(slice.field, field));
      if (before.length + after.length < meeting.length) return undefined;
      const beside = others.filter((one) => !meeting.includes(one)).map(({ field }) => field);
      const next = before.length === 0 ? slice : this.#after(slice, before, [...new Set(beside)]);
      if (next === undefined) return undefined;
      turned.push(next);
    }
    return turned;
  }

  #takeTurns(a: string, b: string): boolean {
    return this.#beginnings.comesBefore(a, b) || this.#beginnings.comesBefore(b, a);
  }

  /** The slice after others that had its bits. */
  #after(
    slice: PlacedSlice,
    before: readonly PlacedSlice[],
    beside: readonly string[],
  ): PlacedSlice | undefined {
    const { flow } = this.input.model;
    const names = before.map(({ field }) => field);
    const zeroedBy = this.#beginnings.of(slice, names, beside);
    if (zeroedBy === undefined) return undefined;
    const zeroed = zeroedBy.flatMap((id) => this.input.stagesOf(id));
    const { from: first, to } = this.#lifetimes.of(slice.field);
    const written = this.#lifetimes.writtenIn(slice.field);
    const from = Math.min(...zeroed, ...written, ...(isAtEnd(slice.field) ? [first] : []));
    // A value whose tables have no stage has no time of its own.
    if (!Number.isFinite(from)) return undefined;
    if (names.some((name) => this.#lifetimes.of(name).to > from)) return undefined;
    const users = this.#lifetimes.usersOf(slice.field);
    const isLate =
      this.input.isBeforePlacement !== true &&
      zeroedBy.some((id) =>
        users.some(
          (user) =>
            user.id !== id &&
            flow.reaches(id, user.id) &&
            this.input.stagesOf(user.id).some((stage) => zeroed.some((zero) => stage <= zero)),
        ),
      );
    return isLate ? undefined : { ...slice, live: { from, to }, zeroedBy };
  }

  /** The slices, which are apart in a container and may live at once, can be there: every action that writes one of them keeps the others. */
  standTogether(slices: readonly PlacedSlice[]): boolean {
    // What the parser takes from the packet overwrites its zeros in the container (p4c, phv/allocate_phv.cpp, satisfies_constraints).
    const parsed = slices.filter(({ field }) => this.#isParsed(field));
    const clears = (one: PlacedSlice, other: PlacedSlice) =>
      other.live.from === FROM_PARSER && !this.#areOfOneHeader(one.field, other.field);
    if (parsed.some((one) => slices.some((other) => other !== one && clears(one, other)))) return false;
    const { requests } = this.input;
    if (slices.some((one) => slices.some((other) => requests.parts(this.gress, one.field, other.field))))
      return false;
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

  /** Every action that writes one of the slices writes all of each: a container that instructions only set whole can hold them. */
  areSetTogether(slices: readonly PlacedSlice[]): boolean {
    const actions = new Map<string, Set<PlacedSlice>>();
    for (const slice of slices)
      for (const { unit, action, op } of this.#writings.get(slice.field) ?? []) {
        if (!covers(slice, op.write)) return false;
        const key = `${unit.id} ${action}`;
        actions.set(key, (actions.get(key) ?? new Set()).add(slice));
      }
    return [...actions.values()].every((written) => written.size === slices.length);
  }

  #areOfOneHeader(a: string, b: string): boolean {
    const { fields } = this.input.model;
    const [x, y] = [fields.get(a), fields.get(b)];
    return x !== undefined && !x.metadata && x.header === y?.header;
  }

  #isParsed(field: string): boolean {
    const { model } = this.input;
    const info = model.fields.get(field);
    if (info !== undefined && !info.metadata && model.parser.isCarried(this.gress, info.header))
      return !model.parser.isMadeByTables(this.gress, info.header);
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

  /**
   * Some action computes a part of a header's piece by logic, which would write all of the container, or sets parts from more sources than an instruction has, wherever the sources stand: values of metadata, bytes
   * of a header as far from each other as their results, what the action data bus gives, and the container itself for what stays (p4c,
   * phv/action_phv_constraints.cpp, check_and_generate_constraints_for_move_with_unallocated_sources). Without `keepsRest` what no action sets may be lost: the bytes are to be cut again.
   */
  hasTooManySources(piece: Piece, keepsRest = true): boolean {
    const slices = this.placed(piece, 0);
    const { fields } = this.input.model;
    const writings = [...new Set(slices.flatMap(({ field }) => this.#writings.get(field) ?? []))].filter(
      ({ op: { write } }) => slices.some((slice) => meets(slice, write)),
    );
    const placeOf = ({ op: { write } }: Writing, { field, lo }: Writing["op"]["write"]): string => {
      const [from, to] = [fields.get(field), fields.get(write.field)];
      if (from === undefined || to === undefined || from.metadata) return field;
      const end = (info: typeof from, low: number) => info.offset + info.width - low;
      return `${from.header} ${end(from, lo) - end(to, write.lo)}`;
    };
    const actions = new Map<string, Writing[]>();
    for (const writing of writings) {
      const key = `${writing.unit.id} ${writing.action}`;
      actions.set(key, [...(actions.get(key) ?? []), writing]);
    }
    return [...actions.values()].some((list) => {
      const isWhole = ({ op }: Writing) => op.kind === "logic" && op.keepsOthers !== true;
      if (list.some(isWhole) && keepsRest && leavesBytes(list, slices)) return true;
      if (list.length === 1 || list.some(({ op }) => op.kind !== "set")) return false;
      const places = new Set(list.flatMap((one) => one.op.sources.map((source) => placeOf(one, source))));
      const hasData = list.some(({ op }) => op.data);
      const stays = slices.some(
        ({ field, lo, width }) =>
          list.reduce(
            (sum, { op: { write } }) =>
              write.field !== field
                ? sum
                : sum + Math.max(0, Math.min(lo + width, write.lo + write.width) - Math.max(lo, write.lo)),
            0,
          ) < width,
      );
      return places.size + (hasData ? 1 : 0) + (stays && keepsRest ? 1 : 0) > MAX_SOURCES;
    });
  }

  #isOneInstruction(writings: readonly Writing[], slices: readonly PlacedSlice[]): boolean {
    const [first] = writings;
    const here = writings.filter(({ op: { write } }) => slices.some((slice) => meets(slice, write)));
    if (first === undefined || here.length === 0) return true;
    const stages = this.input.stagesOf(first.unit.id);
    const isKept = (slice: PlacedSlice) =>
      stages.length === 0 || stages.some((stage) => isThere(slice, stage));
    const background = slices.some(
      (slice) => isKept(slice) && !here.some(({ op: { write } }) => covers(slice, write)),
    );
    const sources = new Set(here.flatMap(({ op }) => op.sources.map(({ field }) => field)));
    const hasData = here.some(({ op }) => op.data);
    if (here.length === 1 && here[0]?.op.keepsOthers === true) return true;
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

/** Some byte of a container has none of the bits that an action writes. */
function leavesBytes(writings: readonly Writing[], slices: readonly PlacedSlice[]): boolean {
  const bytesOf = (at: number, width: number) =>
    Array.from({ length: ((at + width - 1) >> 3) - (at >> 3) + 1 }, (_, i) => (at >> 3) + i);
  const written = new Set(
    slices.flatMap((slice) =>
      writings.flatMap(({ op: { write } }) => {
        if (!meets(slice, write)) return [];
        const low = Math.max(slice.lo, write.lo);
        const high = Math.min(slice.lo + slice.width, write.lo + write.width);
        return bytesOf(slice.at + low - slice.lo, high - low);
      }),
    ),
  );
  return slices.some(({ at, width }) => bytesOf(at, width).some((byte) => !written.has(byte)));
}

const meets = (slice: PlacedSlice, write: Writing["op"]["write"]): boolean =>
  slice.field === write.field && slice.lo < write.lo + write.width && write.lo < slice.lo + slice.width;

const covers = (slice: PlacedSlice, write: Writing["op"]["write"]): boolean =>
  slice.field === write.field && write.lo <= slice.lo && slice.lo + slice.width <= write.lo + write.width;

/** What a bit for the deparser belongs to. */
const ownerOf = (bit: string): string => bit.slice(0, -VALID.length);

export const overlap = (a: PlacedSlice, b: PlacedSlice): boolean =>
  a.at < b.at + b.width && b.at < a.at + a.width;

export const areApart = (a: PlacedSlice, b: PlacedSlice): boolean =>
  a.live.to <= b.live.from ||
  b.live.to <= a.live.from ||
  isWithin(a.away, b.live) ||
  isWithin(b.away, a.live);

const isWithin = (away: PlacedSlice["away"], live: PlacedSlice["live"]): boolean =>
  away !== undefined && away.from <= live.from && live.to <= away.to;

/** An instruction of the stage that writes the container keeps the value. */
const isThere = ({ live, away }: PlacedSlice, stage: number): boolean =>
  live.from < stage && live.to > stage && !(away !== undefined && away.from < stage && stage <= away.to);

/** By field: the bits at which a part begins or ends that something names, or that is tied to such a part. */
function bordersOf({ ranges, operations, comparisons }: GressUse): ReadonlyMap<string, ReadonlySet<number>> {
  const borders = new Map<string, Set<number>>();
  const add = (field: string, bit: number) => {
    const own = borders.get(field) ?? new Set();
    borders.set(field, own);
    const isNew = !own.has(bit);
    own.add(bit);
    return isNew;
  };
  for (const [field, list] of ranges)
    for (const { lo, width } of list) for (const bit of [lo, lo + width]) add(field, bit);
  const pairs = [...operations, ...comparisons].flatMap(({ op }) =>
    op.kind === "merge"
      ? []
      : op.sources.flatMap((source) => [[op.write, source] as const, [source, op.write] as const]),
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (const [to, from] of pairs)
      for (const bit of borders.get(from.field) ?? [])
        if (from.lo < bit && bit < from.lo + Math.min(from.width, to.width))
          changed = add(to.field, bit - from.lo + to.lo) || changed;
  }
  return borders;
}
