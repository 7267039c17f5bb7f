/**
 * Pieces of headers: the bytes that tables touch are cut as pack.ts has them, and rounded to whole bytes, as parser and deparser take them; the
 * other bytes of a header that is sent make pieces of their own.
 */
import { defined } from "../../../base/index.js";
import type { FieldInfo, FitModel, Gress } from "../model/model.js";
import type { AllocationInput } from "./allocation.js";
import { bordersOfRequests, bordersOfStages } from "./conflicts.js";
import type { ByteRange, Cut, HeaderShape } from "./cuts.js";
import { type GressUse, intrinsicHeader } from "./gress-use.js";
import { bytesTouched, isWide, paddingOf } from "./header-bytes.js";
import type { ContainerSize } from "./pack.js";
import { type Piece, type PieceSlice, valuePiece } from "./piece.js";

export type Request = (field: string) => ReturnType<AllocationInput["requests"]["of"]>;

/** Bits of the largest container. */
const MAX_BITS = 32;
/** Bytes of the port in the chip's own header, which parser and deparser always need. */
const PORT_BYTES = 2;

/** Bytes of a header that get their containers together. */
export interface ByteList extends ByteRange {
  readonly header: string;
  readonly fields: readonly FieldInfo[];
  readonly shape: HeaderShape;
  /** The deparser sends it. */
  readonly isSent: boolean;
}

/** The bytes of a header before they are cut. */
export interface HeaderLists {
  readonly fields: readonly FieldInfo[];
  readonly wide: readonly FieldInfo[];
  readonly asked: readonly ByteRange[];
  readonly padding: readonly number[];
  readonly lists: readonly ByteList[];
}

export const isIn = ({ offset, width }: FieldInfo, { from, to }: ByteRange): boolean =>
  width > 0 && offset < 8 * to && 8 * from < offset + width;

export function listsOf(
  input: AllocationInput,
  use: GressUse,
  header: string,
  request: Request,
  isPast: (header: string, byte: number) => boolean,
): HeaderLists {
  const { model, target, requests } = input;
  const { gress } = use;
  const isAlone = (field: string) => use.alone.has(field) || request(field)?.isSolitary === true;
  const info = defined(model.headers.get(header));
  const fields = info.fields.map((name) => defined(model.fields.get(name))).filter(({ width }) => width > 0);
  const bytes = Math.ceil(info.bits / 8);
  // Past the pipeline go whole values alone.
  const isWhole = (target.phv.arrangement?.bypasses ?? 0) > 0;
  const isListed = (field: string) => use.listed.has(field);
  const hasPort = gress === "egress" && model.hasEgressParser && intrinsicHeader(model, gress) === header;
  const touchedBytes = bytesTouched(fields, use.ranges, isWhole);
  for (const { name, offset, width } of fields)
    if (isListed(name))
      for (let byte = offset >> 3; 8 * byte < offset + width; byte++) touchedBytes.add(byte);
  if (hasPort) for (let byte = 0; byte < PORT_BYTES; byte++) touchedBytes.add(byte);
  // Of a header that is sent, what does not go past the pipeline stands in containers as what tables touch.
  if (isWhole && model.hasEgressParser && model.parser.isSent(gress, header))
    for (let byte = 0; byte < bytes; byte++) if (!isPast(header, byte)) touchedBytes.add(byte);
  const zeros = model.sentZeros[gress];
  const asked = withoutOverlap(
    askedRanges(
      fields.filter(({ name }) => !zeros.has(name)),
      request,
      bytes,
    ),
  );
  const isZero = (byte: number) =>
    fields.some(
      ({ name, offset, width }) => zeros.has(name) && offset < 8 * byte + 8 && 8 * byte < offset + width,
    );
  const isAsked = (byte: number) => asked.some(({ from, to }) => from <= byte && byte < to);
  const isFree = ({ name }: FieldInfo) => !isAlone(name) && !isListed(name) && request(name) === undefined;
  const wide =
    isWhole || model.parser.isSent(gress, header)
      ? []
      : use.kept(header).filter((one) => isFree(one) && isWide(one, use.kept(header), touchedBytes));
  // Padding is not for containers beside the pipeline (p4c, phv/phv_fields.cpp, is_tphv_candidate).
  const padding = isWhole || touchedBytes.size > 0 ? [] : paddingOf(model, header, fields);
  const isPadding = (byte: number) => padding.some((field) => isIn(field, { from: byte, to: byte + 1 }));
  const needed = (byte: number) =>
    !wide.some((field) => isIn(field, { from: byte, to: byte + 1 })) &&
    (model.parser.isSent(gress, header) ||
      touchedBytes.has(byte) ||
      fields.some(
        ({ name, offset, width }) =>
          offset < 8 * byte + 8 && 8 * byte < offset + width && model.parser.reads(gress).has(name),
      ));
  const apart = fields.filter(({ name }) => isAlone(name) || isListed(name));
  // Values that have a byte in common stay together.
  const isWithin = (byte: number) =>
    apart.some(({ offset, width }) => offset < 8 * byte && 8 * byte < offset + width);
  const borders = new Set([
    ...apart
      .flatMap(({ offset, width }) => [offset >> 3, (offset + width + 7) >> 3])
      .filter((byte) => !isWithin(byte)),
    ...bordersOfStages(input, use.operations, fields, bytes),
    ...bordersOfRequests(fields, (a, b) => requests.parts(gress, a, b)),
    // The deparser takes the port from the low end of its container (p4c, phv/phv_fields.cpp, deparsed_bottom_bits).
    ...(hasPort ? [PORT_BYTES] : []),
  ]);
  const boundaries = boundariesOf(fields, use);
  const shape = {
    isBoundary: (byte: number) => boundaries.includes(8 * byte),
    isInside: (byte: number) => {
      const next = boundaries.findIndex((bit) => bit >= 8 * byte);
      const width = defined(boundaries[next]) - (boundaries[next - 1] ?? 0);
      return boundaries[next] !== 8 * byte && width <= MAX_BITS;
    },
    isTouched: (byte: number) => touchedBytes.has(byte),
  };
  const all = Array.from({ length: bytes }, (_, byte) => byte);
  const rest = runsOf(
    all.filter((byte) => !isAsked(byte) && !isZero(byte) && !isPadding(byte) && needed(byte)),
  ).flatMap((range) => splitAt(range, borders));
  const isSent = !model.hasEgressParser || model.parser.isSent(gress, header);
  return {
    fields,
    wide,
    asked,
    padding: all.filter((byte) => isPadding(byte) && !isAsked(byte) && !isZero(byte) && needed(byte)),
    lists: rest.map(({ from, to }) => ({ header, from, to, fields, shape, isSent })),
  };
}

export function headerPieces(
  { model }: AllocationInput,
  use: GressUse,
  header: string,
  request: Request,
  own: HeaderLists,
  cuts: readonly Cut[],
): Piece[] {
  const { gress, touched } = use;
  const isAlone = (field: string) => use.alone.has(field) || request(field)?.isSolitary === true;
  const part = headerPart(model, use, header);
  const piece = (range: ByteRange, isTouched: boolean) => bytePiece(part, range, isTouched, isAlone);
  const isTouched = (range: ByteRange) => own.fields.some((one) => isIn(one, range) && touched.has(one.name));
  return [
    ...own.wide.map(({ name, offset, width }) => {
      const value = valuePiece(gress, { field: name, lo: 0, width }, false);
      return { ...value, slices: value.slices.map((slice) => ({ ...slice, at: -(offset + width) & 7 })) };
    }),
    ...own.asked.map((range) => piece(range, isTouched(range))),
    ...own.padding.map((byte) => piece({ from: byte, to: byte + 1 }, true)),
    ...cuts.map((range): Piece => {
      const one = piece(range, range.isTouched);
      const tied = range.isTied ? { ...one, isTied: true as const } : one;
      // What is smaller than its container is no run of bytes that could be cut again.
      return range.size === undefined
        ? tied
        : { ...tied, size: range.size, bytes: undefined, isListed: true };
    }),
  ];
}

/** Bits of a header at which a value begins, or a part of one that a table names, in ascending order. */
function boundariesOf(fields: readonly FieldInfo[], { ranges }: GressUse): number[] {
  const bits = new Set<number>();
  for (const { name, offset, width } of fields) {
    bits.add(offset).add(offset + width);
    for (const { lo, width: length } of ranges.get(name) ?? []) {
      bits.add(offset + width - lo).add(offset + width - Math.min(width, lo + length));
    }
  }
  return [...bits].sort((a, b) => a - b);
}

/** A range in parts, none of which has a border inside. */
function splitAt({ from, to }: ByteRange, borders: ReadonlySet<number>): ByteRange[] {
  const at = [...borders].filter((border) => from < border && border < to).sort((a, b) => a - b);
  return [from, ...at].map((start, i) => ({ from: start, to: at[i] ?? to }));
}

/** Neighbours in an ascending list of bytes. */
function runsOf(bytes: readonly number[]): ByteRange[] {
  const runs: ByteRange[] = [];
  for (const byte of bytes) {
    const last = runs.at(-1);
    if (last?.to === byte) last.to++;
    else runs.push({ from: byte, to: byte + 1 });
  }
  return runs;
}

/** The byte ranges of containers whose size, or whose only field, the program states. */
function askedRanges(fields: readonly FieldInfo[], request: Request, bytes: number): ByteRange[] {
  return fields.flatMap(({ name, offset, width }) => {
    const asked = request(name);
    const whole = { from: offset >> 3, to: (offset + width + 7) >> 3 };
    if (asked?.sizes === undefined) return asked?.isSolitary === true ? cut(whole) : [];
    const ranges: ByteRange[] = [];
    const sizes = [...asked.sizes].reverse();
    for (let to = whole.to, i = 0; to > whole.from; i++) {
      const length = (sizes[i] ?? sizes.at(-1)!) / 8;
      // Where the field is shorter, the bytes before it are in the container, too, or those after it.
      const from = Math.max(0, to - length);
      ranges.push({ from, to: Math.min(bytes, from + length) });
      to = from;
    }
    return ranges;
  });
}

/** Ranges that have a byte in common become one. */
function withoutOverlap(ranges: readonly ByteRange[]): ByteRange[] {
  const result: ByteRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = result.at(-1);
    if (last !== undefined && range.from < last.to) last.to = Math.max(last.to, range.to);
    else result.push({ ...range });
  }
  return result;
}

/** In pieces of 4, 2 and 1 bytes. */
function cut({ from, to }: ByteRange): ByteRange[] {
  const pieces: ByteRange[] = [];
  let at = from;
  while (at < to) {
    const rest = to - at;
    const take = rest >= 4 ? 4 : rest >= 2 ? 2 : 1;
    pieces.push({ from: at, to: at + take });
    at += take;
  }
  return pieces;
}

interface HeaderPart {
  readonly gress: Gress;
  readonly header: string;
  readonly isSent: boolean;
  readonly fields: readonly FieldInfo[];
}

/** What bytes of a header become pieces of. */
export function headerPart(model: FitModel, { gress, kept }: GressUse, header: string): HeaderPart {
  const isSent = !model.hasEgressParser || model.parser.isSent(gress, header);
  return { gress, header, isSent, fields: kept(header) };
}

/** The piece of 1, 2 or 4 bytes of a header. */
export function bytePiece(
  { gress, header, isSent, fields }: HeaderPart,
  { from, to }: ByteRange,
  isTouched: boolean,
  isAlone: (field: string) => boolean,
): Piece {
  const slices: PieceSlice[] = [];
  for (const { name, offset, width } of fields) {
    const start = Math.max(offset, 8 * from);
    const end = Math.min(offset + width, 8 * to);
    if (start < end)
      slices.push({ field: name, lo: offset + width - end, width: end - start, at: 8 * to - end });
  }
  const size = (8 * (to - from)) as ContainerSize;
  return {
    gress,
    size,
    slices,
    bytes: { header, first: from },
    isSent,
    isTouched,
    isAlone: slices.some(({ field }) => isAlone(field)),
  };
}
