/** Lines for the prompt of a network: given with `--exec`, typed on a terminal, or piped in. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fail } from "../../base/index.js";
import {
  OMISSIONS,
  type Omission,
  Prompt,
  type PromptIo,
  type RunningExercise,
} from "../../testbed/index.js";

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
  shell: (line) =>
    new Promise((resolve) => {
      const child = spawn("sh", ["-c", line], { stdio: ["ignore", "inherit", "inherit"] });
      child.on("error", () => resolve(127));
      child.on("close", (status) => resolve(status ?? 1));
    }),
};

/** A word of a list. Fails with P40005. */
export function oneOf<T extends string>(option: string, word: string, words: readonly T[]): T {
  const found = words.find((one) => one === word);
  return found ?? fail("P40005", undefined, `${option} ${word}: expected ${words.join(" or ")}`);
}

/** Fails with P40005. */
export function omissionsOf(list: string | undefined): ReadonlySet<Omission> {
  const words = (list ?? "").split(",").filter(Boolean);
  return new Set(words.map((word) => oneOf("--allow-missing", word, OMISSIONS)));
}

/** Runs lines in turn, all of them; the worst status. */
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
 * Asks for lines until `exit` or the end of the input. What is typed while a command runs in a host goes to that command,
 * and Ctrl-C interrupts it; lines that are piped in wait for their turn. Gives the worst status of piped lines, 0 on
 * a terminal.
 */
export async function runDialogue(exercise: RunningExercise, stop: AbortSignal): Promise<number> {
  const prompt = new Prompt(exercise, io);
  const terminal = process.stdin.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    ...(terminal ? { output: process.stdout } : {}),
    terminal,
    prompt: PROMPT,
    completer: (line: string) => {
      const { candidates, from } = prompt.complete(line);
      return [candidates, line.slice(from)];
    },
  });
  const waiting: string[] = [];
  let running = false;
  let ended = false;
  let worst = 0;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      if (running) prompt.interrupt();
      resolve();
    };
    const next = async (): Promise<void> => {
      if (running) return;
      const line = waiting.shift();
      if (line === undefined) {
        if (ended) finish();
        else if (terminal) lines.prompt();
        return;
      }
      running = true;
      const outcome = await prompt.run(line);
      running = false;
      if (outcome === "exit") return finish();
      worst = Math.max(worst, outcome);
      void next();
    };
    lines.on("line", (line) => {
      if (running && terminal) prompt.type(line);
      else {
        waiting.push(line);
        void next();
      }
    });
    lines.on("SIGINT", () => {
      if (running) prompt.interrupt();
      else {
        process.stdout.write("\n");
        lines.prompt();
      }
    });
    lines.on("close", () => {
      ended = true;
      if (!running && waiting.length === 0) finish();
    });
    stop.addEventListener("abort", finish);
    if (stop.aborted) finish();
    else if (terminal) {
      process.stdout.write(WELCOME);
      lines.prompt();
    }
  });
  lines.close();
  await prompt.close();
  return terminal ? 0 : worst;
}

const WELCOME = "The network runs. Try: pingall, h1 ping h2, s1 show_tables, help, exit\n";
