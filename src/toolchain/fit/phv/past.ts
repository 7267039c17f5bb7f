/**
 * Which bytes of parsed headers go past the pipeline (p4c, parde/clot/allocate_clot.cpp, GreedyClotAllocator): the rows with the most bits that
 * no table touches first. Bytes that tables read or write may stand within a row; a row neither begins nor ends with a value that a table or
 * the deparser writes. Rows stand some bytes apart in the packet, unless they stand side by side and are sent so, too.
 */
import type { bmv2 } from "../../program/index.js";
import type { FieldInfo, FitModel } from "../model/model.js";
import { actionReads, keyReads, writesOf } from "../model/model.js";
import { checksumsOf } from "../parde/deparser.js";
import type { Arrangement } from "./device.js";
import { type Distances, distancesOf } from "./distances.js";
import type { GressUse } from "./gress-use.js";

/** Neighbouring bytes of a header. */
interface Row {
  readonly header: string;
  readonly from: number;
  readonly to: number;
}

/** What goes past the pipeline of a gress. */
export interface Past {
  readonly hasByte: (header: string, byte: number) => boolean;
  /** Some of the field does, and no table writes it: of such fields the compiler moves none to make room (n_clot_bits). */
  readonly hasField: (field: string) => boolean;
}

interface Limits {
  /** Rows of one packet. */
  readonly rows: number;
  readonly bytes: number;
  /** Bytes between two rows. */
  readonly gap: number;
}

interface Candidate extends Row {
  readonly unused: number;
  readonly read: number;
  readonly id: number;
}

/** A field of a header that may stand in a row. */
interface Part {
  readonly info: FieldInfo;
  readonly isWritten: boolean;
  readonly isRead: boolean;
}

export function pastOf(
  model: FitModel,
  use: GressUse,
  { bypasses: rows, bypass_bytes: bytes, bypass_gap: gap }: Arrangement,
): Past {
  const isNone = rows === null || rows === 0 || bytes === null || gap === null || gap === undefined;
  const taken = isNone ? [] : new Rows(model, use, { rows, bytes, gap }).taken();
  return {
    hasByte: (header, byte) =>
      taken.some((row) => row.header === header && row.from <= byte && byte < row.to),
    hasField: (field) => {
      const info = model.fields.get(field);
      if (info === undefined || use.operations.some(({ op }) => op.write.field === field)) return false;
      const end = info.offset + info.width;
      return taken.some(
        ({ header, from, to }) => header === info.header && info.offset < 8 * to && 8 * from < end,
      );
    },
  };
}

class Rows {
  readonly #touched = new Set<string>();
  readonly #written = new Set<string>();
  readonly #sums: ReadonlyMap<string, boolean>;
  readonly #updates: ReadonlyMap<string, readonly number[]>;
  readonly #order: readonly string[];
  readonly #distances: Distances;
  #ids = 0;

  constructor(
    readonly model: FitModel,
    readonly use: GressUse,
    readonly limits: Limits,
  ) {
    const { program } = model;
    const pipe = program.architecture?.pipes[0];
    const first = pipe?.ingress.parsers.length ?? program.parsers.length;
    const isEgress = use.gress === "egress" && pipe !== undefined;
    const deparsers = isEgress ? program.deparsers.slice(1) : program.deparsers.slice(0, 1);
    this.#order = deparsers.flatMap(({ order }) => order);
    this.#sums = new Map(
      deparsers.flatMap((one) =>
        checksumsOf(program, one).map(({ field, isConditional }): [string, boolean] => [
          field,
          isConditional,
        ]),
      ),
    );
    this.#updates = updatesOf(program, deparsers);
    for (const unit of use.units) {
      for (const { field } of [...keyReads(unit), ...actionReads(unit)]) this.#touched.add(field);
      for (const { field } of writesOf(unit)) this.#written.add(field);
    }
    const parsers = isEgress ? program.parsers.slice(first) : program.parsers.slice(0, first);
    this.#distances = distancesOf(model, parsers, 8 * (limits.bytes + limits.gap + limits.bytes));
  }

  taken(): Row[] {
    const taken: Row[] = [];
    const { exclusiveHeaders } = this.model.parser;
    const isFull = ({ header }: Row) =>
      taken.filter((row) => !exclusiveHeaders(row.header, header)).length >= this.limits.rows;
    let open = [...new Set(this.#order)].flatMap((header) => this.#candidatesOf(header));
    while (open.length > 0) {
      open.sort((a, b) => b.unused - a.unused || b.read - a.read || b.id - a.id);
      const best = open.shift()!;
      if (isFull(best)) continue;
      const row = {
        header: best.header,
        from: best.from,
        to: Math.min(best.to, best.from + this.limits.bytes),
      };
      taken.push(row);
      if (row.to < best.to) open.push(best);
      open = open.flatMap((one) => this.#without(one, row));
    }
    return taken;
  }

  /** The rows that a header may have: its fields between those that stand in none. */
  #candidatesOf(header: string): Candidate[] {
    const { parser, headers } = this.model;
    const { gress } = this.use;
    if (!parser.isParsed(gress, header) || parser.isMade(header) || parser.isMadeByParser(gress, header))
      return [];
    const rows: Candidate[] = [];
    let parts: Part[] = [];
    let updates: string | undefined;
    const end = () => {
      rows.push(...this.#trimmed(header, parts));
      parts = [];
      updates = undefined;
    };
    for (const part of this.#partsOf(headers.get(header)?.fields ?? [])) {
      const { name } = part.info;
      const own = this.#updates.get(name);
      // Another bit than that of the header says whether a checksum is sent that is computed under a condition.
      if (parser.sets(gress).has(name) || (own?.length ?? 0) > 1 || this.#sums.get(name) === true) {
        end();
        continue;
      }
      if (own !== undefined && updates !== undefined && updates !== own.join()) end();
      parts.push(part);
      updates = own?.join() ?? updates;
    }
    end();
    return rows;
  }

  #partsOf(fields: readonly string[]): Part[] {
    const infos = fields.map((name) => this.model.fields.get(name)!).filter(({ width }) => width > 0);
    const written = new Set(infos.filter(({ name }) => this.#written.has(name)));
    // A value is written with others of its bytes.
    for (let size = -1; size !== written.size; ) {
      size = written.size;
      for (const one of infos)
        if (infos.some((other) => written.has(other) && shareByte(one, other))) written.add(one);
    }
    return infos.map((info) => ({
      info,
      isWritten: written.has(info),
      isRead: this.#touched.has(info.name),
    }));
  }

  /** The parts without those at their ends that cannot stand there. */
  #trimmed(header: string, parts: readonly Part[], bytes?: { from: number; to: number }): Candidate[] {
    const within = ({ offset, width }: FieldInfo) => {
      const from = Math.max(offset, 8 * (bytes?.from ?? 0));
      const to = Math.min(offset + width, bytes === undefined ? offset + width : 8 * bytes.to);
      return { from, to };
    };
    const own = parts.filter(({ info }) => within(info).from < within(info).to);
    const isAble = ({ info, isWritten }: Part) => !isWritten && !this.#sums.has(info.name);
    const begins = (part: Part) => {
      const { from, to } = within(part.info);
      return isAble(part) && 8 * Math.ceil(from / 8) < to;
    };
    const ends = (part: Part) => {
      const { from, to } = within(part.info);
      return isAble(part) && 8 * Math.floor(to / 8) > from;
    };
    const start = own.findIndex(begins);
    const last = own.findLastIndex(ends);
    if (start < 0 || last < start) return [];
    const from = Math.ceil(within(own[start]!.info).from / 8);
    const to = Math.floor(within(own[last]!.info).to / 8);
    if (to <= from) return [];
    let unused = 0;
    let read = 0;
    for (const part of own.slice(start, last + 1)) {
      const range = within(part.info);
      const bits = Math.min(range.to, 8 * to) - Math.max(range.from, 8 * from);
      if (!isAble(part)) continue;
      if (part.isRead) read += bits;
      else unused += bits;
    }
    return [{ header, from, to, unused, read, id: this.#ids++ }];
  }

  /** What is left of a candidate beside a row that is taken. */
  #without(candidate: Candidate, row: Row): Candidate[] {
    const before = this.#needsGap(candidate, row) ? this.limits.gap : 0;
    const after = this.#needsGap(row, candidate) ? this.limits.gap : 0;
    const shifts = [
      ...this.#distances.between(candidate.header, row.header),
      ...[...this.#distances.between(row.header, candidate.header)].map((bits) => -bits),
    ].map((bits) => bits / 8);
    if (candidate.header === row.header) shifts.push(0);
    const isFree = (byte: number) =>
      shifts.every((shift) => byte < shift + row.from - before || byte >= shift + row.to + after);
    const left: { from: number; to: number }[] = [];
    for (let byte = candidate.from; byte < candidate.to; byte++) {
      if (!isFree(byte)) continue;
      const last = left.at(-1);
      if (last?.to === byte) last.to++;
      else left.push({ from: byte, to: byte + 1 });
    }
    if (left.length === 1 && left[0]!.from === candidate.from && left[0]!.to === candidate.to)
      return [candidate];
    const parts = this.#partsOf(this.model.headers.get(candidate.header)!.fields);
    return left.flatMap((bytes) => this.#trimmed(candidate.header, parts, bytes));
  }

  /** Bytes have to stand between the first row and the second one behind it. */
  #needsGap(a: Row, b: Row): boolean {
    const { parser } = this.model;
    const shifts = a.header === b.header ? [0] : [...this.#distances.between(a.header, b.header)];
    const gaps = new Set(shifts.map((bits) => bits / 8 + b.from - a.to).filter((gap) => gap >= 0));
    if (gaps.size === 0) return a.header !== b.header;
    if (!gaps.has(0)) return true;
    for (let gap = 1; gap < this.limits.gap; gap++) if (gaps.has(gap)) return true;
    if (a.header === b.header) return false;
    if (this.#written.has(`${a.header}.$valid$`)) return true;
    const [first, second] = [this.#order.indexOf(a.header), this.#order.indexOf(b.header)];
    if (second < first) return true;
    return this.#order
      .slice(first + 1, second)
      .some(
        (between) =>
          parser.isMade(between) ||
          parser.isMadeByParser(this.use.gress, between) ||
          this.#distances.leadsTo(between, a.header) ||
          this.#distances.leadsTo(b.header, between),
      );
  }
}

const shareByte = (a: FieldInfo, b: FieldInfo): boolean =>
  a.offset >> 3 <= (b.offset + b.width - 1) >> 3 && b.offset >> 3 <= (a.offset + a.width - 1) >> 3;

/** By field: the checksums of the deparsers that are computed from it. */
function updatesOf(
  program: bmv2.Bmv2Program,
  deparsers: readonly bmv2.Bmv2Deparser[],
): ReadonlyMap<string, readonly number[]> {
  const updates = new Map<string, number[]>();
  let number = 0;
  for (const { op, parameters } of deparsers.flatMap(({ primitives = [] }) => primitives)) {
    if (op !== "modify_field_with_hash_based_offset") continue;
    const called = parameters.find((one) => one.type === "calculation")?.value;
    const calculation = program.calculations.find(({ name }) => name === called);
    if (calculation?.algo !== "csum16") continue;
    for (const one of calculation.input)
      if (one.type === "field") {
        const field = one.value.join(".");
        updates.set(field, [...(updates.get(field) ?? []), number]);
      }
    number++;
  }
  return updates;
}
