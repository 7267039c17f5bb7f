/** The message transport, DCQCN, Swift and REPS against second models. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../src/base/index.js";
import { MESSAGE_HEADER_LENGTH } from "../../src/base/packets/index.js";
import { RecycledEntropies } from "../../src/fabric/schemes/reps/recycled-entropies.js";
import { Dcqcn, FixedWindow, type MessageOptions, Swift } from "../../src/fabric/sim/packet/index.js";
import { pairOfHosts, policy, steady } from "../fabric/sim/packet/relay.js";
import {
  type DcqcnEvent,
  dcqcnRates,
  deliverWithOneCut,
  deliverWithOneLoss,
  RepsModel,
  swiftTarget,
} from "../models/messages.js";

const PAYLOAD = 1000;
const HEADERS = 14 + 20 + 8 + MESSAGE_HEADER_LENGTH;
const RATE = 10e9;
const WIRE = 250_000;
const onLink = (bytes: number) => Math.ceil((bytes * 8e9) / RATE);

/** From the departure of a packet from its host to its acknowledgement. */
const ROUND_TRIP = 4 * WIRE + 2 * onLink(HEADERS) + onLink(HEADERS + PAYLOAD);

const options: MessageOptions = {
  protocol: "messages",
  segmentBytes: PAYLOAD,
  recovery: "selective_repeat",
  reorderingPackets: 3,
  window: 1000,
  control: (context) => new FixedWindow(context),
  ecn: false,
  margin: 5e6,
  cap: 1e9,
  initial: 1e8,
};

/** One message with one loss: when its last byte arrived, and the packets that were sent again. */
function simulated(packets: number, lost: number, own: Partial<MessageOptions>) {
  const net = pairOfHosts([policy(steady), policy(steady)], { rate: RATE, delay: WIRE });
  let number = 0;
  net.relays[0].loses = (segment) => segment.payloadLength > MESSAGE_HEADER_LENGTH && number++ === lost;
  const [client, server] = net.connect({ ...options, ...own });
  let time = 0;
  let finished = 0;
  server.listener = {
    received: (bytes) => bytes === packets * PAYLOAD && (time = net.network.simulation.now),
  };
  client.listener = { finished: () => finished++ };
  client.send(packets * PAYLOAD);
  net.network.simulation.run();
  expect(finished).toBe(1);
  return { time, again: client.counters.retransmissions };
}

describe("a message with one lost packet", () => {
  it.each(["selective_repeat", "go_back_n"] as const)("takes the time of the closed form: %s", (recovery) => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 60 })
          .chain((packets) => fc.tuple(fc.constant(packets), fc.nat(packets - 1))),
        fc.integer({ min: 1, max: 40 }),
        ([packets, lost], distance) => {
          const model = deliverWithOneLoss({
            recovery,
            packets,
            lost,
            distance,
            data: onLink(HEADERS + PAYLOAD),
            answer: onLink(HEADERS),
            wire: WIRE,
            margin: 5e6,
          });
          // A message of one packet has no sample of its round trip: its timer has the first value.
          const initial = packets === 1 ? ROUND_TRIP + 5e6 : options.initial;
          expect(simulated(packets, lost, { recovery, reorderingPackets: distance, initial })).toEqual(model);
        },
      ),
      { numRuns: 60 },
    );
  });
});

const TRIMMING = { queueBytes: 1e6, length: HEADERS, answersFirst: true };

describe("a message of which one packet is cut to its header", () => {
  it.each(["selective_repeat", "go_back_n"] as const)("takes the time of the closed form: %s", (recovery) => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 60 })
          .chain((packets) => fc.tuple(fc.constant(packets), fc.nat(packets - 1))),
        ([packets, lost]) => {
          const net = pairOfHosts([policy(steady), policy(steady)], {
            ...{ rate: RATE, delay: WIRE },
            trimming: TRIMMING,
          });
          let number = 0;
          net.relays[0].trims = (segment) =>
            segment.payloadLength > MESSAGE_HEADER_LENGTH && number++ === lost;
          const [client, server] = net.connect({ ...options, recovery, reorderingPackets: 1000 });
          let time = 0;
          server.listener = {
            received: (bytes) => bytes === packets * PAYLOAD && (time = net.network.simulation.now),
          };
          client.send(packets * PAYLOAD);
          net.network.simulation.run();
          const { retransmissions: again, timeouts } = client.counters;
          expect({ time, again, timeouts }).toEqual({
            ...deliverWithOneCut({
              ...{ recovery, packets, lost, wire: WIRE },
              data: onLink(HEADERS + PAYLOAD),
              answer: onLink(HEADERS),
            }),
            timeouts: 0,
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it("tells the path chooser that the path is congested, so that REPS does not use it again", () => {
    const marks: unknown[] = [];
    const chooser = () => ({ ...steady(), onAck: (one: unknown) => void marks.push(one) });
    const net = pairOfHosts([policy(chooser), policy(steady)], {
      ...{ rate: RATE, delay: WIRE },
      trimming: TRIMMING,
    });
    let [data, answers] = [0, 0];
    const isData = ({ payloadLength }: { readonly payloadLength: number }) =>
      payloadLength > MESSAGE_HEADER_LENGTH;
    net.relays[0].trims = (segment) => isData(segment) && data++ === 3;
    // The answers to the first three packets are lost, so that the NACK reports them.
    net.relays[0].loses = (segment) => !isData(segment) && answers++ < 3;
    const [client] = net.connect(options);
    client.send(4 * PAYLOAD);
    net.network.simulation.run();
    expect(marks).toMatchObject([{ marked: true }, {}]);
    expect(client.counters.retransmissions).toBe(1);
  });

  it("arrives whole whatever is cut and lost, both ways", () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(1e6),
          recovery: fc.constantFrom("selective_repeat" as const, "go_back_n" as const),
          window: fc.integer({ min: 1, max: 40 }),
          cut: fc.constantFrom(0.02, 0.3),
          loss: fc.constantFrom(0, 0.05),
          bytes: fc.integer({ min: 1, max: 60_000 }),
        }),
        ({ seed, recovery, window, cut, loss, bytes }) => {
          const random = new Random(seed);
          const net = pairOfHosts([policy(steady), policy(steady)], { rate: 1e9, trimming: TRIMMING });
          for (const relay of net.relays) {
            relay.loses = () => random.float() < loss;
            relay.trims = ({ payloadLength }) =>
              payloadLength > MESSAGE_HEADER_LENGTH && random.float() < cut;
          }
          const own = { recovery, window, reorderingPackets: 4, cap: 2e7, initial: 1e7 };
          const [client, server] = net.connect({ ...options, ...own });
          client.send(bytes);
          net.network.simulation.run(60e9);
          expect([client.bytesAcknowledged, server.bytesReceived]).toEqual([bytes, bytes]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("messages over two paths of different delays, with losses both ways", () => {
  it("arrive whole, once, whatever the recovery and the control", () => {
    const controls = {
      fixed: (context: ConstructorParameters<typeof FixedWindow>[0]) => new FixedWindow(context),
      swift: (context: ConstructorParameters<typeof FixedWindow>[0]) => new Swift(context, SWIFT),
      dcqcn: (context: ConstructorParameters<typeof FixedWindow>[0]) => new Dcqcn(context, DCQCN),
    };
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(1e6),
          recovery: fc.constantFrom("selective_repeat" as const, "go_back_n" as const),
          control: fc.constantFrom("fixed" as const, "swift" as const, "dcqcn" as const),
          window: fc.integer({ min: 1, max: 40 }),
          loss: fc.constantFrom(0, 0.02, 0.2),
          messages: fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 4 }),
        }),
        ({ seed, recovery, control, window, loss, messages }) => {
          const random = new Random(seed);
          let turn = 0;
          const spraying = () => ({ ...steady(), selectorFor: () => turn++ % 2 });
          const net = pairOfHosts([policy(spraying), policy(steady)], { rate: 1e9, queuePackets: 50 });
          for (const relay of net.relays) relay.loses = () => random.float() < loss;
          const own = {
            recovery,
            window,
            control: controls[control],
            reorderingPackets: 4,
            cap: 2e7,
            initial: 1e7,
          };
          const [client, server] = net.connect({ ...options, ...own });
          const totals: number[] = [];
          let finished = 0;
          server.listener = { received: (bytes) => totals.push(bytes) };
          client.listener = { finished: () => finished++ };
          for (const bytes of messages) client.send(bytes);
          net.network.simulation.run(60e9);
          const sum = messages.reduce((a, b) => a + b, 0);
          expect(totals.at(-1)).toBe(sum);
          expect(totals).toEqual([...totals].sort((a, b) => a - b));
          expect([finished, client.bytesAcknowledged, server.bytesReceived]).toEqual([1, sum, sum]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

const SWIFT = {
  target: 600_000,
  hop: 1000,
  flowRange: 100_000,
  flowSmallest: 0.1,
  flowLargest: 100,
  additive: 1,
  decrease: 0.8,
  largestDecrease: 0.5,
  leastWindow: 0.01,
  resetAfter: 5,
};

const DCQCN = {
  gain: 1 / 256,
  alphaTimer: 55_000,
  increaseTimer: 55_000,
  byteCounter: 10_000_000,
  fastRecovery: 5,
  additive: 40e6,
  hyper: 400e6,
  leastRate: 10e6,
};

describe("DCQCN", () => {
  it("has the rates of the paper's equations after any notifications and bytes", () => {
    const event = fc.tuple(
      fc.integer({ min: 0, max: 400_000 }),
      fc.option(fc.integer({ min: 1, max: 3_000_000 })),
    );
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 60 }),
        fc.constantFrom(1e6, 1e7),
        fc.constantFrom(55_000, 300_000, 1_500_000),
        (drawn, byteCounter, increaseTimer) => {
          let at = 0;
          const events = drawn.map(([gap, sent]): DcqcnEvent => {
            at += gap;
            return sent === null ? { at, cnp: true } : { at, sent };
          });
          const control = new Dcqcn(
            { window: 10, lineRateBps: 40e9 },
            { ...DCQCN, byteCounter, increaseTimer },
          );
          const ours = events.map((one) => {
            if ("cnp" in one) control.onNotification(one.at);
            else control.onSent(one.sent, one.at);
            return control.rateAt(one.at);
          });
          const setting = {
            line: 40e9,
            g: 1 / 256,
            alphaTimer: 55_000,
            timer: increaseTimer,
            bytes: byteCounter,
            f: 5,
            additive: 40e6,
            hyper: 400e6,
            least: 10e6,
          };
          const model = dcqcnRates(setting, events);
          // Ours ends the halving of distances within a bit per second.
          for (const [i, rate] of ours.entries()) expect(Math.abs(rate - model[i]!)).toBeLessThan(4);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("halves the rate at the first notification, and is at the target again after recovery", () => {
    const control = new Dcqcn({ window: 10, lineRateBps: 40e9 }, DCQCN);
    expect(control.rateAt(0)).toBe(40e9);
    control.onNotification(0);
    expect([control.rateAt(0), control.targetRate, control.alpha]).toEqual([20e9, 40e9, 1]);
    // Five periods of fast recovery halve the distance five times.
    expect(control.rateAt(5 * 55_000)).toBeCloseTo(40e9 - 20e9 / 32, 0);
  });
});

describe("Swift", () => {
  it("has the target of the paper, and falls at most once a round trip", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.02, max: 300, noNaN: true }), fc.nat(8), (window, hops) => {
        const control = new Swift({ window, lineRateBps: 1e9 }, SWIFT);
        const flows = { range: 100_000, smallest: 0.1, largest: 100 };
        expect(control.targetFor(hops)).toBeCloseTo(swiftTarget(600_000, 1000, hops, flows, window), 3);
      }),
    );
    const control = new Swift({ window: 100, lineRateBps: 1e9 }, SWIFT);
    const target = control.targetFor(0);
    control.onAck({ now: 1e6, packets: 1, rttNs: 1.25 * target, hops: 0 });
    expect(control.window).toBeCloseTo(100 * (1 - 0.8 * 0.2), 6);
    control.onAck({ now: 1e6 + target, packets: 1, rttNs: 1.25 * target, hops: 0 });
    expect(control.window).toBeCloseTo(84, 6);
    control.onAck({ now: 20e6, packets: 1, rttNs: 10 * target, hops: 0 });
    expect(control.window).toBeCloseTo(42, 6);
    control.onAck({ now: 20e6, packets: 2, rttNs: target / 2, hops: 0 });
    expect(control.window).toBeCloseTo(42 + 2 / 42, 6);
    for (let i = 1; i <= 5; i++) control.onTimeout(i, 30e6);
    expect(control.window).toBe(0.01);
  });

  it("falls once where its whole first window is cut, since a NACK has the round trip of the header", () => {
    const control = new Swift({ window: 100, lineRateBps: 1e9 }, SWIFT);
    for (let i = 0; i < 20; i++) control.onLoss(1e6 + 1000 * i, 50_000);
    expect(control.window).toBe(50);
    control.onLoss(1e6 + 50_000, 50_000);
    expect(control.window).toBe(25);

    const net = pairOfHosts([policy(steady), policy(steady)], {
      ...{ rate: RATE, delay: WIRE },
      trimming: TRIMMING,
    });
    let data = 0;
    net.relays[0].trims = (segment) => segment.payloadLength > MESSAGE_HEADER_LENGTH && data++ < 40;
    let made: Swift | undefined;
    const [client] = net.connect({
      ...{ ...options, window: 40, reorderingPackets: 1000 },
      control: (context) => {
        made ??= new Swift(context, SWIFT);
        return made;
      },
    });
    client.send(40 * PAYLOAD);
    // All 40 headers have been answered, and no packet that was sent again.
    net.network.simulation.run(1.5 * ROUND_TRIP);
    expect(client.counters.retransmissions).toBeGreaterThan(0);
    expect(made!.window).toBe(20);
  });
});

describe("REPS", () => {
  const rules = { entropies: 1 << 20, cache: 8, explore: 0, freeze: 1000 };

  it("uses the values of unmarked acknowledgements again, the oldest first, each once", () => {
    const step = fc.oneof(
      fc.record({ ack: fc.nat(1 << 19), marked: fc.boolean() }),
      fc.constant("send" as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 10 }), (steps, cache) => {
        const clock = { now: () => 0, at: () => () => {} };
        const ours = new RecycledEntropies({ ...rules, cache }, new Random(7), clock);
        const model = new RepsModel(cache);
        for (const one of steps) {
          if (one === "send") {
            const expected = model.take();
            const value = ours.selectorFor();
            if (expected !== undefined) expect(value).toBe(expected);
          } else {
            ours.onAck({ selector: 0, echo: one.ack, marked: one.marked });
            if (!one.marked) model.good(one.ack);
          }
        }
      }),
    );
  });

  it("draws nothing while it is frozen, and explores afterwards", () => {
    let now = 0;
    const clock = { now: () => now, at: () => () => {} };
    const ours = new RecycledEntropies({ ...rules, explore: 2 }, new Random(7), clock);
    ours.onTimeout();
    expect(ours.isFreezing).toBe(false);
    ours.selectorFor();
    for (const echo of [11, 12, 13]) ours.onAck({ selector: 0, echo });
    for (let i = 0; i < 3; i++) ours.selectorFor();
    ours.onTimeout();
    expect(ours.isFreezing).toBe(true);
    const frozen = Array.from({ length: 12 }, () => ours.selectorFor());
    expect(new Set(frozen)).toEqual(new Set([11, 12, 13]));
    now = 2000;
    ours.onAck({ selector: 0, echo: 14 });
    expect(ours.isFreezing).toBe(false);
    const after = [ours.selectorFor(), ours.selectorFor(), ours.selectorFor()];
    expect(after.slice(0, 2).every((value) => ![11, 12, 13, 14].includes(value))).toBe(true);
    expect(after[2]).toBe(14);
  });
});
