/** One stream above several subflows: delivery, schedulers, reinjection, coupled congestion controls, and the ends that policies see. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import type { ConnectionEnd, HostPolicy } from "../../../../src/fabric/hosts/index.js";
import {
  CONGESTION_CONTROLS,
  type MultipathConnection,
  NS_PER_MS,
  NS_PER_S,
  type Stream,
  type SubflowScheduler,
  type TcpOptions,
} from "../../../../src/fabric/sim/packet/index.js";
import { pairOfHosts } from "../packet/relay.js";
import { tcp } from "./options.js";

const PORTS = [4000, 4001, 4002, 4003];

/** Subflows with an even number go by relay x, the others by relay y. */
function spread(ends: ConnectionEnd[] = []): HostPolicy {
  return {
    open: (_flow, _random, end) => {
      ends.push(end);
      const selector = end.subflow % 2;
      return { selector, onTimeout: () => [selector], onAck: () => {}, onData: () => [selector] };
    },
    nic: (_flow, selector) => selector,
  };
}

function transfer(
  bytes: number,
  scheduler: SubflowScheduler,
  options: Partial<TcpOptions> = {},
  prepare: (net: ReturnType<typeof pairOfHosts>) => void = () => {},
  count = 4,
  ports: readonly number[] = PORTS,
) {
  const ends: ConnectionEnd[][] = [[], []];
  const net = pairOfHosts([spread(ends[0]), spread(ends[1])], { rate: 100e6 });
  const { simulation } = net.network;
  prepare(net);
  const all = tcp({ ...options, subflows: { count, scheduler } });
  let server: Stream | undefined;
  let received = 0;
  let receivedAt = 0;
  const closed: string[] = [];
  net.b.listen(
    80,
    all,
    (stream) => {
      server = stream;
      stream.listener = {
        received: (total) => {
          expect(total).toBeGreaterThan(received);
          received = total;
          receivedAt = simulation.now;
        },
        closed: (reason) => closed.push(`server ${reason}`),
      };
    },
    new Random(2),
  );
  const peer = { address: net.b.address(4), port: 80 };
  const client = net.a.connectMultipath(4, ports.slice(0, count), peer, new Random(1), all);
  client.listener.closed = (reason) => closed.push(`client ${reason}`);
  client.send(bytes);
  client.finish();
  simulation.run(1000 * NS_PER_S);
  return { net, client, server: server as MultipathConnection, received, receivedAt, closed, ends };
}

describe("a connection with four subflows", () => {
  it.each(["round_robin", "least_rtt", "redundant"] as const)(
    "%s: delivers all bytes and closes",
    (scheduler) => {
      const { net, client, received, closed } = transfer(200_000, scheduler);
      expect(received).toBe(200_000);
      expect(client.bytesAcknowledged).toBe(200_000);
      expect(closed.sort()).toEqual(["client finished", "server finished"]);
      expect([net.a.connectionCount, net.b.connectionCount, net.network.simulation.pending]).toEqual([
        0, 0, 0,
      ]);
    },
  );

  it.each(["round_robin", "least_rtt", "redundant"] as const)(
    "%s: delivers all bytes whatever is lost",
    (scheduler) => {
      fc.assert(
        fc.property(fc.integer(), fc.double({ min: 0, max: 0.2, noNaN: true }), (seed, loss) => {
          const random = new Random(seed);
          const { received, net } = transfer(20_000, scheduler, {}, ({ relays }) => {
            for (const relay of relays) relay.loses = () => random.float() < loss;
          });
          expect(received).toBe(20_000);
          expect([net.a.connectionCount, net.b.connectionCount]).toEqual([0, 0]);
        }),
        { numRuns: 30 },
      );
    },
  );

  it("delivers all bytes and closes where all subflows have one five-tuple", () => {
    fc.assert(
      fc.property(fc.integer(), fc.double({ min: 0, max: 0.1, noNaN: true }), (seed, loss) => {
        const random = new Random(seed);
        const seen = new Set<string>();
        const shared = new Array<number>(4).fill(4000);
        const lossy = (net: ReturnType<typeof pairOfHosts>) => {
          for (const relay of net.relays) relay.loses = () => random.float() < loss;
        };
        const run = transfer(20_000, "round_robin", {}, lossy, 4, shared);
        expect(run.received).toBe(20_000);
        expect(run.closed.sort()).toEqual(["client finished", "server finished"]);
        for (const { flow, bytesAcknowledged } of run.client.connections) {
          seen.add(`${flow.srcPort} ${flow.dstPort}`);
          if (loss === 0) expect(bytesAcknowledged).toBeGreaterThan(0);
        }
        expect([...seen]).toEqual(["4000 80"]);
        for (const ends of run.ends) expect(ends.map(({ subflow }) => subflow).sort()).toEqual([0, 1, 2, 3]);
        expect([run.net.a.connectionCount, run.net.b.connectionCount]).toEqual([0, 0]);
      }),
      { numRuns: 20 },
    );
  });

  it("refuses a port that a connection to the peer has, also one with shared ports", () => {
    const net = pairOfHosts([spread(), spread()], { rate: 100e6 });
    const options = tcp({ subflows: { count: 2, scheduler: "least_rtt" } });
    const peer = { address: net.b.address(4), port: 80 };
    net.a.connectMultipath(4, [4000, 4000], peer, new Random(1), options);
    expect(() => net.a.connectMultipath(4, [4000, 4000], peer, new Random(2), options)).toThrow(RangeError);
    expect(() => net.a.connect(4, 4000, peer, new Random(3), tcp({}))).toThrow(RangeError);
  });

  it("uses both of two paths: about twice as fast as one subflow", () => {
    const large = { segmentBytes: 1000, receiveBuffer: 10_000_000 };
    const one = transfer(2_000_000, "least_rtt", large, undefined, 1).receivedAt;
    const two = transfer(2_000_000, "least_rtt", large, undefined, 2).receivedAt;
    expect(one / two).toBeGreaterThan(1.7);
    expect(one / two).toBeLessThan(2.1);
  });

  it("sends every byte on each subflow with the redundant scheduler, unless it has arrived already", () => {
    const { client } = transfer(2_000, "redundant", { initialWindow: 20 }, undefined, 2);
    expect(client.counters.bytesSent).toBe(4_000);
    expect(client.counters.retransmissions).toBe(0);
  });

  /** Messages of one segment each, 20 ms apart, by two subflows of which the second takes 5 ms longer each way. */
  function messages(scheduler: SubflowScheduler) {
    const net = pairOfHosts([spread(), spread()], { rate: 100e6 });
    const { simulation } = net.network;
    const [, slow] = net.relays;
    const pass = slow.receive.bind(slow);
    slow.receive = (port, frame) => simulation.at(simulation.now + 5 * NS_PER_MS, () => pass(port, frame));
    const options = tcp({ subflows: { count: 2, scheduler } });
    const delays: number[] = [];
    let sentAt = 0;
    const accept = (stream: Stream) => {
      stream.listener = { received: () => delays.push(simulation.now - sentAt) };
    };
    net.b.listen(80, options, accept, new Random(2));
    const peer = { address: net.b.address(4), port: 80 };
    const client = net.a.connectMultipath(4, PORTS.slice(0, 2), peer, new Random(1), options);
    simulation.run(100 * NS_PER_MS);
    for (let i = 0; i < 20; i++) {
      sentAt = simulation.now;
      client.send(100);
      simulation.run(simulation.now + 20 * NS_PER_MS);
    }
    expect(delays).toHaveLength(20);
    return { late: delays.filter((delay) => delay > 5 * NS_PER_MS).length, client };
  }

  it("takes the subflow with the shorter round trip, each in turn, or all at once, as the scheduler says", () => {
    const sent = (run: ReturnType<typeof messages>) =>
      run.client.connections.map(({ bytesAcknowledged }) => bytesAcknowledged);
    const least = messages("least_rtt");
    expect([least.late, ...sent(least)]).toEqual([0, 2000, 0]);
    const turns = messages("round_robin");
    expect([turns.late, ...sent(turns)]).toEqual([10, 1000, 1000]);
    // No message waits for the slow subflow, which sends all of them too.
    const all = messages("redundant");
    expect([all.late, ...sent(all)]).toEqual([0, 2000, 2000]);
  });

  it("sends on another subflow what one could not deliver when its timer ran out", () => {
    const { received, receivedAt, client } = transfer(
      20_000,
      "round_robin",
      {},
      ({ relays, network }) => {
        network.simulation.at(3 * NS_PER_MS, () => network.failNode(relays[1]));
      },
      2,
    );
    expect(received).toBe(20_000);
    expect(client.counters.timeouts).toBeGreaterThan(0);
    expect(receivedAt).toBeLessThan(100 * NS_PER_MS);
  });

  it("gives the policy of each end the number and the role of each subflow", () => {
    const { ends } = transfer(1000, "round_robin");
    expect(ends[0]).toEqual([0, 1, 2, 3].map((subflow) => ({ role: "client", subflow, subflows: 4 })));
    expect(ends[1]!.map(({ role, subflows }) => [role, subflows])).toEqual(Array(4).fill(["server", 4]));
    expect(ends[1]!.map(({ subflow }) => subflow).sort()).toEqual([0, 1, 2, 3]);
  });

  it("shows coupled congestion controls all its established subflows", () => {
    const { client, received } = transfer(300_000, "least_rtt", {
      congestionControl: CONGESTION_CONTROLS.lia,
      segmentBytes: 1000,
    });
    expect(received).toBe(300_000);
    expect(client.connections.map(({ congestionControl }) => congestionControl.name)).toEqual(
      Array(4).fill("lia"),
    );
    expect(client.subflows).toEqual([]);
  });

  it("is refused a port that already has a connection to the peer", () => {
    const net = pairOfHosts([spread(), spread()]);
    const peer = { address: net.b.address(4), port: 80 };
    const all = tcp({ subflows: { count: 2, scheduler: "least_rtt" } });
    net.a.connectMultipath(4, [1, 2], peer, new Random(1), all);
    expect(net.a.isFree(4, 2, peer)).toBe(false);
    expect(() => net.a.connectMultipath(4, [3, 2], peer, new Random(1), all)).toThrow(RangeError);
    expect(net.a.isFree(4, 4, peer)).toBe(true);
  });
});

describe("the events of a connection with two subflows", () => {
  /** Both subflows are open after this. */
  function open(options: Partial<TcpOptions> = {}) {
    const net = pairOfHosts([spread(), spread()], { rate: 100e6 });
    const { simulation } = net.network;
    const all = tcp({ ...options, subflows: { count: 2, scheduler: "round_robin" } });
    const events: string[] = [];
    let server: MultipathConnection | undefined;
    net.b.listen(
      80,
      all,
      (stream) => {
        server = stream as MultipathConnection;
        server.listener = {
          established: () => events.push("server established"),
          peerFinished: () => events.push("server notified of the end"),
          closed: (reason) => events.push(`server ${reason}`),
        };
      },
      new Random(2),
    );
    const peer = { address: net.b.address(4), port: 80 };
    const client = net.a.connectMultipath(4, PORTS.slice(0, 2), peer, new Random(1), all);
    client.listener = {
      established: () => events.push("client established"),
      finished: () => events.push("client finished sending"),
      timedOut: (attempt) => events.push(`client timeout ${attempt}`),
      recovered: (attempts) => events.push(`client recovered after ${attempts}`),
      closed: (reason) => events.push(`client ${reason}`),
    };
    simulation.run(10 * NS_PER_MS);
    return { net, simulation, client, server: server!, events };
  }

  it("are reported once for both, and the end when the last subflow has ended", () => {
    const { client, server, events, simulation, net } = open();
    expect(client.subflows).toHaveLength(2);
    expect([client.flow.srcPort, client.flow.dstPort]).toEqual([PORTS[0], 80]);
    expect([client.repaths, server.connections.length]).toEqual([undefined, 2]);
    client.send(1000);
    client.finish();
    simulation.run(20 * NS_PER_MS);
    expect(client.connections.map(({ bytesAcknowledged }) => bytesAcknowledged)).toEqual([500, 500]);
    server.finish();
    simulation.run(NS_PER_S);
    expect(events).toEqual([
      "client established",
      "server established",
      "client finished sending",
      "server notified of the end",
      "server finished",
      "client finished",
    ]);
    expect([net.a.connectionCount, net.b.connectionCount]).toEqual([0, 0]);
    client.close();
    expect(events).toHaveLength(6);
  });

  it("report a timeout and the recovery from it", () => {
    const { client, events, simulation, net } = open({ rack: false });
    let lost = 0;
    net.relays[0].loses = ({ payloadLength }) => payloadLength > 0 && lost++ === 0;
    client.send(100);
    simulation.run(NS_PER_S);
    // The other subflow has sent it too.
    expect(events.slice(2)).toEqual([
      "client timeout 1",
      "client finished sending",
      "client recovered after 1",
    ]);
    expect(client.counters).toMatchObject({ timeouts: 1, bytesSent: 300 });
  });

  it("report that it was closed, once; all subflows are", () => {
    const { client, events, net } = open();
    client.close();
    client.close();
    expect(events.slice(2)).toEqual(["client closed"]);
    expect(net.a.connectionCount).toBe(0);
  });

  it("go on where one subflow is reset: the other sends what is missing", () => {
    const { client, server, events, simulation } = open({ rack: false, floor: NS_PER_S });
    const [kept, reset] = client.connections;
    // The other end forgets the subflow, and answers its next segment with a reset.
    server.connections[1]!.close();
    client.send(400);
    simulation.run(20 * NS_PER_MS);
    expect([kept!.state, reset!.state]).toEqual(["ESTABLISHED", "CLOSED"]);
    expect([server.bytesReceived, client.counters.timeouts]).toEqual([400, 0]);
    expect(client.subflows.map(({ control }) => control)).toEqual([kept!.congestionControl]);
    expect(events).toContain("client finished sending");
    expect(events.filter((event) => /closed|reset/.test(event))).toEqual([]);
  });
});
