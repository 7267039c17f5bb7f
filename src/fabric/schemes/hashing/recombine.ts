/**
 * Colour recombining (ATC 2022, section 3): assigns functions by place, one after the other along the path. A place gets the function of an
 * earlier place, if the check of all paths finds that the colours of that function are mixed evenly where it is reused; otherwise
 * it gets a new one.
 */
import { fail, type Locate } from "../../../base/index.js";
import { type CorrelatedHops, PathChecker, representativePairs } from "../../paths/index.js";
import { nodeAt, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { type ChipFunction, hashModelOf } from "./functions.js";
import type { HashingParameters } from "./parameters.js";
import { hashingPaths } from "./path-model.js";
import { type Place, placeName } from "./places.js";
import type { ClassedSwitch } from "./routing.js";

/** A fabric whose places have no functions yet. */
interface Uncoloured {
  readonly topology: Topology;
  readonly switches: readonly ClassedSwitch[];
  readonly places: readonly Place[];
  readonly functions: readonly ChipFunction[];
  /** The seed of each switch, which matters for functions that are not affine. */
  seedOf(node: number): number;
}

/** Function by key of the place. */
export function recombine(
  { topology, switches, places, functions, seedOf }: Uncoloured,
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
        seed: seedOf(node),
      }),
      sizeOf: () => undefined,
    },
    parameters,
  );
  const pairs = representativePairs(topology);
  const checker = new PathChecker(topology, model, { pairs }, functions.map(hashModelOf));
  /** By place: its function; -1: none yet. */
  const given = [...places, undefined].map(() => -1);
  const found = new Map<string, number>();
  /** By function: the first place that uses it. */
  const owners = new Map<number, Place>();
  for (const [i, place] of places.entries()) {
    let refused: CorrelatedHops | undefined;
    const unused = [...functions.keys()].filter((index) => !owners.has(index));
    const candidates = [
      ...[...owners].flatMap(([index, owner]) => (mayReuse(parameters.reuse, place, owner) ? [index] : [])),
      ...unused,
    ];
    const chosen = candidates.find((index) => {
      given[i] = index;
      const { correlated, uneven } = checker.check(given, index);
      refused = correlated[0] ?? refused;
      // A function with too few values leaves next hops of the place without flows.
      return correlated.length === 0 && uneven.length === 0;
    });
    if (chosen === undefined) {
      const alone = given.map((_, at) => (at === i ? 0 : -1));
      const [self] = checker.check(alone).correlated;
      if (self !== undefined) return refuse(topology, self, locate);
      return tooFew(place, functions, unused.length, refused, locate);
    }
    found.set(place.key, chosen);
    if (!owners.has(chosen)) owners.set(chosen, place);
  }
  const [joint] = checker.check(given).correlated;
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
  unused: number,
  refused: CorrelatedHops | undefined,
  locate: Locate,
): never {
  const affine = functions.every((own) => hashModelOf(own).affine);
  fail(
    CODES.tooFewFunctions,
    locate(["chip"]) ?? locate(["design"]),
    unused === 0
      ? `recombining needs more than the ${functions.length} functions of the chip: ${place.key} would have number ${functions.length + 1}`
      : `recombining finds no function for ${place.key}: the ${unused} unused ones of the chip depend on functions of earlier places, or have too few values for its groups`,
    ...(refused === undefined ? [] : [`no stage recombines the colours on ${refused.path.join(" ")}`]),
    ...(affine ? [] : ["seeds: switch gives each switch another function where the function is not affine"]),
    "name a chip with more functions, allow reuse: any, or use design: coprime",
  );
}

/** A path crosses one place twice, so that a new function does not help. */
function refuse(
  topology: Topology,
  { path, first, second, polarisedShare }: CorrelatedHops,
  locate: Locate,
): never {
  const name = (node: number) => nodeAt(topology, node).name;
  return fail(
    CODES.notRecombined,
    locate(["design"]),
    `no stage between ${name(first.node)} and ${name(second.node)} recombines the colours: ` +
      `${Math.round(100 * polarisedShare)} % of the flows would be polarised`,
    `the path is ${path.join(" ")}`,
    "design: coprime gives the two choices groups of coprime sizes",
  );
}
