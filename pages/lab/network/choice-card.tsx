/** The node or link that is selected in the network, with its figures and actions. */
import { useEffect, useState } from "preact/hooks";
import type { LabView, LinkView, NodeView } from "../../../src/course/lab/index.js";
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
    <section class="choice" aria-label="Selection">
      <button type="button" class="plain close" aria-label="Close" onClick={() => lab.choose(undefined)}>
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
      : [["Program", node.program ?? "none"]];
  return (
    <>
      <h3>
        {node.kind === "host" ? "Host" : "Switch"} {node.name}
        {node.up ? null : <span class="bad"> broken</span>}
      </h3>
      <Rows rows={rows} />
      <div class="row">
        {node.kind === "host" ? (
          <>
            <Ping from={node.name} hosts={hosts} />
            <button type="button" onClick={() => go("hosts", node.name)}>
              Commands
            </button>
            <button type="button" onClick={() => go("send", node.name)}>
              Send a packet
            </button>
          </>
        ) : (
          <>
            <button type="button" onClick={() => go("state", node.name)}>
              Tables
            </button>
            <Fault
              up={node.up}
              what={`switch ${node.name}`}
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
        Ping
      </button>
      <select
        aria-label="Host to ping"
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
        {link.up ? null : <span class="bad"> broken{link.silent ? ", without a signal" : ""}</span>}
      </h3>
      <Rows
        rows={[
          ["Rate, delay", `${rateText(link.rateBps)}, ${timeText(link.delayNs)}`],
          [`${a.node} → ${b.node}`, percentText(lanes[0].load)],
          [`${b.node} → ${a.node}`, percentText(lanes[1].load)],
        ]}
      />
      <div class="row">
        <Fault
          up={link.up}
          what={`link ${a.node} – ${b.node}`}
          set={(up) => void lab.setLink(link.id, up, !silent)}
        />
        {link.up ? (
          <label
            class="small"
            title="The ends do not see the loss of the carrier: packets are lost without a signal"
          >
            <input
              type="checkbox"
              checked={silent}
              onChange={({ currentTarget }) => setSilent(currentTarget.checked)}
            />{" "}
            without a signal
          </label>
        ) : null}
      </div>
    </>
  );
}

export function Fault({ up, what, set }: { up: boolean; what: string; set: (up: boolean) => void }) {
  return (
    <button
      type="button"
      class={up ? "danger" : "primary"}
      aria-label={`${up ? "Break" : "Repair"} ${what}`}
      onClick={() => set(!up)}
    >
      {up ? "Break" : "Repair"}
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
