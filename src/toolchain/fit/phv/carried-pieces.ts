/**
 * The pieces of values of metadata that mirrors and resubmissions carry: whole bytes, so that their containers hold nothing else (p4c,
 * phv/phv_fields.cpp, exact_containers).
 */
import { defined } from "../../../base/index.js";
import type { CarriedValue, FieldInfo, FitModel, Gress } from "../model/model.js";
import type { ContainerSize } from "./pack.js";
import type { Piece, PieceSlice } from "./piece.js";

/**
 * @param names the values, each of which has a place
 * @param isAlone the value stands alone
 */
export function carriedPieces(
  { fields, parser }: FitModel,
  gress: Gress,
  names: ReadonlySet<string>,
  isAlone: (field: string) => boolean,
): Piece[] {
  const isFree = (field: string) => names.has(field) && !isAlone(field) && !parser.sessions(gress).has(field);
  const placed = new Set<string>();
  const pieces: Piece[] = [];
  for (const list of parser.carriedLists(gress))
    for (const { slices, bits } of groupsOf(list, fields)) {
      const isGroup = slices.length > 1 && (bits === 8 || bits === 16 || bits === 32);
      if (!isGroup || !slices.every(({ field }) => isFree(field) && !placed.has(field))) continue;
      for (const { field } of slices) placed.add(field);
      pieces.push(pieceOf(gress, bits, slices, false));
    }
  const rest = [...names].filter((name) => !placed.has(name));
  return [...pieces, ...rest.flatMap((name) => exactPieces(gress, defined(fields.get(name)), isAlone(name)))];
}

/** The values of a list, its end first, that have bytes in common, and how many bits these bytes have (p4c, phv/make_clusters.cpp). */
function groupsOf(
  list: readonly CarriedValue[],
  fields: ReadonlyMap<string, FieldInfo>,
): { slices: PieceSlice[]; bits: number }[] {
  const groups: { slices: PieceSlice[]; bits: number }[] = [];
  for (const value of [...list].reverse()) {
    let group = groups.at(-1);
    if (group === undefined || group.bits % 8 === 0) groups.push((group = { slices: [], bits: 0 }));
    const width = "field" in value ? (fields.get(value.field)?.width ?? 0) : value.bits;
    if ("field" in value) group.slices.push({ field: value.field, lo: 0, width, at: group.bits });
    group.bits += width;
  }
  return groups;
}

/** A value in whole bytes; the largest containers hold the lowest bits. */
function exactPieces(gress: Gress, { name, width }: FieldInfo, isAlone: boolean): Piece[] {
  const pieces: Piece[] = [];
  for (let lo = 0; lo < width; ) {
    const rest = 8 * Math.ceil((width - lo) / 8);
    const size = rest >= 32 ? 32 : rest >= 16 ? 16 : 8;
    const slices = [{ field: name, lo, width: Math.min(size, width - lo), at: 0 }];
    pieces.push(pieceOf(gress, size, slices, isAlone));
    lo += size;
  }
  return pieces;
}

const pieceOf = (gress: Gress, size: ContainerSize, slices: PieceSlice[], isAlone: boolean): Piece => ({
  gress,
  size,
  slices,
  bytes: undefined,
  isSent: true,
  isTouched: true,
  isAlone,
});
