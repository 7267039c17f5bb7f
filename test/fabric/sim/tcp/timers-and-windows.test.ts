/** Tail loss probes (RFC 8985, section 7), probes of a closed window, FIN and window (RFC 9293), rule by rule. */
import { describe, expect, it } from "vitest";
import type { TcpOptions } from "../../../../src/fabric/sim/packet/index.js";
import { recordingControl } from "./recording-control.js";
import { script } from "./script.js";

const OPEN = `
  0   connect
  0   > S 0:0(0)
  10  < S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
  10  > . 1:1(0) ack 1
`;
/** So that no retransmission timer runs out before. */
const SLOW = { floor: 200e6 };

function play(text: string, options: Partial<TcpOptions> = {}) {
  const control = recordingControl(10_000);
  const result = script(text, { congestionControl: () => control, ...options });
  return { events: control.events, samples: control.samples, ...result };
}

describe("a tail loss probe with old data (RFC 8985, section 7.4)", () => {
  /** Two segments, of which the second is lost: the probe comes after two round trips and the delay of an acknowledgement. */
  const PROBED = `${OPEN}
    20   send 2000
    20   > . 1:1001(1000) ack 1
    20   > . 1001:2001(1000) ack 1
    30   < . 1:1(0) ack 1001
    90   > . 1001:2001(1000) ack 1
  `;
  const MORE = `
    110  send 1000
    110  > . 2001:3001(1000) ack 1
    120  < . 1:1(0) ack 3001
  `;

  it("has repaired a loss where nothing says that it came twice: the window is reduced once", () => {
    const { events, connection } = play(`${PROBED}\n 100 < . 1:1(0) ack 2001 \n ${MORE}`, SLOW);
    expect(events).toEqual(["120 loss: flight 1000, in flight 0, lost 1000", "120 recovered"]);
    expect(connection.counters).toMatchObject({ retransmissions: 1, timeouts: 0, fastRetransmits: 0 });
  });

  it.each([
    ["a DSACK", "100 < . 1:1(0) ack 2001 <sack 1001:2001>"],
    ["a duplicate acknowledgement", "95 < . 1:1(0) ack 2001 \n 100 < . 1:1(0) ack 2001"],
  ])("has repaired nothing where %s comes", (_, answers) => {
    expect(play(`${PROBED}\n ${answers} \n ${MORE}`, SLOW).events).toEqual([]);
  });

  it("is not followed by another: the timer starts again with it (section 7.3)", () => {
    const { timeouts } = play(
      `${PROBED}
      290 > . 1001:2001(1000) ack 1
      300 < . 1:1(0) ack 2001
    `,
      SLOW,
    );
    expect(timeouts).toEqual([1]);
  });

  it("with new data repairs nothing", () => {
    const control = recordingControl(2000);
    script(
      `${OPEN}
      20  send 3000
      20  > . 1:1001(1000) ack 1
      20  > . 1001:2001(1000) ack 1
      40  > . 2001:3001(1000) ack 1
      45  < . 1:1(0) ack 3001
      50  send 1000
      50  > . 3001:4001(1000) ack 1
      60  < . 1:1(0) ack 4001
    `,
      { congestionControl: () => control, ...SLOW },
    );
    expect(control.events).toEqual([]);
  });

  it("is not sent while SACK blocks report a hole (section 7.2)", () => {
    const { connection } = play(
      `${OPEN}
      20   send 2000
      20   > . 1:1001(1000) ack 1
      20   > . 1001:2001(1000) ack 1
      30   < . 1:1(0) ack 1 <sack 1001:2001>
      32.5 > . 1:1001(1000) ack 1
      150  state ESTABLISHED
    `,
      SLOW,
    );
    expect(connection.counters.retransmissions).toBe(1);
  });
});

describe("probes of a closed window (RFC 9293, section 3.8.6.1)", () => {
  it("are a FIN where nothing else is left, doubling until it is acknowledged", () => {
    const { timeouts } = play(
      `${OPEN}
      20   send 1000
      20   > . 1:1001(1000) ack 1
      30   < . 1:1(0) ack 1001 win 0
      # Two samples of 10 ms: the timeout is 25 ms.
      31   finish
      56   > F. 1001:1001(0) ack 1
      106  > F. 1001:1001(0) ack 1
      110  < . 1:1(0) ack 1002 win 0
      110  state FIN-WAIT-2
      300  state FIN-WAIT-2
    `,
      { rack: false },
    );
    expect(timeouts).toEqual([]);
  });

  it("are what fits, where it is less than a segment and less than half of the widest window", () => {
    play(
      `${OPEN}
      20  send 1000
      20  > . 1:1001(1000) ack 1
      30  < . 1:1(0) ack 1001 win 300
      31  send 5000
      56  > . 1001:1301(300) ack 1
      66  < . 1:1(0) ack 1301 win 60000
      66  > . 1301:2301(1000) ack 1
      66  > . 2301:3301(1000) ack 1
      66  > . 3301:4301(1000) ack 1
      66  > . 4301:5301(1000) ack 1
      66  > . 5301:6001(700) ack 1
    `,
      { rack: false },
    );
  });

  it("count as delivered when they have found room", () => {
    const { samples, finished } = play(
      `${OPEN}
      20  send 1000
      20  > . 1:1001(1000) ack 1
      30  < . 1:1(0) ack 1001 win 0
      31  send 1
      56  > . 1001:1002(1) ack 1
      66  < . 1:1(0) ack 1002 win 0
    `,
      { rack: false },
    );
    expect(samples.map(({ deliveredBytes, totalDelivered }) => [deliveredBytes, totalDelivered])).toEqual([
      [1000, 1000],
      [1, 1001],
    ]);
    expect(finished).toEqual([30, 66]);
  });

  it("end when the window opens, and begin with the plain timeout when it closes again", () => {
    play(
      `${OPEN}
      20   send 2000
      20   > . 1:1001(1000) ack 1
      20   > . 1001:2001(1000) ack 1
      30   < . 1:1(0) ack 2001 win 0
      31   send 2000
      # Samples: 10 and 10 ms.
      56   > . 2001:2002(1) ack 1
      106  > . 2001:2002(1) ack 1
      110  < . 1:1(0) ack 2001 win 1000
      110  > . 2001:3001(1000) ack 1
      120  < . 1:1(0) ack 3001 win 0
      # Three samples: RTTVAR 2.8125 ms.
      141.25 > . 3001:3002(1) ack 1
    `,
      { rack: false },
    );
  });

  it("are needed for an acknowledgement beyond what was sent to be believed", () => {
    play(`${OPEN}
      20  send 1000
      20  > . 1:1001(1000) ack 1
      30  < . 1:1(0) ack 1001 win 300
      31  send 5000
      32  < . 1:1(0) ack 1002 win 300
      32  > . 1001:1001(0) ack 1
    `);
  });
});

describe("small segments (RFC 9293, section 3.8.6.2.1)", () => {
  const NARROW = `
    0   connect
    0   > S 0:0(0)
    10  < S. 0:0(0) ack 1 win 1000 <mss 1460,sackOK>
    10  > . 1:1(0) ack 1
    20  send 3000
    20  > . 1:1001(1000) ack 1
  `;

  it("are sent where they fill half of the widest window", () => {
    play(`${NARROW}
      30  < . 1:1(0) ack 1001 win 500
      30  > . 1001:1501(500) ack 1
    `);
  });

  it("are not sent where they fill less", () => {
    play(`${NARROW}
      30  < . 1:1(0) ack 1001 win 499
      50  state ESTABLISHED
    `);
  });
});

describe("a FIN", () => {
  it("needs room in the window as a byte does", () => {
    play(
      `
      0   connect
      0   > S 0:0(0)
      10  < S. 0:0(0) ack 1 win 1000 <mss 1460,sackOK>
      10  > . 1:1(0) ack 1
      20  send 1000
      20  > . 1:1001(1000) ack 1
      20  finish
      20  state ESTABLISHED
      30  < . 1:1(0) ack 1001 win 1000
      30  > F. 1001:1001(0) ack 1
      30  state FIN-WAIT-1
    `,
      SLOW,
    );
  });

  it("goes with the last data where it is known by then", () => {
    const control = recordingControl(1000);
    const { finished } = script(
      `${OPEN}
      20  send 1500
      20  > . 1:1001(1000) ack 1
      20  finish
      30  < . 1:1(0) ack 1001
      30  > F. 1001:1501(500) ack 1
      40  < . 1:1(0) ack 1502
      40  state FIN-WAIT-2
    `,
      { congestionControl: () => control, ...SLOW },
    );
    expect(finished).toEqual([40]);
    // A FIN is no data.
    expect(control.samples.map(({ deliveredBytes }) => deliveredBytes)).toEqual([1000, 500]);
  });

  it("is reported once, though it arrives twice", () => {
    const { peerFinished } = play(`${OPEN}
      20  < F. 1:1(0) ack 1
      20  > . 1:1(0) ack 2
      30  < F. 1:1(0) ack 1
      30  > . 1:1(0) ack 2
    `);
    expect(peerFinished).toBe(1);
  });

  it("is not sent by a connection in TIME-WAIT that is finished again", () => {
    play(`${OPEN}
      20  finish
      20  > F. 1:1(0) ack 1
      30  < F. 1:1(0) ack 2
      30  > . 2:2(0) ack 2
      30  state TIME-WAIT
      32  finish
      32  send 100
      35  state TIME-WAIT
      41  state CLOSED
    `);
  });
});

describe("segments of an open connection (RFC 9293, section 3.10.7.4)", () => {
  it("without data are answered where they lie before what was acknowledged, and do no more", () => {
    const { samples } = play(`${OPEN}
      20  send 1000
      20  > . 1:1001(1000) ack 1
      21  < . 1:1001(1000) ack 1
      22  < . 1001:2001(1000) ack 1
      22  > . 1001:1001(0) ack 2001
      30  < . 1:1(0) ack 1001
      30  > . 1001:1001(0) ack 2001
      31  < . 2001:2001(0) ack 1001
    `);
    expect(samples).toHaveLength(1);
  });

  it("without ACK do nothing", () => {
    play(`${OPEN}
      20  < P 1:101(100)
      80  state ESTABLISHED
    `);
  });

  it("with RST at the end of the window do nothing, inside of it they are challenged (RFC 5961, section 3.2)", () => {
    play(
      `
      0   connect
      0   > S 0:0(0)
      10  < S. 0:0(0) ack 1 <mss 1460>
      10  > . 1:1(0) ack 1
      20  < R 2001:2001(0)
      30  < R 2000:2000(0)
      30  > . 1:1(0) ack 1
      40  < R 0:0(0)
      40  state ESTABLISHED
    `,
      { receiveBuffer: 2000 },
    );
  });

  it("change the window only where they are newer than the last that did", () => {
    const control = recordingControl(4000);
    script(
      `${OPEN}
      20  send 6000
      20  > . 1:1001(1000) ack 1
      20  > . 1001:2001(1000) ack 1
      20  > . 2001:3001(1000) ack 1
      20  > . 3001:4001(1000) ack 1
      30  < . 1:1(0) ack 2001 win 2000
      # Sent before, overtaken: its window does not count.
      31  < . 1:1(0) ack 1001 win 60000
      40  < . 1:1(0) ack 4001 win 1000
      40  > . 4001:5001(1000) ack 1
    `,
      { congestionControl: () => control, ...SLOW },
    );
  });
});

describe("an answer to a SYN (RFC 9293, section 3.10.7.4; RFC 7323, section 2)", () => {
  it("is challenged by a SYN with another sequence number", () => {
    script(`
      0     listen
      10    < S 0:0(0)
      10    > S. 0:0(0) ack 1
      500   < S 700:700(0)
      500   > . 1:1(0) ack 1
    `);
  });

  it("has a window scale of 0 where this end needs none and the other has one", () => {
    script(
      `
      0   listen
      10  < S 0:0(0) win 65535 <mss 1460,wscale 2>
      10  > S. 0:0(0) ack 1 <mss 1008,wscale 0>
      # 500 * 4 bytes.
      20  < . 1:1(0) ack 1 win 500
      20  send 5000
      20  > . 1:1001(1000) ack 1
      20  > . 1001:2001(1000) ack 1
    `,
      { receiveBuffer: 60_000, ...SLOW },
    );
  });

  it("has this end's window scale where the other's is 0", () => {
    script(
      `
      0   listen
      10  < S 0:0(0) win 65535 <mss 1460,wscale 0>
      10  > S. 0:0(0) ack 1 <mss 1008,wscale 4>
    `,
      { receiveBuffer: 1_000_000 },
    );
  });
});
