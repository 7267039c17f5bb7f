/**
 * How processes with the code of others are kept from the rest of the machine: namespaces (no network, no other
 * processes, temporary folders of their own), another user than root, limits of the kernel, and Node's permission
 * model (no writing, no processes, no native code). What a machine lacks is left out and told.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { runCommand } from "../loading/index.js";

export interface Isolation {
  /** Words before a command; empty: this machine has no namespaces for us. */
  readonly prefix: readonly string[];
  /** Whether processes have no network and see no others. */
  readonly namespaces: boolean;
  /** Whether the kernel limits processor time and memory. */
  readonly limits: boolean;
  /** Whether Node has its permission model. */
  readonly permissions: boolean;
}

export interface ProcessLimits {
  /** Of processor time. */
  readonly seconds: number;
  readonly memoryMb: number;
}

/** Longer than a short process takes on any machine. */
const TRIAL_MS = 60_000;
/** Nobody's user and group id on Linux. */
const NOBODY = "65534";
/** Shown over the folders that everybody may write; they vanish with the process. */
const HIDE = "for d in /tmp /var/tmp /dev/shm; do mount -t tmpfs -o ro,size=4k tmpfs $d; done; ";
/** Node reserves memory that it does not use; what counts is what may be written. */
const NODE_MB = 256;

async function works(command: readonly string[]): Promise<boolean> {
  const { error } = await runCommand(command, { output: "ignored", timeoutMs: TRIAL_MS });
  return error === undefined;
}

async function firstThatWorks(choices: readonly string[][], command: readonly string[]): Promise<string[]> {
  for (const choice of choices) if (await works([...choice, ...command])) return choice;
  return [];
}

/** Finds out what this machine can do; starts a few short processes. */
export async function examineIsolation(command: readonly string[]): Promise<Isolation> {
  const namespaces = ["unshare", "--net", "--pid", "--fork", "--mount", "--ipc", "--kill-child"];
  // The shell stays, and gives the status on: what ends by a signal would end unshare without one.
  const drop = `setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups --no-new-privs --bounding-set -all "$@"; exit $?`;
  const user = ["unshare", "--user", "--map-root-user", ...namespaces.slice(1)];
  const choices = [
    [...namespaces, "sh", "-c", `${HIDE}${drop}`, "sh"],
    [...namespaces, "sh", "-c", drop, "sh"],
    [...user, "sh", "-c", `${HIDE}"$@"; exit $?`, "sh"],
    [...user, "sh", "-c", '"$@"; exit $?', "sh"],
  ];
  // The whole command, since another user may not be allowed to read it, and a hidden folder may hold it.
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
 * The command that runs `command`, which begins with Node and a script, within the isolation.
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
  // Node's workers of the garbage collector would make processor time depend on the machine's load.
  const heap = [`--max-old-space-size=${memoryMb}`, "--no-warnings"];
  const limit = limits ? ["prlimit", `--cpu=${seconds}`, `--data=${bytes}`, "--core=0", "--fsize=0"] : [];
  return [
    ...prefix,
    ...limit,
    node!,
    ...heap,
    ...(permissions ? permitted(script, mayStart) : []),
    ...script,
  ];
}

/** Files that switches write: logs, with the lowest level. */
const TESTBED_FILE_BYTES = 16 << 20;

/** The command with limits of time, memory and files alone, for what makes namespaces itself. Its own processes inherit them. */
export function limitedOnly(
  [node, ...script]: readonly string[],
  { limits }: Isolation,
  { seconds, memoryMb }: ProcessLimits,
): string[] {
  const bytes = (memoryMb + NODE_MB) * 2 ** 20;
  const limit = limits
    ? ["prlimit", `--cpu=${seconds}`, `--data=${bytes}`, "--core=0", `--fsize=${TESTBED_FILE_BYTES}`]
    : [];
  return [...limit, node!, `--max-old-space-size=${memoryMb}`, "--no-warnings", ...script];
}

function permitted(script: readonly string[], mayStart: boolean): string[] {
  const main = realpathSync(script.find((word) => /\.c?js$/.test(word))!);
  const readable = [
    dirname(dirname(main)),
    // Of the package that the command is in.
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
