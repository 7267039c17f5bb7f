import { describe, expect, it } from "vitest";
import { RateReduction } from "../../../../src/fabric/sim/packet/transport/congestion/rate-reduction.js";
import { MSS, sample } from "./samples.js";

/** A sender with a full window of 20 segments whose first is lost: in segments, after each acknowledgement from the third on. */
function recoverOne(target: number): { sent: number[]; pipe: number } {
  const reduction = new RateReduction(MSS);
  const sent: number[] = [];
  // The third duplicate: before it 20 are in flight, one is delivered by it and one found lost.
  let pipe = 18;
  reduction.begin(0, target * MSS, pipe * MSS, MSS);
  for (let ack = 0; ack < 20; ack++) {
    const prior = ack === 0 ? 20 : pipe;
    if (ack > 0) pipe--;
    reduction.onAck(
      sample({
        nowNs: ack,
        priorInFlight: prior * MSS,
        inFlight: pipe * MSS,
        lostBytes: ack === 0 ? MSS : 0,
        advanced: false,
      }),
    );
    let count = 0;
    while ((pipe + 1) * MSS <= reduction.window) {
      pipe++;
      count++;
    }
    sent.push(count);
  }
  return { sent, pipe };
}

describe("proportional rate reduction (RFC 9937, section 6)", () => {
  it("sends one segment for two that arrive, when the window is to be halved", () => {
    const { sent, pipe } = recoverOne(10);
    // Half of what was delivered, in whole segments; one at once; then what arrives, as the flight has its size.
    expect(sent).toEqual([1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1]);
    expect(pipe).toBe(10);
  });

  it("sends seven for ten that arrive when CUBIC reduces", () => {
    const { sent, pipe } = recoverOne(14);
    expect(sent.slice(0, 10)).toEqual([1, 0, 1, 0, 1, 1, 0, 1, 1, 1]);
    expect(pipe).toBe(14);
  });

  it("sends what arrives when many are lost, and one more where the acknowledgement is safe", () => {
    const reduction = new RateReduction(MSS);
    // 20 in flight, 15 of them lost: far below the target of 10.
    reduction.begin(0, 10 * MSS, 4 * MSS, 15 * MSS);
    reduction.onAck(sample({ nowNs: 0, inFlight: 4 * MSS, lostBytes: 15 * MSS, advanced: false }));
    expect(reduction.window).toBe(5 * MSS);
    reduction.onAck(sample({ nowNs: 1, priorInFlight: 5 * MSS, inFlight: 4 * MSS, advanced: true }));
    expect(reduction.window).toBe(6 * MSS);
    reduction.onAck(
      sample({ nowNs: 2, priorInFlight: 6 * MSS, inFlight: 5 * MSS, lostBytes: MSS, advanced: true }),
    );
    expect(reduction.window).toBe(6 * MSS);
  });

  it("counts a first retransmission that left before the acknowledgement is reported", () => {
    const reduction = new RateReduction(MSS);
    reduction.begin(0, 10 * MSS, 18 * MSS, MSS);
    reduction.onAck(sample({ nowNs: 0, priorInFlight: 20 * MSS, inFlight: 19 * MSS, lostBytes: MSS }));
    expect(reduction.window).toBe(19 * MSS);
  });

  it("never passes the target from below", () => {
    const reduction = new RateReduction(MSS);
    reduction.begin(0, 10 * MSS, 9 * MSS, 2 * MSS);
    reduction.onAck(sample({ nowNs: 1, deliveredBytes: 5 * MSS, priorInFlight: 9 * MSS, inFlight: 9 * MSS }));
    expect(reduction.window).toBe(10 * MSS);
  });

  it("lets the first retransmission leave whatever is in flight, without an acknowledgement too", () => {
    const reduction = new RateReduction(MSS);
    reduction.begin(0, 10 * MSS, 30 * MSS, MSS);
    expect(reduction.window).toBe(31 * MSS);
    // The timer of RACK began the recovery; 0 bytes of the proportional part so far.
    reduction.onAck(sample({ nowNs: 5, deliveredBytes: 0, priorInFlight: 30 * MSS, inFlight: 30 * MSS }));
    expect(reduction.window).toBe(31 * MSS);
  });
});
