/** Measures links and queues for the frames of a page: differences of counters since the previous frame. */
import type { LabNetwork } from "./network.js";
import type { LinkLoad, QueueDepth } from "./protocol.js";

export class FrameMeter {
  /** By channel: frames and bytes that had arrived at the previous frame of the page. */
  readonly #before = new Map<number, { packets: number; bytes: number }>();
  #at: number;
  /** By switch and port: the largest number of packets since the last frame. */
  readonly #peaks = new Map<string, { name: string; port: number; peak: number }>();

  constructor(readonly lab: LabNetwork) {
    this.#at = lab.simulation.now;
    for (const [name, node] of lab.switches)
      node.watchQueues((port, packets) => {
        const key = `${name} ${port}`;
        const known = this.#peaks.get(key);
        if (known === undefined) this.#peaks.set(key, { name, port, peak: packets });
        else if (packets > known.peak) known.peak = packets;
      });
  }

  take(): { links: LinkLoad[]; queues: QueueDepth[] } {
    const { simulation, network, plan } = this.lab;
    const elapsed = simulation.now - this.#at;
    this.#at = simulation.now;
    const links: LinkLoad[] = [];
    for (let link = 0; link < plan.links.length; link++) {
      const { aToB, bToA } = network.links[link]!;
      const [there, back] = [this.#since(aToB, elapsed), this.#since(bToA, elapsed)];
      if (there.packets + back.packets === 0) continue;
      links.push({
        link,
        share: [there.share, back.share],
        packets: [there.packets, back.packets],
      });
    }
    const queues = [...this.#peaks.values()].flatMap(({ name, port, peak }): QueueDepth[] => {
      const { packets, bytes } = this.lab.switches.get(name)!.backlog(port);
      return peak === 0 && packets === 0 ? [] : [{ switch: name, port, packets, bytes, peak }];
    });
    this.#peaks.clear();
    for (const { switch: name, port, packets } of queues)
      if (packets > 0) this.#peaks.set(`${name} ${port}`, { name, port, peak: packets });
    return { links, queues };
  }

  #since(
    channel: { index: number; rate: number; stats: { delivered: number; bytesDelivered: number } },
    elapsed: number,
  ): { packets: number; share: number } {
    const { delivered, bytesDelivered } = channel.stats;
    const before = this.#before.get(channel.index) ?? { packets: 0, bytes: 0 };
    this.#before.set(channel.index, { packets: delivered, bytes: bytesDelivered });
    const bits = (bytesDelivered - before.bytes) * 8;
    const share = elapsed > 0 ? Math.min(1, (bits * 1e9) / (channel.rate * elapsed)) : 0;
    return { packets: delivered - before.packets, share: Number(share.toFixed(4)) };
  }
}
