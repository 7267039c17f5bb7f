/**
 * PLB (M. A. Qureshi et al., SIGCOMM'22): a flow that meets congestion round after round leaves its path. A round trip is
 * congested where at least a share of its bytes was marked. After some congested rounds in sequence the flow leaves while it
 * pauses, when nothing is in flight that could be reordered; after more of them it leaves in any case. A timeout is not for PLB:
 * the flow leaves as its chooser does (PRR), and then ignores congestion for a while, because paths are being repaired.
 *
 * The rules and their values are those of `net/ipv4/tcp_plb.c` in Linux. There the pause may be shorter than a retransmission
 * timeout, of which a host policy does not hear.
 */
import { z } from "zod";
import type { Random } from "../../base/index.js";
import type { HostClock, LeavingPath, PathChooser, Round, SegmentMarks, Signal } from "../../hosts/index.js";

const SHARE = "expected a share above 0 and at most 1";
const SECONDS = "expected seconds, 0 or more";

/** Parameters of PLB in experiment files; the defaults are its published ones. */
export const balancingSchema = z.strictObject({
  /** A round with at least this share of marked bytes is congested. */
  congested_share: z.number({ error: SHARE }).gt(0, SHARE).max(1, SHARE).default(0.5),
  /** Congested rounds in sequence after which a flow leaves when it pauses, and after which it leaves in any case. */
  idle_rounds: z.number().int().min(1).max(1000).default(3),
  rounds: z.number().int().min(1).max(1000).default(12),
  /** After a timeout congestion moves no flow for once to twice this time, in seconds. */
  pause_s: z.number({ error: SECONDS }).min(0, SECONDS).default(60),
});

export type Balancing = z.output<typeof balancingSchema>;

/** What a policy with {@link BalancingPath} needs to hear of. */
export const BALANCING_NEEDS: readonly Signal[] = ["rounds", "marks", "idle"];

export class BalancingPath implements PathChooser {
  readonly #path: LeavingPath;
  readonly #rules: Balancing;
  readonly #clock: HostClock;
  readonly #random: Random;
  /** Congested rounds in sequence. */
  #congested = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  repaths = 0;

  /** @param path what the flow does otherwise */
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
