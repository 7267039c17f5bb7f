/** Chooses packets of a trace. */
import { defined } from "../../base/index.js";
import type { PacketTrace, TraceTree } from "../switch/index.js";

export interface TraceFilter {
  packet?: number;
  /** Port of arrival, or of a frame that left. */
  port?: number;
  /** A table that was looked up; the end of its name is enough. */
  table?: string;
  /** Only packets of which a copy was dropped. */
  dropped?: boolean;
}

/** All copies of a packet; without recursion, since they may be nested deeply. */
function nodesOf(root: TraceTree): TraceTree[] {
  const nodes = [root];
  for (let i = 0; i < nodes.length; i++) nodes.push(...(defined(nodes[i]).branches ?? []));
  return nodes;
}

function looksUp(name: string) {
  return ({ events }: TraceTree): boolean =>
    events.some(
      (event) =>
        event.kind === "table_lookup" && (event.table_name === name || event.table_name.endsWith(`.${name}`)),
    );
}

/** Whether a packet meets all conditions of the filter. */
export function wanted({ input, root }: PacketTrace, filter: TraceFilter): boolean {
  const { packet, port, table, dropped } = filter;
  if (packet !== undefined && input.packet_id !== packet) return false;
  const nodes = nodesOf(root);
  if (port !== undefined && input.ingress_port !== port) {
    const left = nodes.some(({ outcome }) => outcome.kind === "transmit" && outcome.egress_port === port);
    if (!left) return false;
  }
  if (table !== undefined && !nodes.some(looksUp(table))) return false;
  return !dropped || nodes.some(({ outcome }) => outcome.kind === "drop");
}
