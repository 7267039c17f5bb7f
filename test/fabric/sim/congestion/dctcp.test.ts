import { describe, expect, it } from "vitest";
import { Dctcp } from "../../../../src/fabric/sim/packet/transport/congestion/dctcp.js";
import { lose, MSS, options, sample } from "./samples.js";

/** A window of segments, of which the first `marked` carry marks; the last acknowledgement begins a new round. */
class Driver {
  delivered = 0;
  constructor(readonly control: Dctcp) {}
  window(segments: number, marked: number): void {
    for (let i = 0; i < segments; i++) {
      this.delivered += MSS;
      this.control.onAck(
        sample({
          totalDelivered: this.delivered,
          marked: i < marked,
          inFlight: (segments - 1) * MSS,
          roundStart: i === segments - 1,
        }),
      );
    }
  }
}

describe("DCTCP.Alpha (RFC 8257, section 3.3)", () => {
  it("is 1 at the start, and moves by a sixteenth of the way to the marked share of a window", () => {
    const driver = new Driver(new Dctcp(options()));
    expect(driver.control.alpha).toBe(1);
    driver.window(10, 4);
    expect(driver.control.alpha).toBe(1 + (0.4 - 1) / 16);
    driver.window(10, 0);
    expect(driver.control.alpha).toBe((0.9625 * 15) / 16);
  });

  it("converges to the share of marked bytes", () => {
    const driver = new Driver(new Dctcp(options()));
    for (let i = 0; i < 200; i++) driver.window(20, 5);
    expect(driver.control.alpha).toBeCloseTo(0.25, 4);
  });

  it("counts marks in a recovery too", () => {
    const control = new Dctcp(options());
    control.onLoss(0, 10_000, 9000, 1000);
    new Driver(control).window(10, 0);
    expect(control.alpha).toBe(15 / 16);
  });
});

describe("the window", () => {
  it("is halved by the first mark ever", () => {
    const control = new Dctcp(options());
    control.onAck(sample({ marked: true, totalDelivered: 1000 }));
    expect(control.window).toBe(5 * MSS);
  });

  it("falls by half of alpha, once a window of data (section 3.3, RFC 3168)", () => {
    const driver = new Driver(new Dctcp(options({ initialWindow: 100 * MSS })));
    for (let i = 0; i < 60; i++) driver.window(10, 0);
    const { alpha, window } = driver.control;
    expect(alpha).toBeCloseTo((15 / 16) ** 60, 10);
    const send = (delivered: number) =>
      driver.control.onAck(
        sample({ marked: true, totalDelivered: driver.delivered + delivered, inFlight: 9000 }),
      );
    send(1000);
    const reduced = window * (1 - alpha / 2);
    expect(driver.control.window).toBeCloseTo(reduced, 6);
    // What was in flight then is 9000 bytes.
    send(2000);
    send(10_000);
    expect(driver.control.window).toBeCloseTo(reduced, 6);
    send(11_000);
    expect(driver.control.window).toBeCloseTo(reduced * (1 - alpha / 2), 6);
  });

  it("does not grow by an acknowledgement of marked data", () => {
    const driver = new Driver(new Dctcp(options()));
    driver.window(10, 10);
    expect(driver.control.window).toBe(5 * MSS);
  });

  it("grows as Reno's in between", () => {
    const control = new Dctcp(options());
    lose(control, 20);
    for (let i = 0; i < 10; i++) control.onAck(sample());
    expect(control.window).toBe(11 * MSS);
  });

  it("falls by half when data are lost (section 3.5), whatever alpha is", () => {
    const driver = new Driver(new Dctcp(options()));
    for (let i = 0; i < 60; i++) driver.window(10, 0);
    lose(driver.control, 40);
    expect(driver.control.window).toBe(20 * MSS);
  });

  it("is never below two segments by marks", () => {
    const driver = new Driver(new Dctcp(options({ initialWindow: 3 * MSS })));
    for (let i = 0; i < 10; i++) driver.window(2, 2);
    expect(driver.control.window).toBe(2 * MSS);
  });
});
