/** Hosts under priority flow control: what waits in a paused NIC, and what the transport makes of it. */
import { describe, expect, it } from "vitest";
import { MacControl } from "../../../../../src/base/packets/index.js";
import {
  FixedWindow,
  type MessageOptions,
  type PfcOptions,
} from "../../../../../src/fabric/sim/packet/index.js";
import { pairOfHosts, policy, steady } from "../relay.js";

const pfc: PfcOptions = {
  threshold: { kind: "static", bytes: 10_000 },
  xonOffset: 2000,
  largestFrame: 1200,
  quanta: 65_535,
  reaction: 0,
};

const messages: MessageOptions = {
  protocol: "messages",
  segmentBytes: 1000,
  recovery: "selective_repeat",
  reorderingPackets: 64,
  window: 1000,
  control: (context) => new FixedWindow(context),
  ecn: false,
  margin: 100_000,
  cap: 1e9,
  initial: 1e6,
};

/** The relay at NIC 1 pauses host a. The longest time is 3.36 ms at 10 Gbit/s, so it repeats. */
function paused(net: ReturnType<typeof pairOfHosts>, until: number) {
  const { simulation } = net.network;
  const toA = net.network.links[0]!.bToA;
  for (let at = 0; at < until; at += 1e6)
    simulation.at(at, () => toA.send(MacControl.frameOf(1n, 0, MacControl.MOST_QUANTA)));
  simulation.at(until, () => toA.send(MacControl.frameOf(1n, 0, 0)));
}

describe("a paused host", () => {
  it.each(["selective_repeat", "go_back_n"] as const)(
    "keeps two packets of a connection, and sends them when the pause ends: %s",
    (recovery) => {
      const net = pairOfHosts([policy(steady), policy(steady)], { delay: 1000, pfc });
      const [client, server] = net.connect({ ...messages, recovery });
      const { simulation } = net.network;
      let first = 0;
      let last = 0;
      server.listener = {
        received: (bytes) => {
          if (first === 0) first = simulation.now;
          if (bytes === 50_000) last = simulation.now;
        },
      };
      paused(net, 20e6);
      simulation.at(10_000, () => client.send(50_000));
      simulation.run(19e6);
      expect(net.a.pausable(1)!.length).toBe(2);
      expect([net.a.pausable(1)!.isPaused, first]).toEqual([true, 0]);
      simulation.run();
      // The end of the pause crosses one wire, the first packet two.
      const frame = 14 + 20 + 8 + 32 + 1000;
      expect(first).toBeGreaterThan(20e6);
      expect(first).toBeLessThan(20e6 + 3 * 1000 + 4 * frame);
      // The others follow at the rate of the link: nobody waits for a time that was guessed.
      expect(last - first).toBeLessThan(50 * frame);
      // The pause is no round trip and no loss.
      expect(client.counters).toMatchObject({ timeouts: 0, retransmissions: 0 });
      expect(net.a.overflowed).toBe(0);
    },
  );

  it("sends when the time of a PAUSE is over", () => {
    const net = pairOfHosts([policy(steady), policy(steady)], { delay: 1000, pfc });
    const [client, server] = net.connect(messages);
    let first = 0;
    server.listener = { received: () => (first ||= net.network.simulation.now) };
    net.network.links[0]!.bToA.send(MacControl.frameOf(1n, 0, 1000));
    net.network.simulation.at(5000, () => client.send(1000));
    net.network.simulation.run();
    // 512 bits a quantum at 10 Gbit/s.
    expect(first).toBeGreaterThan(1000 * 51.2);
    expect(first).toBeLessThan(1000 * 51.2 + 10_000);
    expect(net.a.pausable(1)!.pausedNs).toBeCloseTo(1000 * 51.2, -1);
  });

  it("loses what its queue has no room for, and the transport repairs it", () => {
    const net = pairOfHosts([policy(steady), policy(steady)], { delay: 1000, queuePackets: 1, pfc });
    const [client, server] = net.connect(messages);
    paused(net, 3e6);
    net.network.simulation.at(10_000, () => client.send(20_000));
    net.network.simulation.run();
    expect(net.a.overflowed).toBeGreaterThan(0);
    expect(server.bytesReceived).toBe(20_000);
  });

  it("obeys no other frames of MAC control, and none without flow control", () => {
    const frame = MacControl.frameOf(0x0200_0000_0001n, 3, 500);
    expect(MacControl.quanta(frame, 3)).toBe(500);
    expect(MacControl.quanta(frame, 0)).toBeUndefined();
    expect(frame).toHaveLength(60);
    // Destination 01-80-C2-00-00-01, type 0x8808, opcode 0x0101, class 3 enabled, its time.
    expect(Buffer.from(frame).toString("hex")).toBe(
      `0180c2000001020000000001880801010008${"0000".repeat(3)}01f4${"00".repeat(60 - 26)}`,
    );
    const net = pairOfHosts([policy(steady), policy(steady)], { delay: 1000, pfc });
    net.network.links[0]!.bToA.send(frame);
    net.network.simulation.run();
    expect([net.a.pausable(1)!.isPaused, net.a.stats.rejected]).toEqual([false, 0]);
    const plain = pairOfHosts([policy(steady), policy(steady)], { delay: 1000 });
    plain.network.links[0]!.bToA.send(MacControl.frameOf(1n, 0, 500));
    plain.network.simulation.run();
    expect([plain.a.pausable(1), plain.a.stats.rejected]).toEqual([undefined, 1]);
  });
});
