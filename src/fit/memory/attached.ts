/** Counters, meters, registers and selectors: memories with an ALU beside them; each takes one spare block. */
import type { Attached, Implementation } from "../model/model.js";
import type { Target } from "../target.js";

export interface AttachedMemory {
  readonly blocks: number;
  /** Narrow RAMs that the ALU needs beside the blocks. */
  readonly mapRams: number;
  /** Part of the blocks that are spares. */
  readonly spares: number;
}

const WORD_BITS = 128;
/** v1model counters have no width: 64-bit cells, two in a word, or one with packets and bytes. */
const COUNTERS_PER_WORD = { packets: 2, bytes: 2, both: 1 } as const;
const METER_COLOURS_PER_WORD = 4;
/** Three bits of age an entry. */
const IDLE_ENTRIES_PER_WORD = 2;
const MEMBERS_PER_WORD = 120;
/** Groups that a selector without a stated number of groups gets. */
const DEFAULT_GROUPS = 4;

export function attachedMemory(attached: Attached, entries: number, target: Target): AttachedMemory {
  const depth = target.sram.depth;
  if (target.sram.map_rams === null) return plainMemory(attached, entries, target);
  if (attached.kind === "idle") {
    return { blocks: 0, mapRams: Math.ceil(entries / (depth * IDLE_ENTRIES_PER_WORD)), spares: 0 };
  }
  if (attached.kind === "counter") {
    const data = Math.ceil(entries / (depth * COUNTERS_PER_WORD[attached.counts]));
    const limit = target.stateful.max_statistics_blocks;
    const spares = limit !== null && data + 1 > limit ? Math.ceil(data / (limit - 1)) : 1;
    return { blocks: data + spares, mapRams: data + spares, spares };
  }
  if (attached.kind === "meter") {
    const data = Math.ceil(entries / depth);
    const colours = Math.ceil(entries / (depth * METER_COLOURS_PER_WORD));
    return { blocks: data + 1, mapRams: data + 1 + colours, spares: 1 };
  }
  const perWord = Math.max(1, Math.floor(WORD_BITS / attached.width));
  const data = Math.ceil(entries / (depth * perWord));
  return { blocks: data + 1, mapRams: data + 1, spares: 1 };
}

/** A target that says nothing of spares and map RAMs: words for the data alone. */
function plainMemory(attached: Attached, entries: number, target: Target): AttachedMemory {
  if (attached.kind === "idle") return { blocks: 0, mapRams: 0, spares: 0 };
  const cell = attached.kind === "register" ? attached.width : attached.kind === "meter" ? WORD_BITS : 64;
  const perWord = Math.max(1, Math.floor(target.sram.width / cell));
  return { blocks: Math.ceil(entries / (target.sram.depth * perWord)), mapRams: 0, spares: 0 };
}

export function selectorMemory(implementation: Implementation, target: Target): AttachedMemory {
  const { selector } = implementation;
  if (selector === undefined) return { blocks: 0, mapRams: 0, spares: 0 };
  const words = Math.ceil(selector.maxGroup / MEMBERS_PER_WORD);
  const data = Math.ceil((words * DEFAULT_GROUPS) / target.sram.depth);
  if (target.sram.map_rams === null) return { blocks: data, mapRams: 0, spares: 0 };
  return { blocks: data + 1, mapRams: data + 1, spares: 1 };
}
