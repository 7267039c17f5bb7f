/** The panel below the network: the latest packets, the drops, the log. */
import type { PacketEndView, PacketView } from "../../../src/course/lab/index.js";
import { useLab, useLabState } from "../parts/context.js";
import { clockText, countText } from "../parts/words.js";
import { colourOf } from "../state/motion.js";

export function PacketList({ follow }: { follow: (packet: number) => void }) {
  const packets = useLabState((state) => state.packets);
  const story = useLabState((state) => state.story);
  if (packets.length === 0)
    return (
      <p class="empty">No packet yet. Send one: open “Send”, or give a host a command such as “ping”.</p>
    );
  return (
    <table class="list" aria-label="Packets, the newest first">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Packet</th>
          <th scope="col" class="number">
            Bytes
          </th>
          <th scope="col">End</th>
        </tr>
      </thead>
      <tbody>
        {packets.map((packet) => (
          <tr key={packet.id} class={packet.id === story?.id ? "chosen" : ""}>
            <td class="quiet">{clockText(packet.at)}</td>
            <td>
              <button
                type="button"
                class="plain link"
                aria-pressed={packet.id === story?.id}
                onClick={() => follow(packet.id)}
              >
                <i class="dot" style={{ background: `var(--p${colourOf(packet)})` }} />
                {packet.label}
              </button>
            </td>
            <td class="number">{packet.bytes}</td>
            <td class="wrap">
              <End packet={packet} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function End({ packet }: { packet: PacketView }) {
  const { end } = packet;
  const tone = end.kind === "dropped" ? "bad" : end.kind === "delivered" ? "good" : "quiet";
  return <span class={tone}>{endText(end)}</span>;
}

export function endText(end: PacketEndView): string {
  switch (end.kind) {
    case "moving":
      return "on its way";
    case "delivered":
      return `delivered to ${end.node}`;
    case "controller":
      return `to the controller of ${end.node}`;
    case "unseen":
      return `not seen after ${end.node}`;
    case "dropped":
      return `dropped${end.node === undefined ? "" : ` at ${end.node}`}: ${end.reason}`;
  }
}

export function DropList() {
  const drops = useLabState((state) => state.drops);
  if (drops.length === 0) return <p class="empty">No packet was dropped.</p>;
  return (
    <table class="list" aria-label="Drops by place and reason">
      <thead>
        <tr>
          <th scope="col">Where</th>
          <th scope="col">Reason</th>
          <th scope="col" class="number">
            Packets
          </th>
          <th scope="col">Last one</th>
        </tr>
      </thead>
      <tbody>
        {drops.map(({ place, reason, packets, at }) => (
          <tr key={`${place} ${reason}`}>
            <td>{place}</td>
            <td>{reason}</td>
            <td class="number">{countText(packets)}</td>
            <td class="quiet">{clockText(at)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function LogList() {
  const log = useLabState((state) => state.log);
  const lab = useLab();
  if (log.length === 0)
    return <p class="empty">Nothing to tell. Digests, packet-ins and log messages come here.</p>;
  return (
    <ol class="log" aria-label="Log, the newest first">
      {log.map(({ id, at, kind, text }) => (
        <li key={id} class={kind}>
          <span class="quiet">{clockText(at)}</span> <span class={kind === "error" ? "bad" : ""}>{text}</span>
        </li>
      ))}
      <li>
        <button type="button" class="plain" onClick={() => lab.store.set({ log: [] })}>
          Clear
        </button>
      </li>
    </ol>
  );
}
