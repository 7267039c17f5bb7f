/** One line a measured flow: `flows.jsonl` of experiments with `record: flows`. */

import { defined, given } from "../../../../base/index.js";
import type { Topology } from "../../../topology/index.js";
import type { FlowLine, LoadFigures } from "./load-figures.js";
import type { MeteredFlow } from "./meters/flow-meter.js";

/** `nowNs`: when the receiver had all data; undefined for an unfinished flow. */
function flowLine({ nodes }: Topology, flow: MeteredFlow, nowNs: number | undefined): FlowLine {
  const { arrival, ideal } = flow;
  const time = nowNs === undefined ? undefined : nowNs - arrival.startNs;
  const { retransmissions, timeouts, reordered } = flow.counters();
  return {
    flow: arrival.id,
    start_ns: arrival.startNs,
    src: defined(nodes[arrival.source]).name,
    dst: defined(nodes[arrival.destination]).name,
    bytes: arrival.bytes,
    ...given({ fct_ns: time }),
    ...given({
      slowdown: time === undefined || ideal === undefined ? undefined : Number((time / ideal).toFixed(4)),
    }),
    ...given({ group: arrival.group === undefined ? undefined : arrival.group.id }),
    ...given({ retransmissions, timeouts, reordered }),
  };
}

/** Keeps the lines of measured flows, up to a limit. */
export class FlowRecorder {
  readonly #lines: FlowLine[] | undefined;
  #leftOut = 0;

  constructor(
    readonly topology: Topology,
    /** `record` absent: no lines. */
    readonly settings: { readonly record?: "flows" | undefined; readonly record_limit: number },
  ) {
    this.#lines = settings.record === undefined ? undefined : [];
  }

  completed(flow: MeteredFlow, nowNs: number): void {
    this.#add(flow, nowNs);
  }

  unfinished(flow: MeteredFlow): void {
    this.#add(flow, undefined);
  }

  /** The lines, as members of the outcome of a unit. */
  lines(): Pick<LoadFigures, "lines" | "linesLeftOut"> {
    if (this.#lines === undefined) return {};
    return {
      lines: this.#lines,
      ...given({ linesLeftOut: this.#leftOut === 0 ? undefined : this.#leftOut }),
    };
  }

  #add(flow: MeteredFlow, nowNs: number | undefined): void {
    if (this.#lines === undefined || !flow.measured) return;
    if (this.#lines.length < this.settings.record_limit)
      this.#lines.push(flowLine(this.topology, flow, nowNs));
    else this.#leftOut++;
  }
}
