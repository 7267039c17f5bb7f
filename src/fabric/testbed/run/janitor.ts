/**
 * The janitor removes everything that a run has created. It is a shell that reads from a pipe. When the run closes the pipe, or
 * ends in any other way, even by SIGKILL, the read ends and the janitor starts. So every run is removed by the same code.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { fail } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { command, type ExecResult } from "../system/command.js";
import { findRuns, type RunRecord, runFolder, switchNamespace } from "./record.js";

/**
 * $1 is the name of the switches' namespace, $2 the run's folder, which is locked meanwhile: a second janitor
 * for the same run waits, and then finds nothing to remove. Processes get 3 seconds to end by themselves, so
 * that captures are complete. All processes in the namespaces belong to the run, so no other process is ended.
 */
const TAKE_AWAY = `
names() { for path in /var/run/netns/"$1" /var/run/netns/"$1"-*; do [ -e "$path" ] && echo "\${path##*/}"; done; }
pids() { for name in $(names "$1"); do ip netns pids "$name"; done; }
end() { pids=$(pids "$2"); [ -n "$pids" ] && kill "-$1" $pids 2>/dev/null; }
take_away() {
  end TERM "$1"
  tries=60
  while [ $tries -gt 0 ] && [ -n "$(pids "$1")" ]; do sleep 0.05; tries=$((tries - 1)); done
  tries=20
  while [ $tries -gt 0 ] && end KILL "$1"; do sleep 0.05; tries=$((tries - 1)); done
  status=0
  for name in $(names "$1"); do ip netns del "$name" || [ ! -e /var/run/netns/"$name" ] || status=1; done
  [ $status = 0 ] && rm -rf "$2"
  return $status
}
{ flock 9; take_away "$1" "$2"; } 9<"$2" || { [ ! -d "$2" ] && take_away "$1" "$2"; }
`;

/** The pipe closed without a line: the run has died. A command that it had started may still create something. */
const WAIT = "read -r word || sleep 1";

function script(id: string, before: string): readonly string[] {
  return ["sh", "-c", `${before}${TAKE_AWAY}`, "p4loom-janitor", switchNamespace(id), runFolder(id)];
}

/** Removes a run whose process has ended. */
export function takeAway(id: string): Promise<ExecResult> {
  return command(script(id, ""));
}

export class Janitor {
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | null>;
  #stderr = "";

  /** Starts the janitor. It must run before the run makes anything. */
  constructor(readonly id: string) {
    const [file, ...args] = script(id, WAIT);
    // of its own session: Ctrl-C in a terminal reaches all other processes of p4loom at once
    this.#process = spawn(file!, args, { stdio: ["pipe", "ignore", "pipe"], detached: true });
    this.#process.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    this.#process.stdin!.on("error", () => {});
    this.#ended = new Promise((resolve) => {
      this.#process.on("close", (status) => resolve(status));
      this.#process.on("error", () => resolve(null));
    });
  }

  /** Removes everything. Fails with P43108 for what cannot be removed. */
  async finish(): Promise<void> {
    this.#process.stdin!.end("end\n");
    const status = await this.#ended;
    if (status === 0) return;
    const { status: again, stderr } = await takeAway(this.id);
    if (again === 0) return;
    const said = `${this.#stderr}${stderr}`.trim().split("\n").slice(-5);
    fail(
      CODES.removal,
      undefined,
      `leftovers of run ${this.id} cannot be removed`,
      ...said,
      "p4loom clean tries again",
    );
  }
}

// Removes the remains of runs whose process has ended. It removes nothing of a run whose process is alive, and nothing of other programs.

export interface CleanedRun {
  readonly id: string;
  readonly record: RunRecord;
  /** `alive`: nothing was removed; `failed`: something could not be removed. */
  readonly outcome: "removed" | "alive" | "failed";
  /** Why it failed. */
  readonly message?: string;
}

/** All recorded runs, with the result for each. */
export async function cleanRuns(): Promise<CleanedRun[]> {
  const cleaned: CleanedRun[] = [];
  for (const { id, record, alive } of findRuns()) {
    if (alive) {
      cleaned.push({ id, record, outcome: "alive" });
      continue;
    }
    const { status, stderr } = await takeAway(id);
    if (status === 0) cleaned.push({ id, record, outcome: "removed" });
    else cleaned.push({ id, record, outcome: "failed", message: stderr.trim() });
  }
  return cleaned;
}
