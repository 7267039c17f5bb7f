/**
 * Where a value of metadata can get its zero from a table instead of from the parser, so that another value has its container before
 * (p4c, phv/analysis/meta_live_range.cpp and live_range_shrinking.cpp): in a table that every packet passes between the last use of the one
 * and the first of the other, in each action that does not write it, as one more instruction.
 */
import type { Access, ActionModel, Gress, Unit } from "../model/model.js";
import { actionReads, keyReads, threadOf, writesOf } from "../model/model.js";
import { type AllocationInput, FROM_PARSER, type LiveRange, TO_DEPARSER } from "./allocation.js";
import type { Apart } from "./apart.js";
import { AT_DEPARSER, type Dominators, type Point } from "./dominators.js";
import { isValidByContainer } from "./gress-use.js";
import type { Lifetimes } from "./lifetimes.js";
import { isAtEnd } from "./pieces.js";

/** Values stand in one container in turn where more than so many stages of dependencies are between them. */
const STAGES_BETWEEN = 2;
/** Tables, none of which every packet passes, that give one value its zero. */
const MAX_TABLES = 3;

/** What of a gress touches a field, its parser's zero aside. */
interface Uses {
  readonly reads: ReadonlySet<Point>;
  readonly writes: ReadonlySet<Point>;
  readonly life: LiveRange;
  /** A table of the last stage writes it. */
  readonly endsWritten: boolean;
}

/** Bits of a field, as an allocation has them. */
type Bits = Pick<Access, "field" | "lo" | "width">;

export class Beginnings {
  readonly #units: readonly Unit[];
  readonly #dominators: Dominators;
  /** Fields of the ghost thread, which runs beside the packets: none comes before another. */
  readonly #ofGhost = new Set<string>();
  readonly #uses = new Map<string, Uses>();
  readonly #known = new Map<string, readonly number[] | null>();
  /** Of both gresses: the deparser comes after it. */
  readonly #lastStage: number;

  constructor(
    readonly input: AllocationInput,
    readonly gress: Gress,
    readonly apart: Apart,
    readonly lifetimes: Lifetimes,
    dominators: Dominators,
  ) {
    const { model, earliestOf } = input;
    this.#units = model.units.filter((unit) => threadOf(unit) === gress);
    for (const unit of model.units)
      if (unit.isGhost)
        for (const { field } of [...keyReads(unit), ...actionReads(unit), ...writesOf(unit)])
          this.#ofGhost.add(field);
    this.#dominators = dominators;
    this.#lastStage = model.units.reduce((last, { id }) => Math.max(last, earliestOf(id)), 0);
  }

  /** The chip has dark containers, and actions that always run, which move values there and back (p4c, phv/analysis/dark_live_range.cpp). */
  get movesValues(): boolean {
    return (this.input.target.phv.arrangement?.dark[8] ?? 0) > 0;
  }

  /** By dependencies, `early` is over before `later` begins, so that they may share a container where that finds its zero. */
  comesBefore(early: string, later: string): boolean {
    if (isAtEnd(early) || this.#ofGhost.has(early) || this.#ofGhost.has(later)) return false;
    const [a, b] = [this.usesOf(early), this.usesOf(later)];
    if (!this.#mayBegin(later) || a.life.from >= b.life.from) return false;
    if (this.movesValues) return a.life.to + (a.endsWritten ? 1 : 0) <= b.life.from;
    return a.life.to + (this.lifetimes.beginsOpen(later) ? 0 : STAGES_BETWEEN) < b.life.from;
  }

  /**
   * Tables that write the zeros of a field after others that had its container: none where every packet that reads it has it written before;
   * undefined where no table can.
   * @param beside fields that are in the container at the same time
   */
  of(later: Bits, earlies: readonly string[], beside: readonly string[]): readonly number[] | undefined {
    if (this.movesValues) return this.lifetimes.of(later.field).from === FROM_PARSER ? undefined : [];
    const key = [later.field, later.lo, later.width, ...[...earlies].sort(), "|", ...[...beside].sort()].join(
      " ",
    );
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#find(later, earlies, beside) ?? null;
      this.#known.set(key, known);
    }
    return known ?? undefined;
  }

  #mayBegin(field: string): boolean {
    if (isAtEnd(field)) return true;
    const { fields, forDeparser } = this.input.model;
    const info = fields.get(field);
    if (info === undefined || info.intrinsic || field.endsWith("$")) return false;
    if (!this.movesValues && forDeparser.has(field) && isValidByContainer(field)) return false;
    return this.usesOf(field).life.from !== FROM_PARSER;
  }

  /** What touches a field. */
  usesOf(field: string): Uses {
    const known = this.#uses.get(field) ?? this.#findUses(field);
    this.#uses.set(field, known);
    return known;
  }

  #findUses(field: string): Uses {
    const { model, earliestOf } = this.input;
    const { parser, fields, forDeparser } = model;
    const names = (list: readonly Access[]) => list.some((one) => one.field === field);
    const readers = this.#units.filter(
      (unit) => names(keyReads(unit)) || unit.actions.some(({ reads }) => names(reads)),
    );
    const writers = this.#units.filter(({ actions }) => actions.some(({ writes }) => names(writes)));
    const info = fields.get(field);
    const isCarried = info !== undefined && !info.metadata && parser.isCarried(this.gress, info.header);
    const isMade = isCarried && parser.isMadeByTables(this.gress, info.header);
    const isParsed =
      !isMade &&
      !isAtEnd(field) &&
      (isCarried || parser.gives(this.gress).has(field) || writers.length === 0);
    const isSent = isCarried && parser.isSent(this.gress, info.header);
    const isRead =
      isSent || readers.length === 0 || forDeparser.has(field) || parser.reads(this.gress).has(field);
    const stages = [...readers, ...writers].map(({ id }) => earliestOf(id));
    const to = Math.max(FROM_PARSER, ...stages);
    return {
      reads: new Set<Point>([...readers.map(({ id }) => id), ...(isRead ? ([AT_DEPARSER] as const) : [])]),
      writes: new Set(writers.map(({ id }) => id)),
      life: {
        from: isParsed ? FROM_PARSER : Math.min(this.#lastStage + 1, ...stages),
        to: isRead ? TO_DEPARSER : to,
      },
      endsWritten: writers.some(({ id }) => earliestOf(id) === to),
    };
  }

  #reaches(from: Point, to: Point): boolean {
    if (to === AT_DEPARSER) return true;
    return from !== AT_DEPARSER && from !== to && this.input.model.flow.reaches(from, to);
  }

  #find(
    { field, lo, width }: Bits,
    earlies: readonly string[],
    beside: readonly string[],
  ): readonly number[] | undefined {
    const own = this.usesOf(field);
    const begins = this.#beginsOf(field, own);
    if (begins === undefined) return undefined;
    const before = earlies.map((early) => this.usesOf(early));
    // The compiler looks for a table before each use of the earlier values, too.
    if (earlies.some((early, i) => this.#beginsOf(early, before[i]!) === undefined)) return undefined;
    const pointsBefore = new Set(before.flatMap(({ reads, writes }) => [...reads, ...writes]));
    if ([...begins].some((begin) => [...pointsBefore].some((point) => this.#reaches(begin, point))))
      return undefined;
    const first = [...begins].filter(
      (point) => ![...begins].some((other) => this.#dominators.isAbove(other, point)),
    );
    const tables = first.filter((point) => point !== AT_DEPARSER);
    if (tables.length < first.length || tables.length === 0) return undefined;
    const slice = { field, lo, width };
    const isWritten = (id: number) =>
      own.writes.has(id) &&
      !own.reads.has(id) &&
      this.#actions(id).every((action) => writesAll(action, slice));
    const last = before.reduce((a, b) => (b.life.from > a.life.from ? b : a));
    const users = [...last.reads, ...last.writes].filter((point) => point !== AT_DEPARSER);
    if (tables.every(isWritten) || this.lifetimes.beginsOpen(field)) {
      const isFree = tables.every(
        (id) => users.every((user) => !this.#isLonger(user, id)) && !this.#writesBeside(id, beside),
      );
      if (isFree) return [];
      if (this.lifetimes.beginsOpen(field)) return undefined;
    }
    const end = Math.max(0, ...before.map(({ life, endsWritten }) => life.to + (endsWritten ? 1 : 0)));
    const choose = (id: number, isOneOfMany: boolean) =>
      this.#canWrite(id, slice, users, beside, isOneOfMany ? undefined : own);
    return this.#choose(tables, own, end, pointsBefore, choose);
  }

  /** The tables that write the field, and before each reader a table; undefined where one has none before it. */
  #beginsOf(field: string, { reads, writes }: Uses): Set<Point> | undefined {
    const begins = new Set<Point>(writes);
    for (const reader of reads) {
      const isTable = reader !== AT_DEPARSER && this.input.model.units[reader]!.condition === undefined;
      if (isTable || reader === AT_DEPARSER) begins.add(reader);
      if (isTable && this.lifetimes.beginsOpen(field)) continue;
      const above = this.#dominators.tableAbove(reader);
      if (above === undefined) return undefined;
      begins.add(above.id);
    }
    return begins;
  }

  /** The table above all, or one before it; where that comes before the last use of the others, each of the tables. */
  #choose(
    tables: readonly number[],
    own: Uses,
    end: number,
    pointsBefore: ReadonlySet<Point>,
    canWrite: (id: number, isOneOfMany: boolean) => boolean,
  ): readonly number[] | undefined {
    const { earliestOf, stagesOf, model } = this.input;
    const users = [...own.reads, ...own.writes].filter((point) => point !== AT_DEPARSER);
    let above = tables.length === 1 ? model.units[tables[0]!]! : this.#dominators.tableAboveAll(tables);
    while (above !== undefined && earliestOf(above.id) >= end) {
      const { id } = above;
      if (users.every((user) => !this.#isLonger(id, user)) && stagesOf(id).length === 1) break;
      const next = this.#dominators.tableAbove(id);
      above = next?.id === id ? undefined : next;
    }
    if (above === undefined) return undefined;
    if (own.writes.has(above.id)) return canWrite(above.id, false) ? [above.id] : undefined;
    if (own.reads.has(above.id)) return undefined;
    const { id } = above;
    if (earliestOf(id) < end) {
      const isMany =
        tables.length > MAX_TABLES || tables.some((a) => users.some((user) => this.#isLonger(a, user)));
      const areApart = tables.every((a) => tables.every((b) => a === b || model.flow.exclusive(a, b)));
      return !isMany && areApart && tables.every((one) => canWrite(one, true)) ? tables : undefined;
    }
    const candidates = [
      id,
      ...this.#units
        .filter(
          (unit) =>
            unit.condition === undefined &&
            earliestOf(unit.id) >= end &&
            earliestOf(unit.id) <= earliestOf(id) &&
            this.#dominators.isAbove(unit.id, id),
        )
        .map((unit) => unit.id)
        .sort((a, b) => earliestOf(b) - earliestOf(a)),
    ];
    const found = candidates.find(
      (one) => ![...pointsBefore].every((point) => this.#reaches(one, point)) && canWrite(one, false),
    );
    return found === undefined ? undefined : [found];
  }

  /** A dependency from the one to the other makes the longest chain longer. */
  #isLonger(from: number, to: number): boolean {
    const { earliestOf, belowOf } = this.input;
    return Math.max(earliestOf(from) + 1, earliestOf(to)) + belowOf(to) > this.#lastStage;
  }

  /** The table writes what else is in the container in the stage of another table that does. */
  #writesBeside(id: number, beside: readonly string[]): boolean {
    const { earliestOf, stagesOf, model } = this.input;
    const [stage] = stagesOf(id);
    return beside.some((field) =>
      [...this.usesOf(field).writes].some(
        (other) =>
          other !== id &&
          other !== AT_DEPARSER &&
          !model.flow.exclusive(id, other) &&
          (earliestOf(other) === earliestOf(id) || stagesOf(other).some((one) => one === stage)),
      ),
    );
  }

  #actions(id: number): readonly ActionModel[] {
    return this.input.model.units[id]!.actions;
  }

  /** Every action of the table that does not write the bits can set them to zero. */
  #canWrite(
    id: number,
    slice: Bits,
    users: readonly number[],
    beside: readonly string[],
    own: Uses | undefined,
  ): boolean {
    const { model, stagesOf } = this.input;
    const unit = model.units[id]!;
    if (unit.condition !== undefined || unit.actions.length === 0 || stagesOf(id).length !== 1) return false;
    if (unit.hashes.length > 0 || unit.pragmas.writesNoZeros) return false;
    if (!users.every((user) => this.#reaches(user, id) && !this.#isLonger(user, id))) return false;
    if (this.#writesBeside(id, beside)) return false;
    const points = own === undefined ? [] : [...own.reads, ...own.writes];
    if (points.some((point) => point !== AT_DEPARSER && model.flow.exclusive(id, point))) return false;
    return unit.actions.every((action) => {
      const here = action.writes.filter((one) => one.field === slice.field);
      if (here.length > 0) return here.some((write) => isWhole(write, slice));
      if (action.writes.some(({ field }) => beside.includes(field))) return false;
      return ![...action.reads, ...action.writes].some((one) => this.apart.never(slice.field, one.field));
    });
  }
}

const isWhole = (write: Access, { lo, width }: Bits): boolean =>
  write.lo <= lo && lo + width <= write.lo + write.width;

const writesAll = ({ writes }: ActionModel, slice: Bits): boolean =>
  writes.some((write) => write.field === slice.field && isWhole(write, slice));
