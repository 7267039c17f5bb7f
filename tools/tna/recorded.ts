/** One record of the open Tofino compiler, from the logs of its run. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SourceFile } from "../../src/base/index.js";
import { loadTarget } from "../../src/cli/targets.js";
import { LOG_NAMES, type LogName, readLogs } from "../../src/toolchain/fit/logs/read.js";
import type { Case } from "./corpus.js";
import type { RecordedTable, Rival } from "./outside.js";

/** How a run ended. */
export interface Ended {
  readonly status: number | "no answer";
  readonly errors: string;
  readonly seconds: number;
}

/** The record of a run whose output is in the folder. */
export function recordOf(one: Case, folder: string, { status, errors, seconds }: Ended): Rival {
  const head = {
    ...{ repo: one.repo, commit: one.commit, path: one.path },
    ...(one.variant === "" ? {} : { variant: one.variant }),
    ...{ class: one.class, target: one.chip },
  };
  if (status === "no answer") return { ...head, result: "timeout", seconds };
  if (status !== 0) {
    const error = errors.split("\n").find((line) => /error:|Compiler Bug|Internal/.test(line)) ?? "";
    return { ...head, result: "error", error, seconds };
  }
  const pipes = readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && existsSync(join(folder, entry.name, "logs", "table_summary.log")),
    )
    .map(({ name }) => ({ name, ...pipeOf(join(folder, name, "logs")) }));
  if (pipes.length === 0) return { ...head, result: "error", error: "no logs", seconds };
  const most = (count: keyof NonNullable<Rival["stages"]>) =>
    Math.max(...pipes.map(({ stages }) => stages[count]));
  const stages = { total: most("total"), ingress: most("ingress"), egress: most("egress") };
  const named = <T extends object>(list: readonly T[], pipe: string): T[] =>
    pipes.length === 1 ? [...list] : list.map((item) => ({ pipe, ...item }));
  return {
    ...{ ...head, result: "placed", stages },
    ...(pipes.length === 1
      ? { phv: pipes[0]!.phv }
      : { pipes: pipes.map((pipe) => ({ name: pipe.name, stages: pipe.stages, phv: pipe.phv })) }),
    tables: pipes.flatMap(({ tables, name }) => named(tables, name)),
    per_stage_resources: pipes.flatMap(({ counts, name }) => named(counts, name)),
    ...{ exceeds_device_stages: stages.total > loadTarget(one.chip).stages, seconds },
  };
}

function pipeOf(logs: string) {
  const summary = readFileSync(join(logs, "table_summary.log"), "utf8");
  const files = new Map<LogName, SourceFile>();
  for (const name of LOG_NAMES) {
    const path = join(logs, name);
    if (existsSync(path)) files.set(name, new SourceFile(name, readFileSync(path, "utf8")));
  }
  const allocations = readdirSync(logs)
    .flatMap((name) => /^phv_allocation_summary_(\d+)\.log$/.exec(name)?.[1] ?? [])
    .sort((a, b) => Number(b) - Number(a));
  return {
    stages: stagesOf(summary),
    tables: tablesOf(summary),
    counts: readLogs(files)
      .stages.map((counts, stage) => ({ stage, ...counts }))
      .filter((counts) => Object.keys(counts).length > 1),
    phv: containersOf(readFileSync(join(logs, `phv_allocation_summary_${allocations[0]}.log`), "utf8")),
  };
}

/** Stages of the last allocation of a `table_summary.log`. */
function stagesOf(text: string): NonNullable<Rival["stages"]> {
  const last = (what: string) =>
    Number(
      [...text.matchAll(new RegExp(`Number of stages ${what}table allocation: (\\d+)`, "g"))].at(-1)?.[1],
    );
  return { total: last("in "), ingress: last("for ingress "), egress: last("for egress ") };
}

/** Containers in use by size, of the totals of a `phv_allocation_summary_N.log`. */
function containersOf(text: string): NonNullable<Rival["phv"]> {
  const used = (size: string) => ({
    containers: Number(new RegExp(`\\| *Usage for ${size} *\\| *(\\d+) `).exec(text)?.[1]),
  });
  return { "8b": used("8b"), "16b": used("16b"), "32b": used("32b") };
}

/** The tables of the last allocation of a `table_summary.log`, each once a stage. */
function tablesOf(text: string): RecordedTable[] {
  const rows = lastRows(text, "Min / Max Stage");
  const detail = lastRows(text, "Logical ID");
  return rows.map((row) => {
    const stage = Number(row["Stage"]);
    const name = row["Table Name"]!;
    const more = detail.find((other) => Number(other["Stage"]) === stage && other["Name"] === name);
    const numbers = {
      key_bits: numberOf(row["Key Size"]),
      entries_requested: numberOf(row["Entries Required"]),
      entries_allocated: numberOf(row["Entries Allocated"]),
      srams: numberOf(row["SRAMs"]),
      map_rams: numberOf(row["MapRAMs"]),
      tcams: numberOf(row["TCAMs"]),
      ways: numberOf(row["Ways"]),
      ixbar_bytes: numberOf(more?.["Ixbar Bytes"]),
      match_bits: numberOf(more?.["Match Bits"]),
      action_data_bytes: numberOf(more?.["Action Data Bytes"]),
    };
    const id = numberOf(more?.["Logical ID"]);
    return {
      ...{ name, stage },
      ...(more === undefined ? {} : { gress: more["Gress"] === "I" ? "ingress" : "egress" }),
      ...(id === undefined ? {} : { logical_id: id % LOGICAL_IDS }),
      ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)),
    } as RecordedTable;
  });
}

/** Logical tables of a stage; the log numbers them over all stages. */
const LOGICAL_IDS = 16;

const numberOf = (cell = ""): number | undefined => (/^-?\d+$/.test(cell) ? Number(cell) : undefined);

/** The rows of the last table of the log whose head has the column, by the names of its columns. */
function lastRows(text: string, column: string): Record<string, string>[] {
  const lines = text.split("\n");
  const cells = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const head = lines.findLastIndex((line) => line.startsWith("|") && cells(line).includes(column));
  if (head < 0) return [];
  const names = cells(lines[head]!);
  const end = lines.findIndex((line, i) => i > head && !/^[|+]/.test(line));
  return lines
    .slice(head + 1, end < 0 ? undefined : end)
    .filter((line) => line.startsWith("|"))
    .map((line) => Object.fromEntries(cells(line).map((cell, i) => [names[i]!, cell])));
}
