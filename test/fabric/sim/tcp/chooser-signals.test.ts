/** The events of a TCP connection for its path chooser, and their times: the table of ARCHITECTURE.md, as for the fixed stream. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import type { NextSegment, PathChooser, Round } from "../../../../src/fabric/hosts/index.js";
import {
  CONGESTION_CONTROLS,
  NS_PER_MS,
  NS_PER_S,
  type TcpConnection,
  type TcpOptions,
} from "../../../../src/fabric/sim/packet/index.js";
import { pairOfHosts, policy, steady } from "../packet/relay.js";
import { tcp } from "./options.js";
import { markCe } from "./script.js";

const chooser = (own: Partial<PathChooser>) => policy(() => ({ ...steady(), ...own }));
const RTT = NS_PER_MS;

/** Both ends are open; the client sends. */
function open(
  client: Partial<PathChooser>,
  server: Partial<PathChooser> = {},
  options: Partial<TcpOptions> = {},
) {
  const net = pairOfHosts([chooser(client), chooser(server)]);
  const random = new Random(1);
  const all = tcp({ delayedAck: { segments: 1, timeout: 0 }, ...options });
  const peer = (host: typeof net.a, port: number) => ({ address: host.address(4), port });
  const sender = net.a.open(4, 40000, peer(net.b, 80), random.fork("a"), all) as TcpConnection;
  const receiver = net.b.open(4, 80, peer(net.a, 40000), random.fork("b"), all) as TcpConnection;
  return { net, simulation: net.network.simulation, sender, receiver };
}

describe("a path chooser of TCP", () => {
  it("decides the selector of every segment of data, those that are sent again too", () => {
    const asked: NextSegment[] = [];
    const selectorFor = (segment: NextSegment) => {
      asked.push(segment);
      return asked.length % 2;
    };
    const { net, simulation, sender } = open({ selectorFor });
    sender.send(800);
    simulation.run(20 * RTT);
    expect(asked.map(({ position, bytes }) => [position, bytes])).toEqual(
      Array.from({ length: 8 }, (_, i) => [100 * i, 100]),
    );
    expect(net.relays[1].seen).toBe(4);
  });

  it("is notified of a fast retransmission and chooses its copies", () => {
    let heard = 0;
    const { net, simulation, sender } = open({
      onFastRetransmit: () => {
        heard++;
        return [1, 0];
      },
    });
    let lost = 0;
    net.relays[0].loses = ({ payloadLength }) => payloadLength > 0 && lost++ === 0;
    sender.send(600);
    simulation.run(20 * RTT);
    expect(sender.bytesAcknowledged).toBe(600);
    expect([heard, net.relays[1].seen, sender.counters.copiesSent]).toEqual([1, 1, 1]);
    expect(sender.counters).toMatchObject({ timeouts: 0, fastRetransmits: 1, retransmissions: 2 });
  });

  it("is notified of each timeout with its number, and its selectors carry the copies", () => {
    const attempts: number[] = [];
    const { net, simulation, sender } = open({
      onTimeout: (attempt) => {
        attempts.push(attempt);
        return [0, 1];
      },
    });
    net.relays[0].loses = () => true;
    net.relays[1].loses = ({ payloadLength }) => payloadLength > 0 && attempts.length < 3;
    sender.send(100);
    simulation.run(60 * NS_PER_S);
    expect(attempts.slice(0, 3)).toEqual([1, 2, 3]);
    expect(sender.counters.copiesSent).toBe(sender.counters.timeouts);
  });

  it("is notified of a timeout of its SYN", () => {
    const attempts: number[] = [];
    const net = pairOfHosts([
      chooser({
        onTimeout: (attempt) => {
          attempts.push(attempt);
          return [1];
        },
      }),
      policy(steady),
    ]);
    net.relays[0].loses = () => attempts.length === 0;
    net.b.listen(80, tcp(), () => {}, new Random(1));
    const connection = net.a.connect(4, 40000, { address: net.b.address(4), port: 80 }, new Random(1), tcp());
    net.network.simulation.run(1.5 * NS_PER_S);
    expect([attempts, connection.state, net.relays[1].seen]).toEqual([[1], "ESTABLISHED", 1]);
  });

  it("gets the round-trip time with each acknowledgement that measures one", () => {
    const times: (number | undefined)[] = [];
    const { simulation, sender } = open({ onAck: (_marks, rttNs) => times.push(rttNs) });
    sender.send(400);
    simulation.run(20 * RTT);
    expect(times).toHaveLength(4);
    for (const time of times) expect(Math.abs(time! - RTT)).toBeLessThan(RTT / 100);
  });

  it("is notified of each round once, with its bytes", () => {
    const rounds: Round[] = [];
    const { simulation, sender } = open({ onRound: (round) => rounds.push(round) }, {}, { initialWindow: 4 });
    sender.send(3000);
    simulation.run(30 * RTT);
    // Slow start: 8 segments in the second round, 16 in the third.
    expect(rounds.slice(0, 2).map(({ ackedBytes }) => ackedBytes)).toEqual([400, 800]);
    for (const { durationNs } of rounds.slice(0, 2))
      expect(Math.abs(durationNs - RTT)).toBeLessThan(RTT / 50);
  });

  it("is notified of a pause of at least a timeout before the first segment after it", () => {
    const pauses: number[] = [];
    const { simulation, sender } = open({ onIdle: (idleNs) => pauses.push(idleNs) });
    sender.send(100);
    simulation.run(3 * RTT);
    sender.send(100);
    expect(pauses).toEqual([]);
    simulation.run(103 * RTT);
    sender.send(100);
    expect(pauses).toEqual([100 * RTT]);
  });

  it("gets the marks that it keeps from its transport: DCTCP grows as without any", () => {
    const run = (own: Partial<PathChooser>, marks: boolean) => {
      let marked = 0;
      const onAck: PathChooser["onAck"] = (segment) => {
        if (segment.marked === true) marked++;
      };
      const dctcp = { congestionControl: CONGESTION_CONTROLS.dctcp, ecn: "accurate" as const };
      const { net, simulation, sender } = open({ onAck, ...own }, {}, dctcp);
      net.network.observer = (channel, frame) => {
        if (marks && channel.target === net.b && (frame[15]! & 3) === 2) markCe(frame);
      };
      sender.send(5000);
      simulation.run(60 * RTT);
      expect(sender.bytesAcknowledged).toBe(5000);
      return { marked, window: sender.congestionControl.window };
    };
    const free = run({}, false);
    const heard = run({}, true);
    expect(run({ masksMarks: true }, true)).toEqual({ marked: heard.marked, window: free.window });
    expect(heard.marked).toBeGreaterThan(30);
    expect(heard.window).toBeLessThan(free.window / 2);
  });

  it("of a receiver is notified of data, copies, and how late data arrived", () => {
    const late: number[] = [];
    const data: boolean[] = [];
    const { net, simulation, sender } = open(
      {},
      {
        onReordering: (bytes) => late.push(bytes),
        onData: (_marks, duplicate) => {
          data.push(duplicate);
          return [0];
        },
      },
    );
    let lost = 0;
    net.relays[0].loses = ({ sequence, payloadLength }) =>
      payloadLength > 0 && sequence === 100 && lost++ === 0;
    sender.send(800);
    simulation.run(40 * RTT);
    expect(sender.bytesAcknowledged).toBe(800);
    expect(late).toEqual([700]);
    expect(data).toEqual(Array(8).fill(false));
  });
});
