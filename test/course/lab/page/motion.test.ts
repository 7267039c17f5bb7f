/** The packets that a picture of the network shows, and their places. */
import { describe, expect, it } from "vitest";
import { Motions } from "../../../../pages/lab/state/motion.js";
import type { ClockView, FrameEvent, Motion } from "../../../../src/course/lab/index.js";

const clock = (now: number, change: Partial<ClockView> = {}): ClockView => ({
  ...{ now, running: true, speed: 1, skipIdle: false },
  ...change,
});

const frame = (at: ClockView, motions: readonly Motion[]): FrameEvent => ({
  ...{
    kind: "frame",
    clock: at,
    motions,
    packets: [],
    ends: [],
    links: [],
    queues: [],
    drops: [],
    unseen: 0,
  },
});

const motion = (packet: number, departs: number, arrives: number, direction: 0 | 1 = 0): Motion => ({
  ...{ packet, link: 7, direction, departs, arrives },
});

const MS = 1e6;

describe("packets of a picture", () => {
  it("puts a packet at its position on the link at the shown instant", () => {
    const motions = new Motions();
    motions.frame(frame(clock(100 * MS, { running: false }), [motion(1, 80 * MS, 120 * MS, 1)]), 0);
    expect(motions.picture(5)).toMatchObject([{ id: 1, link: 7, lane: 1, at: 0.5 }]);
  });

  it("shows an instant before the newest frame that advances with the speed, and never passes the frame or moves back", () => {
    const motions = new Motions();
    motions.frame(frame(clock(1000 * MS), []), 1000);
    expect(motions.instant(1000)).toBe(950 * MS);
    expect(motions.instant(1030)).toBe(980 * MS);
    motions.picture(1030);
    motions.frame(frame(clock(1010 * MS), []), 1040);
    expect(motions.instant(1040)).toBe(980 * MS);
    expect(motions.instant(2000)).toBe(1010 * MS);
    motions.clock(clock(1010 * MS, { speed: 0.001 }), 3000);
    expect(motions.instant(3050)).toBe(1010 * MS);
  });

  it("shows a packet that crossed its link between two pictures once", () => {
    const motions = new Motions();
    motions.frame(frame(clock(100 * MS, { running: false }), []), 0);
    motions.picture(0);
    motions.frame(frame(clock(200 * MS, { running: false }), [motion(3, 110 * MS, 111 * MS)]), 1);
    expect(motions.picture(2)).toMatchObject([{ id: 3, at: 0.5 }]);
    expect(motions.picture(3)).toEqual([]);
  });

  it("shows a packet that departs later at its time", () => {
    const motions = new Motions();
    motions.frame(frame(clock(100 * MS, { running: false }), [motion(1, 150 * MS, 250 * MS)]), 0);
    expect(motions.picture(0)).toEqual([]);
    motions.clock(clock(200 * MS, { running: false }), 1);
    expect(motions.picture(1)).toMatchObject([{ id: 1, at: 0.5 }]);
    motions.clear();
    expect(motions.picture(2)).toEqual([]);
  });
});
