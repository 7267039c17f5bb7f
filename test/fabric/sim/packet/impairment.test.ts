/** Loss, corruption and delay of a channel's frames: shares, matches, several at once, and what they leave alone. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random, toHex } from "../../../../src/base/index.js";
import {
  PacketFilter,
  type PacketMatch,
  Segment,
  SegmentBuilder,
} from "../../../../src/base/packets/index.js";
import {
  type Channel,
  Impairment,
  type ImpairmentOptions,
  Network,
  type Node,
  NS_PER_S,
  shareThreshold,
} from "../../../../src/fabric/sim/packet/index.js";

class Sink implements Node {
  readonly name = "node";
  readonly arrivals: { time: number; frame: Uint8Array }[] = [];
  output!: Channel;
  constructor(readonly network: Network) {}
  attach(_port: number, output: Channel): void {
    this.output = output;
  }
  receive(_port: number, frame: Uint8Array): void {
    this.arrivals.push({ time: this.network.simulation.now, frame });
  }
}

function pair() {
  const network = new Network();
  const [a, b] = [new Sink(network), new Sink(network)];
  const wire = { rate: 8e9, delay: 500, queueBytes: 1e9, queuePackets: 1e6 };
  const link = network.connect({ node: a, port: 1 }, { node: b, port: 1 }, { aToB: wire, bToA: wire });
  const impair = (options: Omit<ImpairmentOptions, "random">, seed: number | string = 1) => {
    const impairment = new Impairment({ ...options, random: new Random(seed) });
    network.impair(link.aToB, impairment);
    return impairment;
  };
  return { network, simulation: network.simulation, a, b, channel: link.aToB, impair };
}

const CODEC = {
  headersOf: (dscp: number) => ({ dscp, vlan: undefined as number | undefined, flowLabel: 0 }),
  selectorOf: ({ dscp }: { dscp: number }) => dscp,
};

function segment(
  ipVersion: 4 | 6,
  { payload = 100, srcPort = 4000, dstPort = 80, src = 0x0a000001n, vlan = false } = {},
) {
  const addresses = { ipVersion, srcMac: 1n, dstMac: 2n, src, dst: 0x0a000102n, srcPort, dstPort };
  const codec = vlan ? { ...CODEC, headersOf: (id: number) => ({ dscp: 0, vlan: id, flowLabel: 0 }) } : CODEC;
  return new SegmentBuilder(addresses, codec).build(1, 1, payload, 0x10, 5, 0);
}

describe("a share of loss", () => {
  it.each([0.02, 0.1, 0.3, 0.6])("of %d loses that share, within the bounds of chance", (loss) => {
    const { a, b, simulation, channel, impair } = pair();
    impair({ loss });
    const sent = 20_000;
    for (let i = 0; i < sent; i++) a.output.send(new Uint8Array(64));
    simulation.run();
    const lost = sent - b.arrivals.length;
    expect(Math.abs(lost / sent - loss)).toBeLessThan(4 * Math.sqrt((loss * (1 - loss)) / sent));
    expect(channel.stats).toMatchObject({ sent, vanished: lost, delivered: sent - lost });
  });

  it("repeats for a seed, differs for another, and leaves no trace after its end", () => {
    const lost = (seed: number) => {
      const { a, b, simulation, channel, impair } = pair();
      const impairment = impair({ loss: 0.5 }, seed);
      for (let i = 0; i < 40; i++) a.output.send(Uint8Array.of(i));
      simulation.run();
      channel.unimpair(impairment);
      for (let i = 40; i < 60; i++) a.output.send(Uint8Array.of(i));
      simulation.run();
      return b.arrivals.map(({ frame }) => frame[0]!);
    };
    expect(lost(7)).toEqual(lost(7));
    expect(lost(7)).not.toEqual(lost(8));
    expect(lost(7).filter((i) => i >= 40)).toHaveLength(20);
  });

  it("of 0 and of 1 are certain, and several at once are independent", () => {
    expect([0, 0.5, 1].map(shareThreshold)).toEqual([0, 2 ** 31, 2 ** 32]);
    const { a, b, simulation, channel, impair } = pair();
    const half = impair({ loss: 0.5 }, "one");
    impair({ loss: 0.5 }, "two");
    for (let i = 0; i < 10_000; i++) a.output.send(new Uint8Array(64));
    simulation.run();
    expect(Math.abs(b.arrivals.length / 10_000 - 0.25)).toBeLessThan(4 * Math.sqrt(0.1875 / 10_000));
    channel.unimpair(half);
    const all = impair({ loss: 1 });
    const before = b.arrivals.length;
    for (let i = 0; i < 1000; i++) a.output.send(new Uint8Array(64));
    simulation.run();
    expect(b.arrivals.length).toBe(before);
    expect(all.concerns(new Uint8Array(0))).toBe(true);
  });
});

describe("the draws of a fault", () => {
  const verdicts = (options: Omit<ImpairmentOptions, "random">) => {
    const impairment = new Impairment({ ...options, random: new Random("draws") });
    return Array.from({ length: 200 }, () => impairment.decide());
  };
  const half = shareThreshold(0.5);

  it("are one for each share that is given: loss first, then corruption of what is not lost", () => {
    const random = new Random("draws");
    expect(verdicts({ loss: 0.5 })).toEqual(
      Array.from({ length: 200 }, () => (random.uint32() < half ? "lose" : "pass")),
    );
    const other = new Random("draws");
    expect(verdicts({ corruption: 0.5 })).toEqual(
      Array.from({ length: 200 }, () => (other.uint32() < half ? "corrupt" : "pass")),
    );
    const both = new Random("draws");
    expect(verdicts({ loss: 0.5, corruption: 0.5 })).toEqual(
      Array.from({ length: 200 }, () => {
        if (both.uint32() < half) return "lose";
        return both.uint32() < half ? "corrupt" : "pass";
      }),
    );
    expect(new Set(verdicts({}))).toEqual(new Set(["pass"]));
  });
});

describe("corruption", () => {
  it.each([
    ["IPv4", segment(4)],
    ["IPv6", segment(6)],
    ["IPv4 with a tag", segment(4, { vlan: true })],
  ])("of %s flips one bit, so that the host refuses the segment; the sender's frame stays", (_, frame) => {
    const { a, b, simulation, channel, impair } = pair();
    impair({ corruption: 1 });
    const original = toHex(frame);
    a.output.send(frame);
    simulation.run();
    const [arrival] = b.arrivals;
    const flipped = [...arrival!.frame].reduce((sum, byte, i) => sum + (byte ^ frame[i]! ? 1 : 0), 0);
    expect(flipped).toBe(1);
    expect(toHex(frame)).toBe(original);
    expect(new Segment().read(frame)).toBe(true);
    expect(new Segment().read(arrival!.frame)).toBe(false);
    expect(channel.stats).toMatchObject({ corrupted: 1, delivered: 1, vanished: 0 });
  });

  it("loses what has no checksum", () => {
    const { a, b, simulation, channel, impair } = pair();
    impair({ corruption: 1 });
    a.output.send(new Uint8Array(60));
    simulation.run();
    expect(b.arrivals).toEqual([]);
    expect(channel.stats).toMatchObject({ corrupted: 0, vanished: 1 });
  });
});

describe("delay", () => {
  it("adds to the wire's, for the frames that match only, and sums up", () => {
    const { a, b, simulation, impair } = pair();
    impair({ delay: 1000, match: { minBytes: 200 } });
    const all = impair({ delay: 50 });
    a.output.send(new Uint8Array(200));
    a.output.send(new Uint8Array(100));
    simulation.run();
    expect(b.arrivals.map(({ time, frame }) => [time, frame.length])).toEqual([
      [300 + 500 + 50, 100],
      [200 + 500 + 1050, 200],
    ]);
    expect(a.network.hopCount).toBe(2);
    expect(all.delay).toBe(50);
  });

  it("ends for frames that come later, and a link that fails takes what waits with it", () => {
    const { a, b, simulation, channel, impair } = pair();
    const impairment = impair({ delay: 10_000 });
    a.output.send(new Uint8Array(100));
    simulation.run(1000);
    channel.unimpair(impairment);
    a.output.send(new Uint8Array(100));
    simulation.run(2000);
    expect(b.arrivals).toHaveLength(1);
    channel.fail();
    simulation.run(5000);
    channel.repair();
    simulation.run(NS_PER_S);
    expect(b.arrivals).toHaveLength(1);
  });
});

describe("a match", () => {
  const frame = segment(4, { payload: 58 });
  const bits = 32;
  const cases: [string, PacketMatch, boolean][] = [
    ["nothing", {}, true],
    ["the source", { src: { ipVersion: 4, address: 0x0a000001n, length: bits } }, true],
    ["another source", { src: { ipVersion: 4, address: 0x0a000003n, length: bits } }, false],
    ["a prefix of both", { src: { ipVersion: 4, address: 0x0a000000n, length: 30 } }, true],
    ["a prefix of others", { dst: { ipVersion: 4, address: 0x0a000000n, length: 24 } }, false],
    ["all of the other version", { src: { ipVersion: 6, address: 0n, length: 0 } }, false],
    ["all of its version", { dst: { ipVersion: 4, address: 0n, length: 0 } }, true],
    ["TCP", { protocol: 6 }, true],
    ["UDP", { protocol: 17 }, false],
    ["its five-tuple", { protocol: 6, srcPort: 4000, dstPort: 80 }, true],
    ["its source port", { srcPort: 4000 }, true],
    ["its destination port", { dstPort: 80 }, true],
    ["another port", { srcPort: 80 }, false],
    ["its size", { minBytes: 120, maxBytes: 120 }, true],
    ["larger frames", { minBytes: 121 }, false],
    ["smaller frames", { maxBytes: 119 }, false],
  ];

  it.each(cases)("of %s", (_, match, expected) => {
    expect(frame.length).toBe(120);
    expect(new PacketFilter(match).matches(frame)).toBe(expected);
  });

  it("of port 0 does not concern a frame that ends before its ports", () => {
    for (const ipVersion of [4, 6] as const) {
      const cut = segment(ipVersion, { srcPort: 0, dstPort: 0 }).slice(0, ipVersion === 4 ? 37 : 57);
      for (const match of [{ srcPort: 0 }, { dstPort: 0 }, { srcPort: 0, dstPort: 0 }])
        expect(new PacketFilter(match).matches(cut)).toBe(false);
      const whole = segment(ipVersion, { srcPort: 0, dstPort: 0 });
      expect(new PacketFilter({ srcPort: 0, dstPort: 0 }).matches(whole)).toBe(true);
    }
  });

  it("of ports concerns no later fragment, and no header with options", () => {
    const filter = new PacketFilter({ dstPort: 80 });
    for (const [at, value] of [
      [14, 0x46],
      [20, 0x20],
      [21, 0x01],
    ] as const) {
      const other = Uint8Array.from(frame);
      other[at] = value;
      expect(filter.matches(other)).toBe(false);
    }
    const unfragmented = Uint8Array.from(frame);
    unfragmented[20] = 0;
    expect(filter.matches(unfragmented)).toBe(true);
  });

  it("of a prefix compares as many bits as it has, in both versions", () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 32n - 1n),
        fc.integer({ min: 0, max: 32 }),
        fc.bigInt(0n, 2n ** 32n - 1n),
        (a, length, b) => {
          const prefix = (a >> BigInt(32 - length)) << BigInt(32 - length);
          const same = a >> BigInt(32 - length) === b >> BigInt(32 - length);
          for (const [ipVersion, more] of [
            [4, 0],
            [6, 96],
          ] as const) {
            const shift = BigInt(more);
            const filter = new PacketFilter({ src: { ipVersion, address: prefix << shift, length } });
            expect(filter.matches(segment(ipVersion, { src: b << shift }))).toBe(same);
          }
        },
      ),
    );
  });

  it("of anything is safe on short frames", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        new PacketFilter({ srcPort: 1, protocol: 6 }).matches(bytes);
      }),
    );
  });
});
