/** Measures how evenly flows spread: the load of each port of each group, and of each link. */
import { CHOICE, portsOfChoice } from "./flat-model.js";
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
  /** By port: the load, and the intended load (in any unit). */
  readonly loads: readonly number[];
  readonly wanted: readonly number[];
  /** Number of flows that reached the group. */
  readonly flows: number;
}

/** Adds up the loads of any number of batches. */
export class SpreadMeter {
  /** By directed link. */
  readonly links: Float64Array;
  /** Flows that did not arrive. */
  lost = 0;
  /** By lane: the load, then the number of flows. */
  readonly #lanes: Float64Array;

  constructor(readonly tracer: FlowTracer) {
    this.links = new Float64Array(2 * tracer.topology.links.length);
    this.#lanes = new Float64Array(2 * tracer.flat.portOfLane.length);
  }

  /** `weights`: the load of each flow; absent: 1. Throws DiagnosticError P45200 as the tracer does. */
  add(flows: FlowColumns, weights?: Float64Array): void {
    const source = this.tracer.of(flows);
    const { taken } = source;
    const { links } = this;
    const lanes = this.#lanes;
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
        const lane = 2 * taken[i]!;
        lanes[lane] = lanes[lane]! + weight;
        lanes[lane + 1] = lanes[lane + 1]! + 1;
      }
    }
  }

  /** All groups with several ports that flows reached, by node. A choice with several rows counts as one group. */
  groups(): GroupLoad[] {
    const { flat, model } = this.tracer;
    return model.switches.flatMap(({ node, choices }, own) =>
      choices.flatMap((choice, index): GroupLoad[] => {
        const ports = portsOfChoice(choice);
        if (ports.length < 2) return [];
        const first = flat.choices[CHOICE.size * (flat.firstChoice[own]! + index) + CHOICE.firstLane]!;
        const lanes = this.#lanes.subarray(2 * first, 2 * (first + ports.length));
        const flows = ports.reduce((sum, _, lane) => sum + lanes[2 * lane + 1]!, 0);
        if (flows === 0) return [];
        const slots = choice.rows.flatMap((row) => Array.from(row));
        return [
          {
            node,
            slots: choice.rows[0]!.length,
            ports,
            loads: ports.map((_, lane) => lanes[2 * lane]!),
            flows,
            wanted:
              choice.wanted === undefined
                ? ports.map((port) => slots.filter((slot) => slot === port).length)
                : Array.from(choice.wanted),
          },
        ];
      }),
    );
  }
}
