/**
 * Forward RTO-recovery with SACK (RFC 5682, section 3.1, steps 1 to 3): what a sender does after the first timeout of a flight,
 * from the acknowledgements that reach it and from further timeouts. Sequence numbers count segments.
 */

export interface Acknowledgement {
  readonly at: number;
  /** The next segment that the receiver expects. */
  readonly next: number;
  /** Segments above it that the receiver has. */
  readonly sacked: readonly number[];
  /** It tells of a new window, or has data: where it acknowledges nothing new, it is no duplicate (RFC 5681, section 2). */
  readonly other?: boolean;
}

export interface Timeout {
  /** First segment that was not acknowledged at the timeout: the only one that is sent again in step 1. */
  readonly una: number;
  /** Segments that had been reported before the timeout. */
  readonly sacked: readonly number[];
  /** The first segment that had not been sent. */
  readonly next: number;
  /** Segments that the sender has, and may send, from `next` on. */
  readonly fresh: number;
  /** When the timer expires again without a new acknowledgement in between. */
  readonly again?: readonly number[];
  /**
   * Data that were sent once and arrive in step 2 prove already that the timeout was spurious, as Linux takes it
   * (`FLAG_ORIG_SACK_ACKED`). The RFC waits: an acknowledgement of what had arrived before the timeout may have been lost.
   */
  readonly early?: boolean;
}

export interface Verdict {
  /** "open": no acknowledgement has decided it. */
  readonly kind: "spurious" | "lost" | "open";
  /** The branch that decided: 2a, 2b without new data, 3a, 3b, a further timeout in step 3, or Linux's rule in step 2. */
  readonly by?: "2a" | "2b" | "3a" | "3b" | "timeout" | "early";
  readonly at?: number;
  /** New segments that step 2b sent, and when. */
  readonly probes: number;
  readonly probedAt?: number;
  /** Acknowledgements in step 2 and 3 after which the RFC waits. */
  readonly waited: number;
  /** Further timeouts in step 2, which lead to step 1. */
  readonly repeated: number;
}

type Event = Acknowledgement | { readonly at: number; readonly expired: true };

export function judgeTimeout(timeout: Timeout, acknowledgements: readonly Acknowledgement[]): Verdict {
  const known = new Set(timeout.sacked);
  let waited = 0;
  let repeated = 0;
  let probedAt: number | undefined;
  let probes = 0;
  let una = timeout.una;
  const ended = (kind: "spurious" | "lost", by: Verdict["by"], at: number): Verdict => ({
    ...{ kind, at, probes, waited, repeated },
    ...(by === undefined ? {} : { by }),
    ...(probedAt === undefined ? {} : { probedAt }),
  });
  const expiries = (timeout.again ?? []).map((at) => ({ at, expired: true }) as const);
  const events: Event[] = [...acknowledgements, ...expiries].sort((a, b) => a.at - b.at);
  for (const event of events) {
    const { at } = event;
    if ("expired" in event) {
      // Step 2 goes to step 1, and RecoveryPoint is below SND.UNA as at the first timeout. Step 2 has set it for step 3, so that step 1
      // ends the algorithm.
      if (probedAt !== undefined) return ended("lost", "timeout", at);
      repeated++;
      continue;
    }
    const { next, sacked, other = false } = event;
    const reported = [...Array.from({ length: Math.max(0, next - una) }, (_, i) => una + i), ...sacked];
    const news = reported.filter((segment) => !known.has(segment) && segment !== timeout.una);
    for (const segment of reported) known.add(segment);
    if (probedAt === undefined) {
      if (timeout.early === true && news.length > 0 && next < timeout.next)
        return ended("spurious", "early", at);
      if (next <= una) {
        // Step 2: the scoreboard is kept, and the sender waits for a new acknowledgement.
        waited++;
        continue;
      }
      una = next;
      if (next >= timeout.next) return ended("lost", "2a", at);
      if (timeout.fresh === 0) return ended("lost", "2b", at);
      probes = Math.min(2, timeout.fresh);
      probedAt = at;
      continue;
    }
    // Step 3a, first sentence: more than RecoveryPoint is covered.
    if (next > timeout.next || sacked.some((segment) => segment >= timeout.next))
      return ended("lost", "3a", at);
    // Step 3b: data that were sent before the timeout, and not acknowledged earlier; also the whole flight.
    if (news.length > 0) return ended("spurious", "3b", at);
    // Step 3: what is neither a duplicate nor moves the window is ignored.
    if (other && next <= una) {
      waited++;
      continue;
    }
    return ended("lost", "3a", at);
  }
  return { kind: "open", probes, waited, repeated, ...(probedAt === undefined ? {} : { probedAt }) };
}
