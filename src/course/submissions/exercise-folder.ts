/** Reads an exercise's folder as texts, for processes that cannot read files. */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Diagnostics, fail } from "../../base/index.js";
import { diskFiles, packageFile } from "../../toolchain/loading/index.js";
import { type Exercise, readExercise, SOLUTION_FOLDER, TEACHER_FOLDERS } from "../exercises/index.js";
import { CODES } from "./codes.js";

/** Folders that no test needs. */
const LEFT_OUT = new Set([SOLUTION_FOLDER, "build", "logs", "pcaps", "node_modules"]);
const MAX_FILE_BYTES = 4 << 20;
/** Extensions of the files that tests read. */
const READ = /\.(p4|json|ya?ml|stf|txt|m?js|py)$/;

/** Reads and checks an exercise. Throws its diagnostics; warnings are added to `diagnostics`. */
export function openExerciseFolder(folder: string, diagnostics: Diagnostics): Exercise {
  const exercise = readExercise(diskFiles, folder, diagnostics);
  diagnostics.throwIfErrors();
  for (const { what } of exercise!.tests) {
    if (what.kind !== "fit" || typeof what.target !== "string" || what.target in targetTexts()) continue;
    const names = Object.keys(targetTexts()).join(", ");
    fail(
      CODES.unknownTarget,
      undefined,
      `${folder}: there is no fit target ${what.target}`,
      `targets: ${names}`,
    );
  }
  return exercise!;
}

/** Texts of the files of an exercise by their paths in its folder, without its solution. */
export function exerciseTexts(folder: string): Record<string, string> {
  const texts: Record<string, string> = {};
  const walk = (path: string): void => {
    for (const name of readdirSync(join(folder, path)).sort()) {
      const inside = path === "" ? name : `${path}/${name}`;
      const kind = lstatSync(join(folder, inside));
      if (kind.isDirectory() && !LEFT_OUT.has(name) && !name.startsWith(".")) walk(inside);
      else if (kind.isFile() && READ.test(name) && kind.size <= MAX_FILE_BYTES)
        texts[inside] = readFileSync(join(folder, inside), "utf8");
    }
  };
  walk("");
  return texts;
}

/** Folders that tools write, and those of the teacher. */
const NOT_FOR_STUDENTS = new Set<string>([...TEACHER_FOLDERS, ...LEFT_OUT]);

/** The files of an exercise's folder that students get: all but solutions, hidden tests and what tools write. Links are left out. */
export function studentFiles(folder: string): { path: string; content: Uint8Array }[] {
  const walk = (path: string): { path: string; content: Uint8Array }[] =>
    readdirSync(join(folder, path))
      .sort()
      .flatMap((name) => {
        const inside = path === "" ? name : `${path}/${name}`;
        const kind = lstatSync(join(folder, inside));
        if (name.startsWith(".") || (kind.isDirectory() && NOT_FOR_STUDENTS.has(name))) return [];
        if (kind.isDirectory()) return walk(inside);
        return kind.isFile() ? [{ path: inside, content: readFileSync(join(folder, inside)) }] : [];
      });
  return walk("");
}

let targets: Record<string, string> | undefined;

/** Texts of p4loom's own fit targets, by name. */
export function targetTexts(): Record<string, string> {
  if (targets === undefined) {
    const folder = fileURLToPath(packageFile("data/targets"));
    const names = readdirSync(folder)
      .filter((name) => name.endsWith(".yaml"))
      .sort();
    targets = Object.fromEntries(
      names.map((name) => [basename(name, ".yaml"), readFileSync(join(folder, name), "utf8")]),
    );
  }
  return targets;
}
