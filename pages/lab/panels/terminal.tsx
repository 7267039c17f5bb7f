/** A shell on a host of a testbed. */
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../language/texts.js";
import { useLab } from "../parts/context.js";
import { theme } from "../parts/theme.js";

export function TerminalView({ host }: { host: string }) {
  const lab = useLab();
  const room = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = room.current!;
    Terminal.strings.promptLabel = t("terminal.input");
    Terminal.strings.tooMuchOutput = t("terminal.tooMuch");
    const terminal = new Terminal({ fontSize: 13, screenReaderMode: true, theme: colours(element) });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    terminal.open(element);
    fit.fit();
    const unwatch = theme.watch(() =>
      queueMicrotask(() => {
        terminal.options.theme = colours(element);
      }),
    );
    let number: number | undefined;
    let closed = false;
    let forget = () => {};
    void lab
      .ask({ op: "terminal.open", host, columns: terminal.cols, rows: terminal.rows })
      .then((answer) => {
        if (answer === undefined) return terminal.write(`${t("terminal.none")}\r\n`);
        const opened = answer.terminal;
        if (closed) return void lab.ask({ op: "terminal.close", terminal: opened });
        number = opened;
        forget = lab.onTerminal(opened, (data) => {
          terminal.write(data ?? `\r\n[${t("terminal.ended")}]\r\n`);
          if (data === undefined) number = undefined;
        });
        terminal.onData((data) => {
          if (number !== undefined) void lab.ask({ op: "terminal.input", terminal: opened, data });
        });
        terminal.onResize(({ cols, rows }) => {
          if (number !== undefined)
            void lab.ask({ op: "terminal.resize", terminal: opened, columns: cols, rows });
        });
      });
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(element);
    return () => {
      closed = true;
      observer.disconnect();
      unwatch();
      forget();
      if (number !== undefined) void lab.ask({ op: "terminal.close", terminal: number });
      terminal.dispose();
    };
  }, [host]);
  return <section class="terminal fill" ref={room} aria-label={t("terminal.label", { host })} />;
}

function colours(element: Element) {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    background: read("sunk"),
    foreground: read("ink"),
    cursor: read("ink"),
    selectionBackground: read("soft"),
  };
}
