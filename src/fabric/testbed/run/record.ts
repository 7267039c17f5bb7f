/**
 * The resources of a run on this machine. Each run has a folder /run/p4loom/ID with its sockets and `run.json`, which
 * names its process; its namespaces are called p4l-ID and p4l-ID-HOST, and all processes in them belong to the run.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { fail, systemErrorReason } from "../../../base/index.js";
import { CODES } from "../codes.js";

/** In /run, as the names of network namespaces (/run/netns): a reboot deletes both. */
const RUNS = "/run/p4loom";
const RECORD = "run.json";
/** Access to a socket in this folder is control of a switch, so only the run's user may enter it. */
const OWN = 0o700;
const ID = /^[a-z0-9]{6}$/;

const recordSchema = z.object({
  /** The process that started the testbed: its id and start time, because ids are reused. */
  owner: z.object({ pid: z.number(), startedTicks: z.string() }),
  lab: z.string(),
  /** Folder of logs and captures. It is printed, and never removed. */
  folder: z.string(),
  namespaces: z.array(z.string()),
  interfaces: z.array(z.string()),
});

export type RunRecord = z.output<typeof recordSchema>;

export function switchNamespace(id: string): string {
  return `p4l-${id}`;
}

export function hostNamespace(id: string, host: string): string {
  return `p4l-${id}-${host}`;
}

export function runFolder(id: string): string {
  return join(RUNS, id);
}

/** Claims an id and writes the record, before anything is made. Fails with P43102 where that is not permitted. */
export function beginRun(describe: (id: string) => Omit<RunRecord, "owner">): string {
  const owner = { pid: process.pid, startedTicks: startedTicks(process.pid)! };
  try {
    mkdirSync(RUNS, { recursive: true, mode: OWN });
    for (;;) {
      // One of 36 characters. The modulo prefers some of them a little, which does not matter here.
      const id = [...randomBytes(6)].map((byte) => (byte % 36).toString(36)).join("");
      // renamed into its place, so that no other process finds a folder without its record
      const draft = join(RUNS, `.${id}-${process.pid}`);
      mkdirSync(draft, { mode: OWN });
      writeFileSync(join(draft, RECORD), `${JSON.stringify({ owner, ...describe(id) }, null, 2)}\n`);
      try {
        renameSync(draft, runFolder(id));
        return id;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
      }
    }
  } catch (error) {
    fail(
      CODES.notPermitted,
      undefined,
      `cannot write ${RUNS}: ${systemErrorReason(error)}`,
      "a testbed needs root: try sudo",
    );
  }
}

export interface FoundRun {
  readonly id: string;
  readonly record: RunRecord;
  /** The process that started it is still there. */
  readonly alive: boolean;
}

/** All runs on record, by id. Fails with P43111 where the records cannot be read. */
export function findRuns(): FoundRun[] {
  const runs: FoundRun[] = [];
  for (const id of reading(RUNS, () => readdirSync(RUNS))?.sort() ?? []) {
    if (!ID.test(id)) continue;
    const record = readRecord(id);
    if (record !== undefined) runs.push({ id, record, alive: isAlive(record.owner) });
  }
  return runs;
}

/** Undefined for a run that has just ended, and for a folder whose record another version or program wrote. */
function readRecord(id: string): RunRecord | undefined {
  const path = join(runFolder(id), RECORD);
  const text = reading(path, () => readFileSync(path, "utf8"));
  if (text === undefined) return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Undefined where there is no such file or folder. Fails with P43111 for any other reason, such as permissions. */
function reading<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return fail(
      CODES.records,
      undefined,
      `cannot read the records of runs at ${path}: ${systemErrorReason(error)}`,
      "they belong to the user that started the runs: try sudo",
    );
  }
}

function isAlive(owner: RunRecord["owner"]): boolean {
  return startedTicks(owner.pid) === owner.startedTicks;
}

/** When a process started, in clock ticks since the boot (proc_pid_stat(5), field 22); undefined: there is none. */
function startedTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended: it only waits for its parent to read its status.
    return fields[0] === "Z" ? undefined : fields[19];
  } catch (error) {
    // ESRCH: it ended while it was read.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
