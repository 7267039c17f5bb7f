/** Compiled matrices as updates for the program of `templates/pecmp/`. */
import type { Update } from "../../device/index.js";
import type { Topology } from "../../topology/index.js";
import { call, exact, forward, ingressName, insert, routeUpdates, tableEntry } from "../fabric.js";
import type { CompiledMatrix, CompiledSwitch } from "./compile.js";
import type { SelectorLayout } from "./layout.js";
import { rowCount } from "./matrix.js";
import { keyOfMatrix, type MatrixId, MatrixIds } from "./matrix-ids.js";

const MEMBERS = { up: ingressName("up_members"), down: ingressName("down_members") } as const;

/** Value of the version bit. */
export type Version = 0 | 1;

/** At first both versions of the routes are the same. */
export function versionsOf({ versionBit }: SelectorLayout): readonly Version[] {
  return versionBit === "none" ? [] : [0, 1];
}

/**
 * Updates that many switches of a fabric have in common, made once for a plan: the rows of a matrix over the same ports with
 * the same ids, and the entries of s mod M.
 */
export class SharedUpdates {
  readonly #rows = new Map<string, readonly Update[]>();
  readonly #matrices = new Map<string, readonly Update[]>();
  readonly #selectorRows = new Map<string, readonly Update[]>();
  readonly #twins = new Map<readonly CompiledMatrix[], readonly Update[]>();

  /** @param versions those that the routes are written for, unless a caller says otherwise */
  constructor(
    readonly layout: SelectorLayout,
    readonly versions: readonly Version[] = versionsOf(layout),
  ) {}

  /** Members, groups and rows of a matrix of a switch: all switches with the same neighbours at these ports share them. */
  matrixOf(topology: Topology, node: number, matrix: CompiledMatrix, id: MatrixId): readonly Update[] {
    const { direction, ports } = matrix;
    const own = topology.nodes[node]!.ports;
    let key = `${direction} ${id.matrix} ${id.firstMember} ${id.firstGroup} ${keyOfMatrix(matrix)}`;
    let rows = this.#rows.get(key);
    if (rows === undefined) this.#rows.set(key, (rows = rowUpdates(matrix, id)));
    for (const port of ports) key += ` ${own[port - 1]!.peer}`;
    let updates = this.#matrices.get(key);
    if (updates === undefined)
      this.#matrices.set(key, (updates = [...memberUpdates(topology, node, matrix, id), ...rows]));
    return updates;
  }

  /** What is the same for all switches with these matrices, next hops and routes. */
  ofTwins(compiled: CompiledSwitch, make: () => readonly Update[]): readonly Update[] {
    let updates = this.#twins.get(compiled.matrices);
    if (updates === undefined) this.#twins.set(compiled.matrices, (updates = make()));
    return updates;
  }

  /** An entry for M rows and every value of the slice. */
  selectorRows(rows: number, values: number): readonly Update[] {
    const key = `${rows} ${values}`;
    let updates = this.#selectorRows.get(key);
    if (updates === undefined) this.#selectorRows.set(key, (updates = selectorRowUpdates(rows, values)));
    return updates;
  }
}

/**
 * All updates for a switch. Their order ensures that an object exists before an update refers to it: the hash seed,
 * members, groups, rows of matrices, s mod M, routes.
 */
export function switchUpdates(
  topology: Topology,
  compiled: CompiledSwitch,
  shared: SharedUpdates,
  seed: Update,
  known?: MatrixIds,
): Update[] {
  const updates =
    known === undefined
      ? shared.ofTwins(compiled, () => stateUpdates(topology, compiled, shared, new MatrixIds()))
      : stateUpdates(topology, compiled, shared, known);
  return [seed, ...updates];
}

function stateUpdates(
  topology: Topology,
  compiled: CompiledSwitch,
  shared: SharedUpdates,
  known: MatrixIds,
): Update[] {
  const updates: Update[] = [];
  const idOf = new Map(compiled.matrices.map((matrix) => [matrix, known.of(matrix)]));
  for (const [matrix, id] of idOf) {
    for (const update of shared.matrixOf(topology, compiled.node, matrix, id)) updates.push(update);
  }
  for (const [rows, values] of valuesByRows(compiled, shared.layout))
    for (const update of shared.selectorRows(rows, values)) updates.push(update);
  const actionFor = (hops: number) => {
    const matrix = compiled.ofHops[hops]!;
    const action = matrix.direction === "up" ? "to_uplinks" : "to_downlinks";
    return call(action, { matrix: idOf.get(matrix)!.matrix, rows: rowCount(matrix.matrix) });
  };
  const { versions } = shared;
  for (const keys of versions.length === 0 ? [[]] : versions.map((bit) => [exact("meta.version", bit)]))
    for (const update of routeUpdates(topology, compiled.routing, actionFor, keys)) updates.push(update);
  return updates;
}

/** Number of entries of the table s mod M. */
export function selectorRowEntries(compiled: CompiledSwitch, layout: SelectorLayout): number {
  let entries = 0;
  for (const values of valuesByRows(compiled, layout).values()) entries += values;
  return entries;
}

/**
 * BMv2 orders the members of a group by the order of their creation, not by the order in the group. So the
 * members of the base group p0 .. pN-1 are created twice in a row, the second time up to pN-2: every cyclic shift of the
 * group is then a sequence of N consecutive members in ascending order.
 */
function memberUpdates(
  topology: Topology,
  node: number,
  { direction, ports, matrix }: CompiledMatrix,
  { firstMember }: MatrixId,
): Update[] {
  const { base } = matrix;
  const profile = MEMBERS[direction];
  const actions = ports.map((port) => forward("to_next_hop", topology, node, port));
  return Array.from({ length: 2 * base.length - 1 }, (_, i) =>
    insert({ kind: "member", profile, memberId: firstMember + i, action: actions[base[i % base.length]!]! }),
  );
}

/** The groups of a matrix, then the entries that name its rows. */
function rowUpdates(
  { direction, ports, matrix, rows }: CompiledMatrix,
  { matrix: id, firstMember, firstGroup }: MatrixId,
): Update[] {
  const { base, offsetRows } = matrix;
  const columns = base.length;
  const groups: Update[] = [];
  const entries: Update[] = [];
  for (let row = 0; row < rows.length; row++) {
    const shifted = row < offsetRows;
    const start = shifted ? (columns - row) % columns : base.indexOf(row - offsetRows);
    const members = Array.from({ length: shifted ? columns : 1 }, (_, column) => ({
      memberId: firstMember + start + column,
      weight: 1,
      // The switch does not use a link that is down if the row has another next hop.
      watchPort: ports[base[(start + column) % columns]!]!,
    }));
    const groupId = firstGroup + row;
    groups.push(
      insert({ kind: "group", profile: MEMBERS[direction], groupId, members, maxSize: members.length }),
    );
    entries.push(
      tableEntry(`${direction}_matrix`, [exact("meta.matrix", id), exact("meta.row", row)], {
        kind: "group",
        groupId,
      }),
    );
  }
  return [...groups, ...entries];
}

function selectorRowUpdates(rows: number, values: number): Update[] {
  return Array.from({ length: values }, (_, value) =>
    tableEntry("row_of_selector", [exact("meta.rows", rows), exact("meta.slice", value)], {
      kind: "action",
      ...call("set_row", { row: value % rows }),
    }),
  );
}

/** By number of rows M: the number of values of the slice that is looked up modulo M. */
function valuesByRows(compiled: CompiledSwitch, layout: SelectorLayout): Map<number, number> {
  const values = new Map<number, number>();
  for (const { hop, matrix } of compiled.matrices) {
    const rows = rowCount(matrix);
    values.set(rows, Math.max(values.get(rows) ?? 0, 2 ** (layout.slices[hop]?.width ?? 0)));
  }
  return values;
}
