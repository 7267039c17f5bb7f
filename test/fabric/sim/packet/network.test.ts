import { describe, expect, it } from "vitest";
import { Network, type Node } from "../../../../src/fabric/sim/packet/index.js";

describe("a link whose carrier is signalled", () => {
  it("shows both of its ends the port state, and no other port", () => {
    const network = new Network();
    const seen: string[] = [];
    const node = (name: string): Node => ({
      name,
      receive: () => {},
      attach: () => {},
      portState: (port, up) => void seen.push(`${name}:${port} ${up ? "up" : "down"}`),
    });
    const channel = { rate: 1e9, delay: 0, queueBytes: 1e6, queuePackets: 10 };
    const [a, b, c] = ["a", "b", "c"].map(node) as [Node, Node, Node];
    const options = { aToB: channel, bToA: channel };
    const link = network.connect({ node: a, port: 3 }, { node: b, port: 7 }, options);
    network.connect({ node: b, port: 8 }, { node: c, port: 1 }, options);
    network.signalLink(link, false);
    network.signalLink(link, true);
    expect(seen.sort()).toEqual(["a:3 down", "a:3 up", "b:7 down", "b:7 up"]);
  });
});

describe("the links of a node", () => {
  it("are those that were connected to it, in this order; a node without a link has none", () => {
    const network = new Network();
    const node = (name: string): Node => ({ name, receive: () => {}, attach: () => {} });
    const [a, b, c] = ["a", "b", "c"].map(node) as [Node, Node, Node];
    const channel = { rate: 1e9, delay: 0, queueBytes: 1e6, queuePackets: 10 };
    const links = [2, 1].map((port) =>
      network.connect({ node: a, port }, { node: b, port }, { aToB: channel, bToA: channel }),
    );
    expect(network.linksOf(a)).toEqual(links);
    expect(network.linksOf(b)).toEqual(links);
    expect(network.linksOf(c)).toEqual([]);
  });
});
