/** Pieces of a gress: those of its headers, of values of metadata (one for each 32 bits), and of what the chip needs whatever the program does. */
import { defined } from "../../../base/index.js";
import type { Access, FieldInfo, Gress } from "../model/model.js";
import { paddingHeaders } from "../parde/padding.js";
import type { AllocationInput } from "./allocation.js";
import { carriedPieces } from "./carried-pieces.js";
import { GHOST_BITS, ghostSlices } from "./ghost.js";
import { type GressUse, intrinsicHeader } from "./gress-use.js";
import type { AllCuts } from "./header-cuts.js";
import { headerPieces } from "./header-pieces.js";
import type { ContainerSize, PhvLayout } from "./pack.js";
import { type Piece, sizeFor, valuePiece } from "./piece.js";

const SIZES = [8, 16, 32] as const;

/** All pieces of a gress. */
export function piecesOf(
  input: AllocationInput,
  layout: PhvLayout,
  use: GressUse,
  { headers, together }: AllCuts,
): Piece[] {
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
  const exact = new Set<string>();
  for (const field of touched) {
    const info = model.fields.get(field);
    if (ofGhost.has(field) || info === undefined || (!info.metadata && isCarried(info.header))) continue;
    if (request(field)?.sizes !== undefined) asked.add(field);
    else if (carried.has(field)) exact.add(field);
    else {
      const tied = together?.partsOf(field, info.width);
      const ranges = use.ranges.get(field) ?? [];
      if (tied === undefined || (isAlone(field) && tied.length > 1))
        for (const part of partsOf(info, ranges, isAlone(field)))
          pieces.push(valuePiece(gress, part, isAlone(field)));
      else
        for (const { lo, width, size } of tied) {
          if (size === undefined)
            for (const part of partsOf(info, ranges, isAlone(field), lo, lo + width))
              pieces.push(valuePiece(gress, part, isAlone(field)));
          else if (ranges.some((range) => range.lo < lo + width && lo < range.lo + range.width))
            pieces.push({ ...valuePiece(gress, { field, lo, width }, isAlone(field)), size });
        }
    }
  }
  // A mirror or a resubmission carries values that nothing sets, too.
  for (const field of carried) {
    const info = model.fields.get(field);
    if (info === undefined || touched.has(field) || model.parser.sets(gress).has(field)) continue;
    if (info.metadata || !isCarried(info.header)) exact.add(field);
  }
  pieces.push(...carriedPieces(model, gress, exact, isAlone));
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
  for (const [header, { own, cuts }] of headers)
    pieces.push(...headerPieces(input, use, header, request, own, cuts));
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
 * The pieces of a value of metadata that tables name a part of. It is cut from its lowest bit on where a part that tables name ends, else
 * after the most bits of a container (p4c, phv/slicing/phv_slicing_dfs_iterator.cpp, make_choices). A piece that nothing names has no place.
 */
function partsOf(
  { name, width }: FieldInfo,
  ranges: readonly Access[],
  isAlone: boolean,
  from = 0,
  to = width,
): Access[] {
  const borders = new Set(ranges.flatMap(({ lo, width: bits }) => [lo, Math.min(width, lo + bits)]));
  const parts: Access[] = [];
  for (let lo = from; lo < to; ) {
    const rest = to - lo;
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
