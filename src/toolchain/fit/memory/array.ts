/**
 * The array of SRAM of a stage: 8 rows of 10 blocks, four columns on the left and six on the right, which have a map RAM each. The compiler
 * fills it greedily (p4c, mau/tofino/memories.cpp, allocate_all): entries by hash ways, then the data of ternary entries, then what has an
 * ALU or is action data (overflow.ts). When that fails, entries get one more column, until they have all. A set of memories that this order
 * does not place needs another stage, also where another order would place it.
 */
import { compareRanks, defined } from "../../../base/index.js";
import {
  ALL_MASK,
  type ArrayUse,
  type Block,
  BlockArray,
  COLUMNS,
  countBits,
  LEFT_COLUMNS,
  LEFT_MASK,
  ROWS,
  sideMask,
} from "./blocks.js";
import { Overflow } from "./overflow.js";

/** Blocks side by side that one logical table of partitions takes at most: half of a row. */
const HALF_COLUMNS = 5;
const HALF_MASK = (1 << HALF_COLUMNS) - 1;
const SEARCH_BUSES = 2;
const INDIRECTION_BUSES = 2;

/** A way that is being placed. */
interface Placing {
  readonly table: number;
  readonly width: number;
  rest: number;
}

/**
 * The blocks of the memories of a stage; undefined where the compiler's order leaves some without a place.
 * @param isSplit nothing overflows between rows 3 and 4 (Tofino 2)
 */
export function arranged(uses: readonly ArrayUse[], isSplit: boolean): readonly Block[] | undefined {
  for (
    let mask: number | undefined = firstColumns(uses);
    mask !== undefined;
    mask = moreColumns(uses, mask)
  ) {
    const array = new BlockArray();
    const buses = Array.from({ length: ROWS }, (): string[] => []);
    const isPlaced =
      new Partitions(array, buses).place(uses) &&
      new Entries(array, buses, mask).place(uses) &&
      placeIndirection(array, uses) &&
      new Overflow(array, uses, isSplit).place();
    if (isPlaced) return array.blocks;
  }
  return undefined;
}

interface Balance {
  left: number;
  right: number;
}

/** Blocks that stand on one side, in the columns that the compiler counts for them. */
function sidesOf(uses: readonly ArrayUse[]): Balance {
  const left = uses.reduce((sum, { indirection }) => sum + indirection, 0);
  const right = uses.reduce((sum, { alu }) => sum + alu.reduce((all, { blocks }) => all + blocks, 0), 0);
  return { left, right };
}

const columnsOf = (blocks: number): number => Math.ceil(blocks / COLUMNS);

/** The columns of entries that leave most to the others (calculate_column_balance). */
function firstColumns(uses: readonly ArrayUse[]): number {
  const sides = sidesOf(uses);
  const given = { ...sides };
  const action = uses.reduce(
    (sum, one) => sum + one.action.reduce((all, { depth, width }) => all + depth * width, 0),
    0,
  );
  let isRight = true;
  while (columnsOf(sides.left + sides.right + action) > given.left + given.right) {
    if (isRight) given.right++;
    else given.left++;
    isRight = !isRight;
  }
  const words = uses.reduce((sum, { ways }) => sum + ways.reduce((all, { depth }) => all + depth, 0), 0);
  const least = Math.min(columnsOf(words), COLUMNS);
  while (least > COLUMNS - (given.left + given.right)) cut(given, sides);
  return maskOf(given);
}

/** One more column of entries; undefined where they have all. */
function moreColumns(uses: readonly ArrayUse[], mask: number): number | undefined {
  if (countBits(mask) === COLUMNS) return undefined;
  const given = { left: countBits(LEFT_MASK & ~mask), right: countBits(sideMask(true) & ~mask) };
  cut(given, sidesOf(uses));
  return maskOf(given);
}

/** Takes a column from the side that has more than it needs. */
function cut(given: Balance, sides: Balance): void {
  const [left, right] = [columnsOf(sides.left), columnsOf(sides.right)];
  const hasLeft = given.left > left;
  const hasRight = given.right > right;
  if (hasLeft || (!hasRight && given.left > 0)) given.left--;
  else given.right--;
}

function maskOf({ left, right }: Balance): number {
  let mask = 0;
  for (let i = 0; i < LEFT_COLUMNS - left; i++) mask |= 1 << i;
  for (let i = LEFT_COLUMNS; i < COLUMNS - right; i++) mask |= 1 << i;
  return mask;
}

/** Words of several blocks: in one column, on rows with a free search bus for each. */
class Words {
  constructor(
    protected readonly array: BlockArray,
    private readonly buses: readonly string[][],
  ) {}

  protected hasBus(row: number, table: number, section: number): boolean {
    const buses = defined(this.buses[row]);
    return buses.length < SEARCH_BUSES || buses.includes(busOf(table, section));
  }

  protected sharesBus(row: number, table: number, section: number): boolean {
    return defined(this.buses[row]).includes(busOf(table, section));
  }

  protected isBusFree(row: number): boolean {
    return defined(this.buses[row]).length < SEARCH_BUSES;
  }

  /** Rows for the first section, the best one first. */
  protected firstRows(
    { table, width }: Placing,
    mask: number,
    isBetter: (free: number) => boolean,
  ): number[] {
    const rows = Array.from({ length: ROWS }, (_, row) => row).filter(
      (row) => this.hasBus(row, table, width - 1) && this.array.free(row, mask) > 0,
    );
    const rank = (row: number) => [
      isBetter(this.array.free(row, mask)) ? 0 : 1,
      this.sharesBus(row, table, width - 1) ? 0 : 1,
      -this.array.free(row, mask),
      -row,
    ];
    return rows.sort((a, b) => compareRanks(rank(a), rank(b)));
  }

  /** Places what the row holds of the way, the other blocks of its words on other rows. False: there are none. */
  protected fill(way: Placing, row: number, mask: number): boolean {
    let columns = 0;
    for (let column = 0; column < COLUMNS && countBits(columns) < way.rest; column++)
      if ((mask >> column) & 1 & ~(this.array.used[row]! >> column)) columns |= 1 << column;
    const rows = [row];
    for (let section = way.width - 2; section >= 0; section--) {
      const next = this.nextRow(way.table, section, columns, mask, rows);
      if (next === undefined) return false;
      rows.push(next);
    }
    for (const [i, at] of rows.entries()) {
      const section = way.width - 1 - i;
      const bus = busOf(way.table, section);
      const buses = defined(this.buses[at]);
      if (!buses.includes(bus)) buses.push(bus);
      for (let column = 0; column < COLUMNS; column++)
        if ((columns >> column) & 1)
          this.array.take({ owner: `${way.table}`, kind: "entries", row: at, column, section, home: at });
    }
    way.rest -= countBits(columns);
    return true;
  }

  private nextRow(
    table: number,
    section: number,
    columns: number,
    mask: number,
    taken: readonly number[],
  ): number | undefined {
    const rows = Array.from({ length: ROWS }, (_, row) => row).filter(
      (row) =>
        !taken.includes(row) && this.hasBus(row, table, section) && (columns & this.array.used[row]!) === 0,
    );
    const rank = (row: number) => [
      this.array.free(row, mask),
      this.sharesBus(row, table, section) ? 0 : 1,
      -row,
    ];
    return rows.sort((a, b) => compareRanks(rank(a), rank(b)))[0];
  }
}

/** A search bus of a row brings one section of one table's key. */
const busOf = (table: number, section: number): string => `${table} ${section}`;

/** Widest first, then deepest. */
function sorted(ways: Placing[]): Placing[] {
  return ways.sort((a, b) => b.width - a.width || b.rest - a.rest);
}

/** Entries of exact tables, way by way: each row that is begun is filled (find_best_row_and_fill_out). */
class Entries extends Words {
  constructor(
    array: BlockArray,
    buses: readonly string[][],
    private readonly mask: number,
  ) {
    super(array, buses);
  }

  place(uses: readonly ArrayUse[]): boolean {
    const ways = sorted(
      uses.flatMap(({ ways: list }, table) =>
        list.map(({ depth, width }) => ({ table, width, rest: depth })),
      ),
    );
    while (ways.length > 0) if (!this.#fillRow(ways)) return false;
    return true;
  }

  #fillRow(ways: Placing[]): boolean {
    const first = defined(ways[0]);
    const row = this.firstRows(first, this.mask, () => true)[0];
    if (row === undefined || !this.#fillWith(ways, 0, row)) return false;
    while (this.array.free(row, this.mask) > 0) {
      const next = this.#nextFor(ways, row, first.width - 1);
      if (next === undefined) return true;
      if (!this.#fillWith(ways, next, row)) return false;
    }
    return true;
  }

  /** The first way that uses a bus of the row, or the first way where a bus is free. */
  #nextFor(ways: readonly Placing[], row: number, section: number): number | undefined {
    const sharing = ways.findIndex(({ table }) => this.sharesBus(row, table, section));
    if (sharing !== -1) return sharing;
    return ways.length > 0 && this.isBusFree(row) ? 0 : undefined;
  }

  #fillWith(ways: Placing[], index: number, row: number): boolean {
    const way = defined(ways[index]);
    if (!this.fill(way, row, this.mask)) return false;
    if (way.rest === 0) ways.splice(index, 1);
    return true;
  }
}

/** Partitions, whole in half of a row (allocate_all_atcam). */
class Partitions extends Words {
  place(uses: readonly ArrayUse[]): boolean {
    const { left, right } = sidesOf(uses);
    const all = sorted(
      uses.flatMap(({ partitions }, table) =>
        partitions.map(({ depth, width }) => ({ table, width, rest: depth })),
      ),
    );
    while (all.length > 0) {
      const preferred = this.#prefersLeft(left, right) ? HALF_MASK : HALF_MASK << HALF_COLUMNS;
      if (!this.#placeOne(all, preferred) && !this.#placeOne(all, ALL_MASK & ~preferred)) return false;
    }
    return true;
  }

  #placeOne(all: Placing[], mask: number): boolean {
    const first = defined(all[0]);
    const row = this.firstRows(first, mask, (free) => free >= first.rest)[0];
    if (row === undefined || this.array.free(row, mask) < first.rest) return false;
    if (!this.fill(first, row, mask)) return false;
    all.shift();
    return true;
  }

  /** The side with more rows left, beside what has to stand there (best_partition_side). */
  #prefersLeft(left: number, right: number): boolean {
    const rows = { left: 0, right: 0 };
    const free = { left: LEFT_COLUMNS * ROWS - left, right: (COLUMNS - LEFT_COLUMNS) * ROWS - right };
    for (const used of this.array.used) {
      const [onLeft, onRight] = [countBits(used & LEFT_MASK), countBits(used & ~LEFT_MASK)];
      if (onLeft > 0) rows.left++;
      if (onRight > 0) rows.right++;
      free.left -= onLeft;
      free.right -= onRight;
    }
    if (rows.left === ROWS) return false;
    if (rows.right === ROWS) return true;
    return Math.trunc(free.right / (COLUMNS - LEFT_COLUMNS)) < Math.trunc(free.left / LEFT_COLUMNS);
  }
}

/** Data of ternary entries: on the left, on the emptiest rows, two tables a row (allocate_all_tind). */
function placeIndirection(array: BlockArray, uses: readonly ArrayUse[]): boolean {
  const buses = Array.from({ length: ROWS }, () => new Set<number>());
  const groups = uses
    .map(({ indirection }, table) => ({ table, indirection }))
    .filter(({ indirection }) => indirection > 0)
    .sort((a, b) => b.indirection - a.indirection);
  for (const { table, indirection } of groups)
    for (let block = 0; block < indirection; block++) {
      const rank = (row: number) => [
        -array.free(row, LEFT_MASK),
        defined(buses[row]).has(table) ? 0 : 1,
        row,
      ];
      const row = Array.from({ length: ROWS }, (_, i) => i)
        .filter((i) => defined(buses[i]).size < INDIRECTION_BUSES || defined(buses[i]).has(table))
        .sort((a, b) => compareRanks(rank(a), rank(b)))[0];
      if (row === undefined || array.free(row, LEFT_MASK) === 0) return false;
      defined(buses[row]).add(table);
      const column = [0, 1, 2, 3].find((one) => !((array.used[row]! >> one) & 1));
      array.take({
        owner: `${table}`,
        kind: "indirection",
        row,
        column: defined(column),
        section: 0,
        home: row,
      });
    }
  return true;
}
