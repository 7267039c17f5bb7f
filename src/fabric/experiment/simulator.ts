/** The simulated network of a scheme. */
import { Random } from "../../base/index.js";
import { selectorHeaders, selectorOf } from "../../base/packets/index.js";
import { Fabric, type Node, Simulation } from "../sim/packet/index.js";
import type { TopologyNode } from "../topology/index.js";
import type { FabricExperiment } from "./experiment.js";
import type { SchemeRun } from "./scheme-run.js";
import { wireModel } from "./wire.js";

/** Makes the switch of a node; `bootFabric` passes one that runs compiled programs. */
export type SwitchMaker = (node: TopologyNode, simulation: Simulation) => Node;

/** The network of a scheme, its switches not yet configured. */
export function buildFabric(
  experiment: FabricExperiment,
  { plan, hosts }: SchemeRun,
  makeSwitch: SwitchMaker,
  seed: number,
): Fabric {
  const simulation = new Simulation({ turn: () => new Promise((resolve) => setImmediate(resolve)) });
  const { queues, wire } = experiment.settings;
  return new Fabric({
    simulation,
    topology: experiment.topology,
    policy: hosts,
    random: new Random(seed).fork("hosts"),
    codec: {
      headersOf: (selector) => selectorHeaders(plan.field, selector),
      selectorOf: (headers) => selectorOf(plan.field, headers),
    },
    queueBytes: queues.bytes,
    queuePackets: queues.packets,
    wire: wireModel(wire),
    makeSwitch: (node) => makeSwitch(node, simulation),
  });
}
