/** Controllers on the packet simulator: virtual time, and the control channels over which the fabric was booted. */
import { STOP_LIMIT_NS } from "../controllers/index.js";
import { controlClock, type Simulation } from "../sim/packet/index.js";
import type { BootedFabric } from "./boot.js";
import { ControlPlane, type ControlPlaneOptions } from "./control-plane.js";
import type { SchemeRun } from "./scheme-run.js";

/**
 * Starts the controllers of a scheme, and advances virtual time until all are ready for traffic; undefined where the scheme has none.
 * Time 0 of their clock is now. Throws the DiagnosticError (P433xx) of a controller that fails in this time.
 */
export async function startControllers(
  { fabric, channels, hostChannels }: BootedFabric,
  { label, plan }: SchemeRun,
  seed: number,
): Promise<ControlPlane | undefined> {
  if ((plan.controllers ?? []).length === 0) return undefined;
  const { network, topology } = fabric;
  const { simulation } = network;
  const plane = planeOver(simulation, channels, hostChannels, { label, plan, topology, seed });
  try {
    await runUntil(simulation, plane, plane.host.startAll(), Number.POSITIVE_INFINITY);
  } catch (error) {
    plane.close();
    throw error;
  }
  return plane;
}

/** A control plane whose sessions are these channels, by node. Time 0 of its clock is now. */
export function planeOver(
  simulation: Simulation,
  channels: BootedFabric["channels"],
  hostChannels: BootedFabric["hostChannels"],
  options: Omit<ControlPlaneOptions, "clock" | "session" | "hostSession">,
): ControlPlane {
  return new ControlPlane({
    ...options,
    clock: controlClock(simulation, simulation.now),
    session: (node, place) => {
      const device = channels.get(node)![place];
      return { device, watchState: (listener) => device.watchState(listener) };
    },
    hostSession: (node) => hostChannels.get(node)!,
  });
}

/** Stops all controllers in virtual time and lets them finish their work. */
export async function stopControllers(simulation: Simulation, plane: ControlPlane): Promise<void> {
  try {
    // The time limit of each controller is an event: time does not advance beyond it.
    await runUntil(simulation, plane, plane.host.stopAll(), simulation.now + 2 * STOP_LIMIT_NS);
  } finally {
    plane.close();
  }
}

/** Advances virtual time to `until`; throws the DiagnosticError of a controller that fails. */
export async function runControlled(
  simulation: Simulation,
  plane: ControlPlane | undefined,
  until: number,
): Promise<void> {
  if (plane === undefined) return await simulation.runAsync(until);
  await simulation.runAsync(until, () => plane.failed);
  plane.throwIfFailed();
}

async function runUntil(
  simulation: Simulation,
  plane: ControlPlane,
  promise: Promise<unknown>,
  until: number,
): Promise<void> {
  let settled = false;
  const mark = () => {
    settled = true;
  };
  promise.then(mark, mark);
  await simulation.runAsync(until, () => settled || plane.failed);
  plane.throwIfFailed();
}
