/**
 * Colour recombining (ATC 2022, section 3): assigns functions by place, one after the other along the path. A place gets the function of an
 * earlier place, if the check of all paths finds that the colours of that function are mixed evenly where it is reused; otherwise
 * it gets a new one.
 */
import { fail, type Locate } from "../../base/index.js";
import { type CorrelatedHops, PathChecker, representativePairs } from "../../paths/index.js";
import type { Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { ChipFunction } from "./functions.js";
import type { HashingParameters } from "./parameters.js";
import { hashingPaths } from "./path-model.js";
import { type Place, placeName } from "./places.js";
import type { ClassedSwitch } from "./routing.js";

/** Function by key of the place. */
export function recombine(
  topology: Topology,
  switches: readonly ClassedSwitch[],
  places: readonly Place[],
  functions: readonly ChipFunction[],
  parameters: HashingParameters,
  locate: Locate,
): Map<string, number> {
  // In this model each place has a function of its own, with the number of the place; the last is for what has no choice.
  const number = new Map(places.map(({ key }, i) => [key, i]));
  const model = hashingPaths(
    switches,
    {
      functions: [...places, undefined].map(() => functions[0]!),
      settingOf: (node, kind) => ({
        function: number.get(placeName(topology, node, kind)) ?? places.length,
        seed: 0,
      }),
      sizeOf: () => undefined,
    },
    parameters,
  );
  const checker = new PathChecker(topology, model, { pairs: representativePairs(topology) });
  /** By place: the place whose function it uses. */
  const sharing = [...places.keys(), places.length];
  const worst = (only?: number) => checker.check(sharing, only).correlated[0];
  const found = new Map<string, number>();
  /** By function: the first place that uses it. */
  const owners: number[] = [];
  for (const [i, place] of places.entries()) {
    let refused: CorrelatedHops | undefined;
    const self = worst(i);
    if (self !== undefined) return refuse(topology, self, locate);
    for (const [index, owner] of owners.entries()) {
      if (!mayReuse(parameters.reuse, place, places[owner]!)) continue;
      sharing[i] = owner;
      const correlated = worst(owner);
      if (correlated === undefined) {
        found.set(place.key, index);
        break;
      }
      refused = correlated;
      sharing[i] = i;
    }
    if (found.has(place.key)) continue;
    found.set(place.key, owners.push(i) - 1);
    if (owners.length > functions.length) return tooFew(place, functions, refused, locate);
  }
  const joint = worst();
  if (joint !== undefined) return refuse(topology, joint, locate);
  return found;
}

/** `any`: wherever it is proved; `stage`: downwards in the stage that uses it upwards; a list: the latter in these stages only. */
function mayReuse(reuse: HashingParameters["reuse"], place: Place, owner: Place): boolean {
  if (reuse === "any") return true;
  return owner.tier === place.tier && (reuse === "stage" || reuse.includes(place.tier));
}

function tooFew(
  place: Place,
  functions: readonly ChipFunction[],
  refused: CorrelatedHops | undefined,
  locate: Locate,
): never {
  return fail(
    CODES.tooFewFunctions,
    locate(["chip"]) ?? locate(["design"]),
    `recombining needs more than the ${functions.length} functions of the chip: ${place.key} would have number ${functions.length + 1}`,
    ...(refused === undefined ? [] : [`no stage recombines the colours on ${refused.path.join(" ")}`]),
    "name a chip with more functions, allow reuse: any, or use design: coprime",
  );
}

/** A path crosses one place twice, so that a new function does not help. */
function refuse(
  topology: Topology,
  { path, first, second, polarisedShare }: CorrelatedHops,
  locate: Locate,
): never {
  const name = (node: number) => topology.nodes[node]!.name;
  return fail(
    CODES.notRecombined,
    locate(["design"]),
    `no stage between ${name(first.node)} and ${name(second.node)} recombines the colours: ` +
      `${Math.round(100 * polarisedShare)} % of the flows would be polarised`,
    `the path is ${path.join(" ")}`,
    "design: coprime gives the two choices groups of coprime sizes",
  );
}
