/** The function and seed of each switch for packets from below and for others, and the sizes of its groups. */

import { fail, type Locate, Random } from "../../../base/index.js";
import { nodeAt, switchesOf, type Topology, tierOf } from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { Assignment } from "./assignment.js";
import { type ChipFunction, chipFunction } from "./functions.js";
import { areCoprime, bestSize, partWeights } from "./groups.js";
import { meshSizes } from "./mesh-sizes.js";
import { CHIPS, type HashingParameters } from "./parameters.js";
import { type Place, placesOf } from "./places.js";
import { recombine } from "./recombine.js";
import type { ClassedSwitch } from "./routing.js";

export function assign(
  topology: Topology,
  switches: readonly ClassedSwitch[],
  parameters: HashingParameters,
  locate: Locate = () => undefined,
): Assignment {
  const { design, hash_seed } = parameters;
  checkSizesAreUsed(parameters, locate);
  const functions = functionsOf(parameters, locate);
  const random = new Random(hash_seed).fork("hash assignment");
  const drawsSeeds =
    (parameters.seeds ?? (design === "per_stage" || design === "random" ? "switch" : "none")) === "switch";
  const seedOf = (node: number) =>
    drawsSeeds ? random.fork(`seed ${nodeAt(topology, node).name}`).uint32() : 0;
  const made = (
    functionOf: (node: number, kind: number) => number,
    sizeOf: Assignment["sizeOf"] = () => undefined,
  ) => {
    const used = new Set(switches.flatMap(({ node }) => [0, 1].map((kind) => functionOf(node, kind))));
    return {
      functions,
      used: used.size,
      settingOf: (node: number, kind: number) => ({ function: functionOf(node, kind), seed: seedOf(node) }),
      sizeOf,
    };
  };
  const stageOf = (node: number) => tierOf(nodeAt(topology, node)) - 1;
  switch (design) {
    case "one":
      return made(() => 0);
    case "per_stage": {
      const drawn = parameters.draw ? drawByBlock(topology, functions.length, random) : undefined;
      return made((node) => drawn?.get(node) ?? stageOf(node) % functions.length);
    }
    case "random": {
      const drawn = new Map(
        switches.map(({ node }) => [
          node,
          random.fork(`function ${nodeAt(topology, node).name}`).int(functions.length),
        ]),
      );
      return made((node) => drawn.get(node)!);
    }
    case "per_port": {
      const places = placesOf(topology, switches);
      needFunctions(places, functions, locate);
      return made(byPlace(places, new Map(places.map((place, i) => [place.key, i]))));
    }
    case "recombining": {
      const places = placesOf(topology, switches);
      const found = recombine({ topology, switches, places, functions, seedOf }, parameters, locate);
      return made(byPlace(places, found));
    }
    case "coprime":
      return coprime({ topology, switches, functions }, parameters, made, locate);
  }
}

function functionsOf({ chip }: HashingParameters, locate: Locate): ChipFunction[] {
  if (typeof chip === "string") return CHIPS[chip].map((name) => chipFunction(name));
  return chip.map((name, i) => chipFunction(name, (path) => locate(["chip", i, ...path])));
}

/** A function by place; places without a choice have the first one. */
function byPlace(places: readonly Place[], functionOf: ReadonlyMap<string, number>) {
  const known = new Map(
    places.flatMap((place) => place.nodes.map((node) => [`${node} ${place.kind}`, place.key])),
  );
  return (node: number, kind: number) => functionOf.get(known.get(`${node} ${kind}`) ?? "") ?? 0;
}

function needFunctions(places: readonly Place[], functions: readonly ChipFunction[], locate: Locate): void {
  if (places.length <= functions.length) return;
  fail(
    CODES.tooFewFunctions,
    locate(["chip"]) ?? locate(["design"]),
    `per_port needs ${places.length} functions, and the chip has ${functions.length}`,
    `they are for ${places.map(({ key }) => key).join(", ")}`,
    "design: recombining reuses functions where a proof excludes polarisation; design: coprime makes groups of coprime sizes",
  );
}

/** Functions of all switches: each block draws an order of them, and its stages use them in turn. */
function drawByBlock(topology: Topology, functions: number, random: Random): Map<number, number> {
  const orders = new Map<number, number[]>();
  const drawn = new Map<number, number>();
  for (const node of switchesOf(topology)) {
    const block = node.pod ?? -1;
    let order = orders.get(block);
    if (order === undefined) {
      order = random.fork(`block ${block}`).shuffle([...Array(functions).keys()]);
      orders.set(block, order);
    }
    drawn.set(node.index, order[(tierOf(node) - 1) % functions]!);
  }
  return drawn;
}

/** Functions by place as far as the chip has them; groups of coprime sizes decorrelate traffic in transit from other traffic. */
function coprime(
  {
    topology,
    switches,
    functions,
  }: { topology: Topology; switches: readonly ClassedSwitch[]; functions: readonly ChipFunction[] },
  parameters: HashingParameters,
  made: (functionOf: (node: number, kind: number) => number, sizeOf?: Assignment["sizeOf"]) => Assignment,
  locate: Locate,
): Assignment {
  const { sizes, group_members: most, duplication, routing } = parameters;
  if (routing !== "transit") {
    const { functionOf, sizeOf } = meshSizes(topology, switches, functions, parameters, locate);
    return made(functionOf, sizeOf);
  }
  const places = placesOf(topology, switches);
  needFunctions(places, functions, locate);
  const groups = switches.flatMap(({ hopSets }) =>
    hopSets
      .filter(({ ports, direction }) => ports.length > 1 && direction !== "local")
      .map(({ ports }) => partWeights(parameters.weights, ports.length)),
  );
  const distinct = [...new Map(groups.map((weights) => [weights.join(" "), weights])).values()];
  const largest = Math.max(0, ...distinct.map((own) => own.reduce((sum, weight) => sum + weight, 0)));
  checkSizes(distinct, largest, parameters, locate);
  const first = sizes?.[0] ?? bestSize(distinct, [], most, duplication);
  const second =
    first === undefined ? undefined : (sizes?.[1] ?? bestSize(distinct, [first], most, duplication));
  if (first === undefined || second === undefined)
    return fail(
      CODES.groupMembers,
      locate(["group_members"]) ?? locate(["design"]),
      first === undefined
        ? `a group has ${largest} entries, and the chip has ${most} for a group`
        : `no size from ${largest} to ${most} is coprime to ${first}`,
      "a chip with more entries for a group is needed (group_members)",
    );
  return made(byPlace(places, new Map(places.map((place, i) => [place.key, i]))), (_node, _kind, source) =>
    source === 0 ? first : second,
  );
}

/** Sizes that the user gives: coprime, at most the chip's entries, and at least those of each group (theorem 2, condition 1). */
function checkSizes(
  groups: readonly (readonly number[])[],
  largest: number,
  { sizes, group_members: most, duplication }: HashingParameters,
  locate: Locate,
): void {
  if (sizes === undefined) return;
  const [own, other] = sizes;
  if (!areCoprime(own, other))
    fail(
      CODES.groupSizes,
      locate(["sizes"]),
      `${own} and ${other} are not coprime`,
      `with ${own}, the best size up to ${most} is ${bestSize(groups, [own], most, duplication) ?? "none"}`,
    );
  for (const [i, size] of sizes.entries()) {
    if (size > most)
      fail(
        CODES.groupMembers,
        locate(["sizes", i]),
        `a group has ${size} entries`,
        `the chip has ${most} for a group (group_members)`,
      );
    if (size < largest)
      fail(
        CODES.groupSizes,
        locate(["sizes", i]),
        `${size} entries are fewer than the ${largest} that the largest group needs: some next hops would get no flow or too few`,
        `write a size from ${largest} to ${most}, or leave out sizes: the best ones are taken`,
      );
  }
}

/** `sizes` are those of own traffic and of transit; other designs and routings would ignore them. */
function checkSizesAreUsed({ sizes, design, routing }: HashingParameters, locate: Locate): void {
  if (sizes === undefined || (design === "coprime" && routing === "transit")) return;
  fail(
    CODES.groupSizes,
    locate(["sizes"]),
    `sizes are for design: coprime with routing: transit; this is design: ${design} with routing: ${routing}`,
    design === "coprime"
      ? "without transit each switch gets a size of its own, which group_members limits"
      : "leave out sizes, or write design: coprime and routing: transit",
  );
}
