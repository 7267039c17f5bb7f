/** `p4loom switch`: a P4Runtime switch that ends cleanly on SIGINT and SIGTERM. */
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, printDiagnostics } from "./outcome.js";
import type { SwitchArguments } from "./switch/arguments.js";
import { checkArguments } from "./switch/options.js";
import { runSwitch } from "./switch/run.js";

/** The version of BMv2 JSON that p4c writes for BMv2 1.15, all of whose v1model part is understood. */
const JSON_VERSION = "2.24";
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * For the process whose command this is: its signal handlers stay, so that a signal on top of another one cannot kill
 * what is already ending. The process has to end by `process.exit`, which keeps them to its last moment.
 */
export async function switchProgram(path: string | undefined, args: SwitchArguments): Promise<number> {
  if (args.jsonVersion) {
    process.stdout.write(`${JSON_VERSION}\n`);
    return EXIT.success;
  }
  const setup = checkArguments(path, args);
  const stop = new AbortController();
  // Again and again: `npx` sends on the Ctrl-C that the terminal has sent already. The end takes a bounded time.
  for (const signal of SIGNALS) process.on(signal, () => stop.abort(signal));
  // Whoever read the log is gone: end as by a signal, files complete, where other commands end at once.
  process.stdout.removeAllListeners("error");
  process.stdout.on("error", () => stop.abort("stdout is closed"));
  await runSwitch(setup, {
    print: (text) => process.stdout.write(text),
    printAside: (text) => process.stderr.write(text),
    report: (diagnostics) => printDiagnostics(diagnostics),
    now: () => performance.timeOrigin + performance.now(),
    wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
    stop: stop.signal,
  });
  return EXIT.success;
}
