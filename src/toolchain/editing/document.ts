/** A P4 program that is open in an editor: its text, and the results of the compiler, computed at the first request. */

import { type Diagnostic, Diagnostics, given, SourceFile } from "../../base/index.js";
import {
  type Analysis,
  analyse,
  type ast,
  type Build,
  buildChecked,
  type IncludeResolver,
  outputOf,
  type PreprocessorWatcher,
} from "../p4/index.js";
import type { Program } from "../program/index.js";
import { type Occurrences, occurrencesOf } from "./occurrences/occurrences.js";
import type { PreprocessorFindings } from "./preprocessor-findings.js";
import { sourceOf } from "./spans.js";

export interface DocumentOptions {
  /** Finds included files; not needed for `core.p4` and `v1model.p4`. */
  readonly resolveInclude?: IncludeResolver;
  /** Macros, as for the options `-D NAME=VALUE` and `-U NAME`. */
  readonly defines?: Readonly<Record<string, string>>;
  readonly undefines?: readonly string[];
  /** As for `--arch` and `--strict`. */
  readonly arch?: string;
  readonly strict?: boolean;
}

/** One state of a program. It is immutable: each change of the text creates a new document. */
export class P4Document {
  readonly file: SourceFile;
  /** The document of the program's main file: this one, or for an included file the one that includes it. */
  readonly root: P4Document;
  #analysed: { analysis: Analysis; list: readonly Diagnostic[]; failed: boolean } | undefined;
  #occurrences: Occurrences | undefined;
  #compiled: { built: Build | undefined; list: readonly Diagnostic[] } | undefined;
  #hardware: { program: Program | undefined } | undefined;
  readonly preprocessor: PreprocessorFindings;

  /** @param included the file and the program that includes it */
  constructor(
    /** The path by which other files include it; spans use the same path. */
    readonly path: string,
    readonly text: string,
    readonly options: DocumentOptions = {},
    included?: { readonly file: SourceFile; readonly root: P4Document },
  ) {
    this.file = included?.file ?? new SourceFile(path, text);
    this.root = included?.root ?? this;
    this.preprocessor = included?.root.preprocessor ?? { macros: [], uses: [], includes: [], skipped: [] };
  }

  /** The checked syntax tree; after an error, the part that could be read. */
  get analysis(): Analysis {
    return this.#analyse().analysis;
  }

  /** The diagnostics of the parser and the checker, which take little time. */
  get quickDiagnostics(): readonly Diagnostic[] {
    return this.#analyse().list;
  }

  get occurrences(): Occurrences {
    if (this.root !== this) return this.root.occurrences;
    this.#occurrences ??= occurrencesOf(this.analysis, this.preprocessor);
    return this.#occurrences;
  }

  /** Whether the text is a whole program, not a file to be included. */
  get isProgram(): boolean {
    return this.analysis.checked.main !== undefined;
  }

  /** All diagnostics of `p4loom compile`. For a file without `main`, those of the parser and the checker. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#compile().list;
  }

  /** The compiled program of v1model, PSA or PNA; undefined after an error, or without `main`. */
  get program(): Program | undefined {
    return this.#compile().built?.output?.program;
  }

  /** The program as a chip gets it, for `fit`; undefined after an error, or without `main`. */
  get hardwareProgram(): Program | undefined {
    if (this.root !== this) return this.root.hardwareProgram;
    if (this.#hardware === undefined) {
      const { built } = this.#compile();
      this.#hardware = { program: built && outputOf(built, new Diagnostics(), "hardware")?.program };
    }
    return this.#hardware.program;
  }

  /** Each file of the program by its path: the text itself and the files that it includes, directly or indirectly. */
  get files(): ReadonlyMap<string, SourceFile> {
    void this.analysis;
    return new Map(
      [this.file, ...this.preprocessor.includes.map(({ file }) => file)].map((file) => [file.path, file]),
    );
  }

  get unit(): ast.SourceUnit {
    return this.analysis.unit;
  }

  #analyse(): { analysis: Analysis; list: readonly Diagnostic[]; failed: boolean } {
    if (this.root !== this) return this.root.#analyse();
    if (this.#analysed === undefined) {
      const diagnostics = new Diagnostics();
      const { macros, uses, includes, skipped } = this.preprocessor;
      const watcher: PreprocessorWatcher = {
        defined: (macro) => macros.push(macro),
        used: (span, macro) =>
          uses.push({ span: { file: sourceOf(span.file), start: span.start, end: span.end }, macro }),
        included: (span, file) => includes.push({ span, file }),
        skipped: (group) => skipped.push({ ...group, file: sourceOf(group.file) }),
      };
      const analysis = analyse(this.file, { ...this.options, watcher }, diagnostics);
      this.#analysed = { analysis, list: diagnostics.list, failed: diagnostics.hasErrors };
    }
    return this.#analysed;
  }

  #compile(): { built: Build | undefined; list: readonly Diagnostic[] } {
    if (this.root !== this) return this.root.#compile();
    if (this.#compiled === undefined) {
      const { analysis, list, failed } = this.#analyse();
      if (failed || !this.isProgram) this.#compiled = { built: undefined, list };
      else {
        const diagnostics = new Diagnostics();
        for (const diagnostic of list) diagnostics.add(diagnostic);
        const { arch, defines } = this.options;
        const built = buildChecked(analysis.unit, this.file, diagnostics, given({ arch, defines }));
        this.#compiled = { built, list: diagnostics.list };
      }
    }
    return this.#compiled;
  }
}

/**
 * Opens a text. Spans contain `path`; `resolveInclude` finds the files that it includes, with paths of the same form.
 */
export function openDocument(path: string, text: string, options: DocumentOptions = {}): P4Document {
  return new P4Document(path, text, options);
}

/** A file that a program includes, as a document of its own; undefined if the program does not read it. */
export function openIncluded(root: P4Document, path: string): P4Document | undefined {
  if (path === root.path) return root;
  const file = root.files.get(path);
  return file === undefined ? undefined : new P4Document(path, file.text, root.options, { file, root });
}
