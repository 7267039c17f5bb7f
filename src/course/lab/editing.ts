/** Answers the requests of the page's editor about P4 files: the language service (`src/toolchain/editing`) over the project's files. */
import { Diagnostics, fail, SourceFile } from "../../base/index.js";
import {
  completion,
  definition,
  type Edit,
  hover,
  openDocument,
  openIncluded,
  type P4Document,
  quickFixes,
  rename,
  signatureHelp,
} from "../../toolchain/editing/index.js";
import { format } from "../../toolchain/formatting/index.js";
import { CODES } from "./codes.js";
import type { ProjectFiles } from "./files.js";
import type { Handlers } from "./handler-types.js";
import type { ProgramBook } from "./program-book.js";
import { includesOf } from "./programs.js";
import type { EditView, LabOp } from "./protocol.js";

export type EditOp = Extract<LabOp, `edit.${string}`>;

/**
 * One text with its analysis and the files that it includes. It is kept because an editor sends several requests for
 * each text.
 */
interface Analysed {
  readonly path: string;
  readonly text: string;
  readonly version: number;
  readonly document: P4Document;
}

/** `programs`: those of the present network; a file without `main` is analysed as part of a program that includes it. */
export function editHandlers(files: ProjectFiles, programs: () => ProgramBook): Handlers<EditOp> {
  let last: Analysed | undefined;

  const documentOf = ({ path, text }: { path: string; text: string }): P4Document => {
    const whole = files.checkPath(path);
    if (!/\.(p4|p4h|h)$/.test(whole))
      fail(CODES.notEdited, undefined, `${whole} is not P4 source: its name ends neither in .p4 nor in .h`);
    if (last?.path === whole && last.text === text && last.version === files.version) return last.document;
    // editors count the end of a line as one character, so offsets do too
    const edited = new SourceFile(whole, text.replaceAll("\r\n", "\n"));
    const sourceOf = (name: string): SourceFile | undefined => {
      const other = files.text(name)?.replaceAll("\r\n", "\n");
      return name === whole ? edited : other === undefined ? undefined : new SourceFile(name, other);
    };
    const options = { resolveInclude: includesOf(sourceOf) };
    const open = (name: string): P4Document => openDocument(name, sourceOf(name)!.text, options);
    let document = open(whole);
    if (!document.isProgram)
      for (const user of programs().usersOf(whole)) {
        if (!user.endsWith(".p4")) continue;
        document = openIncluded(open(user), whole) ?? document;
        break;
      }
    last = { path: whole, text, version: files.version, document };
    return document;
  };

  return {
    "edit.hover": (request) => {
      const found = hover(documentOf(request), request.at);
      if (found === undefined) return {};
      const { start: from, end: to } = found.span;
      return { hover: { from, to, text: found.text } };
    },
    "edit.complete": (request) => {
      const { start, items } = completion(documentOf(request), Math.min(request.at, request.text.length));
      return { from: start, items };
    },
    "edit.signature": (request) => {
      const help = signatureHelp(documentOf(request), Math.min(request.at, request.text.length));
      return help === undefined ? {} : { help };
    },
    "edit.definition": (request) => {
      const span = definition(documentOf(request), request.at);
      if (span === undefined) return {};
      const { file, start } = span;
      const { line, column } = file.position(start);
      const isOurs = files.text(file.path) !== undefined;
      return { place: { path: file.path, line, column, ...(isOurs ? {} : { text: file.text }) } };
    },
    "edit.fixes": (request) => {
      const document = documentOf(request);
      return {
        fixes: quickFixes(document, 0, document.text.length).map(({ title, diagnostic, edits }) => {
          const { line, column } = diagnostic.span!.file.position(diagnostic.span!.start);
          return { title, code: diagnostic.code, line, column, edits: edits.map(editView) };
        }),
      };
    },
    "edit.rename": (request) => {
      const edits = rename(documentOf(request), request.at, request.name);
      if ("refused" in edits) return fail(CODES.notEdited, undefined, edits.refused);
      for (const { span } of edits) files.checkWritable(span.file.path);
      return { edits: edits.map(editView) };
    },
    "edit.format": ({ path, text }) => {
      const diagnostics = new Diagnostics();
      const formatted = format(new SourceFile(files.checkPath(path), text), diagnostics);
      const problem = diagnostics.list[0]?.message ?? "";
      return formatted === undefined
        ? fail(CODES.notEdited, undefined, `${path} is not formatted: ${problem}`)
        : { text: formatted };
    },
  };
}

function editView({ span: { file, start, end }, text }: Edit): EditView {
  return { path: file.path, from: start, to: end, text };
}
