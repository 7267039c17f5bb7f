/** The events of a connection for its path chooser, and their times: each optional method of `PathChooser` at its moment. */
import { describe, expect, it } from "vitest";
import { FLAG_ECE, Segment, SegmentBuilder } from "../../../../src/base/packets/index.js";
import type { NextSegment, PathChooser, Round } from "../../../../src/fabric/hosts/index.js";
import { NS_PER_MS } from "../../../../src/fabric/sim/packet/index.js";
import { pairOfHosts, policy, steady } from "./relay.js";

/** A chooser that never moves, with some methods of its own. */
const chooser = (own: Partial<PathChooser>) => policy(() => ({ ...steady(), ...own }));

/** One way through a relay: two links of 250 us. */
const RTT = NS_PER_MS;

describe("a path chooser", () => {
  it("decides the selector of every ordinary segment where it wants to, and its NIC follows", () => {
    const asked: NextSegment[] = [];
    const selectorFor = (segment: NextSegment) => {
      asked.push(segment);
      return asked.length % 2;
    };
    const net = pairOfHosts([chooser({ selectorFor }), policy(steady)]);
    const [sender] = net.connect({ windowSegments: 4 });
    sender.send(800);
    net.network.simulation.run(20 * RTT);
    expect(sender.bytesAcknowledged).toBe(800);
    expect(asked.map(({ position, bytes }) => [position, bytes])).toEqual(
      Array.from({ length: 8 }, (_, i) => [100 * i, 100]),
    );
    expect(asked.slice(0, 5).map(({ nowNs }) => nowNs > 0)).toEqual([false, false, false, false, true]);
    // Relay y sees the four segments with selector 1; acknowledgements go by x.
    expect(net.relays[1].seen).toBe(4);
  });

  it("is notified of a fast retransmission and chooses its copies", () => {
    let heard = 0;
    const onFastRetransmit = () => {
      heard++;
      return [1, 0];
    };
    const net = pairOfHosts([chooser({ onFastRetransmit }), policy(steady)]);
    let lost = 0;
    net.relays[0].loses = ({ sequence, payloadLength }) =>
      payloadLength > 0 && sequence === 0 && lost++ === 0;
    const [sender] = net.connect({ windowSegments: 4 });
    sender.send(400);
    net.network.simulation.run(20 * RTT);
    expect([heard, net.relays[1].seen, sender.counters.copiesSent]).toEqual([1, 1, 1]);
    expect(sender.bytesAcknowledged).toBe(400);
    expect(sender.timeout.attempts).toBe(0);
  });

  it("gets the round-trip time with the acknowledgement that measured it", () => {
    const times: (number | undefined)[] = [];
    const net = pairOfHosts([chooser({ onAck: (_marks, rttNs) => times.push(rttNs) }), policy(steady)]);
    const [sender] = net.connect({ windowSegments: 2 });
    sender.send(400);
    net.network.simulation.run(20 * RTT);
    const measured = times.filter((time) => time !== undefined);
    // One segment of a window is timed.
    expect(times).toHaveLength(4);
    expect(measured).toHaveLength(2);
    for (const time of measured) expect(Math.abs(time - RTT)).toBeLessThan(RTT / 100);
  });

  it("is notified of each round once, with what was acknowledged and marked in it", () => {
    const rounds: Round[] = [];
    const net = pairOfHosts([
      { ...chooser({ onRound: (round) => rounds.push(round) }), ecn: true },
      policy(steady),
    ]);
    // A relay has no queue of its own: it marks the last two of four segments, as a switch does under congestion.
    net.network.observer = (channel, frame) => {
      const segment = new Segment();
      if (channel.target !== net.b || !segment.read(frame) || segment.payloadLength === 0) return;
      expect(frame[15]! & 3).toBe(2);
      if (segment.sequence % 400 >= 200) mark(frame);
    };
    const [sender] = net.connect({ windowSegments: 4 });
    sender.send(2000);
    net.network.simulation.run(30 * RTT);
    expect(sender.bytesAcknowledged).toBe(2000);
    const whole = rounds.slice(0, 3);
    expect(whole.map(({ ackedBytes, markedBytes }) => [ackedBytes, markedBytes])).toEqual([
      [400, 200],
      [400, 200],
      [400, 200],
    ]);
    for (const { durationNs } of whole) expect(Math.abs(durationNs - RTT)).toBeLessThan(RTT / 100);
  });

  it("is notified of a pause before the first segment after it, and of no shorter one than a timeout", () => {
    const pauses: number[] = [];
    const net = pairOfHosts([chooser({ onIdle: (idleNs) => pauses.push(idleNs) }), policy(steady)]);
    const { simulation } = net.network;
    const [sender] = net.connect();
    sender.send(100);
    simulation.run(3 * RTT);
    sender.send(100);
    expect(pauses).toEqual([]);
    simulation.run(103 * RTT);
    sender.send(100);
    expect(pauses).toEqual([100 * RTT]);
  });

  it("is notified of no pause before its first segment, nor while there is nothing to send", () => {
    const pauses: number[] = [];
    const net = pairOfHosts([chooser({ onIdle: (idleNs) => pauses.push(idleNs) }), policy(steady)]);
    const { simulation } = net.network;
    const [sender] = net.connect();
    // Longer than the initial timeout.
    simulation.run(10_000 * NS_PER_MS);
    sender.send(100);
    simulation.run(20_000 * NS_PER_MS);
    sender.send(0);
    expect(pauses).toEqual([]);
  });

  it("of a receiver is notified how late overtaken data arrived, not of copies", () => {
    const late: number[] = [];
    const net = pairOfHosts([policy(steady), chooser({ onReordering: (bytes) => late.push(bytes) })]);
    let lost = 0;
    net.relays[0].loses = ({ sequence, payloadLength }) =>
      payloadLength > 0 && sequence === 100 && lost++ === 0;
    const [sender] = net.connect({ windowSegments: 8 });
    sender.send(800);
    net.network.simulation.run(40 * RTT);
    expect(sender.bytesAcknowledged).toBe(800);
    expect(late).toEqual([700]);
  });
});

describe("a segment without the echo option", () => {
  it("is read, acknowledges data, and does not notify the chooser", () => {
    const heard: unknown[] = [];
    const own = { onAck: () => heard.push("ack"), onData: () => [heard.push("data")] };
    const net = pairOfHosts([chooser(own), policy(steady)]);
    net.relays[0].loses = () => true;
    const [sender] = net.connect();
    sender.send(100);
    const frame = withoutOptions(ackFor(net.b.address(4), net.a.address(4), 100));
    const segment = new Segment();
    expect(segment.read(frame)).toBe(true);
    expect([segment.hasEcho, segment.payloadLength, segment.acknowledgement]).toEqual([false, 0, 100]);
    net.a.receive(1, frame);
    expect(sender.bytesAcknowledged).toBe(100);
    expect(heard).toEqual([]);
  });

  it("with the ECE flag counts as marked only with the option", () => {
    const marked: (boolean | undefined)[] = [];
    const net = pairOfHosts([chooser({ onAck: (marks) => marked.push(marks.marked) }), policy(steady)]);
    net.relays[0].loses = () => true;
    const [sender] = net.connect();
    sender.send(100);
    net.a.receive(1, ackFor(net.b.address(4), net.a.address(4), 100, FLAG_ECE));
    expect(marked).toEqual([true]);
  });
});

/** Sets CE in an IPv4 packet, with a right header checksum (RFC 1624). */
function mark(frame: Uint8Array): void {
  frame[15]! |= 3;
  frame.fill(0, 24, 26);
  let sum = 0;
  for (let at = 14; at < 34; at += 2) sum += (frame[at]! << 8) | frame[at + 1]!;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  frame[24] = (~sum >> 8) & 0xff;
  frame[25] = ~sum & 0xff;
}

function ackFor(src: bigint, dst: bigint, acknowledgement: number, flags = 0): Uint8Array {
  const codec = { headersOf: () => ({ dscp: 0, vlan: undefined, flowLabel: 0 }), selectorOf: () => 0 };
  const ends = {
    ipVersion: 4,
    srcMac: 1n,
    dstMac: 0x0200_0000_0010n,
    src,
    dst,
    srcPort: 5201,
    dstPort: 40000,
  } as const;
  return new SegmentBuilder(ends, codec).build(0, acknowledgement, 0, 0x10 | flags, 0, 0);
}

/** The same IPv4 segment with a TCP header of 20 bytes. */
function withoutOptions(frame: Uint8Array): Uint8Array {
  const bytes = frame.slice(0, 54);
  const put = (at: number, value: number) => {
    bytes[at] = value >> 8;
    bytes[at + 1] = value & 0xff;
  };
  const sum = (from: number, to: number, start: number) => {
    let total = start;
    for (let at = from; at < to; at += 2) total += (bytes[at]! << 8) | bytes[at + 1]!;
    while (total > 0xffff) total = (total & 0xffff) + (total >>> 16);
    return ~total & 0xffff;
  };
  put(16, 40);
  put(24, 0);
  put(24, sum(14, 34, 0));
  bytes[46] = 5 << 4;
  put(50, 0);
  put(50, sum(26, 54, 6 + 20));
  return bytes;
}
