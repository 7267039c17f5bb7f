/**
 * The place of a piece in a container: beside the values that are there, instead of them, before or after them, or while one of them is in a
 * dark container.
 */
import type { Gress } from "../model/model.js";
import type { PlacedSlice } from "./allocation.js";
import type { Slot } from "./device.js";
import type { Piece } from "./piece.js";
import { isAtEnd, PADDING } from "./pieces.js";
import { areApart, overlap, type Sharing } from "./sharing.js";

export interface Place {
  readonly slot: Slot;
  /** The piece's slices there. */
  readonly slices: readonly PlacedSlice[];
  /** What the slices of the container become, where another value is there before or after the piece. */
  readonly others?: readonly PlacedSlice[];
  /** The dark container in which a value is while another one has its place, and what of it is there. */
  readonly parked?: { readonly slot: Slot; readonly piece: Piece; readonly slices: readonly PlacedSlice[] };
  /** With `parked`: bits that the compiler counts as shared. */
  readonly sharedBits?: number;
}

/** What the deparser alone has takes any place after another value, which it need not find cleared. */
export function isForEnd({ guests }: Slot, slices: readonly { readonly field: string }[]): boolean {
  const isEnd = (list: typeof slices) => list.some(({ field }) => isAtEnd(field));
  return isEnd(slices) || (guests.length > 0 && guests.every((guest) => isEnd(guest.slices)));
}

/** The deparser shifts a value by at most so many bits (p4c, phv/phv_fields.cpp, DeparserParameter). */
const LAST_FOR_DEPARSER = 7;

/** The highest bit at which the piece can begin. */
function lastStart(slot: Slot, piece: Piece, sharing: Sharing): number {
  const isSmall =
    piece.bytes === undefined &&
    !piece.isAlone &&
    piece.isListed === undefined &&
    piece.slices.length === 1 &&
    piece.slices[0]!.field !== PADDING &&
    !sharing.use.aligned.has(piece.slices[0]!.field);
  const most = sharing.isForDeparser(piece) ? LAST_FOR_DEPARSER : slot.size;
  return isSmall ? Math.min(most, slot.size - piece.slices[0]!.width) : 0;
}

/** The slices of a container that leave it for others, and those others. */
function movedIn({ guests }: Slot): ReadonlySet<PlacedSlice> {
  const all = guests.flatMap(({ slices }) => slices);
  const away = all.filter((one) => one.away !== undefined);
  return new Set(all.filter((one) => away.some((other) => overlap(one, other))));
}

/** The container holds what left another one. */
export const isParking = ({ guests }: Slot): boolean =>
  guests.some(({ slices }) => slices.some(({ isParked }) => isParked === true));

/** The lowest place at which a container in use admits a piece; with `inTurn` also where others have the bits before or after it. */
export function placeIn(slot: Slot, piece: Piece, sharing: Sharing, inTurn: boolean): Place | undefined {
  const first = sharing.placed(piece, 0);
  const moved = movedIn(slot);
  // What may not have the same place stands beside, wherever the piece begins.
  const others = slot.guests.flatMap(({ piece: other, slices }) =>
    slices
      .filter((theirs) => moved.has(theirs) || !first.every((mine) => sharing.mayOverlay(mine, theirs)))
      .map((theirs) => ({ theirs, other })),
  );
  const isAlone =
    others.some(({ other }) => piece.isAlone || other.isAlone || piece.isSent || other.isSent) ||
    (slot.kind !== "normal" && !sharing.areSetTogether([...others.map(({ theirs }) => theirs), ...first]));
  const last = lastStart(slot, piece, sharing);
  const beside = others.map(({ theirs }) => theirs);
  const step = sharing.isFromPacket(piece) ? 8 : 1;
  if (beside.length === 0 || !isAlone) {
    for (let at = 0; at <= last; at += step) {
      const slices = sharing.placed(piece, at);
      if (beside.some((theirs) => slices.some((mine) => overlap(mine, theirs)))) continue;
      if (beside.length === 0 || sharing.standTogether([...beside, ...slices])) return { slot, slices };
    }
  }
  if (!inTurn || moved.size > 0 || !sharing.takesTurns(slot.kind)) return undefined;
  const starts = new Set([0, ...beside.map(({ at }) => at)]);
  for (let at = 0; at <= last; at += step) {
    const slices = sharing.placed(piece, at);
    if (!starts.has(at) && !beside.some((theirs) => slices.some((mine) => overlap(mine, theirs)))) continue;
    const place = placeInTurn(slot, piece, slices, sharing);
    if (place !== undefined) return place;
  }
  return undefined;
}

function placeInTurn(
  slot: Slot,
  piece: Piece,
  first: readonly PlacedSlice[],
  sharing: Sharing,
): Place | undefined {
  const guests = slot.guests.flatMap((guest) => guest.slices);
  const turned = sharing.inTurn(guests, first);
  if (turned === undefined) return undefined;
  const others = turned.slice(0, guests.length);
  const slices = turned.slice(guests.length);
  const beside = others.filter((theirs) =>
    slices.some((mine) => !sharing.mayOverlay(mine, theirs) && !areApart(mine, theirs)),
  );
  const isBeside = (guest: Slot["guests"][number]) =>
    guest.slices.some((one) => beside.some(({ field }) => field === one.field));
  // Of bytes that the deparser sends a value has some bits before they hold anything.
  const isAlone = slot.guests.some(
    (guest) => isBeside(guest) && (piece.isAlone || guest.piece.isAlone || piece.isSent),
  );
  if (
    beside.length > 0 &&
    (isAlone || slot.kind === "mocha" || !sharing.standTogether([...beside, ...slices]))
  )
    return undefined;
  return { slot, slices, others };
}

/** A stand-alone value leaves so many bits of its container at most where another value has them before or after (p4c, suitableForDarkOverlay). */
const MAX_LEFT = 7;

/**
 * The place with the most bits of a value that is in a dark container of the group meanwhile, be it the piece or a guest; none where all
 * dark containers of the group are in use.
 */
export function placeAround(
  slot: Slot,
  piece: Piece,
  sharing: Sharing,
  { slots, isPast }: { readonly slots: readonly Slot[]; readonly isPast: (field: string) => boolean },
): Place | undefined {
  if (!sharing.spillsValues || (slot.kind !== "normal" && slot.kind !== "mocha")) return undefined;
  if (piece.isAlone && slot.size - Math.max(...piece.slices.map(({ width }) => width)) > MAX_LEFT)
    return undefined;
  const dark = slots.find(
    (one) =>
      one.kind === "dark" &&
      one.size === slot.size &&
      one.group === slot.group &&
      one.block.gress === undefined,
  );
  if (dark === undefined) return undefined;
  let best: { readonly place: Place; readonly bits: number } | undefined;
  const last = lastStart(slot, piece, sharing);
  for (let at = 0; at <= last; at += sharing.isFromPacket(piece) ? 8 : 1) {
    const place = placeAroundAt(slot, piece, sharing.placed(piece, at), sharing, dark);
    if (place === undefined || place.place.parked?.slices.some(({ field }) => isPast(field)) === true)
      continue;
    if (best === undefined || place.bits > best.bits) best = place;
  }
  return best?.place;
}

function placeAroundAt(
  slot: Slot,
  piece: Piece,
  mine: readonly PlacedSlice[],
  sharing: Sharing,
  dark: Slot,
): { place: Place; bits: number } | undefined {
  const moved = movedIn(slot);
  const guests = slot.guests.flatMap(({ slices }) => slices);
  const meetings = mine.flatMap((one) =>
    guests.filter((guest) => slot.kind === "mocha" || overlap(guest, one)).map((guest) => ({ one, guest })),
  );
  const [meeting] = meetings;
  if (meeting === undefined || meetings.length > 1 || moved.has(meeting.guest)) return undefined;
  const { one, guest } = meeting;
  const spill = sharing.spill(guest, one) ?? sharing.spill(one, guest);
  if (spill === undefined) return undefined;
  const [outer, inner] = sharing.spill(guest, one) === undefined ? [one, guest] : [guest, one];
  const changed = (slice: PlacedSlice): PlacedSlice =>
    slice === outer
      ? { ...slice, away: spill.away }
      : slice === inner
        ? { ...slice, live: spill.inner }
        : slice;
  // A value that instructions set by parts is several slices there, and a mocha container is moved whole.
  if (!sharing.isOneSlice(outer) || !sharing.isOneSlice(inner)) return undefined;
  if (slot.kind === "mocha" && inner.width !== outer.width) return undefined;
  if (guests.length > 1 && !sharing.use.touched.has(outer.field)) return undefined;
  if (sharing.input.model.forDeparser.has(outer.field)) return undefined;
  const slices = mine.map(changed);
  const others = guests.map(changed);
  const beside = others.filter(
    (theirs, i) => guests[i] !== guest && !slices.every((slice) => sharing.mayOverlay(slice, theirs)),
  );
  const isAlone = (field: string) =>
    slot.guests.some(
      (other) => other.piece.isAlone && other.piece.slices.some((part) => part.field === field),
    );
  if (beside.some(({ field }) => piece.isAlone || isAlone(field))) return undefined;
  if (!sharing.standTogether([...beside, ...slices, ...others.filter((_, i) => guests[i] === guest)]))
    return undefined;
  const owner = outer === one ? piece : slot.guests.find((other) => other.slices.includes(guest))!.piece;
  const parked: PlacedSlice = { ...outer, live: spill.away, isParked: true };
  const bits = Math.min(one.at + one.width, guest.at + guest.width) - Math.max(one.at, guest.at);
  // The value before, the value after and the other one are three slices, which share with what was there and with each other (p4c, AllocScore).
  const sharedBits =
    outer === guest ? 3 * outer.width + inner.width + 2 * bits : outer.width + inner.width + 4 * bits;
  return {
    place: { slot, slices, others, parked: { slot: dark, piece: owner, slices: [parked] }, sharedBits },
    bits,
  };
}

/** Puts a piece into a container; the result takes it out again. */
export function occupy({ slot, slices, others, parked }: Place, piece: Piece, gress: Gress): () => void {
  const { block, guests } = slot;
  if (parked !== undefined) {
    parked.slot.block.gress = gress;
    parked.slot.guests = [{ piece: parked.piece, slices: parked.slices }];
  }
  const before = block.gress;
  block.gress = gress;
  let done = 0;
  const kept = guests.map((guest) => {
    if (others === undefined) return guest;
    const own = others.slice(done, done + guest.slices.length);
    done += own.length;
    return { ...guest, slices: own };
  });
  slot.guests = [...kept, { piece, slices }];
  return () => {
    slot.guests = guests;
    block.gress = before;
    if (parked === undefined) return;
    parked.slot.guests = [];
    parked.slot.block.gress = undefined;
  };
}
