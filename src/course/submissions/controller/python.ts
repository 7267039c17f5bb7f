/**
 * Controllers in Python. Python has no permission model, so the kernel isolates the process: its namespaces have no
 * network, and a read-only file system with only the interpreter and its libraries; its own user may have one process and
 * one thread.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isWithin } from "../../../base/index.js";
import { packageFile, runCommand } from "../../../toolchain/loading/index.js";
import type { ProcessLimits } from "../isolation.js";

/** The user id of a controller is this number plus its process id. Systems do not assign such numbers to users. */
const FIRST_USER = 1_900_000_000;
/** Maximum time of the short test process on any machine, in milliseconds. */
const TRIAL_MS = 60_000;

/** Prints the path of the interpreter, and the files and folders that it needs. */
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
 * Arguments: the visible files and folders, then --, then the command. Its file system is a new root; the old root is unmounted,
 * together with the list of processes, which umount needs for this.
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

/** The command that starts controllers in Python on this machine, or the reason why they cannot be started. */
export type PythonStart = { readonly command: readonly string[] } | { readonly reason: string };

/**
 * The command of a process that runs a controller. It starts some processes to test the isolation.
 * @param hidden folders that a controller must not read; if the interpreter's folders overlap with one of them, there is
 * no command
 */
export async function pythonStart(limits: ProcessLimits, hidden: readonly string[]): Promise<PythonStart> {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return { reason: "this requires Linux and root: try sudo" };
  const probe = await runCommand(["python3", "-I", "-c", PROBE], { timeoutMs: TRIAL_MS });
  if (probe.error !== undefined) return { reason: `python3: ${probe.error}` };
  const [python, ...paths] = JSON.parse(probe.stdout) as [string, ...string[]];
  const shown = paths.filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));
  const secrets = [fileURLToPath(packageFile("examples")), ...hidden]
    .filter(existsSync)
    .map((path) => realpathSync(path));
  const open = shown.find((path) => secrets.some((secret) => isWithin(path, secret)));
  if (open !== undefined) return { reason: `${open}, which Python needs, contains files of the exercise` };
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
  // Process ids are unique among running processes, so that a controller is the only process of its user.
  const user = `P4LOOM_USER=$((${FIRST_USER} + $$)) exec "$@"`;
  return ["sh", "-c", user, "sh", ...start, ...shown, "--", ...command];
}
