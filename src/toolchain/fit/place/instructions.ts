/**
 * The instruction memory of a stage (p4c, backends/tofino/bf-p4c/mau/instruction_memory.cpp). A row holds two instructions of a gress, one a
 * colour, which write different containers. The first place of row 0 is the instruction that does nothing, which all tables share.
 */
import { defined } from "../../../base/index.js";
import type { Gress } from "../model/model.js";

/** The instructions of a table: by action the containers that it writes, none for one that does nothing. */
export interface Instructions {
  readonly gress: Gress;
  readonly actions: readonly (readonly number[])[];
}

/** A row that an instruction takes. */
interface Place {
  readonly row: number;
  readonly writes: readonly number[];
}

interface Row {
  readonly written: Set<number>;
  count: number;
}

export class InstructionMemory {
  readonly #rows: Record<Gress, Row[]>;

  constructor(
    /** Instructions of a row. */
    readonly colours: number,
    from?: InstructionMemory,
  ) {
    const copy = (rows: readonly Row[]) =>
      rows.map(({ written, count }) => ({ written: new Set(written), count }));
    this.#rows =
      from === undefined
        ? { ingress: [], egress: [] }
        : { ingress: copy(from.#rows.ingress), egress: copy(from.#rows.egress) };
  }

  copy(): InstructionMemory {
    return new InstructionMemory(this.colours, this);
  }

  /** Rows in use by either gress. */
  get rows(): number {
    return Math.max(this.#rows.ingress.length, this.#rows.egress.length);
  }

  /** Rows in use by either gress once these instructions are there, too. */
  rowsWith(instructions: Instructions): number {
    const other = instructions.gress === "ingress" ? "egress" : "ingress";
    return Math.max(this.#planned(instructions).count, this.#rows[other].length);
  }

  add(instructions: Instructions): void {
    const rows = this.#rows[instructions.gress];
    const { count, places } = this.#planned(instructions);
    while (rows.length < count) rows.push({ written: new Set(), count: firstOf(rows.length) });
    for (const { row, writes } of places) {
      const { written } = defined(rows[row]);
      defined(rows[row]).count++;
      for (const container of writes) written.add(container);
    }
  }

  /** The rows that the instructions take, each the first with a place, and the number of rows then. */
  #planned({ gress, actions }: Instructions): { count: number; places: readonly Place[] } {
    const rows = this.#rows[gress];
    const places: Place[] = [];
    let count = rows.length;
    let hasNone = false;
    const hasPlace = (row: number, writes: readonly number[]) => {
      const here = places.filter((place) => place.row === row);
      const before = rows[row];
      if ((before?.count ?? firstOf(row)) + here.length >= this.colours) return false;
      return !writes.some(
        (one) => before?.written.has(one) === true || here.some((place) => place.writes.includes(one)),
      );
    };
    for (const writes of actions) {
      if (writes.length === 0 && !hasNone) {
        hasNone = true;
        count = Math.max(count, 1);
        continue;
      }
      // A row of one place, whose place is taken by the instruction that does nothing, holds no other.
      let row = 0;
      while (!hasPlace(row, writes)) row++;
      places.push({ row, writes });
      count = Math.max(count, row + 1);
    }
    return { count, places };
  }
}

/** Places of a row that are taken from the beginning: the instruction that does nothing is in row 0. */
function firstOf(row: number): number {
  return row === 0 ? 1 : 0;
}
