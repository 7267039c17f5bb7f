/** The metadata in front of a packet in the parsers of a Tofino, as terms (the layouts of switch/state/intrinsic.ts). */
import type { Term, Terms } from "../solver/index.js";
import { INTRINSIC } from "../switch/index.js";

export type Generation = keyof typeof INTRINSIC;

/** Bytes of `ingress_intrinsic_metadata_t`; behind them stands the port's metadata, or the data of a resubmission. */
const INGRESS_BYTES = 8;

/** What the traffic manager tells egress of a packet. */
export interface Wishes {
  /** 16 bits. */
  readonly rid: Term;
  readonly isFirst: boolean;
  /** Up to 8 bits each. */
  readonly queue: Term;
  readonly serviceClass: Term;
  /** 16 bits. */
  readonly length: Term;
}

/** `behind`: whole bytes. */
export function ingressFront(
  terms: Terms,
  generation: Generation,
  { port, time, isResubmitted, behind }: { port: Term; time: Term; isResubmitted: boolean; behind: Term },
): Term {
  const room = 8 * (INTRINSIC[generation].ingressBytes - INGRESS_BYTES);
  const kept = behind.width > room ? terms.slice(behind, behind.width - room, room) : behind;
  return terms.concat(
    terms.constant(isResubmitted ? 1 : 0, 1),
    terms.extend(port, 15),
    time,
    kept,
    terms.constant(0, room - kept.width),
  );
}

/** `time`: when the packet came to its queue, in which it does not wait. */
export function egressFront(
  terms: Terms,
  generation: Generation,
  { port, time, wishes }: { port: Term; time: Term; wishes: Wishes },
): Term {
  const zeros = (bytes: number) => terms.constant(0, 8 * bytes);
  const head = terms.concat(
    terms.extend(port, 16),
    // The depth of the queue; the time has fewer bits in the first generation.
    zeros(4),
    generation === "tna" ? terms.extend(terms.slice(time, 0, 18), 32) : terms.slice(time, 0, 32),
    // The depth afterwards, and the time in the queue.
    zeros(9),
    wishes.rid,
    terms.constant(wishes.isFirst ? 1 : 0, 8),
    terms.extend(wishes.queue, 8),
    terms.extend(wishes.serviceClass, 8),
    zeros(1),
    wishes.length,
  );
  return terms.concat(head, zeros(INTRINSIC[generation].egressBytes - (head.width >> 3)));
}
