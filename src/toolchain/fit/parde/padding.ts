/**
 * Tofino 1 needs 65 bytes of each packet in the egress parser. Where a way reads fewer, the compiler lets the counter of the parser say how
 * many are missing, and adds states that read them as headers, each as long as a port gives a cycle (p4c, parser_enforce_depth_req.cpp).
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { Gress } from "../model/model.js";
import { mergeChains } from "./merge.js";
import type { PacketState } from "./packet.js";
import { packetStates } from "./packet-states.js";
import type { ParserChip } from "./split.js";

export interface Padding {
  readonly states: number;
  readonly rows: number;
  /** Bytes that the longest padding reads. */
  readonly bytes: number;
}

const NONE: Padding = { states: 0, rows: 0, bytes: 0 };

/** Headers that the compiler adds to the egress of a program for the padding. */
export function paddingHeaders(program: bmv2.Bmv2Program, chip: ParserChip | undefined): number {
  const step = stepOf(chip);
  if (chip === undefined || step === undefined) return 0;
  const counts = (program.architecture?.pipes[0]?.egress.parsers ?? []).map((at) => {
    const graph = packetStates(program, defined(program.parsers[at]));
    return "unknown" in graph ? 0 : paddingOf(mergeChains(graph.states), "egress", chip).bytes / step;
  });
  return Math.max(0, ...counts);
}

/** Bytes that a port gives a cycle. */
function stepOf(chip: ParserChip | undefined): number | undefined {
  const { clock_ghz: clock, port_gbps: port } = chip ?? { clock_ghz: null, port_gbps: null };
  return clock === null || port === null ? undefined : Math.ceil(port / 8 / clock);
}

export function paddingOf(states: readonly PacketState[], gress: Gress, chip: ParserChip): Padding {
  const { min_egress_bytes: needed } = chip;
  const step = stepOf(chip);
  if (gress !== "egress" || needed === null || step === undefined) return NONE;
  if (!states.some(({ bits }) => bits > 0)) return NONE;
  const { least, most } = depths(states);
  const ends = states.filter(({ branches }) => branches.some(({ to }) => to === undefined));
  const missing = (depth: number) => Math.max(0, Math.ceil((needed - depth) / step));
  const count = Math.max(0, ...ends.map(({ id }) => missing(defined(least[id]))));
  if (count === 0) return NONE;
  // Where a state can end with enough and with too few, a state before asks the counter first.
  const asks = ends.some(({ id }) => missing(defined(least[id])) > 0 && missing(defined(most[id])) === 0);
  return { states: count + (asks ? 1 : 0), rows: 2 * (count + (asks ? 1 : 0)), bytes: count * step };
}

/** Bytes from the first state to the end of each state: at least and at most, without going round a loop. */
function depths(states: readonly PacketState[]): { least: number[]; most: number[] } {
  const own = states.map(({ bits }) => Math.floor(bits / 8));
  const least = states.map((_, id) => (id === 0 ? defined(own[0]) : Number.POSITIVE_INFINITY));
  const most = states.map((_, id) => (id === 0 ? defined(own[0]) : 0));
  for (let round = 0, changed = true; changed && round <= states.length; round++) {
    changed = false;
    for (const { id, branches } of states)
      for (const { to } of branches) {
        if (to === undefined) continue;
        const low = defined(least[id]) + defined(own[to]);
        const high = defined(most[id]) + defined(own[to]);
        if (low < defined(least[to])) changed = true;
        if (high > defined(most[to])) changed = true;
        least[to] = Math.min(defined(least[to]), low);
        most[to] = Math.max(defined(most[to]), high);
      }
  }
  return { least, most };
}
