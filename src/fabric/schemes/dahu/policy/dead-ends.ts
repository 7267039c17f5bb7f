/** Neighbours to which a switch must not deroute: a packet could only come back from them (docs/papers/dahu.md, "dead ends"). */

/**
 * Whether a neighbour is a dead end of a destination: it is farther from it, and all its ports of shortest paths lead back to the switch.
 * A packet never leaves by the port by which it came (section 3.3), so the neighbour could only drop it.
 */
export function isDeadEnd(
  /** Links from the switch and from the neighbour to the destination. */
  own: number,
  theirs: number,
  /** Number of the neighbour's ports of shortest paths, and of the links between the two. */
  shortestOfNeighbour: number,
  linksBetween: number,
): boolean {
  return theirs > own && shortestOfNeighbour <= linksBetween;
}
