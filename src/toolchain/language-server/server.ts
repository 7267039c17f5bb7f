/** The language server: requests of the protocol (LSP 3.17) answered by the language service. */
import {
  type CancellationToken,
  type CodeAction,
  CodeActionKind,
  type Connection,
  type InitializeParams,
  type InitializeResult,
  InsertTextFormat,
  LSPErrorCodes,
  MarkupKind,
  ResponseError,
  SemanticTokensBuilder,
  type ServerCapabilities,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { DiagnosticError, Diagnostics, given, SourceFile } from "../../base/index.js";
import {
  chipArchitecture,
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
import type { CompileSettings, ProjectReader } from "../loading/index.js";
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
import { Workspace } from "./workspace.js";

export interface ServerOptions {
  /** From the command line; an editor's `initializationOptions` are added. */
  readonly settings: CompileSettings;
  /** The project file of a program, which these settings override. */
  readonly project: ProjectReader;
  /** Loads a target of the fit checker by name or path. Throws a DiagnosticError. */
  readonly loadTarget: (name: string) => Target;
  /** The target whose stages are shown; an editor can name another one. Undefined: Tofino 1, or Tofino 2 for its programs. */
  readonly target: string | undefined;
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

const CAPABILITIES: ServerCapabilities = {
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
};

/** What the requests of one editor share. */
interface Session {
  readonly connection: Connection;
  readonly options: ServerOptions;
  readonly workspace: Workspace;
  readonly texts: TextDocuments<TextDocument>;
  readonly publisher: Publisher;
  /** The target whose stages are shown, as in {@link ServerOptions}. */
  targetName: string | undefined;
  /** Whether the editor fills in the parts of a completion. */
  snippets: boolean;
}

/** Answers requests on a connection until the editor ends it. */
export function serve(connection: Connection, options: ServerOptions): void {
  const workspace = new Workspace(options.project);
  const session: Session = {
    connection,
    options,
    workspace,
    texts: new TextDocuments(TextDocument),
    publisher: new Publisher(connection, workspace),
    targetName: options.target,
    snippets: false,
  };
  connection.onInitialize((params) => initialise(session, params));
  followTexts(session);
  answerWhileWriting(session);
  answerNames(session);
  answerStructure(session);
  answerChanges(session);
  answerColours(session);
  session.texts.listen(connection);
  connection.listen();
}

function initialise(
  session: Session,
  { capabilities, initializationOptions, workspaceFolders, rootUri }: InitializeParams,
): InitializeResult {
  const { options, workspace } = session;
  const wanted = (initializationOptions ?? {}) as EditorOptions;
  const folders = (workspaceFolders ?? []).map(({ uri }) => pathOf(uri));
  workspace.folders = folders.length > 0 || !rootUri ? folders : [pathOf(rootUri)];
  workspace.settings = mergedSettings(options, wanted, workspace.folders);
  if (typeof wanted.target === "string") session.targetName = wanted.target;
  session.snippets = capabilities.textDocument?.completion?.completionItem?.snippetSupport === true;
  return { serverInfo: { name: "p4loom", version: options.version }, capabilities: CAPABILITIES };
}

/** Keeps the workspace as the editor's texts and the files are. */
function followTexts({ connection, workspace, texts, publisher }: Session): void {
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
}

/** The document and the offset of a request. */
function placeIn(
  workspace: Workspace,
  { textDocument, position }: TextDocumentPositionParams,
): { document: P4Document; offset: number } | undefined {
  const document = workspace.document(pathOf(textDocument.uri));
  return document === undefined ? undefined : { document, offset: offsetOf(document.file, position) };
}

/** What an editor shows beside the cursor: hover, completion, signatures. */
function answerWhileWriting(session: Session): void {
  const { connection, workspace } = session;

  connection.onHover((request) => {
    const place = placeIn(workspace, request);
    const found = place && hover(place.document, place.offset);
    return (
      found && { contents: { kind: MarkupKind.Markdown, value: found.text }, range: rangeOf(found.span) }
    );
  });

  connection.onCompletion((request) => {
    const place = placeIn(workspace, request);
    if (place === undefined) return [];
    const { start, items } = completion(place.document, place.offset);
    const range = { start: positionOf(place.document.file, start), end: request.position };
    return items.map(({ label, kind, detail, documentation, insert, rank }) => ({
      label,
      kind: completionKind(kind),
      ...given({
        detail: detail || undefined,
        documentation: documentation ? { kind: MarkupKind.Markdown, value: documentation } : undefined,
      }),
      sortText: String(rank).padStart(4, "0") + label,
      insertTextFormat: session.snippets ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
      textEdit: { range, newText: session.snippets ? insert : label },
    }));
  });

  connection.onSignatureHelp((request) => {
    const place = placeIn(workspace, request);
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
}

/** Where a name is declared and used, and its change. */
function answerNames({ connection, workspace }: Session): void {
  connection.onDefinition((request) => {
    const place = placeIn(workspace, request);
    const found = place && definition(place.document, place.offset);
    return found && locationOf(found);
  });

  connection.onReferences((request) => {
    const place = placeIn(workspace, request);
    if (place === undefined) return [];
    return references(place.document, place.offset)
      .filter(({ role }) => request.context.includeDeclaration || role !== "declaration")
      .map(({ span }) => locationOf(span));
  });

  connection.onDocumentHighlight((request) => {
    const place = placeIn(workspace, request);
    if (place === undefined) return [];
    const { document, offset } = place;
    return references(document, offset)
      .filter(({ span }) => span.file === document.file)
      .map(({ span, role }) => ({ range: rangeOf(span), kind: role === "write" ? 3 : 2 }));
  });

  connection.onPrepareRename((request) => {
    const place = placeIn(workspace, request);
    const found = place && renameable(place.document, place.offset);
    if (found === undefined || "refused" in found)
      throw refusal(found?.refused ?? "this text is not analysed");
    return rangeOf(found.span);
  });

  connection.onRenameRequest((request): WorkspaceEdit => {
    const place = placeIn(workspace, request);
    if (place === undefined) throw refusal("this text is not analysed");
    const edits = renameEverywhere(workspace, place.document, place.offset, request.newName);
    if ("refused" in edits) throw refusal(edits.refused);
    return { changes: changesOf(edits) };
  });
}

/** The parts of a text: outline, folds, the stages of its tables. */
function answerStructure(session: Session): void {
  const { connection, workspace, publisher } = session;

  connection.onDocumentSymbol(({ textDocument }) => {
    const document = workspace.document(pathOf(textDocument.uri));
    return document === undefined ? [] : outline(document).map(symbolOf);
  });

  connection.onFoldingRanges(({ textDocument }) => {
    const document = workspace.document(pathOf(textDocument.uri));
    if (document === undefined) return [];
    return folds(document).map(({ start, end, kind }) => ({
      startLine: positionOf(document.file, start).line,
      endLine: positionOf(document.file, end).line,
      kind: FOLD_KINDS[kind],
    }));
  });

  connection.onCodeLens(async ({ textDocument }, token: CancellationToken) => {
    const path = pathOf(textDocument.uri);
    // Placing tables takes longer than all other requests, so changes and other requests are handled first.
    await publisher.idle(token);
    if (token.isCancellationRequested) throw new ResponseError(LSPErrorCodes.RequestCancelled, "cancelled");
    const document = workspace.document(path);
    if (document === undefined) return [];
    return lenses(document, targetFor(document, session)).map(({ span, text }) => ({
      range: rangeOf(span),
      command: { title: text, command: "" },
    }));
  });
}

/** Changes of a text: formatting and quick fixes. */
function answerChanges({ connection, workspace, texts }: Session): void {
  connection.onDocumentFormatting(({ textDocument }): TextEdit[] => {
    const text = texts.get(textDocument.uri)?.getText();
    if (text === undefined) return [];
    const file = new SourceFile(pathOf(textDocument.uri), text);
    const diagnostics = new Diagnostics();
    const formatted = format(file, diagnostics);
    if (formatted === undefined)
      throw refusal(diagnostics.list[0]?.message ?? "this text cannot be formatted");
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
}

function answerColours({ connection, workspace }: Session): void {
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
}

function refusal(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}

/** The command line's settings with those of the editor; relative folders begin in the workspace. */
function mergedSettings(
  { settings, folder }: ServerOptions,
  wanted: EditorOptions,
  folders: readonly string[],
): CompileSettings {
  const strings = (value: unknown) =>
    Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
  const base = folders[0] ?? folder;
  return {
    include: [
      ...settings.include,
      ...strings(wanted.include).map((one) => (one.startsWith("/") ? one : `${base}/${one}`)),
    ],
    define: [...settings.define, ...strings(wanted.define)],
    ...given({ undefine: settings.undefine }),
  };
}

/** The target that the editor named; if it does not exist, the target of the command line, or that of the program's architecture. */
function targetFor(document: P4Document, { options, targetName }: Session): Target {
  const byDefault = options.target ?? (chipArchitecture(document) === "t2na" ? "tofino2" : "tofino");
  try {
    return options.loadTarget(targetName ?? byDefault);
  } catch (error) {
    if (!(error instanceof DiagnosticError) || targetName === options.target) throw error;
    return options.loadTarget(byDefault);
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
