/** Lines for the prompt of a network: given with `--exec`, typed on a terminal, or piped in. */
import { execFileSync, spawn } from "node:child_process";
import { constants, createWriteStream, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fail, given } from "../../base/index.js";
import {
  Prompt,
  type PromptIo,
  type RunningExercise,
  type TypedInput,
} from "../../course/exercise-network/index.js";
import { OMISSIONS, type Omission } from "../../fabric/testbed/index.js";
import { CODES } from "../codes.js";

const PROMPT = "p4loom> ";

const io: PromptIo = {
  write: (text) => process.stdout.write(text),
  now: () => performance.now(),
  read: (path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  },
  shell: (line, stop) =>
    new Promise((resolve) => {
      // A separate process group, so that the whole group can be interrupted: the terminal is in raw mode meanwhile.
      const child = spawn("sh", ["-c", line], { stdio: ["ignore", "inherit", "inherit"], detached: true });
      stop.addEventListener("abort", () => {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGINT");
      });
      child.on("error", () => resolve(127));
      child.on("close", (status) => resolve(status ?? 1));
    }),
};

/** A word of a list. Fails with P40005. */
export function oneOf<T extends string>(option: string, word: string, words: readonly T[]): T {
  const found = words.find((one) => one === word);
  return found ?? fail(CODES.wrongValue, undefined, `${option} ${word}: expected ${words.join(" or ")}`);
}

/** Fails with P40005. */
export function omissionsOf(list: string | undefined): ReadonlySet<Omission> {
  const words = (list ?? "").split(",").filter(Boolean);
  return new Set(words.map((word) => oneOf("--allow-missing", word, OMISSIONS)));
}

/** Runs all lines in turn; returns the worst status. */
export async function runLines(
  exercise: RunningExercise,
  lines: readonly string[],
  stop: AbortSignal,
): Promise<number> {
  const prompt = new Prompt(exercise, io);
  let worst = 0;
  const stopped = new Promise<"stop">((resolve) => stop.addEventListener("abort", () => resolve("stop")));
  for (const line of lines) {
    if (stop.aborted) return 1;
    const outcome = await Promise.race([prompt.run(line), stopped]);
    if (outcome === "exit") break;
    worst = Math.max(worst, outcome === "stop" ? 1 : outcome);
  }
  await prompt.close();
  return worst;
}

/**
 * Asks for lines until `exit` or the end of the input. On a terminal what is typed while a program runs in a host goes to
 * that program, Ctrl-D ends its input and Ctrl-C interrupts it; otherwise lines wait for their turn. Returns the worst status
 * of piped lines, 0 on a terminal.
 */
export async function runDialogue(exercise: RunningExercise, stop: AbortSignal): Promise<number> {
  const terminal = process.stdin.isTTY === true;
  const prompt = new Prompt(exercise, terminal ? { ...io, input: openTypedInput } : io);
  const dialogue = new Dialogue(prompt, terminal);
  const end = (): void => dialogue.end();
  stop.addEventListener("abort", end);
  try {
    if (!stop.aborted) await dialogue.run();
  } finally {
    stop.removeEventListener("abort", end);
    dialogue.close();
    await prompt.close();
  }
  return terminal ? 0 : dialogue.worst;
}

class Dialogue {
  worst = 0;
  readonly #waiting: string[] = [];
  #lines: Interface | undefined;
  #running = false;
  /** No more lines come. */
  #ended = false;
  #finish: () => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(
    readonly prompt: Prompt,
    readonly terminal: boolean,
  ) {}

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
      this.#open();
      if (!this.terminal) return;
      process.stdout.write(WELCOME);
      this.#lines?.prompt();
    });
  }

  /** Ends at once. */
  end(): void {
    this.#ended = true;
    this.#waiting.length = 0;
    if (this.#running) this.prompt.interrupt();
    this.#finish();
  }

  close(): void {
    this.#lines?.removeAllListeners("close");
    this.#lines?.close();
  }

  #open(): void {
    const { terminal, prompt } = this;
    const lines = createInterface({
      input: process.stdin,
      ...given({ output: terminal ? process.stdout : undefined }),
      terminal,
      prompt: PROMPT,
      completer: (line: string) => {
        const { candidates, from } = prompt.complete(line);
        return [candidates, line.slice(from)];
      },
    });
    this.#lines = lines;
    lines.on("line", (line) => {
      if (prompt.takesInput) prompt.type(line);
      else {
        this.#waiting.push(line);
        this.#next().catch(this.#fail);
      }
    });
    lines.on("SIGINT", () => {
      if (this.#running) prompt.interrupt();
      else {
        process.stdout.write("\n");
        lines.prompt();
      }
    });
    lines.on("close", () => {
      if (terminal && prompt.takesInput) {
        // Ctrl-D ends the program's input; the terminal stays open.
        prompt.endInput();
        this.#open();
      } else {
        this.#ended = true;
        if (!this.#running && this.#waiting.length === 0) this.#finish();
      }
    });
  }

  async #next(): Promise<void> {
    while (!this.#running) {
      const line = this.#waiting.shift();
      if (line === undefined) {
        if (this.#ended) this.#finish();
        else if (this.terminal) this.#lines?.prompt();
        return;
      }
      this.#running = true;
      const outcome = await this.prompt.run(line).finally(() => {
        this.#running = false;
      });
      if (outcome === "exit") return this.#finish();
      this.worst = Math.max(this.worst, outcome);
    }
  }
}

const WELCOME = "The network runs. Try: pingall, h1 ping h2, s1 show_tables, help, exit\n";

/** What is typed on the terminal, as the standard input of a program in a host: a pipe with a name. */
function openTypedInput(): TypedInput {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-input-"));
  const path = join(folder, "input");
  execFileSync("mkfifo", ["-m", "600", path]);
  // Also opened for reading, so that neither this open nor the program's open waits for the other.
  const fd = openSync(path, constants.O_RDWR);
  const stream = createWriteStream(path, { fd });
  // A program that ends without reading leaves the typed text in the pipe.
  stream.on("error", () => {});
  return {
    path,
    write: (line) => void stream.write(`${line}\n`),
    end: () => void stream.end(),
    close: () => {
      stream.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
