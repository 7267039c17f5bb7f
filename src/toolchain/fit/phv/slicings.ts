/**
 * The ways to cut the pieces of a cluster for smaller containers: all of them at the same bits, after whole bytes (p4c,
 * phv/slicing/phv_slicing_iterator.cpp). The uncut cluster is the first way, then those with the largest containers at the low end.
 */
import type { FitModel } from "../model/model.js";
import type { GressUse } from "./gress-use.js";
import { bytePiece, headerPart } from "./header-pieces.js";
import type { ContainerSize } from "./pack.js";
import type { Piece } from "./piece.js";

const SIZES = [32, 16, 8] as const;

/** Each way: clusters of pieces of one size, the lowest bits first. Every cluster has at least one piece. */
export function slicingsOf(model: FitModel, use: GressUse, pieces: readonly Piece[]): Piece[][][] {
  const span = Math.max(...pieces.map(spanOf));
  return sizesFor(span).map((sizes) => cutAt(model, use, pieces, sizes));
}

/** The lower and the upper halves of pieces; no list is empty. */
export function halvesOf(model: FitModel, use: GressUse, pieces: readonly Piece[]): Piece[][] {
  const half = ((pieces[0]?.size ?? 16) / 2) as ContainerSize;
  return cutAt(model, use, pieces, [half, half]);
}

/** A piece of a header in halves, as long as some action sets parts of them from more sources than an instruction has. */
export function unbroken(
  model: FitModel,
  use: GressUse,
  piece: Piece,
  rules: { readonly isFixed: (field: string) => boolean; readonly isBroken: (piece: Piece) => boolean },
): Piece[] {
  const { bytes, size, isTouched, isTied, slices } = piece;
  const isWhole = slices.some(({ field }) => use.alone.has(field) || rules.isFixed(field));
  if (isTied || bytes === undefined || size === 8 || !isTouched || isWhole || !rules.isBroken(piece))
    return [piece];
  return halvesOf(model, use, [piece])
    .flat()
    .flatMap((half) =>
      unbroken(
        model,
        use,
        { ...half, isTouched: half.slices.some(({ field }) => use.touched.has(field)) },
        rules,
      ),
    );
}

/** Bits of its container that a piece needs. */
function spanOf({ bytes, size, slices }: Piece): number {
  return bytes === undefined ? Math.max(...slices.map(({ at, width }) => at + width)) : size;
}

/** Sizes of containers that hold so many bits, the first one for the lowest bits. */
function sizesFor(span: number): ContainerSize[][] {
  if (span <= 0) return [[]];
  return SIZES.filter((size, i) => size === 8 || span > SIZES[i + 1]!).flatMap((size) =>
    sizesFor(span - size).map((rest) => [size, ...rest]),
  );
}

function cutAt(
  model: FitModel,
  use: GressUse,
  pieces: readonly Piece[],
  sizes: readonly ContainerSize[],
): Piece[][] {
  let from = 0;
  const parts: Piece[][] = [];
  for (const size of sizes) {
    const part = pieces.flatMap((piece) => partOf(model, use, piece, from, size) ?? []);
    if (part.length > 0) parts.push(part);
    from += size;
  }
  return parts;
}

/** The bits of a piece from one on, in a container of the size. */
function partOf(
  model: FitModel,
  use: GressUse,
  piece: Piece,
  from: number,
  size: ContainerSize,
): Piece | undefined {
  if (from === 0 && size === piece.size) return piece;
  if (piece.bytes !== undefined) {
    const { header, first } = piece.bytes;
    const end = first + (piece.size - from) / 8;
    if (end <= first) return undefined;
    const start = Math.max(first, end - size / 8);
    return bytePiece(headerPart(model, use, header), { from: start, to: end }, piece.isTouched, (field) =>
      use.alone.has(field),
    );
  }
  const slices = piece.slices.flatMap((slice) => {
    const low = Math.max(slice.at, from);
    const high = Math.min(slice.at + slice.width, from + size);
    return low < high
      ? [{ field: slice.field, lo: slice.lo + low - slice.at, width: high - low, at: low - from }]
      : [];
  });
  return slices.length === 0 ? undefined : { ...piece, size, slices };
}
