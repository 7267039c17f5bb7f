/** Flows whose way crosses a leaf that starts to lose a share of the packets without a signal: a gray failure. */
import { Random } from "../../src/base/index.js";
import { FlowDrawer } from "../../src/experiment/flow-draw.js";
import type { Experiment, SchemeRun } from "../../src/experiment/index.js";
import { buildFabric } from "../../src/experiment/simulator.js";
import type { Channel, Node } from "../../src/sim/packet/index.js";
import { modelSwitch } from "./model-fabric.js";

/** A switch that loses each packet with probability `loss`. */
class LossySwitch implements Node {
  loss = 0;
  random = new Random(0);

  constructor(readonly inner: Node) {}

  get name(): string {
    return this.inner.name;
  }

  attach(port: number, output: Channel): void {
    this.inner.attach(port, output);
  }

  receive(port: number, frame: Uint8Array): void {
    if (this.loss > 0 && this.random.float() < this.loss) return;
    this.inner.receive(port, frame);
  }
}

/** Means over all flows, from the failure to `duration` later. */
export interface GrayOutcome {
  readonly timeouts: number;
  readonly megabytes: number;
}

/**
 * Runs `flows` flows of a scheme, one after the other. One leaf on the way of each loses the share `loss` of the packets
 * for `duration` nanoseconds. All schemes meet the same flows, leaves and draws of lost packets.
 */
export function runGrayFailure(
  experiment: Experiment,
  scheme: SchemeRun,
  { loss, flows, duration, seed }: { loss: number; flows: number; duration: number; seed: number },
): GrayOutcome {
  const fabric = buildFabric(experiment, scheme, (node) => new LossySwitch(modelSwitch(scheme, node)));
  const drawer = new FlowDrawer(experiment, fabric);
  const { simulation } = fabric.network;
  let timeouts = 0;
  let bytes = 0;
  for (let run = 0; run < flows; run++) {
    const { flow, site, startedAt, failsAfter } = drawer.draw("leaf", run, seed);
    simulation.run(startedAt + failsAfter);
    const leaf = fabric.nodes[site.index] as LossySwitch;
    leaf.random = new Random(seed).fork(`loss ${run}`);
    leaf.loss = loss;
    const before = flow.client.bytesAcknowledged;
    flow.client.listener = { timedOut: () => void timeouts++ };
    simulation.run(simulation.now + duration);
    flow.client.listener = {};
    bytes += flow.client.bytesAcknowledged - before;
    leaf.loss = 0;
    drawer.close(flow);
  }
  return { timeouts: timeouts / flows, megabytes: bytes / flows / 1e6 };
}
