/** `p4loom switch`: a P4Runtime switch that ends cleanly on SIGINT and SIGTERM. */
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, printDiagnostics } from "./outcome.js";
import type { SwitchArguments } from "./switch/arguments.js";
import { checkArguments } from "./switch/options.js";
import { runSwitch } from "./switch/run.js";

/** The version of BMv2 JSON that p4c writes for BMv2 1.15, all of whose v1model part is understood. */
const JSON_VERSION = "2.24";
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export async function switchProgram(path: string | undefined, args: SwitchArguments): Promise<number> {
  if (args.jsonVersion) {
    process.stdout.write(`${JSON_VERSION}\n`);
    return EXIT.success;
  }
  const setup = checkArguments(path, args);
  const stop = new AbortController();
  // Again and again: `npx` sends on the Ctrl-C that the terminal has sent already. The end takes a bounded time.
  const handlers = SIGNALS.map((signal) => ({ signal, handle: () => stop.abort(signal) }));
  for (const { signal, handle } of handlers) process.on(signal, handle);
  // Whoever read the log is gone: end as by a signal, files complete.
  process.stdout.on("error", () => stop.abort("stdout is closed"));
  try {
    await runSwitch(setup, {
      print: (text) => process.stdout.write(text),
      report: (diagnostics) => printDiagnostics(diagnostics),
      now: () => performance.timeOrigin + performance.now(),
      wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
      stop: stop.signal,
    });
  } finally {
    for (const { signal, handle } of handlers) process.off(signal, handle);
  }
  return EXIT.success;
}
