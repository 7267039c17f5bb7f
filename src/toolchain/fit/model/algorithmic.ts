/**
 * Tables in partitions of SRAM: the number of the partition is the address, and all entries of a partition are compared at once (p4c,
 * backends/tofino/bf-p4c: midend/alpm.cpp, mau/table_layout.cpp, mau/resource_estimate.cpp). `@alpm(1)` makes two tables of one: a small
 * TCAM table finds the number of the partition. With `@atcam_partition_index` the program has the number in a key.
 */
import type { Target } from "../target.js";
import type { ActionModel, Unit } from "./model.js";
import type { TablePragmas } from "./pragmas.js";

type NewUnit = Omit<Unit, "id">;

/** What is known of the table. */
interface Table {
  readonly pragmas: TablePragmas;
  /** The names of its keys, in the order of the unit's key. */
  readonly names: readonly string[];
  /** Adds a field of metadata, of a header of that name: the number of the partition. */
  readonly addMetadata: (header: string, name: string, width: number) => void;
  readonly target: Target;
}

/**
 * The units of a table, with what its pragmas make of the first, and the pragmas as written that could not be followed: those of a
 * table that has not exactly one lpm key, or whose exact keys have no such name.
 */
export function splitAlgorithmic(
  units: readonly NewUnit[],
  table: Table,
): { readonly units: readonly NewUnit[]; readonly unused: readonly string[] } {
  const [first, ...rest] = units;
  const { alpm, atcam } = table.pragmas;
  const isPossible = first?.kind === "match" && table.target.algorithmic_lpm.partitions !== null;
  // A table is laid out in one way: `@alpm` goes before `@atcam_partition_index`.
  const byLpm = isPossible && alpm !== undefined ? withPreclassifier(first, table) : undefined;
  const byKey = isPossible && alpm === undefined ? inPartitions(first, table) : undefined;
  const unused = [
    ...(byLpm === undefined ? (alpm?.texts ?? []) : []),
    ...(byKey === undefined ? (atcam?.texts ?? []) : []),
  ];
  if (byLpm !== undefined) return { units: [...byLpm, ...rest], unused };
  return { units: byKey === undefined ? units : [byKey, ...rest], unused };
}

function withPreclassifier(first: NewUnit, { pragmas, addMetadata, target }: Table): NewUnit[] | undefined {
  const { partitions: usual, rows_per_partition: usualRows } = target.algorithmic_lpm;
  const partitions = pragmas.alpm?.partitions ?? usual ?? 1;
  const rows = pragmas.alpm?.subtrees ?? usualRows ?? 1;
  if (first.key.filter((part) => part.kind === "lpm").length !== 1) return undefined;
  const field = `${first.name}$partition`;
  const bits = Math.ceil(Math.log2(partitions));
  addMetadata("$alpm", field, bits);
  const access = { field, lo: 0, width: bits };
  const choose: ActionModel = {
    name: "$partition",
    hit: true,
    isDefault: true,
    memories: [],
    data: [{ bits, target: access }],
    reads: [],
    writes: [access],
    fromBus: [],
    arithmetic: [],
    operations: [{ kind: "set", write: access, sources: [], data: true, source: first.source }],
    source: first.source,
  };
  const before = {
    ...first,
    name: `${first.name}$preclassifier`,
    actions: [choose],
    size: partitions * rows,
    implementation: undefined,
    attached: [],
    hashes: [],
    usesRandom: false,
  };
  const search = {
    ...first,
    key: [{ access, kind: "exact" as const }, ...first.key],
    algorithmic: { partitions, index: 0, extra: partitions },
  };
  return [before, search];
}

function inPartitions(first: NewUnit, { pragmas: { atcam }, names }: Table): NewUnit | undefined {
  if (atcam === undefined || names.length !== first.key.length) return undefined;
  const at = names.findIndex((name) => name === atcam.index || name.endsWith(`.${atcam.index}`));
  const part = first.key[at];
  if (part === undefined || part.kind !== "exact") return undefined;
  const possible = 2 ** Math.min(part.access.width, MAX_INDEX_BITS);
  const partitions = Math.min(atcam.partitions ?? possible, possible);
  // Only the bits that count the partitions are looked at.
  const width = Math.min(part.access.width, Math.ceil(Math.log2(partitions)));
  const key = first.key.map((one, i) => (i === at ? { ...one, access: { ...one.access, width } } : one));
  return { ...first, key, algorithmic: { partitions, index: at, extra: 0 } };
}

/** Bits of a partition's number beyond which no chip has the memory. */
const MAX_INDEX_BITS = 20;
