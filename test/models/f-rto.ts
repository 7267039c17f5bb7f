/**
 * Forward RTO-recovery with SACK (RFC 5682, section 3.1): what a sender does after the first timeout of a flight, from the
 * acknowledgements that reach it. Sequence numbers count segments.
 */

export interface Acknowledgement {
  readonly at: number;
  /** The next segment that the receiver expects. */
  readonly next: number;
  /** Segments above it that the receiver has. */
  readonly sacked: readonly number[];
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
  /**
   * Data that were sent once and arrive in step 2 prove already that the timeout was spurious, as Linux takes it
   * (`FLAG_ORIG_SACK_ACKED`). The RFC waits: an acknowledgement of what had arrived before the timeout may have been lost.
   */
  readonly early?: boolean;
  /** An acknowledgement of the whole flight in step 3 ends the recovery without a verdict; by the RFC it proves a needless timeout. */
  readonly wholeEnds?: boolean;
}

export interface Verdict {
  /** "open": no acknowledgement has decided it. */
  readonly kind: "spurious" | "lost" | "open";
  readonly at?: number;
  /** New segments that step 2b sent, and when. */
  readonly probes: number;
  readonly probedAt?: number;
  /** Duplicate acknowledgements in step 2, where the RFC waits. */
  readonly waited: number;
}

export function judgeTimeout(timeout: Timeout, acknowledgements: readonly Acknowledgement[]): Verdict {
  const known = new Set(timeout.sacked);
  let waited = 0;
  let probedAt: number | undefined;
  let probes = 0;
  let una = timeout.una;
  const ended = (kind: "spurious" | "lost", at: number): Verdict => ({
    ...{ kind, at, probes, waited },
    ...(probedAt === undefined ? {} : { probedAt }),
  });
  for (const { at, next, sacked } of acknowledgements) {
    const reported = [...Array.from({ length: Math.max(0, next - una) }, (_, i) => una + i), ...sacked];
    const news = reported.filter((segment) => !known.has(segment) && segment !== timeout.una);
    for (const segment of reported) known.add(segment);
    if (probedAt === undefined) {
      if (timeout.early === true && news.length > 0 && next < timeout.next) return ended("spurious", at);
      if (next <= una) {
        // Step 2: the scoreboard is kept, and the sender waits for a new acknowledgement.
        waited++;
        continue;
      }
      una = next;
      // Step 2a; and 2b without data that may be sent.
      if (next >= timeout.next || timeout.fresh === 0) return ended("lost", at);
      probes = Math.min(2, timeout.fresh);
      probedAt = at;
      continue;
    }
    // Step 3a: a new segment has arrived, or nothing that is new.
    if (next > timeout.next || sacked.some((segment) => segment >= timeout.next)) return ended("lost", at);
    if (next <= una && news.length === 0) return ended("lost", at);
    if (timeout.wholeEnds === true && next === timeout.next) return ended("lost", at);
    // Step 3b: data that were sent once, before the timeout.
    return ended("spurious", at);
  }
  return { kind: "open", probes, waited, ...(probedAt === undefined ? {} : { probedAt }) };
}
