import type { LabReply } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";

type Built = Extract<LabReply<"packet.build">, { ok: true }>["value"];

/** The bytes of a built packet, with a colour for each header. */
export function BytesView({ built: { hex, layers } }: { built: Built }) {
  const bytes = hex.match(/../g) ?? [];
  const starts = layers.map(({ at }) => at);
  const parts = [...starts, bytes.length].slice(0, -1).map((start, index) => ({
    name: layers[index]!.header,
    bytes: bytes.slice(start, starts[index + 1] ?? bytes.length),
  }));
  const head = starts[0] ?? bytes.length;
  return (
    <figure class="bytes-view">
      <figcaption class="small quiet">{t("send.length", { count: bytes.length })}</figcaption>
      <code class="bytes">
        {bytes.slice(0, head).join(" ")}
        {parts.map(({ name, bytes: own }, index) => (
          <span key={index} title={name} style={{ color: `var(--p${index % 8})` }}>
            {own.join(" ")}{" "}
          </span>
        ))}
      </code>
    </figure>
  );
}
