/**
 * A packet under Dahu as a Markov chain (Dahu, sections 3.3 and 4.2). State: switch, switch it came from, derouting count.
 *
 * - With a count below n all allowed ports may be taken, otherwise shortest ones only; each allowed port is equally likely.
 * - A packet does not go back on its ingress port.
 * - A port that is not on a shortest path counts one deroute.
 * - Dead ends: a port off the shortest paths is not taken if the neighbour has no shortest port but the one back, since
 *   the packet may arrive there with its last deroute. The paper, which has HyperX in mind, does not meet this case.
 */
import { type Fraction, fraction, ONE, plus, times, ZERO } from "./fraction.js";
import { distances, type Graph, neighbours, nextHops } from "./graph.js";

export interface Walk {
  readonly graph: Graph;
  readonly target: number;
  readonly deroutes: number;
  /** Ports that the scheme has at all; constrained routing (4.2.2) takes those along offset dimensions. */
  readonly allowed?: (node: number, to: number) => boolean;
  /** Without the rule of dead ends. */
  readonly deadEnds?: boolean;
}

/** The neighbours that a packet may go to. The graph has no parallel edges here. */
export function allowedNext(walk: Walk, node: number, from: number | undefined, count: number): number[] {
  const far = distances(walk.graph, walk.target);
  const shortest = (at: number): number[] => nextHops(walk.graph, at, walk.target).map(({ to }) => to);
  const direct = shortest(node);
  const members =
    count >= walk.deroutes
      ? direct
      : neighbours(walk.graph, node)
          .map(({ to }) => to)
          .filter(
            (to) =>
              direct.includes(to) ||
              (far[to] !== Number.POSITIVE_INFINITY &&
                (walk.allowed?.(node, to) ?? true) &&
                (walk.deadEnds === true || shortest(to).some((next) => next !== node))),
          );
  return members.filter((to) => to !== from);
}

export interface WalkResult {
  /** Probability of each number of hops of the packets that arrive. */
  readonly hops: ReadonlyMap<number, Fraction>;
  /** Probability that a packet comes to a switch with no port that it may take. */
  readonly stuck: Fraction;
}

/** The exact distribution. It is finite: at most n hops do not shorten the way, and each adds at most one to it. */
export function walkFrom(walk: Walk, start: number): WalkResult {
  const hops = new Map<number, Fraction>();
  let stuck = ZERO;
  let states = new Map([[`${start},,0`, ONE]]);
  for (let made = 0; states.size > 0; made++) {
    const next = new Map<string, Fraction>();
    for (const [key, chance] of states) {
      const [nodeText, fromText, countText] = key.split(",");
      const [node, count] = [Number(nodeText), Number(countText)];
      if (node === walk.target) {
        hops.set(made, plus(hops.get(made) ?? ZERO, chance));
        continue;
      }
      const choices = allowedNext(walk, node, fromText === "" ? undefined : Number(fromText), count);
      if (choices.length === 0) stuck = plus(stuck, chance);
      const far = distances(walk.graph, walk.target);
      for (const to of choices) {
        const state = `${to},${node},${far[to]! === far[node]! - 1 ? count : count + 1}`;
        next.set(state, plus(next.get(state) ?? ZERO, times(chance, fraction(1, choices.length))));
      }
    }
    states = next;
  }
  return { hops, stuck };
}

export const meanHops = ({ hops }: WalkResult): Fraction =>
  [...hops].reduce((mean, [count, chance]) => plus(mean, times(fraction(count), chance)), ZERO);

/** HyperX (4.1): switches are vectors; two that differ in one dimension have a link. */
export function hyperX(shape: readonly number[]): { graph: Graph; coordinates: number[][] } {
  let coordinates: number[][] = [[]];
  for (const size of shape)
    coordinates = coordinates.flatMap((prefix) => Array.from({ length: size }, (_, at) => [...prefix, at]));
  const edges: [number, number][] = [];
  for (const [a, first] of coordinates.entries())
    for (const [b, second] of coordinates.entries())
      if (a < b && first.filter((value, dimension) => value !== second[dimension]).length === 1)
        edges.push([a, b]);
  return { graph: { nodes: coordinates.length, edges }, coordinates };
}
