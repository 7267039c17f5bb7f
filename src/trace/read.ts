/** Lines of JSON as trace documents, each checked before anything goes through it. */
import type { z } from "zod";
import { DiagnosticError, Diagnostics, fail, SourceFile, type Span } from "../base/index.js";
import { loadDocument } from "../documents/index.js";
import type { PacketTrace } from "../switch/index.js";
import { copySchema, frameSchema, traceSchema } from "./schema.js";

/** Copies of a packet that a document has at most; each may be within the one before, a list and a map deeper. */
const MAX_COPIES = 1000;
/** With room for what the deepest one holds. Beyond, whatever goes through a document would run out of stack. */
const MAX_NESTING = 2 * MAX_COPIES + 16;
const TOO_DEEP = `nested deeper than ${MAX_NESTING} levels: a trace has at most ${MAX_COPIES} copies`;
/** Down to here the place of what is wrong is found; checkers that know places need much stack for each level. */
const PLACED_NESTING = 100;

export interface ReadTrace {
  packet: PacketTrace;
  /** As it stands in the file. */
  line: string;
}

/**
 * The documents of a file, in order; empty lines are none. Fails with P43001 to P43004 at the first line that is no
 * trace.
 * @param name the file's, for messages
 */
export async function* readTraces(name: string, lines: AsyncIterable<string>): AsyncGenerator<ReadTrace> {
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() !== "") yield { packet: readLine(name, number, line), line };
  }
}

function readLine(name: string, number: number, line: string): PacketTrace {
  const levels = nesting(line);
  const wrong = levels > MAX_NESTING ? TOO_DEEP : whatIsWrong(line);
  if (typeof wrong === "object") return wrong;
  const file = new SourceFile(name, "\n".repeat(number - 1) + line);
  const whole: Span = { file, start: number - 1, end: number };
  if (levels > PLACED_NESTING) fail("P43004", whole, wrong);
  // The reader of documents says what is wrong, and where.
  const diagnostics = new Diagnostics();
  loadDocument(file, traceSchema, diagnostics);
  // What is missing is missing in this line, not at the start of the file.
  const placed = diagnostics.list.map((diagnostic) =>
    (diagnostic.span?.start ?? 0) < whole.start ? { ...diagnostic, span: whole } : diagnostic,
  );
  if (placed.length > 0) throw new DiagnosticError(placed);
  return fail("P43001", whole, wrong);
}

/** The document, or why the line is none. */
function whatIsWrong(line: string): PacketTrace | string {
  let document: unknown;
  try {
    document = JSON.parse(line);
  } catch {
    return "not JSON: a trace has one document a line";
  }
  const frame = frameSchema.safeParse(document);
  if (!frame.success) return `no trace: ${issueText(frame.error)}`;
  const waiting = [frame.data.root];
  while (waiting.length > 0) {
    const copy = copySchema.safeParse(waiting.pop());
    if (!copy.success) return `a copy is wrong: ${issueText(copy.error)}`;
    waiting.push(...(copy.data.branches ?? []));
  }
  return document as PacketTrace;
}

function issueText({ issues }: z.ZodError): string {
  const [first] = issues;
  return first === undefined ? "" : `${first.path.join(".")}: ${first.message}`;
}

/** How deep lists and maps of a line go; brackets within texts do not count. */
function nesting(line: string): number {
  let deepest = 0;
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const character = line[i];
    if (quoted && character === "\\") i++;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "]" || character === "}") depth--;
  }
  return deepest;
}
