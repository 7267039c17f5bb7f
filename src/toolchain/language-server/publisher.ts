/** Sends diagnostics to the editor: those of parser and checker at once, those of a whole compilation after a pause in typing. */

import type { CancellationToken, Connection, Diagnostic as LspDiagnostic } from "vscode-languageserver";
import { DiagnosticSeverity } from "vscode-languageserver";
import type { Diagnostic } from "../../base/index.js";
import { given } from "../../base/index.js";
import { CODES } from "./codes.js";
import { diagnosticOf, uriOf } from "./convert.js";
import { MAX_TEXT, type Workspace } from "./workspace.js";

/** Time without changes after which whole programs are compiled, in ms. */
const IDLE_MS = 400;

export class Publisher {
  #pending = new Set<string>();
  #versions = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #lastChange = 0;
  /** The project files with diagnostics in the editor. */
  #wrongProjects = new Set<string>();
  /** By path: the diagnostics that only a whole compilation finds, from the last one. */
  readonly #later = new Map<string, readonly LspDiagnostic[]>();

  constructor(
    readonly connection: Connection,
    readonly workspace: Workspace,
  ) {}

  changed(path: string, version: number): void {
    this.#versions.set(path, version);
    // The change may have moved the places of the last compilation's diagnostics.
    this.#later.delete(path);
    this.#schedule([path]);
  }

  closed(path: string): void {
    this.#versions.delete(path);
    this.#later.delete(path);
    this.#pending.delete(path);
    void this.connection.sendDiagnostics({ uri: uriOf(path), diagnostics: [] });
  }

  allChanged(): void {
    this.#schedule(this.workspace.openPaths);
  }

  /** Resolves when no text has changed for {@link IDLE_MS}, or the request is cancelled. */
  async idle(token: CancellationToken): Promise<void> {
    while (!token.isCancellationRequested) {
      const left = this.#lastChange + IDLE_MS - Date.now();
      if (left <= 0) return;
      await new Promise((resolve) => setTimeout(resolve, left));
    }
  }

  #schedule(paths: readonly string[]): void {
    for (const path of paths) this.#pending.add(path);
    this.#lastChange = Date.now();
    // Several changes in one read of the input are handled together.
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      for (const one of this.#pending) this.#publish(one, false);
    });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A change of one file changes all programs that include it.
      for (const path of this.workspace.openPaths) this.#publish(path, true);
      this.#publishProjects();
      this.#pending.clear();
    }, IDLE_MS);
    this.#timer.unref();
  }

  /** Project files are sent although they are not open: the editor lists them, and they explain what is missing in programs. */
  #publishProjects(): void {
    const projects = this.workspace.projects;
    const wrong = new Set([...projects].filter(([, list]) => list.length > 0).map(([path]) => path));
    for (const path of new Set([...wrong, ...this.#wrongProjects])) {
      const diagnostics = inFile(projects.get(path) ?? [], path);
      void this.connection.sendDiagnostics({ uri: uriOf(path), diagnostics });
    }
    this.#wrongProjects = wrong;
  }

  #publish(path: string, whole: boolean): void {
    const text = this.workspace.textOf(path);
    if (text === undefined) return;
    const document = this.workspace.document(path);
    const quick = document === undefined ? [] : inFile(document.quickDiagnostics, path);
    if (document !== undefined && whole) {
      const known = new Set(document.quickDiagnostics);
      this.#later.set(
        path,
        inFile(
          document.diagnostics.filter((one) => !known.has(one)),
          path,
        ),
      );
    }
    const version = this.#versions.get(path);
    void this.connection.sendDiagnostics({
      uri: uriOf(path),
      ...given({ version }),
      diagnostics: [
        ...quick,
        ...(this.#later.get(path) ?? []),
        ...(document === undefined && text.length > MAX_TEXT ? [tooLong(text)] : []),
      ],
    });
  }
}

/** The diagnostics with a place in the file; those of an included file are sent when that file is open. */
function inFile(list: readonly Diagnostic[], path: string): LspDiagnostic[] {
  return list.flatMap((one) => (one.span?.file.path === path ? [diagnosticOf(one, one.span)] : []));
}

function tooLong(text: string): LspDiagnostic {
  return {
    severity: DiagnosticSeverity.Information,
    code: CODES.textTooLong,
    source: "p4loom",
    message: `this text has ${text.length} characters; p4loom analyses texts of up to ${MAX_TEXT}`,
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
  };
}
