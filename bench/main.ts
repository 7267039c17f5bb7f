/**
 * `npm run bench [-- NAME ...]`: runs the benchmarks named (all by default) and prints one JSON object a line:
 * name, unit, value, the rival's figure where one is installed, and the ratio to the last baseline of this
 * machine kind in `bench/baseline.json`. `--save` makes this run the new baseline. `npm run bench -- differential FOLDER`
 * is another program: see `differential.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

/** One measurement as a benchmark reports it; `rival` where another program was measured in the same run. */
export interface Measurement {
  name: string;
  unit: string;
  value: number;
  rival?: { name: string; value: number };
  /** Further results, printed as they are. */
  more?: Readonly<Record<string, string | number>>;
}

export type Benchmark = (report: (measurement: Measurement) => void) => Promise<void>;

const benchmarks: Record<string, () => Promise<{ run: Benchmark }>> = {
  pecmp: () => import("./pecmp.js"),
  "first-tries": () => import("./first-tries.js"),
  localise: () => import("./localise.js"),
  sim: () => import("./sim.js"),
  "fat-tree": () => import("./fat-tree.js"),
  transport: () => import("./transport.js"),
  traffic: () => import("./traffic.js"),
  "transport-kernel": () => import("./transport-kernel.js"),
  "tail-loss-kernel": () => import("./tail-loss-kernel.js"),
  p4te: () => import("./p4te.js"),
  lab: () => import("./lab.js"),
  sweep: () => import("./sweep.js"),
  flow: () => import("./flow.js"),
  growth: () => import("./growth.js"),
  linearity: () => import("./linearity.js"),
  hash: () => import("./hash.js"),
  switch: () => import("./switch.js"),
  tables: () => import("./tables.js"),
  veth: () => import("./veth.js"),
  trace: () => import("./trace.js"),
  p4runtime: () => import("./p4runtime.js"),
  compile: () => import("./compile.js"),
  startup: () => import("./startup.js"),
  editing: () => import("./editing.js"),
  agent: () => import("./agent.js"),
  fit: () => import("./fit.js"),
  testbed: () => import("./testbed.js"),
  clients: () => import("./clients.js"),
  exercises: () => import("./exercises.js"),
  grade: () => import("./grade.js"),
  course: () => import("./course.js"),
  "lab-page": () => import("./lab-page.js"),
  memory: () => import("./memory.js"),
  "fuzz-switch": () => import("./fuzz-switch.js"),
  "fuzz-p4runtime": () => import("./fuzz-p4runtime.js"),
};

const baselinePath = join(import.meta.dirname, "baseline.json");

async function main(args: string[]): Promise<number> {
  if (args[0] === "differential") return (await import("./differential.js")).differential(args.slice(1));
  const save = args.includes("--save");
  const names = args.filter((arg) => !arg.startsWith("--"));
  const unknown = names.filter((name) => benchmarks[name] === undefined);
  if (unknown.length > 0) {
    console.error(`no benchmark ${unknown.join(", ")}; there are: ${Object.keys(benchmarks).join(", ")}`);
    return 2;
  }
  const baseline: Record<string, number> = JSON.parse(readFileSync(baselinePath, "utf8"));
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, node ${process.version}`;
  const round = (value: number) => Number(value.toPrecision(4));
  for (const name of names.length > 0 ? names : Object.keys(benchmarks)) {
    const { run } = await benchmarks[name]!();
    await run((measurement) => {
      const before = baseline[measurement.name];
      const rival = measurement.rival;
      console.log(
        JSON.stringify({
          name: measurement.name,
          unit: measurement.unit,
          value: round(measurement.value),
          rival: rival?.name ?? null,
          rival_value: rival === undefined ? null : round(rival.value),
          ratio: rival === undefined ? null : round(measurement.value / rival.value),
          ...measurement.more,
          baseline_ratio: before === undefined ? null : round(measurement.value / before),
          machine,
        }),
      );
      if (save) baseline[measurement.name] = round(measurement.value);
    });
  }
  if (save) writeFileSync(baselinePath, `${JSON.stringify(baseline, null, 2)}\n`);
  return 0;
}

const status = await main(process.argv.slice(2));
if (status !== 0) process.exitCode = status;
