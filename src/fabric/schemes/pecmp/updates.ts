/** Compiled matrices as updates for the program of `templates/pecmp/`. */
import { SequenceIndex } from "../../../base/index.js";
import type { ActionCall, Update } from "../../../toolchain/device/index.js";
import { nodeAt, type RoutingTable, type Topology } from "../../topology/index.js";
import {
  call,
  exact,
  forward,
  ingressName,
  insert,
  routeUpdates,
  type SharedRoutes,
  tableEntry,
} from "../fabric.js";
import type { CompiledMatrix, CompiledSwitch } from "./compile.js";
import type { SelectorLayout } from "./layout.js";
import { rowCount } from "./matrix.js";
import { type MatrixId, MatrixIds } from "./matrix-ids.js";

const MEMBERS = { up: ingressName("up_members"), down: ingressName("down_members") } as const;

/** Value of the version bit. */
export type Version = 0 | 1;

/** At first both versions of the routes are equal. */
export function versionsOf({ versionBit }: SelectorLayout): readonly Version[] {
  return versionBit === "none" ? [] : [0, 1];
}

/** The updates of a matrix with certain ids. */
interface WrittenMatrix {
  readonly id: MatrixId;
  /** Its groups and rows. */
  readonly rows: readonly Update[];
  /** The neighbours at its ports, and by their index the members with them, then the groups and rows. */
  readonly peers: SequenceIndex;
  readonly updates: (readonly Update[])[];
}

/** Updates that several switches of a fabric share, made once for a plan. */
export class SharedUpdates {
  readonly #matrices = new Map<CompiledMatrix, WrittenMatrix[]>();
  readonly #selectorRows = new Map<string, readonly Update[]>();
  readonly #calls = new Map<string, ActionCall>();
  /** By version. */
  readonly #routes = new Map<Version | undefined, SharedRoutes>();
  /** By the routes that twins share. */
  readonly #twins = new Map<
    RoutingTable["routes"],
    { compiled: CompiledSwitch; updates: readonly Update[] }
  >();

  /** @param versions versions for which routes are written, unless a caller gives others */
  constructor(
    readonly layout: SelectorLayout,
    readonly versions: readonly Version[] = versionsOf(layout),
  ) {}

  /** Members, groups and rows of a matrix of a switch: all switches with the same neighbours at these ports share them. */
  matrixOf(topology: Topology, node: number, matrix: CompiledMatrix, id: MatrixId): readonly Update[] {
    let written = this.#matrices.get(matrix);
    if (written === undefined) this.#matrices.set(matrix, (written = []));
    let own = written.find((one) => isSameId(one.id, id));
    if (own === undefined) {
      own = { id, rows: rowUpdates(matrix, id), peers: new SequenceIndex(), updates: [] };
      written.push(own);
    }
    const { ports } = nodeAt(topology, node);
    const index = own.peers.indexOf(matrix.ports.map((port) => ports[port - 1]!.peer));
    return (own.updates[index] ??= memberUpdates(topology, node, matrix, id).concat(own.rows));
  }

  /** The updates that all switches with these matrices, next hops and routes, and with the same first update, share. */
  ofTwins(compiled: CompiledSwitch, make: () => readonly Update[]): readonly Update[] {
    const { routes } = compiled.routing;
    const known = this.#twins.get(routes);
    if (known?.compiled.matrices === compiled.matrices) return known.updates;
    const updates = make();
    this.#twins.set(routes, { compiled, updates });
    return updates;
  }

  /** An entry for M rows and every value of the slice. */
  selectorRows(rows: number, values: number): readonly Update[] {
    const key = `${rows} ${values}`;
    let updates = this.#selectorRows.get(key);
    if (updates === undefined) this.#selectorRows.set(key, (updates = selectorRowUpdates(rows, values)));
    return updates;
  }

  /** The action call of a route over a matrix: the same object for the same matrix id and number of rows. */
  callOf({ direction, rows }: CompiledMatrix, { matrix }: MatrixId): ActionCall {
    const key = `${direction} ${matrix} ${rows.length}`;
    let known = this.#calls.get(key);
    if (known === undefined) {
      known = call(direction === "up" ? "to_uplinks" : "to_downlinks", { matrix, rows: rows.length });
      this.#calls.set(key, known);
    }
    return known;
  }

  routesOf(version: Version | undefined): SharedRoutes {
    let routes = this.#routes.get(version);
    if (routes === undefined) this.#routes.set(version, (routes = new Map()));
    return routes;
  }
}

function isSameId(a: MatrixId, b: MatrixId): boolean {
  return a.matrix === b.matrix && a.firstMember === b.firstMember && a.firstGroup === b.firstGroup;
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
): readonly Update[] {
  if (known !== undefined) return stateUpdates(topology, compiled, shared, seed, known);
  const updates = shared.ofTwins(compiled, () =>
    stateUpdates(topology, compiled, shared, seed, new MatrixIds()),
  );
  return updates[0] === seed ? updates : [seed, ...updates.slice(1)];
}

function stateUpdates(
  topology: Topology,
  compiled: CompiledSwitch,
  shared: SharedUpdates,
  seed: Update,
  known: MatrixIds,
): Update[] {
  const { matrices, ofHops, routing } = compiled;
  const ids = new Map<CompiledMatrix, MatrixId>();
  const parts: (readonly Update[])[] = [];
  for (const matrix of matrices) {
    const id = known.of(matrix);
    ids.set(matrix, id);
    parts.push(shared.matrixOf(topology, compiled.node, matrix, id));
  }
  for (const [rows, values] of valuesByRows(matrices, shared.layout))
    parts.push(shared.selectorRows(rows, values));
  const actionFor = (hops: number) => {
    const matrix = ofHops[hops]!;
    return shared.callOf(matrix, ids.get(matrix)!);
  };
  for (const version of shared.versions.length === 0 ? [undefined] : shared.versions) {
    const keys = version === undefined ? [] : [exact("meta.version", version)];
    parts.push(routeUpdates(topology, routing, actionFor, keys, shared.routesOf(version)));
  }
  return [seed].concat(...parts);
}

/** Number of entries of the table s mod M. */
export function selectorRowEntries(matrices: readonly CompiledMatrix[], layout: SelectorLayout): number {
  let entries = 0;
  for (const values of valuesByRows(matrices, layout).values()) entries += values;
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
  const updates: Update[] = [];
  for (let i = 0; i < 2 * base.length - 1; i++) {
    const action = actions[base[i % base.length]!]!;
    updates.push(insert({ kind: "member", profile, memberId: firstMember + i, action }));
  }
  return updates;
}

/** The groups of a matrix, then the entries that name its rows. */
function rowUpdates(
  { direction, ports, matrix, rows }: CompiledMatrix,
  { matrix: id, firstMember, firstGroup }: MatrixId,
): Update[] {
  const { base, offsetRows } = matrix;
  const columns = base.length;
  const slots = Array.from({ length: 2 * columns - 1 }, (_, i) => ({
    memberId: firstMember + i,
    weight: 1,
    // The switch does not use a link that is down if the row has another next hop.
    watchPort: ports[base[i % columns]!]!,
  }));
  const profile = MEMBERS[direction];
  const table = `${direction}_matrix`;
  const matrixKey = exact("meta.matrix", id);
  const groups: Update[] = [];
  const entries: Update[] = [];
  for (let row = 0; row < rows.length; row++) {
    const shifted = row < offsetRows;
    const start = shifted ? (columns - row) % columns : base.indexOf(row - offsetRows);
    const members = slots.slice(start, start + (shifted ? columns : 1));
    const groupId = firstGroup + row;
    groups.push(insert({ kind: "group", profile, groupId, members, maxSize: members.length }));
    entries.push(tableEntry(table, [matrixKey, exact("meta.row", row)], { kind: "group", groupId }));
  }
  return groups.concat(entries);
}

function selectorRowUpdates(rows: number, values: number): Update[] {
  return Array.from({ length: values }, (_, value) =>
    tableEntry("row_of_selector", [exact("meta.rows", rows), exact("meta.slice", value)], {
      kind: "action",
      ...call("set_row", { row: value % rows }),
    }),
  );
}

/** By number of rows M: the number of values of the slice that are looked up modulo M. */
function valuesByRows(matrices: readonly CompiledMatrix[], layout: SelectorLayout): Map<number, number> {
  const values = new Map<number, number>();
  for (const { hop, matrix } of matrices) {
    const rows = rowCount(matrix);
    values.set(rows, Math.max(values.get(rows) ?? 0, 2 ** (layout.slices[hop]?.width ?? 0)));
  }
  return values;
}
