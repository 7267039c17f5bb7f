/** Loss, timers and windows as a sender sees them: RFC 5681, 6298, 6582, 6675, 8985, 5682, 3168 and 9293. */
import { describe, expect, it } from "vitest";
import type { CongestionControl } from "../../../../src/fabric/sim/packet/index.js";
import { script } from "./script.js";

/** The round trip is 10 ms: RTO = 10 + 4 * 5 = 30 ms. */
const OPEN = `
  0   connect
  0   > S 0:0(0)
  10  < S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
  10  > . 1:1(0) ack 1
`;
const WITHOUT_SACK = OPEN.replace(",sackOK", "");

/** Segments `from` to `to` of 1000 bytes, sent at one time. */
const sends = (at: number, from: number, to: number, ack = 1) =>
  Array.from(
    { length: to - from + 1 },
    (_, i) => `${at} > . ${(from + i) * 1000 + 1}:${(from + i + 1) * 1000 + 1}(1000) ack ${ack}`,
  ).join("\n");

describe("the initial window and slow start (RFC 5681, section 3.1)", () => {
  it("grow by what is acknowledged, while the window is what limits", () => {
    script(
      `${OPEN}
      20  send 100000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 2001
      ${sends(30, 4, 7)}
      31  < . 1:1(0) ack 4001
      ${sends(31, 8, 11)}
    `,
      { initialWindow: 4 },
    );
  });

  it("end with the last data, of any size: there is no Nagle delay", () => {
    script(`${OPEN}
      20  send 2500
      20  > . 1:1001(1000) ack 1
      20  > . 1001:2001(1000) ack 1
      20  > . 2001:2501(500) ack 1
    `);
  });

  it("begin again after a pause longer than the timeout (RFC 5681, section 4.1)", () => {
    script(
      `${OPEN}
      20   send 6000
      ${sends(20, 0, 1)}
      30   < . 1:1(0) ack 2001
      ${sends(30, 2, 5)}
      40   < . 1:1(0) ack 6001
      200  send 10000
      ${sends(200, 6, 7)}
    `,
      { initialWindow: 2 },
    );
  });
});

describe("NewReno (RFC 6582)", () => {
  const options = { initialWindow: 8, sack: false, rack: false };

  it("sends the first segment again at the third duplicate, then one for each partial acknowledgement", () => {
    const { connection } = script(
      `${WITHOUT_SACK}
      20  send 8000
      ${sends(20, 0, 7)}
      # Segments 0 and 3 are lost.
      30  < . 1:1(0) ack 1
      31  < . 1:1(0) ack 1
      32  < . 1:1(0) ack 1
      32  > . 1:1001(1000) ack 1
      33  < . 1:1(0) ack 1
      34  < . 1:1(0) ack 1
      42  < . 1:1(0) ack 3001
      42  > . 3001:4001(1000) ack 1
      52  < . 1:1(0) ack 8001
      90  state ESTABLISHED
    `,
      options,
    );
    expect(connection.counters).toMatchObject({ fastRetransmits: 1, timeouts: 0, retransmissions: 2 });
  });

  it("sends new data at the first two duplicates (limited transmit, RFC 3042)", () => {
    script(
      `${WITHOUT_SACK}
      20  send 20000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1
      ${sends(30, 4, 4)}
      31  < . 1:1(0) ack 1
      ${sends(31, 5, 5)}
      32  < . 1:1(0) ack 1
      32  > . 1:1001(1000) ack 1
    `,
      { ...options, initialWindow: 4 },
    );
  });

  it("does not count an acknowledgement that changes the window, or that comes with data (RFC 5681, section 2)", () => {
    script(
      `${WITHOUT_SACK}
      20  send 4000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1 win 60000
      31  < . 1:1(0) ack 1 win 50000
      32  < . 1:1(0) ack 1 win 40000
      33  < . 1:101(100) ack 1 win 40000
      34  < . 101:201(100) ack 1 win 40000
      34  > . 4001:4001(0) ack 201
      35  < . 201:301(100) ack 1 win 40000
      49  state ESTABLISHED
    `,
      options,
    );
  });

  it("does not begin twice for one window (section 3.2, step 1)", () => {
    const { connection } = script(
      `${WITHOUT_SACK}
      20  send 4000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1
      31  < . 1:1(0) ack 1
      32  < . 1:1(0) ack 1
      32  > . 1:1001(1000) ack 1
      42  < . 1:1(0) ack 4001
      43  < . 1:1(0) ack 4001
      44  < . 1:1(0) ack 4001
      45  < . 1:1(0) ack 4001
    `,
      options,
    );
    expect(connection.counters.fastRetransmits).toBe(1);
  });
});

describe("recovery by SACK (RFC 6675)", () => {
  const options = { initialWindow: 8, rack: false };

  it("counts a segment as lost with three segments SACKed above it, and sends all holes again", () => {
    const { connection } = script(
      `${OPEN}
      20  send 8000
      ${sends(20, 0, 7)}
      # Segments 0 and 2 are lost.
      30  < . 1:1(0) ack 1 <sack 1001:2001>
      31  < . 1:1(0) ack 1 <sack 3001:4001,sack 1001:2001>
      32  < . 1:1(0) ack 1 <sack 3001:5001,sack 1001:2001>
      32  > . 1:1001(1000) ack 1
      33  < . 1:1(0) ack 1 <sack 3001:6001,sack 1001:2001>
      33  > . 2001:3001(1000) ack 1
      34  < . 1:1(0) ack 1 <sack 3001:8001,sack 1001:2001>
      # Nothing else to send: the rescue retransmission (rule 4 of NextSeg).
      34  > . 2001:3001(1000) ack 1
      42  < . 1:1(0) ack 2001 <sack 3001:8001>
      43  < . 1:1(0) ack 8001
    `,
      options,
    );
    expect(connection.counters).toMatchObject({ fastRetransmits: 1, timeouts: 0, retransmissions: 3 });
  });
});

describe("RACK (RFC 8985, section 6)", () => {
  it("waits a quarter of a round trip for a segment that was overtaken, then sends it again", () => {
    script(
      `${OPEN}
      20    send 3000
      ${sends(20, 0, 2)}
      # Segment 1 has arrived: segment 0 may be late by a quarter of 10 ms.
      30    < . 1:1(0) ack 1 <sack 1001:2001>
      32.5  > . 1:1001(1000) ack 1
    `,
      { initialWindow: 3 },
    );
  });

  it("does not wait when three segments were SACKed and no reordering was ever seen", () => {
    script(`${OPEN}
      20  send 4000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1 <sack 1001:4001>
      30  > . 1:1001(1000) ack 1
    `);
  });

  it("waits for reordering that it has seen, however many segments overtake", () => {
    const { connection } = script(`${OPEN}
      20    send 4000
      ${sends(20, 0, 3)}
      30    < . 1:1(0) ack 1 <sack 1001:2001>
      31    < . 1:1(0) ack 2001
      32    < . 1:1(0) ack 4001
      40    send 5000
      ${sends(40, 4, 8)}
      50    < . 1:1(0) ack 4001 <sack 5001:9001>
      52    < . 1:1(0) ack 9001
      80    state ESTABLISHED
    `);
    expect(connection.counters.retransmissions).toBe(0);
  });

  it("finds a retransmission that was lost too", () => {
    const { connection } = script(
      `${OPEN}
      20    send 40000
      ${sends(20, 0, 7)}
      30    < . 1:1(0) ack 1 <sack 1001:4001>
      30    > . 1:1001(1000) ack 1
      31    < . 1:1(0) ack 1 <sack 1001:6001>
      31    > . 8001:9001(1000) ack 1
      32    < . 1:1(0) ack 1 <sack 1001:8001>
      32    > . 9001:10001(1000) ack 1
      32    > . 10001:11001(1000) ack 1
      # A segment that was sent after the retransmission has arrived.
      41    < . 1:1(0) ack 1 <sack 1001:9001>
      41    > . 1:1001(1000) ack 1
      41    > . 11001:12001(1000) ack 1
    `,
      { initialWindow: 8 },
    );
    expect(connection.counters.timeouts).toBe(0);
  });
});

describe("the tail loss probe (RFC 8985, section 7)", () => {
  it("sends the last segment again after two round trips, and the window falls when it repairs a loss", () => {
    const { connection } = script(
      `${OPEN}
      20  send 3000
      ${sends(20, 0, 2)}
      30  < . 1:1(0) ack 1001
      # Segments 1 and 2 are lost: 2 * 10 ms.
      50  > . 2001:3001(1000) ack 1
      60  < . 1:1(0) ack 1001 <sack 2001:3001>
      60  > . 1001:2001(1000) ack 1
      70  < . 1:1(0) ack 3001
    `,
      { floor: 200e6 },
    );
    expect(connection.counters).toMatchObject({ timeouts: 0, fastRetransmits: 1, retransmissions: 2 });
  });

  it("waits for a delayed acknowledgement where one segment alone is out (section 7.2)", () => {
    script(
      `${OPEN}
      20  send 1000
      ${sends(20, 0, 0)}
      # 2 * 10 ms and 40 ms.
      80  > . 1:1001(1000) ack 1
    `,
      { floor: 200e6 },
    );
  });

  it("sends new data where there are any", () => {
    script(
      `${OPEN}
      20  send 3000
      ${sends(20, 0, 1)}
      40  > . 2001:3001(1000) ack 1
    `,
      { floor: 200e6, initialWindow: 2 },
    );
  });
});

describe("the retransmission timer (RFC 6298)", () => {
  const options = { rack: false, initialWindow: 4 };

  it("sends the first segment again, doubles, and continues in slow start", () => {
    const { timeouts } = script(
      `${WITHOUT_SACK}
      20   send 4000
      ${sends(20, 0, 3)}
      50   > . 1:1001(1000) ack 1
      110  > . 1:1001(1000) ack 1
      120  < . 1:1(0) ack 1001
      120  > . 1001:2001(1000) ack 1
      120  > . 2001:3001(1000) ack 1
      130  < . 1:1(0) ack 4001
    `,
      { ...options, sack: false },
    );
    expect(timeouts).toEqual([1, 2]);
  });

  it("starts again with each acknowledgement of new data (section 5.3)", () => {
    script(
      `${OPEN}
      20  send 2000
      ${sends(20, 0, 1)}
      49  < . 1:1(0) ack 1001
      # Samples of 10 and 29 ms: SRTT 12.375, RTTVAR 8.5, RTO 46.375 ms.
      95.375 > . 1001:2001(1000) ack 1
    `,
      options,
    );
  });

  it("was spurious where data arrive that were not sent again: the window is as before (F-RTO, RFC 5682, section 3.1)", () => {
    const { connection } = script(
      `${OPEN}
      20  send 20000
      ${sends(20, 0, 3)}
      50  > . 1:1001(1000) ack 1
      # The acknowledgements were late, not lost.
      60  < . 1:1(0) ack 1001
      ${sends(60, 4, 5)}
      61  < . 1:1(0) ack 2001
      ${sends(61, 6, 6)}
    `,
      { ...options, initialWindow: 4 },
    );
    expect(connection.counters.retransmissions).toBe(1);
    expect(connection.congestionControl.window).toBeGreaterThanOrEqual(4000);
  });

  it("was needless where a DSACK shows that all retransmitted data had arrived (RFC 3708, section 3.1)", () => {
    const { connection } = script(
      `${OPEN}
      20  send 4000
      ${sends(20, 0, 3)}
      50  > . 1:1001(1000) ack 1
      55  < . 1:1(0) ack 4001
      60  < . 1:1(0) ack 4001 <sack 1:1001>
    `,
      { ...options, initialWindow: 4 },
    );
    expect(connection.congestionControl.window).toBeGreaterThanOrEqual(4000);
  });
});

describe("the other end's window (RFC 9293, section 3.8.6)", () => {
  it("holds new data back at once when it shrinks, and lets them go when it opens", () => {
    script(
      `${OPEN}
      20  send 20000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 2001 win 2000
      31  < . 1:1(0) ack 4001 win 3000
      ${sends(31, 4, 6)}
      # The same acknowledgement number with another window: RFC 9293, section 3.10.7.4.
      32  < . 1:1(0) ack 4001 win 5000
      ${sends(32, 7, 8)}
    `,
      { initialWindow: 4 },
    );
  });

  it("is probed with one byte while it is closed, after each timeout, doubling (section 3.8.6.1)", () => {
    const { timeouts } = script(
      `${OPEN}
      20   send 4000
      ${sends(20, 0, 0)}
      30   < . 1:1(0) ack 1001 win 0
      # Two samples of 10 ms: RTTVAR 3.75 ms.
      55   > . 1001:1002(1) ack 1
      65   < . 1:1(0) ack 1001 win 0
      105  > . 1001:1002(1) ack 1
      115  < . 1:1(0) ack 1002 win 65535
      115  > . 1002:2002(1000) ack 1
    `,
      { initialWindow: 1, rack: false },
    );
    expect(timeouts).toEqual([]);
  });

  it("gets no small segments (section 3.8.6.2.1)", () => {
    script(`${OPEN}
      20  send 1000
      ${sends(20, 0, 0)}
      30  < . 1:1(0) ack 1001 win 300
      31  send 5000
      40  < . 1:1(0) ack 1001 win 1500
      40  > . 1001:2001(1000) ack 1
    `);
  });
});

describe("ECN (RFC 3168, section 6.1)", () => {
  it("marks new data alone as capable; ECE reduces once a window, and CWR says so", () => {
    script(
      `
      0   connect
      0   > SEW 0:0(0)
      10  < S.E 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
      10  > . 1:1(0) ack 1
      20  send 40000
      ${sends(20, 0, 7).replaceAll("> .", "> ect .")}
      30  < .E 1:1(0) ack 2001
      # The window is 4000 now, and 6000 are out.
      31  < .E 1:1(0) ack 4001
      32  < .E 1:1(0) ack 6001
      32  > ect .W 8001:9001(1000) ack 1
      32  > ect . 9001:10001(1000) ack 1
    `,
      { ecn: "classic", initialWindow: 8 },
    );
  });

  it("is not used where the other end does not answer it", () => {
    script(
      `
      0   connect
      0   > SEW 0:0(0)
      10  < S. 0:0(0) ack 1 <mss 1460>
      10  > . 1:1(0) ack 1
      20  send 1000
      20  > not-ect . 1:1001(1000) ack 1
    `,
      { ecn: "classic" },
    );
  });
});

describe("the flight that a control gets (FlightSize, RFC 5681, section 3.2)", () => {
  const FOUND_LOST = `
    30  < . 1:1(0) ack 1 <sack 1001:4001>
    30  > . 1:1001(1000) ack 1
    # The rescue of RFC 6675.
    30  > . 19001:20001(1000) ack 1
  `;

  /** Sends 20 segments at once, of which the first is lost, then what `then` says; returns the flights that the control gets. */
  function told(steadyWindow: number | undefined, then = FOUND_LOST): number[] {
    const flights: number[] = [];
    const control: CongestionControl & { window: number } = {
      name: "told",
      window: 20_000,
      ...(steadyWindow === undefined ? {} : { steadyWindow }),
      pacingRate: Number.POSITIVE_INFINITY,
      onAck() {},
      onLoss: (_now, flight) => flights.push(flight),
      onRecovered() {},
      onTimeout(_now, flight) {
        flights.push(flight);
        this.window = 1000;
      },
    };
    script(
      `${OPEN}
      20  send 20000
      ${sends(20, 0, 19)}
      ${then}
    `,
      { congestionControl: () => control, rack: false },
    );
    return flights;
  }

  it("is what is unacknowledged", () => {
    expect(told(undefined)).toEqual([20_000]);
    expect(told(50_000)).toEqual([20_000]);
  });

  it("is at most the window, so that what limited transmit has sent does not count (step 2)", () => {
    expect(told(4000)).toEqual([4000]);
  });

  it("is at most the window and three segments after a timeout", () => {
    expect(told(4000, "50  > . 1:1001(1000) ack 1")).toEqual([7000]);
  });
});

describe("which acknowledgements may open the window (RFC 5681, section 3.1)", () => {
  it("are those that move the left edge, and after reordering all that report new data", () => {
    const may: boolean[] = [];
    const control: CongestionControl = {
      name: "told",
      window: 6000,
      pacingRate: Number.POSITIVE_INFINITY,
      onAck: ({ mayGrow }) => may.push(mayGrow),
      onLoss() {},
      onRecovered() {},
      onTimeout() {},
    };
    script(
      `${OPEN}
      20  send 6000
      ${sends(20, 0, 5)}
      30  < . 1:1(0) ack 1001
      31  < . 1:1(0) ack 1001 <sack 2001:3001>
      # The second segment comes after the third.
      32  < . 1:1(0) ack 3001
      33  < . 1:1(0) ack 3001 <sack 4001:5001>
      34  < . 1:1(0) ack 6001
    `,
      { congestionControl: () => control },
    );
    expect(may).toEqual([true, false, true, true, true]);
  });
});
