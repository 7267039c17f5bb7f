/** Sends one frame over a link of 1 Gbit/s with 5 us of delay, in virtual time. */
import { Network, type Node } from "p4loom/simulate";

const network = new Network();
const { simulation } = network;
const node = (name: string): Node => ({
  name,
  receive: (_, frame) => console.log(`${name} got ${frame.length} bytes after ${simulation.now} ns`),
  attach: (_, channel) => name === "a" && channel.send(new Uint8Array(1250)),
});
const channel = { rate: 1e9, delay: 5_000, queueBytes: 1e6, queuePackets: 10 };
network.connect({ node: node("a"), port: 1 }, { node: node("b"), port: 1 }, { aToB: channel, bToA: channel });
simulation.run(1e6);

/* prints
b got 1250 bytes after 15000 ns
*/
