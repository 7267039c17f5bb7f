/**
 * Action data: the arguments and large constants of a table's actions. In a RAM of their own each takes the space
 * of the containers it goes to; up to 32 bits can instead travel with the match entry, as tight as they are.
 */
import type { ActionModel, Gress } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";

export interface DataFormat {
  /** Bits with the match entry. */
  readonly immediateBits: number;
  /** Bytes an entry in action RAM; 0: no action RAM. */
  readonly ramBytes: number;
}

interface Piece {
  readonly bits: number;
  readonly bytes: number;
}

function piecesOf(action: ActionModel, gress: Gress, phv: PhvLayout): Piece[] {
  const pieces: Piece[] = [];
  for (const datum of action.data) {
    // An index, or an operand of a stateful ALU, goes through the entry's address or a word of the bus.
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
      if (bits > 0) pieces.push({ bits, bytes: container.size / 8 });
      rest -= bits;
    }
  }
  return pieces;
}

function bytesOf(bits: number): number {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : 4 * Math.ceil(bits / 32);
}

export function totalDataBytes(actions: readonly ActionModel[], gress: Gress, phv: PhvLayout): number {
  return Math.max(
    0,
    ...actions.map((action) => piecesOf(action, gress, phv).reduce((sum, piece) => sum + piece.bytes, 0)),
  );
}

function roundedRam(bytes: number): number {
  if (bytes <= 0) return 0;
  if (bytes > 16) return Math.ceil(bytes / 16) * 16;
  let size = 1;
  while (size < bytes) size *= 2;
  return size;
}

/** Ways to hand over a table's action data, each worth trying; the cheapest layout decides. */
export function dataFormats(
  actions: readonly ActionModel[],
  gress: Gress,
  phv: PhvLayout,
  target: Target,
  immediateAllowed: boolean,
): DataFormat[] {
  const lists = actions.map((action) => piecesOf(action, gress, phv));
  const limit = target.action.immediate_bits ?? 0;
  const totalBytes = Math.max(
    0,
    ...lists.map((pieces) => pieces.reduce((sum, piece) => sum + piece.bytes, 0)),
  );
  if (totalBytes === 0) return [{ immediateBits: 0, ramBytes: 0 }];
  const formats: DataFormat[] = [];
  if (immediateAllowed && limit > 0) {
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
    if (immediateBits > 0) formats.push({ immediateBits, ramBytes: roundedRam(ram) });
  }
  formats.push({ immediateBits: 0, ramBytes: roundedRam(totalBytes) });
  return formats;
}

/** RAM blocks for action data of `entries` entries; a word is 128 bits (16 bytes). */
export function actionBlocks(entries: number, ramBytes: number, depth: number): number {
  if (ramBytes === 0 || entries === 0) return 0;
  if (ramBytes > 16) return Math.ceil(entries / depth) * (ramBytes / 16);
  return Math.ceil(entries / (depth * (16 / ramBytes)));
}
