/** Shells on hosts of a testbed, each with its own terminal, which `script` of util-linux creates. */
import { fail } from "../../../base/index.js";
import type { HostProcess, RunningHost } from "../../../fabric/testbed/index.js";
import { CODES } from "../codes.js";

const MAX_TERMINALS = 32;
/** The line that names the device of the terminal; it is printed once, before the shell's first prompt. */
const DEVICE = /\ue0d2(\/dev\/[^\ue0d3]+)\ue0d3\r?\n?/;
const PRINT_DEVICE = "printf '\\356\\203\\222%s\\356\\203\\223\\n' \"$(tty)\"";

interface Terminal {
  readonly host: RunningHost;
  readonly process: HostProcess;
  device: string | undefined;
}

interface TerminalListener {
  data(terminal: number, text: string): void;
  ended(terminal: number, status: number): void;
}

export class Terminals {
  readonly #terminals = new Map<number, Terminal>();
  #next = 1;

  constructor(readonly listener: TerminalListener) {}

  /** Fails with P46058 if too many terminals are open. */
  open(host: RunningHost, columns: number, rows: number): number {
    if (this.#terminals.size >= MAX_TERMINALS)
      fail(CODES.terminals, undefined, `${MAX_TERMINALS} terminals are open`, "close one of them");
    const id = this.#next++;
    const shell = [
      PRINT_DEVICE,
      `stty rows ${rows} columns ${columns}`,
      `export TERM=xterm-256color PS1='${host.name}$ '`,
      "exec bash --noprofile --norc -i",
    ].join("; ");
    const process = host.spawn(["script", "--quiet", "--return", "--flush", "--command", shell, "/dev/null"]);
    const terminal: Terminal = { host, process, device: undefined };
    this.#terminals.set(id, terminal);
    let head = "";
    process.onText((text) => {
      if (terminal.device !== undefined) {
        this.listener.data(id, text);
        return;
      }
      head += text;
      const found = DEVICE.exec(head);
      if (found === null) return;
      terminal.device = found[1];
      const rest = head.slice(0, found.index) + head.slice(found.index + found[0].length);
      if (rest !== "") this.listener.data(id, rest);
    });
    void process.exited.then((status) => {
      this.#terminals.delete(id);
      this.listener.ended(id, status);
    });
    return id;
  }

  #of(id: number): Terminal {
    return this.#terminals.get(id) ?? fail(CODES.terminals, undefined, `terminal ${id} is not open`);
  }

  input(id: number, data: string): void {
    this.#of(id).process.writeText(data);
  }

  /** Sets the size of the terminal; its programs get the signal SIGWINCH. */
  async resize(id: number, columns: number, rows: number): Promise<void> {
    const { host, device } = this.#of(id);
    if (device === undefined) return;
    await host.exec(["stty", "-F", device, "rows", String(rows), "columns", String(columns)]);
  }

  async close(id: number): Promise<void> {
    await this.#of(id).process.kill();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#terminals.values()].map(({ process }) => process.kill()));
  }
}
