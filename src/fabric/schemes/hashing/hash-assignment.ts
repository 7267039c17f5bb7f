/** An assignment of hash functions for people: the functions of the switches of each place. */
import { fail, type Locate } from "../../../base/index.js";
import type { PathModel } from "../../paths/index.js";
import { nodeAt, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { HashAssignment, NamedSetting } from "../scheme.js";
import { assign } from "./assign.js";
import type { Assignment } from "./assignment.js";
import { unevenness } from "./groups.js";
import type { HashingParameters } from "./parameters.js";
import { hashingPaths, portsOfSlots } from "./path-model.js";
import { placeName, placesOf } from "./places.js";
import { type ClassedSwitch, KINDS, routeSwitches } from "./routing.js";

/** Throws DiagnosticError, P45201 to P45207, where there is no such assignment. */
export function hashAssignment(
  topology: Topology,
  parameters: HashingParameters,
  locate: Locate = () => undefined,
): HashAssignment {
  const switches = routeSwitches(topology, parameters.routing, parameters.k, locate);
  const assignment = assign(topology, switches, parameters, locate);
  for (const own of switches) checkChip(topology, own, assignment, parameters, locate);
  const model = hashingPaths(switches, assignment, parameters);
  const byNode = new Map(model.switches.map((own) => [own.node, own]));
  const places = placesOf(topology, switches).map(({ key, kind, nodes }): NamedSetting => {
    const settings = nodes.map((node) => assignment.settingOf(node, kind));
    const slots = nodes.flatMap((node) => {
      const { next, choices, classes } = byNode.get(node)!;
      const racks = next.length / classes;
      const used = new Set<number>();
      for (let own = kind; own < classes; own += KINDS)
        for (let rack = 0; rack < racks; rack++) used.add(next[own * racks + rack]!);
      return [...used].flatMap((index) => (index < 0 ? [] : choices[index]!.rows[0]!.length));
    });
    return {
      place: key,
      switches: nodes.length,
      functions: distinct(settings.map(({ function: index }) => assignment.functions[index]!.name)),
      seeds: new Set(settings.map(({ seed }) => seed).filter((seed) => seed !== 0)).size,
      slots: distinct(slots.filter((count) => count > 1)).sort((a, b) => a - b),
    };
  });
  const note =
    places.length === 0
      ? `Design ${parameters.design}: no switch chooses between next hops, so no function is in use.`
      : `Design ${parameters.design}: ${assignment.used} of the chip's ${assignment.functions.length} functions are in use at ${places.length} places.`;
  const floor = floorNote(model);
  return {
    model,
    places,
    notes: [note, ...(floor === undefined ? [] : [floor])],
    placeOf: (node, kind) => placeName(topology, node, kind),
  };
}

/** CV of the slots of a group from which a note names it: the paper's bound for coprime groups (ATC 2022, figure 15). */
const HIGH_FLOOR = 0.1;

/** The group whose slots alone are the most uneven, if they are beyond {@link HIGH_FLOOR}: no function makes its loads even (section 4.2). */
export function floorNote({ switches }: PathModel): string | undefined {
  let worst: { cv: number; slots: number; ports: number } | undefined;
  const seen = new Set<string>();
  for (const { rows, wanted } of switches.flatMap(({ choices }) => choices)) {
    const row = Array.from(rows[0]!);
    const ports = distinct(row);
    const hops = row.map((port) => ports.indexOf(port));
    const key = hops.join(" ");
    if (ports.length < 2 || seen.has(key)) continue;
    seen.add(key);
    const cv = unevenness(wanted === undefined ? ports.map(() => 1) : Array.from(wanted), hops);
    if (cv > (worst?.cv ?? HIGH_FLOOR)) worst = { cv, slots: row.length, ports: ports.length };
  }
  if (worst === undefined) return undefined;
  const { cv, slots, ports } = worst;
  return `Groups of ${slots} slots for ${ports} next hops are uneven by their slots alone: CV ${cv.toFixed(3)}. Larger groups, or a design with equal slots, make them even.`;
}

function distinct<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}

// Checks that the groups of a switch, with the sizes of a design, are within the limits of its chip.

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
