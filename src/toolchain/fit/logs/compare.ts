/** What the real compiler's logs have beside what fit computes: by stage, by table, and containers. */
import { type Cell, formatTable } from "../../../base/index.js";
import type { FitResult } from "../fit.js";
import { limitsOf, RESOURCE_NAMES, RESOURCES, type Resource } from "../place/stage.js";
import type { CompilerLogs, LoggedGress } from "./read.js";

export interface LogComparison {
  readonly stages: { readonly ours: number; readonly theirs: number };
  /** A row a stage and resource that one of both uses. */
  readonly use: readonly {
    readonly stage: number;
    readonly resource: Resource;
    readonly ours: number;
    readonly theirs: number;
    /** Of the stage, after what the compiler placed; null: the target does not state how much there is. */
    readonly left: number | null;
  }[];
  readonly tables: readonly {
    readonly name: string;
    readonly ours: readonly number[] | null;
    readonly theirs: readonly number[] | null;
    readonly entries: number | null;
    readonly srams: readonly [ours: number, theirs: number | null];
    readonly tcams: readonly [ours: number, theirs: number | null];
  }[];
  readonly containers: readonly { readonly size: number; readonly ours: number; readonly theirs: number }[];
  /** Of parser, deparser and stages of a gress, what a log has; ours is null where fit does not count it. */
  readonly gresses: readonly {
    readonly gress: string;
    readonly measure: string;
    readonly ours: number | null;
    readonly theirs: number;
  }[];
}

/** Measures of a gress in the order in which they are shown. */
const MEASURES: Readonly<Record<keyof LoggedGress, string>> = {
  rows: "parser rows",
  states: "parser states",
  longestPath: "cycles of the parser's longest way",
  entries: "deparser entries",
  validityBits: "validity bits",
  cycles: "cycles of the stages",
  watts: "watts of the stages",
  weight: "accesses of the tables that look up, by weight",
};

/** Compares a result with the logs of the same program and chip. */
export function compareLogs(result: FitResult, logs: CompilerLogs): LogComparison {
  const { placement, phv, target } = result;
  const limits = limitsOf(target);
  const used = logs.stages.findLastIndex((counts) => (counts.logical_tables ?? 0) > 0) + 1;
  const count = Math.max(placement.stages.length, used);
  const use = Array.from({ length: count }, (_, stage) =>
    RESOURCES.flatMap((resource) => {
      const theirs = logs.stages[stage]?.[resource];
      const ours = placement.stages[stage]?.[resource] ?? 0;
      if (theirs === undefined || (ours === 0 && theirs === 0)) return [];
      const limit = limits[resource];
      return [{ stage, resource, ours, theirs, left: limit === null ? null : limit - theirs }];
    }),
  ).flat();
  const sizes = [8, 16, 32] as const;
  const { containers } = logs;
  return {
    stages: { ours: result.stages, theirs: logs.stages.length > 0 ? used : lastStage(logs) },
    use,
    tables: tablesOf(result, logs),
    containers:
      containers === undefined
        ? []
        : sizes.map((size) => ({ size, ours: phv.packed[size].containers, theirs: containers.normal[size] })),
    gresses: (["ingress", "egress"] as const).flatMap((gress) => gressOf(result, logs.gresses[gress], gress)),
  };
}

function gressOf(
  { parde, cycles, power }: FitResult,
  theirs: LoggedGress,
  gress: "ingress" | "egress",
): LogComparison["gresses"] {
  const parser = parde?.parsers.find((one) => one.gress === gress);
  const deparser = parde?.deparsers[gress];
  const spent = power?.gresses.find((one) => one.gress === gress);
  const ours: Readonly<Record<keyof LoggedGress, number | undefined>> = {
    rows: parser?.rows,
    states: parser === undefined ? undefined : parser.states.length + parser.padding.states,
    longestPath: parser?.ways.cycles,
    entries: deparser?.entries,
    validityBits: deparser?.validityBits,
    cycles: cycles?.find((one) => one.gress === gress)?.total,
    watts: spent?.watts,
    weight: spent?.tables.reduce((sum, { runs, weight }) => sum + (runs === "off" ? 0 : weight), 0),
  };
  return (Object.keys(MEASURES) as (keyof LoggedGress)[]).flatMap((name) => {
    const their = theirs[name];
    return their === undefined
      ? []
      : [{ gress, measure: MEASURES[name], ours: ours[name] ?? null, theirs: their }];
  });
}

const lastStage = ({ tables }: CompilerLogs): number =>
  Math.max(0, ...tables.flatMap(({ stages }) => stages.map((stage) => stage + 1)));

/** The match tables of the program, by their names without the pipe; tables that the compiler made are left out. */
function tablesOf({ placement, model, problem }: FitResult, logs: CompilerLogs): LogComparison["tables"] {
  return model.units
    .filter(({ kind }) => kind === "match")
    .map((unit) => {
      const parts = placement.parts.filter((part) => part.unit.id === unit.id);
      const own = [...new Set(parts.map(({ stage }) => stage))].sort((a, b) => a - b);
      const found = logs.tables.find((table) => isSame(table.name, unit.name));
      const shared = (problem.demands[unit.id]?.shared ?? []).reduce((sum, { srams }) => sum + srams, 0);
      const blocks = (kind: "srams" | "tcams") => parts.reduce((sum, { layout }) => sum + layout[kind], 0);
      return {
        name: unit.name,
        ours: own.length === 0 ? null : own,
        theirs: found?.stages ?? null,
        entries: found?.entries ?? null,
        srams: [blocks("srams") + shared, found?.srams ?? null] as const,
        tcams: [blocks("tcams"), found?.tcams ?? null] as const,
      };
    });
}

/** `pipe.Ingress.t` and `Ingress.t` are one table: the pipe's name can stand before either. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.replace(/^\./, ""));
  return a === b || withoutPipe(a!) === b || a === withoutPipe(b!);
}

const withoutPipe = (name: string): string => name.replace(/^[^.]*\./, "");

/** The comparison for a terminal. */
export function logsText({ stages, use, tables, containers, gresses }: LogComparison): string {
  const range = (list: readonly number[] | null): Cell => (list === null ? "-" : list.join(" "));
  const lines = [`stages: ${stages.ours} by fit, ${stages.theirs} by the compiler`];
  if (use.length > 0) {
    const rows = use.map(({ stage, resource, ours, theirs, left }): Cell[] => [
      stage,
      RESOURCE_NAMES[resource],
      ours,
      theirs,
      left,
    ]);
    lines.push("", formatTable(["stage", "resource", "fit", "compiler", "left"], rows));
  }
  if (tables.some(({ theirs }) => theirs !== null)) {
    const rows = tables.map(({ name, ours, theirs, entries, srams, tcams }): Cell[] => [
      name,
      range(ours),
      range(theirs),
      entries,
      srams[0],
      srams[1],
      tcams[0],
      tcams[1],
    ]);
    const head = ["table", "fit", "compiler", "entries", "SRAM", "(compiler)", "TCAM", "(compiler)"];
    lines.push("", formatTable(head, rows));
  }
  for (const { size, ours, theirs } of containers)
    lines.push(`containers of ${size} bits: ${ours} by fit, ${theirs} by the compiler`);
  if (gresses.length > 0) {
    const rows = gresses.map(({ gress, measure, ours, theirs }): Cell[] => [gress, measure, ours, theirs]);
    lines.push("", formatTable(["gress", "", "fit", "compiler"], rows));
  }
  return lines.join("\n");
}
