/** Hosts: their command lines (simulated hosts) or terminals (real ones), and traffic from one to another. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { LabView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab, useLabState } from "../parts/context.js";
import { SCROLLED } from "../parts/scrolled.js";
import { TerminalView } from "./terminal.js";
import { TrafficForm } from "./traffic.js";

interface Props {
  lab: LabView;
  chosen: string | undefined;
  choose: (name: string) => void;
}

export function HostsPanel({ lab: view, chosen, choose }: Props) {
  const hosts = view.nodes.filter(({ kind }) => kind === "host");
  const host = hosts.find(({ name }) => name === chosen) ?? hosts[0];
  if (host === undefined) return <p class="empty">{t("hosts.none")}</p>;
  return (
    <>
      <TrafficForm lab={view} from={host.name} choose={choose} />
      <div class="row">
        <label class="row">
          {t("hosts.host")}
          <select value={host.name} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {hosts.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <span class="quiet small">{[host.ipv4, host.ipv6, host.mac].filter(Boolean).join("  ")}</span>
      </div>
      {view.can.terminals ? <TerminalView key={host.name} host={host.name} /> : null}
      {view.can.consoles ? <Console key={host.name} host={host.name} /> : null}
    </>
  );
}

const EXAMPLE = "ping h2";

function Console({ host }: { host: string }) {
  const lab = useLab();
  const text = useLabState((state) => state.consoles[host]) ?? "";
  const [line, setLine] = useState("");
  const past = useRef<string[]>([]);
  const back = useRef(0);
  const output = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const pre = output.current;
    if (pre !== null) pre.scrollTop = pre.scrollHeight;
  }, [text]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    back.current = Math.max(
      0,
      Math.min(past.current.length, back.current + (event.key === "ArrowUp" ? 1 : -1)),
    );
    setLine(past.current[past.current.length - back.current] ?? "");
  };
  return (
    <form
      class="console fill"
      onSubmit={(event) => {
        event.preventDefault();
        if (line.trim() === "") return;
        past.current.push(line);
        back.current = 0;
        setLine("");
        void lab.hostCommand(host, line);
      }}
    >
      <pre {...SCROLLED} ref={output} role="log" aria-label={t("console.output", { host })}>
        {text === "" ? t("console.help", { example: EXAMPLE }) : text}
      </pre>
      <div class="row nowrap">
        <span class="mono quiet">{host}$</span>
        <input
          type="text"
          class="mono"
          aria-label={t("console.command", { host })}
          placeholder={EXAMPLE}
          autocomplete="off"
          spellcheck={false}
          value={line}
          onInput={({ currentTarget }) => setLine(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit">{t("page.run")}</button>
      </div>
    </form>
  );
}
