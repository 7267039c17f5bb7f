/** An assignment of hash functions for people: the functions of the switches of each place. */
import type { Locate } from "../../base/index.js";
import type { Topology } from "../../topology/index.js";
import type { HashAssignment, NamedSetting } from "../hash-assignment.js";
import { assign } from "./assign.js";
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
  const note = `Design ${parameters.design}: ${assignment.used} of the chip's ${assignment.functions.length} functions are in use at ${places.length} places.`;
  return { model, places, note, placeOf: (node, kind) => placeName(topology, node, kind) };
}

function distinct<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}
