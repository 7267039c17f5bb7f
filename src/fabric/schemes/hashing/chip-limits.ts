/** Checks that the groups of a switch, with the sizes of a design, are within the limits of its chip. */
import { fail, type Locate } from "../../../base/index.js";
import { nodeAt, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { Assignment } from "./assignment.js";
import type { HashingParameters } from "./parameters.js";
import { portsOfSlots } from "./path-model.js";
import { type ClassedSwitch, KINDS } from "./routing.js";

/** Throws DiagnosticError P45207 for a switch with more groups or members, or a larger group, than its chip has. */
export function checkChip(
  topology: Topology,
  own: ClassedSwitch,
  assignment: Pick<Assignment, "sizeOf">,
  parameters: HashingParameters,
  locate: Locate,
): void {
  const { chip_groups, chip_members, group_members } = parameters;
  const { name } = nodeAt(topology, own.node);
  const { groups, members, largest } = groupsOf(topology, own, assignment, parameters);
  if (largest > group_members)
    fail(
      CODES.groupMembers,
      locate(["group_members"]) ?? locate(["weights"]) ?? locate([]),
      `a group of ${name} has ${largest} entries, and the chip has ${group_members} for a group`,
      "write group_members of another chip, or smaller weights",
    );
  if (groups > chip_groups)
    fail(
      CODES.groupMembers,
      locate(["chip_groups"]) ?? locate(["routing"]) ?? locate([]),
      `${name} needs ${groups} groups, and the chip has ${chip_groups}`,
      "destinations with the same next hops share a group: write chip_groups of another chip, or another routing",
    );
  if (members > chip_members)
    fail(
      CODES.groupMembers,
      locate(["chip_members"]) ?? locate(["sizes"]) ?? locate(["group_members"]) ?? locate([]),
      `the groups of ${name} need ${members} members, and the chip has ${chip_members}`,
      `write smaller sizes of groups, for example group_members: ${Math.floor((group_members * chip_members) / members)}`,
    );
}

/** Number of different groups that a switch needs, of their members together, and of those of the largest group. */
function groupsOf(
  topology: Topology,
  { node, next, plain, hopSets }: ClassedSwitch,
  { sizeOf }: Pick<Assignment, "sizeOf">,
  parameters: HashingParameters,
): { groups: number; members: number; largest: number } {
  const racks = topology.racks.length;
  const seen = new Map<number | undefined, Uint8Array>();
  let [groups, members, largest] = [0, 0, 0];
  for (let arrival = 0; arrival < (plain ? 1 : next.length / racks); arrival++) {
    const size = sizeOf(node, arrival % KINDS, Math.floor(arrival / KINDS));
    const ofSize = seen.get(size) ?? new Uint8Array(hopSets.length);
    seen.set(size, ofSize);
    for (let at = arrival * racks; at < (arrival + 1) * racks; at++) {
      const index = next[at]!;
      if (index < 0 || ofSize[index] === 1) continue;
      ofSize[index] = 1;
      const slots = portsOfSlots(hopSets[index]!, size, parameters).length;
      if (slots === 1) continue;
      groups++;
      members += slots;
      largest = Math.max(largest, slots);
    }
  }
  return { groups, members, largest };
}
