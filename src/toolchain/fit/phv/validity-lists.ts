/**
 * The bits that tell the deparser which headers and checksums to send stand together: lists of at most 32 bits, in the order in which
 * the compiler comes to the headers (p4c, phv/make_clusters.cpp, pack_pov_bits). A bit that another table of the same stage writes than one of the list stands for itself.
 */
import { defined } from "../../../base/index.js";
import type { Gress } from "../model/model.js";
import type { AllocationInput } from "./allocation.js";
import { meetInStage } from "./conflicts.js";
import type { GressUse } from "./gress-use.js";
import { type Piece, sizeFor } from "./piece.js";
import { copiedBits, validityContainers } from "./validity.js";

/** On a chip whose values for the deparser have a bit that says whether they are there: those that egress has whatever the program does. */
const GIVEN_IN_EGRESS = ["$egress.mirror_io_select", "$egress.egress_port"];

/** Bits of a list, which a container holds. */
const MAX_BITS = 32;

/** The pieces, with those of single bits for the deparser's choice of headers as lists. */
export function withValidityLists(input: AllocationInput, use: GressUse, pieces: readonly Piece[]): Piece[] {
  const isValid = ({ slices, isAlone }: Piece) =>
    !isAlone && slices.length === 1 && slices[0]!.width === 1 && slices[0]!.field.endsWith("$");
  const single: Piece[] = [];
  const lists: string[][] = [];
  const isShared = input.target.phv.deparser_validity_shared;
  const order = [...validityContainers(input.model, use.gress, input.target).keys()];
  const named = new Set(order.filter((name) => name.endsWith(".$valid$")));
  const copied = copiedBits(input.model);
  // Bits that are copied, and those of checksums, which a table sets to what its entry gives, are in no list.
  const isListed = (field: string) =>
    isShared ? named.has(field) : field.endsWith(".$valid$") && !copied.has(field);
  const rankOf = ({ slices }: Piece) => {
    const at = order.indexOf(defined(slices[0]).field);
    return at < 0 ? order.length : at;
  };
  const writingsOf = (field: string) => use.operations.filter(({ op }) => op.write.field === field);
  const values = isShared
    ? [...givenIn(use.gress, pieces), ...order.filter((name) => !name.endsWith("$"))]
    : [];
  if (values.length > 0) lists.push(values.map((name) => `${name}.$valid$`));
  for (const piece of pieces.filter(isValid).sort((a, b) => rankOf(a) - rankOf(b))) {
    const { field } = defined(piece.slices[0]);
    if (!isListed(field)) {
      single.push(piece);
      continue;
    }
    let list = lists.at(-1);
    if (list === undefined || list.length === MAX_BITS) lists.push((list = []));
    const mine = writingsOf(field);
    const clashes = list.some((other) =>
      writingsOf(other).some((a) => mine.some((b) => meetInStage(input, a, b))),
    );
    if (clashes) single.push(piece);
    else list.push(field);
  }
  return [
    ...pieces.filter((piece) => !isValid(piece)),
    ...single,
    ...lists.map((fields) => listPiece(use.gress, fields)),
  ];
}

function givenIn(gress: Gress, pieces: readonly Piece[]): readonly string[] {
  const has = pieces.some(({ slices }) => slices.some(({ field }) => field === GIVEN_IN_EGRESS[0]));
  return gress === "egress" && has ? GIVEN_IN_EGRESS : [];
}

function listPiece(gress: Gress, fields: readonly string[]): Piece {
  return {
    gress,
    size: sizeFor(fields.length),
    slices: fields.map((field, at) => ({ field, lo: 0, width: 1, at })),
    bytes: undefined,
    isSent: false,
    isTouched: true,
    isAlone: false,
    isListed: true,
  };
}
