/** Choices of a switch as updates for the programs of `templates/pecmp/`. */
import type { Entity, TableAction, Update } from "../../../toolchain/device/index.js";
import type { Route, Topology } from "../../topology/index.js";
import { call, exact, forward, ingressName, insert, tableEntry } from "../fabric.js";
import { DIRECTIONS, type Direction } from "../hash-settings.js";
import { onlyPort, rowsOfChoice, type SwitchChoices } from "./choices.js";

/**
 * All updates for a switch after its hash seed, each object before those that refer to it: members, groups, rows of matrices, s mod
 * M, routes.
 *
 * @param selectors in use beside 0
 * @param values values of the selector's slice
 */
export function choiceUpdates(
  topology: Topology,
  own: SwitchChoices,
  ids: ChoiceIds,
  selectors: number,
  values: number,
): Update[] {
  const { node } = own;
  const members: Update[] = [];
  const groups: Update[] = [];
  const rows: Update[] = [];
  const known = new Set<string>();
  const once = (key: string) => !known.has(key) && known.add(key) !== undefined;
  const groupOf = (direction: Direction, ports: readonly number[]): number => {
    const groupId = ids.group(direction, ports);
    if (!once(`${direction} group ${groupId}`)) return groupId;
    const profile = ingressName(`${direction}_members`);
    for (const port of ports)
      if (once(`${direction} member ${port}`)) {
        const action = forward("to_next_hop", topology, node, port);
        members.push(insert({ kind: "member", profile, memberId: port, action }));
      }
    const list = ports.map((port) => ({ memberId: port, weight: 1, watchPort: port }));
    groups.push(insert({ kind: "group", profile, groupId, members: list, maxSize: list.length }));
    return groupId;
  };
  const actions = own.choices.map((choice): TableAction => {
    const port = onlyPort(choice);
    if (port !== undefined) return { kind: "action", ...forward("to_port", topology, node, port) };
    const { direction } = choice;
    const byRow = rowsOfChoice(choice).map((ports) => groupOf(direction, ports));
    const matrix = ids.matrix(direction, byRow);
    if (once(`${direction} matrix ${matrix}`))
      for (const [row, groupId] of byRow.entries())
        rows.push(
          tableEntry(`${direction}_matrix`, [exact("meta.matrix", matrix), exact("meta.row", row)], {
            kind: "group",
            groupId,
          }),
        );
    return { kind: "action", ...call(`to_${direction}links`, { matrix, rows: selectors + 1 }) };
  });
  if (rows.length > 0)
    for (let value = 0; value < values; value++)
      rows.push(
        tableEntry("row_of_selector", [exact("meta.rows", selectors + 1), exact("meta.slice", value)], {
          kind: "action",
          ...call("set_row", { row: value % (selectors + 1) }),
        }),
      );
  // BMv2 numbers the slots of a group by the age of its members.
  members.sort((a, b) => memberId(a) - memberId(b));
  return [...members, ...groups, ...rows, ...routes(topology, own, actions)];
}

function memberId({ entity }: Update): number {
  return entity.kind === "member" ? entity.memberId : 0;
}

/** A route for every rack, and one for every host of the switch. */
function routes(
  topology: Topology,
  { node, routing, of }: SwitchChoices,
  actions: readonly TableAction[],
): Update[] {
  const updates: Update[] = [];
  const add = ({ ipv4, ipv6 }: Pick<Route, "ipv4" | "ipv6">, action: TableAction) => {
    for (const [family, { address, length }] of [["ipv4", ipv4] as const, ["ipv6", ipv6] as const]) {
      const match = {
        kind: "lpm",
        field: `hdr.${family}.dst_addr`,
        value: address,
        prefixLength: length,
      } as const;
      updates.push(tableEntry(`${family}_routes`, [match], action));
    }
  };
  for (const rack of topology.racks) {
    const choice = of[rack.index]!;
    if (choice >= 0 && rack.hosts.length > 0) add(rack, actions[choice]!);
  }
  for (const { hops, ...prefixes } of routing.routes) {
    const { direction, ports } = routing.hopSets[hops]!;
    if (direction === "local" && ports.length > 0)
      add(prefixes, { kind: "action", ...forward("to_port", topology, node, ports[0]!) });
  }
  return updates;
}

// Ids of the groups and matrices of one switch: a group of ports, and a list of groups by selector, keep their ids from plan to plan.
// The id of a member is the number of its port, and so is the id of a group of one port.

/** Ids of groups of several ports are above all port numbers. */
const FIRST_SHARED_GROUP = 512;

export class ChoiceIds {
  readonly #groups = new Map<string, number>();
  readonly #matrices = new Map<string, number>();
  #nextGroup = FIRST_SHARED_GROUP;
  #nextMatrix = 1;

  /** @param entities groups and rows of matrices that the switch has */
  constructor(entities: readonly Entity[] = []) {
    const rows = new Map<string, { matrix: number; groups: number[] }>();
    for (const entity of entities) {
      if (entity.kind === "group") {
        const ports = entity.members.map(({ memberId }) => memberId).sort((a, b) => a - b);
        const way = DIRECTIONS.find((one) => entity.profile === ingressName(`${one}_members`));
        if (ports.length > 1 && way !== undefined) this.#groups.set(`${way} ${ports}`, entity.groupId);
        this.#nextGroup = Math.max(this.#nextGroup, entity.groupId + 1);
      } else if (entity.kind === "tableEntry" && entity.action?.kind === "group") {
        const way = DIRECTIONS.find((one) => entity.table === ingressName(`${one}_matrix`));
        if (way === undefined) continue;
        const field = (name: string) => {
          const match = entity.match.find((one) => one.field === name);
          return match?.kind === "exact" ? Number(match.value) : 0;
        };
        const matrix = field("meta.matrix");
        const own = rows.get(`${way} ${matrix}`) ?? { matrix, groups: [] };
        own.groups[field("meta.row")] = entity.action.groupId;
        rows.set(`${way} ${matrix}`, own);
        this.#nextMatrix = Math.max(this.#nextMatrix, matrix + 1);
      }
    }
    for (const [key, { matrix, groups }] of rows)
      this.#matrices.set(`${key.split(" ")[0]} ${groups}`, matrix);
  }

  /** Group of ascending ports. */
  group(direction: Direction, ports: readonly number[]): number {
    if (ports.length === 1) return ports[0]!;
    const key = `${direction} ${ports}`;
    let id = this.#groups.get(key);
    if (id === undefined) this.#groups.set(key, (id = this.#nextGroup++));
    return id;
  }

  /** Matrix by the groups of its rows. */
  matrix(direction: Direction, groups: readonly number[]): number {
    const key = `${direction} ${groups}`;
    let id = this.#matrices.get(key);
    if (id === undefined) this.#matrices.set(key, (id = this.#nextMatrix++));
    return id;
  }
}
