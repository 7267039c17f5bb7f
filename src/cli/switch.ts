/** `p4loom switch`: a P4Runtime switch that ends cleanly on SIGINT and SIGTERM. */
import { setTimeout as sleep } from "node:timers/promises";
import { Diagnostics, given } from "../base/index.js";
import { runSwitch, type Surroundings } from "../toolchain/daemon/index.js";
import { loadProgram, readBytes, readSource, withProject } from "../toolchain/loading/index.js";
import { EXIT, printDiagnostics } from "./outcome.js";
import { checkArguments, type SwitchRequest } from "./switch/check-options.js";
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

/**
 * Reads program, commands, certificate and key, then runs the switch to its end.
 * @throws DiagnosticError when a file or its contents are wrong, at the start or later
 */
export async function loadAndRunSwitch(request: SwitchRequest, surroundings: Surroundings): Promise<void> {
  const { program, commands, tls, ...rest } = request;
  const diagnostics = new Diagnostics();
  const found = program && (await loadProgram(await withProject(program), diagnostics, "warning"));
  const loaded = program &&
    found && { path: program.path, program: found.program, ...given({ bfrt: found.bfrt }) };
  const read = tls && {
    certificate: readBytes(tls.certificate),
    privateKey: readBytes(tls.privateKey),
    ...given({ clientCa: tls.clientCa === undefined ? undefined : readBytes(tls.clientCa) }),
  };
  const lines = commands === undefined ? undefined : readSource(commands);
  surroundings.report(diagnostics.list.filter(({ severity }) => severity !== "info"));
  await runSwitch(
    {
      ...rest,
      ...given({ program: loaded, commands: lines, tls: read }),
    },
    surroundings,
  );
}
