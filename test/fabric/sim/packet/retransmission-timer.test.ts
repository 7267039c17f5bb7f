/** The round-trip estimate of RFC 6298, section 2, with a margin, a floor and a cap. */
import { describe, expect, it } from "vitest";
import { RetransmissionTimeout } from "../../../../src/fabric/sim/packet/retransmission-timer.js";

const OPTIONS = { margin: 5, cap: 1000, initial: 100 };

describe("the retransmission timeout", () => {
  it("is the initial one before a sample, three times it after a lost SYN (section 5.7)", () => {
    const timeout = new RetransmissionTimeout(OPTIONS);
    expect([timeout.smoothedRtt, timeout.current]).toEqual([undefined, 100]);
    timeout.afterLostHandshake();
    expect(timeout.current).toBe(300);
    timeout.sample(80);
    timeout.afterLostHandshake();
    // SRTT = R, RTTVAR = R / 2 (section 2.2): 80 + 4 * 40.
    expect([timeout.smoothedRtt, timeout.current]).toEqual([80, 240]);
  });

  it("has a smoothed RTT of 0 after a round trip that takes no time", () => {
    const timeout = new RetransmissionTimeout(OPTIONS);
    timeout.sample(0);
    expect([timeout.smoothedRtt, timeout.current]).toEqual([0, 5]);
    timeout.afterLostHandshake();
    // alpha = 1/8, beta = 1/4 (section 2.3): SRTT = 1, RTTVAR = 2.
    timeout.sample(8);
    expect([timeout.smoothedRtt, timeout.current]).toEqual([1, 9]);
  });

  it("gives the samples of one round trip together the weight of one (RFC 7323, appendix G)", () => {
    const [one, many] = [1, 4].map(() => new RetransmissionTimeout(OPTIONS)) as [
      RetransmissionTimeout,
      RetransmissionTimeout,
    ];
    for (const timeout of [one, many]) timeout.sample(64);
    one.sample(128);
    many.sample(128, 4);
    expect([one.smoothedRtt, many.smoothedRtt]).toEqual([72, 66]);
  });

  it("doubles with each timeout up to the cap, and is never below the floor", () => {
    const timeout = new RetransmissionTimeout({ ...OPTIONS, floor: 40 });
    timeout.sample(1);
    const values = [0, 1, 2, 4, 5, 40].map((attempts) => {
      timeout.attempts = attempts;
      return timeout.current;
    });
    expect(values).toEqual([40, 80, 160, 640, 1000, 1000]);
  });
});
