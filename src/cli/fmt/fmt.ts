/** `p4loom fmt`: formats P4 programs. */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics, defined, fail, SourceFile } from "../../base/index.js";
import { format } from "../../toolchain/formatting/index.js";
import { readBytes, writeFiles } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { EXIT, printDiagnostics } from "../outcome.js";
import type { FmtArguments } from "./fmt-options.js";

const STDIN = 0;

/**
 * Formats files. Exit status 0 when all could be formatted and, with `--check`, none would change; else 1. With `--write`
 * all files are written or none.
 */
export async function fmt(paths: readonly string[], options: FmtArguments): Promise<number> {
  if (options.stdin && paths.length > 0)
    fail(
      CODES.wrongValue,
      undefined,
      `--stdin reads no files, ${paths[0]} is given`,
      "leave one of them out",
    );
  if (!options.stdin && paths.length === 0)
    fail(CODES.wrongValue, undefined, "there is nothing to format", "give files or folders, or --stdin");
  const diagnostics = new Diagnostics();
  const files = options.stdin
    ? [sourceOf("<stdin>", readFileSync(STDIN))]
    : paths.flatMap(sourcePaths).map((path) => sourceOf(path, readBytes(path)));
  const results = files.map((file) => ({ file, text: format(file, diagnostics) }));
  printDiagnostics(diagnostics.list);
  const changed = results.filter(({ file, text }) => text !== undefined && text !== file.text);
  if (options.check) for (const { file } of changed) process.stdout.write(`${file.path}\n`);
  else if (options.write) {
    if (diagnostics.hasErrors) return EXIT.wrongInput;
    // A symbolic link stays one: the file that it leads to is written.
    writeFiles(changed.map(({ file, text }) => ({ path: realpathSync(file.path), content: defined(text) })));
    for (const { file } of changed) process.stderr.write(`formatted ${file.path}\n`);
  } else for (const { text } of results) process.stdout.write(text ?? "");
  return diagnostics.hasErrors || (options.check && changed.length > 0) ? EXIT.wrongInput : EXIT.success;
}

/** The P4 files of a path: the file itself, or those in the folder, by name. */
function sourcePaths(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const found = readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return found.flatMap((entry) => {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) return sourcePaths(inner);
    return entry.isFile() && entry.name.endsWith(".p4") ? [inner] : [];
  });
}

/** Text that is not UTF-8 would not survive being written again. */
function sourceOf(path: string, bytes: Uint8Array): SourceFile {
  try {
    return new SourceFile(path, new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return fail(
      CODES.notUtf8,
      undefined,
      `${path} is not UTF-8 text`,
      "convert it first, for example with iconv",
    );
  }
}
