import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { unwrap } from "../../../../src/base/packets/index.js";
import { type PathChooser, ReceiveWindow, type SegmentMarks } from "../../../../src/fabric/hosts/index.js";
import { NS_PER_MS, NS_PER_S, RetransmissionTimeout } from "../../../../src/fabric/sim/packet/index.js";
import { pairOfHosts, policy, steady } from "./relay.js";

describe("receive window", () => {
  it("knows of every byte whether it has arrived", () => {
    const ranges = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 15 })), { maxLength: 60 });
    fc.assert(
      fc.property(ranges, (list) => {
        const window = new ReceiveWindow();
        const seen = new Set<number>();
        for (const [start, length] of list) {
          let isNew = false;
          for (let i = start; i < start + length; i++) {
            isNew ||= !seen.has(i);
            seen.add(i);
          }
          expect(window.add(start, start + length)).toBe(isNew);
          let next = 0;
          while (seen.has(next)) next++;
          expect(window.next).toBe(next);
        }
      }),
    );
  });
});

describe("stream positions", () => {
  it("are found again from their low 32 bits", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 40), fc.integer({ min: -(2 ** 30), max: 2 ** 30 }), (expected, offset) => {
        const position = Math.max(0, expected + offset);
        expect(unwrap(position % 2 ** 32, expected)).toBe(position);
      }),
    );
  });
});

/** Times in microseconds. Each row: an RTT sample, then SRTT, RTTVAR and RTO after it, by the formulas of RFC 6298, section 2. */
const RFC_6298 = [
  [100, 100, 50, 300],
  [200, 112.5, 62.5, 362.5],
  [100, 110.9375, 50, 310.9375],
  [100, 109.5703125, 40.234375, 270.5078125],
  [500, 158.3740234375, 127.783203125, 669.5068359375],
] as const;

describe("RFC 6298", () => {
  it.each([0, 1, 2, 3, 4].map((i) => [i, RFC_6298[i]![0]] as const))(
    "sample %i, %i us: smoothed RTT, deviation and timeout",
    (last) => {
      const timeout = new RetransmissionTimeout({ margin: 0, cap: NS_PER_S, initial: NS_PER_S });
      for (const [rtt] of RFC_6298.slice(0, last + 1)) timeout.sample(rtt * 1000);
      const [, smoothed, deviation, rto] = RFC_6298[last]!;
      expect(timeout.smoothedRtt).toBe(smoothed * 1000);
      expect(timeout.current).toBe(Math.round(rto * 1000));
      expect((rto - smoothed) / 4).toBe(deviation);
    },
  );
});

describe("RFC 5681", () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 1],
    [4, 1],
    [7, 1],
  ])("%i duplicate acknowledgements: %i fast retransmissions", (duplicates, retransmissions) => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    let lost = 0;
    net.relays[0].loses = ({ sequence, payloadLength }) =>
      payloadLength > 0 && sequence === 0 && lost++ === 0;
    // Each segment after the lost one causes a duplicate.
    const [sender, receiver] = net.connect({ windowSegments: duplicates + 1 });
    sender.send(100 * (duplicates + 1));
    net.network.simulation.run(NS_PER_S - 1);
    expect(sender.counters.retransmissions).toBe(retransmissions);
    expect(receiver.bytesReceived).toBe(retransmissions > 0 ? 100 * (duplicates + 1) : 0);
    // Without a fast retransmission the timer sends the segment again.
    net.network.simulation.run();
    expect(sender.counters.retransmissions).toBeGreaterThan(0);
    expect(receiver.bytesReceived).toBe(100 * (duplicates + 1));
  });
});

describe("the time of the last progress", () => {
  it("is that of the last acknowledgement of new data; a pause without data to send is no time without progress", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    const { simulation } = net.network;
    const [sender] = net.connect({ windowSegments: 1 });
    sender.send(100);
    simulation.run(NS_PER_S);
    const acknowledged = sender.progressAt;
    expect(sender.bytesAcknowledged).toBe(100);
    expect(acknowledged).toBeGreaterThan(0);
    expect(acknowledged).toBeLessThan(NS_PER_S);
    net.relays[0].loses = ({ payloadLength }) => payloadLength > 0;
    sender.send(100);
    let seen: number | undefined;
    sender.listener = { timedOut: () => void (seen ??= sender.progressAt) };
    simulation.run(10 * NS_PER_S);
    expect(seen).toBe(NS_PER_S);
    expect(sender.progressAt).toBe(NS_PER_S);
  });
});

describe("copies", () => {
  it("are the segments beyond one for a timeout, and the acknowledgements beyond one for a segment", () => {
    const doubled = () => ({ ...steady(), onTimeout: () => [0, 0], onData: () => [0, 0, 0] });
    const net = pairOfHosts([policy(doubled), policy(doubled)]);
    let lost = 0;
    net.relays[0].loses = ({ payloadLength }) => payloadLength > 0 && lost++ === 0;
    const [sender, receiver] = net.connect({ windowSegments: 1 });
    sender.send(100);
    net.network.simulation.run();
    expect(sender.bytesAcknowledged).toBe(100);
    expect(sender.counters.copiesSent).toBe(1);
    // Both segments of the timeout arrive.
    expect(receiver.counters.copiesSent).toBe(2 * 2);
  });
});

describe("retransmission timeout", () => {
  it("is the smoothed RTT plus the margin, doubles, and stops at the cap", () => {
    const timeout = new RetransmissionTimeout({ margin: 5 * NS_PER_MS, cap: NS_PER_S, initial: 200 });
    expect(timeout.current).toBe(200);
    for (let i = 0; i < 20; i++) timeout.sample(NS_PER_MS);
    expect(timeout.smoothedRtt).toBe(NS_PER_MS);
    const waits = [];
    for (timeout.attempts = 0; timeout.attempts < 11; timeout.attempts++)
      waits.push(timeout.current / NS_PER_MS);
    expect(waits).toEqual([6, 12, 24, 48, 96, 192, 384, 768, 1000, 1000, 1000]);
    // The p95 of a random re-pather with N = 2: eleven tries (anchor of P-ECMP's figure 7b).
    expect(waits.reduce((a, b) => a + b)).toBe(4530);
  });

  it("allows for an RTT that varies by more than the margin", () => {
    const timeout = new RetransmissionTimeout({ margin: 5 * NS_PER_MS, cap: NS_PER_S, initial: 200 });
    for (let i = 0; i < 200; i++) timeout.sample((i % 2 === 0 ? 10 : 30) * NS_PER_MS);
    expect(timeout.current).toBeGreaterThan(50 * NS_PER_MS);
  });
});

describe("transport", () => {
  it("moves all bytes, IPv4 and IPv6, and then falls silent", () => {
    for (const version of [4, 6] as const) {
      const net = pairOfHosts([policy(steady), policy(steady)], {}, version);
      const [sender, receiver] = net.connect();
      let finished = 0;
      sender.listener.finished = () => finished++;
      sender.send(10_050);
      net.network.simulation.run();
      expect(finished).toBe(1);
      expect(receiver.bytesReceived).toBe(10_050);
      expect(sender.counters.segmentsSent).toBe(101);
      expect(sender.counters.retransmissions).toBe(0);
      expect(net.network.simulation.pending).toBe(0);
    }
  });

  it("keeps no more than its window in flight", () => {
    const net = pairOfHosts([policy(steady), policy(steady)], { rate: 100e9 });
    const [sender] = net.connect({ windowSegments: 7 });
    sender.send(70_000);
    net.network.simulation.run(999_999);
    expect(sender.counters.segmentsSent).toBe(7);
    // One window each round trip of 1 ms and a little serialisation.
    net.network.simulation.run(5.5 * NS_PER_MS);
    expect(sender.counters.segmentsSent).toBe(7 * 6);
  });

  it("delivers every byte in order over a lossy path", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 20 }), (seed, windowSegments) => {
        const net = pairOfHosts([policy(steady), policy(steady)]);
        const random = new Random(seed);
        net.relays[0].loses = () => random.float() < 0.2;
        const [sender, receiver] = net.connect({ windowSegments });
        sender.send(5_000);
        net.network.simulation.run();
        expect(receiver.bytesReceived).toBe(5_000);
        expect(sender.bytesAcknowledged).toBe(5_000);
      }),
      { numRuns: 50 },
    );
  });

  it("resends a single loss within a window without a timeout", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    let lost = 0;
    net.relays[0].loses = (segment) => segment.sequence === 200 && lost++ === 0;
    const [sender, receiver] = net.connect({ windowSegments: 10 });
    let timeouts = 0;
    sender.listener.timedOut = () => timeouts++;
    sender.send(1_000);
    net.network.simulation.run();
    expect(receiver.bytesReceived).toBe(1_000);
    expect(timeouts).toBe(0);
    expect(sender.counters.retransmissions).toBe(1);
  });

  it("times out at RTT + 5 ms, doubling, and counts its attempts until progress", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    const simulation = net.network.simulation;
    const [sender] = net.connect({ windowSegments: 1 });
    const times: number[] = [];
    sender.listener.timedOut = () => times.push(simulation.now);
    const recovered: number[] = [];
    sender.listener.recovered = (attempts) => recovered.push(attempts);
    sender.send(Number.POSITIVE_INFINITY);
    let last = 0;
    net.network.observer = (channel) => {
      if (channel.source === net.a && simulation.now < 20 * NS_PER_MS) last = simulation.now;
    };
    simulation.run(20 * NS_PER_MS);
    for (const relay of net.relays) net.network.failNode(relay);
    simulation.run(60 * NS_PER_MS);
    for (const relay of net.relays) net.network.repairNode(relay);
    simulation.run(200 * NS_PER_MS);
    // The round trip is 1 ms of wires and some serialisation; `last` was seen 250 us after it left.
    const rto = sender.timeout.smoothedRtt! + 5 * NS_PER_MS;
    expect(rto / NS_PER_MS).toBeCloseTo(6, 1);
    const start = times[0]! - last;
    expect(start / NS_PER_MS).toBeGreaterThan(4.9);
    expect(start / NS_PER_MS).toBeLessThan(6.1);
    const gaps = times.slice(1).map((time, i) => Math.round((time - times[i]!) / NS_PER_MS));
    expect(gaps).toEqual([12, 24]);
    expect(recovered).toEqual([3]);
    expect(sender.counters.timeouts).toBe(3);
    sender.close();
    simulation.run();
    expect(simulation.pending).toBe(0);
  });

  it("sends one copy on each selector that its chooser names, and gives it the marks of received segments", () => {
    const acks: SegmentMarks[] = [];
    const data: [SegmentMarks, boolean][] = [];
    let current = 4;
    const chooserA: PathChooser = {
      get selector() {
        return current;
      },
      onTimeout: () => [4, 5],
      onAck: (marks) => {
        acks.push({ ...marks });
        current = marks.echo;
      },
      onData: () => [],
    };
    const chooserB: PathChooser = {
      selector: 0,
      onTimeout: () => [],
      onAck: () => {},
      onData: (marks, duplicate) => {
        data.push([{ ...marks }, duplicate]);
        return duplicate ? [2, 3] : [2];
      },
    };
    const net = pairOfHosts([policy(() => chooserA), policy(() => chooserB)]);
    // Selectors 4 and 2 leave by relay x, 5 and 3 by relay y; x is dead from the start.
    net.relays[0].loses = () => true;
    const [sender, receiver] = net.connect({ windowSegments: 1, initial: 6 * NS_PER_MS });
    sender.send(200);
    net.network.simulation.run(40 * NS_PER_MS);
    // First try: the copy on 5 arrives, its acknowledgement on 2 is lost. Second: duplicate, so also on 3.
    expect(data.slice(0, 2)).toEqual([
      [{ selector: 5, echo: 0 }, false],
      [{ selector: 5, echo: 0 }, true],
    ]);
    expect(acks[0]).toEqual({ selector: 3, echo: 5 });
    // The chooser settled on 5, so the next segment gets through at once; its echo names the last selector seen.
    expect(data[2]).toEqual([{ selector: 5, echo: 3 }, false]);
    expect(receiver.bytesReceived).toBe(200);
  });

  it("refuses frames for others and counts them", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    const [sender] = net.connect();
    net.b.reset();
    sender.send(100);
    net.network.simulation.run(2 * NS_PER_MS);
    expect(net.b.stats).toMatchObject({ received: 0, rejected: 1 });
    sender.close();
  });
});
