/**
 * Predicts the runs of a testbed with the simulator, which has the same programs and the same state: the flow of each run,
 * the paths of its two directions, and the element that fails. The first packets of a flow do not depend on time.
 */

import { Random } from "../../../../base/index.js";
import type { FlowKey } from "../../../../base/packets/index.js";
import type { Fabric } from "../../../sim/packet/index.js";
import type { Topology } from "../../../topology/index.js";
import type { Element } from "../../faults/fault.js";
import { agentSeed } from "../../testbed/scheme-on-lab.js";
import type { DrawnFailure } from "./failures.js";
import type { PathExample } from "./results.js";
import { FailoverRig, FlowDrawer, type Paths } from "./rig.js";
import type { Experiment } from "./schema.js";

export interface PredictedRun {
  /** Node indexes of the hosts. */
  readonly source: number;
  readonly destination: number;
  readonly clientPort: number;
  readonly paths: Paths;
  /** The elements that fail. */
  readonly elements: readonly Element[];
  /** Nanoseconds from the start of the flow to the failure. */
  readonly failsAfter: number;
}

export class Predictor {
  readonly #experiment: Experiment;
  readonly #fabric: Fabric;
  readonly #seed: number;

  constructor(experiment: Experiment, fabric: Fabric, seed: number) {
    this.#experiment = experiment;
    this.#fabric = fabric;
    this.#seed = seed;
  }

  /** `use`: number of earlier connections with the same hosts and ports in this lab. */
  run(failure: DrawnFailure, run: number, use: number): PredictedRun {
    const { topology } = this.#experiment;
    const drawer = new FlowDrawer(this.#experiment, this.#fabric, (_run, _end, flow) =>
      agentRandom(topology, this.#seed, flow, use),
    );
    const { flow, paths, elements, failsAfter } = drawer.draw(failure, run, this.#seed);
    drawer.close(flow);
    const { source, destination, clientPort } = flow;
    return { source: source.host, destination: destination.host, clientPort, paths, elements, failsAfter };
  }

  /** Paths of one flow before the failure and after its recovery, as in the simulator. */
  example(failure: DrawnFailure, runs: number): PathExample | undefined {
    return new FailoverRig(this.#experiment, this.#fabric).show(failure, runs, this.#seed);
  }
}

/** The randomness that the agent of the sending host gives to a flow; it depends on addresses and ports in hexadecimal. */
function agentRandom(topology: Topology, seed: number, flow: FlowKey, use: number): Random {
  const host = topology.nodes.find(
    (node) => node.host !== undefined && [node.host.ipv4, node.host.ipv6].includes(flow.src),
  )!;
  const digits = flow.src === host.host!.ipv4 ? 8 : 32;
  const hex = (value: bigint | number, length: number) => value.toString(16).padStart(length, "0");
  const key = hex(flow.src, digits) + hex(flow.dst, digits) + hex(flow.srcPort, 4) + hex(flow.dstPort, 4);
  return new Random(agentSeed(seed, host.name)).fork(key).fork(use);
}
