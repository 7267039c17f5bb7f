/** The interface that a run provides for each switch, and the events that controllers get from it. */
import type { Device } from "../../toolchain/device/index.js";
import type { Topology, TopologyNode } from "../topology/index.js";
import type { LinkEvent, SwitchEvent } from "./controller.js";

/** The state of a switch that a control plane can see in addition to the answers of its device. */
export interface SwitchState {
  /** Whether its process runs and it has the program and state that its scheme planned. */
  readonly running: boolean;
  /** Ports without a carrier; while the switch does not run, as in its last report. */
  readonly downPorts: ReadonlySet<number>;
}

/** The control channel of a switch. It outlives the processes of the switch and all controllers. */
export interface SwitchSession {
  readonly device: Device;
  /** Calls back with the state as soon as it is known, and with each change; returns a function that ends the subscription. */
  watchState(listener: (state: SwitchState) => void): () => void;
}

/** A listener of states that calls back for each port that goes down or comes up. */
export function linkEvents(
  topology: Topology,
  node: TopologyNode,
  listener: (event: LinkEvent) => void,
): (state: SwitchState) => void {
  let known: ReadonlySet<number> = new Set();
  const notify = (port: number, up: boolean) => {
    const own = node.ports[port - 1];
    if (own !== undefined) listener({ switch: node, port, link: topology.links[own.link]!, up });
  };
  return ({ running, downPorts }) => {
    if (!running) return;
    const before = known;
    known = new Set(downPorts);
    for (const port of [...before].sort((a, b) => a - b)) if (!known.has(port)) notify(port, true);
    for (const port of [...known].sort((a, b) => a - b)) if (!before.has(port)) notify(port, false);
  };
}

/** A listener of states that calls back for each end and each restart of the switch. */
export function switchEvents(
  node: TopologyNode,
  listener: (event: SwitchEvent) => void,
): (state: SwitchState) => void {
  let known = true;
  return ({ running }) => {
    if (running === known) return;
    known = running;
    listener({ switch: node, running });
  };
}
