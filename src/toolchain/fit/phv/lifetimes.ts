/**
 * From which stage to which a field holds a value. What a packet brings lives from the parser, what the deparser needs lives beyond the
 * last stage; metadata lives from its first write to its last read, where every read has a write before it on each way through the control
 * flow. Else it begins open, or, where the program asks for it, as the parser's zero and lives from the parser.
 */
import type { Access, Flow, Gress, Unit } from "../model/model.js";
import { actionReads, keyReads } from "../model/model.js";
import { type AllocationInput, FROM_PARSER, type LiveRange, TO_DEPARSER } from "./allocation.js";
import { isValidByContainer } from "./gress-use.js";
import { DROP_SESSION, isAtEnd } from "./pieces.js";

/** After every stage, before the deparser. */
export const AT_END = TO_DEPARSER - 1;

/** Live ranges of the fields of one gress. */
export class Lifetimes {
  readonly #readers = new Map<string, Unit[]>();
  readonly #writers = new Map<string, Unit[]>();
  readonly #known = new Map<string, LiveRange>();
  readonly #open = new Map<string, boolean>();
  readonly #predecessors = new Map<number, number[]>();

  constructor(
    readonly input: AllocationInput,
    readonly gress: Gress,
  ) {
    for (const unit of input.model.units) {
      if (unit.gress !== gress) continue;
      for (const { field } of [...keyReads(unit), ...actionReads(unit)]) add(this.#readers, field, unit);
      for (const { writes } of unit.actions) for (const { field } of writes) add(this.#writers, field, unit);
      for (const next of input.model.flow.successors(unit.id)) {
        const list = this.#predecessors.get(next) ?? [];
        this.#predecessors.set(next, [...list, unit.id]);
      }
    }
  }

  of(field: string): LiveRange {
    const known = this.#known.get(field) ?? this.#find(field);
    this.#known.set(field, known);
    return known;
  }

  /** Stages of the units that write the field. */
  writtenIn(field: string): number[] {
    return (this.#writers.get(field) ?? []).flatMap(({ id }) => this.input.stagesOf(id));
  }

  /** Units that touch the field. */
  usersOf(field: string): readonly Unit[] {
    return [...(this.#readers.get(field) ?? []), ...(this.#writers.get(field) ?? [])];
  }

  #find(field: string): LiveRange {
    if (isAtEnd(field)) return { from: AT_END, to: TO_DEPARSER };
    const readers = this.#readers.get(field) ?? [];
    const writers = this.#writers.get(field) ?? [];
    const stages = (units: readonly Unit[]) => units.flatMap(({ id }) => this.input.stagesOf(id));
    // A field that no table touches, or that a table without a place does.
    const unplaced = [...readers, ...writers].some(({ id }) => this.input.stagesOf(id).length === 0);
    if (unplaced || readers.length + writers.length === 0)
      return { from: this.#isOfMade(field) ? AT_END : FROM_PARSER, to: TO_DEPARSER };
    const isFromParser =
      this.#comesFromParser(field) ||
      this.#beginsAsZero(field) ||
      (!this.beginsOpen(field) && readers.some((unit) => !this.#isSet(field, unit)));
    const last = Math.max(...stages(readers), ...stages(writers).map((stage) => stage + 1));
    return {
      from: isFromParser ? FROM_PARSER : Math.min(...stages(writers), ...stages(readers)),
      to: this.#goesToDeparser(field) ? TO_DEPARSER : last,
    };
  }

  /** Some packet reads the field before a table writes it, and may find anything. */
  beginsOpen(field: string): boolean {
    const known = this.#open.get(field) ?? this.#isOpen(field);
    this.#open.set(field, known);
    return known;
  }

  /**
   * The deparser finds the parser's zero where no table sets the field (p4c, phv/auto_init_metadata.cpp, DisableAutoInitMetadata). On chips whose
   * values for the deparser have a bit that says whether they are there, it looks at that.
   */
  #beginsAsZero(field: string): boolean {
    const { requests, model, target } = this.input;
    if (!model.hasEgressParser || target.phv.deparser_validity_shared || !model.forDeparser.has(field))
      return false;
    if (requests.of(this.gress, field)?.isSetFirst === true || isValidByContainer(field)) return false;
    return requests.zeroesMetadata || field.endsWith(".drop_ctl");
  }

  #isOpen(field: string): boolean {
    const { requests, model } = this.input;
    if (field === DROP_SESSION) return true;
    if (requests.of(this.gress, field)?.isSetFirst === true) return true;
    const info = model.fields.get(field);
    if (requests.zeroesMetadata || info === undefined || !info.metadata || info.intrinsic) return false;
    if (model.firstZeros.has(field)) return false;
    if (field.endsWith("$") || model.forDeparser.has(field) || model.parser.sets(this.gress).has(field))
      return false;
    return (this.#readers.get(field) ?? []).some((unit) => !this.#isSet(field, unit));
  }

  #comesFromParser(field: string): boolean {
    const { model } = this.input;
    const info = model.fields.get(field);
    if (info === undefined || info.intrinsic) return true;
    if (!info.metadata) return model.parser.isCarried(this.gress, info.header) && !this.#isOfMade(field);
    // What the architecture gives, which nothing writes.
    return !this.#writers.has(field);
  }

  /** The field holds nothing before a table writes it, and without such a table nothing before the deparser (p4c, phv/analysis/meta_live_range.cpp). */
  #isOfMade(field: string): boolean {
    const { fields, parser } = this.input.model;
    const info = fields.get(field);
    return info !== undefined && !info.metadata && parser.isMadeByTables(this.gress, info.header);
  }

  #goesToDeparser(field: string): boolean {
    const { parser, fields, forDeparser } = this.input.model;
    const info = fields.get(field);
    if (forDeparser.has(field) || parser.reads(this.gress).has(field) || field.endsWith("$")) return true;
    if (info !== undefined && !info.metadata) return parser.isSent(this.gress, info.header);
    return !this.#readers.has(field);
  }

  /** Every way to the unit sets the whole field before. */
  #isSet(field: string, reader: Unit): boolean {
    const width = this.input.model.fields.get(field)?.width ?? 1;
    const open = [reader.id];
    const seen = new Set(open);
    while (open.length > 0) {
      const id = open.pop()!;
      const befores = this.#predecessors.get(id);
      // The first unit of its thread.
      if (befores === undefined) return false;
      for (const before of befores) {
        if (
          seen.has(before) ||
          setsOn(this.input.model.flow, this.input.model.units[before]!, id, field, width)
        )
          continue;
        seen.add(before);
        open.push(before);
      }
    }
    return true;
  }
}

/** Each action of the unit that leads to the next one writes all of the field. */
function setsOn(flow: Flow, unit: Unit, next: number, field: string, width: number): boolean {
  const leading = unit.actions.filter((_, action) => flow.leads(unit.id, action, next));
  return (
    leading.length > 0 && leading.every(({ writes }) => writes.some((one) => isWhole(one, field, width)))
  );
}

const isWhole = (access: Access, field: string, width: number): boolean =>
  access.field === field && access.lo === 0 && access.width >= width;

function add(map: Map<string, Unit[]>, field: string, unit: Unit): void {
  const list = map.get(field);
  if (list === undefined) map.set(field, [unit]);
  else if (list.at(-1) !== unit) list.push(unit);
}
