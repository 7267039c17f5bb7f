/** The order in which clusters get their containers (p4c, phv/allocate_phv.cpp, sortClusters). */
import { compareRanks } from "../../../base/index.js";
import type { AllocationInput } from "./allocation.js";
import type { Cluster } from "./clusters.js";
import type { HeaderList } from "./gress-use.js";
import type { Piece } from "./piece.js";
import { PADDING } from "./pieces.js";
import type { Sharing } from "./sharing.js";

export interface Work {
  readonly cluster: Cluster;
  readonly sharing: Sharing;
}

/** Values that stand at the low end of their container have one place there, others any. */
const PLACES = 5;

/** Sorted: what cannot be moved or cut first, then the packet's bytes by size, then values of metadata. Equal ones stay in their order. */
export function inOrder({ model, target, requests }: AllocationInput, work: readonly Work[]): Work[] {
  const hasValidBits = target.phv.deparser_validity_shared;
  // In the order of the parser on Tofino 1; on Tofino 2 public designs have the compiler's bytes on the crossbar in the order of the declarations.
  const inParser = hasValidBits ? [] : model.parser.inOrder;
  const headers = [...new Set([...inParser, ...model.headers.keys()])];
  const rankOf = ({ cluster: { pieces, isWhole }, sharing }: Work): number[] => {
    const slices = pieces.flatMap((piece) => piece.slices);
    const isSent = pieces.some((piece) => piece.isSent);
    const has = (test: boolean) => (test ? 0 : 1);
    const isGiven = slices.some(
      ({ field }) =>
        model.forDeparser.has(field) ||
        field.startsWith("$") ||
        (sharing.gress === "egress" && !isSent && field.endsWith(".egress_port")),
    );
    const isValid = has(slices.some(({ field }) => field.endsWith("$") || field === PADDING));
    const isAsked = slices.some(({ field }) => requests.of(sharing.gress, field)?.sizes !== undefined);
    const lists = [...new Set(pieces.filter((piece) => piece.isSent).map((piece) => listOf(piece, sharing)))];
    return [
      ...(hasValidBits ? [has(isAsked), isValid] : []),
      has(pieces.some((piece) => piece.isAlone)),
      has(isWhole || isGiven),
      has(lists.some(({ bits }) => bits === 8)),
      has(isSent),
      ...(isSent
        ? [
            -Math.max(...lists.map(({ bits }) => bits)),
            -pieces.length,
            -lists.reduce((sum, { fields }) => sum + fields, 0),
            ...placeOf(pieces, headers),
          ]
        : [
            ...(hasValidBits ? [] : [isValid]),
            isGiven ? 1 : PLACES,
            -pieces.filter((piece) => sharing.hasFirstValue(piece)).length,
            -pieces.reduce((sum, piece) => sum + bitsOf(piece), 0),
          ]),
    ];
  };
  const ranked = work.map((one) => ({ one, rank: rankOf(one) }));
  return ranked.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ one }) => one);
}

/** The list of a header in which a piece stood before it was cut; of other pieces they alone. */
function listOf({ bytes, size, slices }: Piece, { use }: Sharing): HeaderList {
  const own = { bits: size, fields: slices.length };
  return bytes === undefined ? own : (use.lists.get(`${bytes.header} ${bytes.first}`) ?? own);
}

/** The first header of pieces, and the last byte of it first. */
function placeOf(pieces: readonly Piece[], headers: readonly string[]): [number, number] {
  const places = pieces.map(({ bytes }): [number, number] =>
    bytes === undefined ? [headers.length, 0] : [headers.indexOf(bytes.header), -bytes.first],
  );
  return places.sort(compareRanks)[0]!;
}

/** The largest pieces first; of bytes of one header, the last ones (p4c, phv/allocate_phv.cpp). */
export function besidesInOrder<T extends { readonly piece: Piece }>(besides: readonly T[]): T[] {
  const headers = new Map<string, number>();
  const ranked = besides.map((one) => {
    const { gress, bytes } = one.piece;
    const header = `${gress} ${bytes?.header ?? ""}`;
    if (!headers.has(header)) headers.set(header, headers.size);
    return { one, header: headers.get(header)!, first: bytes?.first ?? 0 };
  });
  ranked.sort((a, b) => b.one.piece.size - a.one.piece.size || a.header - b.header || b.first - a.first);
  return ranked.map(({ one }) => one);
}

/** Bits of a piece; of bytes of a header also those that nothing reads. */
function bitsOf({ bytes, size, slices }: Piece): number {
  return bytes === undefined ? slices.reduce((sum, { width }) => sum + width, 0) : size;
}
