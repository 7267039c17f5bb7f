/** The language server: requests of the protocol (LSP 3.17) answered by the language service. */
import {
  type CancellationToken,
  type CodeAction,
  CodeActionKind,
  type Connection,
  InsertTextFormat,
  LSPErrorCodes,
  MarkupKind,
  type Position,
  ResponseError,
  SemanticTokensBuilder,
  TextDocumentSyncKind,
  TextDocuments,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { DiagnosticError, Diagnostics, SourceFile } from "../../base/index.js";
import {
  completion,
  definition,
  type Edit,
  folds,
  hover,
  lenses,
  type OutlineItem,
  outline,
  type P4Document,
  quickFixes,
  references,
  renameable,
  semanticTokens,
  signatureHelp,
  TOKEN_KINDS,
  TOKEN_MODIFIERS,
} from "../editing/index.js";
import type { Target } from "../fit/index.js";
import { format } from "../formatting/index.js";
import {
  completionKind,
  diagnosticOf,
  FOLD_KINDS,
  locationOf,
  offsetOf,
  pathOf,
  positionOf,
  rangeOf,
  symbolKind,
  uriOf,
} from "./convert.js";
import { Publisher } from "./publisher.js";
import { renameEverywhere } from "./rename-everywhere.js";
import { type PreprocessorSettings, Workspace } from "./workspace.js";

export interface ServerOptions {
  /** From the command line; an editor's `initializationOptions` are added. */
  readonly settings: PreprocessorSettings;
  /** Loads a target of the fit checker by name or path. Throws a DiagnosticError. */
  readonly loadTarget: (name: string) => Target;
  /** The target whose stages are shown; an editor can name another one. */
  readonly target: string;
  readonly version: string;
  /** Current folder: relative include folders begin there. */
  readonly folder: string;
}

/** What an editor can set with `initializationOptions`. */
interface EditorOptions {
  include?: unknown;
  define?: unknown;
  target?: unknown;
}

/** Answers requests on a connection until the editor ends it. */
export function serve(connection: Connection, options: ServerOptions): void {
  const workspace = new Workspace();
  const texts = new TextDocuments(TextDocument);
  const publisher = new Publisher(connection, workspace);
  let targetName = options.target;
  let snippets = false;

  connection.onInitialize(({ capabilities, initializationOptions, workspaceFolders, rootUri }) => {
    const given = (initializationOptions ?? {}) as EditorOptions;
    const folders = (workspaceFolders ?? []).map(({ uri }) => pathOf(uri));
    workspace.folders = folders.length > 0 || !rootUri ? folders : [pathOf(rootUri)];
    workspace.settings = mergedSettings(options, given, workspace.folders);
    if (typeof given.target === "string") targetName = given.target;
    snippets = capabilities.textDocument?.completion?.completionItem?.snippetSupport === true;
    return {
      serverInfo: { name: "p4loom", version: options.version },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        hoverProvider: true,
        completionProvider: { triggerCharacters: [".", "@", "#", "<"] },
        signatureHelpProvider: { triggerCharacters: ["(", ","] },
        definitionProvider: true,
        referencesProvider: true,
        documentHighlightProvider: true,
        renameProvider: { prepareProvider: true },
        documentSymbolProvider: true,
        foldingRangeProvider: true,
        documentFormattingProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
        codeLensProvider: {},
        semanticTokensProvider: {
          legend: { tokenTypes: [...TOKEN_KINDS], tokenModifiers: [...TOKEN_MODIFIERS] },
          full: true,
        },
      },
    };
  });

  texts.onDidChangeContent(({ document }) => {
    const path = pathOf(document.uri);
    workspace.set(path, document.getText(), document.version);
    publisher.changed(path, document.version);
  });
  texts.onDidClose(({ document }) => {
    const path = pathOf(document.uri);
    workspace.close(path);
    publisher.closed(path);
  });
  connection.onDidChangeWatchedFiles(() => {
    workspace.refresh();
    publisher.allChanged();
  });
  texts.onDidSave(() => {
    workspace.refresh();
    publisher.allChanged();
  });

  /** The document and the offset of a request. */
  const at = (uri: string, position: Position): { document: P4Document; offset: number } | undefined => {
    const document = workspace.document(pathOf(uri));
    return document === undefined ? undefined : { document, offset: offsetOf(document.file, position) };
  };

  connection.onHover(({ textDocument, position }) => {
    const place = at(textDocument.uri, position);
    const found = place && hover(place.document, place.offset);
    return (
      found && { contents: { kind: MarkupKind.Markdown, value: found.text }, range: rangeOf(found.span) }
    );
  });

  connection.onCompletion(({ textDocument, position }) => {
    const place = at(textDocument.uri, position);
    if (place === undefined) return [];
    const { start, items } = completion(place.document, place.offset);
    const range = { start: positionOf(place.document.file, start), end: position };
    return items.map(({ label, kind, detail, documentation, insert, rank }) => ({
      label,
      kind: completionKind(kind),
      ...(detail === "" ? {} : { detail }),
      ...(documentation === "" ? {} : { documentation: { kind: MarkupKind.Markdown, value: documentation } }),
      sortText: String(rank).padStart(4, "0") + label,
      insertTextFormat: snippets ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
      textEdit: { range, newText: snippets ? insert : label },
    }));
  });

  connection.onSignatureHelp(({ textDocument, position }) => {
    const place = at(textDocument.uri, position);
    const found = place && signatureHelp(place.document, place.offset);
    return (
      found && {
        activeSignature: found.active,
        activeParameter: found.argument,
        signatures: found.signatures.map(({ label, parameters, documentation }) => ({
          label,
          documentation: { kind: MarkupKind.Markdown, value: documentation },
          parameters: parameters.map((one) => ({ label: one })),
        })),
      }
    );
  });

  connection.onDefinition(({ textDocument, position }) => {
    const place = at(textDocument.uri, position);
    const found = place && definition(place.document, place.offset);
    return found && locationOf(found);
  });

  connection.onReferences(({ textDocument, position, context }) => {
    const place = at(textDocument.uri, position);
    if (place === undefined) return [];
    return references(place.document, place.offset)
      .filter(({ role }) => context.includeDeclaration || role !== "declaration")
      .map(({ span }) => locationOf(span));
  });

  connection.onDocumentHighlight(({ textDocument, position }) => {
    const place = at(textDocument.uri, position);
    if (place === undefined) return [];
    const { document, offset } = place;
    return references(document, offset)
      .filter(({ span }) => span.file === document.file)
      .map(({ span, role }) => ({ range: rangeOf(span), kind: role === "write" ? 3 : 2 }));
  });

  connection.onPrepareRename(({ textDocument, position }) => {
    const place = at(textDocument.uri, position);
    const found = place && renameable(place.document, place.offset);
    if (found === undefined || "refused" in found)
      throw refusal(found?.refused ?? "this text is not analysed");
    return rangeOf(found.span);
  });

  connection.onRenameRequest(({ textDocument, position, newName }): WorkspaceEdit => {
    const place = at(textDocument.uri, position);
    if (place === undefined) throw refusal("this text is not analysed");
    const edits = renameEverywhere(workspace, place.document, place.offset, newName);
    if ("refused" in edits) throw refusal(edits.refused);
    return { changes: changesOf(edits) };
  });

  connection.onDocumentSymbol(({ textDocument }) => {
    const document = workspace.document(pathOf(textDocument.uri));
    return document === undefined ? [] : outline(document).map(symbolOf);
  });

  connection.onFoldingRanges(({ textDocument }) => {
    const document = workspace.document(pathOf(textDocument.uri));
    return (document === undefined ? [] : folds(document)).map(({ start, end, kind }) => ({
      startLine: positionOf(document!.file, start).line,
      endLine: positionOf(document!.file, end).line,
      kind: FOLD_KINDS[kind],
    }));
  });

  connection.onDocumentFormatting(({ textDocument }): TextEdit[] => {
    const text = texts.get(textDocument.uri)?.getText();
    if (text === undefined) return [];
    const file = new SourceFile(pathOf(textDocument.uri), text);
    const diagnostics = new Diagnostics();
    const formatted = format(file, diagnostics);
    if (formatted === undefined) throw refusal(diagnostics.list[0]!.message);
    return formatted === text ? [] : [changedLines(file, formatted)];
  });

  connection.onCodeAction(({ textDocument, range }): CodeAction[] => {
    const document = workspace.document(pathOf(textDocument.uri));
    if (document === undefined) return [];
    const { file } = document;
    return quickFixes(document, offsetOf(file, range.start), offsetOf(file, range.end)).map(
      ({ title, diagnostic, edits }) => ({
        title,
        kind: CodeActionKind.QuickFix,
        diagnostics: [diagnosticOf(diagnostic, diagnostic.span!)],
        isPreferred: true,
        edit: { changes: changesOf(edits) },
      }),
    );
  });

  connection.onCodeLens(async ({ textDocument }, token: CancellationToken) => {
    const path = pathOf(textDocument.uri);
    // Placing tables takes longer than all other requests, so changes and other requests are handled first.
    await publisher.idle(token);
    if (token.isCancellationRequested) throw new ResponseError(LSPErrorCodes.RequestCancelled, "cancelled");
    const document = workspace.document(path);
    if (document === undefined) return [];
    return lenses(document, loadedTarget(options, targetName)).map(({ span, text }) => ({
      range: rangeOf(span),
      command: { title: text, command: "" },
    }));
  });

  connection.languages.semanticTokens.on(({ textDocument }) => {
    const document = workspace.document(pathOf(textDocument.uri));
    const builder = new SemanticTokensBuilder();
    if (document === undefined) return builder.build();
    for (const { start, end, kind, modifiers } of semanticTokens(document)) {
      const bits = modifiers.reduce((sum, one) => sum | (1 << TOKEN_MODIFIERS.indexOf(one)), 0);
      // A token ends with its line.
      for (let from = start; from < end; ) {
        const lineEnd = document.text.indexOf("\n", from);
        const to = lineEnd < 0 || lineEnd > end ? end : lineEnd;
        const { line, character } = positionOf(document.file, from);
        if (to > from) builder.push(line, character, to - from, TOKEN_KINDS.indexOf(kind), bits);
        from = to + 1;
      }
    }
    return builder.build();
  });

  texts.listen(connection);
  connection.listen();
}

function refusal(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}

/** The command line's settings with those of the editor; relative folders begin in the workspace. */
function mergedSettings(
  { settings, folder }: ServerOptions,
  given: EditorOptions,
  folders: readonly string[],
): PreprocessorSettings {
  const strings = (value: unknown) =>
    Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
  const base = folders[0] ?? folder;
  const macros = strings(given.define).map((macro): [string, string] => {
    const equals = macro.indexOf("=");
    return equals < 0 ? [macro, "1"] : [macro.slice(0, equals), macro.slice(equals + 1)];
  });
  return {
    include: [
      ...settings.include,
      ...strings(given.include).map((one) => (one.startsWith("/") ? one : `${base}/${one}`)),
    ],
    defines: { ...settings.defines, ...Object.fromEntries(macros) },
    undefines: settings.undefines,
  };
}

/** The target that the editor named; if it does not exist, the target of the command line. */
function loadedTarget(options: ServerOptions, name: string): Target {
  try {
    return options.loadTarget(name);
  } catch (error) {
    if (!(error instanceof DiagnosticError) || name === options.target) throw error;
    return options.loadTarget(options.target);
  }
}

function changesOf(edits: readonly Edit[]): Record<string, TextEdit[]> {
  const changes: Record<string, TextEdit[]> = {};
  for (const { span, text } of edits)
    (changes[uriOf(span.file.path)] ??= []).push({ range: rangeOf(span), newText: text });
  return changes;
}

/** A single edit of the lines that differ, so that an editor keeps its marks in other lines. */
function changedLines(file: SourceFile, formatted: string): TextEdit {
  const { text } = file;
  let start = 0;
  while (start < text.length && text[start] === formatted[start]) start++;
  let [end, newEnd] = [text.length, formatted.length];
  while (end > start && newEnd > start && text[end - 1] === formatted[newEnd - 1]) {
    end--;
    newEnd--;
  }
  return { range: rangeOf({ file, start, end }), newText: formatted.slice(start, newEnd) };
}

function symbolOf(item: OutlineItem): {
  name: string;
  detail: string;
  kind: ReturnType<typeof symbolKind>;
  range: ReturnType<typeof rangeOf>;
  selectionRange: ReturnType<typeof rangeOf>;
  children: ReturnType<typeof symbolOf>[];
} {
  return {
    name: item.name,
    detail: item.detail,
    kind: symbolKind(item.kind),
    range: rangeOf(item.span),
    selectionRange: rangeOf(item.nameSpan),
    children: item.children.map(symbolOf),
  };
}
