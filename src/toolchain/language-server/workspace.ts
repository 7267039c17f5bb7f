/** The texts that are open in an editor, the files of the workspace, and the program that a file belongs to. */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Diagnostic, defined, given, SourceFile } from "../../base/index.js";
import { openDocument, openIncluded, type P4Document } from "../editing/index.js";
import {
  type CompileSettings,
  type EditedProject,
  macrosOf,
  type ProjectReader,
  readSourceIfThere,
} from "../loading/index.js";

/** Maximum length of a text that is analysed, in UTF-16 code units. */
export const MAX_TEXT = 2 * 1024 * 1024;
/** Maximum number of files of the workspace that are searched for programs that include a file. */
const MAX_FILES = 2000;
const MAX_DEPTH = 12;
/** Time after which the list of files is read again, in ms. */
const LIST_MS = 5000;

interface OpenText {
  readonly text: string;
  readonly version: number;
}

export class Workspace {
  folders: readonly string[] = [];
  settings: CompileSettings = { include: [], define: [] };
  readonly #open = new Map<string, OpenText>();
  readonly #read = new Map<string, { file: SourceFile; stamp: string }>();
  readonly #documents = new Map<string, { document: P4Document; project: EditedProject }>();
  #listed: { at: number; paths: readonly string[] } | undefined;

  constructor(readonly project: ProjectReader) {}

  /** Sets the text of the editor, and deletes the results of programs that may read it. */
  set(path: string, text: string, version: number): void {
    this.#open.set(path, { text, version });
    this.#documents.clear();
  }

  close(path: string): void {
    this.#open.delete(path);
    this.#documents.clear();
  }

  /** To be called when files on disk or settings have changed. */
  refresh(): void {
    this.#documents.clear();
    this.#listed = undefined;
  }

  get openPaths(): readonly string[] {
    return [...this.#open.keys()];
  }

  textOf(path: string): string | undefined {
    return this.#open.get(path)?.text;
  }

  /**
   * The document of an open text: if it is not a program, it is analysed as part of the first program of the workspace that
   * includes it, if there is one. Undefined if the text is not open or too long.
   */
  document(path: string): P4Document | undefined {
    const own = this.#program(path);
    if (own === undefined || own.isProgram || own.text.length > MAX_TEXT) return own;
    for (const root of this.programsWith(path)) {
      const included = openIncluded(root, path);
      if (included !== undefined) return included;
    }
    return own;
  }

  /** The programs of the workspace that include a file. */
  programsWith(path: string): P4Document[] {
    const wanted = new Set([basename(path)]);
    const texts = this.#files().map((file) => [file, this.#textAt(file)] as const);
    // Files that include the file, files that include those, and so on.
    const found = new Set<string>();
    for (let grown = true; grown; ) {
      grown = false;
      for (const [file, text] of texts) {
        if (found.has(file) || text === undefined) continue;
        const names = [...text.matchAll(/^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)/gm)].map((match) =>
          basename(defined(match[1])),
        );
        if (!names.some((name) => wanted.has(name))) continue;
        found.add(file);
        wanted.add(basename(file));
        grown = true;
      }
    }
    return [...found].flatMap((file) => {
      const program = this.#program(file);
      return program?.isProgram && program.files.has(path) ? [program] : [];
    });
  }

  /** The project files of the open texts, by path, with what is wrong with each. */
  get projects(): ReadonlyMap<string, readonly Diagnostic[]> {
    const found = new Map<string, readonly Diagnostic[]>();
    for (const open of this.#open.keys()) {
      const { path, diagnostics } = this.project(open, this.settings);
      if (path !== undefined) found.set(path, diagnostics);
    }
    return found;
  }

  #program(path: string): P4Document | undefined {
    const project = this.project(path, this.settings);
    const known = this.#documents.get(path);
    if (known?.project === project) return known.document;
    const text = this.#textAt(path);
    if (text === undefined || text.length > MAX_TEXT) return undefined;
    const { include, define, undefine = [], arch, strict } = project.settings;
    const document = openDocument(path, text, {
      defines: macrosOf(define),
      undefines: undefine,
      ...given({ arch, strict }),
      resolveInclude: (name, from, system) => {
        const beside = system ? [] : [dirname(from.path)];
        for (const folder of [...beside, ...include, ...(system ? [] : this.folders)]) {
          const found = this.#file(resolve(folder, name));
          if (found !== undefined) return found;
        }
        return undefined;
      },
    });
    this.#documents.set(path, { document, project });
    return document;
  }

  #textAt(path: string): string | undefined {
    return this.#open.get(path)?.text ?? this.#file(path)?.text;
  }

  /** A file with the text of the editor, or otherwise of the disk; the same object until it changes. */
  #file(path: string): SourceFile | undefined {
    const open = this.#open.get(path);
    const stamp = open === undefined ? stampOf(path) : `open ${open.version}`;
    if (stamp === undefined) return undefined;
    const known = this.#read.get(path);
    if (known?.stamp === stamp) return known.file;
    const file = open === undefined ? readSourceIfThere(path) : new SourceFile(path, open.text);
    if (file === undefined || file.text.length > MAX_TEXT) return undefined;
    this.#read.set(path, { file, stamp });
    return file;
  }

  #files(): readonly string[] {
    const now = Date.now();
    if (this.#listed === undefined || now - this.#listed.at > LIST_MS) {
      const paths: string[] = [];
      for (const folder of this.folders) listFiles(folder, 0, paths);
      this.#listed = { at: now, paths };
    }
    return [...new Set([...this.openPaths, ...this.#listed.paths])];
  }
}

/** A value that changes with the file; undefined if there is no such file. */
function stampOf(path: string): string | undefined {
  try {
    const { mtimeMs, size } = statSync(path);
    return `${mtimeMs} ${size}`;
  } catch {
    return undefined;
  }
}

function listFiles(folder: string, depth: number, paths: string[]): void {
  if (depth > MAX_DEPTH) return;
  let entries: ReturnType<typeof entriesOf>;
  try {
    entries = entriesOf(folder);
  } catch {
    // Folders that cannot be read are skipped.
    return;
  }
  for (const entry of entries) {
    if (paths.length >= MAX_FILES) return;
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) listFiles(path, depth + 1, paths);
    else if (entry.isFile() && /\.(p4|p4i|h|inc)$/.test(entry.name)) paths.push(path);
  }
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}
