/** `p4loom generate`: a scheme's programs and control-plane state for a topology, or what they cost. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError, Diagnostics, fail, SourceFile } from "../base/index.js";
import { loadDocument } from "../documents/index.js";
import { loadTemplates, renderPrograms } from "../generate/index.js";
import { packageFile, readSource, writeFiles } from "../loading/index.js";
import {
  DEFAULT_REPORT,
  type FabricPlan,
  formatReport,
  formatSwitchReport,
  pecmpParameters,
  type ReportOptions,
  type ReportRow,
  reportOf,
  SCHEMES,
  type Scheme,
  schemeNamed,
  table2Report,
  VERSION_BITS,
} from "../schemes/index.js";
import { buildTopology, type Topology, topologySchema } from "../topology/index.js";
import type { GenerateOptions } from "./main.js";
import { EXIT } from "./outcome.js";

const DEFAULT_TOPOLOGY = "examples/topologies/clos.yaml";

export async function generate(name: string, options: GenerateOptions): Promise<number> {
  const scheme = schemeNamed(name);
  if (scheme === undefined) {
    process.stderr.write(
      `p4loom generate: no scheme \`${name}\`; there are ${Object.keys(SCHEMES).join(", ")}\n`,
    );
    return EXIT.wrongUsage;
  }
  const misuse = misuseOf(name, options);
  if (misuse !== undefined) {
    process.stderr.write(`p4loom generate: ${misuse}\n`);
    return EXIT.wrongUsage;
  }
  if (options.report) return report(options);
  const topology = readTopology(options.topology);
  const plan = planFabric(scheme, topology, options);
  const templates = loadTemplates((path) => readFileSync(packageFile(`templates/${path}`), "utf8"));
  const programs = renderPrograms(templates, plan.programs);
  if (options.out === undefined) {
    for (const { text } of programs) process.stdout.write(text);
    return EXIT.success;
  }
  const folder = options.out;
  writeFiles([
    ...programs.map(({ file, text }) => ({ path: join(folder, file), content: text })),
    ...plan.switches.map((own) => ({
      path: join(folder, "state", `${topology.nodes[own.node]!.name}.json`),
      content: stateJson(own.program, own.updates),
    })),
  ]);
  process.stderr.write(
    `${programs.length} programs and the state of ${plan.switches.length} switches in ${folder}\n`,
  );
  return EXIT.success;
}

/** Which two options exclude each other, and why; undefined when the options fit together. */
function misuseOf(name: string, options: GenerateOptions): string | undefined {
  if (options.report) {
    if (name !== "pecmp") return `--report counts what P-ECMP's matrices cost; \`${name}\` has none`;
    return options.out === undefined ? undefined : "--report prints to stdout; -o is for programs";
  }
  if (options.json) return "--json is the form of --report; programs are text";
  if (options.legs || options.versionBit !== undefined) {
    return "--legs and --version-bit count bits of --report; for programs write --set version_bit=...";
  }
  if (options.topology === "table2") return "--topology table2 is for --report; name a topology file";
  return undefined;
}

/** The text of `--set`, which messages quote like a file. */
function settingsFile(options: GenerateOptions): SourceFile {
  const lines = options.set.map((setting) => {
    const equals = setting.indexOf("=");
    if (equals <= 0) fail("P40005", undefined, `--set ${setting}: expected NAME=VALUE`);
    return `${setting.slice(0, equals)}: ${setting.slice(equals + 1)}`;
  });
  return new SourceFile("--set", lines.length > 0 ? lines.join("\n") : "{}");
}

function planFabric(scheme: Scheme, topology: Topology, options: GenerateOptions): FabricPlan {
  const { value, locate } = load(settingsFile(options), scheme.parameters);
  return scheme.plan(topology, value, locate);
}

function load<T>(file: SourceFile, schema: Parameters<typeof loadDocument<T>>[1]) {
  const diagnostics = new Diagnostics();
  const document = loadDocument(file, schema, diagnostics);
  if (document === undefined) throw new DiagnosticError(diagnostics.list);
  return document;
}

function readTopology(path: string | undefined): Topology {
  const file =
    path === undefined
      ? new SourceFile(DEFAULT_TOPOLOGY, readFileSync(packageFile(DEFAULT_TOPOLOGY), "utf8"))
      : readSource(path);
  const { value, locate } = load(file, topologySchema);
  return buildTopology(value, locate);
}

/** Values beyond 2^53 and below are numbers of JSON as long as they are exact, else hexadecimal strings. */
function stateJson(program: string, updates: FabricPlan["switches"][number]["updates"]): string {
  const plain = (_key: string, value: unknown) => {
    if (typeof value !== "bigint") return value;
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : `0x${value.toString(16)}`;
  };
  return `${JSON.stringify({ program: `${program}.p4`, updates }, plain, 2)}\n`;
}

function report(options: GenerateOptions): number {
  const rule = reportOptions(options);
  if (options.topology === "table2") return printReport(table2Report(rule), options);
  const topology = readTopology(options.topology);
  const status = printReport([reportOf(topology.name, topology, rule)], options);
  if (!options.json) process.stdout.write(`\n${formatSwitchReport(topology, rule.control)}\n`);
  return status;
}

/** What `--set` says, over the report's own defaults; `--version-bit` goes before both. */
function reportOptions(options: GenerateOptions): ReportOptions {
  const { value } = load(settingsFile(options), pecmpParameters);
  const isSet = (name: string) => options.set.some((setting) => setting.startsWith(`${name}=`));
  const versionBit = VERSION_BITS.find((rule) => rule === options.versionBit);
  if (options.versionBit !== undefined && versionBit === undefined) {
    fail("P40005", undefined, `--version-bit ${options.versionBit}: expected ${VERSION_BITS.join(", ")}`);
  }
  return {
    versionBit: versionBit ?? (isSet("version_bit") ? value.version_bit : DEFAULT_REPORT.versionBit),
    control: isSet("control") ? value.control : DEFAULT_REPORT.control,
    legs: options.legs ?? DEFAULT_REPORT.legs,
  };
}

function printReport(rows: readonly ReportRow[], options: GenerateOptions): number {
  process.stdout.write(options.json ? `${JSON.stringify({ rows }, null, 2)}\n` : `${formatReport(rows)}\n`);
  return EXIT.success;
}
