/**
 * How the two ends of a flow change paths: with one copy of each packet ({@link MovingPath}), with two
 * copies ({@link ProbingPath}), or only at the request of their policy ({@link WaitingPath}). A {@link Rerouter} gives the selectors to which an end
 * changes; so these classes serve schemes that draw selectors at random (PRR) and schemes that know which selectors lead to
 * other next hops (P-ECMP).
 */
import type { Random } from "../../base/index.js";
import type { PathChooser, SegmentMarks } from "./host-policy.js";

/** Draws the selector that an end changes to. */
export interface Rerouter {
  /**
   * The next selector after `from`. `tried` are those that the end has used since its last progress, `from` among them. It
   * may be one of these: where every selector was tried, or where a scheme draws from all selectors.
   */
  leave(from: number, tried: readonly number[], random: Random): number;
}

/**
 * When the receiver of data changes the path of its acknowledgements. `mirror`: it uses the selector of the segment that it
 * acknowledges. `duplicates`: it leaves its path when it receives only data that it already has, because its
 * acknowledgements were lost then. `attempts`: it also leaves its path when the sender has left its own.
 */
export type ReceiverRule = "mirror" | "duplicates" | "attempts";

/** A chooser whose policy can make it leave its path, for example after congestion. */
export interface LeavingPath extends PathChooser {
  /** Changes to the next selector at once; has no effect during a trial of two paths. */
  leave(): void;
}

/** Stays on its path after timeouts and duplicates. */
export class WaitingPath implements LeavingPath {
  constructor(
    readonly rerouter: Rerouter,
    readonly random: Random,
    public selector: number,
  ) {}

  leave(): void {
    this.selector = this.rerouter.leave(this.selector, [this.selector], this.random);
  }

  onTimeout(): readonly number[] {
    return [this.selector];
  }

  onAck(): void {}

  onData(): readonly number[] {
    return [this.selector];
  }
}

/** Value for an unknown selector. */
const UNKNOWN = -1;

/** One copy: the sender leaves its path at every timeout, and the receiver by its {@link ReceiverRule}. */
export class MovingPath implements LeavingPath {
  readonly #rerouter: Rerouter;
  readonly #random: Random;
  readonly #receiver: ReceiverRule;
  #tried: number[];
  /** Selector of the data received last from the other end. */
  #peer: number;

  constructor(
    rerouter: Rerouter,
    random: Random,
    public selector: number,
    receiver: ReceiverRule,
    /** First selector of the other end; undefined if it is taken from the first segment. */
    peer: number | undefined,
  ) {
    this.#rerouter = rerouter;
    this.#random = random;
    this.#receiver = receiver;
    this.#tried = [selector];
    this.#peer = peer ?? UNKNOWN;
  }

  onTimeout(): readonly number[] {
    this.#move();
    return [this.selector];
  }

  onAck(): void {
    this.#tried = [this.selector];
  }

  onData(segment: SegmentMarks, duplicate: boolean): readonly number[] {
    const moved = this.#peer !== UNKNOWN && segment.selector !== this.#peer;
    this.#peer = segment.selector;
    if (this.#receiver === "mirror") this.selector = segment.selector;
    else if (duplicate || (moved && this.#receiver === "attempts")) this.#move();
    // New data on a known path: the other end has received acknowledgements.
    else if (!moved) this.#tried = [this.selector];
    return [this.selector];
  }

  leave(): void {
    this.#tried = [this.selector];
    this.#move();
  }

  #move(): void {
    this.selector = this.#rerouter.leave(this.selector, this.#tried, this.#random);
    this.#tried.push(this.selector);
  }
}

/**
 * Two copies, one on the old path and one on a new path, until an echo shows which of the two arrived first.
 *
 * An end cannot know which direction has failed, so both ends try a new path. Either path of a pair may turn out to work:
 * if the old path of this direction is intact, the new path may be the failed one. But if both work, the end must leave the
 * path that lost packets, because that path may lose only some of them. The copy that leaves first normally arrives first,
 * and the ends then use its path. So the order of the two copies decides:
 *
 * - The sender's timer ran out. Its old path may have lost the segment: the new path is first.
 * - The receiver receives only data that it already has. Its old path lost the acknowledgement: the new path is first.
 * - The receiver receives new data, and the sender has changed its path. The sender's old path lost the data; the receiver's
 *   path has shown no loss: the old path is first.
 */
export class ProbingPath implements LeavingPath {
  readonly #rerouter: Rerouter;
  readonly #random: Random;
  /** Selectors of the current trial; empty if there is no trial. */
  #trial: number[] = [];
  /** Selectors of the other end received in this trial: a selector received twice means a further attempt. */
  #seen: number[] = [];
  /** Selector of the data received last from the other end. */
  #peer: number;

  constructor(
    rerouter: Rerouter,
    random: Random,
    public selector: number,
    /** First selector of the other end; undefined if it is taken from the first segment. */
    peer: number | undefined,
  ) {
    this.#rerouter = rerouter;
    this.#random = random;
    this.#peer = peer ?? UNKNOWN;
  }

  leave(): void {
    if (this.#trial.length > 0) return;
    this.selector = this.#rerouter.leave(this.selector, [this.selector], this.#random);
  }

  onTimeout(): readonly number[] {
    return [this.#newPath(), this.selector];
  }

  onAck(segment: SegmentMarks): void {
    this.#settle(segment.echo);
  }

  onData(segment: SegmentMarks, duplicate: boolean): readonly number[] {
    const moved = this.#peer !== UNKNOWN && segment.selector !== this.#peer;
    this.#peer = segment.selector;
    if (this.#trial.length === 0) {
      return duplicate || moved ? this.#probe(segment.selector, duplicate) : [this.selector];
    }
    if (this.#seen.includes(segment.selector)) {
      if (duplicate) return this.#probe(segment.selector, true);
      // New data on a known path: an acknowledgement of the trial has reached the other end.
      this.#settle(segment.echo);
      return [this.selector];
    }
    // The other copy of a segment that was acknowledged already, or a further attempt: one further path is tried, and
    // no more, because three duplicate acknowledgements would signal a loss.
    this.#seen.push(segment.selector);
    return [this.#newPath()];
  }

  /** Both paths for the acknowledgement of a segment that arrived with `peer`; see the class for their order. */
  #probe(peer: number, newFirst: boolean): readonly number[] {
    if (!this.#seen.includes(peer)) this.#seen.push(peer);
    const next = this.#newPath();
    return newFirst ? [next, this.selector] : [this.selector, next];
  }

  /** A path that was not tried yet in this trial, which begins now if there is none. */
  #newPath(): number {
    if (this.#trial.length === 0) this.#trial = [this.selector];
    const next = this.#rerouter.leave(this.selector, this.#trial, this.#random);
    this.#trial.push(next);
    return next;
  }

  #settle(echo: number): void {
    if (!this.#trial.includes(echo)) return;
    this.selector = echo;
    this.#trial = [];
    this.#seen = [];
  }
}
