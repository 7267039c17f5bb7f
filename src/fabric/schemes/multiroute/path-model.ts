/** The choices of the switches as a path model. */
import type { PathModel } from "../../paths/index.js";
import { nodeAt, type Topology } from "../../topology/index.js";
import { type HashParameters, hashOf, seedOf } from "../hash-settings.js";
import { HashModels, hashModel } from "../path-model.js";
import { rowsOfChoice, type SwitchChoices } from "./choices.js";

/** @param width bits of the selector that the switches read */
export function multiroutePaths(
  topology: Topology,
  switches: readonly SwitchChoices[],
  parameters: HashParameters,
  width: number,
): PathModel {
  const models = new HashModels();
  const modelled = switches.map(({ node, choices, of }) => ({
    node,
    classes: 1,
    next: of,
    choices: choices.map((choice) => ({
      hash: models.indexOf(hashModel(hashOf(parameters, nodeAt(topology, node).role, choice.direction))),
      seed: seedOf(nodeAt(topology, node), parameters, choice.direction),
      rows: rowsOfChoice(choice),
      slice: { low: 0, width },
    })),
  }));
  return { switches: modelled, hashes: models.list };
}
