/**
 * Pieces: what goes to a container as one. The bytes of a header that tables touch are cut as pack.ts has them, and rounded to whole
 * bytes, as parser and deparser take them; the other bytes of a header that is sent make pieces of their own. A value of metadata is one
 * piece for each 32 bits.
 */
import { defined } from "../../../base/index.js";
import type { Access, FieldInfo, FitModel, Gress, Operation, Unit } from "../model/model.js";
import { actionReads, keyReads, writesOf } from "../model/model.js";
import { paddingHeaders } from "../parde/padding.js";
import type { Target } from "../target.js";
import type { AllocationInput } from "./allocation.js";
import { bordersOfRequests, bordersOfStages } from "./conflicts.js";
import { type ByteRange, cutBytes } from "./cuts.js";
import { GHOST_BITS, ghostSlices } from "./ghost.js";
import { bytesTouched, isWide, paddingOf } from "./header-bytes.js";
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
  /** The deparser sends it, so that nothing else stands in its containers. */
  readonly isSent: boolean;
  /** A table reads or writes it. */
  readonly isTouched: boolean;
  /** Its field stands alone: an operand of arithmetic or of a stateful ALU. */
  readonly isAlone: boolean;
  /** It comes from a list of bits that stand together, of which every part begins at the low end of its container. */
  readonly isListed?: true;
}

/** How the units of a gress use fields. */
export interface GressUse {
  readonly gress: Gress;
  readonly units: readonly Unit[];
  readonly touched: ReadonlySet<string>;
  /** What stands on the crossbar: keys, conditions, what is hashed, indices and operands of memories. */
  readonly matched: ReadonlySet<string>;
  /** Results of sums, and operands that are narrower than these or end at a largest or smallest value (p4c, phv/cluster_phv_operations.cpp). */
  readonly alone: ReadonlySet<string>;
  /** Operands and results of logic and sums, which stand at the same bits of their containers. */
  readonly aligned: ReadonlySet<string>;
  /** Times at which the packet came, of which the parser fills whole containers (p4c, phv/phv_fields.cpp, MarkTimestampAndVersion). */
  readonly stamps: ReadonlySet<string>;
  /** What an instruction takes from the packet or gives to it together with another field, or what its deparser takes. */
  readonly tied: ReadonlySet<string>;
  /** By field: the bits that tables name. */
  readonly ranges: ReadonlyMap<string, readonly Access[]>;
  readonly operations: readonly { readonly unit: Unit; readonly action: number; readonly op: Operation }[];
  /** Tests for being equal, as if they were logic: a gateway has both fields at the same bits of containers of one size (p4c, phv/make_clusters.cpp). */
  readonly comparisons: readonly { readonly op: Operation }[];
  /** Fields of a header of the packet that something reads, or whose bytes the deparser sends. */
  readonly kept: (header: string) => readonly FieldInfo[];
  /** By header and byte: the list in which the byte stands before lists are cut for containers, of as many bits and fields. */
  readonly lists: Map<string, HeaderList>;
}

/** Neighbouring bytes of a header that get their containers together. */
export interface HeaderList {
  readonly bits: number;
  readonly fields: number;
}

/**
 * Values for the traffic manager and the deparser whose container tells by itself whether they were written, so that nothing else stands in
 * it (p4c, parde/add_metadata_pov.cpp, INVALIDATE_FROM_ARCH): on chips whose values have no bit that says so.
 */
const VALID_BY_CONTAINER: ReadonlySet<string> = new Set([
  "mcast_grp_a",
  "mcast_grp_b",
  "ucast_egress_port",
  "resubmit_type",
  "digest_type",
  "mirror_type",
]);

export const isValidByContainer = (field: string): boolean =>
  VALID_BY_CONTAINER.has(field.split(".").at(-1)!);

/** Reads the use of a gress. */
export function useOf(model: FitModel, target: Target, gress: Gress): GressUse {
  const units = model.units.filter((unit) => unit.gress === gress);
  const touched = new Set<string>();
  const matched = new Set<string>();
  const alone = new Set<string>();
  const aligned = new Set<string>();
  const tied = new Set(model.forDeparser);
  const ranges = new Map<string, Access[]>();
  for (const unit of units) {
    const ofMemories = unit.attached.flatMap(({ address, operands }) => [...address.inputs, ...operands]);
    for (const { field } of [...keyReads(unit), ...ofMemories]) matched.add(field);
    for (const access of [...keyReads(unit), ...actionReads(unit), ...writesOf(unit)]) {
      touched.add(access.field);
      const list = ranges.get(access.field);
      if (list === undefined) ranges.set(access.field, [access]);
      else list.push(access);
    }
    for (const { operations } of unit.actions)
      for (const { kind, write, sources, saturates } of operations) {
        for (const { field } of sources.length > 0 ? [write, ...sources] : []) tied.add(field);
        if (kind === "set") continue;
        for (const { field } of [write, ...sources]) aligned.add(field);
        if (kind !== "arithmetic") continue;
        alone.add(write.field);
        for (const { field, width } of sources)
          if (saturates === true || width < write.width) alone.add(field);
      }
  }
  if (model.hasEgressParser && !target.phv.deparser_validity_shared)
    for (const field of [...touched, ...model.parser.sets(gress)])
      if (model.forDeparser.has(field) && isValidByContainer(field)) alone.add(field);
  const operations = units.flatMap((unit) =>
    unit.actions.flatMap((one, action) => one.operations.map((op) => ({ unit, action, op }))),
  );
  const comparisons = units.flatMap(({ condition, source }) =>
    (condition?.pairs ?? []).map(([write, other]) => ({
      op: { kind: "logic", write, sources: [other], data: false, source } satisfies Operation,
    })),
  );
  for (const { op } of comparisons) for (const { field } of [op.write, ...op.sources]) aligned.add(field);
  const known = new Map<string, readonly FieldInfo[]>();
  const kept = (header: string) => {
    const fields = known.get(header) ?? keptOf(model, gress, touched, header);
    known.set(header, fields);
    return fields;
  };
  const stamp = model.program.architecture?.pipes[0]?.[gress].fields["parser.global_tstamp"];
  const stamps = new Set(stamp === undefined ? [] : [stamp.join(".")]);
  return {
    gress,
    units,
    touched,
    matched,
    alone,
    aligned,
    stamps,
    tied,
    ranges,
    operations,
    comparisons,
    kept,
    lists: new Map(),
  };
}

/** Of a header that is not sent, the compiler places what tables, the parser or the deparser read, and the port with its mark of a second pass. */
function keptOf(model: FitModel, gress: Gress, touched: ReadonlySet<string>, header: string): FieldInfo[] {
  const fields = defined(model.headers.get(header)).fields.map((name) => defined(model.fields.get(name)));
  if (!model.hasEgressParser || model.parser.isSent(gress, header)) return fields;
  const given = intrinsicHeader(model, gress) === header ? givenFields(gress) : [];
  return fields.filter(
    ({ name }) =>
      touched.has(name) ||
      model.parser.reads(gress).has(name) ||
      given.some((one) => name === `${header}.${one}`),
  );
}

/** What the chip's own header gives to the deparser whatever the program does. */
const givenFields = (gress: Gress): readonly string[] => (gress === "ingress" ? [] : ["egress_port"]);

/** All pieces of a gress. */
export function piecesOf(input: AllocationInput, layout: PhvLayout, use: GressUse): Piece[] {
  const { model, requests } = input;
  const { gress, touched } = use;
  const pieces: Piece[] = [];
  const asked = new Set<string>();
  const isCarried = (header: string) => model.parser.isCarried(gress, header);
  const request = (field: string) => requests.of(gress, field);
  const isAlone = (field: string) => use.alone.has(field) || request(field)?.isSolitary === true;
  // The result of a stateful ALU that a v1model program changes and uses takes a container before.
  const results = layout.containers
    .filter((one) => one.gress === gress && !one.tagalong)
    .flatMap(({ slices }) => slices.filter(({ field }) => !model.fields.has(field)));
  for (const { field, lo, width } of results) pieces.push(valuePiece(gress, { field, lo, width }, false));
  const carried = model.parser.carries(gress);
  const ofGhost = gress === "ingress" ? new Set(model.ghostFields) : new Set<string>();
  if (ofGhost.size > 0)
    pieces.push({
      gress,
      size: GHOST_BITS,
      slices: ghostSlices(model),
      bytes: undefined,
      isSent: false,
      isTouched: true,
      isAlone: true,
    });
  for (const field of touched) {
    const info = model.fields.get(field);
    if (ofGhost.has(field) || info === undefined || (!info.metadata && isCarried(info.header))) continue;
    if (request(field)?.sizes !== undefined) asked.add(field);
    else if (carried.has(field)) pieces.push(...exactPieces(gress, info, isAlone(field)));
    else
      for (const part of partsOf(info, use.ranges.get(field) ?? [], isAlone(field)))
        pieces.push(valuePiece(gress, part, isAlone(field)));
  }
  // A mirror or a resubmission carries values that nothing sets, too.
  for (const field of carried) {
    const info = model.fields.get(field);
    if (info === undefined || touched.has(field) || model.parser.sets(gress).has(field)) continue;
    if (info.metadata || !isCarried(info.header)) pieces.push(...exactPieces(gress, info, isAlone(field)));
  }
  // What the parser alone sets, the deparser takes from a container, too.
  for (const field of model.hasEgressParser ? model.parser.sets(gress) : []) {
    const width = model.fields.get(field)?.width;
    if (width !== undefined && model.forDeparser.has(field) && !touched.has(field))
      pieces.push(valuePiece(gress, { field, lo: 0, width }, isAlone(field)));
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
      pieces.push(...headerPieces(input, use, header.name, request));
  for (const { field, width } of givenBits(input, gress, touched))
    pieces.push({
      gress,
      size: sizeFor(width),
      slices: [{ field, lo: 0, width, at: 0 }],
      bytes: undefined,
      isSent: field === DROP_SESSION,
      isTouched: true,
      isAlone: field.endsWith("_type"),
    });
  return pieces;
}

/**
 * The pieces of a value of metadata that a mirror or a resubmission carries: whole bytes, so that its containers hold nothing else (p4c,
 * phv/phv_fields.cpp, exact_containers). The largest containers hold the lowest bits.
 */
function exactPieces(gress: Gress, { name, width }: FieldInfo, isAlone: boolean): Piece[] {
  const pieces: Piece[] = [];
  for (let lo = 0; lo < width; ) {
    const rest = 8 * Math.ceil((width - lo) / 8);
    const size = rest >= 32 ? 32 : rest >= 16 ? 16 : 8;
    const slices = [{ field: name, lo, width: Math.min(size, width - lo), at: 0 }];
    pieces.push({ gress, size, slices, bytes: undefined, isSent: true, isTouched: true, isAlone });
    lo += size;
  }
  return pieces;
}

/** The part of a value in the smallest container for it. */
function valuePiece(gress: Gress, { field, lo, width }: Access, isAlone: boolean): Piece {
  const slices = [{ field, lo, width, at: 0 }];
  return { gress, size: sizeFor(width), slices, bytes: undefined, isSent: false, isTouched: true, isAlone };
}

/**
 * The pieces of a value of metadata that tables name a part of. It is cut from its lowest bit on where a part that tables name ends, else
 * after the most bits of a container (p4c, phv/slicing/phv_slicing_dfs_iterator.cpp, make_choices). A piece that nothing names has no place.
 */
function partsOf({ name, width }: FieldInfo, ranges: readonly Access[], isAlone: boolean): Access[] {
  const borders = new Set(ranges.flatMap(({ lo, width: bits }) => [lo, Math.min(width, lo + bits)]));
  const parts: Access[] = [];
  for (let lo = 0; lo < width; ) {
    const rest = width - lo;
    const sizes = SIZES.filter((_, i) => i === 0 || SIZES[i - 1]! < rest).map((size) => Math.min(size, rest));
    const most = defined(sizes.at(-1));
    const atBorder = sizes.filter((size) => size === rest || borders.has(lo + size)).at(-1);
    const bits = isAlone ? most : (atBorder ?? most);
    const part = { field: name, lo, width: bits };
    if (ranges.some((range) => range.lo < lo + bits && lo < range.lo + range.width)) parts.push(part);
    lo += bits;
  }
  return parts;
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
    pieces.push({ gress, size, slices, bytes: undefined, isSent: false, isTouched: true, isAlone });
    lo += size;
  }
  return pieces;
}

type Request = (field: string) => ReturnType<AllocationInput["requests"]["of"]>;

/** The smallest container for so many bits. */
export const sizeFor = (bits: number): ContainerSize => (bits > 16 ? 32 : bits > 8 ? 16 : 8);

/** Headers of the padding that the compiler lets the egress parser read (p4c, midend/parser_enforce_depth_req.cpp). */
export const PADDING = "$egress.padding";
/**
 * The session of the mirror that drops packets, which is zero: on Tofino 1 it needs the bits of a session, on Tofino 2 a byte of zeros (p4c,
 * midend/drop_packet_with_mirror_engine.cpp, and parde/mirror/const_mirror_session_opt.cpp).
 */
export const DROP_SESSION = "$ingress.mirror_session";
const SESSION_BITS = 10;
/** The kind of mirror that no table of a Tofino 1 sets. */
const UNSET_TYPE = "$ingress.unset_mirror_type";

/** The deparser alone has the value, and takes what another one left in its place. */
export const isAtEnd = (field: string): boolean => field === DROP_SESSION || field === UNSET_TYPE;
/** Bits of a value for the deparser that says of which kind the packet's mirror is. */
const MIRROR_BITS = { separate: 3, shared: 4 } as const;

/**
 * What the hardware's deparser needs whatever the program does: which headers it sends, whether it drops the packet, and on Tofino 1
 * where a mirrored packet is taken (p4c, midend/initialize_mirror_io_select.cpp). In ingress, the compiler drops packets with a mirror
 * that is switched off, so that it needs the kind of mirror (p4c, midend/drop_packet_with_mirror_engine.h).
 */
function givenBits(
  { model, target }: AllocationInput,
  gress: Gress,
  touched: ReadonlySet<string>,
): { field: string; width: number }[] {
  if (!model.hasEgressParser) return [];
  const headers = [...model.headers.values()].filter(({ metadata }) => !metadata);
  const given = headers
    .filter(({ name }) => model.parser.isSent(gress, name) && model.parser.isCarried(gress, name))
    .map(({ name }) => ({ field: `${name}.$valid$`, width: 1 }))
    .filter(({ field }) => !touched.has(field));
  if (intrinsicHeader(model, gress) === undefined) return given;
  const isTouched = (name: string) => [...touched].some((field) => field.endsWith(`.${name}`));
  const isShared = target.phv.deparser_validity_shared;
  if (gress === "ingress" && !isShared) given.push({ field: DROP_SESSION, width: SESSION_BITS });
  if (gress === "ingress" && !isTouched("mirror_type"))
    given.push(
      isShared
        ? { field: "$ingress.mirror_type", width: MIRROR_BITS.shared }
        : { field: UNSET_TYPE, width: MIRROR_BITS.separate },
    );
  // The deparser looks at the kind of mirror where egress has one.
  if (gress === "egress" && !isShared && model.parser.carries(gress).size > 0 && !isTouched("mirror_type"))
    given.push({ field: "$egress.mirror_type", width: MIRROR_BITS.separate });
  if (gress === "egress" && isShared) given.push({ field: "$egress.mirror_io_select", width: 1 });
  // Bits that say which headers of the padding are sent: one stands with those of other headers, several at the low end of a container.
  const padding = gress === "egress" ? paddingHeaders(model.program, target.parde?.parser) : 0;
  if (padding === 1) given.push({ field: `${PADDING}.$valid$`, width: 1 });
  if (padding > 1) given.push({ field: PADDING, width: padding });
  return given;
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

const SIZES = [8, 16, 32] as const;
/** Bits of the largest container. */
const MAX_BITS = 32;
/** Bytes of the port in the chip's own header, which parser and deparser always need. */
const PORT_BYTES = 2;

function headerPieces(input: AllocationInput, use: GressUse, header: string, request: Request): Piece[] {
  const { model, target, requests } = input;
  const { gress, touched } = use;
  const isAlone = (field: string) => use.alone.has(field) || request(field)?.isSolitary === true;
  const info = defined(model.headers.get(header));
  const fields = info.fields.map((name) => defined(model.fields.get(name))).filter(({ width }) => width > 0);
  const bytes = Math.ceil(info.bits / 8);
  // Past the pipeline go whole values alone.
  const isWhole = (target.phv.arrangement?.bypasses ?? 0) > 0;
  // What mirrors, resubmissions and digests have stands apart, in containers that they reach (p4c, phv/make_clusters.cpp, break_cond_digest_field).
  const isListed = (field: string) =>
    model.parser.carries(gress).has(field) || (!isWhole && model.parser.digests(gress).has(field));
  const hasPort = gress === "egress" && model.hasEgressParser && intrinsicHeader(model, gress) === header;
  const touchedBytes = bytesTouched(fields, use.ranges, isWhole);
  for (const { name, offset, width } of fields)
    if (isListed(name))
      for (let byte = offset >> 3; 8 * byte < offset + width; byte++) touchedBytes.add(byte);
  if (hasPort) for (let byte = 0; byte < PORT_BYTES; byte++) touchedBytes.add(byte);
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
  const isIn = ({ offset, width }: FieldInfo, { from, to }: ByteRange) =>
    offset < 8 * to && 8 * from < offset + width;
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
  const part = headerPart(model, use, header);
  const piece = (range: ByteRange, isTouched: boolean) => bytePiece(part, range, isTouched, isAlone);
  const isTouched = ({ from, to }: ByteRange) =>
    fields.some(
      ({ name, offset, width }) => offset < 8 * to && 8 * from < offset + width && touched.has(name),
    );
  const cuts = rest.flatMap((range) => cutBytes(range, shape));
  for (const { from, to } of new Set([...asked, ...cuts.map(({ list }) => list)])) {
    const list = { bits: 8 * (to - from), fields: fields.filter((one) => isIn(one, { from, to })).length };
    for (let byte = from; byte < to; byte++) use.lists.set(`${header} ${byte}`, list);
  }
  return [
    ...wide.map(({ name, offset, width }) => {
      const own = valuePiece(gress, { field: name, lo: 0, width }, false);
      return { ...own, slices: own.slices.map((slice) => ({ ...slice, at: -(offset + width) & 7 })) };
    }),
    ...asked.map((range) => piece(range, isTouched(range))),
    ...all
      .filter((byte) => isPadding(byte) && !isAsked(byte) && !isZero(byte) && needed(byte))
      .map((byte) => piece({ from: byte, to: byte + 1 }, true)),
    ...cuts.map((range) => piece(range, range.isTouched)),
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
