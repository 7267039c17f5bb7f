/** A simulated host below its transport: ARP, routes, ping, refused datagrams, and what it says of each frame. */
import { describe, expect, it } from "vitest";
import { Random, toHex } from "../../../../src/base/index.js";
import { Arp, Icmp } from "../../../../src/base/packets/index.js";
import {
  CONGESTION_CONTROLS,
  Network,
  NS_PER_MS,
  NS_PER_S,
  Simulation,
  StackHost,
  type StackHostOptions,
  type Stream,
  type TcpOptions,
} from "../../../../src/fabric/sim/packet/index.js";

const H1 = { mac: 0x080000000111n, ipv4: 0x0a000101n };
const H2 = { mac: 0x080000000222n, ipv4: 0x0a000102n };
const DELAY = NS_PER_MS;

/** Two hosts at one cable: 1 Gbit/s, 1 ms one way. */
function pair(more: Partial<StackHostOptions> = {}) {
  const simulation = new Simulation();
  const network = new Network(simulation);
  const onLink = {
    nextHop: (to: bigint) => (to >> 8n === 0x0a0001n ? to : undefined),
    neighbours: new Map(),
  };
  const a = new StackHost(simulation, { name: "h1", ...H1, ...onLink, ...more });
  const b = new StackHost(simulation, { name: "h2", ...H2, ...onLink });
  const wire = { rate: 1e9, delay: DELAY, queueBytes: 1e6, queuePackets: 1000 };
  const link = network.connect({ node: a, port: 1 }, { node: b, port: 1 }, { aToB: wire, bToA: wire });
  const sent: string[] = [];
  network.observer = (channel, frame) => sent.push(`${channel.source.name} ${toHex(frame)}`);
  return { simulation, network, a, b, link, sent };
}

const PING = { count: 3, intervalNs: NS_PER_S, bytes: 56, ttl: 64, timeoutNs: NS_PER_S };
/** Bits of an echo of 56 bytes and of an ARP message at 1 Gbit/s are as many nanoseconds. */
const ECHO_NS = 8 * (14 + 20 + 8 + 56);
const ARP_NS = 8 * 42;

describe("a host with ARP and ICMP", () => {
  it("asks for the MAC address once, and pings with exact round-trip times", () => {
    const { simulation, a, sent } = pair();
    const replies: [number, number, number][] = [];
    let ended = 0;
    const ping = a.ping(
      { to: H2.ipv4, ...PING },
      { replied: (sequence, rtt, ttl) => replies.push([sequence, rtt, ttl]), ended: () => ended++ },
    );
    simulation.run();
    const rtt = 2 * (DELAY + ECHO_NS);
    expect(replies).toEqual([
      [1, rtt + 2 * (DELAY + ARP_NS), 64],
      [2, rtt, 64],
      [3, rtt, 64],
    ]);
    expect([ping.sent, ping.received, ping.over, ended]).toEqual([3, 3, true, 1]);
    expect(sent).toHaveLength(2 + 2 * 3);
    expect(a.arp.entries).toEqual(new Map([[H2.ipv4, H2.mac]]));
  });

  it("gives up after three requests without an answer, a second apart", () => {
    const { simulation, a, sent } = pair();
    const refusals: unknown[] = [];
    const lost: [string, number][] = [];
    a.onUndeliverable = (why, frames) => lost.push([why, frames.length]);
    const options = { ...PING, to: 0x0a000109n, count: 2, intervalNs: NS_PER_MS, timeoutNs: 4 * NS_PER_S };
    a.ping(options, { refused: (...refusal) => refusals.push(refusal) });
    simulation.run(3 * NS_PER_S - 1);
    expect([sent.length, lost]).toEqual([3, []]);
    simulation.run(3 * NS_PER_S);
    const why = "no host answers for 10.0.1.9 (ARP)";
    expect([sent.length, lost]).toEqual([3, [[why, 2]]]);
    expect(refusals).toEqual([
      [1, why, H1.ipv4],
      [2, why, H1.ipv4],
    ]);
  });

  it("has no route where its routes have none, and sends nothing then", () => {
    const { simulation, a, sent } = pair();
    const refusals: unknown[] = [];
    a.ping({ ...PING, to: 0x0b000001n, count: 1 }, { refused: (...refusal) => refusals.push(refusal) });
    simulation.run();
    expect([sent, refusals]).toEqual([[], [[1, "no route to 11.0.0.1", H1.ipv4]]]);
  });

  it("uses neighbours and gateways that it is given without a request", () => {
    const { simulation, a, sent } = pair({ neighbours: new Map([[H2.ipv4, 0x99n]]) });
    a.ping({ ...PING, to: H2.ipv4, count: 1 });
    simulation.run();
    expect(sent.map((frame) => frame.slice(0, 15))).toEqual(["h1 000000000099"]);
    const through = pair({ gateways: [H2.mac] });
    const ping = through.a.ping({ ...PING, to: H2.ipv4, count: 1 });
    through.simulation.run();
    expect(ping.received).toBe(1);
    // the first frame is the echo request; it is h2 that asks
    expect(through.sent[0]).toMatch(/^h1 080000000222/);
  });

  it("refuses a datagram to a closed port by ICMP, and accepts it at an open one", () => {
    const { simulation, a, b, sent } = pair();
    const options = { segmentBytes: 100, rateBps: 1e6, bytes: 300 };
    const random = new Random(1);
    a.transport.sendUdp(4, 4000, { address: H2.ipv4, port: 5001 }, random, options);
    simulation.run();
    const errors = sent
      .filter((line) => line.startsWith("h2"))
      .map((line) => Buffer.from(line.slice(3), "hex"));
    expect(errors.map((frame) => Arp.parseFrame(frame)?.operation ?? Icmp.parseFrame(frame)?.type)).toEqual([
      2, 3, 3, 3,
    ]);
    let received = 0;
    b.listenUdp(5001, (receiver) => {
      receiver.onReceived = () => {
        received = receiver.bytes;
      };
    });
    a.transport.sendUdp(4, 4001, { address: H2.ipv4, port: 5001 }, random, options);
    simulation.run();
    expect(received).toBe(300);
  });

  it("carries a TCP connection from the handshake to the end", () => {
    const { simulation, a, b } = pair();
    const options: TcpOptions = {
      protocol: "tcp",
      segmentBytes: 1000,
      margin: NS_PER_MS,
      floor: 0,
      cap: NS_PER_S,
      initial: NS_PER_S,
      congestionControl: CONGESTION_CONTROLS.cubic,
      initialWindow: 10,
      receiveBuffer: 1_000_000,
      delayedAck: { segments: 2, timeout: NS_PER_MS },
      ecn: "off",
      sack: true,
      rack: true,
      reordering: false,
      handshake: true,
      timeWait: NS_PER_MS,
      userTimeout: 100 * NS_PER_S,
    };
    let accepted: Stream | undefined;
    const listen = (stream: Stream): void => {
      accepted = stream;
    };
    b.transport.listen(5201, options, listen, new Random(2));
    const stream = a.transport.connect(4, 40_000, { address: H2.ipv4, port: 5201 }, new Random(1), options);
    let closed: string | undefined;
    stream.listener = { closed: (reason) => (closed = reason) };
    stream.send(1_000_000);
    stream.finish();
    simulation.run();
    expect([accepted?.bytesReceived, closed]).toEqual([1_000_000, "finished"]);
  });

  it("says of each frame why it was refused", () => {
    const { simulation, a, b } = pair();
    const verdicts: (string | undefined)[] = [];
    b.onFrame = (_, verdict) => verdicts.push(verdict);
    const echo = (dst: bigint, mac: bigint): Uint8Array => {
      const message = { type: 8, code: 0, identifier: 1, sequence: 1, body: new Uint8Array(8) };
      const frame = Icmp.frameOf({ srcMac: H1.mac, src: H1.ipv4, dst }, message);
      for (let i = 0; i < 6; i++) frame[i] = Number((mac >> BigInt(40 - 8 * i)) & 255n);
      return frame;
    };
    const spoilt = (at: number): Uint8Array => {
      const frame = echo(H2.ipv4, H2.mac);
      frame[at]! ^= 1;
      return frame;
    };
    const arp = Arp.frameOf({ operation: 1, senderMac: H1.mac, sender: 5n, targetMac: 0n, target: 9n });
    const frames = [
      echo(H2.ipv4, 0x42n),
      echo(0x0a000199n, H2.mac),
      spoilt(24),
      spoilt(45),
      spoilt(12),
      arp.slice(0, 40),
      echo(H2.ipv4, H2.mac).subarray(0, 30),
      echo(H2.ipv4, H2.mac),
      arp,
      new Uint8Array(5),
    ];
    for (const frame of frames) a.sendFrame(frame);
    simulation.run();
    expect(verdicts).toEqual([
      "for another MAC address",
      "for another IPv4 address",
      "wrong IPv4 header checksum",
      "wrong ICMP checksum or length",
      "of the unknown type 0x0900",
      "no whole ARP message",
      "no whole IPv4 packet",
      undefined,
      undefined,
      "shorter than an Ethernet header",
      // the answer to its own ARP request, for the reply to the good echo
      undefined,
    ]);
  });
});
