/** Sweeps by the built command: worker processes, kills, limits, full disks, shards. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-sweep-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = (...names: string[]) => join(folder, ...names);

/** A scheme as plain ECMP whose hosts do what the parameter `mode` says. What hangs blocks its thread, and takes no processor time. */
const KNOB = `
import { existsSync, writeFileSync } from "node:fs";
export default (kit) => ({
  name: "knob",
  parameters: kit.z.strictObject({
    mode: kit.z.string().default("well"),
    marker: kit.z.string().default(""),
    ...kit.tables.hashParameters,
  }),
  plan(topology, { mode, marker, ...hash }) {
    const { programs, switches } = kit.schemes.ecmp.plan(topology, hash);
    return { programs, switches, repaths: false, hosts: { mode, marker } };
  },
  hosts: ({ mode, marker }) => ({
    open() {
      if (mode === "throws") throw new Error("the knob throws");
      if (mode === "hangs") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      if (mode === "kills" || (mode === "kills once" && !existsSync(marker))) {
        if (mode === "kills once") writeFileSync(marker, "");
        console.error("last words of the knob");
        process.kill(process.pid, "SIGKILL");
        for (;;);
      }
      return { selector: 0, onTimeout: () => [0], onAck() {}, onData: () => [0] };
    },
  }),
});
`;
writeFileSync(path("knob.mjs"), KNOB);

const HEAD = `name: sweep
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single }
failures: [leaf]
runs: 2
give_up: 1s
`;

function file(name: string, rest: string): string {
  writeFileSync(path(name), HEAD + rest);
  return path(name);
}

const PLAIN = file(
  "plain.yaml",
  "schemes: [prr, none]\nsweep: { transport.rto_margin: [5ms, 7ms, 9ms], seeds: 2 }\n",
);

function p4loom(...args: string[]) {
  return spawnSync(process.execPath, [COMMAND, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
}

/** The same for tests that run beside each other. */
async function p4loomBeside(...args: string[]) {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, stderr };
}

function results(out: string): string {
  return readFileSync(join(out, "results.json"), "utf8");
}

function linesOf(out: string, name = "points.jsonl"): number {
  return existsSync(join(out, name)) ? readFileSync(join(out, name), "utf8").split("\n").length - 1 : 0;
}

let known: string | undefined;

/** `results.json` of the plain sweep, by one worker. */
function expected(): string {
  if (known === undefined) {
    const out = path("expected");
    const { status, stderr } = p4loom("run", PLAIN, "--out", out, "--workers", "1");
    expect(status, stderr).toBe(0);
    known = results(out);
  }
  return known;
}

describe("p4loom run of a sweep", () => {
  it("gives the same bytes by one worker, by two, in shards and through a pipe; rows have the swept keys", () => {
    const rows = JSON.parse(expected()).rows as Record<string, unknown>[];
    expect(rows).toHaveLength(12);
    expect(Object.entries(rows[0]!).slice(0, 4)).toEqual([
      ["scheme", "prr"],
      ["transport.rto_margin", "5ms"],
      ["seed", 1],
      ["failure", "leaf"],
    ]);
    const two = p4loom("run", PLAIN, "--out", path("two"), "--workers", "2", "--json");
    expect(two.stderr).toContain("3 points, 2 seeds: 12 jobs; 2 workers with up to");
    expect(two.stdout).toBe(expected());
    expect(results(path("two"))).toBe(expected());
    expect(readFileSync(join(path("two"), "results.csv"), "utf8")).toMatch(
      /^scheme,transport\.rto_margin,seed,failure,.*\nprr,5ms,1,leaf,/,
    );
    expect(readdirSync(path("two")).sort()).toEqual([
      ".p4loom-files.json",
      "figures.json",
      "points.jsonl",
      "programs",
      "repeat",
      "report.html",
      "results.csv",
      "results.json",
      "runs",
    ]);

    const first = p4loom("run", PLAIN, "--out", path("parts"), "--shard", "2/2", "--workers", "1");
    expect(first.status).toBe(0);
    expect(first.stdout).toBe(
      "shard 2 of 2: 6 of 6 jobs done; 6 jobs of other shards are not (points-2-of-2.jsonl)\n",
    );
    expect(existsSync(join(path("parts"), "results.json"))).toBe(false);
    const early = p4loom("run", PLAIN, "--out", path("parts"), "--gather");
    expect(early.status).toBe(1);
    expect(early.stderr).toContain("error[P43042]: 6 jobs of the sweep have no outcome");
    const last = p4loom("run", PLAIN, "--out", path("parts"), "--shard", "1/2", "--workers", "1");
    expect(last.status).toBe(0);
    expect(results(path("parts"))).toBe(expected());
  });

  it("runs equal jobs once: a parameter of one scheme does not affect another", () => {
    const name = file("alike.yaml", "schemes: [none, prr]\nsweep: { schemes.prr.copies: [1, 2] }\n");
    const { status, stderr, stdout } = p4loom(
      "run",
      name,
      "--out",
      path("alike"),
      "--json",
      "--workers",
      "1",
    );
    expect(status, stderr).toBe(0);
    expect(stderr).toContain("2 points, 1 seed: 4 jobs; 3 of them different");
    expect(linesOf(path("alike"))).toBe(3);
    expect(JSON.parse(stdout).rows).toHaveLength(4);
  });

  it("takes a timeline too", () => {
    const text = readFileSync("examples/flows.yaml", "utf8").replace(
      "flows: flows.csv",
      "flows: [{ from: host0-0-0, to: host0-1-0, bytes: 20000 }]",
    );
    writeFileSync(path("timeline.yaml"), `${text}\nsweep: { transport.window_segments: [1, 4] }\n`);
    const { status, stderr, stdout } = p4loom(
      "run",
      path("timeline.yaml"),
      "--out",
      path("timeline"),
      "--json",
      "--workers",
      "1",
    );
    expect(status, stderr).toBe(0);
    const [slow, fast] = JSON.parse(stdout).rows as { fct_ms: number }[];
    expect(slow!.fct_ms).toBeGreaterThan(2 * fast!.fct_ms);
  });

  it.each([
    [["--workers", "0"], "--workers 0: expected a whole number from 1 to 1024"],
    [["--shard", "3/2"], "--shard 3/2: expected i/n"],
    [["--job-timeout", "soon"], "--job-timeout soon: expected a time such as 90s"],
    [["--dry-run"], "--dry-run goes with --slurm"],
    [["--slurm", "--shard", "1/2"], "--slurm and --shard exclude each other"],
    [["--gather", "--resume"], "--gather runs nothing"],
    [["--no-gather"], "--no-gather goes with --shard"],
  ])("refuses %j as wrong usage", (args, message) => {
    const { status, stderr } = p4loom("run", PLAIN, "--out", path("never"), ...args);
    expect(stderr).toContain(`error[P40006]: ${message}`);
    expect(status).toBe(2);
    expect(existsSync(path("never"))).toBe(false);
  });

  it("refuses options of sweeps for a file that is none, and an array job of sweeps on real processes", () => {
    const single = file("single.yaml", "schemes: [none]\n");
    const one = p4loom("run", single, "--workers", "2", "--out", path("never"));
    expect([one.status, one.stderr]).toEqual([
      2,
      `error[P40006]: --workers: ${single} is one run; a sweep has the key sweep\n`,
    ]);
    const lab = p4loom("run", PLAIN, "--engine", "switch", "--slurm", "--out", path("never"));
    expect(lab.status).toBe(1);
    expect(lab.stderr).toContain("error[P43046]: a sweep on engine switch does not run by Slurm");
  });

  it("counts a sweep that is too large before it makes it, units of work included", () => {
    const seeds = file("seeds.yaml", "schemes: [none, prr]\nsweep: { seeds: 9000 }\n");
    const refused = p4loom("run", seeds, "--out", path("never"));
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("the sweep has 18,000 runs: 1 point x 9,000 seeds x 2 units of work");
    expect(existsSync(path("never"))).toBe(false);
  });
});

// Most of their time is waiting.
describe.concurrent("a scheme that breaks some jobs of a sweep", () => {
  const sweepOf = (modes: string[], more = "") =>
    `schemes: [{ scheme: ./knob.mjs${more} }]\nsweep: { schemes.knob.mode: [${modes.join(", ")}] }\n`;

  it("that throws: the diagnostic of the module, reported once for all seeds; other points are kept", async () => {
    const name = file("throws.yaml", sweepOf(["well", "throws"]).replace("] }", "], seeds: 2 }"));
    const { status, stderr } = await p4loomBeside("run", name, "--out", path("throws"), "--workers", "1");
    expect(status).toBe(1);
    expect(stderr).toContain(
      "error[P43042]: 2 jobs of the sweep failed: schemes.knob.mode: throws, knob, leaf, seed 1; schemes.knob.mode: throws, knob, leaf, seed 2",
    );
    expect(stderr).toMatch(/knob\.mjs:\d+:\d+: error\[P43404\]: open throws: Error: the knob throws/);
    expect(stderr).not.toContain("runs again");
    const { rows, warnings } = JSON.parse(results(path("throws")));
    expect(rows).toHaveLength(2);
    expect(warnings[0]).toContain("2 of 4 jobs have no outcome");
  });

  it("that hangs: the worker is ended after --job-timeout, twice", async () => {
    const name = file("hangs.yaml", sweepOf(["hangs", "well"]));
    const { status, stderr } = await p4loomBeside(
      "run",
      name,
      "--out",
      path("hangs"),
      "--job-timeout",
      "8s",
      "--workers",
      "2",
    );
    expect(status).toBe(1);
    expect(stderr).toContain(
      "runs again: schemes.knob.mode: hangs, knob, leaf, seed 1: it had not ended after 8 s",
    );
    expect(stderr).toContain("note: it had not ended after 8 s (--job-timeout), twice");
    expect(JSON.parse(results(path("hangs"))).rows).toHaveLength(1);
  });

  it("that kills its worker: the job runs again, and is reported with the last words if it does so twice", async () => {
    const marker = path("marker");
    const name = file("kills.yaml", sweepOf(["well", "kills once", "kills"], `, marker: ${marker}`));
    const { status, stderr } = await p4loomBeside("run", name, "--out", path("kills"), "--workers", "2");
    expect(existsSync(marker)).toBe(true);
    expect(status).toBe(1);
    expect(stderr).toContain(
      "runs again: schemes.knob.mode: kills once, knob, leaf, seed 1: its worker was ended by SIGKILL",
    );
    expect(stderr).toContain("1 job of the sweep failed: schemes.knob.mode: kills, knob, leaf, seed 1");
    expect(stderr).toMatch(/note: its worker was ended by SIGKILL, twice\nnote: last words of the knob/);
    const modes = JSON.parse(results(path("kills"))).rows.map(
      (row: Record<string, unknown>) => row["schemes.knob.mode"],
    );
    expect(modes).toEqual(["well", "kills once"]);
  });
});

/** Waits until a condition holds. */
async function until(holds: () => boolean, child?: ChildProcess): Promise<void> {
  while (!holds()) {
    if (child !== undefined && child.exitCode !== null) throw new Error("the process ended early");
    await sleep(20);
  }
}

/** Processes of this machine whose command line has a word. */
function processesWith(word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(word);
      } catch {
        return false;
      }
    })
    .map(Number);
}

describe("a sweep that is ended early", () => {
  const start = (name: string, out: string, ...args: string[]) => {
    const child = spawn(process.execPath, [COMMAND, "run", name, "--out", out, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const told: string[] = [];
    child.stderr!.setEncoding("utf8").on("data", (text: string) => told.push(text));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    return { child, ended, told: () => told.join("") };
  };

  it("by Ctrl-C prints what is kept and how to continue; resumed, it gives the same bytes and repeats nothing", async () => {
    const out = path("ctrl-c");
    const { child, ended, told } = start(PLAIN, out, "--workers", "1");
    await until(() => linesOf(out) >= 2, child);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    const kept = linesOf(out);
    expect(told()).toContain(`${kept} of 12 jobs are kept in ${join(out, "points.jsonl")}`);
    expect(told()).toContain("--resume continues");
    expect(existsSync(join(out, "results.json"))).toBe(false);
    const before = readFileSync(join(out, "points.jsonl"), "utf8");
    const resumed = await p4loomBeside("run", PLAIN, "--out", out, "--resume", "--workers", "1");
    expect(resumed.stderr).toContain(`${kept} done already`);
    expect(results(out)).toBe(expected());
    const after = readFileSync(join(out, "points.jsonl"), "utf8");
    expect(after.startsWith(before)).toBe(true);
    expect(linesOf(out)).toBe(12);
  });

  it.skipIf(process.platform !== "linux")(
    "by SIGKILL leaves no worker behind, not even one that hangs, and can be resumed",
    async () => {
      const name = file(
        "orphan.yaml",
        "schemes: [{ scheme: ./knob.mjs }, none]\nsweep: { schemes.knob.mode: [hangs, well] }\n",
      );
      const out = path("orphan");
      const { child, ended } = start(name, out, "--workers", "2");
      await until(() => linesOf(out) >= 2, child);
      expect(processesWith(name).length).toBeGreaterThan(1);
      child.kill("SIGKILL");
      await ended;
      await until(() => processesWith(name).length === 0);
      const resumed = await p4loomBeside("run", name, "--out", out, "--resume", "--job-timeout", "8s");
      expect(resumed.status).toBe(1);
      expect(JSON.parse(results(out)).rows).toHaveLength(3);
    },
  );
});

describe("a disk that is full", () => {
  it("by a limit of the file size: a clear error, whole lines are kept, and --resume continues", () => {
    const out = path("limit");
    expected();
    const { size } = statSync(join(path("expected"), "points.jsonl"));
    const blocks = Math.floor(size / 1024 / 2);
    const command = [process.execPath, COMMAND, "run", PLAIN, "--out", out, "--workers", "1"];
    const limited = spawnSync("bash", ["-c", `ulimit -f ${blocks} && exec "$@"`, "bash", ...command], {
      encoding: "utf8",
      // The first start of the command writes its code cache at its end, beyond the limit too.
      env: { ...process.env, P4LOOM_CACHE: path("no-cache-yet") },
    });
    expect(limited.stderr).toContain("error[P43043]: cannot keep finished points in");
    expect(limited.stderr).toContain("the file is too large");
    expect(limited.status).toBe(1);
    const kept = linesOf(out);
    expect(kept).toBeGreaterThan(0);
    expect(readFileSync(join(out, "points.jsonl"), "utf8").endsWith("\n")).toBe(true);
    expect(p4loom("run", PLAIN, "--out", out, "--resume", "--workers", "1").status).toBe(0);
    expect(results(out)).toBe(expected());
  });

  const canMount = process.platform === "linux" && process.getuid?.() === 0 && mountsTmpfs();

  it.skipIf(!canMount)("a tmpfs without room (skipped where it cannot be mounted: needs root)", () => {
    const disk = path("disk");
    mkdirSync(disk);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=12k", "tmpfs", disk]);
    expect(mounted.status).toBe(0);
    try {
      const out = join(disk, "out");
      const full = p4loom("run", PLAIN, "--out", out, "--workers", "1");
      expect(full.stderr).toMatch(/error\[P430(43|11)\]: cannot .*: no space is left on the disk/);
      expect(full.status).toBe(1);
      const kept = readFileSync(join(out, "points.jsonl"), "utf8");
      expect(kept === "" || kept.endsWith("\n")).toBe(true);
    } finally {
      spawnSync("umount", [disk]);
    }
  });
});

function mountsTmpfs(): boolean {
  const place = mkdtempSync(join(tmpdir(), "p4loom-mount-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "tmpfs", place]);
  if (status === 0) spawnSync("umount", [place]);
  rmSync(place, { recursive: true, force: true });
  return status === 0;
}
