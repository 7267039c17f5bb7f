/**
 * Gives fields containers: clusters of pieces go to a group each, the most demanding first; a piece takes a place that another one leaves
 * or never has at the same time, else a free container. Where a size has none left, pieces are halved. What the chip takes past the
 * pipeline, or has containers beside the pipeline for, goes there.
 */
import type { Gress, Operation } from "../model/model.js";
import type {
  AllocatedContainer,
  AllocationInput,
  Bypass,
  PhvAllocation,
  PhvRule,
  Unallocated,
} from "./allocation.js";
import { bypassesOf } from "./bypass.js";
import { Clustering } from "./clusters.js";
import { type Arrangement, type Slot, slotsOf } from "./device.js";
import { type GressUse, useOf } from "./gress-use.js";
import { headerCuts } from "./header-cuts.js";
import { bytePiece, headerPart } from "./header-pieces.js";
import { besidesInOrder, inOrder, type Work } from "./order.js";
import type { PhvLayout } from "./pack.js";
import { type Past, pastOf } from "./past.js";
import type { Piece } from "./piece.js";
import { piecesOf } from "./pieces.js";
import { isForEnd, isParking, occupy, type Place, placeAround, placeIn } from "./places.js";
import { ZERO_INDEX, zeroSlices } from "./sent-zeros.js";
import { overlap, Sharing } from "./sharing.js";
import { halvesOf, slicingsOf, unbroken } from "./slicings.js";
import type { Together } from "./together.js";
import { withValidityLists } from "./validity-lists.js";

/**
 * Allocates both gresses; undefined for a target without an arrangement of containers, or where the work has a bound and reaches it. Where that leaves fields without a container, values
 * take the places that others leave before they take a free one, as the compiler does when it tries again.
 */
export function allocatePhv(input: AllocationInput, layout: PhvLayout): PhvAllocation | undefined {
  const { arrangement } = input.target.phv;
  if (arrangement === undefined) return undefined;
  const attempt = (isFrugal: boolean): PhvAllocation | undefined => {
    const allocator = new Allocator(input, arrangement, isFrugal);
    for (const gress of ["ingress", "egress"] as const) allocator.prepare(gress, layout);
    return allocator.allocate();
  };
  const first = attempt(false);
  const missing = ({ unallocated }: PhvAllocation) =>
    unallocated.filter(({ rule }) => rule === "container").length;
  if (first === undefined || missing(first) === 0) return first;
  const second = attempt(true);
  if (second === undefined) return undefined;
  return missing(second) < missing(first) ? second : first;
}

const SIZES = [8, 16, 32] as const;

interface Choice {
  readonly group: readonly Slot[];
  readonly cost: number;
  readonly pieces: readonly Piece[];
}

class Allocator {
  readonly #groups: ReturnType<typeof slotsOf>["groups"];
  readonly #collections: readonly Slot[][];
  readonly #work: Work[] = [];
  readonly #beside: { readonly piece: Piece; readonly sharing: Sharing }[] = [];
  readonly #bypasses: Bypass[] = [];
  readonly #unallocated: Unallocated[] = [];
  readonly #zeros: AllocatedContainer[] = [];
  readonly #past = new Map<Gress, Past>();
  readonly #together = new Map<Gress, Together>();

  constructor(
    readonly input: AllocationInput,
    readonly arrangement: Arrangement,
    /** Values take places that others leave although containers are free. */
    readonly isFrugal: boolean,
  ) {
    const { groups, collections } = slotsOf(arrangement);
    this.#groups = groups;
    this.#collections = collections;
  }

  prepare(gress: Gress, layout: PhvLayout): void {
    const { input } = this;
    this.#takeZeros(gress);
    const use = useOf(input.model, input.target, gress);
    const sharing = new Sharing(input, use);
    const isFixed = (field: string) => this.#isFixed(gress, field);
    const isBroken = (piece: Piece) => sharing.hasTooManySources(piece);
    const past = pastOf(input.model, use, this.arrangement);
    this.#past.set(gress, past);
    const cuts = headerCuts(
      input,
      use,
      (field) => input.requests.of(gress, field),
      past.hasByte,
      ({ header }, range, keepsRest) => {
        const piece = bytePiece(headerPart(input.model, use, header), range, true, (field) =>
          use.alone.has(field),
        );
        return (
          !piece.isAlone &&
          !piece.slices.some(({ field }) => isFixed(field)) &&
          sharing.hasTooManySources(piece, keepsRest)
        );
      },
    );
    if (cuts.together !== undefined) this.#together.set(gress, cuts.together);
    const pieces = withValidityLists(input, use, piecesOf(input, layout, use, cuts)).flatMap((piece) =>
      unbroken(input.model, use, piece, { isFixed, isBroken }),
    );
    const clustering = new Clustering(
      input.model,
      use,
      pieces.filter(({ isTouched }) => isTouched),
      { isFixed, isBroken },
      !input.target.phv.deparser_validity_shared,
    );
    for (const { op, fields } of clustering.mismatches)
      this.#note(
        gress,
        fields,
        "alignment",
        "an operation needs them at the same bits of containers of one size",
        op.source,
      );
    const clusters = clustering.clusters();
    for (const { pieces } of clusters) {
      for (const piece of pieces) {
        const broken = piece.bytes === undefined ? undefined : sharing.brokenBy(sharing.placed(piece, 0));
        if (broken !== undefined) this.#note(gress, broken.fields, broken.rule, broken.detail, broken.source);
      }
    }
    for (const cluster of clusters) this.#work.push({ cluster, sharing });
    const untouched = this.#withoutTaken(
      pieces.filter(({ isTouched }) => !isTouched),
      clusters.flatMap((one) => one.pieces),
      use,
    );
    const { taken, left } = bypassesOf(input, this.arrangement, untouched);
    this.#bypasses.push(...taken);
    for (const piece of left) this.#beside.push({ piece, sharing });
  }

  /** Gives the fields that are sent as zeros their container, in which nothing else stands. */
  #takeZeros(gress: Gress): void {
    const slices = zeroSlices(this.input.model, this.input.target, gress);
    if (slices.length === 0) return;
    for (const group of this.#groups.get(8) ?? [])
      for (const [place, slot] of group.entries()) {
        if (slot.kind !== "normal" || slot.index !== ZERO_INDEX[gress]) continue;
        group.splice(place, 1);
        slot.block.gress = gress;
        this.#zeros.push({
          kind: slot.kind,
          size: 8,
          group: slot.group,
          index: slot.index,
          gress,
          slices,
          isZero: true,
        });
        return;
      }
  }

  /** Pieces of untouched bytes without those that stand beside touched ones in a larger container. */
  #withoutTaken(pieces: readonly Piece[], touched: readonly Piece[], use: GressUse): Piece[] {
    const taken = new Set(touched.flatMap((one) => bytesOf(one)));
    return pieces.flatMap((piece) => {
      if (piece.bytes === undefined || !bytesOf(piece).some((byte) => taken.has(byte))) return [piece];
      const { header, first } = piece.bytes;
      const part = headerPart(this.input.model, use, header);
      return Array.from({ length: piece.size / 8 }, (_, i) => first + i)
        .filter((byte) => !taken.has(`${header} ${byte}`))
        .map((byte) => bytePiece(part, { from: byte, to: byte + 1 }, false, (field) => use.alone.has(field)));
    });
  }

  /** The program asks for the size of its containers, or for containers of its own; on Tofino 1 a mirror's session is not cut (no_split). */
  #isFixed(gress: Gress, field: string): boolean {
    const asked = this.input.requests.of(gress, field);
    return (
      asked?.sizes !== undefined ||
      asked?.isSolitary === true ||
      (!this.input.target.phv.deparser_validity_shared && this.input.model.parser.sessions(gress).has(field))
    );
  }

  /** Undefined where the work has reached its bound. */
  allocate(): PhvAllocation | undefined {
    const { work: counted } = this.input;
    for (const work of inOrder(this.input, this.#work)) {
      if (counted?.isSpent) return undefined;
      this.#placeCluster(work);
    }
    for (const { piece, sharing } of besidesInOrder(this.#beside)) {
      if (counted?.isSpent) return undefined;
      this.#placeBeside(piece, sharing);
    }
    const slots = [...this.#groups.values(), this.#collections].flat(2);
    return {
      containers: [...this.#zeros, ...slots.filter(({ guests }) => guests.length > 0).map(containerOf)],
      bypasses: this.#bypasses,
      unallocated: this.#unallocated,
    };
  }

  #note(
    gress: Gress,
    fields: readonly string[],
    rule: PhvRule,
    detail: string,
    source: Operation["source"],
  ): void {
    this.#unallocated.push({ gress, fields: [...new Set(fields)], rule, detail, source });
  }

  /** Places a cluster, cut where that costs less; halves it where no group has the room. */
  #placeCluster({ cluster, sharing }: Work): void {
    const { pieces, isWhole } = cluster;
    const { model } = this.input;
    const size = pieces[0]!.size;
    const isFixed = pieces.some(({ slices }) =>
      slices.some(({ field }) => this.#isFixed(sharing.gress, field)),
    );
    const isGiven = pieces.some(({ slices }) =>
      slices.some(({ field }) => model.forDeparser.has(field) && !field.endsWith("$")),
    );
    const ways =
      isWhole || isFixed || pieces.some(({ isAlone }) => isAlone)
        ? [[[...pieces]]]
        : pieces.length > 1
          ? (this.#together.get(sharing.gress)?.waysOf(pieces) ?? [[[...pieces]]])
          : isGiven
            ? [[[...pieces]]]
            : slicingsOf(model, sharing.use, pieces);
    let best: { readonly choices: readonly Choice[]; readonly cost: number } | undefined;
    for (const way of ways) {
      const found = this.#tryWay(way, sharing);
      if (found !== undefined && (best === undefined || found.cost < best.cost)) best = found;
    }
    if (best !== undefined) {
      for (const { pieces: own, group } of best.choices) this.#occupyGroup(own, group, sharing);
      return;
    }
    if (size > 8 && !isWhole) {
      for (const half of halvesOf(model, sharing.use, pieces))
        this.#placeCluster({ cluster: { pieces: half, isWhole: false }, sharing });
      return;
    }
    const fields = pieces.flatMap(({ slices }) => slices.map(({ field }) => field));
    const source = sharing.use.operations.find(({ op }) => fields.includes(op.write.field))?.op.source;
    if (pieces.length === 1) {
      this.#note(sharing.gress, fields, "container", `no container of ${size} bits is left`, source);
      return;
    }
    const detail = `operations need these ${pieces.length} values in one group of containers of ${size} bits, and none has so many left`;
    this.#note(sharing.gress, fields, "sources", detail, source);
    // The compiler may move some of them; each takes its container.
    for (const piece of pieces) this.#placeCluster({ cluster: { pieces: [piece], isWhole }, sharing });
  }

  /** What the clusters cost, each in its best group after the ones before it; undefined where one has no place. */
  #tryWay(
    way: readonly (readonly Piece[])[],
    sharing: Sharing,
  ): { choices: Choice[]; cost: number } | undefined {
    const undo: (() => void)[] = [];
    const choices: Choice[] = [];
    for (const pieces of way) {
      const choice = this.#bestOf(pieces, sharing);
      if (choice === undefined) break;
      choices.push(choice);
      if (choices.length < way.length)
        undo.unshift(...this.#occupyGroup(choice.pieces, choice.group, sharing)!.undo);
    }
    for (const back of undo) back();
    if (choices.length < way.length) return undefined;
    return { choices, cost: choices.reduce((sum, { cost }) => sum + cost, 0) };
  }

  /** The group in which the pieces cost least. A value of metadata may stand in a larger container, where that costs less. */
  #bestOf(pieces: readonly Piece[], sharing: Sharing): Choice | undefined {
    const size = pieces[0]!.size;
    const isFixed = pieces.some(
      ({ bytes, slices }) =>
        bytes !== undefined || slices.some(({ field }) => this.#isFixed(sharing.gress, field)),
    );
    let best: Choice | undefined;
    for (const wide of SIZES.filter((one) => (isFixed ? one === size : one >= size))) {
      const own = wide === size ? pieces : pieces.map((piece) => ({ ...piece, size: wide }));
      // Of groups that hold nothing and are of no gress, one is as good as another.
      let triedEmpty = false;
      for (const group of this.#groups.get(wide) ?? []) {
        const isEmpty = group.every(({ guests, block }) => guests.length === 0 && block.gress === undefined);
        if (isEmpty && triedEmpty) continue;
        triedEmpty ||= isEmpty;
        const found = this.#occupyGroup(own, group, sharing);
        if (found === undefined) continue;
        for (const back of found.undo) back();
        if (best === undefined || found.cost < best.cost) best = { group, cost: found.cost, pieces: own };
      }
    }
    return best;
  }

  /** Puts the pieces into containers of the group; undefined where they do not fit. `undo` takes them out in its order. */
  #occupyGroup(
    pieces: readonly Piece[],
    group: readonly Slot[],
    sharing: Sharing,
  ): { cost: number; undo: (() => void)[] } | undefined {
    const undo: (() => void)[] = [];
    let cost = 0;
    const ordered = pieces.length === 1 ? pieces : sharing.byBirth(pieces);
    for (const piece of ordered) {
      const place = this.#placeOf(piece, group, sharing);
      if (place === undefined) {
        for (const back of undo) back();
        return undefined;
      }
      cost += this.#costOf(place, piece, sharing);
      undo.unshift(occupy(place, piece, sharing.gress));
    }
    return { cost, undo };
  }

  /** Values take the places of others that are over before free containers: on chips where no container moves them there and back. */
  get #takesTurns(): boolean {
    return this.isFrugal || !this.input.target.phv.deparser_validity_shared;
  }

  /** The best container in use that admits the piece, else a free one: mocha before normal, of a block of this gress before a new one. */
  #placeOf(piece: Piece, slots: readonly Slot[], sharing: Sharing): Place | undefined {
    let free: { readonly slot: Slot; readonly rank: number } | undefined;
    let shared: { readonly place: Place; readonly cost: number } | undefined;
    const used: Slot[] = [];
    for (const slot of slots) {
      if (slot.size !== piece.size || (slot.block.gress ?? sharing.gress) !== sharing.gress) continue;
      if (!sharing.admits(slot.kind, piece)) continue;
      this.input.work?.spend(1 + slot.guests.length);
      if (isParking(slot)) continue;
      if (slot.guests.length > 0) {
        const place =
          placeIn(slot, piece, sharing, this.#takesTurns || isForEnd(slot, piece.slices)) ??
          placeAround(slot, piece, sharing, {
            slots,
            isPast: (field) => this.#past.get(sharing.gress)?.hasField(field) === true,
          });
        if (place === undefined) used.push(slot);
        else {
          const cost = this.#costOf(place, piece, sharing);
          if (shared === undefined || cost < shared.cost) shared = { place, cost };
        }
        continue;
      }
      const rank =
        (slot.kind === "mocha" ? 0 : slot.kind === "dark" ? -4 : 2) +
        (slot.block.gress === undefined ? 1 : 0);
      if (free === undefined || rank < free.rank) free = { slot, rank };
    }
    if (shared !== undefined) return shared.place;
    if (free !== undefined) return { slot: free.slot, slices: sharing.placed(piece, 0) };
    // Places that another value leaves are for want of others, as in the compiler.
    for (const slot of used) {
      const place = placeIn(slot, piece, sharing, true);
      if (place !== undefined) return place;
    }
    return undefined;
  }

  /**
   * The fewest new containers, then the most bits at places that others have, then the fewest bits beside a value that stands alone, then
   * the most bits beside others; on chips with kinds of containers the shared places count first (p4c, allocate_phv.cpp,
   * default_alloc_score_is_better).
   */
  #costOf({ slot, slices, others, parked, sharedBits }: Place, piece: Piece, sharing: Sharing): number {
    const { size, isAlone } = piece;
    const isLater = this.input.target.phv.deparser_validity_shared;
    const { isNew, isShared } = isLater ? LATER : EARLIER;
    const free = size - slices.reduce((sum, { width }) => sum + width, 0);
    const ofValidity = isLater && slices.every(({ field }) => field.endsWith("$"));
    const wasted = ofValidity ? WASTED_VALIDITY * free : isAlone ? WASTED_BIT * free : 0;
    const isInTurn = others !== undefined && parked === undefined;
    if (isInTurn && !this.#takesTurns && !isForEnd(slot, slices)) return IN_TURN;
    const bits = slices.reduce((sum, { width }) => sum + width, 0);
    const unfit = isLater ? UNFIT_BIT * bits * sharing.excessOf(slot.kind, piece) : 0;
    if (slot.guests.length === 0) {
      const { gress, isFixed } = slot.block;
      const setsGress = (isFixed ? 0 : SETS_GRESS) + (gress === undefined ? NEW_BLOCK : 0);
      return (slot.kind === "dark" ? 0 : isNew) + unfit + wasted + setsGress;
    }
    if (sharedBits !== undefined) return wasted + unfit - sharedBits * isShared;
    let cost = wasted + unfit;
    for (const slice of slices) {
      const hasOther = slot.guests.some((guest) => guest.slices.some((one) => overlap(one, slice)));
      cost -= slice.width * (hasOther ? isShared : 1);
    }
    return cost;
  }

  /**
   * Places bytes that no table touches: in collections that the gress has, whole or halved, before one more is taken (p4c,
   * phv/allocate_phv.cpp, n_inc_tphv_collections); in containers of the pipeline whole, where no part of them has a place in a collection
   * (n_tphv_on_phv_bits, then n_inc_containers).
   */
  #placeBeside(piece: Piece, sharing: Sharing): void {
    const all = this.#collections.flat();
    const own = all.filter(({ block }) => block.gress === sharing.gress);
    if (this.#fitBeside(piece, own, sharing) !== undefined) return;
    const place = this.#placeOf(piece, all, sharing);
    if (place !== undefined) {
      occupy(place, piece, sharing.gress);
      return;
    }
    const isFixed = piece.slices.some(({ field }) => this.#isFixed(sharing.gress, field));
    const halves = piece.size === 8 || isFixed ? [] : halvesOf(this.input.model, sharing.use, [piece]).flat();
    if (halves.some((half) => this.#hasPartBeside(half, all, sharing))) {
      for (const half of halves) this.#placeBeside(half, sharing);
      return;
    }
    this.#placeCluster({ cluster: { pieces: [piece], isWhole: isFixed }, sharing });
  }

  /** The containers have a place for the piece or a part of it. */
  #hasPartBeside(piece: Piece, slots: readonly Slot[], sharing: Sharing): boolean {
    if (this.#placeOf(piece, slots, sharing) !== undefined) return true;
    const halves = piece.size === 8 ? [] : halvesOf(this.input.model, sharing.use, [piece]).flat();
    return halves.some((half) => this.#hasPartBeside(half, slots, sharing));
  }

  /** Puts a piece, or else its halves, into the containers; undefined where they do not fit. The result takes them out in its order. */
  #fitBeside(piece: Piece, slots: readonly Slot[], sharing: Sharing): (() => void)[] | undefined {
    const place = this.#placeOf(piece, slots, sharing);
    if (place !== undefined) return [occupy(place, piece, sharing.gress)];
    const isFixed = piece.slices.some(({ field }) => this.#isFixed(sharing.gress, field));
    if (piece.size === 8 || isFixed) return undefined;
    const undo: (() => void)[] = [];
    for (const half of halvesOf(this.input.model, sharing.use, [piece]).flat()) {
      const found = this.#fitBeside(half, slots, sharing);
      if (found === undefined) {
        for (const back of undo) back();
        return undefined;
      }
      undo.unshift(...found);
    }
    return undo;
  }
}

/** Weights of a cost, of which each is more than the sum of what comes after it. */
const EARLIER = { isNew: 1e12, isShared: 1e8 };
const LATER = { isNew: 1e8, isShared: 1e12 };
const IN_TURN = 1e14;
const UNFIT_BIT = 5e5;
const WASTED_BIT = 1e4;
const WASTED_VALIDITY = 1e10;
const SETS_GRESS = 1e-3;
const NEW_BLOCK = 1e-5;

/** The bytes of a header's piece, by name. */
function bytesOf({ bytes, size }: Piece): string[] {
  if (bytes === undefined) return [];
  return Array.from({ length: size / 8 }, (_, i) => `${bytes.header} ${bytes.first + i}`);
}

function containerOf({ kind, size, group, index, block, guests }: Slot): AllocatedContainer {
  const slices = guests.flatMap((guest) => guest.slices);
  return { kind, size, group, index, gress: block.gress!, slices };
}
