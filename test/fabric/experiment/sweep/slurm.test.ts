/** Array jobs of Slurm, with programs in place of `sbatch` and `squeue` that answer from files. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../../src/base/index.js";
import { runOnSlurm, type SlurmRun } from "../../../../src/fabric/experiment/sweep/slurm.js";
import type { Job } from "../../../../src/fabric/experiment/sweep/sweep.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-array-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const PATH = process.env["PATH"]!;
let out = "";
let count = 0;
beforeEach(() => {
  out = join(folder, `run-${count++}`);
  mkdirSync(join(out, "bin"), { recursive: true });
  process.env["PATH"] = `${join(out, "bin")}${delimiter}${PATH}`;
});
afterEach(() => {
  process.env["PATH"] = PATH;
});

function program(name: string, text: string): void {
  writeFileSync(join(out, "bin", name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(out, "bin", name), 0o755);
}

const job = (number: number): Job => ({
  ...{ number, point: number, units: [0], seed: 1, name: `job ${number}`, steps: 1 },
  keys: [`key ${number}`],
});

interface Ran {
  readonly run: SlurmRun;
  readonly told: string[];
  readonly shown: string[];
}

function runOf(jobs: number, finished: () => ReadonlySet<string>, more: Partial<SlurmRun> = {}): Ran {
  const told: string[] = [];
  const shown: string[] = [];
  const run: SlurmRun = {
    ...{ file: "/x/a file.yaml", name: "sweep", folder: out, resume: false, options: [], tasks: 3 },
    ...{ repeat: [], dryRun: false, pollMs: 1, finished, stop: new AbortController().signal },
    jobs: Array.from({ length: jobs }, (_, i) => job(i)),
    progress: (done, of, what) => shown.push(`${done}/${of} ${what}`),
    tell: (line) => told.push(line),
    ...more,
  };
  return { run, told, shown };
}

const NONE: ReadonlySet<string> = new Set();
const keys = (...numbers: number[]) => new Set(numbers.map((number) => `key ${number}`));
/** `sbatch` that counts its calls and keeps what was submitted, and a queue without jobs. */
function empty(): void {
  program("sbatch", `echo "$*" >> ${out}/submitted; grep -c . ${out}/submitted | sed 's/$/;cluster/'`);
  program("squeue", "exit 0");
}
const submitted = () =>
  readFileSync(join(out, "submitted"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(`${out}/`, ""));

async function failure(run: SlurmRun): Promise<string[]> {
  const error = await runOnSlurm(run).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DiagnosticError);
  const [{ code, message, notes }] = (error as DiagnosticError).diagnostics as [
    DiagnosticError["diagnostics"][0],
  ];
  return [code, message.replaceAll(out, ""), ...(notes ?? []).map((note) => note.message)];
}

describe("the script", () => {
  it("quotes what the shell would take apart, and gives tasks their workers", async () => {
    const { run } = runOf(9, () => NONE, { dryRun: true, name: "it's", options: ["--time=5"] });
    const lines = (await runOnSlurm(run))!.split("\n");
    expect(lines.slice(0, 6)).toEqual([
      "#!/bin/sh",
      `#SBATCH --job-name='p4loom-it'\\''s'`,
      "#SBATCH --array=1-3",
      `#SBATCH --output=${out}/slurm/%A_%a.log`,
      "#SBATCH --time=5",
      "",
    ]);
    expect(lines[6]).toMatch(/^exec .* run '\/x\/a file.yaml' --out \S+ \\$/);
    expect(lines.slice(7)).toEqual([
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
      '  --shard "$SLURM_ARRAY_TASK_ID/3" --resume --no-gather --workers "${SLURM_CPUS_PER_TASK:-1}"',
      "",
    ]);
    expect(existsSync(join(out, "slurm"))).toBe(false);
  });

  it("has no more tasks than jobs, at least one, and the workers that the user gave", async () => {
    const script = async (jobs: number) =>
      await runOnSlurm(runOf(jobs, () => NONE, { dryRun: true, repeat: ["--workers", "4"] }).run);
    expect(await script(2)).toContain("--array=1-2\n");
    expect(await script(0)).toContain("--array=1-1\n");
    expect(await script(2)).toMatch(/ --workers 4 \\\n {2}--shard .* --no-gather\n$/);
  });
});

describe("an array job", () => {
  it("is submitted again for tasks with unfinished jobs, three times in all", async () => {
    empty();
    const { run, told } = runOf(7, () => keys(0, 2, 3, 5, 6));
    expect(await runOnSlurm(run)).toBeUndefined();
    // Task 2 has the jobs 1 and 4.
    expect(submitted()).toEqual(["1-3", "2", "2"].map((tasks) => `--parsable --array=${tasks} slurm/job.sh`));
    const logs = `logs are in ${out}/slurm`;
    expect(told).toEqual([
      `array job 1: 3 tasks (1-3); ${logs}`,
      `array job 2: 1 task (2), again, since it did not finish all jobs; ${logs}`,
      `array job 3: 1 task (2), again, since it did not finish all jobs; ${logs}`,
    ]);
  });

  it("is submitted for what is left when it is resumed, as ranges", async () => {
    empty();
    let looks = 0;
    const all = keys(...Array.from({ length: 9 }, (_, i) => i));
    const { run, told } = runOf(9, () => (looks++ < 1 ? keys(0, 4) : all), { tasks: 9, resume: true });
    writeFileSync(join(out, "points.jsonl"), "a\n");
    await runOnSlurm(run);
    expect(submitted()).toEqual(["--parsable --array=2-4,6-9 slurm/job.sh"]);
    expect(told[0]).toContain("array job 1: 7 tasks (2-4,6-9); ");
    expect(existsSync(join(out, "points.jsonl"))).toBe(true);
    const done = runOf(9, () => all, { tasks: 9, resume: true });
    expect(await runOnSlurm(done.run)).toBeUndefined();
    expect([submitted().length, done.told]).toEqual([1, []]);
  });

  it("says of several tasks that they did not finish", async () => {
    empty();
    const { run, told } = runOf(3, () => keys(1));
    await runOnSlurm(run);
    expect(told[1]).toContain("2 tasks (1,3), again, since they did not finish all jobs");
  });

  it("sets points files of earlier runs aside, and no others", async () => {
    empty();
    for (const name of ["points.jsonl", "points-1-of-2.jsonl", "points-x.jsonl", "my-points.jsonl"])
      writeFileSync(join(out, name), "");
    await runOnSlurm(runOf(1, () => keys(0)).run);
    const names = ["points.jsonl.old", "points-1-of-2.jsonl.old", "points-x.jsonl", "my-points.jsonl"];
    expect(names.filter((name) => !existsSync(join(out, name)))).toEqual([]);
    expect(existsSync(join(out, "points.jsonl"))).toBe(false);
  });

  it("is watched until it has left the queue: states, and the lines of all points files", async () => {
    empty();
    program(
      "squeue",
      `n=$(cat ${out}/looks 2>/dev/null || echo 0); echo $((n + 1)) > ${out}/looks
case $n in
  0) printf 'RUNNING\\nPENDING\\nRUNNING\\n' ;;
  1) printf 'a\\nb\\n' > ${out}/points-1-of-2.jsonl; printf 'RUNNING\\n' ;;
  2) printf 'c\\n' >> ${out}/points-1-of-2.jsonl; printf 'd\\n' > ${out}/points.jsonl; printf 'e\\n' > ${out}/other.jsonl; printf 'RUNNING\\n' ;;
  3) echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1 ;;
esac`,
    );
    const { run, shown } = runOf(3, () => keys(0, 1, 2));
    await runOnSlurm(run);
    expect(shown).toEqual([
      "0/3 array job 1: 2 running, 1 pending",
      "2/3 array job 1: 1 running",
      "3/3 array job 1: 1 running",
    ]);
  });
});

describe("what goes wrong", () => {
  it("sbatch that refuses, or that there is none", async () => {
    program("sbatch", "echo 'sbatch: error: no partition' >&2; echo more >&2; exit 1");
    expect(await failure(runOf(1, () => NONE).run)).toEqual([
      "P43047",
      "cannot submit /slurm/job.sh: sbatch: error: no partition",
      "more",
      "run this on a machine of the cluster; options of sbatch are given with --slurm-options",
    ]);
    process.env["PATH"] = join(out, "nothing");
    const [code, message] = await failure(runOf(1, () => NONE).run);
    expect([code, message]).toEqual(["P43047", expect.stringMatching(/^cannot submit .*: sbatch: ./)]);
  });

  it("a queue that cannot be read twenty times one after the other", async () => {
    empty();
    program(
      "squeue",
      `n=$(cat ${out}/looks 2>/dev/null || echo 0); echo $((n + 1)) > ${out}/looks
[ $n = 2 ] && { echo RUNNING; exit 0; }
echo 'connection refused' >&2; exit 1`,
    );
    const [code, message, note] = await failure(runOf(1, () => NONE).run);
    expect([code, message]).toEqual(["P43048", "cannot read the queue of Slurm: connection refused"]);
    expect(note).toContain("array job 1 continues");
    expect(readFileSync(join(out, "looks"), "utf8")).toBe("23\n");
  });

  it("a stop leaves the array job, and says how to go on, also in the pause between two looks", async () => {
    empty();
    program("squeue", "echo RUNNING");
    const stop = new AbortController();
    const { run, told } = runOf(2, () => NONE, {
      ...{ stop: stop.signal, pollMs: 60_000 },
      progress: () => stop.abort(new Error("stopped")),
    });
    await expect(runOnSlurm(run)).rejects.toThrow("stopped");
    expect(told.at(-1)).toContain("array job 1 continues: run the same command with --gather");
  });
});
