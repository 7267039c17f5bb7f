/**
 * Imports a user's module. A module whose top level never ends would hang the process: a thread tries it first, and is ended
 * after the limit of time.
 */
import { Worker } from "node:worker_threads";
import { fail, type Span } from "../../base/index.js";
import { runCommand } from "../../toolchain/loading/index.js";
import { CODES } from "./codes.js";
import { messageOf, type OwnModule, placeOf, TIME_LIMIT_MS, thrownAt } from "./guard.js";

/** The thread's exit status where the module calls `process.exit`; a thread that waits forever exits with 0. */
const ENDED = 97;

/** The thread is plain JavaScript, so that it runs from sources, from modules and from the bundled command. */
const TRIAL = `
const { parentPort, workerData } = require("node:worker_threads");
const { exit } = process;
process.exit = () => exit(${ENDED});
import(workerData).then(
  () => parentPort.postMessage({ kind: "loaded" }),
  (error) => parentPort.postMessage({
    kind: "thrown", name: String(error?.name), message: String(error?.message ?? error), stack: String(error?.stack ?? "") }),
);`;

type Trial =
  | { kind: "loaded" }
  | { kind: "waits" | "ends" }
  | { kind: "thrown"; name: string; message: string; stack: string };

/**
 * The module's exports. Fails with P43401 when it cannot be loaded or throws, with P43402 when it does not end within the limit.
 */
export async function importModule(
  module: OwnModule,
  limitMs = TIME_LIMIT_MS,
): Promise<Record<string, unknown>> {
  const trial = await tryInThread(module.url, limitMs);
  if (trial === undefined)
    fail(CODES.endless, placeOf(module, ""), `the module has not loaded after ${limitMs / 1000} s`);
  if (trial.kind === "thrown") return failToLoad(module, trial);
  if (trial.kind === "waits")
    fail(
      CODES.unloadable,
      placeOf(module, ""),
      "the module does not load: its top level awaits a promise that never settles",
    );
  if (trial.kind === "ends")
    fail(CODES.unloadable, placeOf(module, ""), "the module does not load: it ends the process");
  try {
    return (await importer()(module.url)) as Record<string, unknown>;
  } catch (error) {
    return failToLoad(module, error);
  }
}

/** The built command runs as a script, in which `import()` does not work: its launcher offers one. */
function importer(): (url: string) => Promise<unknown> {
  const offered = (globalThis as Record<symbol, unknown>)[Symbol.for("p4loom.import")];
  return (offered as ((url: string) => Promise<unknown>) | undefined) ?? ((url) => import(url));
}

async function failToLoad(module: OwnModule, error: unknown): Promise<never> {
  const { name, message } = error as { name?: unknown; message?: unknown };
  const text = name === undefined ? messageOf(error) : `${String(name)}: ${String(message)}`;
  const place = thrownAt(module, error) ?? (name === "SyntaxError" ? await syntaxErrorAt(module) : undefined);
  return fail(CODES.unloadable, place ?? placeOf(module, ""), `the module does not load: ${text}`);
}

/** Node reports the place of a syntax error of a module only when it prints the error. */
async function syntaxErrorAt(module: OwnModule): Promise<Span | undefined> {
  const { stderr } = await runCommand([process.execPath, "--check", module.file.path]);
  const caret = /\n( *)\^+\n/.exec(stderr);
  const at = thrownAt(module, { stack: stderr });
  return at === undefined || caret === null
    ? at
    : { file: at.file, start: at.start + caret[1]!.length, end: at.start + caret[1]!.length + 1 };
}

/** Undefined after the limit. */
async function tryInThread(url: string, limitMs: number): Promise<Trial | undefined> {
  const worker = new Worker(TRIAL, { eval: true, workerData: url, execArgv: [], stdout: true });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Trial | undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), limitMs);
      worker.once("message", resolve);
      worker.once("error", (error: Error) =>
        resolve({ kind: "thrown", name: error.name, message: error.message, stack: error.stack ?? "" }),
      );
      worker.once("exit", (code) => resolve({ kind: code === ENDED ? "ends" : "waits" }));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
