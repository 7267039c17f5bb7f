/** The commands `ip` and `tc` of iproute2. */
import { spawnSync } from "node:child_process";
import { systemErrorReason } from "../../base/index.js";
import { RequestError } from "./requests.js";

interface Result {
  readonly ok: boolean;
  readonly stdout: string;
  /** Its error messages. */
  readonly stderr: string;
}

function run(command: "ip" | "tc", words: readonly string[], input = ""): Result {
  const { status, stdout, stderr, error } = spawnSync(command, words, { input, encoding: "utf8" });
  if (error !== undefined) return { ok: false, stdout: "", stderr: systemErrorReason(error) };
  return { ok: status === 0, stdout, stderr: stderr.trim() };
}

/** The output of a command. Throws {@link RequestError} with the command and its error message. */
export function ipOutput(...words: string[]): string {
  const { ok, stdout, stderr } = run("ip", words);
  if (!ok) throw new RequestError(`ip ${words.join(" ")}: ${stderr || "failed"}`);
  return stdout;
}

/**
 * Runs several commands of `ip` in one process, which ends at the first one that fails (not with the option `-force`). Returns
 * that command and the message of `ip`; undefined when all succeed.
 */
export function ipBatch(lines: readonly string[], ...options: string[]): string | undefined {
  return batch("ip", lines, options);
}

/** As {@link ipBatch}, with `tc`. */
export function tcBatch(lines: readonly string[]): string | undefined {
  return batch("tc", lines, []);
}

function batch(
  command: "ip" | "tc",
  lines: readonly string[],
  options: readonly string[],
): string | undefined {
  if (lines.length === 0) return undefined;
  const { ok, stderr } = run(command, [...options, "-batch", "-"], `${lines.join("\n")}\n`);
  if (ok) return undefined;
  const said = stderr.split("\n").filter((line) => !line.startsWith("Command failed"));
  const failed = /Command failed -:(\d+)/.exec(stderr);
  const line = failed === null ? lines.join("; ") : lines[Number(failed[1]) - 1];
  return `${command} ${line}: ${said.join(" ") || "failed"}`;
}
