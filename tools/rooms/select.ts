/** Which test files tell, in short time, whether a change of a room is right. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** Files from the project's folder -> what they import, statically or not, from the project itself. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** What is run for a room. */
export interface Selection {
  /** Tests in the folder that mirrors the room. */
  readonly own: readonly string[];
  /** Tests elsewhere that name the room, and tests of the rooms that import it directly: as many as the time allows. */
  readonly users: readonly string[];
  /** Those for which there is no time, the most telling ones first. */
  readonly leftOut: readonly string[];
}

/** Milliseconds of a test file whose time is not known. */
export const USUAL_MS = 100;
/** Milliseconds to load a test file. */
const LOADING_MS = 100;

/** Whether a path is one of some globs, which have `*`, `**` and `{one,other}`. */
export function isOneOf(globs: readonly string[], path: string): boolean {
  return globs.some((glob) => {
    const pattern = glob
      .replaceAll(".", "\\.")
      .replaceAll("**/", "<any>")
      .replaceAll("*", "[^/]*")
      .replaceAll("<any>", "(.*/)?")
      .replace(/\{([^}]*)\}/g, (_, words: string) => `(${words.replaceAll(",", "|")})`);
    return new RegExp(`^${pattern}$`).test(path);
  });
}

/** The imports of all files below `src` and `test`. */
export function readImports(root: string): Imports {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return new Map(
    files.sort().map((file) => [relative(root, file), importsOf(file).map((path) => relative(root, path))]),
  );
}

function importsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)]
    .map((match) => resolve(dirname(file), match[1]!.replace(/\.js$/, ".ts")))
    .filter((path) => existsSync(path));
}

/**
 * The tests of `room`, a folder below `src`. `ms`: times of test files as measured. Users' tests are taken until their
 * times, with those of the room's own, reach `limitMs`: first the tests that import the room by themselves, then those
 * nearest to it by imports, the quickest first.
 */
export function select(
  room: string,
  imports: Imports,
  ms: Readonly<Record<string, number>>,
  limitMs: number,
): Selection {
  const tests = [...imports.keys()].filter((file) => file.endsWith(".test.ts"));
  const own = tests.filter((file) => file.startsWith(`test/${room}/`));
  const near = distances(room, imports);
  const isInside = (file: string) => file.startsWith(`src/${room}/`);
  const importing = [...imports]
    .filter(([file, targets]) => file.startsWith("src/") && !isInside(file) && targets.some(isInside))
    .map(([file]) => file);
  const mirrors = new Set(importing.map((file) => mirrorOf(file, tests)));
  const time = (file: string) => LOADING_MS + (ms[file] ?? USUAL_MS);
  const candidates = tests
    .filter((file) => !own.includes(file))
    .filter((file) => near.get(file) === 1 || (near.has(file) && mirrors.has(mirrorOf(file, tests))))
    .sort((x, y) => near.get(x)! - near.get(y)! || time(x) - time(y));

  const users: string[] = [];
  let left = limitMs - own.reduce((sum, file) => sum + time(file), 0);
  for (const file of candidates) {
    if (time(file) > left) continue;
    left -= time(file);
    users.push(file);
  }
  return { own, users, leftOut: candidates.filter((file) => !users.includes(file)) };
}

/** File -> number of imports on the shortest way to a file of the room. An `index.ts` on the way, which only passes on, is not counted. */
function distances(room: string, imports: Imports): Map<string, number> {
  const importers = new Map<string, string[]>();
  for (const [file, targets] of imports)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  const inside = [...imports.keys()].filter((file) => file.startsWith(`src/${room}/`));
  const distance = new Map(inside.map((file) => [file, 0]));
  let level = inside;
  for (let steps = 1; level.length > 0; steps++) {
    const next: string[] = [];
    const visit = (file: string): void => {
      for (const importer of importers.get(file) ?? []) {
        if (distance.has(importer)) continue;
        const passesOn = importer.endsWith("/index.ts");
        distance.set(importer, passesOn ? steps - 1 : steps);
        if (passesOn) visit(importer);
        else next.push(importer);
      }
    };
    for (const file of level) visit(file);
    level = next;
  }
  return distance;
}

/** The nearest folder above a file of `src` or `test` that has tests, of the form `toolchain/p4`. */
function mirrorOf(file: string, tests: readonly string[]): string {
  let folder = dirname(file).replace(/^(src|test)\//, "");
  while (folder.includes("/") && !tests.some((test) => test.startsWith(`test/${folder}/`)))
    folder = dirname(folder);
  return folder;
}
