/** The blocks of the array of SRAM of a stage, and what tables have there. Rows and columns: p4c, mau/tofino/memories.h. */
export const ROWS = 8;
export const COLUMNS = 10;
export const LEFT_COLUMNS = 4;
export const LEFT_MASK = (1 << LEFT_COLUMNS) - 1;
export const ALL_MASK = (1 << COLUMNS) - 1;

/** Words of entries that one address reaches: `depth` of them, each of `width` blocks. */
export interface Way {
  readonly depth: number;
  readonly width: number;
}

/** A memory with an ALU beside it. */
export interface AluMemory {
  readonly name: string;
  readonly kind: "statistics" | "meter" | "selector";
  /** With the spare. */
  readonly blocks: number;
  /** Map RAMs for colours. */
  readonly colours: number;
  /** The ALU's result takes the row's action bus. */
  readonly hasResult: boolean;
  /** Beside the entries of a table: never split between two ALUs. */
  readonly isDirect: boolean;
}

/** Action data: `width` words side by side of `depth` blocks each. */
export interface ActionMemory {
  readonly depth: number;
  readonly width: number;
  /** The name of the selector that chooses among the data. */
  readonly selector?: string;
}

/** What one table has in the array. */
export interface ArrayUse {
  readonly ways: readonly Way[];
  /** Partitions of a logical table, which stand side by side in half of a row. */
  readonly partitions: readonly Way[];
  readonly indirection: number;
  readonly action: readonly ActionMemory[];
  readonly alu: readonly AluMemory[];
}

export const NOTHING_IN_ARRAY: ArrayUse = { ways: [], partitions: [], indirection: 0, action: [], alu: [] };

/** One block, or a map RAM for colours, which has the column of the block beside it: what it holds, and where. */
export interface Block {
  /** The number of the table among the uses, or the name of the memory beside an ALU. */
  readonly owner: string;
  readonly kind: "entries" | "indirection" | "action" | "alu" | "colours";
  readonly row: number;
  readonly column: number;
  /** Which of the blocks of a word it is. */
  readonly section: number;
  /** The row whose bus or ALU it belongs to. */
  readonly home: number;
}

/** The blocks in use, as the fill goes on. */
export class BlockArray {
  readonly used = new Array<number>(ROWS).fill(0);
  readonly usedMaps = new Array<number>(ROWS).fill(0);
  readonly blocks: Block[] = [];

  /** Free blocks of a row among these columns. */
  free(row: number, mask: number): number {
    return countBits(mask & ~this.used[row]!);
  }

  take(block: Block): void {
    if (block.kind === "colours") this.usedMaps[block.row]! |= 1 << (block.column - LEFT_COLUMNS);
    else this.used[block.row]! |= 1 << block.column;
    this.blocks.push(block);
  }
}

export function countBits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

export const sideMask = (isRight: boolean): number => (isRight ? ALL_MASK & ~LEFT_MASK : LEFT_MASK);
