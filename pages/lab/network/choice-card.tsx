/** The node or link that is selected in the network, with its figures and actions. */
import { useEffect, useState } from "preact/hooks";
import type { LabView, LinkView, NodeView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab, useLabState } from "../parts/context.js";
import { percentText, rateText, timeText } from "../parts/words.js";

interface Props {
  lab: LabView;
  /** Shows the tables of a switch, or the commands of a host. */
  go: (tab: "state" | "hosts" | "send", node: string) => void;
}

export function ChoiceCard({ lab: view, go }: Props) {
  const lab = useLab();
  const choice = useLabState((state) => state.choice);
  if (choice === undefined) return null;
  const node = choice.kind === "node" ? view.nodes.find(({ name }) => name === choice.name) : undefined;
  const link = choice.kind === "link" ? view.links.find(({ id }) => id === choice.id) : undefined;
  if (node === undefined && link === undefined) return null;
  return (
    <section class="choice" aria-label={t("choice.label")}>
      <button
        type="button"
        class="plain close"
        aria-label={t("page.close")}
        onClick={() => lab.choose(undefined)}
      >
        ✕
      </button>
      {node === undefined ? null : <NodeCard node={node} hosts={hostsOf(view)} go={go} />}
      {link === undefined ? null : <LinkCard link={link} />}
    </section>
  );
}

function NodeCard({ node, hosts, go }: { node: NodeView; hosts: readonly string[]; go: Props["go"] }) {
  const lab = useLab();
  const rows: [string, string | undefined][] =
    node.kind === "host"
      ? [
          ["IPv4", node.ipv4],
          ["IPv6", node.ipv6],
          ["MAC", node.mac],
        ]
      : [[t("choice.program"), node.program ?? t("element.noProgram")]];
  return (
    <>
      <h3>
        {t(`choice.node.${node.kind}`, { name: node.name })}
        {node.up ? null : <span class="bad"> {t("element.broken")}</span>}
      </h3>
      <Rows rows={rows} />
      <div class="row">
        {node.kind === "host" ? (
          <>
            <Ping from={node.name} hosts={hosts} />
            <button type="button" onClick={() => go("hosts", node.name)}>
              {t("choice.commands")}
            </button>
            <button type="button" onClick={() => go("send", node.name)}>
              {t("choice.send")}
            </button>
          </>
        ) : (
          <>
            <button type="button" onClick={() => go("state", node.name)}>
              {t("tab.state")}
            </button>
            <Fault
              up={node.up}
              of={{ kind: "switch", name: node.name }}
              set={(up) => void lab.setSwitch(node.name, up)}
            />
          </>
        )}
      </div>
    </>
  );
}

const hostsOf = ({ nodes }: LabView): string[] =>
  nodes.filter(({ kind }) => kind === "host").map(({ name }) => name);

/** Sends one echo request to another host. */
function Ping({ from, hosts }: { from: string; hosts: readonly string[] }) {
  const lab = useLab();
  const others = hosts.filter((name) => name !== from);
  const [chosen, setChosen] = useState(others[0] ?? "");
  const to = others.includes(chosen) ? chosen : (others[0] ?? "");
  if (to === "") return null;
  const ping = () => void lab.ask({ op: "traffic.start", traffic: { kind: "ping", from, to, count: 1 } });
  return (
    <span class="row nowrap">
      <button type="button" class="primary" onClick={ping}>
        {t("choice.ping")}
      </button>
      <select
        aria-label={t("choice.pingTo")}
        value={to}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      >
        {others.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </span>
  );
}

function LinkCard({ link }: { link: LinkView }) {
  const lab = useLab();
  const [silent, setSilent] = useState(false);
  const [, redraw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => redraw((count) => count + 1), 300);
    return () => clearInterval(timer);
  }, []);
  const lanes = lab.live.lanes(link.id);
  const { a, b } = link;
  return (
    <>
      <h3>
        {a.node}:{a.port} – {b.node}:{b.port}
        {link.up ? null : (
          <span class="bad"> {t(link.silent ? "element.brokenSilently" : "element.broken")}</span>
        )}
      </h3>
      <Rows
        rows={[
          [t("choice.rate"), `${rateText(link.rateBps)}, ${timeText(link.delayNs)}`],
          [`${a.node} → ${b.node}`, percentText(lanes[0].load)],
          [`${b.node} → ${a.node}`, percentText(lanes[1].load)],
        ]}
      />
      <div class="row">
        <Fault
          up={link.up}
          of={{ kind: "link", a: a.node, b: b.node }}
          set={(up) => void lab.setLink(link.id, up, !silent)}
        />
        {link.up ? (
          <label class="small" title={t("choice.silent.title")}>
            <input
              type="checkbox"
              checked={silent}
              onChange={({ currentTarget }) => setSilent(currentTarget.checked)}
            />{" "}
            {t("choice.silent")}
          </label>
        ) : null}
      </div>
    </>
  );
}

type Element =
  | { readonly kind: "switch"; readonly name: string }
  | { readonly kind: "link"; readonly a: string; readonly b: string };

interface FaultProps {
  up: boolean;
  of: Element;
  set: (up: boolean) => void;
}

export function Fault({ up, of, set }: FaultProps) {
  const does = up ? "break" : "repair";
  return (
    <button
      type="button"
      class={up ? "danger" : "primary"}
      aria-label={t(`fault.${does}.${of.kind}`, { ...of })}
      onClick={() => set(!up)}
    >
      {t(`fault.${does}`)}
    </button>
  );
}

function Rows({ rows }: { rows: readonly [string, string | undefined][] }) {
  return (
    <dl>
      {rows.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
