/** A host of a running testbed: commands in its namespace. */
import { spawn } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { hostNamespace } from "./run/record.js";
import type { ExecResult } from "./system/command.js";
import { command, NOT_FOUND_STATUS, signalGroup, signalStatus } from "./system/command.js";
import type { HostProcess, RunningHost } from "./testbed.js";

const TERM_MS = 1000;
/** Maximum number of characters of stderr that are kept for a running process. */
const STDERR_LENGTH = 10_000;

export class NamespaceHost implements RunningHost {
  constructor(
    readonly id: string,
    readonly name: string,
  ) {}

  #inside(argv: readonly string[]): readonly string[] {
    return ["ip", "netns", "exec", hostNamespace(this.id, this.name), ...argv];
  }

  async exec(
    argv: readonly string[],
    options: { readonly input?: string; readonly timeoutMs?: number } = {},
  ): Promise<ExecResult> {
    return await command(this.#inside(argv), options);
  }

  spawn(argv: readonly string[]): HostProcess {
    const [file, ...args] = this.#inside(argv);
    const child = spawn(file!, args, { stdio: ["pipe", "pipe", "pipe"], detached: true });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_LENGTH);
    });
    child.stdin.on("error", () => {});
    const output = new Output();
    child.stdout.setEncoding("utf8").on("data", (text: string) => output.take(text));
    const pipes = [child.stdin, child.stdout, child.stderr];
    // Not "close": that waits for programs in the background too, which hold the pipes as well.
    const exited = new Promise<number>((resolve) => {
      child.once("exit", (status, signal) => {
        void allIsRead().then(() => resolve(status ?? signalStatus(signal!)));
      });
      child.once("error", () => resolve(NOT_FOUND_STATUS));
    });
    return {
      write: (line) => void child.stdin.write(`${line}\n`),
      writeText: (text) => void child.stdin.write(text),
      onLine: (listener) => {
        const lines = new Lines(listener);
        return output.listen((text) => lines.take(text));
      },
      onText: (listener) => output.listen(listener),
      get stderr() {
        return stderr;
      },
      exited,
      kill: async () => {
        const signal = (which: NodeJS.Signals): void => {
          if (child.exitCode === null && child.signalCode === null) signalGroup(child.pid, which);
        };
        signal("SIGTERM");
        const timer = setTimeout(() => signal("SIGKILL"), TERM_MS);
        await exited;
        clearTimeout(timer);
        for (const pipe of pipes) pipe.destroy();
      },
    };
  }
}

/**
 * Resolves when the data that were in the pipes at the end of a process have been read: in the turn of the event loop that
 * reports the end, or in the next one.
 */
async function allIsRead(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** The output of a process; kept until there is a listener. */
class Output {
  readonly #listeners = new Set<(text: string) => void>();
  #buffered = "";

  take(text: string): void {
    if (this.#listeners.size === 0) this.#buffered += text;
    for (const listener of [...this.#listeners]) listener(text);
  }

  listen(listener: (text: string) => void): () => void {
    this.#listeners.add(listener);
    const text = this.#buffered;
    this.#buffered = "";
    if (text !== "") listener(text);
    return () => void this.#listeners.delete(listener);
  }
}

/** Joins chunks of text to lines; text after the last newline is no line. */
class Lines {
  #rest = "";

  constructor(readonly listener: (line: string) => void) {}

  take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.listener(line);
  }
}
