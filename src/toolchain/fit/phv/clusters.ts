/**
 * Clusters: pieces that operations tie together. An ALU takes its operands from the group of containers in which its result stands, so all
 * pieces of a cluster have one size and one group. Where an operation ties pieces of different sizes, the larger one is cut, or a value
 * of metadata takes a larger container.
 */
import type { FitModel, Operation } from "../model/model.js";
import { cutAtValues } from "./cuts.js";
import type { GressUse } from "./gress-use.js";
import { bytePiece, headerPart } from "./header-pieces.js";
import { type Piece, sizeFor } from "./piece.js";
import { halvesOf } from "./slicings.js";

export interface Cluster {
  readonly pieces: readonly Piece[];
  /** No piece of it may be cut. */
  readonly isWhole: boolean;
}

/** An operation that ties pieces which stand in containers of different sizes, or at different bits where it needs the same ones. */
export interface Mismatch {
  readonly op: Operation;
  readonly fields: readonly string[];
}

/** Two pieces that an operation ties; `a` and `b` are container bits that correspond. */
interface Tie {
  readonly a: Piece;
  readonly b: Piece;
  readonly aBit: number;
  readonly bBit: number;
  readonly bits: number;
  readonly isPlaced: boolean;
  /** The bits of the source may stand elsewhere in its container than those of the result. */
  readonly isRotated: boolean;
}

/** A piece that logic or a sum ties to another one, with bits that correspond. */
interface Alignment {
  readonly other: Piece;
  readonly bit: number;
  readonly otherBit: number;
  /** What the operation writes, where the other piece has it. */
  readonly write: Operation["write"] | undefined;
  /** It writes all of it with one instruction. */
  readonly isFull: boolean;
}

/** What a piece may be. */
interface Rules {
  /** A field whose containers have a size that the program asks for. */
  readonly isFixed: (field: string) => boolean;
  /** Some action sets parts of the piece from more sources than an instruction has. */
  readonly isBroken: (piece: Piece) => boolean;
}

/** Most changes for one operation. */
const MAX_CHANGES = 64;

/** Pieces in clusters, after cuts; and operations for which no cut was found. */
export class Clustering {
  readonly #byField = new Map<string, Set<Piece>>();
  readonly #pieces = new Set<Piece>();
  /** Fields whose containers grow no more, because an operation has them with a field whose containers cannot. */
  readonly #smallest = new Set<string>();
  readonly mismatches: Mismatch[] = [];
  /** Operands and results of sums. */
  readonly #summed: ReadonlySet<string>;
  /** Bits of operands and results of logic and sums. */
  readonly #aligned: readonly Operation["write"][];

  constructor(
    readonly model: FitModel,
    readonly use: GressUse,
    pieces: readonly Piece[],
    readonly rules: Rules,
    /** The compiler weighs new containers before shared places: a value grows rather than that a header is cut. */
    readonly growsValues: boolean,
  ) {
    this.#aligned = [...use.operations, ...use.comparisons].flatMap(({ op: { kind, write, sources } }) =>
      kind === "set" ? [] : [write, ...sources],
    );
    this.#summed = new Set(
      use.operations.flatMap(({ op: { kind, write, sources } }) =>
        kind === "arithmetic" ? [write, ...sources].map(({ field }) => field) : [],
      ),
    );
    for (const piece of pieces) this.#add(piece);
    for (const { op } of use.comparisons) this.#part(op);
    // A cut for one operation changes what another one ties, so that all are looked at again.
    for (let round = 0; round < MAX_CHANGES && this.#align(); round++);
    for (const { op } of use.operations) {
      const isAligned = op.kind === "logic" || op.kind === "arithmetic";
      const wrong = this.#ties(op).find(
        ({ a, b, aBit, bBit }) => a.size !== b.size || (isAligned && aBit !== bBit),
      );
      if (wrong !== undefined)
        this.mismatches.push({ op, fields: [...new Set([...fieldsOf(wrong.a), ...fieldsOf(wrong.b)])] });
    }
  }

  /** The clusters, each piece in one. */
  clusters(): Cluster[] {
    const parent = new Map<Piece, Piece>([...this.#pieces].map((piece) => [piece, piece]));
    const find = (piece: Piece): Piece => {
      let at = piece;
      while (parent.get(at) !== at) {
        const up = parent.get(parent.get(at)!)!;
        parent.set(at, up);
        at = up;
      }
      return at;
    };
    const whole = new Set<Piece>();
    for (const { op } of this.#operations) {
      for (const { a, b } of this.#ties(op)) {
        if (a.size === b.size) parent.set(find(a), find(b));
        if (op.kind === "merge") for (const one of [a, b]) whole.add(one);
      }
      // A carry does not leave a container.
      if (op.kind === "arithmetic")
        for (const { field } of [op.write, ...op.sources])
          for (const piece of this.#byField.get(field) ?? []) whole.add(piece);
    }
    const groups = new Map<Piece, Piece[]>();
    for (const piece of this.#pieces) {
      const root = find(piece);
      const list = groups.get(root);
      if (list === undefined) groups.set(root, [piece]);
      else list.push(piece);
    }
    return [...groups.values()].map((pieces) => ({
      pieces,
      isWhole: pieces.some(
        (piece) => whole.has(piece) || piece.slices.some(({ field }) => this.rules.isFixed(field)),
      ),
    }));
  }

  get #operations(): readonly { readonly op: Operation }[] {
    return [...this.use.operations, ...this.use.comparisons];
  }

  /** Halves pieces of a header that have both sides of a comparison, where their containers have no size that the program asks for. */
  #part(op: Operation): void {
    const [other] = op.sources;
    if (other === undefined) return;
    const both = [...(this.#byField.get(op.write.field) ?? [])].find(
      ({ bytes, size, slices }) =>
        bytes !== undefined &&
        (size === 16 || size === 32) &&
        !slices.some(({ field }) => this.rules.isFixed(field)) &&
        slices.some((slice) => meets(slice, op.write)) &&
        slices.some((slice) => meets(slice, other)),
    );
    if (both === undefined) return;
    this.#replace(both, halvesOf(this.model, this.use, [both]).flat());
    this.#part(op);
  }

  #add(piece: Piece): void {
    this.#pieces.add(piece);
    for (const { field } of piece.slices)
      this.#byField.set(field, (this.#byField.get(field) ?? new Set()).add(piece));
  }

  #replace(piece: Piece, by: readonly Piece[]): void {
    this.#pieces.delete(piece);
    for (const { field } of piece.slices) this.#byField.get(field)?.delete(piece);
    for (const one of by) this.#add(one);
  }

  #align(): boolean {
    let changed = false;
    for (const { op } of this.#operations)
      for (let change = 0; change < MAX_CHANGES; change++) {
        const tie = this.#ties(op).find(({ a, b }) => a.size !== b.size);
        if (tie === undefined || !this.#fit(tie)) break;
        changed = true;
      }
    return changed;
  }

  /** What an operation ties: its result with each source. */
  #ties({ kind, write, sources }: Operation): Tie[] {
    const ties: Tie[] = [];
    for (const source of sources)
      for (const a of this.#byField.get(write.field) ?? [])
        for (const b of this.#byField.get(source.field) ?? []) {
          if (a === b) continue;
          const tie = tieOf(a, b, write, source, kind);
          if (tie !== undefined) ties.push(tie);
        }
    return ties;
  }

  /** Makes the sizes of two pieces equal; false where nothing helps. */
  #fit({ a, b, aBit, bBit, bits, isPlaced, isRotated }: Tie): boolean {
    const [large, small] = a.size > b.size ? [a, b] : [b, a];
    const from = large === a ? aBit : bBit;
    const isFixed = (piece: Piece) => piece.slices.some(({ field }) => this.rules.isFixed(field));
    if (
      this.growsValues &&
      isPlaced &&
      !isRotated &&
      this.#growValues(small, large, from - (small === a ? aBit : bBit))
    )
      return true;
    const isAligned = (piece: Piece) =>
      piece.slices.some((slice) => this.#aligned.some((access) => meets(slice, access)));
    const grows =
      this.growsValues &&
      isRotated &&
      (small.bytes === undefined || small.slices.length === 1) &&
      !small.isSent &&
      !this.#isListed(small) &&
      large.bytes !== undefined &&
      ![small, large].some(isAligned) &&
      !this.#isSmallest(small) &&
      !isFixed(small) &&
      this.#mayRotate(small, large);
    if (
      isPlaced &&
      !grows &&
      !isFixed(large) &&
      !(this.#isUndivided(large) && bits < large.slices[0]!.width)
    ) {
      const parts =
        large.bytes === undefined
          ? cutValue(large, from, bits, this.#isParsed(large))
          : this.#cutBytes(large, from, bits, small);
      if (parts !== undefined) {
        this.#replace(large, parts);
        return true;
      }
    }
    if (isFixed(small)) return false;
    const at = small === a ? aBit : bBit;
    if ((small.bytes === undefined || grows) && !this.#isSmallest(small)) {
      this.#replace(small, [{ ...small, size: large.size, bytes: undefined }]);
      return true;
    }
    if (!isPlaced) return false;
    // Bytes that no table touches stay out of the pipeline, before a value of metadata has a larger container than it needs.
    const staysSmall = () => small.isAlone || !this.#grownIsTouched(small, large.size, from - at);
    if (this.growsValues && large.bytes === undefined && staysSmall() && this.#shrink(large, small.size))
      return true;
    return (
      this.#growBytes(small, large.size, from - at) ||
      (isRotated && !small.isSent && this.#growBytes(small, large.size, large.size - small.size)) ||
      this.#cutAround(large, from, bits, small, at) ||
      this.#shrink(large, small.size)
    );
  }

  /**
   * Gives values of metadata that logic and sums tie to bytes of a packet containers as large as theirs, at the same bits, so that the bytes stay
   * together; false where some piece is tied at two places, or has containers of another size.
   */
  #growValues(value: Piece, large: Piece, shift: number): boolean {
    const shifts = new Map<Piece, number>([[value, shift]]);
    const open = [value];
    const canGrow = (piece: Piece, by: number) => {
      const [slice, another] = piece.slices;
      if (slice === undefined || another !== undefined || isExact(piece, this.use)) return false;
      if (
        this.rules.isFixed(slice.field) ||
        this.#isSmallest(piece) ||
        this.model.forDeparser.has(slice.field)
      )
        return false;
      return !slice.field.endsWith("$") && slice.at + by >= 0 && slice.at + by + slice.width <= large.size;
    };
    if (!isExact(large, this.use) || !canGrow(value, shift)) return false;
    for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
      const own = shifts.get(piece) ?? 0;
      for (const { other, bit, otherBit, write, isFull } of this.#alignedWith(piece)) {
        const by = bit + own - otherBit;
        if (isExact(other, this.use)) {
          if (by !== 0 || other.size !== large.size) return false;
          // A sum or logic writes a container whole.
          if (write !== undefined && (!isFull || other.slices.some((slice) => !isWithin(slice, write))))
            return false;
        } else if (!shifts.has(other)) {
          if (!canGrow(other, by)) return false;
          shifts.set(other, by);
          open.push(other);
        } else if (shifts.get(other) !== by) return false;
      }
    }
    for (const [piece, by] of shifts)
      this.#replace(piece, [
        {
          ...piece,
          size: large.size,
          slices: piece.slices.map((slice) => ({ ...slice, at: slice.at + by })),
        },
      ]);
    return true;
  }

  /** Pieces that logic and sums tie to one, with bits that correspond. */
  #alignedWith(piece: Piece): Alignment[] {
    const fields = new Set(piece.slices.map(({ field }) => field));
    return this.#operations.flatMap(({ op }): Alignment[] => {
      if (op.kind !== "logic" && op.kind !== "arithmetic") return [];
      if (![op.write, ...op.sources].some(({ field }) => fields.has(field))) return [];
      // Logic of narrower values leaves the bits above to another instruction.
      const isFull = op.kind === "arithmetic" || op.sources.every(({ width }) => width === op.write.width);
      return this.#ties(op).flatMap(({ a, b, aBit, bBit }): Alignment[] => {
        if (a === piece) return [{ other: b, bit: aBit, otherBit: bBit, write: undefined, isFull }];
        if (b === piece) return [{ other: a, bit: bBit, otherBit: aBit, write: op.write, isFull }];
        return [];
      });
    });
  }

  /**
   * A value can have a container of the size of a larger piece to which operations tie it: no action gives it to that piece together with
   * another source and, where they tie it to different bits, nothing of smaller size that is sent is tied to it.
   */
  #mayRotate(value: Piece, large: Piece): boolean {
    const shifts = new Set<number>();
    let isOneOfTwo = false;
    let hasSmaller = false;
    for (const { op } of this.#operations)
      for (const { a, b, aBit, bBit } of this.#ties(op)) {
        if (a !== value && b !== value) continue;
        const other = a === value ? b : a;
        if (other === large) shifts.add(a === value ? bBit - aBit : aBit - bBit);
        if (other === large && b === value) isOneOfTwo ||= this.#hasSecondSource(op, large);
        if (other.isSent && other.size < large.size) hasSmaller = true;
      }
    return !isOneOfTwo && (shifts.size === 1 || !hasSmaller);
  }

  /** The action of the operation sets other bits of the piece, too: from another field, or to a constant or data. */
  #hasSecondSource(op: Operation, { slices }: Piece): boolean {
    const { operations } = this.use;
    const own = operations.find((one) => one.op === op);
    return operations.some(
      (one) =>
        one.op !== op &&
        one.unit === own?.unit &&
        one.action === own.action &&
        slices.some((slice) => meets(slice, one.op.write)),
    );
  }

  /** One value, or one part of a value, that a container holds whole: an operand or the result of a sum, of which a carry stays in the container. */
  #isUndivided({ isAlone, slices }: Piece): boolean {
    return slices.length === 1 && (isAlone || this.#summed.has(slices[0]!.field));
  }

  #isParsed({ gress, slices }: Piece): boolean {
    const { fields, parser } = this.model;
    const infos = slices.flatMap(({ field }) => fields.get(field) ?? []);
    return infos.some(({ metadata, header }) => !metadata && parser.isParsed(gress, header));
  }

  #isListed({ slices }: Piece): boolean {
    return slices.some(({ field }) => this.use.listed.has(field));
  }

  #isSmallest({ slices }: Piece): boolean {
    return slices.some(({ field }) => this.#smallest.has(field));
  }

  /** Gives a value of metadata the container that it had before operations asked for a larger one, and keeps it there. */
  #shrink(piece: Piece, size: Piece["size"]): boolean {
    const isWide = piece.slices.some(({ at, width }) => at + width > size);
    if (piece.bytes !== undefined || isWide || this.#isSmallest(piece)) return false;
    for (const { field } of piece.slices) this.#smallest.add(field);
    this.#replace(piece, [{ ...piece, size }]);
    return true;
  }

  /**
   * Takes neighbour bytes into the container of a header's bytes, so that its bits stand where those of the other operand do.
   * @param shift bits between the two
   */
  #growBytes(piece: Piece, size: Piece["size"], shift: number): boolean {
    if (piece.bytes === undefined || shift % 8 !== 0 || this.#isSmallest(piece)) return false;
    const { header, first } = piece.bytes;
    const end = first + piece.size / 8 + shift / 8;
    const start = end - size / 8;
    const info = this.model.headers.get(header)!;
    if (start < 0 || end > Math.ceil(info.bits / 8)) return false;
    const others = [...this.#pieces].filter((one) => {
      const at = one.bytes?.header === header ? one.bytes.first : undefined;
      return at !== undefined && at < end && start < at + one.size / 8;
    });
    if (others.some((one) => one.slices.some(({ field }) => this.rules.isFixed(field)))) return false;
    // What a mirror or a digest takes stands apart.
    if ([piece, ...others].some((one) => this.#isListed(one))) return false;
    const isOwn = (field: string) => piece.slices.some((slice) => slice.field === field);
    if (others.some((one) => one.isAlone && !one.slices.some(({ field }) => isOwn(field)))) return false;
    const own = headerPart(this.model, this.use, header);
    const part = (range: { from: number; to: number }) =>
      bytePiece(own, range, true, (field) => this.use.alone.has(field));
    const rest = others.flatMap(({ bytes, size: bits }) => [
      ...cutAtValues({ from: bytes!.first, to: Math.min(bytes!.first + bits / 8, start) }, own.fields),
      ...cutAtValues({ from: Math.max(bytes!.first, end), to: bytes!.first + bits / 8 }, own.fields),
    ]);
    if (this.rules.isBroken(part({ from: start, to: end }))) return false;
    for (const one of others) this.#replace(one, []);
    for (const one of [part({ from: start, to: end }), ...rest.map(part)]) this.#add(one);
    return true;
  }

  /** The bytes of a header that a grown piece would have are touched, all of them. */
  #grownIsTouched({ bytes, size: before }: Piece, size: Piece["size"], shift: number): boolean {
    if (bytes === undefined) return true;
    const end = bytes.first + before / 8 + shift / 8;
    const has = (byte: number) =>
      [...this.#pieces].some(
        ({ bytes: one, size: bits }) =>
          one?.header === bytes.header && one.first <= byte && byte < one.first + bits / 8,
      );
    return Array.from({ length: size / 8 }, (_, i) => end - 1 - i).every(has);
  }

  /** Cuts a piece of a header so that some of its bits stand in a container of the size, and at the bits, that they have in the other piece. */
  #cutAround(piece: Piece, from: number, bits: number, small: Piece, at: number): boolean {
    const low = from - at;
    if (
      piece.slices.some(({ field }) => this.rules.isFixed(field)) ||
      low % small.size !== 0 ||
      at + bits > small.size
    )
      return false;
    const parts = this.#cutBytes(piece, low, small.size, small);
    if (parts === undefined) return false;
    this.#replace(piece, parts);
    for (const { field, at: bit, width } of piece.slices)
      if (bit < from + bits && from < bit + width) this.#smallest.add(field);
    return true;
  }

  /** Cuts whole bytes out of a piece of a header, where they fill the smaller container. */
  #cutBytes(piece: Piece, from: number, bits: number, small: Piece): Piece[] | undefined {
    if (piece.bytes === undefined || from % 8 !== 0 || bits % 8 !== 0 || bits !== small.size)
      return undefined;
    const { header, first } = piece.bytes;
    const own = headerPart(this.model, this.use, header);
    const end = first + piece.size / 8;
    const high = end - (from + bits) / 8;
    const low = end - from / 8;
    const ranges = [
      { from: first, to: high },
      { from: high, to: low },
      { from: low, to: end },
    ];
    return ranges
      .flatMap((range) => cutAtValues(range, own.fields))
      .map((range) => bytePiece(own, range, piece.isTouched, (field) => this.use.alone.has(field)));
  }
}

/**
 * Cuts a value of metadata, or a field that has a container of its own, around some of its bits; undefined where it has no others, or where the
 * field, which the parser takes by bytes, would be cut inside a byte.
 */
function cutValue(piece: Piece, from: number, bits: number, isParsed: boolean): Piece[] | undefined {
  const [slice] = piece.slices;
  if (slice === undefined || piece.slices.length > 1 || bits >= slice.width) return undefined;
  const low = from - slice.at;
  const borders = [low, low + bits].filter((border) => border > 0 && border < slice.width);
  if (isParsed && borders.some((border) => (slice.at + border) % 8 > 0)) return undefined;
  const parts = [
    [0, low],
    [low, bits],
    [low + bits, slice.width - low - bits],
  ] as const;
  return parts
    .filter(([, width]) => width > 0)
    .map(([lo, width]) => {
      const at = isParsed ? (slice.at + lo) % 8 : 0;
      return {
        ...piece,
        size: sizeFor(at + width),
        slices: [{ field: slice.field, lo: slice.lo + lo, width, at }],
      };
    });
}

/** The first bits of two pieces that an operation ties. @param isPlaced bit i of the source goes to bit i of the result */
function tieOf(
  a: Piece,
  b: Piece,
  write: Operation["write"],
  source: Operation["write"],
  kind: Operation["kind"],
): Tie | undefined {
  const shift = source.lo - write.lo;
  const isPlaced = kind !== "merge";
  const isRotated = kind === "set";
  for (const x of a.slices)
    for (const y of b.slices) {
      if (x.field !== write.field || y.field !== source.field) continue;
      const low = Math.max(x.lo, write.lo);
      const high = Math.min(x.lo + x.width, write.lo + write.width);
      const from = Math.max(y.lo, source.lo);
      const to = Math.min(y.lo + y.width, source.lo + source.width);
      if (low >= high || from >= to) continue;
      if (!isPlaced)
        return { a, b, aBit: x.at + low - x.lo, bBit: y.at + from - y.lo, bits: 0, isPlaced, isRotated };
      const first = Math.max(low, from - shift);
      const end = Math.min(high, to - shift);
      if (first >= end) continue;
      return {
        a,
        b,
        aBit: x.at + first - x.lo,
        bBit: y.at + first + shift - y.lo,
        bits: end - first,
        isPlaced,
        isRotated,
      };
    }
  return undefined;
}

/** The piece has containers of its own, without a hole: bytes that the deparser sends, or the time at which the packet came. */
const isExact = ({ isSent, slices }: Piece, use: GressUse): boolean =>
  isSent || slices.some(({ field }) => use.stamps.has(field));

const meets = (slice: Piece["slices"][number], { field, lo, width }: Operation["write"]): boolean =>
  slice.field === field && slice.lo < lo + width && lo < slice.lo + slice.width;

const isWithin = (slice: Piece["slices"][number], { field, lo, width }: Operation["write"]): boolean =>
  slice.field === field && lo <= slice.lo && slice.lo + slice.width <= lo + width;

const fieldsOf = (piece: Piece): string[] => piece.slices.map(({ field }) => field);
