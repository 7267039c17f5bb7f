/**
 * The instruction memory of a stage (p4c, backends/tofino/bf-p4c/mau/instruction_memory.cpp). A row holds two instructions of a gress, one a
 * colour, which write different containers. The first place of row 0 is the instruction that does nothing, which all tables share.
 */
import type { Gress } from "../model/model.js";

/** The instructions of a table: by action the containers that it writes, none for one that does nothing. */
export interface Instructions {
  readonly gress: Gress;
  readonly actions: readonly (readonly number[])[];
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

  add({ gress, actions }: Instructions): void {
    const rows = this.#rows[gress];
    const open = () => {
      const row = { written: new Set<number>(), count: rows.length === 0 ? 1 : 0 };
      rows.push(row);
      return row;
    };
    let hasNone = false;
    for (const writes of actions) {
      if (writes.length === 0 && !hasNone) {
        hasNone = true;
        if (rows.length === 0) open();
        continue;
      }
      let row = rows.find(
        ({ written, count }) => count < this.colours && !writes.some((container) => written.has(container)),
      );
      // A row of one place, whose place is taken by the instruction that does nothing, holds no other.
      while (row === undefined) {
        const next = open();
        if (next.count < this.colours) row = next;
      }
      row.count++;
      for (const container of writes) row.written.add(container);
    }
  }
}
