/** The input of a congestion control for each acknowledgement and each event (`congestion-control.ts`). */
import { describe, expect, it } from "vitest";
import type { TcpOptions } from "../../../../src/fabric/sim/packet/index.js";
import { recordingControl } from "./recording-control.js";
import { script } from "./script.js";

const MS = 1_000_000;
const OPEN = `
  0   connect
  0   > S 0:0(0)
  10  < S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
  10  > . 1:1(0) ack 1
`;

/** Segments `from` to `to` of 1000 bytes, sent at one time. */
const sends = (at: number, from: number, to: number, flags = ".") =>
  Array.from(
    { length: to - from + 1 },
    (_, i) => `${at} > ${flags} ${(from + i) * 1000 + 1}:${(from + i + 1) * 1000 + 1}(1000) ack 1`,
  ).join("\n");

/** Plays a script against a control with that window. */
function play(window: number, text: string, options: Partial<TcpOptions> = {}, pacingRate?: number) {
  const control = recordingControl(window, pacingRate === undefined ? {} : { pacingRate });
  const result = script(text, { congestionControl: () => control, ...options });
  return { control, ...result };
}

describe("the sample of an acknowledgement", () => {
  it("has its bytes, round trip, flight, loss, limits and rate", () => {
    const { control, recovered } = play(
      6000,
      `${OPEN}
      20  send 7000
      ${sends(20, 0, 5)}
      30  < . 1:1(0) ack 1001
      ${sends(30, 6, 6)}
      31  < . 1:1(0) ack 1001 <sack 2001:3001>
      32  < . 1:1(0) ack 3001
      # An old one that comes late tells nothing.
      32.5 < . 1:1(0) ack 1001
      33  < . 1:1(0) ack 3001 <sack 4001:5001>
      34  < . 1:1(0) ack 7001
      40  send 1000
      ${sends(40, 7, 7)}
      50  < . 1:1(0) ack 8001
      80  state ESTABLISHED
    `,
    );
    const row = (
      nowMs: number,
      deliveredBytes: number,
      totalDelivered: number,
      rttMs: number,
      priorInFlight: number,
      inFlight: number,
      rate: number,
      more: object = {},
    ) => ({
      nowNs: nowMs * MS,
      deliveredBytes,
      totalDelivered,
      rttNs: rttMs * MS,
      priorInFlight,
      inFlight,
      deliveryRate: rate,
      smoothedRttNs: expect.closeTo(10 * MS, -6),
      lostBytes: 0,
      advanced: true,
      mayGrow: true,
      marked: false,
      inRecovery: false,
      windowLimited: true,
      // The connection was idle before 20 ms: what left before data were delivered says nothing about the path.
      appLimited: true,
      roundStart: false,
      ...more,
    });
    expect(recovered).toEqual([]);
    // Rates: what was delivered since the newest segment was sent, over the longer time of sending and of acknowledgements.
    expect(control.samples).toEqual([
      row(30, 1000, 1000, 10, 6000, 5000, 1000e9 / (10 * MS), { roundStart: true }),
      row(31, 1000, 2000, 11, 6000, 5000, 2000e9 / (11 * MS), { advanced: false, mayGrow: false }),
      row(32, 1000, 3000, 12, 5000, 4000, 3000e9 / (12 * MS)),
      row(33, 1000, 4000, 13, 4000, 3000, 4000e9 / (13 * MS), { advanced: false }),
      row(34, 3000, 7000, 4, 3000, 0, 6000e9 / (10 * MS), { roundStart: true, appLimited: false }),
      // Nothing was left to send after 30 ms, and 7000 bytes were delivered or in flight then.
      row(50, 1000, 8000, 10, 1000, 0, 1000e9 / (10 * MS), {
        windowLimited: false,
        roundStart: true,
      }),
    ]);
  });

  it("counts a part of a segment, and the rest of it later (RFC 9293, section 3.4)", () => {
    const { control } = play(
      4000,
      `${OPEN}
      20  send 2000
      ${sends(20, 0, 1)}
      30  < . 1:1(0) ack 501
      # The timer starts again at 30 ms; what is known to have arrived is not sent again.
      60  > . 501:1001(500) ack 1
      60  > . 1001:2001(1000) ack 1
      70  < . 1:1(0) ack 2001
    `,
      { rack: false },
    );
    expect(control.samples.map(({ deliveredBytes, rttNs }) => [deliveredBytes, rttNs])).toEqual([
      [500, -1],
      [1500, -1],
    ]);
    expect(control.samples.map(({ totalDelivered, inFlight }) => [totalDelivered, inFlight])).toEqual([
      [500, 1500],
      [2000, 0],
    ]);
  });

  it("has the round trip of the segment that was sent last, whichever is reported first", () => {
    const { control } = play(
      8000,
      `${OPEN}
      20  send 2000
      ${sends(20, 0, 1)}
      25  send 1000
      ${sends(25, 2, 2)}
      32  < . 1:1(0) ack 1 <sack 2001:3001,sack 1001:2001>
      33  < . 1:1(0) ack 3001
    `,
      { rack: false },
    );
    expect(control.samples.map(({ rttNs }) => rttNs / MS)).toEqual([7, 13]);
  });

  it("has the bytes that are found lost by it", () => {
    const { control } = play(
      8000,
      `${OPEN}
      20  send 8000
      ${sends(20, 0, 7)}
      30  < . 1:1(0) ack 1 <sack 2001:6001>
      ${sends(30, 0, 1)}
      40  < . 1:1(0) ack 8001
    `,
    );
    expect(control.events).toEqual(["30 loss: flight 8000, in flight 2000, lost 2000", "40 recovered"]);
    expect(control.samples.map(({ lostBytes, inRecovery }) => [lostBytes, inRecovery])).toEqual([
      [2000, true],
      [0, false],
    ]);
  });
});

describe("pacing", () => {
  it("lets segments leave at its rate", () => {
    play(
      10_000,
      `${OPEN}
      20  send 4000
      20  > . 1:1001(1000) ack 1
      21  > . 1001:2001(1000) ack 1
      22  > . 2001:3001(1000) ack 1
      23  > . 3001:4001(1000) ack 1
      30  < . 1:1(0) ack 1001
      33  < . 1:1(0) ack 4001
    `,
      {},
      1e6,
    );
  });
});

describe("a window below one segment", () => {
  it("lets one segment out where nothing is in flight", () => {
    play(
      500,
      `${OPEN}
      20  send 2000
      ${sends(20, 0, 0)}
      30  < . 1:1(0) ack 1001
      ${sends(30, 1, 1)}
      40  < . 1:1(0) ack 2001
    `,
    );
  });
});

describe("a pause (RFC 5681, section 4.1)", () => {
  it("is reported when data are sent after it, with its length since the last data, and not before the first data", () => {
    const { control } = play(
      4000,
      `${OPEN}
      200  send 1000
      ${sends(200, 0, 0)}
      210  < . 1:1(0) ack 1001
      215  send 1000
      ${sends(215, 1, 1)}
      225  < . 1:1(0) ack 2001
      # A change of the window is no data.
      400  < . 1:1(0) ack 2001 win 60000
      500  send 1000
      ${sends(500, 2, 2)}
      510  < . 1:1(0) ack 3001
    `,
    );
    expect(control.events).toEqual(["idle for 285"]);
  });
});

describe("ECN (RFC 3168, section 6.1.2)", () => {
  const WITH_ECN = `
    0   connect
    0   > SEW 0:0(0)
    10  < S.E 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
    10  > . 1:1(0) ack 1
  `;

  it("is reported once per window, and CWR goes with the next new data", () => {
    const { control } = play(
      4000,
      `${WITH_ECN}
      20  send 9000
      ${sends(20, 0, 3, "ect .")}
      30  < .E 1:1(0) ack 1001
      ${sends(30, 4, 4, "ect .W")}
      31  < .E 1:1(0) ack 2001
      ${sends(31, 5, 5, "ect .")}
      # All that was sent when the window fell is acknowledged.
      40  < .E 1:1(0) ack 4001
      ${sends(40, 6, 6, "ect .W")}
      ${sends(40, 7, 7, "ect .")}
      50  < . 1:1(0) ack 8001
      ${sends(50, 8, 8, "ect .")}
    `,
      { ecn: "classic" },
    );
    expect(control.events).toEqual(["30 congestion: flight 4000", "40 congestion: flight 4000"]);
    expect(control.samples.map(({ marked, windowLimited }) => [marked, windowLimited])).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ]);
  });

  it("is not reported in a recovery, which sends CWR too; retransmissions cannot be marked", () => {
    const { control } = play(
      4000,
      `${WITH_ECN}
      20  send 8000
      ${sends(20, 0, 3, "ect .")}
      30  < .E 1:1(0) ack 1 <sack 1001:4001>
      ${sends(30, 0, 0, "not-ect .")}
      ${sends(30, 4, 4, "ect .W")}
      ${sends(30, 5, 6, "ect .")}
      40  < . 1:1(0) ack 7001
      ${sends(40, 7, 7, "ect .")}
    `,
      { ecn: "classic" },
    );
    expect(control.events).toEqual(["30 loss: flight 4000, in flight 0, lost 1000", "40 recovered"]);
  });

  it("is not used with an answer that has CWR besides (section 6.1.1)", () => {
    play(
      4000,
      `
      0   connect
      0   > SEW 0:0(0)
      10  < S.EW 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
      10  > . 1:1(0) ack 1
      20  send 1000
      ${sends(20, 0, 0, "not-ect .")}
    `,
      { ecn: "classic" },
    );
  });
});
