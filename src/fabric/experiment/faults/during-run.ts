/** Faults of a run in the simulator at their times, those of controllers included. */
import { Random } from "../../../base/index.js";
import type { Command, ControllerFault } from "../control-plane.js";
import type { SimulatorStage } from "../kinds/kind.js";
import { SimulatorFaults } from "../on-simulator.js";
import { type Fault, transitionsOf } from "./fault.js";
import { FlowDrops } from "./flow-drops.js";

/** Faults and commands that the file lists for a run. */
export interface RunFaults {
  readonly faults: readonly Fault[];
  readonly controllerFaults: readonly ControllerFault[];
  /** Commands of the file to controllers; absent: none. */
  readonly commands?: readonly Command[];
}

type FaultStage = Pick<SimulatorStage, "fabric" | "seed" | "power" | "plane" | "note">;

/**
 * Schedules all changes before `duration`, which may be infinite if no fault flaps without an end. Times count from now. Faults
 * that do not end stay in the fabric. The returned function throws the error of a failed restart of a switch, if there was one;
 * the simulation has then been stopped. `drops`: made before the flows open, where they open before this call.
 */
export function scheduleFaults(
  { faults: listed, controllerFaults, commands = [] }: RunFaults,
  duration: number,
  { fabric, seed, power, plane, note }: FaultStage,
  drops = new FlowDrops(fabric, listed, note),
): () => void {
  const { simulation } = fabric.network;
  const start = simulation.now;
  const faults = new SimulatorFaults(fabric, { random: new Random(seed).fork("faults"), ...power, drops });
  let failed: unknown;
  for (const { at, fault, begins } of transitionsOf(listed, duration)) {
    simulation.at(start + at, () => {
      if (begins) return faults.begin(fault);
      faults.end(fault)?.catch((error) => {
        failed = error;
        simulation.stop();
      });
    });
  }
  if (plane !== undefined) {
    for (const fault of controllerFaults)
      simulation.at(start + fault.at, () => {
        const { controller, kind } = fault;
        const name = `controller ${controller}`;
        if (kind === "kill") fabric.events.faultBegan(name, `${name}: kill`, {});
        else fabric.events.faultEnded(name, `${name}: restart`, {});
        plane.apply(fault);
      });
    for (const command of commands)
      simulation.at(start + command.at, () => {
        fabric.events.ordered(`command ${command.name} to the controllers of ${command.scheme}`);
        plane.command(command);
      });
  }
  return () => {
    if (failed !== undefined) throw failed;
  };
}
