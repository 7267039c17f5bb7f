/**
 * The greedy placements of Jose et al. (NSDI'15, section 5) for RMT, on table graphs. Tables are taken in one of three
 * orders: FFD, decreasing share of the scarcest crossbar; FFL, decreasing level; FFLS, decreasing level weighted by the
 * stages that tables take. Each table goes to the earliest stages that dependencies allow, with as many entries as fit.
 * Match entries are packed in units of a few blocks; action data takes SRAM of the same stage.
 */
import { defined } from "../../../base/index.js";
import type { FitModel, Unit } from "../model/model.js";
import type { Target } from "../target.js";
import type { Problem } from "./placement.js";

export interface GraphTable {
  readonly name: string;
  readonly entries: number;
  /** Bits of the key. */
  readonly width: number;
  /** Bits of the widest action's data. */
  readonly actionBits: number;
  readonly kind: "exact" | "lpm" | "ternary";
}

export interface TableGraph {
  readonly tables: readonly GraphTable[];
  readonly dependencies: readonly {
    readonly from: number;
    readonly to: number;
    /** 1 for match and action dependencies, 0 for successors. */
    readonly distance: number;
  }[];
}

export type GreedyOrder = "ffd" | "ffl" | "ffls";

export interface GreedyResult {
  readonly stages: number;
  /** By table: entries in each of its stages and memories. */
  readonly parts: readonly (readonly {
    readonly stage: number;
    readonly memory: Memory;
    readonly entries: number;
    readonly blocks: number;
    readonly actionBlocks: number;
  }[])[];
}

type Memory = "sram" | "tcam";

const MAX_STAGES = 400;

interface PackingUnit {
  readonly blocks: number;
  readonly words: number;
}

interface Fit {
  readonly words: number;
  readonly blocks: number;
  readonly actionBlocks: number;
}

interface StageUse {
  sram: number;
  tcam: number;
  crossbar: Record<Memory, number>;
  actionBits: number;
}

/** Places the tables of a graph in the given order. */
export function placeGreedily(graph: TableGraph, target: Target, order: GreedyOrder): GreedyResult {
  return new Greedy(graph, target).place(order);
}

class Greedy {
  readonly #stages: StageUse[] = [];
  readonly #before: { from: number; distance: number }[][];
  readonly #below: number[];
  readonly #topological: number[];

  constructor(
    readonly graph: TableGraph,
    readonly target: Target,
  ) {
    const count = graph.tables.length;
    this.#before = Array.from({ length: count }, () => []);
    const outgoing: { to: number; distance: number }[][] = Array.from({ length: count }, () => []);
    const waiting = new Array<number>(count).fill(0);
    for (const { from, to, distance } of graph.dependencies) {
      defined(this.#before[to]).push({ from, distance });
      defined(outgoing[from]).push({ to, distance });
      waiting[to]!++;
    }
    this.#topological = [];
    const ready = graph.tables.map((_, i) => i).filter((i) => waiting[i] === 0);
    while (ready.length > 0) {
      const table = defined(ready.shift());
      this.#topological.push(table);
      for (const { to } of defined(outgoing[table])) if (--waiting[to]! === 0) ready.push(to);
    }
    this.#below = new Array<number>(count).fill(0);
    for (const table of [...this.#topological].reverse()) {
      for (const { to, distance } of defined(outgoing[table])) {
        this.#below[table] = Math.max(defined(this.#below[table]), defined(this.#below[to]) + distance);
      }
    }
  }

  #stage(index: number): StageUse {
    while (this.#stages.length <= index) {
      this.#stages.push({ sram: 0, tcam: 0, crossbar: { sram: 0, tcam: 0 }, actionBits: 0 });
    }
    return defined(this.#stages[index]);
  }

  #ranks(order: GreedyOrder): number[] {
    const { tables } = this.graph;
    if (order === "ffl") return this.#below;
    if (order === "ffd") {
      return tables.map((table) =>
        Math.max(this.#unitsOf(table) / this.#crossbarUnits("sram"), table.actionBits / this.#actionBits()),
      );
    }
    // A table counts for the number of stages that it fills alone.
    const weight = tables.map((table) => this.#stagesAlone(table));
    const rank = new Array<number>(tables.length).fill(0);
    for (const table of [...this.#topological].reverse()) {
      for (const [to, list] of this.#before.entries()) {
        for (const { from, distance } of list) {
          if (from === table)
            rank[table] = Math.max(
              defined(rank[table]),
              defined(rank[to]) + distance + defined(weight[table]),
            );
        }
      }
      rank[table] = Math.max(defined(rank[table]), defined(weight[table]));
    }
    return rank;
  }

  #stagesAlone(table: GraphTable): number {
    let left = table.entries;
    for (let stage = 0; stage < MAX_STAGES; stage++) {
      for (const memory of memories(table)) {
        const fit = this.#fitBlocks(table, memory, this.target.sram.blocks, this.target.tcam.blocks, 0);
        left -= fit.words;
        if (left <= 0) return stage;
      }
    }
    return MAX_STAGES;
  }

  #crossbarUnits(memory: Memory): number {
    const { exact_crossbar_bytes: exact, ternary_crossbar_bytes: ternary } = this.target.per_stage;
    const bytes = memory === "sram" ? exact : ternary;
    const unit = this.target.exact.crossbar_unit_bits;
    return bytes === null || unit === null ? Number.POSITIVE_INFINITY : Math.floor((bytes * 8) / unit);
  }

  /** Crossbar units of a table's key. */
  #unitsOf(table: GraphTable): number {
    const unit = this.target.exact.crossbar_unit_bits;
    return unit === null ? 0 : Math.ceil(table.width / unit);
  }

  #actionBits(): number {
    return (this.target.per_stage.action_bus_bytes ?? Number.POSITIVE_INFINITY) * 8;
  }

  /** Units in which match entries are packed: blocks, and entries that they hold. */
  #units(table: GraphTable, memory: Memory): PackingUnit[] {
    const { sram, tcam, exact } = this.target;
    if (memory === "tcam") return [{ blocks: Math.ceil(table.width / tcam.width), words: tcam.depth }];
    const word = sram.match_width ?? sram.width;
    const first = Math.ceil(table.width / word);
    const maxBlocks = exact.packing_blocks ?? 1;
    const units: PackingUnit[] = [{ blocks: first, words: sram.depth }];
    for (let more = 1; more < maxBlocks; more++) {
      const blocks = first + more - 1;
      const words = Math.floor((blocks * word) / table.width) * sram.depth;
      if (words > 0) units.push({ blocks, words });
    }
    return units;
  }

  #actionUnit(table: GraphTable): PackingUnit | undefined {
    const { sram } = this.target;
    const word = sram.match_width ?? sram.width;
    if (table.actionBits === 0) return undefined;
    const blocks = Math.ceil(table.actionBits / word);
    return { blocks, words: Math.floor((blocks * word) / table.actionBits) * sram.depth };
  }

  #actionBlocks(table: GraphTable, words: number): number {
    const unit = this.#actionUnit(table);
    return unit === undefined ? 0 : Math.ceil(words / unit.words) * unit.blocks;
  }

  /** The maximum number of entries that fit the free blocks. */
  #fitBlocks(table: GraphTable, memory: Memory, sramFree: number, tcamFree: number, reserved: number): Fit {
    let best: Fit = { words: 0, blocks: 0, actionBlocks: 0 };
    for (const unit of this.#units(table, memory)) {
      const free = memory === "sram" ? sramFree : tcamFree;
      for (let count = Math.floor(free / unit.blocks); count > 0; count--) {
        const words = count * unit.words;
        const blocks = count * unit.blocks;
        const actionBlocks = this.#actionBlocks(table, words);
        const inSram = memory === "sram" ? blocks : 0;
        if (actionBlocks + inSram > sramFree - (memory === "sram" ? reserved : 0)) continue;
        if (words > best.words) best = { words, blocks, actionBlocks };
        break;
      }
    }
    return best;
  }

  /** The minimum number of match blocks for a number of entries. */
  #fitWords(
    table: GraphTable,
    memory: Memory,
    sramFree: number,
    tcamFree: number,
    words: number,
  ): Fit | undefined {
    let best: Fit | undefined;
    for (const unit of this.#units(table, memory)) {
      const count = Math.ceil(words / unit.words);
      const blocks = count * unit.blocks;
      const actionBlocks = this.#actionBlocks(table, count * unit.words);
      const free = memory === "sram" ? sramFree : tcamFree;
      if (blocks > free || actionBlocks + (memory === "sram" ? blocks : 0) > sramFree) continue;
      if (best === undefined || blocks < best.blocks)
        best = { words: count * unit.words, blocks, actionBlocks };
    }
    return best;
  }

  /** SRAM blocks kept for the action data of ternary tables that are not placed yet. */
  #reserve(assigned: readonly number[], stage: StageUse): number {
    const limit = this.target.action.reserved_ternary_blocks ?? 0;
    let reserve = 0;
    for (const [index, table] of this.graph.tables.entries()) {
      if (assigned[index] !== -1 || table.kind === "exact" || table.actionBits === 0) continue;
      const [unit] = this.#units(table, "tcam");
      const count = Math.min(
        Math.floor((this.target.tcam.blocks - stage.tcam) / unit!.blocks),
        Math.ceil(table.entries / unit!.words),
      );
      reserve = Math.max(reserve, Math.min(limit, this.#actionBlocks(table, count * unit!.words)));
    }
    return reserve;
  }

  place(order: GreedyOrder): GreedyResult {
    const { tables } = this.graph;
    const ranks = this.#ranks(order);
    const queue = tables
      .map((_, i) => i)
      .sort(
        (a, b) =>
          defined(ranks[b]) - defined(ranks[a]) ||
          defined(tables[b]).width - defined(tables[a]).width ||
          a - b,
      );
    const assigned = new Array<number>(tables.length).fill(-1);
    const parts: GreedyResult["parts"][number][number][][] = tables.map(() => []);
    const { sram, tcam } = this.target;
    for (let done = 0; done < tables.length; done++) {
      const next = queue.find(
        (i) => assigned[i] === -1 && defined(this.#before[i]).every(({ from }) => assigned[from] !== -1),
      );
      if (next === undefined) break;
      const table = defined(tables[next]);
      let at = Math.max(
        0,
        ...defined(this.#before[next]).map(({ from, distance }) => defined(assigned[from]) + distance),
      );
      let left = table.entries;
      let memoryIndex = 0;
      const usable = memories(table);
      const units = this.#unitsOf(table);
      assigned[next] = at;
      while (left > 0 && at < MAX_STAGES) {
        const stage = this.#stage(at);
        const memory = defined(usable[memoryIndex]);
        const reserved = this.#reserve(assigned, stage);
        const sramFree = sram.blocks - stage.sram;
        const tcamFree = tcam.blocks - stage.tcam;
        const fit = this.#fitBlocks(table, memory, sramFree, tcamFree, reserved);
        const crossbarFits = stage.crossbar[memory] + units <= this.#crossbarUnits(memory);
        const actionFits = stage.actionBits + table.actionBits <= this.#actionBits();
        const use = fit.words >= left ? this.#fitWords(table, memory, sramFree, tcamFree, left) : fit;
        if (fit.words > 0 && crossbarFits && actionFits && use !== undefined) {
          defined(parts[next]).push({
            stage: at,
            memory,
            entries: Math.min(left, use.words),
            blocks: use.blocks,
            actionBlocks: use.actionBlocks,
          });
          stage[memory] += use.blocks;
          stage.sram += use.actionBlocks;
          stage.crossbar[memory] += units;
          stage.actionBits += table.actionBits;
          left -= use.words;
          assigned[next] = at;
          if (left <= 0) break;
        }
        memoryIndex = (memoryIndex + 1) % usable.length;
        if (memoryIndex === 0) at++;
      }
    }
    const stages = parts.flat().reduce((count, part) => Math.max(count, part.stage + 1), 0);
    return { stages, parts };
  }
}

/** Exact tables can continue in TCAM; other tables use only TCAM. */
function memories(table: GraphTable): readonly Memory[] {
  return table.kind === "exact" ? ["sram", "tcam"] : ["tcam"];
}

/** The match tables of a program as a table graph. Bare actions and conditions take no match memory. */
export function tableGraphOf(problem: Problem): TableGraph {
  const { model } = problem;
  const included = model.units.filter((unit) => unit.kind === "match");
  const indexOf = new Map(included.map((unit, index) => [unit.id, index]));
  const longest = chainsBetween(model, problem, indexOf);
  return { tables: included.map((unit) => graphTable(unit, problem)), dependencies: longest };
}

function graphTable(unit: Unit, problem: Problem): GraphTable {
  return {
    name: unit.name,
    entries: unit.size,
    width: unit.key.reduce((sum, part) => sum + part.access.width, 0),
    actionBits: 8 * defined(problem.plans[unit.id]).actionBytes,
    kind: defined(problem.plans[unit.id]).match === "exact" ? "exact" : "ternary",
  };
}

/** Distances between match tables, over paths through other units. */
function chainsBetween(
  model: FitModel,
  problem: Problem,
  indexOf: ReadonlyMap<number, number>,
): TableGraph["dependencies"][number][] {
  const result: TableGraph["dependencies"][number][] = [];
  for (const [id, from] of indexOf) {
    const distance = new Map<number, number>([[id, 0]]);
    for (let u = id; u < model.units.length; u++) {
      const here = distance.get(u);
      if (here === undefined) continue;
      const to = indexOf.get(u);
      if (to !== undefined && u !== id) {
        result.push({ from, to, distance: here });
        continue;
      }
      for (const edge of defined(problem.graph.outgoing[u])) {
        distance.set(edge.to, Math.max(distance.get(edge.to) ?? 0, here + edge.distance));
      }
    }
  }
  return result;
}
