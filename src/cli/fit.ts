/** `p4loom fit`: does a program fit RMT, Tofino 1 or Tofino 2? */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isCollection, isPair, isScalar, parseDocument } from "yaml";
import { Diagnostics, fail, type SourceFile, type Span } from "../base/index.js";
import {
  difference,
  differenceText,
  explain,
  explanationText,
  type FitResult,
  fitProgram,
  conclude as judge,
  overBudget,
  parseBudget,
  parseSweep,
  parseTarget,
  placeExactly,
  runSweep,
  sweepText,
  type Target,
  toHtml,
  toJson,
  toSarif,
  toText,
} from "../fit/index.js";
import { compile, type IncludeResolver } from "../p4/index.js";
import { createP4Info, type Program, p4InfoFormatOf, readBmv2, readP4Info } from "../program/index.js";
import { type OutputFile, readSource, readSourceIfThere, writeFiles } from "./files.js";
import { EXIT, printDiagnostics } from "./outcome.js";
import { version } from "./version.js";

export interface FitCommandOptions {
  I: string[];
  D: string[];
  U: string[];
  /** Name of a target that comes with p4loom, or a file. */
  target: string;
  p4info?: string;
  json?: boolean;
  html?: string;
  sarif?: string;
  explain?: boolean;
  /** Seconds for the exact solver; true: the default. */
  exact?: string | true;
  budget?: string;
  /** The older program to compare with. */
  diff?: string;
  sweep?: string;
  jsonDiagnostics?: boolean;
}

const DEFAULT_EXACT_SECONDS = 60;
const MAX_EXACT_SECONDS = 86_400;

/** Exit status 0 when the program is placed (and within budget); 1 when it is not. */
export async function fit(path: string, options: FitCommandOptions): Promise<number> {
  const target = loadTarget(options.target);
  const budget = options.budget === undefined ? [] : parseBudget(options.budget);
  const sweep = options.sweep === undefined ? undefined : parseSweep(options.sweep);
  const input = loadProgram(path, options);
  const sources = (name: string) => input.sources.get(name);

  if (sweep !== undefined) {
    const points = runSweep(input.program, target, sweep, { sources });
    if (options.json) {
      print(
        points.map(({ size, result }) => ({
          size,
          verdict: result.verdict,
          stages: result.stages,
          bounds: result.bounds,
        })),
      );
    } else process.stdout.write(`${sweepText(points)}\n`);
    return EXIT.success;
  }

  let result = fitProgram(input.program, target, { sources });
  if (options.exact !== undefined) result = await improve(result, options.exact);
  printDiagnostics(result.diagnostics, options.jsonDiagnostics);

  if (options.diff !== undefined) {
    const older = loadProgram(options.diff, options);
    const before = fitProgram(older.program, target, { sources: (name) => older.sources.get(name) });
    const changes = difference(before, result);
    if (options.json) print(changes);
    else process.stdout.write(`${differenceText(changes)}\n`);
  } else {
    const explanation = options.explain ? explain(result) : undefined;
    if (options.json) print({ ...toJson(result), ...(explanation === undefined ? {} : { explanation }) });
    else {
      process.stdout.write(`${toText(result)}\n`);
      if (explanation !== undefined) process.stdout.write(`\n${explanationText(result, explanation)}\n`);
    }
  }

  const over = overBudget(result, budget);
  for (const line of over) process.stderr.write(`over budget: ${line}\n`);
  const files: OutputFile[] = [];
  if (options.html !== undefined) {
    files.push({ path: options.html, content: toHtml(result, [...input.sources.values()], explain(result)) });
  }
  if (options.sarif !== undefined) {
    const advice = options.explain ? explain(result).advice : [];
    files.push({
      path: options.sarif,
      content: `${JSON.stringify(toSarif(result, over, advice, version), null, 2)}\n`,
    });
  }
  writeFiles(files);
  return result.verdict === "placed" && over.length === 0 ? EXIT.success : EXIT.wrongInput;
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

async function improve(result: FitResult, seconds: string | true): Promise<FitResult> {
  const limit = seconds === true ? DEFAULT_EXACT_SECONDS : Number(seconds);
  if (!(limit > 0 && limit <= MAX_EXACT_SECONDS)) {
    fail(
      "P40005",
      undefined,
      `--exact ${seconds}: not a number of seconds`,
      `write 1 to ${MAX_EXACT_SECONDS}`,
    );
  }
  const exact = await placeExactly(result.problem, result.placement, { timeLimit: limit });
  process.stderr.write(
    `exact: ${exact.stages} stages, at least ${exact.bound}, gap ${Math.round(100 * exact.gap)} % (${exact.status})\n`,
  );
  return judge(result.problem, exact.placement, result.diagnostics);
}

interface LoadedProgram {
  program: Program;
  /** By the name that the program's JSON has for them. */
  sources: Map<string, SourceFile>;
}

/** P4 source is compiled; a BMv2 JSON is read with its P4Info, which stands beside it or is named. */
function loadProgram(path: string, options: FitCommandOptions): LoadedProgram {
  const file = readSource(path);
  if (path.endsWith(".json")) return loadJson(file, options.p4info);
  const diagnostics = new Diagnostics();
  const sources = new Map([[file.path, file]]);
  const defines: Record<string, string> = {};
  for (const define of options.D) {
    const equals = define.indexOf("=");
    if (equals < 0) defines[define] = "1";
    else defines[define.slice(0, equals)] = define.slice(equals + 1);
  }
  const resolveInclude: IncludeResolver = (name, from, system) => {
    const beside = system ? [] : [dirname(from.path)];
    for (const folder of [...beside, ...options.I]) {
      const found = readSourceIfThere(join(folder, name));
      if (found !== undefined) {
        sources.set(found.path, found);
        return found;
      }
    }
    return undefined;
  };
  const compiled = compile({ file, resolveInclude, defines, undefines: options.U }, diagnostics);
  printDiagnostics(
    diagnostics.list.filter((d) => compiled === undefined || d.severity !== "info"),
    options.jsonDiagnostics,
  );
  if (compiled === undefined) fail("P44002", undefined, `${path} does not compile: nothing to check`);
  return { program: compiled.program, sources };
}

function loadJson(file: SourceFile, named: string | undefined): LoadedProgram {
  const diagnostics = new Diagnostics();
  const bmv2 = readBmv2(file, diagnostics);
  diagnostics.throwIfErrors();
  const stem = file.path.replace(/\.json$/, "");
  const candidates = [".p4info.txtpb", ".p4info.txt", ".p4info.json", ".txtpb"].map(
    (suffix) => stem + suffix,
  );
  const p4infoPath = named ?? candidates.find((name) => existsSync(name));
  if (p4infoPath === undefined) {
    fail(
      "P44004",
      undefined,
      `no P4Info for ${file.path}`,
      `give --p4info FILE, or put it beside: ${candidates[0]}`,
    );
  }
  const sources = new Map<string, SourceFile>();
  const source = bmv2?.program === undefined ? undefined : readSourceIfThere(bmv2.program);
  if (source !== undefined) sources.set(source.path, source);
  return { program: { bmv2: bmv2!, p4info: readP4InfoFile(p4infoPath) }, sources };
}

function readP4InfoFile(path: string): ReturnType<typeof createP4Info> {
  if (p4InfoFormatOf(path) === undefined) {
    fail(
      "P40004",
      undefined,
      `--p4info ${path}: the suffix names no format`,
      "use .txtpb, .txt, .json, .bin or .pb",
    );
  }
  const diagnostics = new Diagnostics();
  const input = p4InfoFormatOf(path) === "binary" ? readFileSync(readSource(path).path) : readSource(path);
  const p4info = readP4Info(input, undefined, diagnostics);
  diagnostics.throwIfErrors();
  return p4info ?? createP4Info();
}

const TARGET_NAME = /^[a-z0-9-]+$/;

/** A target by the name of its file in data/targets, or a file of the user's. */
function loadTarget(name: string): Target {
  const own = fileURLToPath(new URL(`../../data/targets/${name}.yaml`, import.meta.url));
  const file = TARGET_NAME.test(name) && existsSync(own) ? readSource(own) : readSource(name);
  const document = parseDocument(file.text, { prettyErrors: false });
  const [wrong] = document.errors;
  if (wrong !== undefined) {
    fail("P44001", { file, start: wrong.pos[0], end: wrong.pos[1] }, `not YAML: ${wrong.message}`);
  }
  return parseTarget(document.toJS(), (path): Span | undefined => {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      const range =
        isScalar(node) || isCollection(node) || isPair(node)
          ? (node as { range?: number[] }).range
          : undefined;
      if (range !== undefined) return { file, start: range[0]!, end: range[1]! };
    }
    return undefined;
  });
}
