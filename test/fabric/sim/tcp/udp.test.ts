/** UDP flows at a rate, and what their receivers count. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { Segment } from "../../../../src/base/packets/index.js";
import { NS_PER_MS, NS_PER_S, type UdpReceiver } from "../../../../src/fabric/sim/packet/index.js";
import { pairOfHosts, policy, steady } from "../packet/relay.js";

function flow(options: { segmentBytes?: number; rateBps?: number; bytes?: number }, ipVersion: 4 | 6 = 4) {
  const net = pairOfHosts([policy(steady), policy(steady)], {}, ipVersion);
  const receivers: UdpReceiver[] = [];
  net.b.listenUdp(9, (receiver) => receivers.push(receiver));
  const sender = net.a.sendUdp(
    ipVersion,
    4000,
    { address: net.b.address(ipVersion), port: 9 },
    new Random(1),
    {
      segmentBytes: 1000,
      rateBps: 8e6,
      bytes: 10_000,
      ...options,
    },
  );
  return { net, simulation: net.network.simulation, sender, receivers };
}

describe("a UDP flow", () => {
  it.each([4, 6] as const)("sends all bytes at its rate, IPv%i, and leaves nothing behind", (ipVersion) => {
    const { simulation, sender, receivers, net } = flow({ bytes: 9_500 }, ipVersion);
    const times: number[] = [];
    let finished = 0;
    sender.listener.finished = () => finished++;
    net.network.observer = (channel) => channel.source === net.a && times.push(simulation.now);
    simulation.run();
    expect([sender.datagramsSent, sender.bytesSent, finished]).toEqual([10, 9_500, 1]);
    // 8 Mbit/s: a datagram of 1000 bytes each millisecond, the last one shorter by 400 ns on the wire.
    const gaps = times.slice(1, -1).map((time, i) => time - times[i]!);
    expect(gaps).toEqual(Array(8).fill(NS_PER_MS));
    expect(receivers).toHaveLength(1);
    expect(receivers[0]).toMatchObject({
      datagrams: 10,
      bytes: 9_500,
      duplicates: 0,
      reordered: 0,
      missing: 0,
    });
    expect(receivers[0]!.isComplete).toBe(true);
    expect([net.a.connectionCount, simulation.pending]).toEqual([0, 0]);
  });

  it("may be of numbers alone; each datagram has the selector that the chooser names", () => {
    const asked: number[] = [];
    const selectorFor = ({ position }: { position: number }) => {
      asked.push(position);
      return asked.length % 2;
    };
    const net = pairOfHosts([policy(() => ({ ...steady(), selectorFor })), policy(steady)]);
    const receivers: UdpReceiver[] = [];
    net.b.listenUdp(9, (receiver) => receivers.push(receiver));
    const peer = { address: net.b.address(4), port: 9 };
    const options = { segmentBytes: 4, rateBps: 8e6, bytes: 16 };
    const sender = net.a.sendUdp(4, 4000, peer, new Random(1), options);
    expect(sender.flow).toMatchObject({ srcPort: 4000, dstPort: 9, protocol: 17 });
    net.network.simulation.run();
    expect(asked).toEqual([0, 4, 8, 12]);
    expect(receivers[0]).toMatchObject({ datagrams: 4, bytes: 16, missing: 0, isComplete: true });
    expect(net.relays.map(({ seen }) => seen)).toEqual([2, 2]);
  });

  it("does not drift where a gap is no whole number of nanoseconds", () => {
    const { simulation, sender } = flow({ rateBps: 7e9, bytes: 7e6 });
    simulation.run();
    expect(sender.datagramsSent).toBe(7000);
    // The last of 7000 datagrams leaves 6999 gaps of 1142.857 ns after the first.
    const last = Math.ceil((6999 * 8000e9) / 7e9);
    expect(simulation.now).toBeGreaterThanOrEqual(last);
    expect(simulation.now).toBeLessThan(last + NS_PER_MS);
  });

  it("counts what is lost, what comes twice and what is overtaken", () => {
    const { simulation, receivers, net } = flow({});
    const held: Uint8Array[] = [];
    let number = -1;
    net.relays[0].loses = () => {
      number++;
      return number === 2;
    };
    net.network.observer = (channel, frame) => {
      if (channel.target !== net.b) return;
      const word = frame[42 + 3]!;
      // Number 4 comes after number 6, number 7 twice.
      if (word === 4 && held.length === 0) {
        held.push(frame.slice());
        frame[5] = 0;
      } else if (word === 7) net.b.receive(1, held.pop()!);
      if (word === 7) net.b.receive(1, frame.slice());
    };
    simulation.run(NS_PER_S);
    expect(receivers[0]).toMatchObject({
      datagrams: 9,
      missing: 1,
      duplicates: 1,
      reordered: 1,
      maxReordering: 2,
    });
    expect(receivers[0]!.isComplete).toBe(false);
    receivers[0]!.close();
  });

  it("is rejected by a host that does not listen, and can be stopped", () => {
    const { simulation, sender, net } = flow({ bytes: Number.POSITIVE_INFINITY });
    net.b.reset();
    simulation.run(5.5 * NS_PER_MS);
    sender.close();
    simulation.run();
    expect(net.b.stats).toMatchObject({ received: 0, rejected: 6 });
    expect(simulation.pending).toBe(0);
  });

  it("has checksums that hold, and payloads of at least its number", () => {
    const { simulation, net, sender } = flow({ bytes: 1001 });
    const segment = new Segment();
    const payloads: number[] = [];
    net.network.observer = (channel, frame) => {
      if (channel.target === net.b && segment.read(frame)) payloads.push(segment.payloadLength);
    };
    simulation.run();
    expect(payloads).toEqual([1000, 4]);
    expect(sender.bytesSent).toBe(1004);
    const bad = { segmentBytes: 3, rateBps: 1, bytes: 1 };
    expect(() => net.a.sendUdp(4, 1, { address: 1n, port: 9 }, new Random(1), bad)).toThrow(RangeError);
  });
});
