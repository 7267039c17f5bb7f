/** Packet trimming of a whole network: what was counted, by the port of a switch. */
import type { Topology } from "../../../topology/index.js";
import type { Node } from "../channel.js";
import { SwitchNode } from "../switch-node.js";
import type { TrimCounts } from "./switch-trimmer.js";

/** A direction of a link whose near end is a switch. */
export interface TrimmedPort extends Readonly<TrimCounts> {
  readonly from: string;
  readonly to: string;
}

/** In the order of the switches and of their ports; undefined where no switch trims. `nodes`: by node index of the topology. */
export function trimmedPorts(topology: Topology, nodes: readonly Node[]): TrimmedPort[] | undefined {
  const switches = topology.nodes.flatMap(({ index, name, ports }) => {
    const node = nodes[index];
    return node instanceof SwitchNode && node.trimmer !== undefined
      ? [{ name, ports, trimmer: node.trimmer }]
      : [];
  });
  if (switches.length === 0) return undefined;
  return switches.flatMap(({ name, ports, trimmer }) =>
    ports.map(({ number, peer }) => ({
      from: name,
      to: topology.nodes[peer]!.name,
      ...trimmer.countsOf(number),
    })),
  );
}
