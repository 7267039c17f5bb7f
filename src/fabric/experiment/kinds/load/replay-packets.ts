/** Sends recorded packets on the packet simulator: each leaves by the first NIC of its host, whatever the hosts answer. */
import type { Channel, Fabric } from "../../../sim/packet/index.js";
import type { PacketSource } from "../../../traffic/index.js";

/** Starts at the present time; one packet is read ahead. */
export function replayPackets(fabric: Fabric, packets: PacketSource): void {
  const { network } = fabric;
  const { simulation } = network;
  const start = simulation.now;
  const uplinks = new Map<number, Channel>();
  const uplinkOf = (host: number) => {
    let channel = uplinks.get(host);
    if (channel === undefined) {
      const node = fabric.host(host);
      const link = network.linksOf(node).find(({ a, b }) => (a.node === node ? a : b).port === 1)!;
      channel = link.a.node === node ? link.aToB : link.bToA;
      uplinks.set(host, channel);
    }
    return channel;
  };
  const sendNext = () => {
    const packet = packets.next();
    if (packet === undefined) return;
    simulation.at(start + packet.timeNs, () => {
      uplinkOf(packet.host).send(packet.frame);
      sendNext();
    });
  };
  sendNext();
}
