/** An assignment of hash functions for people: the functions of the switches of each place. */
import type { Locate } from "../../../base/index.js";
import type { PathModel } from "../../paths/index.js";
import type { Topology } from "../../topology/index.js";
import type { HashAssignment, NamedSetting } from "../hash-assignment.js";
import { assign } from "./assign.js";
import { checkChip } from "./chip-limits.js";
import { unevenness } from "./groups.js";
import type { HashingParameters } from "./parameters.js";
import { hashingPaths } from "./path-model.js";
import { placeName, placesOf } from "./places.js";
import { KINDS, routeSwitches } from "./routing.js";

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
