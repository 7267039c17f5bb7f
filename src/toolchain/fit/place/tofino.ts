/**
 * Placement as the Tofino compiler does it: stage by stage. Without long branches a table leads to the next one alone, so that
 * what a table decides on is placed before what follows both (sequences.ts). Of all tables that can be placed, ranking.ts says
 * which comes first. A table that does not fit as a whole is split, and the rest goes to the next stage.
 */
import { defined } from "../../../base/index.js";
import { NO_MEMORY, type TablePart } from "../memory/layout.js";
import type { Unit } from "../model/model.js";
import { stageFor } from "../model/pragmas.js";
import { Backtracking, type Step, type Stopped } from "./backtracking.js";
import type { Demand } from "./demand.js";
import {
  entriesToPlace,
  maySplit,
  type Part,
  type Placement,
  type Problem,
  stageCount,
  type Unplaced,
} from "./placement.js";
import { Ranking } from "./ranking.js";
import { findSequences, gatewaysOf, orderWithin, type Sequence, type Sequences } from "./sequences.js";
import { Stage } from "./stage.js";
import { whyNoDevice, whyNoStage } from "./unplaceable.js";
import { Work } from "./work.js";

/** Stages beyond the device that are tried, to report how many a program needs. */
const EXTRA_STAGES = 400;

/** Where the compiler stops going back, in the placement without conflicts and in the last one: the turn of this number is not placed any more. */
const MOST_TURNS = { free: 12, last: 32 } as const;
/** Earlier decisions that one placement tries again; a public design takes up to 60, and each costs a placement up to there. */
const MOST_TRIALS = 200;

/**
 * Places all units in the order of the compiler. Where the device has too few stages for that, the compiler places without
 * conflicts of containers (but for those of one byte of a header), packs the fields again so that those which are written in one stage are kept apart, and places once more
 * (p4c, mau/table_summary.cpp: NOCC_TRY1, REDO_PHV1). Both times it goes back where the device is exceeded.
 */
export function placeByStages(problem: Problem): Placement {
  return placed(problem, new Work());
}

/** The same placement; undefined where the work does not suffice. */
export function placeWithin(problem: Problem, work: Work): Placement | undefined {
  const placement = placed(problem, work);
  return work.isSpent ? undefined : placement;
}

/** Where the work is spent, a placement of a part of the units. */
function placed(problem: Problem, work: Work): Placement {
  const first = new Placer(problem, new Order(problem), work).place();
  const stages = stageCount(first.parts);
  if (stages <= problem.target.stages) return first;
  if (work.isSpent) return first;
  const { free: few, last: many } = MOST_TURNS;
  const free = placeAgain({ ...problem, conflicts: problem.inseparable }, first, few, work);
  const second = placeAgain({ ...problem, conflicts: keptApart(problem, free) }, free, many, work);
  return second.unplaced.length <= first.unplaced.length && stageCount(second.parts) < stages
    ? second
    : first;
}

/** Places all units after a placement before; goes back up to `most` times, where that makes it fit. */
function placeAgain(
  problem: Problem,
  { parts: previous, unplaced }: Placement,
  most: number,
  work: Work,
): Placement {
  const turns = new Backtracking(problem, unplaced.length > 0 ? 0 : most);
  const order = new Order(problem, previous);
  const placer = (watch?: Backtracking) => new Placer(problem, order, work, watch);
  let plain: Placement | undefined;
  let trials = 0;
  const places = (steps: readonly Step[]) => (trials++ < MOST_TRIALS ? placer().tries(steps) : "none");
  for (let from: readonly Step[] | undefined = []; from !== undefined && turns.mayGoBack && !work.isSpent; ) {
    const one = placer(turns);
    const placement = one.place(from);
    if (one.stopped === undefined) return placement;
    plain ??= placer().place();
    from = turns.goBack(one.stopped, places);
  }
  return plain ?? placer().place();
}

/** The conflicts between units that a placement without conflicts does not have in one stage, and those of one byte of a header. */
function keptApart({ conflicts, inseparable }: Problem, { parts }: Placement): Set<number>[] {
  const stagesOf = new Map<number, Set<number>>();
  for (const { unit, stage } of parts) stagesOf.set(unit.id, (stagesOf.get(unit.id) ?? new Set()).add(stage));
  return conflicts.map((others, id) => {
    const here = stagesOf.get(id) ?? new Set();
    const apart = [...others].filter(
      (other) => ![...(stagesOf.get(other) ?? [])].some((stage) => here.has(stage)),
    );
    return new Set([...apart, ...defined(inseparable[id])]);
  });
}

/** What the order of a placement follows from: the same for all placements that try earlier decisions again. */
class Order {
  readonly sequences: Sequences;
  readonly ranking: Ranking;
  /** By unit: the condition that can be its gateway. */
  readonly gatewayOf: readonly (number | undefined)[];
  /** By condition: the units whose gateway it can be. */
  readonly guarded: readonly (readonly number[])[];
  /** By unit: units that come before it, without a distance. */
  readonly before: readonly ReadonlySet<number>[];
  /** By unit: the sequences that it stands in, itself or in a branch. */
  readonly within: readonly (readonly number[])[];

  /** @param previous parts of a placement before, whose splits the ranking considers */
  constructor(problem: Problem, previous?: readonly Part[]) {
    this.sequences = findSequences(problem.model);
    this.ranking = new Ranking(problem, this.sequences, previous);
    this.before = orderWithin(problem, this.sequences);
    this.gatewayOf = gatewaysOf(problem, this.sequences, this.before);
    const guarded: number[][] = problem.model.units.map(() => []);
    for (const [unit, condition] of this.gatewayOf.entries())
      if (condition !== undefined) defined(guarded[condition]).push(unit);
    this.guarded = guarded;
    const within: number[][] = problem.model.units.map(() => []);
    for (const [sequence, inside] of this.sequences.inside.entries())
      for (const unit of inside) defined(within[unit]).push(sequence);
    this.within = within;
  }
}

class Placer {
  readonly #stages: Stage[] = [];
  readonly #parts: Part[] = [];
  /** By unit: its last stage; -1 until all of it is placed. */
  readonly #last: number[];
  /** By unit: entries that are not placed yet. */
  readonly #rest: number[];
  readonly #members: Set<number>[] = [];
  readonly #unplaced: Unplaced[] = [];
  readonly #failed = new Set<number>();
  readonly #sequences: Sequences;
  /** By sequence: units in it and in its branches that are not placed. */
  readonly #openIn: number[];
  readonly #closed = new Set<number>();
  readonly #ranking: Ranking;
  readonly #gatewayOf: Order["gatewayOf"];
  readonly #guarded: Order["guarded"];
  readonly #before: Order["before"];
  readonly #within: Order["within"];
  /** Conditions that are the gateway of a part. */
  readonly #gateways = new Set<number>();
  /** Units that could be placed in the stage that is being filled, and wait for others since. */
  readonly #waiting = new Set<number>();
  readonly #steps: Step[] = [];
  readonly #work: Work;
  #stopped: Stopped | undefined;

  constructor(
    readonly problem: Problem,
    order: Order,
    work: Work,
    /** Stops the placement where the device is exceeded. */
    private readonly turns?: Backtracking,
  ) {
    const { units } = problem.model;
    this.#work = work;
    work.spend(units.length);
    this.#last = units.map(() => -1);
    this.#rest = units.map(entriesToPlace);
    this.#sequences = order.sequences;
    this.#openIn = this.#sequences.inside.map(({ size }) => size);
    this.#ranking = order.ranking;
    this.#before = order.before;
    this.#within = order.within;
    this.#gatewayOf = order.gatewayOf;
    this.#guarded = order.guarded;
  }

  /** The step at which the placement stopped. */
  get stopped(): Stopped | undefined {
    return this.#stopped;
  }

  /** Whether the steps can be taken, and the last one places all of its unit. */
  tries(steps: readonly Step[]): "whole" | "part" | "none" {
    const last = steps.at(-1);
    if (last === undefined || !this.#replay(steps)) return "none";
    return this.#isOpen(last.unit) ? "part" : "whole";
  }

  #replay(steps: readonly Step[]): boolean {
    const last = steps.at(-1)?.stage ?? 0;
    for (const step of steps) {
      if (this.#work.isSpent) return false;
      const { unit, stage, isAlone } = step;
      this.#stage(stage);
      // Notes who waits in the stage that is filled next.
      if (stage === last) this.#candidates(stage);
      if (!this.#isReady(unit, stage) && defined(this.problem.companions[unit]).length === 1) return false;
      if (!(isAlone ? this.#placeOne(unit, stage) : this.#tryPlace(unit, stage))) return false;
      this.#steps.push(step);
    }
    return true;
  }

  /** @param from steps that are taken first */
  place(from: readonly Step[] = []): Placement {
    this.#replay(from);
    const begin = from.at(-1)?.stage ?? 0;
    const limit = this.problem.target.stages + EXTRA_STAGES;
    for (const unit of this.problem.model.units) {
      const reason = whyNoDevice(this.problem, unit.id, limit);
      if (reason !== undefined) this.#fail(reason);
    }
    let idle = 0;
    for (let stage = begin; this.#open().length > 0 && stage < limit && !this.#work.isSpent; stage++) {
      this.#stage(stage);
      const before = this.#parts.length;
      this.#fill(stage, stage === begin && from.length > 0);
      if (this.#stopped !== undefined) break;
      const isUsed = this.#parts.length > before || defined(this.#members[stage]).size > 0;
      // A table that asks for a later stage may leave this one empty.
      const waits = this.#open().some(({ pragmas }) => stageFor(pragmas, stage + 1) > stage + 1);
      idle = isUsed || waits ? 0 : idle + 1;
      if (idle <= 1) continue;
      this.#giveUp(stage);
      // The empty stages are free for what remains.
      stage -= idle;
      idle = 0;
    }
    const isDone = this.#stopped === undefined && !this.#work.isSpent;
    for (const unit of isDone ? this.#open() : []) {
      const detail = `${unit.label} is not placed: the program needs more than ${limit} stages`;
      const reason = whyNoDevice(this.problem, unit.id, this.problem.target.stages);
      this.#fail(reason ?? { unit, resource: "dependency", detail });
    }
    return {
      parts: this.#parts,
      stages: this.#stages.slice(0, stageCount(this.#parts)).map((stage) => ({ ...stage.counts })),
      unplaced: this.#unplaced,
      conflicts: this.problem.conflicts,
      method: "heuristic",
    };
  }

  #open(): Unit[] {
    return this.problem.model.units.filter((unit) => this.#isOpen(unit.id));
  }

  /**
   * Fills one stage until nothing more fits.
   * @param isBegun steps that were taken before have units in it
   */
  #fill(stage: number, isBegun: boolean): void {
    if (!isBegun) this.#waiting.clear();
    const before = isBegun ? -1 : this.#parts.length;
    while (this.#stopped === undefined && !this.#work.isSpent) {
      const ready = this.#candidates(stage);
      if (this.#placeBest(ready, stage)) continue;
      // A table alone may still join the stage, whole, although the flow has gone past it (mau/table_placement.cpp, try_backfill_table).
      const { branches } = this.#sequences;
      const late = [...this.#waiting].filter((id) => this.#isOpen(id) && defined(branches[id]).length === 0);
      if (late.some((id) => this.#isReady(id, stage) && this.#hasRoom(id, stage) && this.#take(id, stage)))
        continue;
      if (this.#parts.length > before || !this.#placeConditionAlone(stage)) return;
    }
  }

  /** Units that may be placed next, each after all that it depends on. */
  #candidates(stage: number): number[] {
    const { list } = this.#sequences;
    const open = list.filter((one) => this.#isStarted(one) && !this.#isComplete(one));
    const free = this.problem.target.flow.long_branches !== 0;
    const blocked = new Set(free ? [] : open.flatMap(({ id }) => [...defined(this.#sequences.around[id])]));
    const units = new Set(open.filter(({ id }) => !blocked.has(id)).flatMap((one) => one.units));
    this.#work.spend(units.size);
    const ready = [...units].filter((id) => this.#isOpen(id) && this.#isReady(id, stage));
    // The compiler does not place a condition before a table whose gateway it can be.
    const merged = ready.flatMap((id) => {
      const guarded = defined(this.#guarded[id]).filter((table) => this.#isOpen(table));
      if (defined(this.problem.model.units[id]).kind !== "condition") return [id];
      return guarded.length === 0 ? [id] : guarded.filter((table) => this.#isReady(table, stage));
    });
    for (const id of merged) if (this.#gatewayOf[id] === undefined) this.#waiting.add(id);
    return merged;
  }

  #placeBest(ready: readonly number[], stage: number): boolean {
    const ranked = this.#ranking.sorted(ready, {
      gatewayOf: (id) => this.#openGateway(id),
      isOpen: (id) => this.#isOpen(id),
      here: defined(this.#members[stage]),
      isSplit: (id) => this.#isSplit(id, stage),
      stage,
    });
    return ranked.some((id) => this.#take(id, stage, ranked));
  }

  /** Places a unit as one step. `ready`: the units that could be placed instead. */
  #take(unit: number, stage: number, ready?: readonly number[]): boolean {
    if (!this.#tryPlace(unit, stage)) return false;
    const step = { unit, stage, isAlone: false };
    if (this.turns !== undefined && ready !== undefined) {
      this.turns.note([...this.#steps], ready, step);
      if (this.turns.exceeds(step)) this.#stopped = { steps: [...this.#steps], step };
    }
    this.#steps.push(step);
    return true;
  }

  /** No part of the table is placed, and the stage has room for all of it. */
  #hasRoom(id: number, stage: number): boolean {
    const { demands, model, plans } = this.problem;
    const rest = defined(this.#rest[id]);
    if (rest < entriesToPlace(defined(model.units[id]))) return false;
    const here = defined(this.#stages[stage]);
    return here.exceeded(defined(demands[id]), defined(plans[id]).layout(rest)) === undefined;
  }

  /** The stage has no room for all entries of a table that may be split. */
  #isSplit(id: number, stage: number): boolean {
    if (!maySplit(this.problem, id)) return false;
    const layout = defined(this.problem.plans[id]).layout(defined(this.#rest[id]));
    const demand = defined(this.problem.demands[id]);
    const { srams, tcamUnits, mapRams, logicalTables } = defined(this.#stages[stage]).free(
      demand,
      layout.tcamWidth,
    );
    return (
      layout.srams > srams ||
      layout.mapRams > mapRams ||
      layout.logicalTables > logicalTables ||
      (layout.tcamWidth > 0 && layout.tcams / layout.tcamWidth > tcamUnits)
    );
  }

  #isStarted({ parents }: Sequence): boolean {
    return parents.every((unit) => !this.#isOpen(unit));
  }

  #isComplete({ id }: Sequence): boolean {
    return this.#openIn[id] === 0;
  }

  /** A unit has its place, or none: counts it once. */
  #close(id: number): void {
    if (this.#closed.has(id)) return;
    this.#closed.add(id);
    for (const sequence of defined(this.#within[id])) this.#openIn[sequence]!--;
  }

  /** Two stages stayed empty, so no stage holds some of the remaining units. Records them, so that the others can be placed. */
  #giveUp(stage: number): void {
    const open = this.#open();
    const { companions } = this.problem;
    const apart = open.filter(
      (unit) => defined(companions[unit.id]).length > 1 && !this.#groupIsReady(unit.id, stage),
    );
    const ready = open.filter((unit) => this.#isReady(unit.id, stage) && unit.kind !== "condition");
    const alone = ready.filter((unit) => defined(companions[unit.id]).length === 1);
    const groups =
      apart.length > 0
        ? defined(companions[defined(apart[0]).id]).map((id) => defined(this.problem.model.units[id]))
        : [];
    const stuck = [alone, groups.filter((unit) => this.#isOpen(unit.id)), ready, open].find(
      (list) => list.length > 0,
    );
    for (const unit of stuck ?? []) {
      this.#fail(
        groups.includes(unit)
          ? { unit, resource: "dependency", detail: this.#whyApart(unit.id) }
          : whyNoStage(this.problem, unit.id),
      );
    }
  }

  #fail(reason: Unplaced): void {
    this.#failed.add(reason.unit.id);
    this.#close(reason.unit.id);
    this.#unplaced.push(reason);
  }

  #groupIsReady(id: number, stage: number): boolean {
    const group = defined(this.problem.companions[id]);
    return group.every((member) =>
      defined(this.problem.graph.incoming[member]).every((edge) => {
        if (group.includes(edge.from)) return edge.distance === 0;
        const condition = defined(this.problem.model.units[edge.from]).kind === "condition";
        if (condition && edge.distance === 0) return true;
        return (
          this.#failed.has(edge.from) ||
          (defined(this.#last[edge.from]) !== -1 && defined(this.#last[edge.from]) < stage)
        );
      }),
    );
  }

  #whyApart(id: number): string {
    const { companions, demands, model } = this.problem;
    const group = defined(companions[id]);
    const labelOf = (unit: number) => defined(model.units[unit]).label;
    const memoriesOf = (unit: number) => defined(demands[unit]).shared.map(({ name }) => name);
    const memories = [...new Set(group.flatMap(memoriesOf))].map((name) => ({
      name,
      users: group.filter((unit) => memoriesOf(unit).includes(name)),
    }));
    const others = group.filter((other) => other !== id).map(labelOf);
    const why = "and one of them needs what another writes: no stage can hold them all";
    const [only, another] = memories.filter(({ users }) => users.length > 1);
    if (only !== undefined && another === undefined)
      return `${labelOf(id)} shares ${only.name} with ${others.join(", ")}, ${why}`;
    const shared = memories.map(({ name, users }) => `${name} of ${users.map(labelOf).join(", ")}`);
    return `${labelOf(id)} is in one stage with ${others.join(", ")}, for the memories that they share (${shared.join("; ")}), ${why}`;
  }

  #stage(index: number): Stage {
    while (this.#stages.length <= index) {
      this.#stages.push(new Stage(this.problem.target, this.problem.known));
      this.#members.push(new Set());
    }
    return defined(this.#stages[index]);
  }

  #isOpen(id: number): boolean {
    return this.#last[id] === -1 && !this.#failed.has(id);
  }

  /** All units that must come before are placed. A condition that can be placed together with the unit may be missing. */
  #isReady(id: number, stage: number): boolean {
    if (stageFor(defined(this.problem.model.units[id]).pragmas, stage) > stage) return false;
    for (const first of defined(this.#before[id])) if (this.#isOpen(first)) return false;
    for (const edge of defined(this.problem.graph.incoming[id])) {
      const last = defined(this.#last[edge.from]);
      if (this.#failed.has(edge.from)) continue;
      if (last === -1) {
        if (edge.from !== this.#gatewayOf[id] || edge.distance > 0 || !this.#isReady(edge.from, stage))
          return false;
      } else if (last + edge.distance > stage) return false;
    }
    return true;
  }

  /** Places a condition alone, where all units whose gateway it could be wait for something that it leads to, too. */
  #placeConditionAlone(stage: number): boolean {
    const alone = this.problem.model.units.find(
      ({ id, kind }) =>
        kind === "condition" && this.#isOpen(id) && this.#isReady(id, stage) && this.#placeOne(id, stage),
    );
    if (alone !== undefined) this.#steps.push({ unit: alone.id, stage, isAlone: true });
    return alone !== undefined;
  }

  #clashes(id: number, stage: number): boolean {
    const members = defined(this.#members[stage]);
    return [...defined(this.problem.conflicts[id])].some((other) => members.has(other));
  }

  /** Places a unit, or a part of it, with the units that share a memory with it. True when something was placed. */
  #tryPlace(id: number, stage: number): boolean {
    this.#work.spend();
    const group = defined(this.problem.companions[id]);
    if (group.length > 1) return this.#placeTogether(group, stage);
    return this.#placeOne(id, stage);
  }

  #placeTogether(group: readonly number[], stage: number): boolean {
    const tables = group.filter((id) => this.#isOpen(id));
    const conditions = this.#openConditionsOf(tables);
    const waiting = [...conditions, ...tables];
    for (const id of waiting) {
      if (stageFor(defined(this.problem.model.units[id]).pragmas, stage) > stage) return false;
      for (const first of defined(this.#before[id]))
        if (this.#isOpen(first) && !waiting.includes(first)) return false;
      for (const edge of defined(this.problem.graph.incoming[id])) {
        if (waiting.includes(edge.from) && edge.distance === 0) continue;
        const last = defined(this.#last[edge.from]);
        if (!this.#failed.has(edge.from) && (last === -1 || last + edge.distance > stage)) return false;
      }
      if (this.#clashes(id, stage)) return false;
      if (waiting.some((other) => defined(this.problem.conflicts[id]).has(other))) return false;
    }
    // On a copy of the stage, because either all units are placed or none.
    const trial = defined(this.#stages[stage]).copy();
    const gateways = new Map<number, number>();
    for (const id of tables) {
      const gateway = this.#gatewayOf[id];
      if (gateway !== undefined && conditions.includes(gateway) && ![...gateways.values()].includes(gateway))
        gateways.set(id, gateway);
    }
    const alone = conditions.filter((id) => ![...gateways.values()].includes(id));
    for (const id of [...alone, ...tables]) {
      const own = defined(this.problem.demands[id]);
      const gateway = gateways.get(id);
      const demand =
        gateway === undefined
          ? own
          : this.problem.known.withGateway(own, defined(this.problem.demands[gateway]));
      const layout = defined(this.problem.plans[id]).layout(defined(this.#rest[id]));
      if (trial.exceeded(demand, layout) !== undefined) return false;
      trial.add(demand, layout);
    }
    for (const id of [...alone, ...tables]) this.#commit(id, stage, this.#wholeOf(id), gateways.get(id));
    return true;
  }

  /** Conditions that lead to the units and are not placed yet, in the order of the program: a chain of `else if` is placed as one. */
  #openConditionsOf(units: readonly number[]): number[] {
    const { graph, model } = this.problem;
    const found = new Set<number>();
    const work = [...units];
    for (let id = work.pop(); id !== undefined; id = work.pop())
      for (const { from, distance } of defined(graph.incoming[id])) {
        const isOpen = defined(model.units[from]).kind === "condition" && this.#isOpen(from);
        if (!isOpen || distance > 0 || found.has(from)) continue;
        found.add(from);
        work.push(from);
      }
    return [...found].sort((a, b) => a - b);
  }

  #placeOne(id: number, stage: number): boolean {
    // The compiler does not put two parts of a table into one stage.
    if (this.#clashes(id, stage) || defined(this.#members[stage]).has(id)) return false;
    const { demands, plans } = this.problem;
    const spill = this.#spillOf(id);
    if (spill !== undefined) return this.#placeWithSpill(id, stage, spill);
    const condition = this.#openGateway(id);
    const demand =
      condition === undefined
        ? defined(demands[id])
        : this.problem.known.withGateway(defined(demands[id]), defined(demands[condition]));
    const plan = defined(plans[id]);
    const here = defined(this.#stages[stage]);
    const rest = defined(this.#rest[id]);
    const whole = plan.layout(rest);
    const exceeded = here.exceeded(demand, whole);
    if (exceeded === undefined) {
      this.#commit(id, stage, { layout: whole, entries: rest }, condition);
      return true;
    }
    // Only memory can be split, and only of a table that takes much of a stage.
    const isMemory = exceeded === "srams" || exceeded === "tcams" || exceeded === "map_rams";
    if (!isMemory && (exceeded !== "logical_tables" || whole.logicalTables === 1)) return false;
    const part = this.#partFor(id, here, demand);
    if (part === undefined) return false;
    this.#commit(id, stage, part, condition);
    return true;
  }

  /** Another layout of all that is left of a table, or a part of it, that the stage has room for. */
  #partFor(id: number, here: Stage, demand: Demand): TablePart | undefined {
    const plan = defined(this.problem.plans[id]);
    const rest = defined(this.#rest[id]);
    for (const layout of plan.layouts(rest).slice(1))
      if (here.exceeded(demand, layout) === undefined) return { layout, entries: rest };
    if (!maySplit(this.problem, id)) return undefined;
    for (const part of plan.parts(rest, here.free(demand, plan.layout(rest).tcamWidth)))
      if (here.exceeded(demand, part.layout) === undefined) return part;
    return undefined;
  }

  #openGateway(id: number): number | undefined {
    const gateway = this.#gatewayOf[id];
    return gateway !== undefined && this.#isOpen(gateway) ? gateway : undefined;
  }

  #spillOf(id: number): { name: string; srams: number; mapRams: number } | undefined {
    const { stateful } = this.problem.target;
    if (!stateful.spans_stages || stateful.max_blocks === null) return undefined;
    return defined(this.problem.demands[id]).shared.find(
      (shared) => shared.kind === "register" && shared.srams > stateful.max_blocks!,
    );
  }

  /** SRAM blocks of the parts of a large register, each with its spare. */
  #spillPieces(blocks: number): number[] {
    const { stages, stateful } = this.problem.target;
    const perPiece = stateful.max_blocks! - 2;
    const data = blocks - 1;
    const count = Math.min(Math.ceil(data / perPiece), stages + EXTRA_STAGES + 1);
    return Array.from({ length: count }, (_, i) => Math.min(perPiece, data - i * perPiece) + 1);
  }

  /** A register that is too large for one stage: the table is placed here, the blocks in the next stages with a spare each. */
  #placeWithSpill(id: number, stage: number, big: { name: string; srams: number; mapRams: number }): boolean {
    const { demands, plans, target, model } = this.problem;
    const demand = {
      ...defined(demands[id]),
      shared: defined(demands[id]).shared.filter((shared) => shared.name !== big.name),
    };
    const layout = defined(plans[id]).layout(defined(this.#rest[id]));
    const here = defined(this.#stages[stage]);
    if (here.exceeded(demand, layout) !== undefined) return false;
    const pieces = this.#spillPieces(big.srams);
    if (pieces.length > target.stages + EXTRA_STAGES) return false;
    for (const [index, blocks] of pieces.entries()) {
      const next = this.#stage(stage + 1 + index);
      if (next.counts.srams + blocks > target.sram.blocks) return false;
    }
    const waiting = this.#openGateway(id);
    if (waiting !== undefined && !this.#placeOne(waiting, stage)) return false;
    if (here.exceeded(demand, layout) !== undefined) return true;
    here.add(demand, layout);
    defined(this.#members[stage]).add(id);
    const unit = defined(model.units[id]);
    this.#parts.push({
      unit,
      stage,
      layout,
      entries: defined(this.#rest[id]),
      gateway: undefined,
      spill: undefined,
    });
    for (const [index, blocks] of pieces.entries()) {
      const at = stage + 1 + index;
      const next = defined(this.#stages[at]);
      next.counts.srams += blocks;
      next.counts.map_rams += blocks;
      next.counts.meter_alus += 1;
      next.counts.logical_tables += 1;
      defined(this.#members[at]).add(id);
      this.#parts.push({
        unit,
        stage: at,
        layout: NO_MEMORY,
        entries: 0,
        gateway: undefined,
        spill: { name: big.name, srams: blocks, mapRams: blocks },
      });
    }
    this.#rest[id] = 0;
    this.#last[id] = stage + pieces.length;
    this.#close(id);
    this.#mergeGateway(id, stage);
    return true;
  }

  /** All that is left of a table, in its cheapest layout. */
  #wholeOf(id: number): TablePart {
    const entries = defined(this.#rest[id]);
    return { layout: defined(this.problem.plans[id]).layout(entries), entries };
  }

  /** Adds a part to a stage, with `condition` as its gateway. */
  #commit(id: number, stage: number, { layout, entries }: TablePart, condition?: number): void {
    const { demands, model } = this.problem;
    const demand =
      condition === undefined
        ? defined(demands[id])
        : this.problem.known.withGateway(defined(demands[id]), defined(demands[condition]));
    defined(this.#stages[stage]).add(demand, layout);
    const part = { stage, gateway: undefined, spill: undefined };
    if (condition !== undefined) {
      this.#parts.push({ ...part, unit: defined(model.units[condition]), layout: NO_MEMORY, entries: 1 });
      defined(this.#members[stage]).add(condition);
      this.#gateways.add(condition);
      this.#last[condition] = stage;
      this.#close(condition);
      this.#rest[condition] = 0;
    }
    defined(this.#members[stage]).add(id);
    const unit = defined(model.units[id]);
    this.#parts.push({ ...part, unit, layout, entries, gateway: condition });
    this.#rest[id]! -= entries;
    if (this.#rest[id] === 0) {
      this.#last[id] = stage;
      this.#close(id);
    }
    this.#mergeGateway(id, stage);
  }

  /** A condition that is already in the stage of its table becomes the gateway of the table. */
  #mergeGateway(id: number, stage: number): void {
    const condition = this.#gatewayOf[id];
    if (condition === undefined || this.#gateways.has(condition)) return;
    if (!defined(this.#members[stage]).has(condition)) return;
    const own = this.#parts.findLast(
      (part) => part.unit.id === id && part.stage === stage && part.spill === undefined,
    );
    if (own === undefined) return;
    own.gateway = condition;
    this.#gateways.add(condition);
    defined(this.#stages[stage]).mergeGateway(defined(this.problem.demands[id]).gateways > 0);
  }
}
