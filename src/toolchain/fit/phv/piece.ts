/** A piece: what goes to a container as one. */
import type { Access, Gress } from "../model/model.js";
import type { ContainerSize } from "./pack.js";

export interface PieceSlice {
  readonly field: string;
  readonly lo: number;
  readonly width: number;
  /** The lowest bit in the container. */
  readonly at: number;
}

export interface Piece {
  readonly gress: Gress;
  readonly size: ContainerSize;
  readonly slices: readonly PieceSlice[];
  /** Of bytes of a packet: their header and the first of them. */
  readonly bytes: { readonly header: string; readonly first: number } | undefined;
  /** The deparser sends it, so that nothing else stands in its containers. */
  readonly isSent: boolean;
  /** A table reads or writes it. */
  readonly isTouched: boolean;
  /** Its field stands alone: an operand of arithmetic or of a stateful ALU. */
  readonly isAlone: boolean;
  /** It comes from a list of bits that stand together, of which every part begins at the low end of its container. */
  readonly isListed?: true;
  /** Bytes of a header that are cut together with those to which operations tie them. */
  readonly isTied?: true;
}

/** The smallest container for so many bits. */
export const sizeFor = (bits: number): ContainerSize => (bits > 16 ? 32 : bits > 8 ? 16 : 8);

/** The part of a value in the smallest container for it. */
export function valuePiece(gress: Gress, { field, lo, width }: Access, isAlone: boolean): Piece {
  const slices = [{ field, lo, width, at: 0 }];
  return { gress, size: sizeFor(width), slices, bytes: undefined, isSent: false, isTouched: true, isAlone };
}
