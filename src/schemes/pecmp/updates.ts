/** Compiled matrices as updates for the program of `templates/pecmp/`. */
import type { Update } from "../../device/index.js";
import type { Topology } from "../../topology/index.js";
import { call, exact, forward, ingressName, insert, routeUpdates, tableEntry } from "../fabric.js";
import type { CompiledMatrix, CompiledSwitch } from "./compile.js";
import type { SelectorLayout } from "./layout.js";
import { rowCount } from "./matrix.js";
import { type MatrixId, MatrixIds } from "./matrix-ids.js";

/**
 * All updates for a switch. Their order ensures that an object exists before an update refers to it: members,
 * groups, rows of matrices, s mod M, routes.
 */
export function switchUpdates(
  topology: Topology,
  compiled: CompiledSwitch,
  layout: SelectorLayout,
  known: MatrixIds = new MatrixIds(),
): Update[] {
  const updates: Update[] = [];
  for (const matrix of compiled.matrices) {
    addMatrix(updates, topology, compiled.node, matrix, known.of(matrix));
  }
  addSelectorRows(updates, compiled, layout);
  const routes = routeUpdates(topology, compiled.routing, (hops) => {
    const matrix = compiled.ofHops[hops]!;
    const action = matrix.direction === "up" ? "to_uplinks" : "to_downlinks";
    return call(action, { matrix: known.of(matrix).matrix, rows: rowCount(matrix.matrix) });
  });
  return [...updates, ...routes];
}

/** Number of entries of the table s mod M. */
export function selectorRowEntries(compiled: CompiledSwitch, layout: SelectorLayout): number {
  const versions = layout.versionBit === "none" ? 1 : 2;
  let entries = 0;
  for (const values of valuesByRows(compiled, layout).values()) entries += values * versions;
  return entries;
}

/**
 * BMv2 orders the members of a group by the order of their creation, not by the order in the group. So the
 * members of the base group p0 .. pN-1 are created twice in a row, the second time up to pN-2: every cyclic shift of the
 * group is then a sequence of N consecutive members in ascending order.
 */
function addMatrix(
  updates: Update[],
  topology: Topology,
  node: number,
  { direction, ports, matrix, rows }: CompiledMatrix,
  { matrix: id, firstMember, firstGroup }: MatrixId,
): void {
  const { base, offsetRows } = matrix;
  const columns = base.length;
  const profile = ingressName(`${direction}_members`);
  for (let i = 0; i < 2 * columns - 1; i++) {
    const action = forward("to_next_hop", topology, node, ports[base[i % columns]!]!);
    updates.push(insert({ kind: "member", profile, memberId: firstMember + i, action }));
  }
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
    groups.push(insert({ kind: "group", profile, groupId, members, maxSize: members.length }));
    entries.push(
      tableEntry(`${direction}_matrix`, [exact("meta.matrix", id), exact("meta.row", row)], {
        kind: "group",
        groupId,
      }),
    );
  }
  updates.push(...groups, ...entries);
}

/** Highest of the 16 bits that the program looks up. */
const VERSION = 1 << 15;

/** Adds an entry for every M in use and every value of the slice; both versions refer to the same rows. */
function addSelectorRows(updates: Update[], compiled: CompiledSwitch, layout: SelectorLayout): void {
  const versions = layout.versionBit === "none" ? [0] : [0, VERSION];
  for (const [rows, values] of valuesByRows(compiled, layout)) {
    for (const version of versions) {
      for (let value = 0; value < values; value++) {
        updates.push(
          tableEntry("row_of_selector", [exact("meta.rows", rows), exact("meta.slice", version + value)], {
            kind: "action",
            ...call("set_row", { row: value % rows }),
          }),
        );
      }
    }
  }
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
