/**
 * The common part of the control planes of all schemes: the names of tables and actions in the templates, and the updates
 * for routes and next hops.
 */
import type { ActionCall, Match, TableAction, Update } from "../../toolchain/device/index.js";
import {
  type HopSet,
  nodeAt,
  type Prefix,
  type Route,
  type RoutingTable,
  type Topology,
} from "../topology/index.js";

const INGRESS = "FabricIngress";
const ingressNames = new Map<string, string>();

/** The name of an object of the ingress control in P4Info: the same string object for all uses. */
export function ingressName(name: string): string {
  let full = ingressNames.get(name);
  if (full === undefined) ingressNames.set(name, (full = `${INGRESS}.${name}`));
  return full;
}

export function exact(field: string, value: number): Match {
  return { kind: "exact", field, value: BigInt(value) };
}

export function insert(entity: Update["entity"]): Update {
  return { type: "insert", entity };
}

/** Entry of an exact or longest-prefix table. */
export function tableEntry(table: string, match: readonly Match[], action: TableAction): Update {
  return insert({ kind: "tableEntry", table: ingressName(table), match, priority: 0, action });
}

/** A call of an ingress action with small numbers as parameters. */
export function call(action: string, params: Readonly<Record<string, number | bigint>>): ActionCall {
  const values: Record<string, bigint> = {};
  for (const name in params) values[name] = BigInt(params[name]!);
  return { action: ingressName(action), params: values };
}

/** Sends by `port`, to the address of the router or host at its other end. */
export function forward(action: "to_port" | "to_next_hop", topology: Topology, node: number, port: number) {
  const peer = nodeAt(topology, node).ports[port - 1]!.peer;
  return call(action, { port, mac: nodeAt(topology, peer).mac });
}

/** Route entries of switches that use the same action: by the call, then by the IPv4 prefix. */
export type SharedRoutes = Map<ActionCall, Map<Prefix, readonly [Update, Update]>>;

/**
 * Entries of both route tables. `actionFor` is called for hop sets of two or more ports. `keys`: match fields in addition to the
 * destination, the same in all entries. `shared`: entries for other switches with the same keys, which are reused where
 * `actionFor` returns the same object.
 */
export function routeUpdates(
  topology: Topology,
  table: RoutingTable,
  actionFor: (hops: number) => ActionCall,
  keys: readonly Match[] = [],
  shared?: SharedRoutes,
): Update[] {
  const entriesOf = table.hopSets.map((hops, index) => {
    if (hops.ports.length === 0) return entryMaker(call("unreachable", {}), keys);
    const single = singlePort(hops);
    if (single !== undefined) return entryMaker(forward("to_port", topology, table.node, single), keys);
    const action = actionFor(index);
    if (shared === undefined) return entryMaker(action, keys);
    let known = shared.get(action);
    if (known === undefined) shared.set(action, (known = new Map()));
    return entryMaker(action, keys, known);
  });
  const updates: Update[] = [];
  for (const route of table.routes) {
    const [ipv4, ipv6] = entriesOf[route.hops]!(route);
    updates.push(ipv4, ipv6);
  }
  return updates;
}

/** Makes the entries of a route in both tables, or takes them from `known`. */
function entryMaker(
  call: ActionCall,
  keys: readonly Match[],
  known?: Map<Prefix, readonly [Update, Update]>,
) {
  const action: TableAction = { kind: "action", ...call };
  return (route: Route): readonly [Update, Update] => {
    let entries = known?.get(route.ipv4);
    if (entries === undefined) {
      entries = [routeEntry("ipv4", route, action, keys), routeEntry("ipv6", route, action, keys)];
      known?.set(route.ipv4, entries);
    }
    return entries;
  };
}

/** The only port to use; undefined if there are several. Parallel links of a host count as one. */
export function singlePort(hops: HopSet): number | undefined {
  return hops.ports.length === 1 || hops.direction === "local" ? hops.ports[0] : undefined;
}

function routeEntry(
  family: "ipv4" | "ipv6",
  route: Route,
  action: TableAction,
  keys: readonly Match[],
): Update {
  const { address, length } = route[family];
  // A prefix of length 0 is a don't-care match, which P4Runtime writes as an absent field.
  const prefix: Match[] =
    length === 0
      ? []
      : [{ kind: "lpm", field: `hdr.${family}.dst_addr`, value: address, prefixLength: length }];
  return tableEntry(`${family}_routes`, keys.length === 0 ? prefix : [...prefix, ...keys], action);
}

/** Table size for `entries`: a power of two, larger than needed for small tables. */
export function tableSize(entries: number): number {
  let size = 16;
  while (size < entries) size *= 2;
  return size;
}
