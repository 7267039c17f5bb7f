/** What a receiver answers, and when: RFC 5681, 9293, 2018, 2883, 3168 and 8257. */
import { describe, expect, it } from "vitest";
import { script } from "./script.js";

const ACCEPTED = `
  0   listen
  10  < S 0:0(0) win 65535 <mss 1460,sackOK>
  10  > S. 0:0(0) ack 1
  20  < . 1:1(0) ack 1
`;

describe("acknowledgements (RFC 5681, section 4.2)", () => {
  it("answer every second segment at once, a single one after the time of delay", () => {
    script(`${ACCEPTED}
      30  < . 1:1001(1000) ack 1
      31  < . 1001:2001(1000) ack 1
      31  > . 1:1(0) ack 2001
      50  < . 2001:3001(1000) ack 1
      90  > . 1:1(0) ack 3001
    `);
  });

  it("go with data that are sent in the meantime", () => {
    script(`${ACCEPTED}
      30  < . 1:1001(1000) ack 1
      35  send 200
      35  > . 1:201(200) ack 1001
      40  < . 1001:1001(0) ack 201
      80  state ESTABLISHED
    `);
  });

  it("are sent at once for data out of order, and for what fills the gap", () => {
    script(`${ACCEPTED}
      30  < . 1001:2001(1000) ack 1
      30  > . 1:1(0) ack 1 <sack 1001:2001>
      32  < . 1:1001(1000) ack 1
      32  > . 1:1(0) ack 2001 <>
    `);
  });

  it("wait from the first segment on, however many there are", () => {
    script(
      `${ACCEPTED}
      30  < . 1:1001(1000) ack 1
      50  < . 1001:2001(1000) ack 1
      70  > . 1:1(0) ack 2001
      75  < . 2001:3001(1000) ack 1
      76  < . 3001:4001(1000) ack 1
      77  < . 4001:5001(1000) ack 1
      77  > . 1:1(0) ack 5001
    `,
      { delayedAck: { segments: 3, timeout: 40e6 } },
    );
  });

  it("are sent at once for a FIN", () => {
    script(`${ACCEPTED}
      30  < F. 1:1001(1000) ack 1
      30  > . 1:1(0) ack 1002
    `);
  });
});

describe("SACK blocks (RFC 2018, section 4)", () => {
  it("begin with the one of the segment that came last, then those reported before; three have room beside the echo", () => {
    script(`${ACCEPTED}
      30  < . 1001:2001(1000) ack 1
      30  > . 1:1(0) ack 1 <sack 1001:2001>
      31  < . 3001:4001(1000) ack 1
      31  > . 1:1(0) ack 1 <sack 3001:4001,sack 1001:2001>
      32  < . 5001:6001(1000) ack 1
      32  > . 1:1(0) ack 1 <sack 5001:6001,sack 3001:4001,sack 1001:2001>
      33  < . 7001:8001(1000) ack 1
      33  > . 1:1(0) ack 1 <sack 7001:8001,sack 5001:6001,sack 3001:4001>
      34  < . 2001:3001(1000) ack 1
      34  > . 1:1(0) ack 1 <sack 1001:4001,sack 7001:8001,sack 5001:6001>
    `);
  });

  it("report an island that has grown once", () => {
    script(`${ACCEPTED}
      30  < . 1001:2001(1000) ack 1
      30  > . 1:1(0) ack 1 <sack 1001:2001>
      31  < . 4001:5001(1000) ack 1
      31  > . 1:1(0) ack 1 <sack 4001:5001,sack 1001:2001>
      32  < . 2001:3001(1000) ack 1
      32  > . 1:1(0) ack 1 <sack 1001:3001,sack 4001:5001>
      33  < . 1:1001(1000) ack 1
      33  > . 1:1(0) ack 3001 <sack 4001:5001>
    `);
  });

  it("report a segment that came twice once (RFC 2883, section 4.1)", () => {
    script(`${ACCEPTED}
      30  < . 1:1001(1000) ack 1
      31  < . 1:1001(1000) ack 1
      31  > . 1:1(0) ack 1001 <sack 1:1001>
      32  < . 2001:3001(1000) ack 1
      32  > . 1:1(0) ack 1001 <sack 2001:3001>
    `);
  });

  it("report a duplicate above a gap together with its island (RFC 2883, section 4.1.2)", () => {
    script(`${ACCEPTED}
      30  < . 1001:3001(2000) ack 1
      30  > . 1:1(0) ack 1 <sack 1001:3001>
      31  < . 1001:2001(1000) ack 1
      31  > . 1:1(0) ack 1 <sack 1001:2001,sack 1001:3001>
    `);
  });

  it("include a FIN, with data and alone: it has a sequence number (section 3)", () => {
    script(`${ACCEPTED}
      30  < F. 1001:2001(1000) ack 1
      30  > . 1:1(0) ack 1 <sack 1001:2002>
      31  < . 1:1001(1000) ack 1
      31  > . 1:1(0) ack 2002 <>
    `);
    script(`${ACCEPTED}
      30  < F. 1001:1001(0) ack 1
      30  > . 1:1(0) ack 1 <sack 1001:1002>
      31  < . 1:1001(1000) ack 1
      31  > . 1:1(0) ack 1002 <>
    `);
  });

  it("report a FIN that came twice, with its data (RFC 2883, section 4.1)", () => {
    script(`${ACCEPTED}
      30  < F. 1:1001(1000) ack 1
      30  > . 1:1(0) ack 1002 <>
      31  < F. 1:1001(1000) ack 1
      31  > . 1:1(0) ack 1002 <sack 1:1002>
      32  < F. 1001:1001(0) ack 1
      32  > . 1:1(0) ack 1002 <sack 1001:1002>
    `);
  });

  it("are absent where the other end did not permit them", () => {
    script(`
      0   listen
      10  < S 0:0(0) win 65535 <mss 1460>
      10  > S. 0:0(0) ack 1 <mss 1008>
      20  < . 1:1(0) ack 1
      30  < . 1001:2001(1000) ack 1
      30  > . 1:1(0) ack 1 <>
    `);
  });
});

describe("the window that is offered (RFC 9293, section 3.8.6)", () => {
  it("shrinks while the application does not read, refuses what is too much, and opens at once when it reads", () => {
    script(
      `${ACCEPTED}
      30  pause
      30  < . 1:1001(1000) ack 1
      31  < . 1001:2001(1000) ack 1
      31  > . 1:1(0) ack 2001 win 500
      # Half of it has room.
      32  < . 2001:3001(1000) ack 1
      32  > . 1:1(0) ack 2501 win 0
      # A probe of the closed window.
      40  < . 2501:2502(1) ack 1
      40  > . 1:1(0) ack 2501 win 0
      50  resume
      50  > . 1:1(0) ack 2501 win 2500
    `,
      { receiveBuffer: 2500 },
    );
  });

  it("is not told anew by an application that reads on", () => {
    script(`${ACCEPTED}
      30  resume
      35  state ESTABLISHED
    `);
  });

  it("is scaled beyond 65,535 bytes, in segments with SYN it is not (RFC 7323, section 2.2)", () => {
    script(
      `
      0   listen
      10  < S 0:0(0) win 65535 <mss 1460,sackOK,wscale 2>
      10  > S. 0:0(0) ack 1 win 65535 <mss 1008,sackOK,wscale 5>
      20  < . 1:1(0) ack 1
      30  < . 1:1001(1000) ack 1
      70  > . 1:1(0) ack 1001 win 62500
    `,
      { receiveBuffer: 2_000_000 },
    );
  });
});

const WITH_ECN = `
  0   listen
  10  < SEW 0:0(0) win 65535 <mss 1460,sackOK>
  10  > S.E 0:0(0) ack 1
  20  < . 1:1(0) ack 1
`;

describe("marks", () => {
  it("come back in every acknowledgement until CWR (RFC 3168, section 6.1.3)", () => {
    script(
      `${WITH_ECN}
      30  < ce . 1:1001(1000) ack 1
      31  < ect . 1001:2001(1000) ack 1
      31  > .E 1:1(0) ack 2001
      32  < ect . 2001:3001(1000) ack 1
      33  < ect . 3001:4001(1000) ack 1
      33  > .E 1:1(0) ack 4001
      34  < ect .W 4001:5001(1000) ack 1
      35  < ect . 5001:6001(1000) ack 1
      35  > . 1:1(0) ack 6001
    `,
      { ecn: "classic" },
    );
  });

  it("are reported exactly: a change of them ends the wait of an acknowledgement (RFC 8257, section 3.2)", () => {
    const { connection } = script(
      `${WITH_ECN}
      30  < ect . 1:1001(1000) ack 1
      31  < ce . 1001:2001(1000) ack 1
      31  > . 1:1(0) ack 1001
      31  > .E 1:1(0) ack 2001
      32  < ce . 2001:3001(1000) ack 1
      33  < ce . 3001:4001(1000) ack 1
      33  > .E 1:1(0) ack 4001
      34  < ect . 4001:5001(1000) ack 1
      34  > . 1:1(0) ack 5001
    `,
      { ecn: "accurate" },
    );
    expect(connection.counters.marked).toBe(3);
  });

  it("are also reported exactly by segments with CWR: CWR does not concern RFC 8257", () => {
    script(
      `${WITH_ECN}
      30  < ce . 1:1001(1000) ack 1
      30  > .E 1:1(0) ack 1001
      31  < ce .W 1001:2001(1000) ack 1
      71  > .E 1:1(0) ack 2001
    `,
      { ecn: "accurate" },
    );
  });

  it("come back on packets that cannot be marked themselves (RFC 3168, section 6.1.4)", () => {
    script(
      `${WITH_ECN}
      30  < ce . 1:1001(1000) ack 1
      31  send 1000
      31  > ect .E 1:1001(1000) ack 1001
      40  < ect . 1001:2001(1000) ack 1001
      41  < ect . 2001:3001(1000) ack 1001
      41  > not-ect .E 1001:1001(0) ack 3001
    `,
      { ecn: "classic" },
    );
  });

  it.each(["SE", "SW"])(
    "are not for a connection whose SYN has the flags %s alone (RFC 3168, section 6.1.1)",
    (flags) => {
      script(
        `
      0   listen
      10  < ${flags} 0:0(0) win 65535 <mss 1460,sackOK>
      10  > S. 0:0(0) ack 1
      20  < . 1:1(0) ack 1
      30  send 1000
      30  > not-ect . 1:1001(1000) ack 1
    `,
        { ecn: "classic" },
      );
    },
  );

  it("are not for a connection whose other end has not asked (RFC 3168, section 6.1.1)", () => {
    script(
      `${ACCEPTED}
      30  < ce . 1:1001(1000) ack 1
      70  > not-ect . 1:1(0) ack 1001
      80  send 1000
      80  > not-ect . 1:1001(1000) ack 1001
    `,
      { ecn: "classic" },
    );
  });
});
