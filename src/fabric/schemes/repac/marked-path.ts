/**
 * One end of a flow under RePaC's failover (algorithm 1). The first retransmission of a segment does not change its path: it may have been
 * lost by congestion. The second one begins a marking period: all packets of the flow carry another value in the field, until
 * the period is over or the segment is retransmitted again. So a flow is down for three retransmission timeouts: RTO + 2 RTO.
 */
import type { Random } from "../../../base/index.js";
import type { HostClock, PathChooser, SegmentMarks } from "../../hosts/index.js";
import type { MarkChooser } from "./marks.js";

interface MarkingOptions {
  /** Undefined while no pathmap is known: the flow does not change its path. */
  readonly marks: () => MarkChooser | undefined;
  readonly clock: HostClock;
  readonly random: Random;
  /** Value of the field without a mark. */
  readonly selector: number;
  readonly periodNs: number;
  /**
   * Whether this end also marks what it sends when data arrive for the third time: its acknowledgements were lost. The paper describes
   * only the sender of data.
   */
  readonly marksAcks: boolean;
}

/** Algorithm 1 marks at the second retransmission of a segment. */
const REPEATED = 2;

export class MarkedPath implements PathChooser {
  readonly #options: MarkingOptions;
  #mark: number | undefined;
  #until = 0;
  /** Values that have failed since the last progress; the last one is in use. */
  #tried: number[];
  #retransmissions = 0;
  #duplicates = 0;

  constructor(options: MarkingOptions) {
    this.#options = options;
    this.#tried = [options.selector];
  }

  get selector(): number {
    if (this.#mark !== undefined && this.#options.clock.now() >= this.#until) {
      this.#mark = undefined;
      this.#tried = [this.#options.selector];
    }
    return this.#mark ?? this.#options.selector;
  }

  onTimeout(): readonly number[] {
    return this.#retransmit();
  }

  onFastRetransmit(): readonly number[] {
    return this.#retransmit();
  }

  onAck(): void {
    this.#retransmissions = 0;
    this.#tried = [this.selector];
  }

  onData(_segment: SegmentMarks, duplicate: boolean): readonly number[] {
    if (!duplicate) {
      this.#duplicates = 0;
      if (this.#retransmissions === 0) this.#tried = [this.selector];
    } else if (++this.#duplicates >= REPEATED && this.#options.marksAcks) this.#nextMark();
    return [this.selector];
  }

  #retransmit(): readonly number[] {
    if (++this.#retransmissions >= REPEATED) this.#nextMark();
    return [this.selector];
  }

  #nextMark(): void {
    const { marks, clock, random, periodNs } = this.#options;
    const chooser = marks();
    if (chooser === undefined) return;
    // A period that has just ended leaves the flow on its first path.
    const from = this.selector;
    if (this.#tried.at(-1) !== from) this.#tried.push(from);
    this.#mark = chooser.next(this.#tried, random);
    this.#tried.push(this.#mark);
    this.#until = clock.now() + periodNs;
  }
}
