/** Reads lines of JSON as trace documents; each is checked before it is used. */
import type { z } from "zod";
import { DiagnosticError, Diagnostics, fail, SourceFile, type Span } from "../../base/index.js";
import { loadDocument } from "../documents/index.js";
import type { PacketTrace } from "../switch/index.js";
import { CODES } from "./codes.js";
import { copySchema, frameSchema, traceSchema } from "./schema.js";

/** Maximum number of copies of a packet in a document. Each copy may be nested in the one before, a list and a map deeper. */
const MAX_COPIES = 1000;
/** Maximum nesting, with space for the contents of the deepest copy. Deeper documents would exhaust the stack of their readers. */
const MAX_NESTING = 2 * MAX_COPIES + 16;
const TOO_DEEP = `nested deeper than ${MAX_NESTING} levels: a trace has at most ${MAX_COPIES} copies`;
/** Maximum nesting up to which the place of a mistake is found: the checker that finds it needs much stack for each level. */
const PLACED_NESTING = 100;

export interface ReadTrace {
  packet: PacketTrace;
  /** The line of the file. */
  line: string;
}

/**
 * The documents of a file, in order; empty lines are passed over. Fails with P43001 to P43004 at the first line that is
 * not a trace.
 * @param name name of the file, for messages
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
  const wrong = levels > MAX_NESTING ? TOO_DEEP : documentOf(line);
  if (typeof wrong === "object") return wrong;
  const file = new SourceFile(name, "\n".repeat(number - 1) + line);
  const whole: Span = { file, start: number - 1, end: number };
  if (levels > PLACED_NESTING) fail(CODES.wrongValue, whole, wrong);
  // The reader of documents reports what is wrong, and where.
  const diagnostics = new Diagnostics();
  loadDocument(file, traceSchema, diagnostics);
  // A member is missing in this line, not at the start of the file.
  const placed = diagnostics.list.map((diagnostic) =>
    (diagnostic.span?.start ?? 0) < whole.start ? { ...diagnostic, span: whole } : diagnostic,
  );
  if (placed.length > 0) throw new DiagnosticError(placed);
  return fail(CODES.syntax, whole, wrong);
}

/** The document of a line, or why the line is not a document. */
function documentOf(line: string): PacketTrace | string {
  let document: unknown;
  try {
    document = JSON.parse(line);
  } catch {
    return "not JSON: a trace has one document per line";
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

/** Nesting of lists and maps in a line; brackets within texts do not count. */
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
