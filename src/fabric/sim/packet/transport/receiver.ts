/**
 * The receiving half of TCP: arrived data, due acknowledgements, the SACK blocks, the offered window, and the feedback of marks
 * to the sender.
 */

import { OPTION_ROOM, type SegmentBuilder, TcpOption } from "../../../../base/packets/index.js";
import { type PathChooser, ReceiveWindow, type SegmentMarks } from "../../../hosts/index.js";
import type { ConnectionCounters } from "../connection.js";
import type { TcpOptions } from "./tcp-options.js";

const NEVER = Number.POSITIVE_INFINITY;

/** Islands that acknowledgements report again and again (RFC 2018, section 4). */
const REMEMBERED = 4;
/** Number of SACK blocks that fit next to the echo. */
const MOST_BLOCKS = TcpOption.sackBlocksIn(OPTION_ROOM);

export class Receiver {
  readonly #options: TcpOptions;
  /** How marks are reported to the sender. */
  readonly #feedback: TcpOptions["ecn"];
  readonly #chooser: PathChooser;
  readonly #counters: ConnectionCounters;
  /** All that has arrived; a FIN has a position after the data, as it has a sequence number. */
  readonly #window = new ReceiveWindow();
  /** Position of the other end's FIN; -1 before it has arrived. */
  #fin = -1;
  /** End of the highest data that came in. */
  #highest = 0;
  /** First position beyond the offered window; it never moves back. */
  #edge: number;
  /** Shift of the window field. */
  scale = 0;
  /** In-order bytes that the application has not read. */
  #unread = 0;
  #reads = true;
  /** Number of data segments without an acknowledgement, and the time by which one must be sent. */
  #waiting = 0;
  ackAt = NEVER;
  /** Selectors of the next acknowledgement, as the chooser returned them last. */
  selectors: readonly number[];
  /** {@link next} in the last acknowledgement that was sent. */
  acknowledged = 0;
  /** Whether acknowledgements carry ECE now. */
  echoesMark = false;
  /** Positions that arrived last, latest first, one in each island that SACK reports. */
  readonly #recent: number[] = [];
  /** Data that arrived twice and must be reported once; -1: none. */
  #duplicateStart = -1;
  #duplicateEnd = -1;

  constructor(
    options: TcpOptions,
    feedback: TcpOptions["ecn"],
    chooser: PathChooser,
    counters: ConnectionCounters,
  ) {
    this.#options = options;
    this.#feedback = feedback;
    this.#chooser = chooser;
    this.#counters = counters;
    this.#edge = options.receiveBuffer;
    this.selectors = [chooser.selector];
  }

  /** The position that is expected next: of data, or after the FIN. */
  get next(): number {
    return this.#window.next;
  }

  /** In order, without the FIN. */
  get bytes(): number {
    return this.finished ? this.#fin : this.#window.next;
  }

  get finished(): boolean {
    return this.#fin >= 0 && this.#window.next > this.#fin;
  }

  /** First position that the other end may not send. */
  get edge(): number {
    return this.#edge;
  }

  /** The value of the window field. */
  get windowField(): number {
    return Math.min(0xffff, Math.floor(Math.max(0, this.#edge - this.next) / 2 ** this.scale));
  }

  /**
   * Data or a FIN arrived, `[start, end)` without the FIN. `flush` is called first if an acknowledgement must be sent for
   * earlier data. True when an acknowledgement is due at once, else at {@link ackAt}.
   */
  receive(
    start: number,
    end: number,
    fin: boolean,
    marked: boolean,
    marks: SegmentMarks | undefined,
    now: number,
    flush: () => void,
  ): boolean {
    const { delayedAck } = this.#options;
    const window = this.#window;
    if (marked) this.#counters.marked++;
    let atOnce = false;
    if (this.#feedback === "accurate" && marked !== this.echoesMark) {
      // RFC 8257, section 3.2: one acknowledgement answers segments of one kind.
      if (this.#waiting > 0) flush();
      this.echoesMark = marked;
      atOnce = true;
    } else if (marked && this.#feedback === "classic") this.echoesMark = true;
    const inWindow = Math.min(end, this.#edge);
    let arrived = inWindow;
    if (fin && inWindow === end) {
      this.#fin = end;
      // RFC 2018, section 3: a block ends after the last sequence number that has arrived, and a FIN has one.
      arrived++;
    }
    const before = window.next;
    const bytesBefore = this.bytes;
    const wasInOrder = window.isInOrder;
    // Of a segment that overlaps known bytes on both sides, only the known part is a duplicate.
    const knownEnd = Math.min(
      arrived,
      window.islandAt(start) < 0 ? before : window.islandEnd(window.islandAt(start)),
    );
    const isNew = window.add(start, arrived);
    if (knownEnd > start) {
      this.#duplicateStart = start;
      this.#duplicateEnd = knownEnd;
      atOnce = true;
    }
    if (isNew) {
      if (start < this.#highest && knownEnd <= start) this.#noteReordering(this.#highest - start);
      if (start > before) this.#remember(start);
      this.#highest = Math.max(this.#highest, inWindow);
    }
    // RFC 5681, section 4.2: at once where data are out of order or fill a gap.
    if (!wasInOrder || !window.isInOrder || fin || inWindow < end) atOnce = true;
    this.#unread += this.#reads ? 0 : this.bytes - bytesBefore;
    this.#openWindow();
    const chooser = this.#chooser;
    if (end > start)
      this.selectors = marks === undefined ? [chooser.selector] : chooser.onData(marks, !isNew);
    if (this.selectors.length !== 1) atOnce = true;
    if (++this.#waiting >= delayedAck.segments || delayedAck.timeout === 0) atOnce = true;
    if (!atOnce && this.ackAt === NEVER) this.ackAt = now + delayedAck.timeout;
    return atOnce;
  }

  /** The sender reports that it has reduced its window (RFC 3168, section 6.1.3). */
  onReduced(): void {
    if (this.#feedback === "classic") this.echoesMark = false;
  }

  /** An acknowledgement of all that has arrived is sent. */
  onAcknowledged(): void {
    this.#waiting = 0;
    this.ackAt = NEVER;
    this.acknowledged = this.next;
  }

  /** The application does not read from now on. */
  pause(): void {
    this.#reads = false;
  }

  /** The application reads all present and later data; true when the new window must be reported to the other end. */
  resume(): boolean {
    this.#reads = true;
    this.#unread = 0;
    const before = this.#edge;
    this.#openWindow();
    return this.#edge > before;
  }

  /**
   * The edge never moves back; all that the application reads it reads at once, so that no small steps come (RFC
   * 9293, section 3.8.6.2.2).
   */
  #openWindow(): void {
    this.#edge = Math.max(this.#edge, this.next + this.#options.receiveBuffer - this.#unread);
  }

  #noteReordering(bytes: number): void {
    this.#counters.reordered++;
    this.#counters.maxReorderingBytes = Math.max(this.#counters.maxReorderingBytes, bytes);
    this.#chooser.onReordering?.(bytes);
  }

  #remember(start: number): void {
    const recent = this.#recent;
    const island = this.#window.islandAt(start);
    for (let i = recent.length - 1; i >= 0; i--) {
      const other = this.#window.islandAt(recent[i]!);
      if (other < 0 || other === island) recent.splice(i, 1);
    }
    recent.unshift(start);
    if (recent.length > REMEMBERED) recent.length = REMEMBERED;
  }

  /**
   * Writes the SACK option of an acknowledgement, a DSACK first (RFC 2883, section 4), then the islands, latest first
   * (RFC 2018, section 4). `base`: sequence number of position 0. Returns the length of the option; 0 without blocks.
   */
  writeSack({ options }: SegmentBuilder, base: number): number {
    let blocks = 0;
    let outer = -1;
    const put = (start: number, end: number) => {
      TcpOption.putSackBlock(options, 0, blocks++, start + base, end + base);
    };
    if (this.#duplicateStart >= 0) {
      put(this.#duplicateStart, this.#duplicateEnd);
      outer = this.#window.islandAt(this.#duplicateStart);
      if (outer >= 0) put(this.#window.islandStart(outer), this.#window.islandEnd(outer));
      this.#duplicateStart = -1;
    }
    for (const position of this.#window.isInOrder ? [] : this.#recent) {
      const island = this.#window.islandAt(position);
      if (island >= 0 && island !== outer && blocks < MOST_BLOCKS)
        put(this.#window.islandStart(island), this.#window.islandEnd(island));
    }
    return blocks === 0 ? 0 : TcpOption.putSack(options, 0, blocks);
  }
}
