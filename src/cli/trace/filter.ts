/** Which packets of a trace are wanted. */
import type { PacketTrace, TraceTree } from "../../switch/index.js";

export interface TraceFilter {
  packet?: number;
  /** Port of arrival, or of a frame that left. */
  port?: number;
  /** A table that was looked up; an end of its name is enough. */
  table?: string;
  /** Only packets of which a copy was dropped. */
  dropped?: boolean;
}

function* nodesOf(tree: TraceTree): Generator<TraceTree> {
  yield tree;
  for (const branch of tree.branches ?? []) yield* nodesOf(branch);
}

function looksUp(name: string) {
  return ({ events }: TraceTree): boolean =>
    events.some(
      (event) =>
        event.kind === "table_lookup" && (event.table_name === name || event.table_name.endsWith(`.${name}`)),
    );
}

/** Whether a packet passes all that the filter asks for. */
export function wanted({ input, root }: PacketTrace, filter: TraceFilter): boolean {
  const { packet, port, table, dropped } = filter;
  if (packet !== undefined && input.packet_id !== packet) return false;
  const nodes = [...nodesOf(root)];
  if (port !== undefined && input.ingress_port !== port) {
    const left = nodes.some(({ outcome }) => outcome.kind === "transmit" && outcome.egress_port === port);
    if (!left) return false;
  }
  if (table !== undefined && !nodes.some(looksUp(table))) return false;
  return !dropped || nodes.some(({ outcome }) => outcome.kind === "drop");
}
