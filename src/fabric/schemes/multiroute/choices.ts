/** How each switch forwards packets to each rack: a group for selector 0, and a next hop for every other selector. */
import { LOCAL, rackRoutes, UNREACHABLE } from "../../paths/index.js";
import { computeRoutes, nodeAt, type RoutingTable, rackAt, type Topology } from "../../topology/index.js";
import type { Direction } from "../hash-settings.js";
import type { Trees } from "./trees.js";

/** The next hops of a switch towards one or more racks. */
interface RackChoice {
  readonly direction: Direction;
  /** Ports of the shortest routes, ascending: selector 0 takes one of them by the hash. */
  readonly base: readonly number[];
  /** By selector - 1: a port; 0 means as selector 0. */
  readonly named: readonly number[];
}

export interface SwitchChoices {
  /** Node index. */
  readonly node: number;
  /** The shortest routes, of which those to the switch's own hosts are used. */
  readonly routing: RoutingTable;
  readonly choices: readonly RackChoice[];
  /** By rack: index in {@link choices}, or `LOCAL` or `UNREACHABLE`. */
  readonly of: Int32Array;
}

/**
 * Choices of all switches, by ascending node index.
 *
 * @param topology the one of the trees, or the same with links down: then a selector leads along its path where the whole path is intact, and
 *   by the shortest routes elsewhere, so that there are no loops either
 */
export function switchChoices(topology: Topology, trees: Trees, original: Topology): SwitchChoices[] {
  const next = topology.racks.map((_, rack) => intactHops(topology, trees, original, rack));
  return computeRoutes(topology).map((routing) => {
    const { node, hopSets } = routing;
    const of = rackRoutes(topology, routing);
    const choices: RackChoice[] = [];
    const known = new Map<string, number>();
    for (let rack = 0; rack < of.length; rack++) {
      if (of[rack] === LOCAL) continue;
      const hops = of[rack] === UNREACHABLE ? undefined : hopSets[of[rack]!]!;
      const named = next[rack]!.map((ports) => ports[node]!);
      const first = named.find((port) => port > 0);
      const base = hops?.ports ?? (first === undefined ? [] : [first]);
      if (base.length === 0) continue;
      const direction = hops?.direction === "down" ? "down" : "up";
      const key = `${direction} ${base} ${named}`;
      let index = known.get(key);
      if (index === undefined) {
        index = choices.push({ direction, base, named }) - 1;
        known.set(key, index);
      }
      of[rack] = index;
    }
    return { node, routing, choices, of };
  });
}

/** By selector - 1 and node: the port of an intact path to the rack; else 0. */
function intactHops(topology: Topology, trees: Trees, original: Topology, rack: number): Int32Array[] {
  const { hosts, switches } = rackAt(topology, rack);
  // A host that has lost a link is a rack of its own.
  const own = hosts[0] === undefined ? rack : original.nodes[hosts[0]]!.host!.rack;
  const all = trees.to[own]!.next;
  return Array.from({ length: trees.selectors }, (_, selector) => {
    const wanted = all[selector];
    const intact = new Int32Array(topology.nodes.length);
    if (wanted === undefined) return intact;
    const goals = new Set(switches);
    const known = new Map<number, boolean>();
    const isIntact = (node: number): boolean => {
      if (goals.has(node)) return true;
      let whole = known.get(node);
      if (whole === undefined) {
        const port = wanted[node]!;
        const out = port === 0 ? undefined : nodeAt(topology, node).ports[port - 1]!;
        whole = out !== undefined && !topology.down?.has(out.link) && isIntact(out.peer);
        known.set(node, whole);
      }
      return whole;
    };
    for (const [node, port] of wanted.entries()) if (port > 0 && isIntact(node)) intact[node] = port;
    return intact;
  });
}

/** The port, if packets with all selectors leave by the same one. */
export function onlyPort({ base, named }: RackChoice): number | undefined {
  const [port] = base;
  return base.length === 1 && named.every((own) => own === 0 || own === port) ? port : undefined;
}

/** Ports by selector. */
export function rowsOfChoice({ base, named }: RackChoice): (readonly number[])[] {
  return [base, ...named.map((port) => (port === 0 ? base : [port]))];
}
