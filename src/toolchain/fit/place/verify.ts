/**
 * Checks a placement: order, distances, conflicts, shared memories, sizes, and all resources of all stages. It counts
 * the amounts from the assignment itself, not from the sums that the placement kept.
 */
import { defined } from "../../../base/index.js";
import { arranged } from "../memory/array.js";
import { attachedMemory } from "../memory/attached.js";
import type { ArrayUse } from "../memory/blocks.js";
import { lineBitsOf } from "../memory/exact.js";
import type { Demand, SharedMemory } from "./demand.js";
import { crossbarUses } from "./known.js";
import {
  entriesToPlace,
  type Part,
  type Placement,
  type Problem,
  stageCount,
  stageRanges,
} from "./placement.js";
import {
  bytesOfUses,
  limitsOf,
  noCounts,
  RESOURCES,
  type Resource,
  type ResourceCounts,
  unitsFit,
  withShared,
} from "./stage.js";
import { namesOf } from "./ternary-crossbar.js";
import { wrongInArray } from "./verify-array.js";

/**
 * Amounts that depend on where things stand: bytes of one container at two places of the crossbar, operands that go through the hash matrix,
 * rows with one instruction. The assignment tells the least of them.
 */
const AT_LEAST: ReadonlySet<Resource> = new Set(["xbar_bytes_exact", "hash_bits", "vliw_slots"]);

/** What is counted of one stage. */
interface StageUse {
  readonly counts: ResourceCounts;
  readonly exactBytes: Set<string>;
  readonly ternaryBytes: Set<string>;
  /** Names of memories that several tables use. */
  readonly shared: Set<string>;
  /** Memories whose ALU's results are on the action data bus. */
  readonly results: Set<string>;
  /** Units of hash distribution. */
  readonly units: Set<string>;
  /** Instructions of each gress that change something. */
  readonly instructions: Record<"ingress" | "egress", number>;
  /** Rows of TCAM blocks by how many blocks are side by side. */
  readonly tcamUnits: Map<number, number>;
  /** What each table has in the array of SRAM. */
  readonly inArray: ArrayUse[];
  readonly gateways: Set<number>;
}

/** A check on its way: the placement, and what was found wrong so far. */
class Verification {
  readonly wrong: string[] = [];
  /** First and last stage of each unit, by its id; -1 where it is in none. */
  readonly #first: readonly number[];
  readonly #last: readonly number[];
  /** Units that the placement states as unplaced. */
  readonly #failed: ReadonlySet<number>;

  constructor(
    private readonly problem: Problem,
    private readonly placement: Placement,
  ) {
    const { first, last } = stageRanges(placement, problem.model.units.length);
    this.#first = first;
    this.#last = last;
    this.#failed = new Set(placement.unplaced.map((entry) => entry.unit.id));
  }

  #name(id: number): string {
    return this.problem.model.units[id]?.name ?? `unit ${id}`;
  }

  /** Every unit is in a stage, and has room for its entries. */
  checkSizes(): void {
    for (const unit of this.problem.model.units) {
      if (this.#failed.has(unit.id)) continue;
      if (this.#first[unit.id] === -1) this.wrong.push(`${unit.name} is in no stage`);
      if (unit.kind !== "match") continue;
      const parts = this.placement.parts.filter((part) => part.unit.id === unit.id);
      const entries = parts.reduce((sum, part) => sum + part.entries, 0);
      const wanted = entriesToPlace(unit);
      if (entries < wanted) this.wrong.push(`${unit.name} has room for ${entries} of ${wanted} entries`);
      for (const part of parts) {
        if (part.layout.entries < part.entries && unit.key.every((k) => k.kind !== "range"))
          this.wrong.push(`${unit.name} in stage ${part.stage} holds fewer entries than the part states`);
      }
    }
  }

  /** A unit that depends on another one is as many stages later as the dependency needs. */
  checkOrder(): void {
    for (const { from, to, distance, kind } of this.problem.graph.edges) {
      if (this.#failed.has(from) || this.#failed.has(to)) continue;
      if (defined(this.#first[to]) < defined(this.#last[from]) + distance)
        this.wrong.push(`${this.#name(to)} (${kind}) is too early after ${this.#name(from)}`);
    }
  }

  /** A table is not before the first stage that its pragmas ask for. */
  checkPragmas(): void {
    for (const { id, pragmas } of this.problem.model.units) {
      if (this.#failed.has(id) || pragmas.stages.length === 0) continue;
      if (defined(this.#first[id]) < Math.min(...pragmas.stages))
        this.wrong.push(`${this.#name(id)} is before the stage that its pragma asks for`);
    }
  }

  checkStages(): void {
    const stages = stageCount(this.placement.parts);
    for (let stage = 0; stage < stages; stage++) {
      const here = this.placement.parts.filter((part) => part.stage === stage);
      this.#checkUse(stage, this.#useOf(here));
      this.#checkConflicts(stage, here);
    }
  }

  /** What the parts of a stage take together. */
  #useOf(here: readonly Part[]): StageUse {
    const use: StageUse = {
      counts: noCounts(),
      exactBytes: new Set(),
      ternaryBytes: new Set(),
      shared: new Set(),
      results: new Set(),
      units: new Set(),
      instructions: { ingress: 0, egress: 0 },
      tcamUnits: new Map(),
      inArray: [],
      gateways: new Set(),
    };
    for (const part of here) {
      if (part.spill !== undefined)
        addCounts(use.counts, {
          srams: part.spill.srams,
          map_rams: part.spill.mapRams,
          meter_alus: 1,
          logical_tables: 1,
        });
      else this.#addPart(use, part, here);
    }
    const { counts } = use;
    counts.xbar_bytes_exact = use.exactBytes.size;
    counts.hash_dist_units = use.units.size;
    const { instruction_colours: colours } = this.problem.target.per_stage;
    const { ingress, egress } = use.instructions;
    // Row 0 has a place less: it holds the instruction that does nothing.
    counts.vliw_slots =
      colours === null
        ? ingress + egress
        : Math.max(...[ingress, egress].map((count) => Math.ceil((count === 0 ? 0 : count + 1) / colours)));
    counts.xbar_bytes_ternary = use.ternaryBytes.size;
    return use;
  }

  #addPart(use: StageUse, part: Part, here: readonly Part[]): void {
    const demand = defined(this.problem.demands[part.unit.id]);
    const { layout } = part;
    const { counts } = use;
    addCounts(counts, {
      srams: layout.blocks.match + layout.blocks.action + layout.blocks.indirection + layout.blocks.direct,
      tcams: layout.tcams,
      map_rams: layout.mapRams,
      gateways: demand.gateways,
      logical_tables: demand.logicalTables + layout.logicalTables - 1,
      meter_alus: demand.meterAlus,
      stats_alus: demand.statsAlus,
      action_bus_bytes: demand.actionBusBytes,
      exact_tables: demand.exactTables,
      ternary_tables: demand.ternaryTables,
    });
    for (const { memory, bytes } of demand.results) {
      if (!use.results.has(memory)) counts.action_bus_bytes += bytes;
      use.results.add(memory);
    }
    const uses = crossbarUses(demand, layout);
    for (const byte of bytesOfUses(uses)) use.exactBytes.add(byte);
    for (const one of uses) {
      if (one.kind === "match") counts.hash_bits += one.ways * lineBitsOf(this.problem.target) + one.select;
      if (one.kind === "selector" && !use.shared.has(one.memory)) counts.hash_bits += one.bits;
      if (one.kind !== "distribution" || use.units.has(one.key)) continue;
      use.units.add(one.key);
      counts.hash_bits += one.bits;
    }
    use.instructions[demand.instructions.gress] += demand.instructions.actions.filter(
      (writes) => writes.length > 0,
    ).length;
    for (const byte of namesOf(demand.ternaryBytes)) use.ternaryBytes.add(byte);
    const width = layout.tcamWidth;
    if (width > 0) use.tcamUnits.set(width, (use.tcamUnits.get(width) ?? 0) + layout.tcams / width);
    const own = this.#addShared(use, part.unit.id, demand);
    use.inArray.push(withShared(layout.array, own));
    if (part.gateway === undefined) return;
    this.#checkGateway(use, part, part.gateway, here);
    use.counts.logical_tables--;
    if (demand.gateways > 0) use.counts.gateways--;
  }

  /** Memories that several tables use count once in a stage, and not where a part of their own holds them. */
  #addShared(use: StageUse, unit: number, demand: Demand): SharedMemory[] {
    const added: SharedMemory[] = [];
    const spilled = this.placement.parts.filter((part) => part.unit.id === unit && part.spill !== undefined);
    for (const memory of demand.shared) {
      if (use.shared.has(memory.name) || spilled.some((part) => part.spill?.name === memory.name)) continue;
      use.shared.add(memory.name);
      added.push(memory);
      addCounts(use.counts, {
        srams: memory.srams,
        map_rams: memory.mapRams,
        meter_alus: memory.meterAlus,
        stats_alus: memory.statsAlus,
      });
    }
    return added;
  }

  #checkGateway(use: StageUse, part: Part, condition: number, here: readonly Part[]): void {
    const name = this.#name(condition);
    if (use.gateways.has(condition)) this.wrong.push(`${name} is the gateway of two tables`);
    use.gateways.add(condition);
    if (!here.some((other) => other.unit.id === condition))
      this.wrong.push(`${name} is the gateway of ${part.unit.name} but in another stage`);
    if (!this.problem.model.flow.decides(condition, part.unit.id))
      this.wrong.push(`${name} does not lead to ${part.unit.name}`);
  }

  /** The use is within the stage, and is the one that the placement states. */
  #checkUse(stage: number, { counts, tcamUnits, inArray }: StageUse): void {
    const { target } = this.problem;
    const limits = limitsOf(target);
    const stated = this.placement.stages[stage];
    for (const resource of RESOURCES) {
      const limit = limits[resource];
      if (limit !== null && counts[resource] > limit)
        this.wrong.push(`stage ${stage} uses ${counts[resource]} of ${limit} ${resource}`);
      const isStated = AT_LEAST.has(resource)
        ? counts[resource] <= (stated?.[resource] ?? -1) &&
          (stated?.[resource] ?? 0) <= (limit ?? Number.POSITIVE_INFINITY)
        : counts[resource] === stated?.[resource];
      if (!isStated)
        this.wrong.push(
          `stage ${stage} has ${counts[resource]} ${resource}, the placement states ${stated?.[resource]}`,
        );
    }
    const { columns, blocks } = target.tcam;
    if (columns !== null && !unitsFit(tcamUnits, columns, Math.floor(blocks / columns)))
      this.wrong.push(`stage ${stage}: TCAM blocks do not fit the columns`);
    if (target.sram.tofino_array) this.#checkArray(stage, inArray);
  }

  /** The array of SRAM has a place for each block. */
  #checkArray(stage: number, uses: readonly ArrayUse[]): void {
    const isSplit = this.problem.target.stateful.max_statistics_blocks !== null;
    const blocks = arranged(uses, isSplit);
    if (blocks === undefined)
      this.wrong.push(`stage ${stage}: blocks of SRAM do not fit the rows and columns`);
    else for (const what of wrongInArray(uses, blocks, isSplit)) this.wrong.push(`stage ${stage}: ${what}`);
  }

  #checkConflicts(stage: number, here: readonly Part[]): void {
    for (const part of here) {
      const conflicts = defined(this.placement.conflicts[part.unit.id]);
      for (const other of here) {
        if (part.unit.id < other.unit.id && conflicts.has(other.unit.id))
          this.wrong.push(`${part.unit.name} and ${other.unit.name} write one container in stage ${stage}`);
      }
    }
  }

  /** Units that share a memory are in one stage, and each has the memory's blocks. */
  checkMemories(): void {
    const { companions, model, target, demands } = this.problem;
    for (const group of companions) {
      const places = new Set(group.filter((id) => !this.#failed.has(id)).map((id) => this.#first[id]));
      if (places.size > 1)
        this.wrong.push(`${group.map((id) => this.#name(id)).join(", ")} share a memory but not a stage`);
    }
    for (const unit of model.units) {
      for (const attached of unit.attached) {
        if (attached.index === "direct") continue;
        const { blocks } = attachedMemory(attached, attached.size, target);
        const memory = defined(demands[unit.id]).shared.find((entry) => entry.name === attached.name);
        if (memory === undefined || memory.srams < blocks)
          this.wrong.push(`${attached.name} has too few blocks`);
      }
    }
  }
}

/** All violations, one sentence each; empty when the placement holds. */
export function verifyPlacement(problem: Problem, placement: Placement): string[] {
  const verification = new Verification(problem, placement);
  verification.checkSizes();
  verification.checkOrder();
  verification.checkStages();
  verification.checkPragmas();
  verification.checkMemories();
  return verification.wrong;
}

function addCounts(counts: ResourceCounts, more: Partial<Record<Resource, number>>): void {
  for (const [name, value] of Object.entries(more)) counts[name as Resource] += value;
}
