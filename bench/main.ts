/**
 * `npm run bench [-- NAME ...]`: runs the benchmarks named (all by default) and prints one JSON object a line:
 * name, unit, value, the rival's figure where one is installed, and the ratio to the last baseline of this
 * machine kind in `bench/baseline.json`. `--save` makes this run the new baseline. `npm run bench -- differential FOLDER`
 * is another program: see `differential.ts`.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Benchmark } from "./benchmark.js";

const benchmarks: Record<string, () => Promise<{ run: Benchmark }>> = {
  pecmp: () => import("./fabric/pecmp.js"),
  "first-tries": () => import("./fabric/first-tries.js"),
  localise: () => import("./fabric/localise.js"),
  sim: () => import("./fabric/sim.js"),
  "fat-tree": () => import("./fabric/fat-tree.js"),
  transport: () => import("./fabric/transport.js"),
  traffic: () => import("./fabric/traffic.js"),
  "transport-kernel": () => import("./fabric/transport-kernel.js"),
  "tail-loss-kernel": () => import("./fabric/tail-loss-kernel.js"),
  p4te: () => import("./fabric/p4te.js"),
  lab: () => import("./course/lab.js"),
  sweep: () => import("./fabric/sweep.js"),
  flow: () => import("./fabric/flow.js"),
  growth: () => import("./toolchain/growth.js"),
  linearity: () => import("./fabric/linearity.js"),
  hash: () => import("./toolchain/hash.js"),
  switch: () => import("./toolchain/switch.js"),
  tables: () => import("./toolchain/tables.js"),
  veth: () => import("./toolchain/veth.js"),
  trace: () => import("./toolchain/trace.js"),
  p4runtime: () => import("./toolchain/p4runtime.js"),
  compile: () => import("./toolchain/compile.js"),
  tna: () => import("./toolchain/tna.js"),
  tofino: () => import("./toolchain/tofino.js"),
  startup: () => import("./startup.js"),
  editing: () => import("./toolchain/editing.js"),
  agent: () => import("./fabric/agent.js"),
  fit: () => import("./toolchain/fit.js"),
  testbed: () => import("./fabric/testbed.js"),
  clients: () => import("./toolchain/clients.js"),
  exercises: () => import("./course/exercises.js"),
  grade: () => import("./course/grade.js"),
  "grade-beside": () => import("./course/beside.js"),
  course: () => import("./course/course.js"),
  "lab-page": () => import("./course/lab-page.js"),
  room: () => import("./course/room.js"),
  memory: () => import("./toolchain/memory.js"),
  "fuzz-switch": () => import("./toolchain/fuzz-switch.js"),
  "fuzz-pipelines": () => import("./toolchain/fuzz-pipelines.js"),
  "fuzz-p4runtime": () => import("./toolchain/fuzz-p4runtime.js"),
  "fuzz-http2": () => import("./toolchain/fuzz-http2.js"),
};

const baselinePath = join(import.meta.dirname, "baseline.json");

async function main(args: string[]): Promise<number> {
  if (args[0] === "differential")
    return (await import("./toolchain/differential.js")).differential(args.slice(1));
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
