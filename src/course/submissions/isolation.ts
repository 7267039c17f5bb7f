/**
 * Isolates processes with the code of submissions from the rest of the machine: namespaces (no network, no other processes,
 * separate temporary folders), a user that is not root, limits of the kernel, and Node's permission model (no writing, no
 * processes, no native code). A mechanism that the machine does not support is omitted and reported.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { runCommand } from "../../toolchain/loading/index.js";

export interface Isolation {
  /** The prefix of a command that creates namespaces; empty if they are not available. */
  readonly prefix: readonly string[];
  /** Whether processes have no network and cannot see other processes. */
  readonly namespaces: boolean;
  /** Whether the kernel limits processor time and memory. */
  readonly limits: boolean;
  /** Whether Node has its permission model. */
  readonly permissions: boolean;
}

export interface ProcessLimits {
  /** Maximum processor time of a process, in seconds. */
  readonly seconds: number;
  readonly memoryMb: number;
}

/**
 * A hanging process is stopped by its parent, long before it has used this multiple of the time; the kernel's limit is for one whose parent was
 * killed.
 */
const PROCESSOR_FACTOR = 20;

/** The limits of a process from those of an exercise. */
export function processLimits({
  seconds,
  memoryMb,
}: {
  readonly seconds: number;
  readonly memoryMb: number;
}): ProcessLimits {
  return { seconds: PROCESSOR_FACTOR * seconds, memoryMb };
}

/** Maximum time of the short test process on any machine, in milliseconds. */
const TRIAL_MS = 60_000;
/** The ids of user and group `nobody` on Linux. */
const NOBODY = "65534";
/** Mounts empty file systems over the folders that all users can write; they end with the process. */
const HIDE = "for d in /tmp /var/tmp /dev/shm; do mount -t tmpfs -o ro,size=4k tmpfs $d; done; ";
/** Node reserves memory that it does not use, so the limit is for writable memory. */
const NODE_MB = 256;
/**
 * The soft limit ends a process by SIGXCPU, which says why; SIGKILL follows a second later. With the soft limit alone, another process that
 * kills it could not be told from the limit.
 */
const cpu = (seconds: number): string => `--cpu=${seconds}:${seconds + 1}`;

async function works(command: readonly string[]): Promise<boolean> {
  const { error } = await runCommand(command, { output: "ignored", timeoutMs: TRIAL_MS });
  return error === undefined;
}

async function firstThatWorks(choices: readonly string[][], command: readonly string[]): Promise<string[]> {
  for (const choice of choices) if (await works([...choice, ...command])) return choice;
  return [];
}

/** Finds out which mechanisms this machine supports; starts a few short processes. */
export async function examineIsolation(command: readonly string[]): Promise<Isolation> {
  const namespaces = ["unshare", "--net", "--pid", "--fork", "--mount", "--ipc", "--kill-child"];
  // The shell is not replaced and passes on the exit status: if the process ended by a signal, unshare would end without a
  // status.
  const drop = `setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups --no-new-privs --bounding-set -all "$@"; exit $?`;
  const user = ["unshare", "--user", "--map-root-user", ...namespaces.slice(1)];
  const choices = [
    [...namespaces, "sh", "-c", `${HIDE}${drop}`, "sh"],
    [...namespaces, "sh", "-c", drop, "sh"],
    [...user, "sh", "-c", `${HIDE}"$@"; exit $?`, "sh"],
    [...user, "sh", "-c", '"$@"; exit $?', "sh"],
  ];
  // Tests the whole command: another user may not be allowed to read it, and it may be in a hidden folder.
  const prefix = await firstThatWorks(choices, [...command, "--version"]);
  return {
    prefix,
    namespaces: prefix.length > 0,
    limits: await works(["prlimit", "--data=1073741824", "--cpu=10", "true"]),
    permissions: permissionFlag() !== undefined && isBuilt(command),
  };
}

function permissionFlag(): string | undefined {
  return ["--permission", "--experimental-permission"].find((flag) =>
    process.allowedNodeEnvironmentFlags.has(flag),
  );
}

/** The loader of sources needs threads and processes of its own, which the permission model forbids. */
function isBuilt(command: readonly string[]): boolean {
  return /\.c?js$/.test(command.at(-1) ?? "") && !command.includes("--import");
}

/**
 * The command that runs `command`, which begins with Node and a script, in isolation.
 * @param mayStart whether it may start processes, which inherit the namespaces
 */
export function isolated(
  command: readonly string[],
  { prefix, limits, permissions }: Isolation,
  { seconds, memoryMb }: ProcessLimits,
  mayStart: boolean,
): string[] {
  const [node, ...script] = command;
  const bytes = (memoryMb + NODE_MB) * 2 ** 20;
  // With worker threads of Node's garbage collector, processor time would depend on the machine's load.
  const heap = [`--max-old-space-size=${memoryMb}`, "--no-warnings"];
  const limit = limits ? ["prlimit", cpu(seconds), `--data=${bytes}`, "--core=0", "--fsize=0"] : [];
  return [
    ...prefix,
    ...limit,
    node!,
    ...heap,
    ...(permissions ? permitted(script, mayStart) : []),
    ...script,
  ];
}

/** Maximum size of the files that switches write: logs of the lowest level. */
const TESTBED_FILE_BYTES = 16 << 20;

/**
 * The command with only limits of time, memory and files, for a process that creates namespaces itself. Its child
 * processes inherit the limits.
 */
export function limitedOnly(
  [node, ...script]: readonly string[],
  { limits }: Isolation,
  { seconds, memoryMb }: ProcessLimits,
): string[] {
  const bytes = (memoryMb + NODE_MB) * 2 ** 20;
  const limit = limits
    ? ["prlimit", cpu(seconds), `--data=${bytes}`, "--core=0", `--fsize=${TESTBED_FILE_BYTES}`]
    : [];
  return [...limit, node!, `--max-old-space-size=${memoryMb}`, "--no-warnings", ...script];
}

function permitted(script: readonly string[], mayStart: boolean): string[] {
  const main = realpathSync(script.find((word) => /\.c?js$/.test(word))!);
  const readable = [
    dirname(dirname(main)),
    // The folder of the package that contains the command.
    resolve(dirname(main), "../../package.json"),
    join(dirname(main), "package.json"),
  ];
  return [
    permissionFlag()!,
    ...readable
      .filter((path) => existsSync(path))
      .map((path) => `--allow-fs-read=${path}${/\.json$/.test(path) ? "" : "/*"}`),
    ...(mayStart ? ["--allow-child-process"] : []),
  ];
}
