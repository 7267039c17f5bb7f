/**
 * PLB (M. A. Qureshi et al., SIGCOMM'22): a flow with congestion in several consecutive rounds leaves its path. A round trip is
 * congested where at least a share of its bytes was marked. After some consecutive congested rounds the flow leaves at its next
 * pause, when no packet in flight could be reordered; after more of them it leaves in any case. PLB does not handle timeouts:
 * the flow leaves as its chooser does (PRR), and then ignores congestion for some time, because paths are being repaired.
 *
 * The rules and their values are those of `net/ipv4/tcp_plb.c` in Linux. There the pause may be shorter than a retransmission
 * timeout; a host policy is not notified of such pauses.
 */
import { z } from "zod";
import type { Random } from "../../../base/index.js";
import type { HostClock, LeavingPath, PathChooser, Round, SegmentMarks, Signal } from "../../hosts/index.js";

const SHARE = "expected a share above 0 and at most 1";
const SECONDS = "expected seconds, 0 or more";

/** Parameters of PLB in experiment files; the defaults are its published ones. */
export const balancingSchema = z.strictObject({
  /** A round with at least this share of marked bytes is congested. */
  congested_share: z.number({ error: SHARE }).gt(0, SHARE).max(1, SHARE).default(0.5),
  /** Number of consecutive congested rounds after which a flow leaves at its next pause, and after which it leaves in any case. */
  idle_rounds: z.number().int().min(1).max(1000).default(3),
  rounds: z.number().int().min(1).max(1000).default(12),
  /** After a timeout congestion moves no flow for a random time between this value and twice this value, in seconds. */
  pause_s: z.number({ error: SECONDS }).min(0, SECONDS).default(60),
});

export type Balancing = z.output<typeof balancingSchema>;

/** The signals that a policy with {@link BalancingPath} needs. */
export const BALANCING_NEEDS: readonly Signal[] = ["rounds", "marks", "idle"];

export class BalancingPath implements PathChooser {
  readonly #path: LeavingPath;
  readonly #rules: Balancing;
  readonly #clock: HostClock;
  readonly #random: Random;
  /** Number of consecutive congested rounds. */
  #congested = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  repaths = 0;

  /** @param path the chooser that PLB extends */
  constructor(path: LeavingPath, rules: Balancing, clock: HostClock, random: Random) {
    this.#path = path;
    this.#rules = rules;
    this.#clock = clock;
    this.#random = random;
  }

  get selector(): number {
    return this.#path.selector;
  }

  onRound({ ackedBytes, markedBytes }: Round): void {
    const { congested_share, rounds } = this.#rules;
    const isCongested = ackedBytes > 0 && markedBytes >= congested_share * ackedBytes;
    this.#congested = isCongested ? Math.min(this.#congested + 1, rounds) : 0;
    if (this.#congested >= rounds) this.#leave();
  }

  onIdle(): void {
    if (this.#congested >= this.#rules.idle_rounds) this.#leave();
  }

  onTimeout(attempt: number): readonly number[] {
    this.#congested = 0;
    this.#pausedUntil = this.#clock.now() + this.#rules.pause_s * 1e9 * (1 + this.#random.float());
    return this.#path.onTimeout(attempt);
  }

  onAck(segment: SegmentMarks): void {
    this.#path.onAck(segment);
  }

  onData(segment: SegmentMarks, duplicate: boolean): readonly number[] {
    return this.#path.onData(segment, duplicate);
  }

  #leave(): void {
    if (this.#clock.now() < this.#pausedUntil) return;
    this.#congested = 0;
    this.repaths++;
    this.#path.leave();
  }
}
