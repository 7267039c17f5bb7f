/** Transfers over bad networks: every byte arrives once, nothing exceeds a window, and the connection ends. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { NS_PER_MS, NS_PER_S, type Stream } from "../../../../src/fabric/sim/packet/index.js";
import { pairOfHosts, policy, steady } from "../packet/relay.js";
import { tcp } from "./options.js";

/** Sends `bytes` from a to b over a connection with handshake and close; what both ends saw. */
function transfer(bytes: number, options: Parameters<typeof tcp>[0], loses: () => boolean) {
  const net = pairOfHosts([policy(steady), policy(steady)]);
  const { simulation } = net.network;
  for (const relay of net.relays) relay.loses = () => loses();
  const ended: string[] = [];
  let received = 0;
  let server: Stream | undefined;
  net.b.listen(
    80,
    tcp(options),
    (connection) => {
      server = connection;
      connection.listener = {
        received: (total) => {
          expect(total).toBeGreaterThan(received);
          received = total;
        },
        closed: (reason) => ended.push(`server ${reason}`),
      };
    },
    new Random(2),
  );
  const client = net.a.connect(
    4,
    40000,
    { address: net.b.address(4), port: 80 },
    new Random(1),
    tcp(options),
  );
  client.listener.closed = (reason) => ended.push(`client ${reason}`);
  client.send(bytes);
  client.finish();
  simulation.run(1000 * NS_PER_S);
  return { net, client, server, received, ended };
}

describe("a transfer", () => {
  it("opens, moves all bytes, closes, and leaves nothing behind", () => {
    const { net, client, received, ended } = transfer(100_000, {}, () => false);
    expect(received).toBe(100_000);
    expect(ended.sort()).toEqual(["client finished", "server finished"]);
    expect([net.a.connectionCount, net.b.connectionCount, net.network.simulation.pending]).toEqual([0, 0, 0]);
    expect(client.counters).toMatchObject({ segmentsSent: 1000, retransmissions: 0, timeouts: 0 });
  });

  it.each([
    ["RACK", {}],
    ["SACK", { rack: false }],
    ["NewReno", { sack: false, rack: false }],
    ["RACK without delayed acknowledgements", { delayedAck: { segments: 1, timeout: 0 } }],
    ["a small receive buffer", { receiveBuffer: 700 }],
  ])("delivers every byte over a lossy path: %s", (_name, options) => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 30_000 }),
        fc.double({ min: 0, max: 0.3, noNaN: true }),
        (seed, bytes, share) => {
          const random = new Random(seed);
          const { net, received, ended, client } = transfer(bytes, options, () => random.float() < share);
          expect(received).toBe(bytes);
          expect(client.bytesAcknowledged).toBe(bytes);
          // The last acknowledgement of the close may be lost so often that the other end is reset.
          expect(ended).toHaveLength(2);
          expect([net.a.connectionCount, net.b.connectionCount]).toEqual([0, 0]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("uses a round trip for each doubling of its window, and no timer", () => {
    const { client, net } = transfer(10_000, { initialWindow: 10 }, () => false);
    expect(client.counters.timeouts).toBe(0);
    expect(net.network.simulation.now).toBe(1000 * NS_PER_S);
    expect(client.progressAt).toBeLessThan(12 * NS_PER_MS);
  });
});
