/**
 * Gives fields containers: clusters of pieces go to a group each, the most demanding first; a piece takes a place that another one leaves
 * or never has at the same time, else a free container. Where a size has none left, pieces are halved. What the chip takes past the
 * pipeline, or has containers beside the pipeline for, goes there.
 */
import { defined } from "../../../base/index.js";
import type { FieldInfo, Gress, Operation } from "../model/model.js";
import type {
  AllocatedContainer,
  AllocationInput,
  Bypass,
  PhvAllocation,
  PhvRule,
  PlacedSlice,
  Unallocated,
} from "./allocation.js";
import { bypassesOf } from "./bypass.js";
import { type Cluster, Clustering } from "./clusters.js";
import { type Arrangement, type Slot, slotsOf } from "./device.js";
import type { ContainerSize, PhvLayout } from "./pack.js";
import { bytePiece, type GressUse, type Piece, piecesOf, sizeFor, useOf } from "./pieces.js";
import { Sharing } from "./sharing.js";

/** Allocates both gresses; undefined for a target without an arrangement of containers. */
export function allocatePhv(input: AllocationInput, layout: PhvLayout): PhvAllocation | undefined {
  const { arrangement } = input.target.phv;
  if (arrangement === undefined) return undefined;
  const allocator = new Allocator(input, arrangement);
  for (const gress of ["ingress", "egress"] as const) allocator.prepare(gress, layout);
  return allocator.allocate();
}

const SIZES = [8, 16, 32] as const;

interface Choice {
  readonly group: readonly Slot[];
  readonly cost: number;
  readonly pieces: readonly Piece[];
}

interface Work {
  readonly cluster: Cluster;
  readonly sharing: Sharing;
}

class Allocator {
  readonly #groups: ReturnType<typeof slotsOf>["groups"];
  readonly #collections: readonly Slot[][];
  readonly #work: Work[] = [];
  readonly #beside: { readonly piece: Piece; readonly sharing: Sharing }[] = [];
  readonly #bypasses: Bypass[] = [];
  readonly #unallocated: Unallocated[] = [];

  constructor(
    readonly input: AllocationInput,
    readonly arrangement: Arrangement,
  ) {
    const { groups, collections } = slotsOf(arrangement);
    this.#groups = groups;
    this.#collections = collections;
  }

  prepare(gress: Gress, layout: PhvLayout): void {
    const { input } = this;
    const use = useOf(input.model, input.target, gress);
    const sharing = new Sharing(input, use);
    const pieces = piecesOf(input, layout, use);
    const isFixed = (field: string) => this.#isFixed(gress, field);
    const clustering = new Clustering(
      input.model,
      use,
      pieces.filter(({ isTouched }) => isTouched),
      isFixed,
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

  /** Pieces of untouched bytes without those that stand beside touched ones in a larger container. */
  #withoutTaken(pieces: readonly Piece[], touched: readonly Piece[], use: GressUse): Piece[] {
    const taken = new Set(touched.flatMap((one) => bytesOf(one)));
    return pieces.flatMap((piece) => {
      if (piece.bytes === undefined || !bytesOf(piece).some((byte) => taken.has(byte))) return [piece];
      const { header, first } = piece.bytes;
      const fields = this.#fieldsOf(header);
      return Array.from({ length: piece.size / 8 }, (_, i) => first + i)
        .filter((byte) => !taken.has(`${header} ${byte}`))
        .map((byte) =>
          bytePiece({ gress: piece.gress, header, fields }, { from: byte, to: byte + 1 }, false, (field) =>
            use.alone.has(field),
          ),
        );
    });
  }

  /** The program asks for the size of its containers, or for containers of its own. */
  #isFixed(gress: Gress, field: string): boolean {
    const asked = this.input.requests.of(gress, field);
    return asked?.sizes !== undefined || asked?.isSolitary === true;
  }

  #fieldsOf(header: string): FieldInfo[] {
    const { headers, fields } = this.input.model;
    return defined(headers.get(header)).fields.map((name) => defined(fields.get(name)));
  }

  allocate(): PhvAllocation {
    const queue = [...this.#work].sort((a, b) => weightOf(b.cluster) - weightOf(a.cluster));
    for (const work of queue) this.#placeCluster(work);
    const besides = [...this.#beside].sort((a, b) => b.piece.size - a.piece.size);
    for (const { piece, sharing } of besides) this.#placeBeside(piece, sharing);
    const slots = [...this.#groups.values(), this.#collections].flat(2);
    return {
      containers: slots.filter(({ guests }) => guests.length > 0).map(containerOf),
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

  /** Places a cluster in the group where it takes the fewest new containers; halves it where no group has the room. */
  #placeCluster({ cluster, sharing }: Work): void {
    const { pieces } = cluster;
    const size = pieces[0]!.size;
    const isFixed = pieces.some(
      ({ bytes, slices }) =>
        bytes !== undefined || slices.some(({ field }) => this.#isFixed(sharing.gress, field)),
    );
    const best = this.#bestOf(pieces, sharing, isFixed);
    if (best !== undefined) {
      const parts = isFixed || cluster.isWhole ? undefined : this.#bestInParts(pieces, sharing, best.cost);
      if (parts === undefined) this.#tryGroup(best.pieces, best.group, sharing, true);
      else
        for (const one of parts) this.#placeCluster({ cluster: { pieces: [one], isWhole: true }, sharing });
      return;
    }
    if (size > 8 && !cluster.isWhole) {
      for (const half of this.#halves(pieces, sharing.use))
        if (half.length > 0) this.#placeCluster({ cluster: { pieces: half, isWhole: false }, sharing });
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
    for (const piece of pieces)
      this.#placeCluster({ cluster: { pieces: [piece], isWhole: cluster.isWhole }, sharing });
  }

  /** The group in which the pieces cost least. A value of metadata may stand in a larger container, where that costs less. */
  #bestOf(pieces: readonly Piece[], sharing: Sharing, isFixed: boolean): Choice | undefined {
    const size = pieces[0]!.size;
    let best: Choice | undefined;
    for (const wide of SIZES.filter((one) => (isFixed ? one === size : one >= size))) {
      const own = wide === size ? pieces : pieces.map((piece) => ({ ...piece, size: wide }));
      // Of groups that hold nothing and are of no gress, one is as good as another.
      let triedEmpty = false;
      for (const group of this.#groups.get(wide) ?? []) {
        const isEmpty = group.every(({ guests, block }) => guests.length === 0 && block.gress === undefined);
        if (isEmpty && triedEmpty) continue;
        triedEmpty ||= isEmpty;
        const cost = this.#tryGroup(own, group, sharing, false);
        if (cost !== undefined && (best === undefined || cost < best.cost))
          best = { group, cost, pieces: own };
      }
    }
    return best;
  }

  /** A value of metadata in two parts, where the lower one fills bytes and the other one fits beside something: where that costs less. */
  #bestInParts(pieces: readonly Piece[], sharing: Sharing, whole: number): Piece[] | undefined {
    const [piece] = pieces;
    const [slice] = piece?.slices ?? [];
    if (piece === undefined || slice === undefined || pieces.length > 1 || piece.isAlone) return undefined;
    if (sharing.use.tied.has(slice.field)) return undefined;
    let best: { readonly parts: Piece[]; readonly cost: number } | undefined;
    for (const low of [8, 16]) {
      if (low >= slice.width) continue;
      const parts = [
        { ...slice, width: low },
        { ...slice, lo: slice.lo + low, width: slice.width - low },
      ].map((one) => ({ ...piece, size: sizeFor(one.width), slices: [one] }));
      const undo: (() => void)[] = [];
      let cost = 0;
      for (const part of parts) {
        const found = this.#bestOf([part], sharing, false);
        cost += found?.cost ?? Number.POSITIVE_INFINITY;
        if (found === undefined) break;
        const place = this.#placeOf(found.pieces[0]!, found.group, sharing)!;
        undo.push(
          occupy(place.slot, found.pieces[0]!, sharing.placed(found.pieces[0]!, place.at), sharing.gress),
        );
      }
      for (const back of undo.reverse()) back();
      if (cost < (best?.cost ?? whole)) best = { parts, cost };
    }
    return best?.parts;
  }

  /** Containers that the pieces would take anew in the group, some more where they are scarce; undefined where they do not fit. */
  #tryGroup(
    pieces: readonly Piece[],
    group: readonly Slot[],
    sharing: Sharing,
    keep: boolean,
  ): number | undefined {
    const undo: (() => void)[] = [];
    let cost = 0;
    const inOrder = pieces.length === 1 ? pieces : sharing.byBirth(pieces);
    for (const piece of inOrder) {
      const place = this.#placeOf(piece, group, sharing);
      if (place === undefined) {
        for (const back of undo.reverse()) back();
        return undefined;
      }
      cost += costOf(place, piece);
      undo.push(occupy(place.slot, piece, sharing.placed(piece, place.at), sharing.gress));
    }
    if (!keep) for (const back of undo.reverse()) back();
    return cost;
  }

  /** A container in use that admits the piece, else a free one: mocha before normal, of a block of this gress before a new one. */
  #placeOf(piece: Piece, slots: readonly Slot[], sharing: Sharing): { slot: Slot; at: number } | undefined {
    let free: { readonly slot: Slot; readonly rank: number } | undefined;
    const used: Slot[] = [];
    for (const slot of slots) {
      if (slot.size !== piece.size || (slot.block.gress ?? sharing.gress) !== sharing.gress) continue;
      if (!sharing.admits(slot.kind, piece)) continue;
      if (slot.guests.length > 0) {
        const at = placeIn(slot, piece, sharing, false);
        if (at !== undefined) return { slot, at };
        used.push(slot);
        continue;
      }
      const rank =
        (slot.kind === "mocha" ? 0 : slot.kind === "dark" ? -4 : 2) +
        (slot.block.gress === undefined ? 1 : 0);
      if (free === undefined || rank < free.rank) free = { slot, rank };
    }
    if (free !== undefined) return { slot: free.slot, at: 0 };
    // Places that another value leaves are for want of others, as in the compiler.
    for (const slot of used) {
      const at = placeIn(slot, piece, sharing, true);
      if (at !== undefined) return { slot, at };
    }
    return undefined;
  }

  /** The lower and the upper halves of pieces. */
  #halves(pieces: readonly Piece[], use: GressUse): Piece[][] {
    const low: Piece[] = [];
    const high: Piece[] = [];
    for (const piece of pieces) {
      const half = (piece.size / 2) as ContainerSize;
      if (piece.bytes !== undefined) {
        const { header, first } = piece.bytes;
        const fields = this.#fieldsOf(header);
        const part = (from: number) =>
          bytePiece(
            { gress: piece.gress, header, fields },
            { from, to: from + half / 8 },
            piece.isTouched,
            (field) => use.alone.has(field),
          );
        high.push(part(first));
        low.push(part(first + half / 8));
        continue;
      }
      for (const slice of piece.slices) {
        const below = Math.min(slice.width, half);
        low.push({ ...piece, size: half, slices: [{ ...slice, width: below }] });
        if (slice.width > half)
          high.push({
            ...piece,
            size: half,
            slices: [{ ...slice, lo: slice.lo + half, width: slice.width - half }],
          });
      }
    }
    return [high, low];
  }

  /** Places bytes that no table touches. */
  #placeBeside(piece: Piece, sharing: Sharing): void {
    const place = this.#placeOf(piece, this.#collections.flat(), sharing);
    if (place !== undefined) {
      occupy(place.slot, piece, sharing.placed(piece, place.at), sharing.gress);
      return;
    }
    const isFixed = piece.slices.some(({ field }) => this.#isFixed(sharing.gress, field));
    if (piece.size > 8 && this.#collections.length > 0 && !isFixed) {
      for (const half of this.#halves([piece], sharing.use).flat()) this.#placeBeside(half, sharing);
      return;
    }
    this.#placeCluster({ cluster: { pieces: [piece], isWhole: isFixed }, sharing });
  }
}

/** New containers count most, then bits that share a place, then bits beside others (p4c, default_alloc_score_is_better). */
const NEW_CONTAINER = 1e6;
const SHARED_BIT = 1e3;
const NEW_BLOCK = 0.01;

function costOf({ slot, at }: { readonly slot: Slot; readonly at: number }, { slices, size }: Piece): number {
  if (slot.guests.length === 0) return NEW_CONTAINER + (slot.block.gress === undefined ? NEW_BLOCK : 0);
  let cost = 0;
  for (const slice of slices) {
    const from = slice.at + at;
    const isShared = slot.guests.some((guest) =>
      guest.slices.some((one) => one.at < from + slice.width && from < one.at + one.width),
    );
    cost -= slice.width * (isShared ? SHARED_BIT : 1);
  }
  return cost + size / 1e6;
}

/** The bytes of a header's piece, by name. */
function bytesOf({ bytes, size }: Piece): string[] {
  if (bytes === undefined) return [];
  return Array.from({ length: size / 8 }, (_, i) => `${bytes.header} ${bytes.first + i}`);
}

/** Clusters that may not be cut come first, then those with the most bits. */
function weightOf({ pieces, isWhole }: Cluster): number {
  const bits = pieces.reduce((sum, { size }) => sum + size, 0);
  const isSmall = pieces.every(
    ({ bytes, slices, size }) => bytes === undefined && size === 8 && slices[0]!.width < 8,
  );
  return (isWhole ? 1e6 : 0) + (isSmall ? 0 : 1e5) + (pieces.length > 1 ? 1e4 : 0) + bits;
}

/** The lowest bit at which a container in use admits a piece. */
function placeIn(slot: Slot, piece: Piece, sharing: Sharing, inTurn: boolean): number | undefined {
  const isSmall =
    piece.bytes === undefined &&
    !piece.isAlone &&
    piece.slices.length === 1 &&
    !sharing.use.aligned.has(piece.slices[0]!.field);
  const first = sharing.placed(piece, 0);
  // What may not have the same place stands beside, wherever the piece begins.
  const others = slot.guests.flatMap(({ piece: other, slices }) =>
    slices
      .filter((theirs) => !first.every((mine) => sharing.mayOverlay(mine, theirs, inTurn)))
      .map((theirs) => ({ theirs, other })),
  );
  const isAlone =
    slot.kind === "mocha" ||
    others.some(
      ({ other }) => piece.isAlone || other.isAlone || piece.bytes !== undefined || other.bytes !== undefined,
    );
  if (others.length > 0 && isAlone) return undefined;
  const beside = others.map(({ theirs }) => theirs);
  const last = isSmall ? slot.size - piece.slices[0]!.width : 0;
  for (let at = 0; at <= last; at++) {
    const isApart = beside.every((theirs) =>
      first.every(
        (mine) => at + mine.at >= theirs.at + theirs.width || theirs.at >= at + mine.at + mine.width,
      ),
    );
    if (!isApart) continue;
    if (beside.length === 0 || sharing.standTogether([...beside, ...sharing.placed(piece, at)])) return at;
  }
  return undefined;
}

/** Puts a piece into a container; the result takes it out again. */
function occupy(slot: Slot, piece: Piece, slices: readonly PlacedSlice[], gress: Gress): () => void {
  const before = slot.block.gress;
  slot.block.gress = gress;
  slot.guests.push({ piece, slices });
  return () => {
    slot.guests.pop();
    slot.block.gress = before;
  };
}

function containerOf({ kind, size, group, index, block, guests }: Slot): AllocatedContainer {
  const slices = guests.flatMap((guest) => guest.slices);
  return { kind, size, group, index, gress: block.gress!, slices };
}
