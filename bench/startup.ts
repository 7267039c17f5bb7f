/**
 * CPU time and wall time of a cold call of each command: the minimum of several calls of the built command. For
 * `compile`, p4c-bm2-ss runs on the same program in turn, if it is on PATH or in P4LOOM_P4C. P4LOOM_PROGRAMS names a
 * folder with further programs, for example a copy of the p4lang tutorials.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { COMMAND } from "../test/built-command.js";
import { P4C } from "../test/parity/bmv2.js";
import type { Benchmark } from "./benchmark.js";

const CALLS = 7;
const PROGRAMS = ["p4/ecmp/tor.p4", "p4/pecmp/tor.p4", "test/golden/l3/l3.p4"];

interface Cost {
  /** User and system time, and wall time, in ms. */
  readonly cpu: number;
  readonly wall: number;
}

/** The shell's `time` reports the CPU of a child, which Node does not. */
function call(command: readonly string[]): Cost {
  const script = 'TIMEFORMAT="%U %S %R"; time "$@" >/dev/null 2>&1';
  const { stderr } = spawnSync("bash", ["-c", script, "bash", ...command], { encoding: "utf8" });
  const [user, system, wall] = stderr.trim().split(/\s+/).map(Number);
  return { cpu: 1000 * (user! + system!), wall: 1000 * wall! };
}

/** The minimum of each command's calls; the commands take turns, so that all see the same load. */
function cheapest(commands: readonly (readonly string[])[]): Cost[] {
  const costs = commands.map((): Cost => ({ cpu: Number.POSITIVE_INFINITY, wall: Number.POSITIVE_INFINITY }));
  for (let round = 0; round < CALLS; round++) {
    for (const [i, command] of commands.entries()) {
      const { cpu, wall } = call(command);
      costs[i] = { cpu: Math.min(costs[i]!.cpu, cpu), wall: Math.min(costs[i]!.wall, wall) };
    }
  }
  return costs;
}

function programsBelow(folder: string | undefined): string[] {
  if (folder === undefined) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".p4"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

export const run: Benchmark = async (report) => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-startup-"));
  const p4loom = (...args: string[]) => [process.execPath, COMMAND, ...args];
  const outputs = (name: string) => {
    const [json, info] = [join(folder, `${name}.json`), join(folder, `${name}.p4info.txtpb`)];
    return ["-o", json, "--p4runtime-files", info];
  };
  try {
    for (const program of [...PROGRAMS, ...programsBelow(process.env["P4LOOM_PROGRAMS"])]) {
      const name = program.split("/").slice(-2).join("/").replace(/\.p4$/, "");
      const ours = p4loom("compile", program, ...outputs("ours"));
      const theirs = P4C === undefined ? [] : [[P4C, "--arch", "v1model", program, ...outputs("theirs")]];
      const [mine, rival] = cheapest([ours, ...theirs]);
      for (const unit of ["cpu", "wall"] as const) {
        const measured = rival === undefined ? {} : { rival: { name: basename(P4C!), value: rival[unit] } };
        report({ name: `startup compile ${name} ${unit}`, unit: "ms", value: mine![unit], ...measured });
      }
    }
    const program = PROGRAMS[0]!;
    const commands: Record<string, string[]> = {
      "--version": p4loom("--version"),
      "--help": p4loom("--help"),
      check: p4loom("check", program),
      fit: p4loom("fit", program),
      stf: p4loom("stf", program, program.replace(/\.p4$/, ".stf")),
      trace: p4loom("trace", program, "--packet", "00".repeat(64)),
      generate: p4loom("generate", "ecmp", "--report", "--topology", "table2"),
      "node alone": [process.execPath, "-e", "0"],
    };
    for (const [i, cost] of cheapest(Object.values(commands)).entries()) {
      const name = Object.keys(commands)[i]!;
      report({ name: `startup ${name} cpu`, unit: "ms", value: cost.cpu });
      report({ name: `startup ${name} wall`, unit: "ms", value: cost.wall });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
