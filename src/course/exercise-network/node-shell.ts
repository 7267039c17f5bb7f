/**
 * A shell that stays open in a host, like the shells of Mininet's nodes: the effect of `cd` or `export` stays for the next command,
 * and a program in the background continues.
 */
import { readFileSync } from "node:fs";
import type { HostProcess, RunningHost } from "../../fabric/testbed/index.js";

/** Characters around the status that ends the output of a command. They are in Unicode's private use area, so that no text contains them. */
const MARK_START = "\ue0d0";
const MARK_END = "\ue0d1";
const MARK = /\ue0d0(\d+) (\d+)\ue0d1\n?/;
const PRINT_MARK = `printf '${MARK_START}%d %d${MARK_END}\\n'`;

export class NodeShell {
  readonly #process: HostProcess;
  readonly #write: (text: string) => void;
  #pending = "";
  /** Number of the command that runs, and the function that gets its status. */
  #running: { number: number; done(status: number): void } | undefined;
  #count = 0;
  #pid: number | undefined;
  #ended = false;

  /** @param write receives all output of programs in this host */
  constructor(host: RunningHost, write: (text: string) => void) {
    this.#write = write;
    this.#process = host.spawn(["bash", "--noprofile", "--norc"]);
    this.#process.onText((text) => this.#take(text));
    void this.#process.exited.then(() => {
      this.#ended = true;
      this.#running?.done(127);
    });
    this.#process.write(`exec 2>&1; trap : INT; ${PRINT_MARK} 0 $$`);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Runs one line and gives its exit status. One at a time. It reads the file `input`, by default nothing; the standard
   * input of the shell itself stays for later commands.
   */
  run(command: string, input = "/dev/null"): Promise<number> {
    if (this.#ended) return Promise.resolve(127);
    const number = ++this.#count;
    return new Promise((resolve) => {
      this.#running = {
        number,
        done: (status) => {
          this.#running = undefined;
          resolve(status);
        },
      };
      // With eval a syntax error ends only this line.
      const quoted = `'${command.replaceAll("'", "'\\''")}'`;
      this.#process.write(`eval ${quoted} < '${input}'; ${PRINT_MARK} ${number} $?`);
    });
  }

  /** As Ctrl-C: the programs that run in the foreground get SIGINT. */
  interrupt(): void {
    if (this.#running === undefined || this.#pid === undefined) return;
    for (const pid of childrenOf(this.#pid)) {
      try {
        process.kill(pid, "SIGINT");
      } catch {
        // It has ended by itself.
      }
    }
  }

  async close(): Promise<void> {
    this.#process.kill();
    await this.#process.exited;
  }

  #take(text: string): void {
    this.#pending += text;
    for (;;) {
      const mark = MARK.exec(this.#pending);
      if (mark === null) break;
      this.#show(this.#pending.slice(0, mark.index));
      this.#pending = this.#pending.slice(mark.index + mark[0].length);
      const [, number, status] = mark.map(Number);
      if (number === 0) this.#pid = status;
      else if (this.#running !== undefined && number === this.#running.number) this.#running.done(status!);
    }
    // The rest may hold the beginning of a mark.
    const from = this.#pending.lastIndexOf(MARK_START);
    this.#show(from < 0 ? this.#pending : this.#pending.slice(0, from));
    this.#pending = from < 0 ? "" : this.#pending.slice(from);
  }

  #show(text: string): void {
    if (text !== "") this.#write(text);
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
