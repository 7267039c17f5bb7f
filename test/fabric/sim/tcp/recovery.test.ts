/** Loss recovery, rule by rule, with a constant window: RFC 6582, 6675, 8985, 5682, 3708 and 6298. */
import { describe, expect, it } from "vitest";
import { CONGESTION_CONTROLS, type TcpOptions } from "../../../../src/fabric/sim/packet/index.js";
import { recordingControl } from "./recording-control.js";
import { script } from "./script.js";

/** The round trip is 10 ms: RTO = 10 + 4 * 5 = 30 ms. */
const OPEN = `
  0   connect
  0   > S 0:0(0)
  10  < S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
  10  > . 1:1(0) ack 1
`;
const WITHOUT_SACK = OPEN.replace(",sackOK", "");
const NEW_RENO = { sack: false, rack: false };
/** So that no retransmission timer runs out before. */
const SLOW = { floor: 200e6 };

/** Segments `from` to `to` of 1000 bytes, sent at one time. */
const sends = (at: number, from: number, to: number) =>
  Array.from(
    { length: to - from + 1 },
    (_, i) => `${at} > . ${(from + i) * 1000 + 1}:${(from + i + 1) * 1000 + 1}(1000) ack 1`,
  ).join("\n");

function play(window: number, text: string, options: Partial<TcpOptions> = {}) {
  const control = recordingControl(window);
  const result = script(text, { congestionControl: () => control, ...options });
  return { events: control.events, samples: control.samples, ...result };
}

describe("duplicate acknowledgements (RFC 5681, section 2)", () => {
  it("count again after an acknowledgement of new data", () => {
    const { events } = play(
      8000,
      `${WITHOUT_SACK}
      20  send 8000
      ${sends(20, 0, 7)}
      30  < . 1:1(0) ack 1
      32  < . 1:1(0) ack 1001
      33  < . 1:1(0) ack 1001
      34  < . 1:1(0) ack 1001
      40  < . 1:1(0) ack 8001
    `,
      { ...NEW_RENO, ...SLOW },
    );
    expect(events).toEqual([]);
  });

  it("continue to count after one that changes the window", () => {
    const { events } = play(
      8000,
      `${WITHOUT_SACK}
      20  send 8000
      ${sends(20, 0, 7)}
      30  < . 1:1(0) ack 1
      31  < . 1:1(0) ack 1
      32  < . 1:1(0) ack 1 win 60000
      33  < . 1:1(0) ack 1 win 60000
      33  > . 1:1001(1000) ack 1
      40  < . 1:1(0) ack 8001 win 60000
    `,
      { ...NEW_RENO, ...SLOW },
    );
    expect(events).toEqual(["33 loss: flight 8000, in flight 4000, lost 1000", "40 recovered"]);
  });
});

describe("acknowledgements that are no sign of a loss", () => {
  it("are duplicates without new SACK blocks, where SACK is used (RFC 6675, section 2)", () => {
    const { events } = play(
      4000,
      `${OPEN}
      20  send 4000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1
      31  < . 1:1(0) ack 1
      32  < . 1:1(0) ack 1
      33  < . 1:1(0) ack 1
      40  < . 1:1(0) ack 4001
    `,
      { rack: false, ...SLOW },
    );
    expect(events).toEqual([]);
  });

  it("are SACK blocks of data that never were sent", () => {
    const { events } = play(
      4000,
      `${OPEN}
      20  send 4000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1 <sack 1001:90001>
      40  < . 1:1(0) ack 4001
    `,
      SLOW,
    );
    expect(events).toEqual([]);
  });

  it("are duplicates after a timeout: they let nothing out (RFC 6582, section 3.2, step 1)", () => {
    const { timeouts } = script(
      `${WITHOUT_SACK}
      20  send 8000
      ${sends(20, 0, 3)}
      50  > . 1:1001(1000) ack 1
      51  < . 1:1(0) ack 1
      52  < . 1:1(0) ack 1
      53  < . 1:1(0) ack 1
      60  < . 1:1(0) ack 1001
      ${sends(60, 1, 2)}
    `,
      { ...NEW_RENO, initialWindow: 4 },
    );
    expect(timeouts).toEqual([1]);
  });

  it("are duplicates of exactly what a recovery ended with (RFC 6582, section 3.2, step 1)", () => {
    const { connection } = play(
      4000,
      `${WITHOUT_SACK}
      20  send 4000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1
      31  < . 1:1(0) ack 1
      32  < . 1:1(0) ack 1
      32  > . 1:1001(1000) ack 1
      42  < . 1:1(0) ack 4001
      43  send 4000
      ${sends(43, 4, 7)}
      44  < . 1:1(0) ack 4001
      45  < . 1:1(0) ack 4001
      46  < . 1:1(0) ack 4001
      53  < . 1:1(0) ack 8001
    `,
      { ...NEW_RENO, ...SLOW },
    );
    expect(connection.counters.fastRetransmits).toBe(1);
  });
});

describe("NewReno (RFC 6582, section 3.2)", () => {
  it("lets a new segment out for each duplicate; a partial acknowledgement takes off what it acknowledges, less one segment", () => {
    const { samples } = play(
      8000,
      `${WITHOUT_SACK}
      20  send 14000
      ${sends(20, 0, 7)}
      # Segments 0 and 2 are lost.
      30  < . 1:1(0) ack 1
      ${sends(30, 8, 8)}
      31  < . 1:1(0) ack 1
      ${sends(31, 9, 9)}
      32  < . 1:1(0) ack 1
      32  > . 1:1001(1000) ack 1
      ${sends(32, 10, 10)}
      33  < . 1:1(0) ack 1
      ${sends(33, 11, 11)}
      42  < . 1:1(0) ack 2001
      42  > . 2001:3001(1000) ack 1
      ${sends(42, 12, 12)}
      52  < . 1:1(0) ack 12001
      ${sends(52, 13, 13)}
    `,
      { ...NEW_RENO, ...SLOW },
    );
    expect(
      samples.map(({ deliveredBytes, priorInFlight, inFlight }) => [deliveredBytes, priorInFlight, inFlight]),
    ).toEqual([
      // The third duplicate and the fourth count as a segment each (RFC 9937, section 5).
      [1000, 8000, 7000],
      [1000, 8000, 7000],
      // Of 12,000 bytes, four segments are presumed to have arrived; one of them is among the two that are acknowledged. 10,000 are left
      // then, of which three segments are.
      [1000, 8000, 6000],
      [7000, 8000, 1000],
    ]);
  });

  it("starts the timer again at the first partial acknowledgement alone", () => {
    const { timeouts } = play(
      8000,
      `${WITHOUT_SACK}
      20   send 8000
      ${sends(20, 0, 7)}
      # Segments 0, 2 and 4 are lost, and the retransmission of 4.
      30   < . 1:1(0) ack 1
      31   < . 1:1(0) ack 1
      32   < . 1:1(0) ack 1
      32   > . 1:1001(1000) ack 1
      42   < . 1:1(0) ack 2001
      42   > . 2001:3001(1000) ack 1
      52   < . 1:1(0) ack 4001
      52   > . 4001:5001(1000) ack 1
      242  > . 4001:5001(1000) ack 1
      ${sends(242, 5, 7)}
    `,
      { ...NEW_RENO, ...SLOW },
    );
    expect(timeouts).toEqual([1]);
  });

  it("presumes no more to have arrived than all but one segment", () => {
    const { samples } = play(
      4000,
      `${WITHOUT_SACK}
      20  send 4000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1
      31  < . 1:1(0) ack 1
      32  < . 1:1(0) ack 1
      32  > . 1:1001(1000) ack 1
      33  < . 1:1(0) ack 1
      34  < . 1:1(0) ack 1
      35  < . 1:1(0) ack 1
      42  < . 1:1(0) ack 4001
    `,
      { ...NEW_RENO, ...SLOW },
    );
    expect(samples.map(({ priorInFlight, inFlight }) => [priorInFlight, inFlight])).toEqual([
      [2000, 1000],
      [1000, 0],
    ]);
  });
});

describe("a recovery without SACK", () => {
  const reno = { ...NEW_RENO, ...SLOW, congestionControl: CONGESTION_CONTROLS.reno, initialWindow: 10 };
  const duplicates = (at: number, count: number) =>
    Array.from({ length: count }, () => `${at} < . 1:1(0) ack 1`).join("\n");

  it("halves the window: a segment leaves for every second duplicate (RFC 9937), and limited transmit is not in FlightSize", () => {
    const { connection } = script(
      `${WITHOUT_SACK}
      20  send 30000
      ${sends(20, 0, 9)}
      30  < . 1:1(0) ack 1
      ${sends(30, 10, 10)}
      31  < . 1:1(0) ack 1
      ${sends(31, 11, 11)}
      32  < . 1:1(0) ack 1
      32  > . 1:1001(1000) ack 1
      ${duplicates(33, 6)}
      ${sends(33, 12, 13)}
      42  < . 1:1(0) ack 12001
      ${sends(42, 14, 16)}
      43  state ESTABLISHED
    `,
      reno,
    );
    // Half of ten segments, not of twelve; the acknowledgement that ends the recovery adds nothing (RFC 6582, section 3.2, step 3).
    expect(connection.congestionControl.window).toBe(5000);
  });

  it("lets two segments out for duplicates that begin none (RFC 3042; RFC 6582, section 3.2, step 1)", () => {
    play(
      4000,
      `${WITHOUT_SACK}
      20  send 20000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1
      ${sends(30, 4, 4)}
      31  < . 1:1(0) ack 1
      ${sends(31, 5, 5)}
      32  < . 1:1(0) ack 1
      32  > . 1:1001(1000) ack 1
      ${sends(32, 6, 6)}
      42  < . 1:1(0) ack 6001
      ${sends(42, 7, 9)}
      # Segment 6 is lost: these are duplicates of what the recovery ended with.
      52  < . 1:1(0) ack 6001
      ${sends(52, 10, 10)}
      53  < . 1:1(0) ack 6001
      ${sends(53, 11, 11)}
      54  < . 1:1(0) ack 6001
      55  < . 1:1(0) ack 6001
      56  state ESTABLISHED
    `,
      { ...NEW_RENO, ...SLOW },
    );
  });

  it("gives no round trip by what waited for its retransmission (Karn)", () => {
    const { samples } = play(
      4000,
      `${WITHOUT_SACK}
      20  send 4000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1
      31  < . 1:1(0) ack 1
      32  < . 1:1(0) ack 1
      32  > . 1:1001(1000) ack 1
      42  < . 1:1(0) ack 4001
    `,
      { ...NEW_RENO, ...SLOW },
    );
    expect(samples.map(({ rttNs }) => rttNs)).toEqual([-1, -1]);
  });
});

describe("SACK without RACK (RFC 6675, section 4)", () => {
  it("waits for the timer where fewer than three segments are SACKed above", () => {
    const { events, timeouts } = play(
      3000,
      `${OPEN}
      20  send 3000
      ${sends(20, 0, 2)}
      30  < . 1:1(0) ack 1 <sack 1001:2001>
      31  < . 1:1(0) ack 1 <sack 1001:3001>
      220 > . 1:1001(1000) ack 1
      230 < . 1:1(0) ack 3001
    `,
      { rack: false, ...SLOW },
    );
    expect(timeouts).toEqual([1]);
    expect(events).toEqual(["220 first timeout: flight 3000", "230 recovered"]);
  });

  it("counts islands, not segments: three small segments in one island are no sign of a loss", () => {
    play(
      8000,
      `${OPEN}
      20  send 200
      20  > . 1:201(200) ack 1
      20  send 200
      20  > . 201:401(200) ack 1
      20  send 200
      20  > . 401:601(200) ack 1
      20  send 200
      20  > . 601:801(200) ack 1
      30  < . 1:1(0) ack 1 <sack 201:801>
      35  < . 1:1(0) ack 801
    `,
      { rack: false, ...SLOW },
    );
  });

  it("counts three small islands", () => {
    const { events } = play(
      8000,
      `${OPEN}
      20  send 200
      20  > . 1:201(200) ack 1
      20  send 200
      20  > . 201:401(200) ack 1
      20  send 200
      20  > . 401:601(200) ack 1
      20  send 200
      20  > . 601:801(200) ack 1
      20  send 200
      20  > . 801:1001(200) ack 1
      20  send 200
      20  > . 1001:1201(200) ack 1
      30  < . 1:1(0) ack 1 <sack 201:401,sack 601:801,sack 1001:1201>
      30  > . 1:201(200) ack 1
      # Nothing else may be sent: one segment that may be lost for each acknowledgement (rule 3).
      30  > . 401:601(200) ack 1
      35  < . 1:1(0) ack 1201
    `,
      { rack: false, ...SLOW },
    );
    expect(events).toEqual(["30 loss: flight 1200, in flight 400, lost 200", "35 recovered"]);
  });
});

describe("a segment with data and a FIN", () => {
  const UNTIL_THE_FIN = `${OPEN}
      20  send 4000
      ${sends(20, 0, 2)}
      20  finish
      30  < . 1:1(0) ack 1001
      30  > F. 3001:4001(1000) ack 1
  `;

  it("has arrived where a block ends after the FIN (RFC 2018, section 3)", () => {
    const { connection, samples } = play(
      3000,
      `${UNTIL_THE_FIN}
      # Segment 2 is lost.
      31  < . 1:1(0) ack 2001
      40  < . 1:1(0) ack 2001 <sack 3001:4002>
      # It was sent a round trip and a quarter of the smallest one before.
      40  > . 2001:3001(1000) ack 1
      50  < . 1:1(0) ack 4002
    `,
      SLOW,
    );
    expect(samples.map(({ deliveredBytes }) => deliveredBytes)).toEqual([1000, 1000, 1000, 1000]);
    expect(connection.counters.timeouts).toBe(0);
  });

  it("counts without the FIN: with one more segment above a gap there are two, not more (RFC 6675, section 4)", () => {
    const { timeouts } = play(
      3000,
      `${UNTIL_THE_FIN}
      31  < . 1:1(0) ack 1001 <sack 2001:3001>
      40  < . 1:1(0) ack 1001 <sack 2001:4002>
      230 > . 1001:2001(1000) ack 1
      240 < . 1:1(0) ack 4002
    `,
      { rack: false, ...SLOW },
    );
    expect(timeouts).toEqual([1]);
  });
});

describe("RACK (RFC 8985)", () => {
  it("begins a recovery when the reordering window is over", () => {
    const { events, connection } = play(
      3000,
      `${OPEN}
      20    send 3000
      ${sends(20, 0, 2)}
      30    < . 1:1(0) ack 1 <sack 1001:2001>
      32.5  > . 1:1001(1000) ack 1
      42.5  < . 1:1(0) ack 3001
    `,
      SLOW,
    );
    expect(events).toEqual(["32.5 loss: flight 3000, in flight 1000, lost 1000", "42.5 recovered"]);
    expect(connection.counters.fastRetransmits).toBe(1);
  });
});

describe("a loss beyond the other end's window", () => {
  it("is not sent again before the window opens (RFC 9293, section 3.8.6)", () => {
    play(
      4000,
      `${OPEN}
      20  send 4000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1 win 0 <sack 1001:4001>
      40  < . 1:1(0) ack 1 win 60000 <sack 1001:4001>
      40  > . 1:1001(1000) ack 1
      50  < . 1:1(0) ack 4001
    `,
      SLOW,
    );
  });
});

describe("the retransmission timer (RFC 6298)", () => {
  it("runs from the oldest segment: what is sent later does not start it again (rule 5.1)", () => {
    play(
      8000,
      `${OPEN}
      20  send 1000
      ${sends(20, 0, 0)}
      40  send 1000
      ${sends(40, 1, 1)}
      50  > . 1:1001(1000) ack 1
      50  > . 1001:2001(1000) ack 1
    `,
      { rack: false },
    );
  });

  it("stays doubled until a segment that was sent once is acknowledged (Karn's rule, section 5)", () => {
    const { recovered, timeouts, events } = play(
      1000,
      `${WITHOUT_SACK}
      20   send 2000
      ${sends(20, 0, 0)}
      50   > . 1:1001(1000) ack 1
      55   < . 1:1(0) ack 1001
      ${sends(55, 1, 1)}
      115  > . 1001:2001(1000) ack 1
      235  > . 1001:2001(1000) ack 1
      240  < . 1:1(0) ack 2001
    `,
      NEW_RENO,
    );
    expect(timeouts).toEqual([1, 1, 2]);
    expect(recovered).toEqual([1, 2]);
    expect(events).toEqual([
      "50 first timeout: flight 1000",
      "55 recovered",
      "115 first timeout: flight 1000",
      "235 further timeout: flight 1000",
      "240 recovered",
    ]);
  });

  it("is three times as long after a SYN that was lost, for the end that answered it too (section 5.7)", () => {
    script(
      `
      0     listen
      10    < S 0:0(0) win 65535 <mss 1460>
      10    > S. 0:0(0) ack 1
      1010  > S. 0:0(0) ack 1
      1020  < . 1:1(0) ack 1
      1030  send 1000
      ${sends(1030, 0, 0)}
      4030  > . 1:1001(1000) ack 1
    `,
      { cap: 60e9, ...NEW_RENO },
    );
  });
});

describe("the user timeout (RFC 9293, section 3.8.3)", () => {
  it("closes a connection whose data are not acknowledged, counted from the first timeout", () => {
    const { closed, timeouts } = play(
      1000,
      `${WITHOUT_SACK}
      20   send 1000
      ${sends(20, 0, 0)}
      50   > . 1:1001(1000) ack 1
      110  > . 1:1001(1000) ack 1
      230.1 state CLOSED
    `,
      { ...NEW_RENO, userTimeout: 180e6 },
    );
    expect([closed, timeouts]).toEqual([["timed out"], [1, 2]]);
  });

  it("counts again after progress", () => {
    const { closed } = play(
      1000,
      `${WITHOUT_SACK}
      20   send 2000
      ${sends(20, 0, 0)}
      50   > . 1:1001(1000) ack 1
      110  > . 1:1001(1000) ack 1
      120  < . 1:1(0) ack 1001
      ${sends(120, 1, 1)}
      240  > . 1001:2001(1000) ack 1
      480.1 state CLOSED
    `,
      { ...NEW_RENO, userTimeout: 240e6 },
    );
    expect(closed).toEqual(["timed out"]);
  });
});

describe("F-RTO (RFC 5682, section 3.1)", () => {
  const options = { rack: false };

  /** Falls to one segment at a timeout, and opens wide with the next acknowledgement. */
  function wide() {
    const control = recordingControl(4000);
    let window = 4000;
    return Object.defineProperties(control, {
      window: { get: () => window },
      onTimeout: { value: () => void (window = 1000) },
      onAck: { value: () => void (window = 20_000) },
    });
  }

  it("sends two new segments after the first acknowledgement, though the window has room for more (step 2b)", () => {
    script(
      `${OPEN}
      20  send 20000
      ${sends(20, 0, 3)}
      50  > . 1:1001(1000) ack 1
      60  < . 1:1(0) ack 1001
      ${sends(60, 4, 5)}
      65  state ESTABLISHED
    `,
      { congestionControl: wide, rack: false },
    );
  });

  it("is not used without SACK, where an acknowledgement does not show which copy has arrived", () => {
    script(
      `${WITHOUT_SACK}
      20  send 20000
      ${sends(20, 0, 3)}
      50  > . 1:1001(1000) ack 1
      60  < . 1:1(0) ack 1001
      ${sends(60, 1, 19)}
      65  state ESTABLISHED
    `,
      { congestionControl: wide, ...NEW_RENO },
    );
  });

  it("continues to retransmit where the second acknowledgement has no information about data that were sent once", () => {
    const { events } = play(
      4000,
      `${OPEN}
      20  send 20000
      ${sends(20, 0, 3)}
      50  > . 1:1001(1000) ack 1
      ${sends(50, 1, 3)}
      60  < . 1:1(0) ack 1001
      ${sends(60, 4, 4)}
      70  < . 1:1(0) ack 1001 <sack 4001:5001>
      ${sends(70, 5, 5)}
    `,
      options,
    );
    expect(events).toEqual(["50 first timeout: flight 4000"]);
  });

  it("sends two new segments in all, also where the application adds data meanwhile (step 2b)", () => {
    script(
      `${OPEN}
      20  send 5000
      ${sends(20, 0, 3)}
      50  > . 1:1001(1000) ack 1
      60  < . 1:1(0) ack 1001
      ${sends(60, 4, 4)}
      61  send 5000
      ${sends(61, 5, 5)}
      62  send 5000
      70  < . 1:1(0) ack 1001 <sack 4001:5001>
      ${sends(70, 1, 3)}
      ${sends(70, 6, 14)}
      71  state ESTABLISHED
    `,
      { congestionControl: wide, rack: false },
    );
  });

  it("ends with a window of at most two segments where the first acknowledgement covers the flight, and of three after the new segments (2a, 3a)", () => {
    const reno = { rack: false, congestionControl: CONGESTION_CONTROLS.reno, initialWindow: 4 };
    const whole = script(
      `${OPEN}
      20  send 4000
      ${sends(20, 0, 3)}
      50  > . 1:1001(1000) ack 1
      60  < . 1:1(0) ack 4001
    `,
      reno,
    );
    expect(whole.connection.congestionControl.window).toBe(2000);
    const lost = script(
      `${OPEN}
      20  send 20000
      ${sends(20, 0, 3)}
      50  > . 1:1001(1000) ack 1
      60  < . 1:1(0) ack 1001
      ${sends(60, 4, 5)}
      70  < . 1:1(0) ack 1001 <sack 4001:5001>
      ${sends(70, 1, 1)}
      71  state ESTABLISHED
    `,
      reno,
    );
    expect(lost.connection.congestionControl.window).toBeLessThanOrEqual(3000);
  });

  it("is over where a DSACK has reverted the timeout: new data leave as the window allows", () => {
    script(
      `${OPEN}
      20  send 20000
      ${sends(20, 0, 3)}
      50  > . 1:1001(1000) ack 1
      60  < . 1:1(0) ack 1001 <sack 1:1001>
      ${sends(60, 4, 19)}
      65  state ESTABLISHED
    `,
      { congestionControl: wide, rack: false },
    );
  });

  it("is not tried without new data: the lost segments follow at once", () => {
    const { events, samples } = play(
      1000,
      `${OPEN}
      20  send 1000
      ${sends(20, 0, 0)}
      50  > . 1:1001(1000) ack 1
      60  < . 1:1(0) ack 1001
    `,
      options,
    );
    expect(events).toEqual(["50 first timeout: flight 1000", "60 recovered"]);
    expect(samples.map(({ inRecovery }) => inRecovery)).toEqual([false]);
  });
});

describe("a recovery that was needless (RFC 3708, section 3.1)", () => {
  const TWO_AGAIN = `${OPEN}
      20  send 8000
      ${sends(20, 0, 7)}
      30  < . 1:1(0) ack 1 <sack 2001:8001>
      ${sends(30, 0, 1)}
      35  < . 1:1(0) ack 8001
  `;

  it("is reverted when a DSACK has come for each retransmission", () => {
    const { events } = play(
      8000,
      `${TWO_AGAIN}
      40  < . 1:1(0) ack 8001 <sack 1:1001>
      41  < . 1:1(0) ack 8001 <sack 1001:2001>
      42  < . 1:1(0) ack 8001 <sack 1001:2001>
    `,
    );
    expect(events).toEqual(["30 loss: flight 8000, in flight 0, lost 2000", "35 recovered", "41 undo"]);
  });

  it("is no matter of a control that has nothing to undo", () => {
    const { connection } = script(
      `${TWO_AGAIN}
      40  < . 1:1(0) ack 8001 <sack 1:1001>
      41  < . 1:1(0) ack 8001 <sack 1001:2001>
    `,
      { congestionControl: CONGESTION_CONTROLS.fixed, initialWindow: 8 },
    );
    expect(connection.congestionControl.window).toBe(8000);
  });

  it("is not undone by one DSACK of two, nor by acknowledgements without SACK blocks", () => {
    const { events } = play(
      8000,
      `${TWO_AGAIN}
      40  < . 1:1(0) ack 8001 <sack 1:1001>
      41  < . 1:1(0) ack 8001
      42  < . 1:1(0) ack 8001
    `,
    );
    expect(events).not.toContainEqual(expect.stringContaining("undo"));
  });

  it("is not reverted by a DSACK of data from before it", () => {
    const { events } = play(
      8000,
      `${OPEN}
      20  send 6000
      ${sends(20, 0, 5)}
      30  < . 1:1(0) ack 2001
      31  < . 1:1(0) ack 2001 <sack 3001:6001>
      31  > . 2001:3001(1000) ack 1
      32  < . 1:1(0) ack 2001 <sack 1:1001,sack 3001:6001>
      35  < . 1:1(0) ack 6001
    `,
    );
    expect(events).toEqual(["31 loss: flight 4000, in flight 0, lost 1000", "35 recovered"]);
  });

  it("is reverted by a DSACK above the acknowledged data, which is in the block after it (RFC 2883, section 4.1.2)", () => {
    const { events } = play(
      8000,
      `${OPEN}
      20  send 8000
      ${sends(20, 0, 7)}
      # Segment 1 is late; segment 0 was lost.
      30  < . 1:1(0) ack 1 <sack 2001:8001>
      ${sends(30, 0, 1)}
      31  < . 1:1(0) ack 1 <sack 1001:8001>
      40  < . 1:1(0) ack 1 <sack 1001:2001,sack 1001:8001>
      41  < . 1:1(0) ack 8001 <sack 1:1001>
    `,
    );
    expect(events).toContain("41 undo");
  });
});
