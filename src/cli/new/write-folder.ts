/** A new folder in the current one: all of its files or none. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { defined, fail } from "../../base/index.js";
import { type OutputFile, packageFile, writeFiles } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { EXIT } from "../outcome.js";

const NAME = /^[a-z][a-z0-9-]*$/;

/**
 * Writes files, whose paths are in it, to `NAME/` in the current folder. Fails with P40005 for a name that is none, and with P40003 where
 * something has the name of the folder already.
 */
export function writeNewFolder(name: string, files: () => readonly OutputFile[]): void {
  if (!NAME.test(name))
    fail(
      CODES.wrongValue,
      undefined,
      `${name}: expected lower-case letters, digits and dashes, a letter first`,
    );
  if (existsSync(name) && !(statSync(name).isDirectory() && readdirSync(name).length === 0))
    fail(CODES.cannotWrite, undefined, `cannot write ${name}: it exists; nothing is overwritten`);
  writeFiles(files().map(({ path, content }) => ({ path: join(name, path), content })));
}

/** The files of a folder of `data/`, with `NAME` in paths and texts replaced. */
export function templates(folder: string, name: string): { path: string; content: string }[] {
  const root = fileURLToPath(packageFile(folder));
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({
      path: relative(root, path).split(sep).join("/").replaceAll("NAME", name),
      content: readFileSync(path, "utf8").replaceAll("NAME", name),
    }));
}

interface NewOfKind {
  readonly what: "scheme" | "experiment";
  readonly name: string;
  readonly kind: string | undefined;
  /** The default first. */
  readonly kinds: readonly string[];
  /** Folders of `data/new-WHAT` whose files it gets. */
  folders(kind: string): readonly string[];
}

/** Writes a folder with an experiment that runs and its test. Fails with P40005 for another kind, and with the errors of {@link writeNewFolder}. */
export function writeOfKind({ what, name, kind, kinds, folders }: NewOfKind): number {
  const own = kind ?? defined(kinds[0]);
  if (!kinds.includes(own))
    fail(CODES.wrongValue, undefined, `--kind ${own}: expected ${kinds.join(" or ")} for a new ${what}`);
  const files = ["data/new-results", ...folders(own).map((folder) => `data/new-${what}/${folder}`)]
    .flatMap((folder) => templates(folder, name))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  writeNewFolder(name, () => files);
  process.stderr.write(
    `${name}/ has ${files.map(({ path }) => path).join(", ")}; try: p4loom run ${name}/experiment.yaml\n`,
  );
  return EXIT.success;
}
