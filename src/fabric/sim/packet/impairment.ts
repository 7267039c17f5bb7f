/**
 * Effects of a fault on the frames of a channel other than losing all: it loses, corrupts or delays those that match. The
 * random decisions of a fault come from one stream, in the order in which frames reach the ends of its channels.
 */
import type { Random } from "../../../base/index.js";
import { FrameFields, PacketFilter, type PacketMatch, payloadBytes } from "../../../base/packets/index.js";

export interface ImpairmentOptions {
  /** Absent: every frame. */
  readonly match?: PacketMatch;
  /** Shares of the matching frames, 0 to 1. Loss is decided first; a frame that is not lost may be corrupted. */
  readonly loss?: number;
  readonly corruption?: number;
  /** Additional delay of matching frames, nanoseconds. */
  readonly delay?: number;
  readonly random: Random;
}

/** A share in the form of the data plane: a frame is hit when 32 random bits, as a number, are below this. */
export function shareThreshold(share: number): number {
  return Math.round(share * 2 ** 32);
}

export type Verdict = "pass" | "lose" | "corrupt";

/** What a fault does to the frames that reach the far end of a channel. */
export interface FrameFault {
  /** Additional delay of the frames that it concerns, nanoseconds. */
  readonly delay: number;
  concerns(frame: Uint8Array): boolean;
  /** The verdict on a frame that it concerns; called once for each of them. */
  decide(): Verdict;
}

export class Impairment implements FrameFault {
  readonly delay: number;
  readonly #filter: PacketFilter | undefined;
  readonly #loss: number;
  readonly #corruption: number;
  readonly #random: Random;

  constructor({ match, loss = 0, corruption = 0, delay = 0, random }: ImpairmentOptions) {
    this.#filter = match === undefined ? undefined : new PacketFilter(match);
    this.#loss = shareThreshold(loss);
    this.#corruption = shareThreshold(corruption);
    this.delay = delay;
    this.#random = random;
  }

  concerns(frame: Uint8Array): boolean {
    return this.#filter === undefined || this.#filter.matches(frame);
  }

  /** The verdict on a frame that the fault affects. */
  decide(): Verdict {
    if (this.#loss > 0 && this.#random.uint32() < this.#loss) return "lose";
    if (this.#corruption > 0 && this.#random.uint32() < this.#corruption) return "corrupt";
    return "pass";
  }
}

export interface CountedLossOptions {
  readonly match: PacketMatch;
  /** Numbers of the frames that are lost, from 1. */
  readonly lost: readonly number[];
  /** Only frames with data count: not a SYN, a pure acknowledgement, or a FIN alone. */
  readonly dataOnly: boolean;
}

/** Loses certain frames of those that match, by their number: no draw decides. */
export class CountedLoss implements FrameFault {
  readonly delay = 0;
  readonly #filter: PacketFilter;
  readonly #lost: ReadonlySet<number>;
  readonly #dataOnly: boolean;
  #count = 0;

  constructor({ match, lost, dataOnly }: CountedLossOptions) {
    this.#filter = new PacketFilter(match);
    this.#lost = new Set(lost);
    this.#dataOnly = dataOnly;
  }

  /** Number of frames that it has concerned. */
  get count(): number {
    return this.#count;
  }

  concerns(frame: Uint8Array): boolean {
    return this.#filter.matches(frame) && (!this.#dataOnly || payloadBytes(frame) > 0);
  }

  decide(): Verdict {
    return this.#lost.has(++this.#count) ? "lose" : "pass";
  }
}

const FIELDS = new FrameFields();

/**
 * A copy of a frame with one bit flipped so that a checksum is wrong: the last bit of the IPv4 header checksum, or else of
 * the source port. Undefined for a frame without either: it is lost, as a frame with a wrong frame check sequence is.
 */
export function corrupted(frame: Uint8Array): Uint8Array | undefined {
  FIELDS.read(frame);
  const at = FIELDS.ipVersion === 4 ? FIELDS.ipAt + 11 : FIELDS.portsAt === 0 ? 0 : FIELDS.portsAt + 1;
  if (at === 0) return undefined;
  const copy = Uint8Array.from(frame);
  copy[at]! ^= 1;
  return copy;
}
