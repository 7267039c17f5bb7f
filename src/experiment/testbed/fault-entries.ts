/** A silent fault as entries of the fault tables (`withFaultTable`) of the switches that it concerns. */
import { type Device, DeviceError, type Match, type TableEntry } from "../../device/index.js";
import type { Topology } from "../../topology/index.js";
import type { Site } from "../failure-sites.js";

export interface SwitchFault {
  /** Node index of a switch. */
  readonly node: number;
  readonly entries: readonly TableEntry[];
}

/** All bits of a port number in v1model. */
const PORT_MASK = 0x1ffn;

/**
 * A switch that loses everything has one entry, which matches any packet. A link loses both directions at each end
 * that is a switch: what came by its port, and what would leave by it.
 */
export function faultEntries(topology: Topology, site: Site): SwitchFault[] {
  if (site.kind === "node") return [{ node: site.index, entries: [lose()] }];
  const { a, b } = topology.links[site.index]!;
  return [a, b]
    .filter(({ node }) => topology.nodes[node]!.role !== "host")
    .map(({ node, port }) => ({
      node,
      entries: [lose(onPort("ingress", port)), lose(onPort("egress", port))],
    }));
}

/** Puts entries into a switch, or takes them out again; those that are out already are no error then. */
export async function writeFault(
  device: Device,
  type: "insert" | "delete",
  entries: readonly TableEntry[],
): Promise<void> {
  try {
    await device.write(entries.map((entity) => ({ type, entity })));
  } catch (error) {
    if (type === "insert" || !(error instanceof DeviceError)) throw error;
    const codes = error.updates?.map(({ code }) => code) ?? [error.code];
    if (!codes.every((code) => code === "OK" || code === "NOT_FOUND")) throw error;
  }
}

function onPort(which: "ingress" | "egress", port: number): Match {
  return {
    kind: "ternary",
    field: `standard_metadata.${which}_port`,
    value: BigInt(port),
    mask: PORT_MASK,
  };
}

function lose(...match: Match[]): TableEntry {
  const action = { kind: "action", action: "FabricEgress.lose", params: {} } as const;
  return { kind: "tableEntry", table: "FabricEgress.faults", match, priority: 1, action };
}
