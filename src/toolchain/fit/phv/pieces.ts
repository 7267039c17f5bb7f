/**
 * Pieces: what goes to a container as one. The bytes of a header that tables touch are cut as pack.ts has them, and rounded to whole
 * bytes, as parser and deparser take them; the other bytes of a header that is sent make pieces of their own. A value of metadata is one
 * piece for each 32 bits.
 */
import { defined } from "../../../base/index.js";
import type { FieldInfo, FitModel, Gress, Operation, Unit } from "../model/model.js";
import { actionReads, keyReads, writesOf } from "../model/model.js";
import type { AllocationInput } from "./allocation.js";
import type { ContainerSize, PhvLayout } from "./pack.js";

interface PieceSlice {
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
  /** A table reads or writes it. */
  readonly isTouched: boolean;
  /** Its field stands alone: an operand of arithmetic or of a stateful ALU. */
  readonly isAlone: boolean;
}

/** How the units of a gress use fields. */
export interface GressUse {
  readonly gress: Gress;
  readonly units: readonly Unit[];
  readonly touched: ReadonlySet<string>;
  readonly matched: ReadonlySet<string>;
  readonly alone: ReadonlySet<string>;
  readonly operations: readonly { readonly unit: Unit; readonly action: number; readonly op: Operation }[];
}

/** Reads the use of a gress. */
export function useOf(model: FitModel, gress: Gress): GressUse {
  const units = model.units.filter((unit) => unit.gress === gress);
  const touched = new Set<string>();
  const matched = new Set<string>();
  const alone = new Set<string>();
  for (const unit of units) {
    for (const { field } of keyReads(unit)) matched.add(field);
    for (const { field } of [...keyReads(unit), ...actionReads(unit), ...writesOf(unit)]) touched.add(field);
    for (const { arithmetic } of unit.actions) for (const field of arithmetic) alone.add(field);
    if (unit.attached.some(({ kind }) => kind === "register"))
      for (const { field } of [...actionReads(unit), ...writesOf(unit)]) alone.add(field);
  }
  const operations = units.flatMap((unit) =>
    unit.actions.flatMap((one, action) => one.operations.map((op) => ({ unit, action, op }))),
  );
  return { gress, units, touched, matched, alone, operations };
}

/** All pieces of a gress. */
export function piecesOf(input: AllocationInput, layout: PhvLayout, use: GressUse): Piece[] {
  const { model, requests } = input;
  const { gress, touched } = use;
  const pieces: Piece[] = [];
  const asked = new Set<string>();
  const isCarried = (header: string) => model.parser.isCarried(gress, header);
  const request = (field: string) => requests.of(gress, field);
  const isAlone = (field: string) => use.alone.has(field) || request(field)?.isSolitary === true;
  for (const { slices, size } of layout.containers.filter((one) => one.gress === gress && !one.tagalong)) {
    const [first] = slices;
    const info = model.fields.get(defined(first).field);
    if (info !== undefined && !info.metadata && isCarried(info.header)) continue;
    const shared = slices.length > 1;
    for (const { field, lo, width } of slices) {
      if (request(field)?.sizes !== undefined) {
        asked.add(field);
        continue;
      }
      const own = shared ? sizeFor(width) : size;
      pieces.push({
        gress,
        size: own,
        slices: [{ field, lo, width, at: 0 }],
        bytes: undefined,
        isTouched: true,
        isAlone: isAlone(field),
      });
    }
  }
  for (const field of asked)
    pieces.push(
      ...askedPieces(
        gress,
        field,
        model.fields.get(field)?.width ?? 1,
        request(field)?.sizes ?? [],
        isAlone(field),
      ),
    );
  for (const header of model.headers.values())
    if (!header.metadata && isCarried(header.name))
      pieces.push(...headerPieces(model, layout, use, header.name, request));
  for (const { field, width } of givenBits(input, gress, touched))
    pieces.push({
      gress,
      size: sizeFor(width),
      slices: [{ field, lo: 0, width, at: 0 }],
      bytes: undefined,
      isTouched: true,
      isAlone: false,
    });
  return pieces;
}

/** A value of metadata in containers of stated sizes, the first one for the highest bits. */
function askedPieces(
  gress: Gress,
  field: string,
  width: number,
  sizes: readonly ContainerSize[],
  isAlone: boolean,
): Piece[] {
  const pieces: Piece[] = [];
  const upwards = [...sizes].reverse();
  for (let lo = 0, i = 0; lo < width; i++) {
    const size = upwards[i] ?? upwards.at(-1)!;
    const slices = [{ field, lo, width: Math.min(size, width - lo), at: 0 }];
    pieces.push({ gress, size, slices, bytes: undefined, isTouched: true, isAlone });
    lo += size;
  }
  return pieces;
}

type Request = (field: string) => ReturnType<AllocationInput["requests"]["of"]>;

/** The smallest container for so many bits. */
export const sizeFor = (bits: number): ContainerSize => (bits > 16 ? 32 : bits > 8 ? 16 : 8);

const DROP_BITS = 3;

/**
 * What the hardware's deparser needs whatever the program does: which headers it sends, whether it drops the packet, and on Tofino 1
 * where a mirrored packet is taken (p4c, midend/initialize_mirror_io_select.cpp).
 */
function givenBits(
  { model, target }: AllocationInput,
  gress: Gress,
  touched: ReadonlySet<string>,
): { field: string; width: number }[] {
  if (!model.hasEgressParser) return [];
  const headers = [...model.headers.values()].filter(({ metadata }) => !metadata);
  const valid = headers
    .filter(({ name }) => model.parser.isSent(gress, name) && model.parser.isCarried(gress, name))
    .map(({ name }) => ({ field: `${name}.$valid$`, width: 1 }));
  const intrinsic = intrinsicHeader(model, gress);
  const drops = [...touched].some((field) => field.endsWith(".drop_ctl"));
  const given = intrinsic === undefined || drops ? [] : [{ field: `$${gress}.drop_ctl`, width: DROP_BITS }];
  if (gress === "egress" && intrinsic !== undefined && !target.phv.deparser_validity_shared)
    given.push({ field: "$egress.mirror_io_select", width: 1 });
  return [...valid.filter(({ field }) => !touched.has(field)), ...given];
}

/** The header that the chip puts before each packet of a gress, where the parser extracts it. */
function intrinsicHeader(model: FitModel, gress: Gress): string | undefined {
  const [port, other] =
    gress === "ingress" ? ["ingress_port", "resubmit_flag"] : ["egress_port", "enq_qdepth"];
  return [...model.headers.values()].find(
    ({ name, metadata, fields }) =>
      !metadata &&
      model.parser.isParsed(gress, name) &&
      fields.includes(`${name}.${port}`) &&
      fields.includes(`${name}.${other}`),
  )?.name;
}

/** Bytes of the port in the chip's own header, which parser and deparser always need. */
const PORT_BYTES = 2;

interface ByteRange {
  from: number;
  to: number;
}

function headerPieces(
  model: FitModel,
  layout: PhvLayout,
  use: GressUse,
  header: string,
  request: Request,
): Piece[] {
  const { gress, touched } = use;
  const isAlone = (field: string) => use.alone.has(field) || request(field)?.isSolitary === true;
  const info = defined(model.headers.get(header));
  const fields = info.fields.map((name) => defined(model.fields.get(name))).filter(({ width }) => width > 0);
  const bytes = Math.ceil(info.bits / 8);
  const joined = rangesOf(layout, gress, fields, touched);
  if (model.hasEgressParser && intrinsicHeader(model, gress) === header)
    joined.push({ from: 0, to: PORT_BYTES });
  const asked = withoutOverlap(askedRanges(fields, request, bytes));
  const isAsked = (byte: number) => asked.some(({ from, to }) => from <= byte && byte < to);
  const own = withoutOverlap(joined).flatMap((range) =>
    runsOf(bytesIn(range).filter((byte) => !isAsked(byte))),
  );
  const covered = new Set([...asked, ...own].flatMap(bytesIn));
  const needed = (byte: number) =>
    model.parser.isSent(gress, header) ||
    fields.some(
      ({ name, offset, width }) =>
        offset < 8 * byte + 8 && 8 * byte < offset + width && model.parser.reads(gress).has(name),
    );
  const all = Array.from({ length: bytes }, (_, byte) => byte);
  const rest = runsOf(all.filter((byte) => !covered.has(byte) && needed(byte)));
  const piece = (isTouched: boolean) => (range: ByteRange) =>
    bytePiece({ gress, header, fields }, range, isTouched, isAlone);
  const isTouched = ({ from, to }: ByteRange) =>
    fields.some(
      ({ name, offset, width }) => offset < 8 * to && 8 * from < offset + width && touched.has(name),
    );
  return [
    ...asked.map((range) => piece(isTouched(range))(range)),
    ...own.flatMap(cut).map(piece(true)),
    ...rest.flatMap(cut).map(piece(false)),
  ];
}

const bytesIn = ({ from, to }: ByteRange): number[] => Array.from({ length: to - from }, (_, i) => from + i);

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

/** The byte ranges of the containers of pack.ts. */
function rangesOf(
  layout: PhvLayout,
  gress: Gress,
  fields: readonly FieldInfo[],
  touched: ReadonlySet<string>,
): ByteRange[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const containers = fields
    .filter(({ name }) => touched.has(name))
    .flatMap(({ name }) => layout.of(gress, name));
  return [...new Set(containers)].map(({ slices }) => {
    const ends = slices.flatMap((slice) => {
      const field = byName.get(slice.field);
      if (field === undefined) return [];
      const end = field.offset + field.width - slice.lo;
      return [end - slice.width, end];
    });
    return { from: Math.min(...ends) >> 3, to: (Math.max(...ends) + 7) >> 3 };
  });
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
export function cut({ from, to }: ByteRange): ByteRange[] {
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
  readonly fields: readonly FieldInfo[];
}

/** The piece of 1, 2 or 4 bytes of a header. */
export function bytePiece(
  { gress, header, fields }: HeaderPart,
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
    isTouched,
    isAlone: slices.some(({ field }) => isAlone(field)),
  };
}
