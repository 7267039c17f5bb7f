/**
 * Sweeps as array jobs of Slurm: on a stand-in for `sbatch` and `squeue` everywhere, and on the real ones where this machine can submit
 * jobs (docs/sweep.md says how to set Slurm up on one machine).
 */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-slurm-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = (...names: string[]) => join(folder, ...names);

const FILE = path("sweep.yaml");
const HEAD = `name: sweep
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single }
schemes: [prr, none]
failures: [leaf]
give_up: 1s
`;
writeFileSync(FILE, `${HEAD}runs: 2\nsweep: { transport.rto_margin: [5ms, 7ms] }\n`);

function p4loom(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  return spawnSync(process.execPath, [COMMAND, ...args], { encoding: "utf8", env });
}

function results(out: string): string {
  return readFileSync(join(out, "results.json"), "utf8");
}

const known = new Map<string, string>();

/** `results.json` of a file, run on this machine once. */
function local(file: string): string {
  const out = path("local");
  if (!known.has(file)) {
    const { status, stderr } = p4loom(["run", file, "--out", out]);
    expect(status, stderr).toBe(0);
    known.set(file, results(out));
  }
  return known.get(file)!;
}

/** `sbatch` and `squeue` that run the tasks one after the other on this machine; the first time, the tasks of `lost` do not run. */
function standIn(lost: string): NodeJS.ProcessEnv {
  const bin = mkdtempSync(join(folder, "bin-"));
  const write = (name: string, text: string) => {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  };
  write(
    "sbatch",
    `#!/bin/sh
[ "$1" = --parsable ] || exit 64
id=$(($(cat "${bin}/id" 2>/dev/null || echo 0) + 1))
echo "$id" > "${bin}/id"
echo "$2" >> "${bin}/arrays"
touch "${bin}/running.$id"
lost="${lost}"
[ "$id" = 1 ] || lost=""
(
  for part in $(echo "\${2#--array=}" | tr , ' '); do
    for task in $(seq "\${part%-*}" "\${part#*-}"); do
      case " $lost " in *" $task "*) continue ;; esac
      SLURM_ARRAY_TASK_ID=$task sh "$3" || true
    done
  done
  rm "${bin}/running.$id"
) > "${bin}/log.$id" 2>&1 &
echo "$id;cluster"
`,
  );
  write(
    "squeue",
    `#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -j ] && id=$2; shift; done
if [ -e "${bin}/running.$id" ]; then echo RUNNING; exit 0; fi
echo "slurm_load_jobs error: Invalid job id specified" >&2
exit 1
`,
  );
  return { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"]}`, STAND_IN: bin };
}

describe("p4loom run --slurm", () => {
  it("prints the script of the array job with --dry-run, and writes nothing", () => {
    const out = path("dry run");
    const args = ["run", FILE, "--out", out, "--slurm", "--dry-run", "--slurm-tasks", "4", "--seed", "7"];
    const { status, stdout } = p4loom([...args, "--slurm-options", "--partition=long --comment='two words'"]);
    expect(status).toBe(0);
    const lines = stdout.split("\n");
    expect(lines.slice(0, 6)).toEqual([
      "#!/bin/sh",
      "#SBATCH --job-name=p4loom-sweep",
      "#SBATCH --array=1-4",
      `#SBATCH --output='${join(out, "slurm", "%A_%a.log")}'`,
      "#SBATCH --partition=long",
      "#SBATCH --comment='two words'",
    ]);
    expect(lines[7]).toBe(`exec ${process.execPath} ${COMMAND} run ${FILE} --out '${out}' --seed 7 \\`);
    expect(lines[8]).toBe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
      '  --shard "$SLURM_ARRAY_TASK_ID/4" --resume --no-gather --workers "${SLURM_CPUS_PER_TASK:-1}"',
    );
    expect(existsSync(out)).toBe(false);
  });

  it("submits, waits, submits unfinished tasks again, and gives the bytes of a local run", () => {
    const env = standIn("2 3");
    const out = path("stand-in");
    const { status, stderr } = p4loom(["run", FILE, "--out", out, "--slurm"], env);
    expect(stderr).toContain("array job 1: 4 tasks (1-4); logs are in");
    expect(stderr).toContain("array job 2: 2 tasks (2-3), again, since they did not finish all jobs");
    expect(status).toBe(0);
    expect(results(out)).toBe(local(FILE));
    expect(readFileSync(join(env["STAND_IN"]!, "arrays"), "utf8")).toBe("--array=1-4\n--array=2-3\n");
  });

  it("submits with --resume what the folder does not have", () => {
    const env = standIn("");
    const out = path("resumed");
    expect(p4loom(["run", FILE, "--out", out, "--shard", "2/3"]).status).toBe(0);
    const { status, stderr } = p4loom(
      ["run", FILE, "--out", out, "--slurm", "--slurm-tasks", "3", "--resume"],
      env,
    );
    expect(stderr).toContain("array job 1: 2 tasks (1,3)");
    expect(status).toBe(0);
    expect(results(out)).toBe(local(FILE));
  });

  it("says what sbatch says, and where there is none", () => {
    const bin = path("refuses");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "sbatch"),
      '#!/bin/sh\necho "sbatch: error: invalid partition specified: x" >&2\nexit 1\n',
      { mode: 0o755 },
    );
    const refused = p4loom(["run", FILE, "--out", path("refused"), "--slurm"], {
      ...process.env,
      PATH: `${bin}:/bin`,
    });
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(
      /error\[P43047\]: cannot submit .*job\.sh: sbatch: error: invalid partition specified: x/,
    );
    const none = p4loom(["run", FILE, "--out", path("refused"), "--slurm"], {
      ...process.env,
      PATH: path("nowhere"),
    });
    expect(none.status).toBe(1);
    expect(none.stderr).toContain("sbatch: no such program");
  });
});

const canSubmit =
  spawnSync("sinfo", ["-h", "-o", "%a"], { encoding: "utf8" }).stdout?.includes("up") === true;

describe.skipIf(!canSubmit)(
  "p4loom run --slurm on Slurm itself (skipped where sinfo reports no partition that is up)",
  () => {
    const call = (program: string, ...args: string[]) =>
      spawnSync(program, args, { encoding: "utf8" }).stdout;

    it("gives the bytes of a local run, also when a task is cancelled while it runs", async () => {
      const file = path("long.yaml");
      writeFileSync(file, `${HEAD}runs: 60\nsweep: { transport.rto_margin: [5ms, 7ms], seeds: 2 }\n`);
      const out = path("slurm");
      const child = spawn(process.execPath, [
        COMMAND,
        "run",
        file,
        "--out",
        out,
        "--slurm",
        "--slurm-tasks",
        "3",
        "--slurm-options",
        "--time=10",
      ]);
      let told = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        told += text;
      });
      const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
      const id = () => /array job (\d+): 3 tasks \(1-3\)/.exec(told)?.[1];
      while (id() === undefined && child.exitCode === null) await sleep(50);
      // As soon as the first task has kept a job, so that it runs for certain.
      const kept = () =>
        existsSync(out) &&
        readdirSync(out).find(
          (name) => /^points-\d/.test(name) && readFileSync(join(out, name), "utf8") !== "",
        );
      while (kept() === undefined && child.exitCode === null) await sleep(20);
      const task = /^points-(\d+)/.exec(kept() as string)![1]!;
      call("scancel", "--signal=KILL", "--full", `${id()}_${task}`);
      expect(await ended).toBe(0);
      expect(told).toContain(`1 task (${task}), again, since it did not finish all jobs`);
      expect(results(out)).toBe(local(file));
      const lines = readdirSync(out)
        .filter((name) => /^points-.*jsonl$/.test(name))
        .flatMap((name) => readFileSync(join(out, name), "utf8").trimEnd().split("\n"));
      expect(lines).toHaveLength(8);
    });
  },
);
