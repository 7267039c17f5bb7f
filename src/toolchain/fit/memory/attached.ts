/** Memories with an ALU beside them: counters, meters, registers, idle times and action selectors. */
import type { Attached, Implementation } from "../model/model.js";
import type { Target } from "../target.js";
import type { AluMemory } from "./blocks.js";
import { selectorLines } from "./selectors.js";

/** What a memory takes of a stage. */
export interface AttachedMemory {
  /** SRAM blocks, spares included. */
  readonly blocks: number;
  /** Narrow RAMs that the ALU needs in addition to the blocks. */
  readonly mapRams: number;
  /** The blocks among them that are spares. */
  readonly spares: number;
}

const NOTHING: AttachedMemory = { blocks: 0, mapRams: 0, spares: 0 };

/**
 * Memory of `entries` cells. A target with map RAMs needs one map RAM a block, and one spare block a memory; for a
 * target without stated map RAMs only the data is counted.
 */
export function attachedMemory(attached: Attached, entries: number, target: Target): AttachedMemory {
  const { sram, stateful } = target;
  const hasMapRams = sram.map_rams !== null;
  if (attached.kind === "idle") {
    const perWord = stateful.idle_entries_per_word;
    if (!hasMapRams || perWord === null) return NOTHING;
    return { ...NOTHING, mapRams: Math.ceil(entries / (sram.depth * perWord)) };
  }
  const data = Math.ceil(entries / (sram.depth * cellsPerWord(attached, target)));
  if (!hasMapRams) return { blocks: data, mapRams: 0, spares: 0 };
  const limit = stateful.max_statistics_blocks;
  const spares =
    attached.kind === "counter" && limit !== null && data + 1 > limit ? Math.ceil(data / (limit - 1)) : 1;
  const coloursPerWord = stateful.meter_colours_per_word;
  const colours =
    attached.kind === "meter" && coloursPerWord !== null
      ? Math.ceil(entries / (sram.depth * coloursPerWord))
      : 0;
  return { blocks: data + spares, mapRams: data + spares + colours, spares };
}

/** Cells in one SRAM word; below 1 where a cell takes several words. */
function cellsPerWord({ kind, counts, width }: Attached, { sram, stateful }: Target): number {
  if (kind === "counter") {
    const [perWord, narrow] =
      counts === "both"
        ? [stateful.packet_byte_counters_per_word, stateful.narrow_packet_byte_counter_bits]
        : [stateful.counters_per_word, stateful.narrow_counter_bits];
    return width > 0 && narrow !== null && width <= narrow ? 2 * perWord : perWord;
  }
  if (kind === "meter" || kind === "filter") return stateful.meters_per_word;
  return width > sram.width ? 1 / Math.ceil(width / sram.width) : Math.floor(sram.width / Math.max(1, width));
}

/** The memory as the array of a stage takes it. */
export function aluMemory(
  { name, kind, resultBytes }: Pick<Attached, "name" | "kind" | "resultBytes">,
  { blocks, mapRams }: Pick<AttachedMemory, "blocks" | "mapRams">,
  isDirect: boolean,
): AluMemory {
  return {
    name,
    kind: kind === "counter" ? "statistics" : "meter",
    blocks,
    colours: mapRams - blocks,
    hasResult: kind !== "counter" && resultBytes > 0,
    isDirect,
  };
}

/** The selector's member lists, without the members' action data. */
export function selectorMemory({ selector }: Implementation, target: Target): AttachedMemory {
  if (selector === undefined || target.selector.members_per_word === null) return NOTHING;
  const data = Math.ceil(selectorLines(selector, target) / target.sram.depth);
  if (target.sram.map_rams === null) return { blocks: data, mapRams: 0, spares: 0 };
  return { blocks: data + 1, mapRams: data + 1, spares: 1 };
}
