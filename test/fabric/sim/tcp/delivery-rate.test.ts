/** The delivery rate by the rules of draft-cheng-iccrg-delivery-rate-estimation-02, section 3, on segments of 1000 bytes. */
import { beforeEach, describe, expect, it } from "vitest";
import { DeliveryRate } from "../../../../src/fabric/sim/packet/transport/delivery-rate.js";
import { Scoreboard } from "../../../../src/fabric/sim/packet/transport/scoreboard.js";

const MS = 1_000_000;
const BYTES = 1000;

let board: Scoreboard;
let rate: DeliveryRate;

beforeEach(() => {
  board = new Scoreboard();
  rate = new DeliveryRate(board);
});

/** Sends one segment at a time in ms. */
function send(at: number): number {
  const idle = board.isEmpty;
  const start = board.last * BYTES;
  const serial = board.push(start, start + BYTES, false, 0, at * MS);
  rate.onSend(serial, idle, at * MS);
  return serial;
}

/** One acknowledgement of these segments, the oldest ones or SACKed ones. */
function acknowledge(at: number, serials: readonly number[], minRtt = 0) {
  rate.begin();
  for (const serial of serials) {
    rate.onDelivered(serial, BYTES, at * MS);
    if (serial === board.first) board.shift();
    else board.markSacked(serial);
  }
  while (!board.isEmpty && board.isSacked(board.first)) board.shift();
  rate.sample(at * MS, minRtt * MS);
  return { rate: rate.rate, roundStart: rate.roundStart, appLimited: rate.appLimited };
}

/** Bytes a second. */
const perMs = (segments: number, ms: number) => (segments * BYTES * 1000) / ms;

describe("a sample", () => {
  it("counts what was delivered since its segment was sent, over the time of the acknowledgements", () => {
    for (const at of [0, 1, 2, 3]) send(at);
    expect(acknowledge(10, [0]).rate).toBe(perMs(1, 10));
    expect(acknowledge(11, [1]).rate).toBe(perMs(2, 11));
    send(11);
    expect(acknowledge(12, [2]).rate).toBe(perMs(3, 12));
    expect(acknowledge(13, [3]).rate).toBe(perMs(4, 13));
    // It was sent after 2000 bytes were delivered, at 11 ms, when the last that had been delivered was sent at 1 ms.
    expect(acknowledge(21, [4]).rate).toBe(perMs(3, 10));
    expect(rate.delivered).toBe(5 * BYTES);
  });

  it("takes the time of sending where that is longer: acknowledgements came in a bunch", () => {
    for (const at of [0, 5, 10, 15]) send(at);
    acknowledge(20, [0]);
    send(30);
    // Sent at 5 and delivered at once with what was sent at 15.
    acknowledge(30, [1, 2, 3]);
    // From 0, when the last that was delivered before it was sent, to 30 ms; acknowledgements took 11 ms only.
    expect(acknowledge(31, [4]).rate).toBe(perMs(4, 30));
  });

  it("is that of the segment that was sent last, whatever the order of arrival", () => {
    for (const at of [0, 1, 2]) send(at);
    acknowledge(10, [0]);
    send(10);
    expect(acknowledge(20, [3, 1, 2]).rate).toBe(perMs(3, 10));
    expect(rate.newlyDelivered).toBe(3 * BYTES);
  });

  it("starts again after a pause", () => {
    send(0);
    acknowledge(10, [0]);
    send(1000);
    expect(acknowledge(1010, [1]).rate).toBe(perMs(1, 10));
  });

  it("is absent where nothing was delivered, and where its time is less than a round trip", () => {
    for (const at of [0, 1]) send(at);
    expect(acknowledge(5, [], 0)).toMatchObject({ rate: -1, roundStart: false });
    expect(acknowledge(10, [0], 11).rate).toBe(-1);
    expect(acknowledge(11, [1], 11).rate).toBe(perMs(2, 11));
    send(11);
    // No time has passed: no rate.
    expect(acknowledge(11, [2], 0).rate).toBe(-1);
  });
});

describe("a round", () => {
  it("begins with the delivery of a segment that was sent after the last round began", () => {
    for (const at of [0, 1]) send(at);
    expect(acknowledge(10, [0]).roundStart).toBe(true);
    send(10);
    expect(acknowledge(11, [1]).roundStart).toBe(false);
    send(11);
    expect(acknowledge(20, [2]).roundStart).toBe(true);
    expect(acknowledge(21, [3]).roundStart).toBe(false);
    expect(acknowledge(22, []).roundStart).toBe(false);
  });
});

describe("a sample of a sender without data (section 3.4)", () => {
  it("is one whose segment was sent before all of the flight of that moment was delivered", () => {
    expect(rate.appLimited).toBe(false);
    send(0);
    rate.onAppLimited(BYTES);
    send(1);
    expect(acknowledge(10, [0]).appLimited).toBe(false);
    // 1000 bytes are delivered: not more than the mark.
    send(10);
    expect(acknowledge(11, [1]).appLimited).toBe(true);
    send(11);
    expect(acknowledge(20, [2]).appLimited).toBe(true);
    expect(acknowledge(21, [3]).appLimited).toBe(false);
  });

  it("is one too where nothing was in flight", () => {
    rate.onAppLimited(0);
    send(0);
    expect(acknowledge(10, [0]).appLimited).toBe(true);
    send(10);
    expect(acknowledge(20, [1]).appLimited).toBe(false);
  });
});
