/** The beginning and the end of connections, by RFC 9293 and RFC 5961. */
import { describe, expect, it } from "vitest";
import { CONGESTION_CONTROLS, NS_PER_S } from "../../../../src/fabric/sim/packet/index.js";
import { script } from "./script.js";

describe("the handshake (RFC 9293, section 3.5)", () => {
  it("is three segments, with MSS, window scale and SACK (RFC 9293, 7323, 2018)", () => {
    script(`
      0   connect
      0   > S 0:0(0) win 65535 <mss 1008,sackOK,wscale 4>
      10  < S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,wscale 7>
      10  > . 1:1(0) ack 1 win 62500
      10  state ESTABLISHED
    `);
  });

  it("carries data with its third segment where there are data, of at most the other end's MSS", () => {
    script(`
      0   connect
      0   > S 0:0(0)
      0   send 900
      10  < S. 0:0(0) ack 1 win 65535 <mss 508>
      10  > . 1:501(500) ack 1
      10  > . 501:901(400) ack 1
    `);
  });

  it("sends as many copies of a SYN as the path chooser names", () => {
    const { connection } = script(
      `
      0     connect
      0     > S 0:0(0)
      1000  > S 0:0(0)
      1000  > S 0:0(0)
    `,
      {},
      { onTimeout: () => [0, 0] },
    );
    expect(connection.counters.copiesSent).toBe(1);
  });

  it("offers a window scale of 14 at most (RFC 7323, section 2.3)", () => {
    script(
      `
      0   connect
      0   > S 0:0(0) <mss 1008,sackOK,wscale 14>
    `,
      { receiveBuffer: 2 ** 31 },
    );
  });

  it("is accepted by a host that listens", () => {
    script(`
      0   listen
      10  < S 0:0(0) win 65535 <mss 1460,sackOK,wscale 7>
      10  > S. 0:0(0) ack 1 win 65535 <mss 1008,sackOK,wscale 4>
      20  < . 1:1(0) ack 1
      20  state ESTABLISHED
    `);
  });

  it("offers in its answer only what the other end has offered", () => {
    script(`
      0   listen
      10  < S 0:0(0) win 65535
      10  > S. 0:0(0) ack 1 <mss 1008>
      20  < . 1:1(0) ack 1 win 1000
      20  send 600
      # Without an MSS option segments have 536 bytes, our option included (section 3.7.1).
      20  > . 1:529(528) ack 1
      20  > . 529:601(72) ack 1
    `);
  });

  it("sends a SYN again after 1 s, doubling (RFC 6298, sections 2.1 and 5.5)", () => {
    const { timeouts, connection } = script(
      `
      0     connect
      0     > S 0:0(0)
      1000  > S 0:0(0)
      3000  > S 0:0(0)
      7000  > S 0:0(0)
      7010  < S. 0:0(0) ack 1 <mss 1460>
      7010  > . 1:1(0) ack 1
      7010  send 1000
      7010  > . 1:1001(1000) ack 1
      # No sample, and a lost SYN: 3 s (RFC 6298, section 5.7). RACK would probe: it is off.
      10010 > . 1:1001(1000) ack 1
    `,
      { cap: 60 * NS_PER_S, sack: false, rack: false },
    );
    expect(timeouts).toEqual([1, 2, 3, 1]);
    expect(connection.counters).toMatchObject({ timeouts: 4, copiesSent: 0 });
  });

  it("sends the answer again, at once for a SYN that comes again", () => {
    script(`
      0     listen
      10    < S 0:0(0)
      10    > S. 0:0(0) ack 1
      500   < S 0:0(0)
      500   > S. 0:0(0) ack 1
      1010  > S. 0:0(0) ack 1
      1020  < . 1:1(0) ack 1
      1020  state ESTABLISHED
    `);
  });

  it("succeeds when both ends open at once (figure 7)", () => {
    script(`
      0   connect
      0   > S 0:0(0)
      5   < S 0:0(0)
      5   > S. 0:0(0) ack 1
      5   state SYN-RECEIVED
      10  < S. 0:0(0) ack 1
      10  state ESTABLISHED
    `);
  });

  it("resets an acknowledgement of another connection (figure 10)", () => {
    script(`
      0   connect
      0   > S 0:0(0)
      5   < . 300:300(0) ack 100
      5   > R 100:100(0)
      5   state SYN-SENT
    `);
  });

  it("ends when it is refused", () => {
    const { closed, host } = script(`
      0   connect
      0   > S 0:0(0)
      5   < R. 0:0(0) ack 1
      5   state CLOSED
    `);
    expect(closed).toEqual(["reset"]);
    expect(host.connectionCount).toBe(0);
  });

  it("is given up after the user timeout (section 3.8.3)", () => {
    const { closed } = script(
      `
      0     connect
      0     > S 0:0(0)
      1000  > S 0:0(0)
      2000  > S 0:0(0)
      4000  state CLOSED
    `,
      { userTimeout: 3 * NS_PER_S },
    );
    expect(closed).toEqual(["timed out"]);
  });

  it("is not begun by a FIN: a segment without a connection is answered with a reset (section 3.10.7.1)", () => {
    script(`
      0   listen
      5   < F. 7:7(0) ack 0
      5   > R 0:0(0)
    `);
  });
});

const ESTABLISHED = `
  0   connect
  0   > S 0:0(0)
  10  < S. 0:0(0) ack 1 <mss 1460,sackOK>
  10  > . 1:1(0) ack 1
`;

describe("lost SYNs", () => {
  const lost = (times: readonly number[], answer: number) =>
    `0 connect
    0 > S 0:0(0)
    ${times.map((time) => `${time} > S 0:0(0)`).join("\n")}
    ${answer} < S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
    ${answer} > . 1:1(0) ack 1`;
  const segment = (at: number, i: number) => `${at} > . ${i * 1000 + 1}:${i * 1000 + 1001}(1000) ack 1`;

  it.each(["reno", "cubic", "dctcp"] as const)(
    "leave the initial window after one, and one segment after two (RFC 5681, section 3.1): %s",
    (name) => {
      const options = { cap: 60e9, ecn: "off", congestionControl: CONGESTION_CONTROLS[name] } as const;
      script(
        `${lost([1000], 1010)}
        1020 send 3000
        ${segment(1020, 0)}
        ${segment(1020, 1)}
        ${segment(1020, 2)}`,
        options,
      );
      script(
        `${lost([1000, 3000], 3010)}
        3020 send 3000
        ${segment(3020, 0)}
        3030 < . 1:1(0) ack 1001
        ${segment(3030, 1)}
        ${segment(3030, 2)}`,
        options,
      );
    },
  );

  it("leave BBR one segment and the pace of it", () => {
    const { connection } = script(
      `${lost([1000, 3000], 3010)}
      3020 send 3000
      ${segment(3020, 0)}`,
      { cap: 60e9, congestionControl: CONGESTION_CONTROLS.bbr },
    );
    expect(connection.congestionControl.window).toBe(1000);
    expect(connection.congestionControl.pacingRate).toBeCloseTo((2 / Math.LN2) * 1000 * 1000, 3);
  });

  it("are sent again by a timeout of their own, if the file gives one", () => {
    const options = { cap: 1e9, syn: { initial: 0.5e9, cap: 1.5e9 } };
    script(
      `${lost([500, 1500, 3000, 4500], 4510)}
      4520 state ESTABLISHED`,
      options,
    );
    // Both have the cap of data otherwise.
    script(`${lost([1000, 2000, 3000], 3010)}`, { cap: 1e9 });
  });
});

describe("the close (RFC 9293, section 3.6)", () => {
  it("of the end that finishes first passes FIN-WAIT-1, FIN-WAIT-2 and TIME-WAIT (figure 12)", () => {
    const { closed, host } = script(`${ESTABLISHED}
      20  send 100
      20  finish
      20  > . 1:101(100) ack 1
      20  > F. 101:101(0) ack 1
      20  state FIN-WAIT-1
      30  < . 1:1(0) ack 102
      30  state FIN-WAIT-2
      40  < F. 1:1(0) ack 102
      40  > . 102:102(0) ack 2
      40  state TIME-WAIT
      # The acknowledgement was lost: TIME-WAIT begins again.
      45  < F. 1:1(0) ack 102
      45  > . 102:102(0) ack 2
      52  state TIME-WAIT
      56  state CLOSED
    `);
    expect(closed).toEqual(["finished"]);
    expect(host.connectionCount).toBe(0);
  });

  it("of the end that finishes second passes CLOSE-WAIT and LAST-ACK, and can still send", () => {
    const { closed } = script(`${ESTABLISHED}
      20  < F. 1:1(0) ack 1
      20  > . 1:1(0) ack 2
      20  state CLOSE-WAIT
      30  send 100
      30  > . 1:101(100) ack 2
      30  finish
      30  > F. 101:101(0) ack 2
      30  state LAST-ACK
      40  < . 2:2(0) ack 102
      40  state CLOSED
    `);
    expect(closed).toEqual(["finished"]);
  });

  it("of both ends at once passes CLOSING (figure 13)", () => {
    script(`${ESTABLISHED}
      20  finish
      20  > F. 1:1(0) ack 1
      25  < F. 1:1(0) ack 1
      25  > . 2:2(0) ack 2
      25  state CLOSING
      30  < . 2:2(0) ack 2
      30  state TIME-WAIT
    `);
  });

  it("sends a FIN again", () => {
    script(
      `${ESTABLISHED}
      20   finish
      20   > F. 1:1(0) ack 1
      220  > F. 1:1(0) ack 1
      230  < . 1:1(0) ack 2
      230  state FIN-WAIT-2
    `,
      { floor: 200e6, rack: false },
    );
  });

  it("takes in data that come before the FIN, also when they come after it", () => {
    script(`${ESTABLISHED}
      20  < F. 101:201(100) ack 1
      20  > . 1:1(0) ack 1
      30  < . 1:101(100) ack 1
      30  > . 1:1(0) ack 202
      30  state CLOSE-WAIT
    `);
  });
});

describe("segments that belong elsewhere", () => {
  it("reset a connection only with the expected sequence number (RFC 5961, section 3.2)", () => {
    const { closed } = script(`${ESTABLISHED}
      20  < R 100:100(0)
      20  > . 1:1(0) ack 1
      30  < R 9999999:9999999(0)
      40  < R 1:1(0)
      40  state CLOSED
    `);
    expect(closed).toEqual(["reset"]);
  });

  it("do not restart it with a SYN (RFC 5961, section 4.2)", () => {
    script(`${ESTABLISHED}
      20  < S 500:500(0)
      20  > . 1:1(0) ack 1
      20  state ESTABLISHED
    `);
  });

  it("are answered with an acknowledgement where they lie outside of the window or acknowledge too much (section 3.10.7.4)", () => {
    script(`${ESTABLISHED}
      20  < . 9999999:10000000(1) ack 1
      20  > . 1:1(0) ack 1
      30  < . 1:1(0) ack 7000
      30  > . 1:1(0) ack 1
    `);
  });
});
