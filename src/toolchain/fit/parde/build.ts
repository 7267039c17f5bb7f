/** The hardware's parser of a program: states of the packet, divided, with what each select needs of the match registers. */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { Destinations } from "./destinations.js";
import type { HardwareState, Match, Row, Save, Work } from "./machine.js";
import { NO_WORK } from "./machine.js";
import type { KeyPart, PacketState } from "./packet.js";
import { type ParserChip, splitState } from "./split.js";

/** A state while it is built. */
interface Draft {
  readonly name: string;
  readonly source: bmv2.SourceInfo | undefined;
  /** Of a state of the packet: the key, with places from where this part of it begins. */
  readonly key: readonly KeyPart[];
  readonly rows: { -readonly [K in keyof Row]: K extends "saves" ? Save[] : Row[K] }[];
}

/** A part of a state of the packet, by its draft. */
interface Built {
  readonly draft: number;
  readonly start: number;
}

export type BuiltMachine =
  | { readonly states: readonly HardwareState[] }
  | { readonly tooFar: string; readonly source: bmv2.SourceInfo | undefined };

/** Builds the states, the first one first. */
export function buildMachine(
  states: readonly PacketState[],
  destinations: Destinations,
  chip: ParserChip,
): BuiltMachine {
  const drafts: Draft[] = [];
  const builts: Built[][] = [];
  const counts: number[] = [];
  const all = states.map((state) =>
    splitState(state, destinations.writesOf(state), destinations.pastOf(state), chip),
  );
  for (const parts of all) counts.push(parts?.length ?? 0);
  const first = counts.map((_, i) => counts.slice(0, i).reduce((sum, count) => sum + count, 0));
  for (const state of states) {
    const parts = all[state.id];
    if (parts === undefined) return { tooFar: state.names.join(" + "), source: state.source };
    const own: Built[] = [];
    for (const [i, { start, shift, work }] of parts.entries()) {
      const isLast = i === parts.length - 1;
      own.push({ draft: drafts.length, start });
      drafts.push({
        name: state.names.join(" + ") + (i === 0 ? "" : ` (part ${i + 1})`),
        source: state.source,
        key: isLast ? state.key.map((part) => moved(part, start)) : [],
        rows: isLast
          ? state.branches.map(({ values, masks, set, to }) =>
              rowOf(work, shift, to === undefined ? undefined : defined(first[to]), { values, masks, set }),
            )
          : [rowOf(work, shift, drafts.length + 1)],
      });
    }
    builts.push(own);
  }
  const saving = new Saving(drafts, chip);
  saving.saveHere();
  saving.saveBefore(states, builts);
  return { states: saving.drafts.map(finished) };
}

const moved = (part: KeyPart, start: number): KeyPart =>
  part.at === undefined ? part : { ...part, at: part.at - 8 * start };

function rowOf(
  work: Work,
  shift: number,
  to: number | undefined,
  { values, masks, set }: Pick<Row, "values" | "masks" | "set"> = { values: [], masks: [], set: undefined },
): Draft["rows"][number] {
  return { ...work, values, masks, set, saves: [], shift, to };
}

function finished({ name, source, key, rows }: Draft): HardwareState {
  const match = key.map(({ slot, width, isCounter }): Match => ({ slot, width, isCounter }));
  return { name, source, match, rows };
}

/** Match registers are loaded a cycle before the rows compare them. */
class Saving {
  constructor(
    readonly drafts: Draft[],
    readonly chip: ParserChip,
  ) {}

  /** Drafts that were put before the first one: 0 or 1. */
  #before = 0;

  /** Values of the packet that a state takes itself: the state before loads them, or one in between where it does not see so far. */
  saveHere(): void {
    const [first] = this.drafts;
    if (first?.key.some(({ at, isCounter }) => at !== undefined && !isCounter) === true)
      this.#putFirst(first.name, first.source);
    for (const [id, { key }] of [...this.drafts.entries()]) {
      const own = key.filter(({ at, isCounter }) => at !== undefined && !isCounter);
      const end = Math.max(0, ...own.map(({ at, width }) => defined(at) + width));
      for (const [from, row] of this.#edgesTo(id)) {
        let last = row;
        if (own.length > 0 && 8 * row.shift + end > 8 * this.chip.buffer_bytes)
          last = this.#stall(from, row, id);
        for (const { slot, at, width } of own)
          this.#save(last === row ? from : -1, last, { slot, at: defined(at), width });
      }
    }
  }

  /** A state before the first one, where the first one has a select. */
  #putFirst(name: string, source: bmv2.SourceInfo | undefined): void {
    for (const { rows } of this.drafts) for (const row of rows) if (row.to !== undefined) row.to++;
    this.#before = 1;
    this.drafts.unshift({ name: `before ${name}`, source, key: [], rows: [rowOf(NO_WORK, 0, 1)] });
  }

  #edgesTo(id: number): [number, Draft["rows"][number]][] {
    return this.drafts.flatMap(({ rows }, from) =>
      rows.filter(({ to }) => to === id).map((row): [number, Draft["rows"][number]] => [from, row]),
    );
  }

  /** A state that only waits, so that what it loads is in sight. */
  #stall(from: number, row: Draft["rows"][number], to: number): Draft["rows"][number] {
    const waits = rowOf(NO_WORK, 0, to);
    row.to = this.drafts.length;
    const { name, source } = defined(this.drafts[from]);
    this.drafts.push({ name: `after ${name}`, source, key: [], rows: [waits] });
    return waits;
  }

  /** Loads bits that count from the end of a row; where they are behind its state, an earlier one does. */
  #save(state: number, row: Draft["rows"][number], { slot, at, width }: Save): void {
    const here = at + 8 * row.shift;
    if (here >= 0) {
      if (!row.saves.some((one) => one.slot === slot)) row.saves.push({ slot, at: here, width });
      return;
    }
    const id = state >= 0 ? state : this.drafts.findIndex(({ rows }) => rows.includes(row));
    for (const [from, before] of this.#edgesTo(id)) this.#save(from, before, { slot, at: here, width });
  }

  /** Values that an earlier state of the packet takes. */
  saveBefore(states: readonly PacketState[], builts: readonly (readonly Built[])[]): void {
    const wanted = new Set(
      this.drafts.flatMap(({ key }) =>
        key.filter(({ at, isCounter }) => at === undefined && !isCounter).map(({ slot }) => slot),
      ),
    );
    for (const state of states)
      for (const { field, at, width } of state.taken) {
        if (!wanted.has(field)) continue;
        const built = defined(builts[state.id]).findLast(
          ({ start }) => 8 * start <= at && at + width <= 8 * (start + this.chip.buffer_bytes),
        );
        if (built === undefined) continue;
        for (const { saves } of defined(this.drafts[built.draft + this.#before]).rows)
          if (!saves.some(({ slot }) => slot === field))
            saves.push({ slot: field, at: at - 8 * built.start, width });
      }
  }
}
