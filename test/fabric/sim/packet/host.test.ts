/** What a host does below its transport: ports, whose segments are whose, what it refuses, and what it forgets. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import type { FlowKey } from "../../../../src/base/packets/index.js";
import type { ConnectionEnd, HostPolicy } from "../../../../src/fabric/hosts/index.js";
import { NS_PER_MS, NS_PER_S, type UdpReceiver } from "../../../../src/fabric/sim/packet/index.js";
import { tcp } from "../tcp/options.js";
import { pairOfHosts, policy, steady } from "./relay.js";

/** Opens everything, and notes of which ends. */
function noting(ends: ConnectionEnd[], sourcePort?: number): HostPolicy {
  return {
    ...policy(steady),
    open: (_flow, _random, end) => {
      ends.push(end);
      return steady();
    },
    ...(sourcePort === undefined ? {} : { sourcePort: () => sourcePort }),
  };
}

describe("the source port of a connection", () => {
  it("is the policy's choice, unless another connection to the peer has it", () => {
    const net = pairOfHosts([noting([], 5000), policy(steady)]);
    const peer = { address: net.b.address(4), port: 80 };
    const port = (free: number) => net.a.sourcePort(4, free, peer, new Random(1));
    expect(port(4000)).toBe(5000);
    expect(port(5000)).toBe(5000);
    net.a.connect(4, 5000, peer, new Random(1), tcp());
    expect(port(4000)).toBe(4000);
    expect(net.a.sourcePort(4, 4000, { ...peer, port: 81 }, new Random(1))).toBe(5000);
    expect(net.a.sourcePort(6, 4000, { ...peer, address: net.b.address(6) }, new Random(1))).toBe(5000);
  });

  it("is the free one without a policy that chooses", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    expect(net.a.sourcePort(4, 4000, { address: 9n, port: 80 }, new Random(1))).toBe(4000);
    expect(net.a.nicCount).toBe(2);
  });
});

describe("what a policy is told of the end of a connection", () => {
  it("has the bytes of the flow where they are known", () => {
    const ends: ConnectionEnd[] = [];
    const net = pairOfHosts([noting(ends), policy(steady)]);
    const peer = { address: net.b.address(4), port: 80 };
    const all = tcp({ subflows: { count: 2, scheduler: "round_robin" } });
    net.a.connectMultipath(4, [1, 2], peer, new Random(1), all, 777);
    net.a.connectMultipath(4, [3, 4], peer, new Random(1), all);
    const end = (subflow: number) => ({ role: "client", subflow, subflows: 2 });
    expect(ends).toEqual([{ ...end(0), bytes: 777 }, { ...end(1), bytes: 777 }, end(0), end(1)]);
  });
});

describe("a host", () => {
  it("hears of the carrier of its NICs, from 0 on", () => {
    const heard: string[] = [];
    const own: HostPolicy = { ...policy(steady), onCarrier: (nic, up) => heard.push(`${nic} ${up}`) };
    const net = pairOfHosts([own, policy(steady)]);
    net.a.portState(1, false);
    net.a.portState(2, true);
    net.b.portState(1, false);
    expect(heard).toEqual(["0 false", "1 true"]);
  });

  it("gives segments to the connection of their ports and addresses, and rejects others", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    const { simulation } = net.network;
    const accepted: string[] = [];
    net.b.listen(80, tcp(), (stream) => accepted.push(`${stream.flow.dstPort}`), new Random(1));
    const peer = { address: net.b.address(4), port: 80 };
    const flows = [4000, 4001].map((port) => net.a.connect(4, port, peer, new Random(port), tcp()));
    simulation.run(10 * NS_PER_MS);
    expect(accepted.sort()).toEqual(["4000", "4001"]);
    flows[1]!.send(700);
    simulation.run(30 * NS_PER_MS);
    expect(flows.map(({ bytesAcknowledged }) => bytesAcknowledged)).toEqual([0, 700]);
    expect(net.b.connectionCount).toBe(2);
    // The other one ends; its port is free again, and this one goes on.
    flows[0]!.finish();
    simulation.run(NS_PER_S);
    expect([net.a.connectionCount, net.b.connectionCount]).toEqual([1, 1]);
    expect(net.a.isFree(4, 4000, peer)).toBe(true);
    flows[1]!.send(100);
    simulation.run(2 * NS_PER_S);
    expect(flows[1]!.bytesAcknowledged).toBe(800);
    expect(net.b.stats).toMatchObject({ rejected: 0, unknown: 0 });
    // Nothing was lost: both have received what the other has sent, handshakes included.
    expect([net.a.stats.received, net.b.stats.received]).toEqual([net.b.stats.sent, net.a.stats.sent]);
  });

  it("keeps connections apart that have the same ports at one peer over IPv4 and IPv6, also when one of them ends", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    const { simulation } = net.network;
    net.b.listen(80, tcp(), () => {}, new Random(1));
    const flows = ([4, 6] as const).map((version) =>
      net.a.connect(version, 4000, { address: net.b.address(version), port: 80 }, new Random(version), tcp()),
    );
    flows[0]!.send(300);
    flows[1]!.send(500);
    simulation.run(100 * NS_PER_MS);
    expect(flows.map(({ bytesAcknowledged }) => bytesAcknowledged)).toEqual([300, 500]);
    flows[0]!.finish();
    simulation.run(NS_PER_S);
    flows[1]!.send(200);
    simulation.run(2 * NS_PER_S);
    expect(flows[1]!.bytesAcknowledged).toBe(700);
    expect([net.a.connectionCount, net.b.connectionCount]).toEqual([1, 1]);
    expect(net.b.stats).toMatchObject({ rejected: 0, unknown: 0 });
  });

  it("answers a segment for no connection with a reset where it listens at all, else with nothing", () => {
    for (const listens of [true, false]) {
      const net = pairOfHosts([policy(steady), policy(steady)]);
      if (listens) net.b.listen(81, tcp(), () => {}, new Random(1));
      const closed: string[] = [];
      const flow = net.a.connect(4, 4000, { address: net.b.address(4), port: 80 }, new Random(1), tcp());
      flow.listener = { closed: (reason) => closed.push(reason) };
      net.network.simulation.run(100 * NS_PER_MS);
      expect(closed).toEqual(listens ? ["reset"] : []);
      expect(net.b.stats).toMatchObject({ received: 0, rejected: 1, unknown: 1, sent: listens ? 1 : 0 });
    }
  });

  it("keeps UDP flows apart by peer and ports, and forgets the one that is over", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    const { simulation } = net.network;
    const receivers: UdpReceiver[] = [];
    net.b.listenUdp(9, (receiver) => receivers.push(receiver));
    const send = (port: number, version: 4 | 6 = 4) => {
      const peer = { address: net.b.address(version), port: 9 };
      net.a.sendUdp(version, port, peer, new Random(1), { segmentBytes: 100, rateBps: 8e8, bytes: 300 });
    };
    send(1);
    send(2);
    send(1, 6);
    simulation.run(10 * NS_PER_MS);
    expect(receivers.map(({ peerPort, datagrams }) => [peerPort, datagrams]).sort()).toEqual([
      [1, 3],
      [1, 3],
      [2, 3],
    ]);
    expect(net.a.connectionCount).toBe(0);
    // The same ports again while the receiver is there: what comes are duplicates.
    send(1);
    simulation.run(20 * NS_PER_MS);
    expect(receivers).toHaveLength(3);
    expect(receivers.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(3);
    const first = receivers.find(({ peerPort, duplicates }) => peerPort === 1 && duplicates > 0)!;
    const overIPv6 = receivers.find(({ peerPort, duplicates }) => peerPort === 1 && duplicates === 0)!;
    first.close();
    send(1);
    send(2);
    send(1, 6);
    simulation.run(30 * NS_PER_MS);
    expect(receivers).toHaveLength(4);
    expect(overIPv6.duplicates).toBe(3);
    expect(receivers[3]).toMatchObject({ peerPort: 1, datagrams: 3, duplicates: 0 });
    expect(net.b.stats.rejected).toBe(0);
  });

  it("refuses datagrams without room for a number, and rejects what no port takes", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    const peer = { address: net.b.address(4), port: 9 };
    const options = { segmentBytes: 3, rateBps: 1e9, bytes: 10 };
    expect(() => net.a.sendUdp(4, 1, peer, new Random(1), options)).toThrow(RangeError);
    net.a.sendDatagram(4, 1, peer, { number: 5, selector: 0 });
    net.network.simulation.run();
    expect(net.b.stats).toMatchObject({ received: 0, rejected: 1, unknown: 1 });
  });

  it("has one connection for each pair of ports and peer, with subflows or without", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    const options = tcp({ subflows: { count: 2, scheduler: "round_robin" } });
    for (const version of [4, 6] as const) {
      const peer = { address: net.b.address(version), port: 80 };
      const connect = (port: number, to = peer) => net.a.connect(version, port, to, new Random(1), tcp());
      const connectTwo = (ports: readonly number[]) =>
        net.a.connectMultipath(version, ports, peer, new Random(1), options);
      connect(4000);
      expect(() => connect(4000)).toThrow("h0: port 4000 has a connection to port 80 of this peer");
      expect(() => connectTwo([5000, 4000])).toThrow(
        "h0: port 4000 has a connection to port 80 of this peer",
      );
      // Nothing has taken port 5000, and other peers and ports are free.
      expect([net.a.isFree(version, 5000, peer), net.a.isFree(version, 4000, peer)]).toEqual([true, false]);
      connect(4000, { ...peer, port: 81 });
      connect(4000, { ...peer, address: peer.address + 1n });
      connectTwo([5000, 5001]);
    }
    expect(net.a.connectionCount).toBe(2 * 5);
  });

  it("is not asked for a connection or a flow that it has released already", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    const peer = { address: net.b.address(4), port: 80 };
    const flow = net.a.connect(4, 4000, peer, new Random(1), tcp());
    const udp = { segmentBytes: 100, rateBps: 1e6, bytes: 1e6 };
    const sender = net.a.sendUdp(4, 4001, peer, new Random(1), udp);
    for (let i = 0; i < 2; i++) {
      net.a.release(flow);
      net.a.releaseSender(sender);
      expect(net.a.connectionCount).toBe(0);
    }
    // Each of the new ones has a number of its own.
    const indexes = [4002, 4003, 4004].map((port) => net.a.sendUdp(4, port, peer, new Random(1), udp).index);
    expect(new Set(indexes).size).toBe(3);
    net.a.release(flow);
    net.a.releaseSender(sender);
    expect(net.a.connectionCount).toBe(3);
  });

  it("forgets everything when it is reset", () => {
    const net = pairOfHosts([policy(steady), policy(steady)]);
    const closed: string[] = [];
    const peer = { address: net.b.address(4), port: 80 };
    net.b.listen(80, tcp(), () => {}, new Random(1));
    const flow = net.a.connect(4, 4000, peer, new Random(1), tcp());
    flow.listener = { closed: (reason) => closed.push(reason) };
    net.network.simulation.run(100 * NS_PER_MS);
    net.a.reset();
    net.b.reset();
    expect([closed, net.a.connectionCount, net.b.connectionCount]).toEqual([["closed"], 0, 0]);
    net.a.connect(4, 4000, peer, new Random(1), tcp());
    net.network.simulation.run(200 * NS_PER_MS);
    expect(net.b.stats.unknown).toBe(1);
  });
});

describe("a flow's key", () => {
  it("is as this host sends it", () => {
    const keys: FlowKey[] = [];
    const own: HostPolicy = {
      ...policy(steady),
      open: (flow) => {
        keys.push(flow);
        return steady();
      },
    };
    const net = pairOfHosts([own, policy(steady)]);
    const peer = { address: net.b.address(6), port: 80 };
    net.a.connect(6, 4000, peer, new Random(1), tcp());
    net.a.sendUdp(6, 4000, peer, new Random(1), { segmentBytes: 4, rateBps: 1e6, bytes: 4 });
    const key = { src: net.a.address(6), dst: net.b.address(6), srcPort: 4000, dstPort: 80 };
    expect(keys).toEqual([
      { ...key, protocol: 6 },
      { ...key, protocol: 17 },
    ]);
  });
});
