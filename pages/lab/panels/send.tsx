/** The packet builder: headers with their fields, or bytes, from a host or into a port of a switch. */
import { useEffect, useState } from "preact/hooks";
import type { LabReply, LabRequestInput, LabView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab } from "../parts/context.js";
import { BytesView } from "./send-bytes.js";
import { knownHeaders, LayerEditor } from "./send-layers.js";
import { type Layer, presets } from "./send-presets.js";

interface Props {
  lab: LabView;
  from: string | undefined;
  follow: (packet: number) => void;
}

type Build = Extract<LabRequestInput, { op: "packet.build" }>;
type Built = Extract<LabReply<"packet.build">, { ok: true }>["value"];

export function SendPanel({ lab: view, from, follow }: Props) {
  const lab = useLab();
  const hosts = view.nodes.filter(({ kind }) => kind === "host");
  const [source, setSource] = useState(from ?? hosts[0]?.name ?? "");
  const [kind, setKind] = useState<"layers" | "hex">("layers");
  const [layers, setLayers] = useState<readonly Layer[]>(() => presets(view, source)[0]!.layers);
  const [payload, setPayload] = useState("hello");
  const [hex, setHex] = useState("");
  const [count, setCount] = useState("1");
  const [interval, setInterval_] = useState("1");
  const [built, setBuilt] = useState<Built>();
  const [wrong, setWrong] = useState<readonly string[]>([]);
  useEffect(() => {
    if (from !== undefined) setSource(from);
  }, [from]);
  const place = sourceOf(source);
  const packet: Build["packet"] =
    kind === "hex"
      ? { hex: hex.replace(/[\s:]|0x/g, "") }
      : {
          layers: layers.map(({ header, fields }) => ({ header, fields: withoutEmpty(fields) })),
          ...(payload === "" ? {} : { payload: { text: payload } }),
        };
  const key = JSON.stringify([packet, place]);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const reply = await lab.connection.request({ op: "packet.build", packet, from: place });
      if (!current) return;
      setWrong(reply.diagnostics.map(({ message }) => message));
      setBuilt(reply.ok ? reply.value : undefined);
    }, 150);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [key]);
  const send = async () => {
    const sent = await lab.ask({
      op: "packet.send",
      ...{ packet, from: place, count: Number(count) || 1, intervalNs: (Number(interval) || 1) * 1e6 },
    });
    if (sent === undefined) return;
    lab.say(t("send.sent", { count: Number(count) || 1 }));
    if (sent.packet !== undefined) follow(sent.packet);
  };
  return (
    <form
      class="send"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="row">
        <label class="field">
          {t("send.from")}
          <select value={source} onChange={({ currentTarget }) => setSource(currentTarget.value)}>
            <optgroup label={t("send.hosts")}>
              {hosts.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </optgroup>
            <optgroup label={t("send.ports")}>
              {portsOf(view).map(([name, port]) => (
                <option key={`${name} ${port}`} value={`${name} ${port}`}>
                  {t("send.port", { name, port: String(port) })}
                </option>
              ))}
            </optgroup>
          </select>
        </label>
        <label class="field">
          {t("send.start")}
          <select
            value=""
            onChange={({ currentTarget }) => {
              const preset = presets(view, source).find(({ title }) => title === currentTarget.value);
              if (preset === undefined) return;
              setKind("layers");
              setLayers(preset.layers);
              setPayload(preset.payload);
            }}
          >
            <option value="">{t("send.ready")}</option>
            {presets(view, source).map(({ title }) => (
              <option key={title}>{title}</option>
            ))}
          </select>
        </label>
        <label class="field">
          {t("send.as")}
          <select
            value={kind}
            onChange={({ currentTarget }) => setKind(currentTarget.value as "layers" | "hex")}
          >
            <option value="layers">{t("send.headers")}</option>
            <option value="hex">{t("send.bytes")}</option>
          </select>
        </label>
      </div>
      {kind === "hex" ? (
        <label class="field">
          {t("send.hex")}
          <textarea
            class="mono"
            rows={6}
            value={hex}
            onInput={({ currentTarget }) => setHex(currentTarget.value)}
            spellcheck={false}
          />
        </label>
      ) : (
        <>
          <LayerEditor layers={layers} headers={knownHeaders(view)} change={setLayers} built={built} />
          <label class="field">
            {t("send.payload")}
            <input
              type="text"
              value={payload}
              onInput={({ currentTarget }) => setPayload(currentTarget.value)}
            />
          </label>
        </>
      )}
      {wrong.map((text, index) => (
        <div key={index} class="notice bad small" role="alert">
          {text}
        </div>
      ))}
      {built === undefined ? null : <BytesView built={built} />}
      <div class="row">
        <label class="field">
          {t("send.count")}
          <input
            type="number"
            min={1}
            max={10_000}
            value={count}
            onInput={({ currentTarget }) => setCount(currentTarget.value)}
          />
        </label>
        <label class="field">
          {t("send.every")}
          <input
            type="number"
            min={0.000001}
            step="any"
            value={interval}
            onInput={({ currentTarget }) => setInterval_(currentTarget.value)}
          />
        </label>
        <span class="room" />
        <button type="submit" class="primary" disabled={built === undefined}>
          {t("send.send")}
        </button>
      </div>
    </form>
  );
}

function sourceOf(source: string): Build["from"] {
  const [name, port] = source.split(" ");
  return port === undefined ? { host: name! } : { switch: name!, port: Number(port) };
}

const withoutEmpty = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ""));

/** Ports of switches that have a link. */
function portsOf({ nodes, links }: LabView): [string, number][] {
  const switches = new Set(nodes.filter(({ kind }) => kind === "switch").map(({ name }) => name));
  return links
    .flatMap(({ a, b }) => [a, b])
    .filter(({ node }) => switches.has(node))
    .map(({ node, port }): [string, number] => [node, port])
    .sort(([a, p], [b, q]) => a.localeCompare(b, undefined, { numeric: true }) || p - q);
}
