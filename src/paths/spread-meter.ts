/** How evenly flows spread: what each port of each group got, and what each link carries. */
import type { FlowColumns } from "./flows.js";
import { MAX_LINKS } from "./flows.js";
import type { FlowTracer } from "./tracer.js";

/** A group of a switch, and the load that its choices gave to each of its ports. */
export interface GroupLoad {
  /** Node index. */
  readonly node: number;
  /** Number of slots. */
  readonly slots: number;
  readonly ports: readonly number[];
  /** By port: the load, and what it should get (in any unit). */
  readonly loads: readonly number[];
  readonly wanted: readonly number[];
  /** Flows that the group has seen. */
  readonly flows: number;
}

/** Adds up the loads of any number of batches. */
export class SpreadMeter {
  /** By directed link. */
  readonly links: Float64Array;
  /** Flows that did not arrive. */
  lost = 0;
  readonly #slotLoads: Float64Array;
  readonly #slotFlows: Float64Array;

  constructor(readonly tracer: FlowTracer) {
    this.links = new Float64Array(2 * tracer.topology.links.length);
    this.#slotLoads = new Float64Array(tracer.flat.portOfSlot.length);
    this.#slotFlows = new Float64Array(tracer.flat.portOfSlot.length);
  }

  /** `weights`: the load of each flow; absent: 1. Throws DiagnosticError P45200 as the tracer does. */
  add(flows: FlowColumns, weights?: Float64Array): void {
    const source = this.tracer.of(flows);
    const { taken } = source;
    const { links } = this;
    const [slotLoads, slotFlows] = [this.#slotLoads, this.#slotFlows];
    const path = new Int32Array(MAX_LINKS);
    for (let flow = 0; flow < flows.size; flow++) {
      const count = source.linksOf(flow, path);
      if (count < 0) {
        this.lost++;
        continue;
      }
      const weight = weights === undefined ? 1 : weights[flow]!;
      for (let i = 0; i < count; i++) links[path[i]!] = links[path[i]!]! + weight;
      for (let i = 0; i < source.takenCount; i++) {
        const slot = taken[i]!;
        slotLoads[slot] = slotLoads[slot]! + weight;
        slotFlows[slot] = slotFlows[slot]! + 1;
      }
    }
  }

  /** All groups with several ports that saw flows, by node. A choice with several rows counts as one group. */
  groups(): GroupLoad[] {
    const { flat, model } = this.tracer;
    return model.switches.flatMap(({ node, choices }) =>
      choices.flatMap(({ rows, wanted }, index): GroupLoad[] => {
        const ports = [...new Set(rows.flatMap((row) => Array.from(row)))];
        if (ports.length < 2) return [];
        const place = new Map(ports.map((port, i) => [flat.firstPort[node]! + port - 1, i]));
        const loads = ports.map(() => 0);
        const counts = ports.map(() => 0);
        let flows = 0;
        const firstRow = flat.firstRow[flat.firstChoice[node]! + index]!;
        for (let row = firstRow; row < firstRow + rows.length; row++)
          for (let slot = flat.firstSlot[row]!; slot < flat.firstSlot[row]! + flat.slots[row]!; slot++) {
            const i = place.get(flat.portOfSlot[slot]!)!;
            loads[i]! += this.#slotLoads[slot]!;
            counts[i]!++;
            flows += this.#slotFlows[slot]!;
          }
        if (flows === 0) return [];
        return [
          {
            node,
            slots: rows[0]!.length,
            ports,
            loads,
            flows,
            wanted: wanted === undefined ? counts : Array.from(wanted),
          },
        ];
      }),
    );
  }
}
