/** Statements from a terminal, with history and completion; or from a pipe, a line at a time. */

import { createInterface } from "node:readline";
import { defined, given } from "../../base/index.js";
import { completions, type Interpreter } from "../../toolchain/control/index.js";

const PROMPT = "p4loom> ";

/** Runs one line; resolves when its answer is printed. */
type RunLine = (text: string, stop: AbortSignal) => Promise<void>;

/** Reads lines until the end of input or `exit`. Ctrl-C stops what runs, else it clears the line. */
export async function dialogue(interpreter: Interpreter, run: RunLine): Promise<void> {
  const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    ...given({ output: terminal ? process.stdout : undefined }),
    terminal,
    prompt: PROMPT,
    historySize: 1000,
    completer: (line: string): [string[], string] => {
      const { from, candidates } = completions(line, line.length, interpreter.index);
      const [only] = candidates;
      const whole = candidates.length === 1 && !defined(only).endsWith("=") ? [`${only} `] : [...candidates];
      return [whole, line.slice(from)];
    },
  });
  let running: AbortController | undefined;
  lines.on("SIGINT", () => {
    if (running !== undefined) running.abort();
    else {
      process.stdout.write("^C  (`exit` or Ctrl-D leaves)\n");
      // discard the typed text, including the text after the cursor
      for (const name of ["e", "u"]) lines.write(null, { ctrl: true, name });
      lines.prompt();
    }
  });
  if (terminal) lines.prompt();
  // Reading continues while a statement runs only to notice Ctrl-C; the lines wait for their turn.
  try {
    for await (const line of lines) {
      running = new AbortController();
      await run(line, running.signal);
      running = undefined;
      if (interpreter.ended) break;
      if (terminal) lines.prompt();
    }
  } finally {
    lines.close();
  }
}
