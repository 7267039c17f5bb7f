/** What a path chooser decides of the segments of a connection, at exact times: held data, copies, marks, round trips. */
import { describe, expect, it } from "vitest";
import type { PathChooser, Round, SegmentMarks } from "../../../../src/fabric/hosts/index.js";
import type { TcpOptions } from "../../../../src/fabric/sim/packet/index.js";
import { recordingControl } from "./recording-control.js";
import { script } from "./script.js";

const OPEN = `
  0   connect
  0   > S 0:0(0)
  10  < S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
  10  > . 1:1(0) ack 1
`;

const play = (text: string, chooser: Partial<PathChooser>, options: Partial<TcpOptions> = {}) =>
  script(
    `${OPEN}\n${text}`,
    { congestionControl: () => recordingControl(4000), floor: 200e6, ...options },
    chooser,
  );

/** Falls to one segment at a timeout, and opens wide with the next acknowledgement. */
function shrinking(undone = () => {}) {
  let window = 4000;
  return Object.defineProperties(recordingControl(4000), {
    window: { get: () => window },
    onTimeout: { value: () => void (window = 1000) },
    onAck: { value: () => void (window = 20_000) },
    onUndo: { value: undone },
  });
}

/** Segments `from` to `to` of 1000 bytes, sent at one time. */
const sends = (at: number, from: number, to: number) =>
  Array.from(
    { length: to - from + 1 },
    (_, i) => `${at} > . ${(from + i) * 1000 + 1}:${(from + i + 1) * 1000 + 1}(1000) ack 1`,
  ).join("\n");

describe("a chooser that holds", () => {
  it("keeps new data back until all that was sent has arrived", () => {
    const state = { holds: false, drained: 0 };
    const chooser: Partial<PathChooser> = {
      get holds() {
        return state.holds;
      },
      onAck: () => {
        state.holds = state.drained === 0;
      },
      onDrained: () => {
        state.drained++;
        state.holds = false;
      },
    };
    const { connection } = play(
      `
      20  send 8000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 2001
      40  < . 1:1(0) ack 4001
      ${sends(40, 4, 7)}
      50  < . 1:1(0) ack 8001
    `,
      chooser,
    );
    expect(state.drained).toBe(2);
    // The acknowledgement at 30 would have let new data go; the last segment before them left at 20.
    expect(connection.counters).toMatchObject({ heldNs: 10e6, longestSilenceNs: 20e6 });
  });

  it("does not keep F-RTO waiting: without new data the retransmissions go on at once (RFC 5682, section 3.1, step 2b)", () => {
    const state = { holds: false };
    const chooser: Partial<PathChooser> = {
      get holds() {
        return state.holds;
      },
      onTimeout: () => {
        state.holds = true;
        return [0];
      },
      onDrained: () => {
        state.holds = false;
      },
    };
    play(
      `
      20   send 8000
      ${sends(20, 0, 3)}
      220  > . 1:1001(1000) ack 1
      230  < . 1:1(0) ack 1001
      ${sends(230, 1, 3)}
      240  < . 1:1(0) ack 4001
      ${sends(240, 4, 7)}
    `,
      chooser,
      { rack: false, congestionControl: () => shrinking() },
    );
  });

  it("lets data go where nothing is in flight", () => {
    play(
      `
      20  send 2000
      ${sends(20, 0, 0)}
      30  < . 1:1(0) ack 1001
      ${sends(30, 1, 1)}
      40  < . 1:1(0) ack 2001
    `,
      { holds: true },
    );
  });
});

describe("copies", () => {
  it("of a fast retransmission are as many as the chooser names", () => {
    const { connection } = play(
      `
      20  send 4000
      ${sends(20, 0, 3)}
      30  < . 1:1(0) ack 1 <sack 1001:4001>
      ${sends(30, 0, 0)}
      ${sends(30, 0, 0)}
      40  < . 1:1(0) ack 4001
    `,
      { onFastRetransmit: () => [0, 0] },
    );
    expect(connection.counters).toMatchObject({ copiesSent: 1, retransmissions: 2, fastRetransmits: 1 });
  });

  it("of a timeout's retransmission are as many as the chooser names", () => {
    const { connection } = play(
      `
      20   send 1000
      ${sends(20, 0, 0)}
      220  > . 1:1001(1000) ack 1
      220  > . 1:1001(1000) ack 1
      230  < . 1:1(0) ack 1001
    `,
      { onTimeout: () => [0, 0] },
      { rack: false },
    );
    expect(connection.counters).toMatchObject({ copiesSent: 1, retransmissions: 2, timeouts: 1 });
  });

  it("of a timeout's retransmission that arrive twice do not say that the timeout was needless (RFC 3708, section 3.1)", () => {
    let undone = 0;
    const { connection } = play(
      `
      20   send 4000
      ${sends(20, 0, 3)}
      220  > . 1:1001(1000) ack 1
      220  > . 1:1001(1000) ack 1
      230  < . 1:1(0) ack 1001
      ${sends(230, 1, 3)}
      # The second copy, whose acknowledgement comes in two copies itself.
      231  < . 1:1(0) ack 1001 <sack 1:1001>
      231  < . 1:1(0) ack 1001 <sack 1:1001>
      232  < . 1:1(0) ack 1001 <sack 1:1001>
      233  < . 1:1(0) ack 1001 <sack 1:1001>
      234  < . 1:1(0) ack 1001 <sack 1:1001>
      240  < . 1:1(0) ack 4001
    `,
      { onTimeout: () => [0, 0] },
      { rack: false, congestionControl: () => shrinking(() => undone++) },
    );
    expect(undone).toBe(0);
    expect(connection.counters).toMatchObject({ timeouts: 1, retransmissions: 5 });
  });

  it("of an acknowledgement go at once; without one for a segment, nothing goes", () => {
    const { connection } = play(
      `
      20  < . 1:1001(1000) ack 1
      20  > . 1:1(0) ack 1001
      20  > . 1:1(0) ack 1001
    `,
      { onData: () => [0, 0] },
    );
    expect(connection.counters.copiesSent).toBe(1);
    play(
      `
      20  < . 1:1001(1000) ack 1
      21  < . 1001:2001(1000) ack 1
      90  state ESTABLISHED
    `,
      { onData: () => [] },
    );
  });
});

describe("the events of a chooser", () => {
  it("of an acknowledgement is its marks, and a round trip where it measures one", () => {
    const heard: [SegmentMarks, number | undefined][] = [];
    const rounds: Round[] = [];
    play(
      `
      20   send 2000
      ${sends(20, 0, 1)}
      30   < . 1:1(0) ack 1001
      220  > . 1001:2001(1000) ack 1
      240  < .E 1:1(0) ack 2001
      250  send 1000
      ${sends(250, 2, 2)}
      265  < . 1:1(0) ack 3001
      270  < . 1:1(0) ack 3001
    `,
      {
        onAck: (marks, rttNs) => heard.push([{ ...marks }, rttNs]),
        onRound: (round) => rounds.push(round),
      },
      { rack: false, floor: 190e6 },
    );
    expect(heard).toEqual([
      [{ selector: 0, echo: 0 }, 10e6],
      [{ selector: 0, echo: 0, marked: true }, undefined],
      [{ selector: 0, echo: 0 }, 15e6],
    ]);
    // The first acknowledgement begins the first round; what was sent later ends it.
    expect(rounds).toEqual([{ ackedBytes: 2000, markedBytes: 1000, durationNs: 235e6 }]);
  });

  it("of data that came late is how far they were overtaken, once", () => {
    const late: number[] = [];
    const data: boolean[] = [];
    const { connection } = play(
      `
      20  < . 1001:2001(1000) ack 1
      20  > . 1:1(0) ack 1 <sack 1001:2001>
      21  < . 1:1001(1000) ack 1
      21  > . 1:1(0) ack 2001
      22  < . 1:1001(1000) ack 1
      22  > . 1:1(0) ack 2001 <sack 1:1001>
      # Of a segment that is known in part, the new part came in order.
      23  < . 1001:3001(2000) ack 1
      23  > . 1:1(0) ack 3001 <sack 1001:2001>
    `,
      {
        onReordering: (bytes) => late.push(bytes),
        onData: (_, duplicate) => {
          data.push(duplicate);
          return [0];
        },
      },
    );
    expect(late).toEqual([2000]);
    expect(data).toEqual([false, false, true, false]);
    expect(connection.counters).toMatchObject({ reordered: 1, maxReorderingBytes: 2000 });
  });
});

describe("ECN after a timeout (RFC 3168, section 6.1.2)", () => {
  it("reports with the next new data that the window was reduced", () => {
    script(
      `
      0    connect
      0    > SEW 0:0(0)
      10   < S.E 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
      10   > . 1:1(0) ack 1
      20   send 2000
      20   > ect . 1:1001(1000) ack 1
      50   > not-ect . 1:1001(1000) ack 1
      60   < . 1:1(0) ack 1001
      60   > ect .W 1001:2001(1000) ack 1
    `,
      { congestionControl: () => recordingControl(1000), ecn: "classic", rack: false },
    );
  });
});
