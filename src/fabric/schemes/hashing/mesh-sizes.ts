/**
 * Coprime sizes in a network without stages (ATC 2022, section 5.4): two switches that choose on one path have different functions,
 * or groups whose sizes are coprime. Switches get a function and a size one after the other, those with the most conflicts first.
 */
import { fail, type Locate } from "../../../base/index.js";
import { LOCAL } from "../../paths/index.js";
import { nodeAt, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { ChipFunction } from "./functions.js";
import { bestSize, partWeights } from "./groups.js";
import type { HashingParameters } from "./parameters.js";
import { type ClassedSwitch, KINDS } from "./routing.js";

export function meshSizes(
  topology: Topology,
  switches: readonly ClassedSwitch[],
  functions: readonly ChipFunction[],
  { weights, group_members: most, duplication }: HashingParameters,
  locate: Locate,
): { functionOf: (node: number) => number; sizeOf: (node: number) => number | undefined } {
  const conflicts = conflictsOf(topology, switches);
  const groupsOf = new Map(
    switches.map(({ node, hopSets }) => [
      node,
      hopSets
        .filter(({ ports, direction }) => ports.length > 1 && direction !== "local")
        .map(({ ports }) => partWeights(weights, ports.length)),
    ]),
  );
  const order = [...conflicts].sort(([a, x], [b, y]) => y.size - x.size || a - b).map(([node]) => node);
  const given = new Map<number, { function: number; size: number }>();
  const known = new Map<string, number>();
  for (const node of order) {
    const others = [...conflicts.get(node)!].flatMap((other) => given.get(other) ?? []);
    let best: { function: number; size: number } | undefined;
    for (let index = 0; index < functions.length; index++) {
      const taken = others.filter((other) => other.function === index).map(({ size }) => size);
      const size = bestSize(
        groupsOf.get(node)!,
        taken,
        Math.min(most, 2 ** functions[index]!.width),
        duplication,
        known,
      );
      if (size !== undefined && (best === undefined || taken.length === 0)) best = { function: index, size };
      if (taken.length === 0) break;
    }
    if (best === undefined) {
      const { name } = nodeAt(topology, node);
      return fail(
        CODES.groupMembers,
        locate(["group_members"]) ?? locate(["design"]),
        `no size up to ${most} is left for ${name}: it shares paths with ${conflicts.get(node)!.size} other switches`,
        `sizes in use are ${[...new Set(others.map(({ size }) => size))].sort((a, b) => a - b).join(", ")}`,
        "allow more entries for a group (group_members), or name a chip with more functions",
      );
    }
    given.set(node, best);
  }
  return {
    functionOf: (node) => given.get(node)?.function ?? 0,
    sizeOf: (node) => given.get(node)?.size,
  };
}

/** For each switch with a choice: the switches that may choose earlier or later for the same flow. */
function conflictsOf(topology: Topology, switches: readonly ClassedSwitch[]): Map<number, Set<number>> {
  const byNode = new Map(switches.map((own) => [own.node, own]));
  const racks = topology.racks.length;
  const conflicts = new Map<number, Set<number>>();
  for (const from of topology.racks)
    for (const to of topology.racks) {
      if (from.index === to.index) continue;
      const seen = new Set<number>();
      const choosing: number[] = [];
      const visit = (node: number, port: number) => {
        const own = byNode.get(node)!;
        if (seen.has(node)) return;
        seen.add(node);
        const kind = own.portKind[port] ?? 0;
        const source = own.sourceOf?.[from.index] ?? 0;
        const index = own.next[(kind + KINDS * source) * racks + to.index]!;
        if (index === LOCAL || index < 0) return;
        const { ports } = own.hopSets[index]!;
        if (ports.length > 1) choosing.push(node);
        for (const out of ports) {
          const { peer, peerPort } = nodeAt(topology, node).ports[out - 1]!;
          if (byNode.has(peer)) visit(peer, peerPort);
        }
      };
      for (const start of from.switches) visit(start, 0);
      for (const a of choosing)
        for (const b of choosing) {
          if (a === b) continue;
          const own = conflicts.get(a) ?? new Set();
          conflicts.set(a, own.add(b));
        }
      for (const a of choosing) if (!conflicts.has(a)) conflicts.set(a, new Set());
    }
  return conflicts;
}
