/** Starts pings, UDP and TCP flows between hosts, and lists the flows. */
import { useState } from "preact/hooks";
import type { FlowView, LabRequestInput, LabView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab, useLabState } from "../parts/context.js";
import { bytesText, timeText } from "../parts/words.js";

type Traffic = Extract<LabRequestInput, { op: "traffic.start" }>["traffic"];
type Kind = Traffic["kind"];

interface Props {
  lab: LabView;
  from: string;
  choose: (name: string) => void;
}

export function TrafficForm({ lab: view, from, choose }: Props) {
  const lab = useLab();
  const flows = useLabState((state) => state.flows);
  const hosts = view.nodes.filter(({ kind }) => kind === "host").map(({ name }) => name);
  const [kind, setKind] = useState<Kind>("ping");
  const [target, setTarget] = useState(hosts.find((name) => name !== from) ?? from);
  const [amount, setAmount] = useState("4");
  const to = target === from ? (hosts.find((name) => name !== from) ?? from) : target;
  const start = async () => {
    const traffic = trafficOf(kind, from, to, Number(amount));
    const flow = await lab.ask({ op: "traffic.start", traffic });
    if (flow !== undefined) lab.say(t("traffic.started", { flow: flow.label }));
  };
  const usual = USUAL[kind];
  const running = flows.filter(({ state }) => state === "running");
  return (
    <form
      class="traffic"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <div class="row">
        <label class="field">
          {t("traffic.kind")}
          <select
            value={kind}
            onChange={({ currentTarget }) => {
              const next = currentTarget.value as Kind;
              setKind(next);
              setAmount(USUAL[next]);
            }}
          >
            <option value="ping">ping</option>
            <option value="udp">UDP</option>
            <option value="tcp">TCP</option>
          </select>
        </label>
        <label class="field">
          {t("traffic.from")}
          <select value={from} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {hosts.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field">
          {t("traffic.to")}
          <select value={to} onChange={({ currentTarget }) => setTarget(currentTarget.value)}>
            {hosts
              .filter((name) => name !== from)
              .map((name) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        </label>
        <label class="field">
          {t(`traffic.unit.${kind}`)}
          <input
            type="number"
            min={0}
            step="any"
            value={amount}
            placeholder={usual}
            onInput={({ currentTarget }) => setAmount(currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary bottom">
          {t("traffic.start")}
        </button>
        {running.length === 0 ? null : (
          <button type="button" class="bottom" onClick={() => void lab.ask({ op: "traffic.stop" })}>
            {t("traffic.stopAll")}
          </button>
        )}
      </div>
      {flows.length === 0 ? null : <FlowTable flows={flows} />}
    </form>
  );
}

const USUAL: Readonly<Record<Kind, string>> = { ping: "4", udp: "1", tcp: "1" };

function trafficOf(kind: Kind, from: string, to: string, amount: number): Traffic {
  switch (kind) {
    case "ping":
      return { kind, from, to, count: amount };
    case "udp":
      return { kind, from, to, rateBps: amount * 1e6 };
    case "tcp":
      return { kind, from, to, ...(amount > 0 ? { bytes: Math.round(amount * 1e6) } : {}) };
  }
}

const SHOWN = 8;

function FlowTable({ flows }: { flows: readonly FlowView[] }) {
  const lab = useLab();
  return (
    <table class="list" aria-label={t("traffic.flows")}>
      <tbody>
        {[...flows]
          .reverse()
          .slice(0, SHOWN)
          .map((flow) => (
            <tr key={flow.id}>
              <td>
                <i class="dot" style={{ background: `var(--p${flow.id % 8})` }} />
                {flow.label}
              </td>
              <td class={flow.state === "failed" ? "bad" : flow.state === "completed" ? "good" : "quiet"}>
                {t(`traffic.state.${flow.state}`)}
              </td>
              <td>{figures(flow)}</td>
              <td>
                {flow.state === "running" ? (
                  <button
                    type="button"
                    class="plain"
                    aria-label={t("traffic.stopOne", { flow: flow.label })}
                    onClick={() => void lab.ask({ op: "traffic.stop", flow: flow.id })}
                  >
                    {t("traffic.stop")}
                  </button>
                ) : null}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function figures(flow: FlowView): string {
  const parts =
    flow.kind === "tcp"
      ? [bytesText(flow.receivedBytes)]
      : [t("traffic.arrived", { received: flow.receivedPackets, sent: flow.sentPackets })];
  if (flow.fctNs !== undefined && flow.kind === "tcp") parts.push(`FCT ${timeText(flow.fctNs)}`);
  if (flow.rttNs !== undefined) parts.push(`RTT ${timeText(flow.rttNs.mean)}`);
  if ((flow.retransmissions ?? 0) > 0)
    parts.push(t("traffic.retransmissions", { count: flow.retransmissions! }));
  return parts.join(", ");
}
