/** Resources of a stage: amounts, limits, and whether one more unit fits. */
import { defined } from "../../../base/index.js";
import { type ArrayUse, NOTHING_IN_ARRAY } from "../memory/blocks.js";
import type { TableLayout } from "../memory/layout.js";
import type { Free } from "../memory/parts.js";
import type { Target } from "../target.js";
import { EMPTY_ARRAY } from "./array-states.js";
import type { CrossbarUse, ExactCrossbar } from "./crossbar.js";
import type { Demand, SharedMemory } from "./demand.js";
import { InstructionMemory } from "./instructions.js";
import type { Known } from "./known.js";
import { namesOf } from "./ternary-crossbar.js";

export const RESOURCES = [
  "srams",
  "tcams",
  "map_rams",
  "gateways",
  "logical_tables",
  "hash_bits",
  "hash_dist_units",
  "xbar_bytes_exact",
  "xbar_bytes_ternary",
  "meter_alus",
  "stats_alus",
  "vliw_slots",
  "action_bus_bytes",
  "exact_tables",
  "ternary_tables",
] as const;
export type Resource = (typeof RESOURCES)[number];
export type ResourceCounts = Record<Resource, number>;

/** Resources in the words of messages. */
export const RESOURCE_NAMES: Readonly<Record<Resource, string>> = {
  srams: "SRAM blocks",
  tcams: "TCAM blocks",
  map_rams: "map RAMs",
  gateways: "gateways",
  logical_tables: "logical tables",
  hash_bits: "hash bits",
  hash_dist_units: "hash distribution units",
  xbar_bytes_exact: "exact crossbar bytes",
  xbar_bytes_ternary: "ternary crossbar bytes",
  meter_alus: "meter ALUs",
  stats_alus: "statistics ALUs",
  vliw_slots: "VLIW slots",
  action_bus_bytes: "action bus bytes",
  exact_tables: "exact tables",
  ternary_tables: "ternary tables",
};

/** Amount of each resource in a stage; null: the target does not state it. */
export function limitsOf(target: Target): Record<Resource, number | null> {
  const { per_stage: stage } = target;
  const hash =
    stage.hash_groups === null || stage.hash_group_bits === null
      ? null
      : stage.hash_groups * stage.hash_group_bits;
  return {
    srams: target.sram.blocks,
    tcams: target.tcam.blocks,
    map_rams: target.sram.map_rams,
    hash_bits: hash,
    gateways: stage.gateways,
    logical_tables: stage.logical_tables,
    hash_dist_units: stage.hash_distribution_units,
    xbar_bytes_exact: stage.exact_crossbar_bytes,
    xbar_bytes_ternary: stage.ternary_crossbar_bytes,
    meter_alus: stage.meter_alus,
    stats_alus: stage.stats_alus,
    vliw_slots: stage.vliw_slots,
    action_bus_bytes: stage.action_bus_bytes,
    exact_tables: stage.exact_tables,
    ternary_tables: stage.ternary_tables,
  };
}

/** More blocks of a stage than any program needs. */
const PLENTY = 1e9;

/** The target with as much of one resource in a stage as any program needs. */
export function withoutLimit(target: Target, resource: Resource): Target {
  const { per_stage: stage, sram, tcam } = target;
  // The rows of the array have so many ALUs and map RAMs, too.
  const isOfArray = resource === "meter_alus" || resource === "stats_alus" || resource === "map_rams";
  if (isOfArray && sram.tofino_array)
    return withoutLimit({ ...target, sram: { ...sram, tofino_array: false } }, resource);
  switch (resource) {
    case "srams":
      return { ...target, sram: { ...sram, blocks: PLENTY, tofino_array: false } };
    case "tcams":
      return { ...target, tcam: { ...tcam, blocks: PLENTY, columns: null } };
    case "map_rams":
      return { ...target, sram: { ...sram, map_rams: PLENTY } };
    case "hash_bits":
      return { ...target, per_stage: { ...stage, hash_groups: null, hash_group_bits: null } };
    default:
      return { ...target, per_stage: { ...stage, [STAGE_KEYS[resource]]: null } };
  }
}

/** Where a target file has the limit of a resource that is a number of its `per_stage`. */
const STAGE_KEYS = {
  gateways: "gateways",
  logical_tables: "logical_tables",
  hash_dist_units: "hash_distribution_units",
  xbar_bytes_exact: "exact_crossbar_bytes",
  xbar_bytes_ternary: "ternary_crossbar_bytes",
  meter_alus: "meter_alus",
  stats_alus: "stats_alus",
  vliw_slots: "vliw_slots",
  action_bus_bytes: "action_bus_bytes",
  exact_tables: "exact_tables",
  ternary_tables: "ternary_tables",
} as const;

const NO_COUNTS = Object.fromEntries(RESOURCES.map((name) => [name, 0])) as Readonly<ResourceCounts>;

/** Counts of zero. */
export function noCounts(): ResourceCounts {
  return { ...NO_COUNTS };
}

/** Names of the bytes that these uses put on the exact crossbar, each once. */
export function bytesOfUses(uses: readonly CrossbarUse[]): Set<string> {
  return new Set(
    uses.flatMap((use) =>
      (use.kind === "alu" ? use.operands.flatMap(({ bytes }) => bytes) : use.bytes).map(({ name }) => name),
    ),
  );
}

/** Whether units (a unit of width w is w blocks in rows of one column) fit the columns. Widest first. */
export function unitsFit(units: ReadonlyMap<number, number>, columns: number, rows: number): boolean {
  const free = new Array<number>(columns).fill(rows);
  for (const [width, count] of [...units].sort((a, b) => b[0] - a[0])) {
    let rest = count;
    for (let column = 0; column < columns && rest > 0; column++) {
      const here = Math.min(rest, Math.floor(free[column]! / width));
      free[column]! -= here * width;
      rest -= here;
    }
    if (rest > 0) return false;
  }
  return true;
}

/** What a table has in the array, with the memories that it shares. */
export function withShared(array: ArrayUse, shared: readonly SharedMemory[]): ArrayUse {
  if (shared.length === 0) return array;
  return {
    ...array,
    alu: [...array.alu, ...shared.flatMap(({ alu }) => alu)],
    action: [...array.action, ...shared.flatMap(({ action }) => action)],
  };
}

/** A stage that is being filled. */
export class Stage {
  readonly counts = noCounts();
  readonly #limits: Record<Resource, number | null>;
  readonly #tcamUnits = new Map<number, number>();
  #array = EMPTY_ARRAY;
  readonly #ternaryBytes = new Set<string>();
  readonly #shared = new Set<string>();
  /** Undefined where the target does not state how its hash matrix is made: then bytes and bits are counted alone. */
  #crossbar: ExactCrossbar | undefined;
  /** What units take that no crossbar holds; counted beside it. */
  readonly #outside = { bytes: 0, hashBits: 0, units: 0 };
  #instructions: InstructionMemory | undefined;
  readonly #exactBytes = new Set<string>();
  readonly #units = new Set<string>();
  /** Bytes of the action data bus that come with the used ones and are not used. */
  #busBeside = 0;
  /** Memories whose ALU's results are on the action data bus. */
  readonly #results = new Set<string>();

  constructor(
    readonly target: Target,
    private readonly known: Known,
    from?: Stage,
  ) {
    this.#limits = limitsOf(target);
    const { instruction_colours: colours } = target.per_stage;
    this.#crossbar = from === undefined ? known.crossbars.empty(target) : from.#crossbar;
    if (colours !== null) this.#instructions = new InstructionMemory(colours);
    if (from === undefined) return;
    this.#instructions = from.#instructions?.copy();
    Object.assign(this.counts, from.counts);
    Object.assign(this.#outside, from.#outside);
    this.#busBeside = from.#busBeside;
    for (const [width, count] of from.#tcamUnits) this.#tcamUnits.set(width, count);
    this.#array = from.#array;
    for (const byte of from.#ternaryBytes) this.#ternaryBytes.add(byte);
    for (const byte of from.#exactBytes) this.#exactBytes.add(byte);
    for (const name of from.#shared) this.#shared.add(name);
    for (const key of from.#units) this.#units.add(key);
    for (const memory of from.#results) this.#results.add(memory);
  }

  copy(): Stage {
    return new Stage(this.target, this.known, this);
  }

  holds(shared: SharedMemory): boolean {
    return this.#shared.has(shared.name);
  }

  /** What a unit with this layout adds. */
  #added(demand: Demand, layout: TableLayout): ResourceCounts {
    const add = noCounts();
    add.srams = layout.srams;
    add.tcams = layout.tcams;
    add.map_rams = layout.mapRams;
    add.gateways = demand.gateways;
    add.logical_tables = demand.logicalTables + layout.logicalTables - 1;
    add.xbar_bytes_ternary = namesOf(demand.ternaryBytes).filter(
      (byte) => !this.#ternaryBytes.has(byte),
    ).length;
    add.meter_alus = demand.meterAlus;
    add.stats_alus = demand.statsAlus;
    add.action_bus_bytes = demand.actionBusBytes;
    for (const { memory, bytes } of demand.results)
      if (!this.#results.has(memory)) add.action_bus_bytes += bytes;
    add.exact_tables = demand.exactTables;
    add.ternary_tables = demand.ternaryTables;
    for (const shared of demand.shared) {
      if (!this.holds(shared)) addMemory(add, shared);
    }
    if (this.#instructions === undefined)
      add.vliw_slots = demand.instructions.actions.filter((writes) => writes.length > 0).length;
    if (this.#crossbar === undefined) {
      const uses = this.known.usesOf(demand, layout).list;
      for (const byte of bytesOfUses(uses)) if (!this.#exactBytes.has(byte)) add.xbar_bytes_exact++;
      add.hash_bits = layout.hashBits;
      for (const use of uses) if (use.kind === "selector") add.hash_bits += use.bits;
      const units = new Set(this.#units);
      for (const use of uses)
        if (use.kind === "distribution" && !units.has(use.key)) {
          units.add(use.key);
          add.hash_bits += use.bits;
          add.hash_dist_units++;
        }
    }
    return add;
  }

  /** The crossbar with what the unit needs; undefined where it has no room. */
  #withUses(demand: Demand, layout: TableLayout): ExactCrossbar | undefined {
    return this.known.crossbars.with(defined(this.#crossbar), this.known.usesOf(demand, layout));
  }

  /** Adds a shared memory alone. */
  addShared(memory: SharedMemory): void {
    addMemory(this.counts, memory);
    this.#shared.add(memory.name);
  }

  /** The first resource that this unit would exceed here; undefined when it fits. */
  exceeded(demand: Demand, layout: TableLayout): Resource | undefined {
    const add = this.#added(demand, layout);
    for (const name of RESOURCES) {
      const limit = this.#limits[name];
      const beside = name === "action_bus_bytes" ? this.#busBeside + demand.actionBusBeside : 0;
      if (limit !== null && add[name] > 0 && this.counts[name] + add[name] + beside > limit) return name;
    }
    if (this.#instructions !== undefined && demand.instructions.actions.length > 0) {
      const rows = this.#instructions.rowsWith(demand.instructions);
      if (rows > (this.#limits.vliw_slots ?? rows)) return "vliw_slots";
    }
    if (this.#crossbar !== undefined && (demand.crossbar.length > 0 || demand.matchBytes.length > 0)) {
      const next = this.#withUses(demand, layout);
      if (next === undefined) return this.#isFullOfHashes(demand) ? "hash_dist_units" : "hash_bits";
      const { units, hashBits, bytes } = next;
      if (units > (this.#limits.hash_dist_units ?? units)) return "hash_dist_units";
      if (hashBits > (this.#limits.hash_bits ?? hashBits)) return "hash_bits";
      if (bytes > (this.#limits.xbar_bytes_exact ?? bytes)) return "xbar_bytes_exact";
    }
    if (layout.tcams > 0 && !this.#tcamFits(layout.tcamWidth, layout.tcams / layout.tcamWidth))
      return "tcams";
    return this.isArranged(this.#inArray(demand, layout)) ? undefined : "srams";
  }

  /** The units of hash distribution are used up, and the table needs one. */
  #isFullOfHashes({ crossbar }: Demand): boolean {
    const limit = this.#limits.hash_dist_units;
    return (
      limit !== null &&
      this.counts.hash_dist_units >= limit &&
      crossbar.some(({ kind }) => kind === "distribution")
    );
  }

  #tcamFits(width: number, count: number): boolean {
    const { columns, blocks } = this.target.tcam;
    if (columns === null) return true;
    const units = new Map(this.#tcamUnits);
    units.set(width, (units.get(width) ?? 0) + count);
    return unitsFit(units, columns, Math.floor(blocks / columns));
  }

  /** What a unit has in the array of SRAM beside what is there. */
  #inArray({ shared }: Demand, { array }: TableLayout): ArrayUse {
    return withShared(
      array,
      shared.filter((memory) => !this.holds(memory)),
    );
  }

  /** The array of SRAM has a place for all that is here, and for this. */
  isArranged(more: ArrayUse = NOTHING_IN_ARRAY): boolean {
    return this.known.arrays.holds(this.known.arrays.with(this.#array, more), this.target);
  }

  /** Free blocks for a table of TCAM width `width`, after the other needs of the unit. */
  free(demand: Demand, width: number): Free {
    let srams = this.#limits.srams! - this.counts.srams;
    let mapRams = (this.#limits.map_rams ?? Number.POSITIVE_INFINITY) - this.counts.map_rams;
    for (const shared of demand.shared) {
      if (this.holds(shared)) continue;
      srams -= shared.srams;
      mapRams -= shared.mapRams;
    }
    let tcamUnits = 0;
    if (width > 0) {
      let high = Math.floor((this.#limits.tcams! - this.counts.tcams) / width);
      while (high > 0 && !this.#tcamFits(width, high)) high--;
      tcamUnits = high;
    }
    const most = this.#limits.logical_tables ?? Number.POSITIVE_INFINITY;
    const logicalTables = most - this.counts.logical_tables - demand.logicalTables + 1;
    return { srams, tcamUnits, mapRams, logicalTables };
  }

  add(demand: Demand, layout: TableLayout): void {
    this.#array = this.known.arrays.with(this.#array, this.#inArray(demand, layout));
    const add = this.#added(demand, layout);
    for (const name of RESOURCES) this.counts[name] += add[name];
    this.#busBeside += demand.actionBusBeside;
    if (this.#crossbar !== undefined) {
      const next = this.#withUses(demand, layout);
      if (next === undefined) this.#addOutside(demand, layout);
      else this.#crossbar = next;
      this.counts.xbar_bytes_exact = this.#crossbar.bytes + this.#outside.bytes;
      this.counts.hash_bits = this.#crossbar.hashBits + this.#outside.hashBits;
      this.counts.hash_dist_units = this.#crossbar.units + this.#outside.units;
    }
    if (this.#instructions !== undefined) {
      this.#instructions.add(demand.instructions);
      this.counts.vliw_slots = this.#instructions.rows;
    }
    if (layout.tcamWidth > 0) {
      const units = layout.tcams / layout.tcamWidth;
      this.#tcamUnits.set(layout.tcamWidth, (this.#tcamUnits.get(layout.tcamWidth) ?? 0) + units);
    }
    if (this.#crossbar === undefined) {
      const uses = this.known.usesOf(demand, layout).list;
      for (const byte of bytesOfUses(uses)) this.#exactBytes.add(byte);
      for (const use of uses) if (use.kind === "distribution") this.#units.add(use.key);
    }
    for (const byte of namesOf(demand.ternaryBytes)) this.#ternaryBytes.add(byte);
    for (const { memory } of demand.results) this.#results.add(memory);
    for (const shared of demand.shared) this.#shared.add(shared.name);
  }

  /** What a unit takes that no crossbar holds, as numbers to report. */
  #addOutside(demand: Demand, layout: TableLayout): void {
    const uses = this.known.usesOf(demand, layout).list;
    const distributed = uses.filter(({ kind }) => kind === "distribution");
    this.#outside.bytes += bytesOfUses(uses).size;
    this.#outside.hashBits += layout.hashBits;
    for (const use of uses) if (use.kind === "distribution") this.#outside.hashBits += use.bits;
    this.#outside.units += distributed.length;
  }

  /** A condition becomes the gateway of a table of this stage, so both take one logical table. */
  mergeGateway(sharesUnit: boolean): void {
    this.counts.logical_tables--;
    if (sharesUnit) this.counts.gateways--;
  }
}

function addMemory(counts: ResourceCounts, memory: SharedMemory): void {
  counts.srams += memory.srams;
  counts.map_rams += memory.mapRams;
  counts.meter_alus += memory.meterAlus;
  counts.stats_alus += memory.statsAlus;
}
