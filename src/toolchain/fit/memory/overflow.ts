/**
 * Memories beside an ALU, and action data, in the array of SRAM. Each starts on a row of its own, its home, whose ALU or action bus it takes,
 * and goes on in the rows below: the data of one memory at a time goes up there, over at most five rows (p4c, mau/tofino/memories.cpp,
 * allocate_all_swbox_users). Counters start on even rows, the other ALUs are on odd ones. Action data can start again on another row.
 */
import type { ArrayUse, BlockArray } from "./blocks.js";
import { COLUMNS, countBits, LEFT_COLUMNS, ROWS, sideMask } from "./blocks.js";

/** Rows that data goes up to its home (MAX_DATA_SWBOX_ROWS). */
const REACH = 5;
/** The first row above the middle, where Tofino 2 has no way down. */
const MIDDLE = 4;
const MAP_COLUMNS = COLUMNS - LEFT_COLUMNS;
const MAP_MASK = (1 << MAP_COLUMNS) - 1;
/** Blocks of one ALU within a half of the rows (MAX_STATS_RAM_PER_ALU, MAX_METERS_RAM_PER_ALU, MAX_METERS_COLOR_MAPRAM_PER_ALU). */
const HALF_STATISTICS = 18;
const HALF_METER = 24;
const HALF_COLOURS = 5;
const COLOURS_PER_MAP = 4;

/** What is placed from one home down. */
interface Group {
  readonly owner: string;
  /** Which of the words side by side, or of the ALUs, it is. */
  readonly section: number;
  readonly kind: "action" | "statistics" | "meter" | "selector";
  rest: number;
  colours: number;
  /** The row where it starts, once it does. */
  home: number | undefined;
  readonly hasResult: boolean;
  /** Action data that a selector chooses among, and the selector of action data. */
  readonly chosen: Group[];
  selector: Group | undefined;
}

/** A group on a half row, with the blocks and map RAMs that it takes there. */
interface Taking {
  readonly group: Group;
  readonly bus: "action" | "alu" | "overflow";
  columns: number;
  colours: number;
}

const isAlu = ({ kind }: Group): boolean => kind !== "action";
const isDone = ({ rest, colours }: Group): boolean => rest === 0 && colours === 0;
const restWithChosen = ({ rest, chosen }: Group): number => chosen.reduce((sum, one) => sum + one.rest, rest);

export class Overflow {
  readonly #action: Group[] = [];
  readonly #alu: Group[] = [];
  /** Groups that started in this half of the rows and end in it (Tofino 2). */
  readonly #inHalf = new Set<Group>();
  /** The group that goes on in the next row, and the selector whose address goes down. */
  #current: Group | undefined;
  #selecting: Group | undefined;

  constructor(
    private readonly array: BlockArray,
    uses: readonly ArrayUse[],
    private readonly isSplit: boolean,
  ) {
    for (const [table, use] of uses.entries()) this.#add(use, table);
  }

  #add({ action, alu }: ArrayUse, table: number): void {
    const group = (
      own: Pick<Group, "owner" | "section" | "kind" | "rest">,
      more: Partial<Group> = {},
    ): Group => ({
      ...own,
      colours: 0,
      home: undefined,
      hasResult: false,
      chosen: [],
      selector: undefined,
      ...more,
    });
    for (const memory of alu) {
      const { name, kind, hasResult } = memory;
      for (const [section, { blocks: rest, colours }] of this.#halves(memory).entries())
        this.#alu.push(group({ owner: name, section, kind, rest }, { hasResult, colours }));
    }
    for (const { depth, width, selector } of action)
      for (let section = 0; section < width; section++) {
        const chooser = this.#alu.find(({ kind, owner }) => kind === "selector" && owner === selector);
        const own = { owner: `${table}`, section, kind: "action" as const, rest: depth };
        const data = group(own, { selector: chooser });
        chooser?.chosen.push(data);
        this.#action.push(data);
      }
  }

  /** A counter or meter that no half of the rows holds takes two ALUs, each with a spare. */
  #halves({
    kind,
    blocks,
    colours,
    isDirect,
  }: ArrayUse["alu"][number]): { blocks: number; colours: number }[] {
    if (!this.isSplit || isDirect) return [{ blocks, colours }];
    if (kind === "statistics" && blocks > HALF_STATISTICS)
      return [
        { blocks: HALF_STATISTICS, colours: 0 },
        { blocks: blocks - HALF_STATISTICS, colours: 0 },
      ];
    const most = colours > 0 ? HALF_METER - HALF_COLOURS : HALF_METER;
    if (kind !== "meter" || blocks <= most) return [{ blocks, colours }];
    let top = blocks;
    while (top > most) top -= COLOURS_PER_MAP;
    const above = colours > 0 ? Math.ceil((top - 1) / COLOURS_PER_MAP) : 0;
    return [
      { blocks: top, colours: above },
      { blocks: blocks - top + 1, colours: colours - above },
    ];
  }

  /** Places all groups, from the top row down; false where some have no place. */
  place(): boolean {
    for (let row = ROWS - 1; row >= 0; row--) {
      let below: Group | undefined;
      for (const isRight of [true, false]) {
        const taken = this.array.free(row, sideMask(isRight)) === 0 ? [] : this.#halfRow(row, isRight);
        if (isRight) below = this.#aluBelow(taken);
        this.#current = this.#actionBelow(taken);
        this.#selecting = this.#selectingBelow(taken);
      }
      this.#current = below ?? this.#current;
      if (!this.#isInReach(row)) return false;
      if (this.isSplit && row === MIDDLE) {
        if ([...this.#inHalf].some((group) => !isDone(group))) return false;
        this.#current = undefined;
        this.#inHalf.clear();
      }
    }
    return this.#action.length === 0 && this.#alu.length === 0;
  }

  /** Action data whose home is too far starts again; an ALU cannot. */
  #isInReach(row: number): boolean {
    const current = this.#current;
    if (current?.home === undefined || current.home - REACH !== row) return true;
    if (isAlu(current)) return current.rest === 0;
    this.#current = undefined;
    return true;
  }

  #aluBelow(taken: readonly Taking[]): Group | undefined {
    const started = taken.find(({ bus }) => bus === "alu")?.group;
    if (started !== undefined && !isDone(started)) return started;
    return this.#current !== undefined && isAlu(this.#current) && !isDone(this.#current)
      ? this.#current
      : undefined;
  }

  #actionBelow(taken: readonly Taking[]): Group | undefined {
    if (this.#current !== undefined && !isAlu(this.#current) && this.#current.rest > 0) return this.#current;
    const started = taken.find(({ bus }) => bus === "action")?.group;
    return started !== undefined && started.rest > 0 ? started : undefined;
  }

  #selectingBelow(taken: readonly Taking[]): Group | undefined {
    const isOpen = ({ chosen }: Group) => chosen.some(({ rest }) => rest > 0);
    if (this.#selecting !== undefined && isOpen(this.#selecting)) return this.#selecting;
    const started = taken.find(({ bus }) => bus === "alu")?.group;
    return started !== undefined && started.kind === "selector" && isOpen(started) ? started : undefined;
  }

  /** Half of a row: the memories beside ALUs first, on the right, then action data. */
  #halfRow(row: number, isRight: boolean): Taking[] {
    const taken: Taking[] = [];
    if (isRight) {
      taken.push(...this.#aluUsers(row, this.#freeForAlu(row)));
      this.#takeColumns(taken, row, isRight, this.#freeForAlu(row));
      this.#takeColours(taken, row);
    }
    const alu = taken.filter((one) => one.columns > 0 || one.colours > 0);
    const started = alu.find(({ bus }) => bus === "alu")?.group;
    const used = alu.reduce((sum, { columns }) => sum + countBits(columns), 0);
    const free = this.array.free(row, sideMask(isRight)) - used;
    const data = this.#actionUsers({ row, isRight, free, started });
    this.#takeColumns(data, row, isRight, free, alu);
    const all = [...alu, ...data.filter(({ columns }) => columns > 0)];
    for (const one of all) this.#commit(one, row, isRight);
    return all;
  }

  /** Blocks on the right for ALUs: a meter that goes on keeps map RAMs for its colours (determine_synth_RAMs). */
  #freeForAlu(row: number): number {
    const right = sideMask(true);
    const free = this.array.free(row, right);
    const current = this.#current;
    if (current?.kind !== "meter" || current.colours === 0) return free;
    const own = Math.min(free, current.rest);
    const kept = Math.max(current.colours - countBits(this.array.used[row]! & right), 0);
    return own + Math.max(free - own - kept, 0);
  }

  #aluUsers(row: number, free: number): Taking[] {
    const current = this.#current !== undefined && isAlu(this.#current) ? this.#current : undefined;
    let largest: Group | undefined;
    let whole: Group | undefined;
    for (const group of this.#alu) {
      if (group === this.#current) continue;
      if ((group.kind === "statistics") !== (row % 2 === 0)) continue;
      if (!this.#mayStart(group, row) || (group.kind === "selector" && this.#selecting !== undefined))
        continue;
      if (!this.#isInHalf(group, { row, isRight: true, free, started: undefined })) continue;
      if (largest === undefined || restWithChosen(largest) < restWithChosen(group)) largest = group;
      if ((group.kind === "meter" && group.colours > 0) || !this.#leavesRoom(group, row)) continue;
      if (free > group.rest && (whole === undefined || group.rest > whole.rest)) whole = group;
    }
    const users: Taking[] = [];
    const fills = current !== undefined && whole !== undefined && current.rest + whole.rest >= free;
    if (fills) users.push(taking(whole!, "alu"));
    if (current !== undefined) users.push(taking(current, "overflow"));
    if (largest !== undefined && !fills) users.push(taking(largest, "alu"));
    return users;
  }

  #actionUsers(place: HalfRow): Taking[] {
    const { free, started } = place;
    const current = this.#current !== undefined && !isAlu(this.#current) ? this.#current : undefined;
    let largest: Group | undefined;
    let whole: Group | undefined;
    for (const group of this.#action) {
      if (group === this.#current || (started?.hasResult === true && started.rest > 0)) continue;
      if (group.selector !== undefined && group.selector !== this.#selecting && group.selector !== started)
        continue;
      if (!this.#isInHalf(group, place)) continue;
      if (largest === undefined || this.#isBefore(group, largest)) largest = group;
      if (free > group.rest && (whole === undefined || group.rest > whole.rest)) whole = group;
    }
    const users: Taking[] = [];
    const selects =
      this.isSplit &&
      current !== undefined &&
      largest !== undefined &&
      (started?.kind === "selector" ||
        (this.#selecting !== undefined && current.selector !== this.#selecting));
    if (selects) users.push(taking(largest!, "action"));
    const fills =
      !selects && current !== undefined && whole !== undefined && current.rest + whole.rest >= free;
    if (fills) users.push(taking(whole!, "action"));
    if (current !== undefined) users.push(taking(current, "overflow"));
    if (largest !== undefined && !selects && !fills) users.push(taking(largest, "action"));
    return users;
  }

  /** Action data of a selector comes first where it has to stay in a half of the rows. */
  #isBefore(group: Group, largest: Group): boolean {
    const [own, other] = [group.selector !== undefined, largest.selector !== undefined];
    return this.isSplit && own !== other ? own : largest.rest < group.rest;
  }

  /** The rows down to the last one in reach have room, beside what the group that goes on still needs. */
  #mayStart({ rest }: Group, row: number): boolean {
    const lowest = this.isSplit ? Math.floor(row / MIDDLE) * MIDDLE : Math.max(row - REACH, 0);
    const current = this.#current;
    const taken =
      current !== undefined && isAlu(current)
        ? current.rest + (current.kind === "meter" ? current.colours : 0)
        : 0;
    return this.#freeRight(row, lowest) - taken >= rest;
  }

  /** The memory that goes on keeps enough room within its own reach. */
  #leavesRoom({ rest }: Group, row: number): boolean {
    const current = this.#current;
    if (current === undefined || !isAlu(current)) return true;
    const from = current.home ?? row;
    const lowest = this.isSplit ? Math.floor(row / MIDDLE) * MIDDLE : Math.max(from - REACH, 0);
    return this.#freeRight(row, lowest) >= rest + current.rest;
  }

  #freeRight(highest: number, lowest: number): number {
    let free = 0;
    for (let row = highest; row >= lowest; row--) free += this.array.free(row, sideMask(true));
    return free;
  }

  /** On a chip whose rows are in two halves: the rest of the half has room for the group and all that started in it. */
  #isInHalf(group: Group, { row, isRight, free, started }: HalfRow): boolean {
    if (!this.isSplit || this.#inHalf.has(group)) return true;
    const need = { alu: 0, maps: 0, action: 0 };
    if (started?.kind === "selector") {
      if (group.selector === started) return true;
      need.action += restWithChosen(started) - started.rest;
    }
    for (const one of this.#inHalf) {
      if (isAlu(one)) {
        need.alu += one.rest;
        need.maps += one.rest + one.colours;
      } else need.action += one.rest;
    }
    const own = { alu: 0, maps: 0, action: 0 };
    if (isAlu(group)) {
      own.alu = group.rest;
      own.maps = group.rest + group.colours;
      if (group.kind === "selector") own.action = restWithChosen(group) - group.rest;
    } else own.action = group.rest;
    const room = { alu: isRight ? free : 0, maps: 0, all: free };
    const lowest = Math.floor(row / MIDDLE) * MIDDLE;
    for (let at = row; at >= lowest; at--) {
      room.maps += countBits(MAP_MASK & ~this.array.usedMaps[at]!);
      if (isRight && at === row) room.all += this.array.free(at, sideMask(false));
      if (at === row) continue;
      room.alu += this.array.free(at, sideMask(true));
      room.all += this.array.free(at, sideMask(true)) + this.array.free(at, sideMask(false));
    }
    if (own.alu + need.alu > room.alu || own.maps + need.maps > room.maps) return false;
    const isWithin = own.alu + need.alu + own.action + need.action <= room.all;
    return isWithin || (!isAlu(group) && need.action === 0);
  }

  /** Free columns from the left for each user in turn, up to `most` together. */
  #takeColumns(
    users: readonly Taking[],
    row: number,
    isRight: boolean,
    most: number,
    before: readonly Taking[] = [],
  ): void {
    let used = this.array.used[row]!;
    for (const { columns } of before) used |= columns;
    let left = most;
    const side = sideMask(isRight);
    for (const user of users)
      for (
        let column = 0;
        column < COLUMNS && left > 0 && countBits(user.columns) < user.group.rest;
        column++
      ) {
        const bit = 1 << column;
        if ((side & bit) === 0 || (used & bit) !== 0) continue;
        used |= bit;
        user.columns |= bit;
        left--;
      }
  }

  /** Map RAMs for colours: of the meter that goes on first, of one that starts when that is done (determine_color_map_RAM_masks). */
  #takeColours(users: readonly Taking[], row: number): void {
    let used = this.array.usedMaps[row]!;
    for (const { columns } of users) used |= columns >> LEFT_COLUMNS;
    const take = (user: Taking) => {
      for (let map = 0; map < MAP_COLUMNS && countBits(user.colours) < user.group.colours; map++) {
        if ((used >> map) & 1) continue;
        used |= 1 << map;
        user.colours |= 1 << map;
      }
    };
    let isFinished = true;
    for (const user of users.filter(({ bus }) => bus === "overflow")) {
      if (user.group.kind === "meter") take(user);
      isFinished =
        countBits(user.columns) === user.group.rest && countBits(user.colours) === user.group.colours;
    }
    for (const user of users.filter(({ bus, group }) => bus === "alu" && group.kind === "meter"))
      if (isFinished && user.columns !== 0) take(user);
  }

  #commit({ group, bus, columns, colours }: Taking, row: number, isRight: boolean): void {
    if (columns !== 0 && bus !== "overflow") group.home = row;
    const { owner, section, home = row } = group;
    for (let column = 0; column < COLUMNS; column++) {
      const isHere = ((columns >> column) & 1) !== 0;
      if (isHere)
        this.array.take({ owner, kind: isAlu(group) ? "alu" : "action", row, column, section, home });
      if (column >= LEFT_COLUMNS && (colours >> (column - LEFT_COLUMNS)) & 1)
        this.array.take({ owner, kind: "colours", row, column, section, home });
    }
    if (isAlu(group)) this.array.usedMaps[row]! |= columns >> LEFT_COLUMNS;
    group.rest -= countBits(columns);
    group.colours -= countBits(colours);
    const list = isAlu(group) ? this.#alu : this.#action;
    if (isDone(group) && list.includes(group)) list.splice(list.indexOf(group), 1);
    if (bus !== "alu" || !isRight) return;
    this.#inHalf.add(group);
    for (const one of group.chosen) this.#inHalf.add(one);
  }
}

interface HalfRow {
  readonly row: number;
  readonly isRight: boolean;
  readonly free: number;
  /** The ALU that starts on this row. */
  readonly started: Group | undefined;
}

const taking = (group: Group, bus: Taking["bus"]): Taking => ({ group, bus, columns: 0, colours: 0 });
