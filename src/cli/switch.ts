/** `p4loom switch`: a P4Runtime switch that ends cleanly on SIGINT and SIGTERM. */
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, printDiagnostics } from "./outcome.js";
import { checkArguments } from "./switch/check-options.js";
import { loadAndRunSwitch } from "./switch/load.js";
import type { SwitchArguments } from "./switch/switch-options.js";

/** The version of BMv2 JSON that p4c writes for BMv2 1.15, all of whose v1model part is understood. */
const JSON_VERSION = "2.24";
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs the command in its own process. The signal handlers stay, so that a second signal does not kill a switch that is
 * ending. The process must end by `process.exit`, which keeps the handlers until the end.
 */
export async function switchProgram(programs: readonly string[], args: SwitchArguments): Promise<number> {
  if (args.jsonVersion) {
    process.stdout.write(`${JSON_VERSION}\n`);
    return EXIT.success;
  }
  const setup = checkArguments(programs, args);
  const stop = new AbortController();
  // Every signal is handled: `npx` forwards the Ctrl-C that the terminal has already sent. The end takes a bounded time.
  for (const signal of SIGNALS) process.on(signal, () => stop.abort(signal));
  // The reader of the log has closed it: the switch ends as after a signal, with complete files; other commands end at once.
  process.stdout.removeAllListeners("error");
  process.stdout.on("error", () => stop.abort("stdout is closed"));
  await loadAndRunSwitch(setup, {
    print: (text) => process.stdout.write(text),
    printAside: (text) => process.stderr.write(text),
    report: (diagnostics) => printDiagnostics(diagnostics),
    now: () => performance.timeOrigin + performance.now(),
    wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
    stop: stop.signal,
  });
  return EXIT.success;
}
