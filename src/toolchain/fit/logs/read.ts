/**
 * What the real compiler says in its logs of one pipe, by the schemas of its own code (p4c, backends/tofino/compiler_interfaces/schemas;
 * the text log is written by its tools/create_mau_resources.py). Of each document only what is compared is looked at.
 */
import * as z from "zod";
import { fail, given, type SourceFile } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Resource } from "../place/stage.js";

/** The files that are read, by their names below the folder of a pipe's logs. */
export const LOG_NAMES = [
  "resources.json",
  "mau.resources.log",
  "mau.json",
  "context.json",
  "phv.json",
  "metrics.json",
  "power.json",
  "parser.characterize.log",
] as const;
export type LogName = (typeof LOG_NAMES)[number];

/** A table of the real compiler: where it is, and what it takes over all stages. */
interface LoggedTable {
  readonly name: string;
  readonly stages: readonly number[];
  readonly entries: number | undefined;
  readonly srams: number | undefined;
  readonly tcams: number | undefined;
}

/** What the logs say of the parser, the deparser and the cycles of a gress; what no log has is left out. */
export interface LoggedGress {
  readonly rows?: number;
  readonly states?: number;
  readonly longestPath?: number;
  readonly validityBits?: number;
  readonly entries?: number;
  readonly cycles?: number;
  /** The estimate of power in all pipes. */
  readonly watts?: number;
  /** The same of all tables that look up on the worst way, in the smallest access of the chip. */
  readonly weight?: number;
}

export interface CompilerLogs {
  readonly gresses: Readonly<Record<"ingress" | "egress", LoggedGress>>;
  /** By stage; a resource that no log has is left out. */
  readonly stages: readonly Partial<Record<Resource, number>>[];
  readonly tables: readonly LoggedTable[];
  /** Containers in use by `8`, `16`, `32`, those that only parser and deparser see apart. */
  readonly containers:
    | Readonly<Record<"normal" | "tagalong", Readonly<Record<8 | 16 | 32, number>>>>
    | undefined;
}

/** Stages and blocks of no chip; they bound the work on files of others. */
const MAX_STAGE = 999;
const MAX_ITEMS = 100_000;

const used = z.array(z.object({ usages: z.array(z.unknown()) })).max(MAX_ITEMS);
const items = z.array(z.unknown()).max(MAX_ITEMS);
const stageNumber = z.number().int().min(0).max(MAX_STAGE);

const resources = z.object({
  resources: z.object({
    mau: z.object({
      mau_stages: z
        .array(
          z.object({
            stage_number: stageNumber,
            xbar_bytes: z.object({
              bytes: z
                .array(z.object({ byte_type: z.enum(["exact", "ternary"]), usages: z.array(z.unknown()) }))
                .max(MAX_ITEMS),
            }),
            hash_bits: z.object({ bits: used }),
            hash_distribution_units: z.object({ units: used }),
            rams: z.object({ srams: used }),
            map_rams: z.object({ maprams: used }),
            gateways: z.object({ gateways: used }),
            meter_alus: z.object({ meters: used }),
            statistic_alus: z.object({ stats: used }),
            tcams: z.object({ tcams: used }),
            action_bus_bytes: z.object({ bytes: items }),
            vliw: z.object({ instructions: items }),
            logical_tables: z.object({ ids: items }),
          }),
        )
        .max(MAX_STAGE + 1),
    }),
  }),
});

const mau = z.object({
  tables: z
    .array(
      z.object({
        name: z.string(),
        entries_allocated: z.number().optional(),
        stage_allocation: z
          .array(
            z.object({
              stage_number: stageNumber,
              memories: z
                .array(z.object({ memory_type: z.string(), num_memories: z.number().int().nonnegative() }))
                .max(MAX_ITEMS),
            }),
          )
          .max(MAX_ITEMS),
      }),
    )
    .max(MAX_ITEMS),
});

const stageTable = z.object({ stage_number: stageNumber, size: z.number().optional() });
const context = z.object({
  tables: z
    .array(
      z.object({
        name: z.string(),
        table_type: z.string(),
        size: z.number().optional(),
        stage_tables: z.array(stageTable).max(MAX_ITEMS).optional(),
        match_attributes: z
          .object({ stage_tables: z.array(stageTable).max(MAX_ITEMS).optional() })
          .optional(),
      }),
    )
    .max(MAX_ITEMS),
});

const phv = z.object({
  containers: z
    .array(
      z.object({
        bit_width: z.union([z.literal(8), z.literal(16), z.literal(32)]),
        container_type: z.enum(["normal", "tagalong", "mocha", "dark"]),
        slices: items,
      }),
    )
    .max(MAX_ITEMS),
});

const gressRows = z.object({ tcam_rows: z.number().int().nonnegative() });
const gressEntries = z.object({
  pov_bits: z.number().int().nonnegative(),
  fde_entries: z.number().int().nonnegative(),
});
const metrics = z.object({
  parser: z.object({ ingress: gressRows, egress: gressRows }),
  deparser: z.object({ ingress: gressEntries, egress: gressEntries }),
  mau: z.object({
    latency: z.array(z.object({ gress: z.string(), cycles: z.number().int().nonnegative() })).max(MAX_ITEMS),
  }),
});

const ofGress = { gress: z.string(), pipe_number: z.number().int().nonnegative() };
const power = z.object({
  total_latency: z.array(z.object({ ...ofGress, latency: z.number().int().nonnegative() })).max(MAX_ITEMS),
  total_power: z.array(z.object({ ...ofGress, power: z.number().nonnegative() })).max(MAX_ITEMS),
  tables: z
    .array(
      z.object({
        gress: z.string(),
        stages: z
          .array(
            z.object({
              always_runs: z.boolean(),
              on_critical_path: z.boolean(),
              weight: z.number().nonnegative(),
            }),
          )
          .max(MAX_ITEMS),
      }),
    )
    .max(MAX_ITEMS),
});

/** Reads the logs that there are. Fails with P44047 at a file that is not what its name says. */
export function readLogs(files: ReadonlyMap<LogName, SourceFile>): CompilerLogs {
  const read = <T>(name: LogName, schema: z.ZodType<T>): T | undefined => {
    const file = files.get(name);
    return file === undefined ? undefined : parsed(file, schema);
  };
  const exact = read("resources.json", resources);
  const text = files.get("mau.resources.log");
  const stages = exact !== undefined ? stagesOf(exact) : text !== undefined ? stagesOfText(text) : [];
  const placed = read("mau.json", mau);
  const described = read("context.json", context);
  const tables =
    placed !== undefined ? tablesOf(placed) : described !== undefined ? tablesOfContext(described) : [];
  const allocated = read("phv.json", phv);
  const summed = read("metrics.json", metrics);
  const estimated = read("power.json", power);
  const report = files.get("parser.characterize.log");
  const gressOf = (gress: "ingress" | "egress"): LoggedGress => ({
    ...(report === undefined ? {} : characterized(report, gress)),
    ...(estimated === undefined ? {} : timed(estimated, gress)),
    // Its rows are those of the chip: a value set takes several.
    ...(summed === undefined ? {} : measured(summed, gress)),
  });
  return {
    gresses: { ingress: gressOf("ingress"), egress: gressOf("egress") },
    stages,
    tables,
    containers: allocated === undefined ? undefined : containersOf(allocated),
  };
}

function timed(
  { total_latency, total_power, tables }: z.infer<typeof power>,
  gress: "ingress" | "egress",
): LoggedGress {
  const cycles = total_latency.find((one) => one.gress === gress)?.latency;
  const watts = total_power.find((one) => one.gress === gress)?.power;
  const weight = tables
    .filter((one) => one.gress === gress)
    .flatMap(({ stages }) => stages.filter((one) => one.on_critical_path || one.always_runs))
    .reduce((sum, one) => sum + one.weight, 0);
  return given({ cycles, watts, weight });
}

function measured(
  { parser, deparser, mau }: z.infer<typeof metrics>,
  gress: "ingress" | "egress",
): LoggedGress {
  const cycles = mau.latency.find((one) => one.gress === gress)?.cycles;
  return {
    rows: parser[gress].tcam_rows,
    validityBits: deparser[gress].pov_bits,
    entries: deparser[gress].fde_entries,
    ...given({ cycles }),
  };
}

/** The text of the compiler's characterize_parser.h; a program with a parser a port has several parts, of which the first one counts. */
function characterized(file: SourceFile, gress: "ingress" | "egress"): LoggedGress {
  const number = (pattern: RegExp): number | undefined => {
    const found = pattern.exec(file.text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  if (!file.text.includes("Number of states on "))
    wrong(file, "no line that begins with Number of states on");
  const states = number(new RegExp(`Number of states on ${gress}: (\\d{1,9})\\b`));
  const matches = number(new RegExp(`Number of matches on ${gress}: (\\d{1,9})\\b`));
  const longestPath = number(new RegExp(`Longest path \\((\\d{1,9}) states\\) on ${gress}:`));
  return given({ states, longestPath, rows: matches });
}

function parsed<T>(file: SourceFile, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(file.text);
  } catch (error) {
    return wrong(file, (error as Error).message);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  return wrong(file, `${issue?.path.join(".") || "the document"}: ${issue?.message}`);
}

function wrong(file: SourceFile, what: string): never {
  const place = { file, start: 0, end: Math.min(1, file.text.length) };
  return fail(
    CODES.compilerLog,
    place,
    `not a log of the Tofino compiler: ${what}`,
    "name the folder with the logs of one compile, as bf-p4c wrote them",
  );
}

function stagesOf({ resources: { mau } }: z.infer<typeof resources>): Partial<Record<Resource, number>>[] {
  const list: Partial<Record<Resource, number>>[] = [];
  const count = (usages: readonly { usages: readonly unknown[] }[]) =>
    usages.filter((one) => one.usages.length > 0).length;
  for (const stage of mau.mau_stages) {
    const bytes = (kind: string) =>
      count(stage.xbar_bytes.bytes.filter(({ byte_type }) => byte_type === kind));
    list[stage.stage_number] = {
      xbar_bytes_exact: bytes("exact"),
      xbar_bytes_ternary: bytes("ternary"),
      hash_bits: count(stage.hash_bits.bits),
      hash_dist_units: count(stage.hash_distribution_units.units),
      srams: count(stage.rams.srams),
      map_rams: count(stage.map_rams.maprams),
      gateways: count(stage.gateways.gateways),
      meter_alus: count(stage.meter_alus.meters),
      stats_alus: count(stage.statistic_alus.stats),
      tcams: count(stage.tcams.tcams),
      action_bus_bytes: stage.action_bus_bytes.bytes.length,
      vliw_slots: stage.vliw.instructions.length,
      logical_tables: stage.logical_tables.ids.length,
    };
  }
  return Array.from({ length: list.length }, (_, i) => list[i] ?? {});
}

/** Columns of `mau.resources.log`. */
const COLUMNS: Readonly<Record<string, Resource>> = {
  "Exact Match Input xbar": "xbar_bytes_exact",
  "Ternary Match Input xbar": "xbar_bytes_ternary",
  "Hash Bit": "hash_bits",
  "Hash Dist Unit": "hash_dist_units",
  Gateway: "gateways",
  SRAM: "srams",
  "Map RAM": "map_rams",
  TCAM: "tcams",
  "VLIW Instr": "vliw_slots",
  "Meter ALU": "meter_alus",
  "Stats ALU": "stats_alus",
  "Action Data Bus Bytes": "action_bus_bytes",
  "Logical TableID": "logical_tables",
};

/** The first table of the log has amounts, the second one the same in per cent. */
function stagesOfText(file: SourceFile): Partial<Record<Resource, number>>[] {
  const cells = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const lines = file.text.split("\n");
  const head = lines.findIndex((line) => cells(line)[0] === "Stage Number");
  if (head < 0) wrong(file, "no row that begins with Stage Number");
  const names = cells(lines[head]!);
  const list: Partial<Record<Resource, number>>[] = [];
  for (const line of lines.slice(head + 1)) {
    const row = cells(line);
    const stage = Number(row[0] || Number.NaN);
    if (/^[-|+\s]*$/.test(line) && list.length === 0) continue;
    if (!Number.isInteger(stage) || stage < 0 || stage > MAX_STAGE) break;
    const counts: Partial<Record<Resource, number>> = {};
    for (const [at, name] of names.entries()) {
      const resource = COLUMNS[name];
      const value = Number(row[at] || Number.NaN);
      if (resource !== undefined && Number.isInteger(value)) counts[resource] = value;
    }
    list[stage] = counts;
  }
  if (list.length === 0) wrong(file, "no row of a stage");
  return Array.from({ length: list.length }, (_, i) => list[i] ?? {});
}

function tablesOf({ tables }: z.infer<typeof mau>): LoggedTable[] {
  return tables.map(({ name, entries_allocated: entries, stage_allocation: parts }) => {
    const blocks = (type: string) =>
      parts
        .flatMap(({ memories }) => memories)
        .filter(({ memory_type }) => memory_type === type)
        .reduce((sum, { num_memories }) => sum + num_memories, 0);
    const stages = distinct(parts.map(({ stage_number }) => stage_number));
    return { name, stages, entries, srams: blocks("sram"), tcams: blocks("tcam") };
  });
}

function tablesOfContext({ tables }: z.infer<typeof context>): LoggedTable[] {
  return tables
    .filter(({ table_type }) => table_type === "match")
    .map(({ name, size, stage_tables: own, match_attributes: match }) => {
      const stages = distinct(
        [...(own ?? []), ...(match?.stage_tables ?? [])].map((one) => one.stage_number),
      );
      return { name, stages, entries: size, srams: undefined, tcams: undefined };
    });
}

const distinct = (list: readonly number[]): number[] => [...new Set(list)].sort((a, b) => a - b);

function containersOf({ containers }: z.infer<typeof phv>): NonNullable<CompilerLogs["containers"]> {
  const none = () => ({ 8: 0, 16: 0, 32: 0 });
  const counts = { normal: none(), tagalong: none() };
  for (const { bit_width: width, container_type: type, slices } of containers)
    if (slices.length > 0) counts[type === "tagalong" ? "tagalong" : "normal"][width]++;
  return counts;
}
