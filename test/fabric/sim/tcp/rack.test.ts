/** RACK by the steps of RFC 8985, section 6.2, on segments of 1000 bytes that are sent one a millisecond. */
import { beforeEach, describe, expect, it } from "vitest";
import { Rack } from "../../../../src/fabric/sim/packet/transport/rack.js";
import { Scoreboard } from "../../../../src/fabric/sim/packet/transport/scoreboard.js";

const MS = 1_000_000;

let board: Scoreboard;
let rack: Rack;

/** So many segments, sent at 0, 1, 2 ... ms. */
function send(count: number, tolerant = false): void {
  board = new Scoreboard();
  rack = new Rack(board, tolerant);
  for (let i = 0; i < count; i++) board.push(1000 * i, 1000 * (i + 1), false, 0, i * MS);
}

/** The segment is SACKed at a time in ms. */
function sacked(serial: number, at: number): void {
  rack.onDelivered(serial, at * MS);
  board.markSacked(serial);
}

const lost = () =>
  Array.from({ length: board.last - board.first }, (_, i) => board.first + i).filter((serial) =>
    board.isLost(serial),
  );

beforeEach(() => send(6));

describe("round trips (steps 1 and 2)", () => {
  it("are those of the segment that was sent last; the smallest one is kept", () => {
    sacked(2, 12);
    expect([rack.rtt, rack.minRtt]).toEqual([10 * MS, 10 * MS]);
    sacked(4, 12);
    expect([rack.rtt, rack.minRtt]).toEqual([8 * MS, 8 * MS]);
    // Sent before the one that has arrived.
    sacked(3, 20);
    expect([rack.rtt, rack.minRtt]).toEqual([8 * MS, 8 * MS]);
    sacked(5, 25);
    expect([rack.rtt, rack.minRtt]).toEqual([20 * MS, 8 * MS]);
  });

  it("are not taken of a retransmission that is acknowledged too early, nor is the smallest one", () => {
    sacked(2, 12);
    board.markRetransmitted(0, 20 * MS);
    sacked(0, 29);
    expect([rack.rtt, rack.minRtt]).toEqual([10 * MS, 10 * MS]);
    board.markRetransmitted(1, 20 * MS);
    sacked(1, 30);
    expect([rack.rtt, rack.minRtt]).toEqual([10 * MS, 10 * MS]);
    // It was sent last of all that have arrived now: what was sent before 20 ms is overtaken.
    expect(rack.detect(0, 30 * MS)).toBe(0);
    expect(lost()).toEqual([3, 4, 5]);
  });
});

describe("a retransmission that is acknowledged too early", () => {
  it("tells of what was sent before its first copy, with the round trip of that", () => {
    sacked(0, 10);
    // A probe of the tail at 14 ms; the first copy was sent at 5 ms and arrives.
    board.markRetransmitted(5, 14 * MS);
    sacked(5, 16);
    expect([rack.rtt, rack.minRtt]).toEqual([11 * MS, 10 * MS]);
    rack.detect(0, 16 * MS);
    expect(lost()).toEqual([1, 2, 3, 4]);
  });
});

describe("reordering (step 3)", () => {
  it("is seen where a segment that was sent once arrives after a later one", () => {
    sacked(0, 10);
    sacked(1, 11);
    expect(rack.reorderingSeen).toBe(false);
    sacked(3, 13);
    sacked(2, 14);
    expect(rack.reorderingSeen).toBe(true);
  });

  it("is not seen where a retransmission arrives", () => {
    sacked(3, 13);
    board.markRetransmitted(2, 14 * MS);
    sacked(2, 24);
    expect(rack.reorderingSeen).toBe(false);
  });

  it("is not seen by the same segment again", () => {
    sacked(3, 13);
    rack.onDelivered(3, 14 * MS);
    expect(rack.reorderingSeen).toBe(false);
  });
});

describe("the reordering window (step 4)", () => {
  it("is a quarter of the smallest round trip, at most the smoothed one", () => {
    sacked(2, 14);
    expect(rack.reorderingWindow(false, 100 * MS)).toBe(3 * MS);
    expect(rack.reorderingWindow(false, 2 * MS)).toBe(2 * MS);
  });

  it("is 0 before a round trip is known, in a recovery, and with three segments SACKed", () => {
    expect(rack.reorderingWindow(false, 100 * MS)).toBe(0);
    sacked(1, 13);
    sacked(2, 14);
    expect(rack.reorderingWindow(true, 100 * MS)).toBe(0);
    expect(rack.reorderingWindow(false, 100 * MS)).toBe(3 * MS);
    sacked(3, 15);
    expect(rack.reorderingWindow(false, 100 * MS)).toBe(0);
  });

  it("is not 0 then where reordering was seen, or is expected", () => {
    sacked(2, 14);
    sacked(1, 15);
    expect(rack.reorderingWindow(true, 100 * MS)).toBe(3 * MS);
    send(3, true);
    sacked(2, 14);
    expect(rack.reorderingWindow(true, 100 * MS)).toBe(3 * MS);
  });

  it("grows by a quarter with each DSACK, once a round trip, and falls back after 16 recoveries", () => {
    send(6, true);
    sacked(2, 14);
    const quarters = () => rack.reorderingWindow(false, 100 * MS) / (3 * MS);
    rack.onDuplicateSack(1000, 5000);
    expect(quarters()).toBe(2);
    rack.onDuplicateSack(4999, 6000);
    expect(quarters()).toBe(2);
    rack.onDuplicateSack(5000, 6000);
    expect(quarters()).toBe(3);
    for (let i = 0; i < 15; i++) rack.onRecovered();
    expect(quarters()).toBe(3);
    // A further DSACK starts the count again.
    rack.onDuplicateSack(6000, 7000);
    expect(quarters()).toBe(4);
    for (let i = 0; i < 15; i++) rack.onRecovered();
    expect(quarters()).toBe(4);
    rack.onRecovered();
    expect(quarters()).toBe(1);
    rack.onDuplicateSack(7000, 8000);
    for (let i = 0; i < 15; i++) rack.onRecovered();
    expect(quarters()).toBe(2);
  });

  it("counts the first DSACK, whatever it acknowledges", () => {
    send(6, true);
    sacked(2, 14);
    rack.onDuplicateSack(0, 0);
    rack.onDuplicateSack(0, 5);
    expect(rack.reorderingWindow(false, 100 * MS)).toBe(9 * MS);
  });
});

describe("detection (step 5)", () => {
  it("marks what was sent a round trip and the window before; the rest waits as long as its last segment", () => {
    sacked(3, 13);
    // Round trip 10 ms, window 2 ms: segments 0, 1 and 2 are lost from 12, 13 and 14 ms on.
    expect(rack.detect(2 * MS, 13 * MS)).toBe(1 * MS);
    expect(lost()).toEqual([0, 1]);
    expect(rack.detect(2 * MS, 13.5 * MS)).toBe(0.5 * MS);
    expect(rack.detect(2 * MS, 14 * MS)).toBe(0);
    expect(lost()).toEqual([0, 1, 2]);
  });

  it("leaves what was sent later, and what was sent again later", () => {
    board.markRetransmitted(0, 4 * MS);
    sacked(3, 13);
    expect(rack.detect(0, 13 * MS)).toBe(0);
    expect(lost()).toEqual([1, 2]);
  });

  it("orders segments of one moment by their positions (section 6.1)", () => {
    board = new Scoreboard();
    rack = new Rack(board, false);
    for (let i = 0; i < 4; i++) board.push(1000 * i, 1000 * (i + 1), false, 0, 0);
    sacked(2, 10);
    rack.detect(0, 10 * MS);
    expect(lost()).toEqual([0, 1]);
  });

  it("after a timeout takes the first segment, and all that were sent so long ago (section 6.3)", () => {
    rack.markAfterTimeout(0, 1);
    expect(lost()).toEqual([0]);
    send(6);
    sacked(2, 12);
    // Round trip 10 ms, window 1 ms, now 14: all that was sent at 3 ms or before.
    rack.markAfterTimeout(1 * MS, 14 * MS);
    expect(lost()).toEqual([0, 1, 3]);
  });
});
