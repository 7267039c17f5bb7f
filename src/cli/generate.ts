/** `p4loom generate`: a scheme's programs and control-plane state for a topology, or what they cost. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  DiagnosticError,
  Diagnostics,
  defined,
  didYouMean,
  fail,
  type Locate,
  SourceFile,
} from "../base/index.js";
import { compileGenerated } from "../fabric/experiment/index.js";
import { SCHEMES, type Scheme, type SchemeReport, schemeNamed } from "../fabric/schemes/index.js";
import { buildTopology, nodeAt, nodeNamed, type Topology, topologySchema } from "../fabric/topology/index.js";
import { loadDocument } from "../toolchain/documents/index.js";
import { loadTemplates, renderPrograms } from "../toolchain/generate/index.js";
import { packageFile, readMapFile, readSource, textFolder, writeFiles } from "../toolchain/loading/index.js";
import { CODES } from "./codes.js";
import { stateJson, stateText } from "./generate-state.js";
import type { GenerateOptions } from "./options.js";
import { EXIT, wrongUsage } from "./outcome.js";
import { settingsFile } from "./settings-file.js";

const DEFAULT_TOPOLOGY = "examples/topologies/clos.yaml";

/** `further`: what the command line has beyond the options of every scheme. */
export async function generate(
  name: string,
  options: GenerateOptions,
  further: readonly string[],
): Promise<number> {
  const scheme = schemeNamed(name);
  const misuse = scheme === undefined ? noScheme(name) : misuseOf(scheme, options, further);
  if (scheme === undefined || misuse !== undefined) {
    return wrongUsage(misuse!);
  }
  if (options.report && scheme.report !== undefined)
    return report(scheme.name, scheme.report, options, further);
  const topology = readTopology(options.topology);
  const { value, locate } = load(settingsFile(options.set), scheme.parameters);
  if (options.route !== undefined) {
    const { rows, text } = scheme.route!(topology, value, routeNodes(topology, options.route), locate);
    process.stdout.write(options.json ? `${JSON.stringify({ rows }, null, 2)}\n` : `${text}\n`);
    return EXIT.success;
  }
  const plan = scheme.plan(topology, value, locate);
  const templates = loadTemplates(textFolder(packageFile("templates")));
  const programs = renderPrograms(templates, plan.programs);
  if (options.out === undefined) {
    for (const { text } of programs) process.stdout.write(text);
    return EXIT.success;
  }
  const folder = options.out;
  const compiled = new Map(
    programs.map(({ file, text }) => [file, compileGenerated(new SourceFile(file, text))]),
  );
  writeFiles([
    ...programs.map(({ file, text }) => ({ path: join(folder, file), content: text })),
    ...plan.switches.flatMap((own) => {
      const file = join("state", nodeAt(topology, own.node).name);
      const statements = stateText(topology, own, defined(compiled.get(`${own.program}.p4`)), `${file}.txt`);
      return [
        { path: join(folder, `${file}.txt`), content: statements },
        { path: join(folder, `${file}.json`), content: stateJson(topology, own) },
      ];
    }),
  ]);
  process.stderr.write(
    `${programs.length} programs and the state of ${plan.switches.length} switches in ${folder}\n`,
  );
  for (const note of plan.notes ?? []) process.stderr.write(`note: ${note}\n`);
  const controllers = (plan.controllers ?? []).length;
  if (controllers > 0)
    process.stderr.write(
      `not in ${folder}: the control plane that changes this state while it runs (${controllers} programs of ${name}), which \`p4loom run\` starts\n`,
    );
  return EXIT.success;
}

/** For a path of a module the error names the command that runs it. */
function noScheme(name: string): string {
  const names = Object.keys(SCHEMES);
  const there = `there are ${names.join(", ")}`;
  if (!/^\.{0,2}\/|\.[cm]?[jt]s$/.test(name)) {
    const near = didYouMean(name, names, "`");
    return near === "" ? `no scheme \`${name}\`; ${there}` : `no scheme \`${name}\`${near}\nnote: ${there}`;
  }
  const path = /^\.{0,2}\//.test(name) ? name : `./${name}`;
  return (
    `\`${name}\` is the path of a module, and generate knows the schemes of the package only; ${there}\n` +
    `note: a scheme of your own is run by \`p4loom run FILE\`, with schemes: [{ scheme: ${path} }] in the experiment file FILE; ` +
    "the path starts at the folder of FILE"
  );
}

/** Which two options exclude each other, and why; undefined when the options fit together. */
function misuseOf(
  { name, report, route }: Scheme,
  options: GenerateOptions,
  further: readonly string[],
): string | undefined {
  if (options.report && options.route !== undefined) return "--report and --route exclude each other";
  if (options.report) {
    if (report === undefined) return `--report counts what a scheme's tables cost; \`${name}\` has no report`;
    return options.out === undefined ? undefined : "--report prints to stdout; -o is for programs";
  }
  if (options.route !== undefined) {
    if (route === undefined)
      return `--route asks for the selector of a route; \`${name}\` has no selectors that name routes`;
    if (options.out !== undefined) return "--route prints to stdout; -o is for programs";
  } else if (options.json) return "--json is the form of --report; programs are text";
  const [first] = further;
  if (first?.startsWith("--"))
    return `${first} is no option here; a parameter of the scheme is written --set NAME=VALUE, an option of its report needs --report`;
  if (first !== undefined) return `unexpected argument ${first}; a parameter is written --set NAME=VALUE`;
  if (options.topology !== undefined && report?.topologies.includes(options.topology))
    return `--topology ${options.topology} is for --report; name a topology file`;
  return undefined;
}

/** Nodes of `--route A,B,C`. Fails with P40005 for a name that no node has, and where an end is no host. */
function routeNodes(topology: Topology, text: string): number[] {
  const names = text.split(",").map((name) => name.trim());
  const nodes = names.map((name) => {
    const node = nodeNamed(topology, name);
    if (node !== undefined) return node;
    const known = topology.nodes.map((one) => one.name);
    return fail(
      CODES.wrongValue,
      undefined,
      `--route ${text}: no node is called "${name}"${didYouMean(name, known, '"')}`,
    );
  });
  for (const end of [defined(nodes[0]), defined(nodes.at(-1))])
    if (end.role !== "host") {
      const host = end.ports.map(({ peer }) => nodeAt(topology, peer)).find(({ role }) => role === "host");
      fail(
        CODES.wrongValue,
        undefined,
        `--route ${text}: "${end.name}" is a switch; a route begins and ends at a host`,
        ...(host === undefined ? [] : [`a host at this switch is "${host.name}"`]),
      );
    }
  if (nodes.length < 2 || nodes[0] === nodes.at(-1))
    fail(CODES.wrongValue, undefined, `--route ${text}: a route leads from one host to another`);
  return nodes.map(({ index }) => index);
}

function load<T>(
  file: SourceFile,
  schema: Parameters<typeof loadDocument<T>>[1],
): { value: T; locate: Locate } {
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
  return buildTopology(value, locate, ({ map }, of) => readMapFile(map, dirname(file.path), of(["map"])));
}

function report(
  scheme: string,
  own: SchemeReport,
  options: GenerateOptions,
  further: readonly string[],
): number {
  const settings = [...options.set, ...flagSettings(scheme, own, further)];
  const { value } = load(settingsFile(settings), own.options);
  const { rows, text } = own.make(reportSubject(own, options.topology), value);
  process.stdout.write(options.json ? `${JSON.stringify({ rows }, null, 2)}\n` : `${text}\n`);
  return EXIT.success;
}

/** Fails with P40005 for a word that is neither a name that the report knows nor a file. */
function reportSubject({ topologies }: SchemeReport, topology: string | undefined): Topology | string {
  if (topology === undefined) return readTopology(undefined);
  if (topologies.includes(topology)) return topology;
  if (!existsSync(topology))
    fail(
      CODES.wrongValue,
      undefined,
      `--topology ${topology}: the report knows no topology of this name, and there is no such file${didYouMean(topology, topologies, '"')}`,
      `write ${topologies.map((name) => `--topology ${name}`).join(", ")}, or name a topology file (YAML)`,
    );
  return readTopology(topology);
}

/**
 * `--version-bit none --legs` as `version_bit=none`, `legs=true`. Fails with P40005 for a value without a flag and for a flag that
 * is no option of the report, with P43004 for a wrong value.
 */
function flagSettings(scheme: string, own: SchemeReport, further: readonly string[]): string[] {
  const keys = Object.keys(own.options.shape);
  const settings: string[] = [];
  for (let i = 0; i < further.length; i++) {
    const [flag, joined] = splitOnce(defined(further[i]));
    if (!flag.startsWith("--"))
      fail(CODES.wrongValue, undefined, `unexpected argument ${flag}: expected --KEY VALUE`);
    const key = flag.slice(2).replaceAll("-", "_");
    if (!keys.includes(key)) {
      const flags = keys.map((one) => `--${one.replaceAll("_", "-")}`);
      fail(
        CODES.wrongValue,
        undefined,
        `${flag} is no option of the report of ${scheme}${didYouMean(flag, [...flags, ...SHARED_FLAGS], "`")}`,
        `options of the report: ${flags.join(", ")}`,
      );
    }
    const next = further[i + 1];
    const value = joined ?? (next === undefined || next.startsWith("--") ? "true" : defined(further[++i]));
    // Checked alone, so that a message about the value names the option as it was typed.
    load(new SourceFile(flag, `${key}: ${value}`), own.options);
    settings.push(`${key}=${value}`);
  }
  return settings;
}

/** Options of `generate` that go with `--report`. */
const SHARED_FLAGS = ["--set", "--topology", "--json"];

/** `--key=value` in its two parts. */
function splitOnce(argument: string): [flag: string, value: string | undefined] {
  const equals = argument.startsWith("--") ? argument.indexOf("=") : -1;
  return equals < 0 ? [argument, undefined] : [argument.slice(0, equals), argument.slice(equals + 1)];
}
