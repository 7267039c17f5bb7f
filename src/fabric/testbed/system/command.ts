/** Commands of the system that run to their end, and their errors as diagnostics. */
import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { defined, fail } from "../../../base/index.js";
import { CODES } from "../codes.js";

export interface CommandOptions {
  readonly input?: string;
  /** Milliseconds after which it is killed with all that it has started; default: none. */
  readonly timeoutMs?: number;
  /** Aborted: it is killed with all that it has started. */
  readonly stop?: AbortSignal;
}

/** The exit status of a shell for a missing command. */
export const NOT_FOUND_STATUS = 127;

/**
 * Runs a command; rejects with the reason of `stop` only. A missing command has the status
 * {@link NOT_FOUND_STATUS}. Its background processes are not awaited, and may continue to print.
 */
export async function command(argv: readonly string[], options: CommandOptions = {}): Promise<ExecResult> {
  const { input, timeoutMs, stop } = options;
  stop?.throwIfAborted();
  // Files, not pipes: a pipe ends with the last program that holds it, which may be one in the background.
  const files: number[] = [];
  const file = (): number => {
    const opened = openNameless();
    files.push(opened);
    return opened;
  };
  try {
    const stdin = input === undefined ? "ignore" : file();
    if (typeof stdin === "number") writeSync(stdin, defined(input), 0);
    const [stdout, stderr] = [file(), file()];
    const result = await ended(argv, [stdin, stdout, stderr], timeoutMs, stop);
    stop?.throwIfAborted();
    if (typeof result === "string") return { status: NOT_FOUND_STATUS, stdout: "", stderr: result };
    return { status: result, stdout: textOf(stdout), stderr: textOf(stderr) };
  } finally {
    for (const opened of files) closeSync(opened);
  }
}

/** execa hands any descriptor on to the command, but its types name 3 to 9 only. */
type Descriptors = ["ignore" | 3, 3, 3];

/** The status, or why the command did not start. */
async function ended(
  [program, ...args]: readonly string[],
  [stdin, stdout, stderr]: readonly ["ignore" | number, number, number],
  timeoutMs: number | undefined,
  stop: AbortSignal | undefined,
): Promise<number | string> {
  // Loaded with the first command: code that only describes testbeds does not need it.
  const { execa } = await import("execa");
  // Of its own group, which can be ended with all that the command has started: execa's own `timeout` and
  // `cancelSignal` end the command alone.
  const detached = timeoutMs !== undefined || stop !== undefined;
  const stdio = [stdin, stdout, stderr] as Descriptors;
  const child = execa(defined(program), args, { stdio, detached, reject: false });
  const kill = (): void => signalGroup(child.pid, "SIGKILL");
  const timer = timeoutMs === undefined ? undefined : setTimeout(kill, timeoutMs);
  stop?.addEventListener("abort", kill, { once: true });
  try {
    const { exitCode, signal, originalMessage, shortMessage } = await child;
    if (exitCode !== undefined) return exitCode;
    return signal === undefined ? (originalMessage ?? shortMessage ?? "") : signalStatus(signal);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener("abort", kill);
  }
}

/**
 * A file without a name, which the kernel removes with the last program that has it open. Programs share its position, so
 * p4loom reads and writes at given positions.
 */
function openNameless(): number {
  const path = join(tmpdir(), `p4loom-${randomUUID()}`);
  // Opened for appending, so that a shell's `> /dev/stderr` does not overwrite earlier output.
  const opened = openSync(path, "ax+", 0o600);
  rmSync(path);
  return opened;
}

function textOf(file: number): string {
  const bytes = Buffer.alloc(fstatSync(file).size);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, length);
  }
  return bytes.toString("utf8", 0, length);
}

/** Sends a signal to a process that leads a group, and to all of its group. */
export function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // it has just ended
  }
}

/** The status by which a shell reports that a signal ended a command. */
export function signalStatus(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Runs a command of the network's set-up. Fails with P43107 and the command's own message. */
export async function setUp(
  what: string,
  argv: readonly string[],
  options: Pick<CommandOptions, "input" | "stop"> = {},
): Promise<string> {
  const { status, stdout, stderr } = await command(argv, options);
  if (status === 0) return stdout;
  const said = (stderr.trim() || stdout.trim() || `exit status ${status}`).split("\n");
  if (status === NOT_FOUND_STATUS) {
    fail(
      CODES.notInstalled,
      undefined,
      `${what}: the command ${argv[0]} is not there`,
      "p4loom doctor says what to install",
    );
  }
  fail(
    CODES.setUp,
    undefined,
    `${what}: ${said[0]}`,
    ...said.slice(1, 10),
    `the command was ${argv.join(" ")}`,
  );
}

/** Runs `work` for every item, at most `limit` at a time; rejects with the first error when all that began are over. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (next < items.length && errors.length === 0) {
      const index = next++;
      try {
        await work(defined(items[index]), index);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}

export interface ExecResult {
  /** Exit status; 128 + number of the signal where one ended the process. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}
