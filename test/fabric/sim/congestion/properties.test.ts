import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CongestionControl } from "../../../../src/fabric/sim/packet/transport/congestion/congestion-control.js";
import {
  CONGESTION_CONTROLS,
  type CongestionControlName,
} from "../../../../src/fabric/sim/packet/transport/congestion/registry.js";
import { MS, MSS, options, sample } from "./samples.js";

const NAMES = Object.keys(CONGESTION_CONTROLS) as CongestionControlName[];
const WINDOWED = ["reno", "cubic", "dctcp", "lia", "olia"] as const;

const event = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("ack" as const),
      segments: fc.nat(3),
      marked: fc.boolean(),
      lost: fc.nat(2),
      limited: fc.boolean(),
      round: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("loss" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("timeout" as const), first: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("recovered" as const, "undo" as const, "idle" as const, "marks" as const),
    }),
  },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

/** Plays events; the flight is what the window allows, as with a sender that always has data. */
class Player {
  now = 0;
  delivered = 0;
  recovering = false;
  constructor(readonly control: CongestionControl) {}

  play(event: Event): void {
    const { control } = this;
    this.now += MS;
    const flight = Math.max(control.window, MSS);
    if (event.kind === "ack") {
      const deliveredBytes = Math.min(event.segments * MSS, flight);
      this.delivered += deliveredBytes;
      const lostBytes = Math.min(event.lost * MSS, flight - deliveredBytes);
      control.onAck(
        sample({
          nowNs: this.now,
          deliveredBytes,
          totalDelivered: this.delivered,
          rttNs: 10 * MS,
          priorInFlight: flight,
          inFlight: flight - deliveredBytes - lostBytes,
          lostBytes,
          marked: event.marked,
          inRecovery: this.recovering,
          windowLimited: event.limited,
          deliveryRate: deliveredBytes > 0 ? deliveredBytes * 100 : -1,
          roundStart: event.round,
        }),
      );
    } else if (event.kind === "loss") {
      if (this.recovering) return;
      this.recovering = true;
      control.onLoss(this.now, flight, flight - MSS, MSS);
    } else if (event.kind === "timeout") {
      this.recovering = true;
      control.onTimeout(this.now, flight, event.first);
    } else if (event.kind === "recovered") {
      if (!this.recovering) return;
      this.recovering = false;
      control.onRecovered(this.now);
    } else if (event.kind === "undo") {
      this.recovering = false;
      control.onUndo?.(this.now);
    } else if (event.kind === "idle") control.onIdle?.(1000 * MS);
    else control.onCongestion?.(this.now, flight);
  }
}

describe.each(NAMES)("%s", (name) => {
  const make = () => new Player(CONGESTION_CONTROLS[name](options()));

  it("has a window of at least one segment and a finite one, and a pacing rate above 0, whatever happens", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        const player = make();
        for (const one of events) {
          player.play(one);
          expect(player.control.window).toBeGreaterThanOrEqual(MSS);
          expect(player.control.window).toBeLessThan(1e9);
          expect(player.control.pacingRate).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("gives the same windows for the same events", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const [a, b] = [make(), make()];
        for (const one of events) {
          a.play(one);
          b.play(one);
          expect(b.control.window).toBe(a.control.window);
        }
      }),
    );
  });
});

describe.each(WINDOWED)("%s", (name) => {
  it("never has a larger window after a loss than before it, and never less than two segments when it has recovered", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 100 }), (events) => {
        const player = new Player(CONGESTION_CONTROLS[name](options()));
        for (const one of events) player.play(one);
        if (player.recovering) player.play({ kind: "recovered" });
        const before = player.control.window;
        player.play({ kind: "loss" });
        player.play({ kind: "recovered" });
        expect(player.control.window).toBeLessThanOrEqual(Math.max(before, 2 * MSS));
        expect(player.control.window).toBeGreaterThanOrEqual(2 * MSS);
      }),
    );
  });

  it("keeps more of a larger flight", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 1000 }), (a, b) => {
        const [left, right] = [a, b].map((segments) => {
          const control = CONGESTION_CONTROLS[name](options());
          control.onLoss(0, segments * MSS, (segments - 1) * MSS, MSS);
          control.onRecovered(0);
          return control.window;
        });
        expect(Math.sign(left! - right!) * Math.sign(a - b)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
