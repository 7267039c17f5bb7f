/** Commands of the system that run to their end, and their errors as diagnostics. */
import { constants } from "node:os";
import { execa } from "execa";
import { fail } from "../../base/index.js";
import type { ExecResult } from "../lab.js";

export interface CommandOptions {
  readonly input?: string;
  /** Milliseconds after which it is killed; default: none. */
  readonly timeoutMs?: number;
}

/** What a shell answers for a command that is not there. */
export const NOT_FOUND_STATUS = 127;

/** Runs a command; never rejects. A command that is not there has status {@link NOT_FOUND_STATUS}. */
export async function command(argv: readonly string[], options: CommandOptions = {}): Promise<ExecResult> {
  const { input, timeoutMs } = options;
  const [file, ...args] = argv;
  const running = execa(file!, args, {
    reject: false,
    stripFinalNewline: false,
    // of its own group, which can be ended with all that the command has started
    detached: timeoutMs !== undefined,
    ...(input === undefined ? { stdin: "ignore" } : { input }),
  });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => endGroup(running.pid), timeoutMs);
  const result = await running;
  clearTimeout(timer);
  const { stdout = "", stderr = "" } = result;
  if (result.exitCode !== undefined) return { status: result.exitCode, stdout, stderr };
  if (result.signal !== undefined) return { status: signalStatus(result.signal), stdout, stderr };
  return { status: NOT_FOUND_STATUS, stdout: "", stderr: result.shortMessage ?? "" };
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // it has just ended
  }
}

/** As a shell tells that a signal ended a command. */
export function signalStatus(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Runs a command of the network's set-up. Fails with P43107, what went wrong in its own words. */
export async function setUp(what: string, argv: readonly string[], input?: string): Promise<string> {
  const { status, stdout, stderr } = await command(argv, input === undefined ? {} : { input });
  if (status === 0) return stdout;
  const said = (stderr.trim() || stdout.trim() || `exit status ${status}`).split("\n");
  if (status === NOT_FOUND_STATUS) {
    fail(
      "P43103",
      undefined,
      `${what}: the command ${argv[0]} is not there`,
      "p4loom doctor says what to install",
    );
  }
  fail("P43107", undefined, `${what}: ${said[0]}`, ...said.slice(1, 10), `the command was ${argv.join(" ")}`);
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
        await work(items[index]!, index);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}
