/**
 * All that the outcome of a job depends on, as text: a continued sweep reuses outcomes whose text is the same. For code and
 * programs of users, it includes their files and those that these import or include by relative paths.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { packageFile } from "../../../toolchain/loading/index.js";
import type { EngineName } from "../experiment.js";
import type { Unit } from "../kinds/kind.js";
import type { SchemeRun } from "../scheme-run.js";

/** Keys of the settings that have no effect inside of a unit, or are in the text separately. */
const ELSEWHERE = new Set(["name", "title", "output", "sweep", "seed", "engine", "schemes", "runs"]);

/** `kindOwn`: the dependencies that the kind reports. */
export function dependenciesOf(
  kind: string,
  settings: object,
  { scheme, name }: Unit,
  kindOwn: unknown,
): string {
  const own = Object.fromEntries(Object.entries(settings).filter(([key]) => !ELSEWHERE.has(key)));
  const unit = { name, ...schemeText(scheme as Partial<SchemeRun> & Unit["scheme"]) };
  return JSON.stringify({ version: version(), kind, settings: own, kindOwn, unit }, bigintAsText);
}

/** A scheme that is planned has programs and perhaps a module; of others the kind reports what outcomes depend on. */
function schemeText({ label, scheme, runs, parameters, plan }: Partial<SchemeRun> & Unit["scheme"]): object {
  if (plan === undefined) return { label };
  const files = [
    ...(plan.place === undefined ? [] : [plan.place.file.path]),
    ...plan.programs.flatMap((program) => (program.own === undefined ? [] : [program.own.file.path])),
  ];
  return { label, scheme, runs, parameters, files: [...closure(files)] };
}

/** The key of a job: SHA-256, in hexadecimal digits, of all that it depends on. */
export function jobKey(
  dependencies: string,
  seed: number,
  p4c: string | undefined,
  engine: EngineName = "sim",
): string {
  const all = [dependencies, seed, p4c ?? "", ...(engine === "sim" ? [] : [engine])];
  return createHash("sha256").update(JSON.stringify(all)).digest("hex");
}

let known: string | undefined;

function version(): string {
  known ??= (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
  return known;
}

/** Relative paths in code of modules, and of P4 programs. */
const REFERENCE =
  /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']|^\s*#\s*include\s*"([^"]+)"/gm;

/** The digest of each of these files and of those that they refer to, in the order in which they are met. */
function closure(paths: readonly string[]): Map<string, string> {
  const digests = new Map<string, string>();
  // The name of a folder has no effect on the outcome.
  const visit = (path: string, name: string) => {
    if (digests.has(name)) return;
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch {
      // A file that does not exist is left out: the reference may be in a comment.
      return;
    }
    digests.set(name, createHash("sha256").update(text).digest("hex"));
    for (const [, imported, included] of text.matchAll(REFERENCE)) {
      const reference = imported ?? included!;
      visit(resolve(dirname(path), reference), `${name} > ${reference}`);
    }
  };
  for (const [i, path] of [...new Set(paths)].entries()) visit(path, String(i));
  return digests;
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
