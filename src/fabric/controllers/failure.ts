/** Converts an exception of a controller into a diagnostic with the controller's name and the place of the throw. */
import { type Diagnostic, DiagnosticError, given, SourceFile, type Span } from "../../base/index.js";
import { CODES } from "./codes.js";
import { MAX_WAKES_AT_ONE_INSTANT, NeverReady, TimeStandsStill } from "./incarnation.js";

/** Reads a source file; undefined if it cannot be read. */
export type ReadSource = (path: string) => string | undefined;

/**
 * `name` is undefined for a promise that no controller awaits. `stack` is the origin of the error, in V8's form.
 *
 * P43302 for a controller that prevents time from advancing, the controller's own diagnostics unchanged with a note, P43301
 * for everything else.
 */
export function failureOf(
  name: string | undefined,
  error: unknown,
  stack: string | undefined,
  readSource: ReadSource = () => undefined,
): DiagnosticError {
  if (error instanceof NeverReady) {
    return new DiagnosticError([
      {
        severity: "error",
        code: CODES.notPrepared,
        message: `controller "${name}" was not ready for traffic after 60 s: its prepare has not returned`,
        notes: [{ message: "do in prepare only what traffic has to wait for, and all else in start" }],
      },
    ]);
  }
  if (error instanceof TimeStandsStill) {
    return new DiagnosticError([
      {
        severity: "error",
        code: CODES.stuckTime,
        message: `controller "${name}" was woken ${MAX_WAKES_AT_ONE_INSTANT} times at one instant, ${error.atNs} ns`,
        notes: [{ message: "let it sleep for more than 0 ns in each round of its loops" }],
      },
    ]);
  }
  if (error instanceof DiagnosticError) {
    const notes = name === undefined ? [] : [{ message: `thrown by controller "${name}"` }];
    return new DiagnosticError(
      error.diagnostics.map((one) =>
        one.severity === "error" ? { ...one, notes: [...one.notes, ...notes] } : one,
      ),
    );
  }
  const place = stack === undefined ? undefined : placeOf(stack);
  const text = place && readSource(place.path);
  const span = place && text !== undefined ? spanAt(new SourceFile(place.path, text), place) : undefined;
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const diagnostic: Diagnostic = {
    severity: "error",
    code: CODES.threw,
    message:
      name === undefined
        ? `a promise that no controller awaits was rejected: ${words}`
        : `controller "${name}" has failed: ${words}`,
    ...given({ span }),
    notes:
      place === undefined || span !== undefined
        ? []
        : [{ message: `thrown at ${place.path}:${place.line}:${place.column}` }],
  };
  return new DiagnosticError([diagnostic]);
}

interface Place {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** The innermost place of a stack in V8's form that is not in this room, in an installed package or in Node. */
function placeOf(stack: string): Place | undefined {
  const places: Place[] = [];
  for (const [, path, line, column] of stack.matchAll(/^\s+at (?:.*\()?(.+?):(\d+):(\d+)\)?$/gm)) {
    if (path!.startsWith("node:") || path === "<anonymous>") continue;
    places.push({ path: asPath(path!), line: Number(line), column: Number(column) });
  }
  const room = asPath(import.meta.url).replace(/[^/\\]*$/, "");
  const isForeign = ({ path }: Place) => path.startsWith(room) || /[/\\]node_modules[/\\]/.test(path);
  return places.find((place) => !isForeign(place)) ?? places[0];
}

function asPath(name: string): string {
  return name.startsWith("file://") ? decodeURIComponent(new URL(name).pathname) : name;
}

function spanAt(file: SourceFile, { line, column }: Place): Span | undefined {
  const lineStart = file.lineStarts[line - 1];
  if (lineStart === undefined) return undefined;
  const start = Math.min(lineStart + column - 1, file.text.length);
  return { file, start, end: start + 1 };
}
