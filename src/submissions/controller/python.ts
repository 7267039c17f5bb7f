/**
 * Controllers in Python. Python has no permission model, so the kernel keeps the process from everything: its namespaces have a file
 * system with the interpreter and its libraries alone, read-only, and no network; a user of its own may have one process and one thread.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isWithin } from "../../base/index.js";
import { packageFile, runCommand } from "../../loading/index.js";
import type { ProcessLimits } from "../isolation.js";

/** Users of controllers: this number and the process id. No system gives such numbers to people. */
const FIRST_USER = 1_900_000_000;
/** Longer than a short process takes on any machine. */
const TRIAL_MS = 60_000;

/** Prints where the interpreter is, and the files and folders that it needs. */
const PROBE = `
import json, os, site, ssl, sys, sysconfig
from glob import glob
paths = {sys.executable, os.path.join(sys.prefix, "pyvenv.cfg"), *site.getsitepackages()}
paths |= {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
with open("/proc/self/maps") as maps:
    paths |= {os.path.dirname(line.split()[-1]) for line in maps if ".so" in line}
paths |= set(glob("/lib/ld-*.so*") + glob("/lib64/ld-*.so*") + glob("/usr/bin/setpriv") + glob("/bin/setpriv"))
place = lambda path: os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
print(json.dumps([place(sys.executable), *sorted({place(path) for path in paths if os.path.exists(path)})]))
`;

/**
 * $1 and so on until --: what is shown; then the command. Its file system is a new root; the old one is taken away, and with it
 * the list of processes, which umount needs for that.
 */
const CONTAIN = `set -e
mount -t tmpfs -o size=1m,mode=755,nosuid,nodev tmpfs /tmp
for link in /bin /lib /lib64; do [ ! -L $link ] || ln -s "$(readlink $link)" /tmp$link; done
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -p "/tmp$1"; else mkdir -p "/tmp\${1%/*}"; : > "/tmp$1"; fi
  mount --bind "$1" "/tmp$1"
  mount -o remount,bind,ro,nosuid,nodev "/tmp$1"
  shift
done
shift
mkdir /tmp/old /tmp/proc
mount -t proc proc /tmp/proc
cd /tmp
pivot_root . old
cd /
/old/bin/mount -o remount,ro,nosuid,nodev /
/old/bin/umount -l /old /proc
setpriv --reuid $P4LOOM_USER --regid $P4LOOM_USER --clear-groups --no-new-privs --bounding-set -all "$@"
exit $?`;

/** How controllers in Python are started here, or why they cannot be. */
export type PythonStart = { readonly command: readonly string[] } | { readonly reason: string };

/**
 * The command of a process that runs a controller. Takes some processes to find out.
 * @param hidden folders that a controller must not read: where the interpreter is within one of them, or has one, there is no command
 */
export async function pythonStart(limits: ProcessLimits, hidden: readonly string[]): Promise<PythonStart> {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return { reason: "that needs Linux and root: try sudo" };
  const probe = await runCommand(["python3", "-I", "-c", PROBE], { timeoutMs: TRIAL_MS });
  if (probe.error !== undefined) return { reason: `python3: ${probe.error}` };
  const [python, ...paths] = JSON.parse(probe.stdout) as [string, ...string[]];
  const shown = paths.filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));
  const secrets = [fileURLToPath(packageFile("examples")), ...hidden]
    .filter(existsSync)
    .map((path) => realpathSync(path));
  const open = shown.find((path) => secrets.some((secret) => isWithin(path, secret)));
  if (open !== undefined)
    return { reason: `${open}, which Python needs, has the files of the exercise, too` };
  const start = contained([python, "-I", "-B", "-c"], shown, limits);
  const trial = await runCommand([...start, "import json"], { timeoutMs: TRIAL_MS });
  if (trial.error !== undefined)
    return { reason: `${trial.error}: ${trial.stderr.trim().split("\n").at(-1)}` };
  return { command: [...start, readFileSync(packageFile("python/controller.py"), "utf8")] };
}

function contained(
  command: readonly string[],
  shown: readonly string[],
  { seconds, memoryMb }: ProcessLimits,
): string[] {
  const limits = [`--cpu=${seconds}`, `--data=${memoryMb * 2 ** 20}`, "--core=0", "--fsize=0", "--nproc=1"];
  const namespaces = ["--net", "--pid", "--fork", "--mount", "--ipc", "--uts", "--kill-child"];
  const start = ["prlimit", ...limits, "unshare", ...namespaces, "sh", "-c", CONTAIN, "sh"];
  // The number of a living process is nobody else's, so that a controller has the only process of its user.
  const user = `P4LOOM_USER=$((${FIRST_USER} + $$)) exec "$@"`;
  return ["sh", "-c", user, "sh", ...start, ...shown, "--", ...command];
}
