/** What results depend on: the versions of p4loom, of the exercise and of each submission. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { packageFile } from "../../toolchain/loading/index.js";
import { exerciseTexts } from "./exercise-folder.js";

/** What all results of one grading depend on. */
export interface ResultVersions {
  readonly p4loom: string;
  /** Digest of the files that tests read; it differs when a test, a topology or an entry differs. */
  readonly exercise: string;
  readonly engine: string;
}

const DIGITS = 16;

/** A digest of texts by path, of 16 hexadecimal digits (64 bits of SHA-256); the order of the paths does not matter. */
export function digestOf(texts: Iterable<readonly [path: string, text: string]>): string {
  const hash = createHash("sha256");
  for (const entry of [...texts].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${JSON.stringify(entry)}\n`);
  return hash.digest("hex").slice(0, DIGITS);
}

/** @param handsIn paths that a submission contains: the starters at these paths take no part in a grading */
export function versionsOf(folder: string, handsIn: readonly string[], engine: string): ResultVersions {
  const texts = Object.entries(exerciseTexts(folder)).filter(([path]) => !handsIn.includes(path));
  const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
  return { p4loom: version, exercise: digestOf(texts), engine };
}
