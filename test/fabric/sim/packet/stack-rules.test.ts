/** Rules of a host's stack: which errors concern a ping, the numbers of pings, what waits for an address, and gateways. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { Arp, Icmp } from "../../../../src/base/packets/index.js";
import {
  Network,
  NS_PER_MS,
  NS_PER_S,
  Simulation,
  StackHost,
  type StackHostOptions,
} from "../../../../src/fabric/sim/packet/index.js";

const H1 = { mac: 0x080000000111n, ipv4: 0x0a000101n };
const H2 = { mac: 0x080000000222n, ipv4: 0x0a000102n };
const WIRE = { rate: 1e9, delay: NS_PER_MS, queueBytes: 1e6, queuePackets: 1000 };
const PING = { to: H2.ipv4, count: 2, intervalNs: NS_PER_S, bytes: 8, ttl: 64, timeoutNs: NS_PER_S };

/** A host at a cable whose other end notes frames; `say` sends one from there. */
function alone(more: Partial<StackHostOptions> = {}) {
  const simulation = new Simulation();
  const network = new Network(simulation);
  const nextHop = (to: bigint) => to;
  const host = new StackHost(simulation, { name: "h1", ...H1, nextHop, neighbours: new Map(), ...more });
  const frames: Uint8Array[] = [];
  let say: (frame: Uint8Array) => void = () => {};
  const end = {
    name: "end",
    receive: (_port: number, frame: Uint8Array) => void frames.push(Uint8Array.from(frame)),
    attach: (_port: number, output: { send(frame: Uint8Array): void }) => {
      say = (frame) => output.send(frame);
    },
  };
  network.connect({ node: host, port: 1 }, { node: end, port: 1 }, { aToB: WIRE, bToA: WIRE });
  return { simulation, host, frames, say: (frame: Uint8Array) => say(frame) };
}

const known = { neighbours: new Map([[H2.ipv4, H2.mac]]) };

/** An ICMP message of h2 to h1. */
function message(type: number, code: number, body: Uint8Array): Uint8Array {
  const frame = Icmp.frameOf(
    { srcMac: H2.mac, src: H2.ipv4, dst: H1.ipv4 },
    { type, code, identifier: 0, sequence: 0, body },
  );
  for (let i = 0; i < 6; i++) frame[i] = Number((H1.mac >> BigInt(40 - 8 * i)) & 255n);
  return frame;
}

describe("an ICMP message", () => {
  /** What a ping of two requests hears when the other end answers the first one with a message about it. */
  function heardOf(make: (quoted: Uint8Array) => Uint8Array) {
    const { simulation, host, frames, say } = alone(known);
    const heard: unknown[] = [];
    const ping = host.ping(PING, {
      refused: (...all) => heard.push(all),
      ended: () => heard.push(simulation.now),
    });
    simulation.run(NS_PER_S / 2);
    say(make(frames[0]!.slice(14, 14 + 28)));
    simulation.run();
    return { heard, refused: ping.refused, received: ping.received };
  }
  const ended = 2 * NS_PER_S;
  const changed = (at: number, value: number) => (quoted: Uint8Array) => {
    quoted[at] = value;
    return message(3, 1, quoted);
  };

  it.each<[string, string, (quoted: Uint8Array) => Uint8Array]>([
    ["an exceeded time to live", "time to live exceeded", (quoted) => message(11, 0, quoted)],
    ["a host that cannot be reached", "host unreachable", (quoted) => message(3, 1, quoted)],
    ["an unknown code", "destination unreachable, code 13", (quoted) => message(3, 13, quoted)],
  ])("about a request says why it was refused: %s", (_, why, make) => {
    expect(heardOf(make)).toEqual({ heard: [[1, why, H2.ipv4], ended], refused: 1, received: 0 });
  });

  it.each<[string, (quoted: Uint8Array) => Uint8Array]>([
    ["of another type", (quoted) => message(5, 1, quoted)],
    ["that quotes 27 bytes", (quoted) => message(3, 1, quoted.slice(0, 27))],
    ["about a datagram", changed(9, 17)],
    ["about a request of another ping", changed(25, 9)],
    ["about a request that was not sent", changed(27, 9)],
  ])("%s does not concern a ping", (_, make) => {
    expect(heardOf(make)).toEqual({ heard: [ended], refused: 0, received: 0 });
  });

  it("about the last request ends the ping", () => {
    const { simulation, host, frames, say } = alone(known);
    let over = -1;
    const ping = host.ping({ ...PING, count: 1 }, { ended: () => (over = simulation.now) });
    simulation.run(NS_PER_S / 2);
    say(message(3, 1, frames[0]!.slice(14, 14 + 28)));
    simulation.run();
    expect([ping.over, over < NS_PER_S, over > NS_PER_S / 2]).toEqual([true, true, true]);
  });
});

describe("pings", () => {
  it("have the numbers from 1 to 65535, then again from 1", () => {
    const { host } = alone(known);
    const numbers = Array.from({ length: 65_537 }, () => host.ping(PING).identifier);
    expect([numbers[0], numbers[65_534], numbers[65_535], numbers[65_536]]).toEqual([1, 65_535, 1, 2]);
  });

  it("that are stopped send nothing more, and end once", () => {
    const { simulation, host, frames } = alone(known);
    let ends = 0;
    const [early, late] = [0, 1].map(() => host.ping(PING, { ended: () => ends++ })) as [
      ReturnType<typeof host.ping>,
      ReturnType<typeof host.ping>,
    ];
    early.stop();
    early.stop();
    simulation.run(NS_PER_S / 2);
    late.stop();
    simulation.run();
    expect([ends, early.sent, late.sent, frames.length]).toEqual([2, 0, 1, 1]);
    expect(simulation.now).toBeLessThanOrEqual(NS_PER_S);
  });
});

describe("a ping that was stopped", () => {
  it("hears of no reply and of no error", () => {
    for (const type of [0, 3]) {
      const { simulation, host, frames, say } = alone(known);
      const ping = host.ping(PING, {
        replied: () => expect.fail("a reply"),
        refused: () => expect.fail("an error"),
      });
      simulation.run(NS_PER_S / 2);
      ping.stop();
      const quoted = frames[0]!.slice(14, 14 + 28);
      const reply = message(0, 0, new Uint8Array(8));
      // Identifier 1 and sequence number 1: two bits more than in the checksum of the message above.
      reply.set([0, 1, 0, 1], 14 + 20 + 4);
      reply[14 + 20 + 3]! -= 2;
      say(type === 0 ? reply : message(3, 1, quoted));
      expect(Icmp.parseFrame(reply)).toMatchObject({ type: 0, identifier: 1, sequence: 1 });
      simulation.run();
      expect([ping.received, ping.refused, ping.over]).toEqual([0, 0, true]);
    }
  });

  it("is not told that no host answers for its target", () => {
    const { simulation, host, frames } = alone();
    const ping = host.ping(PING, { refused: () => expect.fail("an error") });
    simulation.run(NS_PER_S / 2);
    ping.stop();
    simulation.run();
    expect([frames.length, ping.refused]).toEqual([3, 0]);
  });
});

describe("frames that wait for an address", () => {
  it("are at most 64, the oldest is dropped first; they leave in their order when the address is known", () => {
    const { simulation, host, frames, say } = alone();
    const ping = host.ping({ ...PING, count: 70, intervalNs: 1000 });
    simulation.run(NS_PER_S / 2);
    expect([ping.sent, frames.length, Arp.parseFrame(frames[0]!)?.target]).toEqual([70, 1, H2.ipv4]);
    say(
      Arp.frameOf({ operation: 2, senderMac: H2.mac, sender: H2.ipv4, targetMac: H1.mac, target: H1.ipv4 }),
    );
    simulation.run(NS_PER_S);
    const sequences = frames.slice(1).map((frame) => Icmp.parseFrame(frame)?.sequence);
    expect(sequences).toEqual(Array.from({ length: 64 }, (_, i) => 7 + i));
  });

  it("wait for a message to this host: one to another host teaches nothing", () => {
    const { simulation, host, say } = alone();
    const reply = { operation: 2, senderMac: H2.mac, sender: H2.ipv4, targetMac: H1.mac };
    say(Arp.frameOf({ ...reply, target: H1.ipv4 + 1n }));
    simulation.run();
    expect(host.arp.entries.size).toBe(0);
    say(Arp.frameOf({ ...reply, target: H1.ipv4 }));
    simulation.run();
    expect(host.arp.entries).toEqual(new Map([[H2.ipv4, H2.mac]]));
  });

  it("no message changes an address that was given", () => {
    const { simulation, host, say } = alone(known);
    say(Arp.frameOf({ operation: 2, senderMac: 5n, sender: H2.ipv4, targetMac: H1.mac, target: H1.ipv4 }));
    simulation.run();
    expect([host.arp.lookUp(H2.ipv4), host.arp.isPermanent(H2.ipv4), host.arp.isPermanent(1n)]).toEqual([
      H2.mac,
      true,
      false,
    ]);
  });
});

describe("a gateway", () => {
  it("gets the packets of the transport and of ping, of both versions of IP, without a request", () => {
    const { simulation, host, frames } = alone({ gateways: [H2.mac], ipv6: 1n });
    const udp = { segmentBytes: 100, rateBps: 1e9, bytes: 100 };
    for (const version of [4, 6] as const)
      host.transport.sendUdp(version, 1000, { address: 0x0b000001n, port: 9 }, new Random(1), udp);
    host.ping({ ...PING, to: 0x0b000001n, count: 1 });
    simulation.run();
    const macs = frames.map((frame) => Buffer.from(frame.subarray(0, 6)).toString("hex"));
    expect(macs).toEqual(Array(3).fill("080000000222"));
  });

  it("without one there is no route for IPv6", () => {
    const { simulation, host, frames } = alone({ ipv6: 1n });
    const lost: string[] = [];
    host.onUndeliverable = (why) => lost.push(why);
    const udp = { segmentBytes: 100, rateBps: 1e9, bytes: 100 };
    host.transport.sendUdp(6, 1000, { address: 2n, port: 9 }, new Random(1), udp);
    simulation.run();
    expect([lost, frames.length]).toEqual([["no route to IPv6"], 0]);
  });
});
