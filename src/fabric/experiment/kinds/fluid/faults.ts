/** The faults of a fluid experiment, as changes of directed links. */
import type { Diagnostics, Locate } from "../../../../base/index.js";
import type { LinkChange } from "../../../sim/flow/index.js";
import type { Topology } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import { directionsOf, type Fault } from "../../faults/fault.js";
import { type ListedFault, listedFaults } from "../../faults/listed-faults.js";
import { transitionsOf } from "../../faults/schedule.js";
import type { FluidSettings } from "./schema.js";

/** In time order. Adds the codes of faults (P43014, P43015, P43022, P43028 to P43037), and P45427 for one that needs packets. */
export function linkChanges(
  { faults: listed, duration }: FluidSettings,
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): LinkChange[] {
  const before = diagnostics.errorCount;
  for (const [number, fault] of listed.entries()) checkFault(fault, number, locate, diagnostics);
  if (diagnostics.errorCount > before) return [];
  const faults = listedFaults(
    { faults: listed, duration, ip: 4, flows: NO_FLOWS },
    topology,
    locate,
    diagnostics,
  );
  if (diagnostics.errorCount > before) return [];
  return transitionsOf(faults, duration).map(
    ({ at, fault, begins }): LinkChange => ({
      atNs: at,
      fails: begins,
      links: linksOf(fault, topology),
      // Neighbours of a killed switch keep their carrier, as in the packet simulator.
      signalled: fault.effect.kind === "down",
      ...(fault.effect.kind === "kill" && !begins ? { restarted: fault.element.index } : {}),
    }),
  );
}

/** The directed links that carry nothing while the fault acts: all of a killed switch in both directions. */
function linksOf({ element, effect }: Fault, topology: Topology): number[] {
  if (effect.kind === "kill")
    return topology.nodes[element.index]!.ports.flatMap(({ link }) => [2 * link, 2 * link + 1]);
  return directionsOf(topology, element).map(({ link, from }) => 2 * link + (from === "a" ? 0 : 1));
}

/** Faults of flows have been refused before. */
const NO_FLOWS = "the flow simulator has no packets";

const OTHER_ELEMENTS = ["host", "control", "flow", "controller"] as const;
const OTHER_EFFECTS = ["loss", "corruption", "delay", "rate", "match", "drop", "counted"] as const;

function checkFault(fault: ListedFault, number: number, locate: Locate, diagnostics: Diagnostics): void {
  const key = [...OTHER_ELEMENTS, ...OTHER_EFFECTS].find((one) => fault[one] !== undefined);
  if (key === undefined) return;
  diagnostics.error(
    CODES.fluidFault,
    locate(["faults", number, key]) ?? locate(["faults", number]),
    `a fault with the key ${key}: the flow simulator has no packets, and faults of links, ports and switches alone`,
    "write link, port or switch, with the kind down, up, silent, repair, kill or restart",
  );
}
