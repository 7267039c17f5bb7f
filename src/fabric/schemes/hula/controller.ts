/** HULA's probes from the processor of each ToR, for switches without packet generators, such as BMv2. */
import type { PacketGenerator } from "../../../toolchain/device/index.js";
import { type Controller, type ControllerPlan, whileRunning } from "../../controllers/index.js";
import type { TopologyNode } from "../../topology/index.js";

/** One controller a ToR. It sends what packet generators would: each frame once a period, by the port of controllers. */
export function probeController(
  { name, index }: TopologyNode,
  generators: readonly PacketGenerator[],
): ControllerPlan {
  const controller: Controller = {
    start({ clock, switches: [own] }) {
      for (const { periodNs, frame } of generators)
        clock.every(periodNs, async () => {
          // A switch that does not run sends no probes.
          await whileRunning(() => own!.device.packetOut({ payload: frame, metadata: {} }));
        });
    },
  };
  return { name: `hula-${name}`, switches: [index], place: "switch", controller };
}
