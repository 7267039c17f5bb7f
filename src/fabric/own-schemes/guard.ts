/**
 * Calls code that a user wrote: with a time limit, and with exceptions as diagnostics at their place in the user's
 * file. A diagnostic that the code requests by the kit is passed on unchanged.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createContext, Script } from "node:vm";
import { DiagnosticError, fail, SourceFile, type Span, systemErrorReason } from "../../base/index.js";
import { CODES } from "./codes.js";

/** A module of a user. */
export interface OwnModule {
  readonly url: string;
  readonly file: SourceFile;
}

/** Fails with P43401 when the file cannot be read; `from` is the place that names it. */
export function ownModule(url: string, from: Span | undefined): OwnModule {
  const path = fileURLToPath(url);
  try {
    return { url, file: new SourceFile(path, readFileSync(path, "utf8")) };
  } catch (error) {
    return fail(CODES.unloadable, from, `cannot read the scheme ${path}: ${systemErrorReason(error)}`);
  }
}

/** Milliseconds that a module may take to load, and a synchronous call of its code. */
export const TIME_LIMIT_MS = 10_000;

const CALL = new Script("call()");

/** The result of a synchronous call. Fails with P43402 after the limit of time, with P43404 for what `call` throws. */
export function guarded<T>(module: OwnModule, what: string, call: () => T, limitMs = TIME_LIMIT_MS): T {
  try {
    return withoutExit(
      () => CALL.runInContext(createContext({ call }), { timeout: limitMs, displayErrors: false }) as T,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      fail(CODES.endless, placeOf(module, what), `${what} has not returned after ${limitMs / 1000} s`);
    return rethrow(module, what, error);
  }
}

/** As {@link guarded} without a limit, for calls that are too many to limit each. */
export function placed<T>(module: OwnModule, what: string, call: () => T): T {
  try {
    return withoutExit(call);
  } catch (error) {
    return rethrow(module, what, error);
  }
}

/** What `process.exit` throws while the code of a user is called. */
class EndsProcess extends Error {}

/** Prevents a module from ending the process, which would end a run without results and without a message. */
function withoutExit<T>(call: () => T): T {
  const { exit } = process;
  process.exit = (status) => {
    throw new EndsProcess(`process.exit(${status ?? ""})`);
  };
  try {
    return call();
  } finally {
    process.exit = exit;
  }
}

function rethrow(module: OwnModule, what: string, error: unknown): never {
  if (error instanceof DiagnosticError) throw error;
  const text =
    error instanceof EndsProcess
      ? `${what} ends the process: ${error.message}`
      : `${what} throws: ${messageOf(error)}`;
  fail(CODES.threw, thrownAt(module, error) ?? placeOf(module, what), text);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** The first place in the module's file that the error's stack names. */
export function thrownAt({ url, file }: OwnModule, error: unknown): Span | undefined {
  const stack = String((error as Error | undefined)?.stack ?? "");
  for (const name of [url, file.path]) {
    for (let at = stack.indexOf(name); at >= 0; at = stack.indexOf(name, at + 1)) {
      const place = /^(?:\?[^:\s]*)?:(\d+)(?::(\d+))?/.exec(stack.slice(at + name.length));
      if (place !== null) return spanAt(file, Number(place[1]), Number(place[2] ?? 1));
    }
  }
  return undefined;
}

function spanAt(file: SourceFile, line: number, column: number): Span {
  const before = file.text.split("\n").slice(0, line - 1);
  const start = before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
  const word = /^\w*/.exec(file.text.slice(start))![0];
  return { file, start, end: start + Math.max(1, word.length) };
}

/**
 * Where the module defines a member: the least nested `NAME(`, `NAME:`, `NAME =` or `NAME,` that is code, because a plan may
 * have a key with the name of a member; its beginning where there is none. For "export" the default export.
 */
export function placeOf({ file }: OwnModule, member: string): Span {
  const name = /\w+$/.exec(member)?.[0] ?? "";
  const code = codeOf(file.text);
  const pattern =
    name === "export"
      ? /\bexport(?=\s+default\b)/g
      : new RegExp(`(?<=(?:^|[{,;}]|\\b(?:async|get|static|function))\\s*)\\b${name}\\b(?=\\s*[(:,=])`, "g");
  let best: { at: number; depth: number } | undefined;
  for (const { index } of name === "" ? [] : code.matchAll(pattern)) {
    const depth = depthAt(code, index);
    if (best === undefined || depth < best.depth) best = { at: index, depth };
  }
  if (best === undefined) return { file, start: 0, end: Math.min(1, file.text.length) };
  return { file, start: best.at, end: best.at + name.length };
}

/** The text with comments and the contents of strings blank; positions do not change. */
function codeOf(text: string): string {
  const skipped =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g;
  return text.replace(skipped, (part) => part.replaceAll(/[^\n]/g, " "));
}

function depthAt(code: string, end: number): number {
  let depth = 0;
  for (let at = 0; at < end; at++) {
    const sign = code[at]!;
    if ("{[(".includes(sign)) depth++;
    else if ("}])".includes(sign)) depth--;
  }
  return depth;
}
