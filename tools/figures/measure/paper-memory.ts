/**
 * What the tables and memories of our programs take on chips, at the sizes that a paper counts, as JSON: `dahu`, `pecmp`, `hashing` or `repac`.
 *
 *     npx tsx tools/figures/measure/paper-memory.ts PAPER
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { dahuProgram } from "../../../src/fabric/schemes/dahu/program.js";
import { chipFunction, statementsOf } from "../../../src/fabric/schemes/hashing/functions.js";
import { hashingProgram } from "../../../src/fabric/schemes/hashing/index.js";
import { pecmpProgram } from "../../../src/fabric/schemes/pecmp/program.js";
import { repacProgram } from "../../../src/fabric/schemes/repac/program.js";
import { type FitResult, fitProgram, type Target, targetSchema } from "../../../src/toolchain/fit/index.js";
import { loadTemplates, type ProgramPlan, renderProgram } from "../../../src/toolchain/generate/index.js";
import { packageFile, textFolder } from "../../../src/toolchain/loading/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";

const HASH = { algorithm: "crc16", order: "forward" } as const;
const FUNCTION = "rtag7/crc16-bisync";
const templates = loadTemplates(textFolder(packageFile("templates")));
const TARGETS = ["rmt", "tofino"].map(
  (name): Target =>
    targetSchema.parse(
      parse(readFileSync(join(import.meta.dirname, "../../../data/targets", `${name}.yaml`), "utf8")),
    ),
);

function compiled(plan: ProgramPlan): Program {
  const diagnostics = new Diagnostics();
  const file = new SourceFile(`${plan.name}.p4`, renderProgram(templates, plan));
  const result = compile({ file }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

/** Blocks of the match table and of the memories whose name ends so; what the placement split counts by its parts. */
function blocksOf({ model, problem, placement }: FitResult, name: string) {
  const isCalled = (full: string | undefined) => full === name || full?.endsWith(`.${name}`) === true;
  const memories = new Map<string, number>();
  for (const { shared } of problem.demands)
    for (const one of shared) if (isCalled(one.name)) memories.set(one.name, one.srams);
  const units = new Set(model.units.filter(({ table }) => isCalled(table)).map(({ id }) => id));
  const parts = placement.parts.filter(({ unit, spill }) => units.has(unit.id) && spill === undefined);
  const sum = (values: Iterable<number>) => [...values].reduce((total, one) => total + one, 0);
  return {
    srams: sum(memories.values()) + sum(parts.map(({ layout }) => layout.srams)),
    tcams: sum(parts.map(({ layout }) => layout.tcams)),
  };
}

/** The program on both targets, with the blocks of the named tables and memories. */
function rows(what: string, plan: ProgramPlan, names: readonly string[]) {
  const program = compiled(plan);
  return TARGETS.map((target) => {
    const result = fitProgram(program, target);
    return {
      what,
      role: plan.name,
      target: target.name,
      verdict: result.verdict,
      stages: result.stages,
      of: target.stages,
      block_bits: target.sram.depth * target.sram.width,
      memories: names.map((name) => ({ name, ...blocksOf(result, name) })),
    };
  });
}

/** Section 5 of the paper: 64 groups of 1,024 virtual ports, 16,384 prefixes with two bitmaps each. */
function dahu() {
  const PREFIXES = 16_384;
  return ([128, 64] as const).flatMap((ports) => {
    const plan = dahuProgram("switch", {
      role: "switch",
      ports,
      groups: 64,
      virtualPortBits: 10,
      field: "dscp",
      unit: "bytes",
      sizes: { routes: PREFIXES, destinations: PREFIXES },
    });
    return rows(`${ports} ports`, plan, ["virtual_ports", "group_traffic", "destinations"]);
  });
}

/** Groups and their members in all, of one direction: topology #12 by figure 6a of the paper, and all that a Trident 5 has (section 2.3). */
function pecmp() {
  const PODS = 128;
  const sizes = [
    ["ToR of #12, 16 groups of 8", 16, 16 * 8],
    ["leaf of #12, 128 groups of 64", 128, 128 * 64],
    [`spine of ${PODS} pods, ${16 * (PODS - 1)} groups of 8`, 16 * (PODS - 1), 16 * (PODS - 1) * 8],
    ["all groups of a Trident 5, 8192 with 65536 members", 8192, 65_536],
  ] as const;
  return sizes.flatMap(([what, groups, members]) => {
    const plan = pecmpProgram("tor", "pecmp/tor", {
      field: "flow_label",
      up: { slice: { low: 0, width: 4 }, hash: HASH, groups, members },
      sizes: { routes: 256, selectorRows: 16 },
    });
    return rows(what, plan, ["up_matrix", "up_members"]);
  });
}

/** 64 groups of 8 ports with so many slots (section 4.2: memory grows by q/m). */
function hashing() {
  const GROUPS = 64;
  return [8, 9, 17, 33, 57, 73].flatMap((slots) => {
    const plan = hashingProgram("leaf", {
      role: "leaf",
      functions: [{ name: FUNCTION, statements: statementsOf(chipFunction(FUNCTION)) }],
      classed: false,
      sources: 0,
      routes: 256,
      groups: GROUPS,
      members: GROUPS * slots,
    });
    return rows(String(slots), plan, ["groups", "group_members"]);
  });
}

/** Eight buckets of a set of next hops; up to 64 sets. */
function repac() {
  return [1, 8, 64].flatMap((sets) => {
    const way = { hash: HASH, groups: 8 * sets, members: 16 * sets };
    const plan = repacProgram("leaf", { role: "leaf", bucketBits: 3, up: way, routes: 256 });
    return rows(String(sets), plan, ["up_buckets", "up_members"]);
  });
}

const MEASURES: Readonly<Record<string, () => unknown>> = { dahu, pecmp, hashing, repac };
console.log(JSON.stringify(MEASURES[process.argv[2] ?? ""]!()));
