/**
 * Action data: the arguments and large constants of a table's actions. In action RAM each takes the space of the
 * containers that it goes to. A few bits (32 on Tofino) can instead be part of the match entry, without padding.
 */
import type { ActionModel, Gress } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";

export interface DataFormat {
  /** Bits in the match entry. */
  readonly immediateBits: number;
  /** Bytes of an entry in action RAM; 0: no action RAM. */
  readonly ramBytes: number;
}

interface Piece {
  readonly bits: number;
  readonly bytes: number;
}

function piecesOf(action: ActionModel, gress: Gress, phv: PhvLayout): Piece[] {
  const pieces: Piece[] = [];
  // What one container takes is one piece.
  const byContainer = new Map<number, { bits: number; bytes: number }>();
  for (const datum of action.data) {
    // An index is part of the entry's address; an operand of a stateful ALU takes a word of the action bus.
    const containers = datum.target === undefined ? [] : phv.touchedBy(gress, datum.target);
    if (containers.length === 0) {
      if (datum.target !== undefined) pieces.push({ bits: datum.bits, bytes: bytesOf(datum.bits) });
      continue;
    }
    let rest = datum.bits;
    for (const container of containers) {
      const here = container.slices
        .filter((slice) => slice.field === datum.target!.field)
        .reduce((sum, slice) => sum + slice.width, 0);
      const bits = Math.min(rest, here);
      rest -= bits;
      if (bits <= 0) continue;
      const known = byContainer.get(container.id);
      if (known !== undefined) known.bits += bits;
      else {
        const piece = { bits, bytes: container.size / 8 };
        byContainer.set(container.id, piece);
        pieces.push(piece);
      }
    }
  }
  return pieces;
}

/** Bytes of the action data bus: data of entries, and what ALUs, hashes and random numbers give, for the action with most. */
export function busBytes(actions: readonly ActionModel[], gress: Gress, phv: PhvLayout): number {
  const given = (action: ActionModel) => {
    const containers = new Map(
      action.fromBus.flatMap((access) => phv.touchedBy(gress, access)).map(({ id, size }) => [id, size / 8]),
    );
    return [...containers.values()].reduce((sum, bytes) => sum + bytes, 0);
  };
  return totalDataBytes(actions, gress, phv) + Math.max(0, ...actions.map(given));
}

function bytesOf(bits: number): number {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : 4 * Math.ceil(bits / 32);
}

/** Bytes of the action bus that the largest action takes. */
export function totalDataBytes(actions: readonly ActionModel[], gress: Gress, phv: PhvLayout): number {
  return Math.max(
    0,
    ...actions.map((action) => piecesOf(action, gress, phv).reduce((sum, piece) => sum + piece.bytes, 0)),
  );
}

/** Bytes of action data as a RAM holds them: a power of two within a word, whole words beyond it. */
export function roundedRam(bytes: number, target: Target): number {
  const word = wordBytes(target);
  if (bytes <= 0) return 0;
  if (bytes > word) return Math.ceil(bytes / word) * word;
  let size = 1;
  while (size < bytes) size *= 2;
  return Math.min(size, word);
}

function wordBytes(target: Target): number {
  return Math.max(1, Math.floor(target.sram.width / 8));
}

/** Formats of a table's action data. The caller lays out all of them and takes the cheapest. */
export function dataFormats(
  actions: readonly ActionModel[],
  gress: Gress,
  phv: PhvLayout,
  target: Target,
): DataFormat[] {
  const lists = actions.map((action) => piecesOf(action, gress, phv));
  const limit = target.action.immediate_bits ?? 0;
  const inRam = {
    immediateBits: 0,
    ramBytes: roundedRam(totalDataBytes(actions, gress, phv), target),
  };
  let immediateBits = 0;
  let ram = 0;
  for (const pieces of lists) {
    // Largest pieces first, as long as they fit.
    let used = 0;
    let left = 0;
    for (const piece of [...pieces].sort((a, b) => b.bits - a.bits)) {
      if (used + piece.bits <= limit) used += piece.bits;
      else left += piece.bytes;
    }
    immediateBits = Math.max(immediateBits, used);
    ram = Math.max(ram, left);
  }
  return immediateBits === 0 ? [inRam] : [{ immediateBits, ramBytes: roundedRam(ram, target) }, inRam];
}

/** RAM blocks for action data of `entries` entries of `ramBytes` bytes (a size of {@link roundedRam}). */
export function actionBlocks(entries: number, ramBytes: number, target: Target): number {
  if (ramBytes === 0 || entries === 0) return 0;
  const { depth } = target.sram;
  const word = wordBytes(target);
  if (ramBytes > word) return Math.ceil(entries / depth) * (ramBytes / word);
  return Math.ceil(entries / (depth * Math.floor(word / ramBytes)));
}
