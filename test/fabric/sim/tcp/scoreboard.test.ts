/** The ring of segments against a plain list with the same rules. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Scoreboard } from "../../../../src/fabric/sim/packet/transport/scoreboard.js";

interface PlainSegment {
  start: number;
  end: number;
  data: number;
  sentAt: number;
  fin: boolean;
  stamp: readonly [number, number, number];
  appLimited: boolean;
  sacked: boolean;
  lost: boolean;
  retransmitted: boolean;
}

const anyOperation = fc.record({
  kind: fc.constantFrom(
    "push",
    "push",
    "push",
    "shift",
    "trim",
    "sacked",
    "lost",
    "lost",
    "retransmitted",
    "stamp",
    "clear lost",
    "clear sacked",
  ),
  /** Which segment, as a share of all; and a number of bytes. */
  where: fc.nat(999),
  bytes: fc.integer({ min: 2, max: 9 }),
  flag: fc.boolean(),
});
type Operation = typeof anyOperation extends fc.Arbitrary<infer T> ? T : never;

/** Both sides do the same; a segment is SACKed once, and trimmed by less than its length. */
class Pair {
  readonly board = new Scoreboard();
  readonly plain: PlainSegment[] = [];
  position = 0;
  now = 0;
  lostInAll = 0;

  play({ kind, where, bytes, flag }: Operation): void {
    const { board, plain } = this;
    const now = ++this.now;
    if (kind === "push") {
      for (let i = 0; i < 3; i++) this.#push(bytes + i, flag);
      return;
    }
    const at = Math.floor((where * plain.length) / 1000);
    const serial = board.first + at;
    const one = plain[at];
    const [oldest] = plain;
    if (one === undefined || oldest === undefined) return;
    if (kind === "shift") {
      board.shift();
      plain.shift();
    } else if (kind === "trim" && oldest.end - oldest.start > 1) {
      board.trim(oldest.start + 1);
      oldest.start++;
      oldest.data++;
    } else if (kind === "sacked" && !one.sacked) {
      board.markSacked(serial);
      Object.assign(one, { sacked: true, lost: false });
    } else if (kind === "lost") {
      const isNew = !one.sacked && !one.lost;
      expect(board.markLost(serial)).toBe(isNew);
      if (isNew) this.lostInAll += one.end - one.start;
      if (isNew) one.lost = true;
    } else if (kind === "retransmitted" && !one.sacked) {
      board.markRetransmitted(serial, now);
      Object.assign(one, { lost: false, retransmitted: true, sentAt: now });
    } else if (kind === "stamp") {
      board.stamp(serial, now, now + 1, now + 2, flag);
      Object.assign(one, { stamp: [now, now + 1, now + 2], appLimited: flag });
    } else if (kind === "clear lost") {
      board.clearLost();
      for (const each of plain) each.lost = false;
    } else if (kind === "clear sacked") {
      board.clearSacked();
      for (const each of plain) each.sacked = false;
    }
  }

  #push(bytes: number, fin: boolean): void {
    const { board, plain, position: start, now: sentAt } = this;
    const end = start + bytes;
    const data = 7 * start;
    const serial = board.push(start, end, fin, data, sentAt);
    expect(serial).toBe(board.last - 1);
    board.stamp(serial, 0, 0, 0, false);
    const none = { appLimited: false, sacked: false, lost: false, retransmitted: false };
    plain.push({ start, end, data, sentAt, fin, stamp: [0, 0, 0], ...none });
    this.position = end;
  }

  /** What is known of all segments together. */
  checkSums(): void {
    const { board, plain } = this;
    const bytes = (which: (one: PlainSegment) => boolean) =>
      plain.reduce((sum, one) => sum + (which(one) ? one.end - one.start : 0), 0);
    const lost = plain.findIndex((one) => one.lost);
    expect({
      isEmpty: board.isEmpty,
      count: board.last - board.first,
      sackedBytes: board.sackedBytes,
      sackedSegments: board.sackedSegments,
      lostBytes: board.lostBytes,
      lostInAll: board.lostInAll,
      firstLost: board.firstLost(),
    }).toEqual({
      isEmpty: plain.length === 0,
      count: plain.length,
      sackedBytes: bytes((one) => one.sacked),
      sackedSegments: plain.filter((one) => one.sacked).length,
      lostBytes: bytes((one) => one.lost),
      lostInAll: this.lostInAll,
      firstLost: lost < 0 ? -1 : board.first + lost,
    });
  }

  /** What is known of each segment, and where positions stand. */
  checkSegments(): void {
    const { board, plain } = this;
    const known = plain.map((_, i): PlainSegment => {
      const serial = board.first + i;
      return {
        start: board.start(serial),
        end: board.end(serial),
        data: board.data(serial),
        sentAt: board.sentAt(serial),
        fin: board.hasFin(serial),
        stamp: [board.delivered(serial), board.deliveredAt(serial), board.firstSentAt(serial)],
        appLimited: board.isAppLimited(serial),
        sacked: board.isSacked(serial),
        lost: board.isLost(serial),
        retransmitted: board.isRetransmitted(serial),
      };
    });
    expect(known).toEqual(plain);
    for (const position of [
      0,
      this.position - 1,
      this.position,
      ...plain.flatMap(({ start, end }) => [start, end - 1]),
    ]) {
      const at = plain.findIndex(({ end }) => end > position);
      expect(board.find(position)).toBe(at < 0 ? board.last : board.first + at);
    }
  }
}

describe("the scoreboard", () => {
  it("has the state of every segment, and the total bytes of all, for any number of segments", () => {
    fc.assert(
      fc.property(fc.array(anyOperation, { maxLength: 60, size: "max" }), (operations) => {
        const pair = new Pair();
        for (const operation of operations) {
          pair.play(operation);
          pair.checkSums();
        }
        pair.checkSegments();
      }),
      { numRuns: 60 },
    );
  });
});
