/** The panel below the network: the latest packets, the drops, the log. */
import type { PacketEndView, PacketView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab, useLabState } from "../parts/context.js";
import { clockText, countText } from "../parts/words.js";
import { colourOf } from "../state/motion.js";

export function PacketList({ follow }: { follow: (packet: number) => void }) {
  const packets = useLabState((state) => state.packets);
  const story = useLabState((state) => state.story);
  if (packets.length === 0) return <p class="empty">{t("packets.none")}</p>;
  return (
    <table class="list" aria-label={t("packets.label")}>
      <thead>
        <tr>
          <th scope="col">{t("packets.time")}</th>
          <th scope="col">{t("packets.packet")}</th>
          <th scope="col" class="number">
            {t("packets.bytes")}
          </th>
          <th scope="col">{t("packets.end")}</th>
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
      return t("end.moving");
    case "delivered":
      return t("end.delivered", { node: end.node });
    case "controller":
      return t("end.controller", { node: end.node });
    case "unseen":
      return t("end.unseen", { node: end.node });
    case "dropped":
      return end.node === undefined
        ? t("end.dropped", { reason: end.reason })
        : t("end.droppedAt", { node: end.node, reason: end.reason });
  }
}

export function DropList() {
  const drops = useLabState((state) => state.drops);
  if (drops.length === 0) return <p class="empty">{t("drops.none")}</p>;
  return (
    <table class="list" aria-label={t("drops.label")}>
      <thead>
        <tr>
          <th scope="col">{t("drops.where")}</th>
          <th scope="col">{t("drops.reason")}</th>
          <th scope="col" class="number">
            {t("drops.packets")}
          </th>
          <th scope="col">{t("drops.last")}</th>
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
  if (log.length === 0) return <p class="empty">{t("log.none")}</p>;
  return (
    <ol class="log" aria-label={t("log.label")}>
      {log.map(({ id, at, kind, text }) => (
        <li key={id} class={kind}>
          <span class="quiet">{clockText(at)}</span> <span class={kind === "error" ? "bad" : ""}>{text}</span>
        </li>
      ))}
      <li>
        <button type="button" class="plain" onClick={() => lab.store.set({ log: [] })}>
          {t("log.clear")}
        </button>
      </li>
    </ol>
  );
}
