/** An assignment as a path model. */
import { given } from "../../../base/index.js";
import type { HashModel, PathModel, PortChoice, SwitchModel } from "../../paths/index.js";
import type { HopSet } from "../../topology/index.js";
import type { Assignment } from "./assignment.js";
import { hashModelOf } from "./functions.js";
import { partWeights, slotsOf } from "./groups.js";
import type { HashingParameters } from "./parameters.js";
import { type ClassedSwitch, KINDS } from "./routing.js";

/** Ports of the slots of a hop set's group. */
export function portsOfSlots(
  { ports, direction }: HopSet,
  size: number | undefined,
  { weights, duplication }: Pick<HashingParameters, "weights" | "duplication">,
): readonly number[] {
  if (ports.length === 1 || direction === "local") return ports.slice(0, 1);
  const own = partWeights(weights, ports.length);
  const total = own.reduce((sum, weight) => sum + weight, 0);
  return slotsOf(own, size ?? total, duplication).map((hop) => ports[hop]!);
}

export function hashingPaths(
  switches: readonly ClassedSwitch[],
  assignment: Pick<Assignment, "functions" | "settingOf" | "sizeOf">,
  parameters: Pick<HashingParameters, "weights" | "duplication">,
): PathModel {
  const hashes: HashModel[] = assignment.functions.map(hashModelOf);
  return { hashes, switches: switches.map((own) => switchModel(own, assignment, parameters)) };
}

function switchModel(
  own: ClassedSwitch,
  assignment: Pick<Assignment, "settingOf" | "sizeOf">,
  parameters: Pick<HashingParameters, "weights" | "duplication">,
): SwitchModel {
  const { node, sources, sourceOf, portKind, hopSets } = own;
  const classes = KINDS * sources;
  const racks = own.next.length / classes;
  const choices: PortChoice[] = [];
  const known = new Map<string, number>();
  const next = new Int32Array(own.next);
  for (let kind = 0; kind < KINDS; kind++) {
    const { function: hash, seed } = assignment.settingOf(node, kind);
    for (let source = 0; source < sources; source++) {
      const size = assignment.sizeOf(node, kind, source);
      const first = (kind + KINDS * source) * racks;
      for (let at = first; at < first + racks; at++) {
        const index = next[at]!;
        if (index < 0) continue;
        const key = `${index} ${kind} ${size}`;
        let choice = known.get(key);
        if (choice === undefined) {
          const set = hopSets[index]!;
          const wanted = partWeights(parameters.weights, set.ports.length);
          choice = choices.push({ hash, seed, rows: [portsOfSlots(set, size, parameters)], wanted }) - 1;
          known.set(key, choice);
        }
        next[at] = choice;
      }
    }
  }
  return {
    node,
    classes,
    portClass: portKind,
    ...given({ sourceClass: sourceOf === undefined ? undefined : sourceOf.map((source) => source * KINDS) }),
    next,
    choices,
  };
}
