/**
 * Strings over several lines, as p4c reads them. It runs the C preprocessor first, which knows no such strings: for it
 * the lines of one are code. So `#if` and its relatives choose lines, macros are replaced and white space shrinks; only
 * comments stay as they are. Lines that go become empty.
 */
import type { Diagnostics, Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { scanText } from "./expander.js";
import { type Token, tokenText } from "./token.js";

/** What the lines need of the preprocessor. */
export interface StringContext {
  expand(tokens: readonly Token[]): Token[];
  isMacro(name: string): boolean;
  /** Whether the group after `#if`, `#ifdef`, ... with these tokens is taken. */
  holds(directive: string, tokens: readonly Token[], line: Span): boolean;
}

interface Group {
  /** One group of this `#if` was taken. */
  taken: boolean;
  active: boolean;
}

/** The text that p4c sees; `text` has at least one newline. */
export function preprocessString(
  text: string,
  place: Span,
  context: StringContext,
  diagnostics: Diagnostics,
): string {
  const groups: Group[] = [];
  let inComment = false;
  const lines = text.split("\n").map((line, index, all) => {
    if (inComment) {
      inComment = !line.includes("*/");
      return line;
    }
    const directive = index === 0 ? null : /^\s*#\s*((?:el)?ifn?(?:def)?|else|endif)\b(.*)$/.exec(line);
    if (directive !== null) {
      const [, name = "", rest = ""] = directive;
      if (!applyDirective(groups, name, scanText(rest, place), place, context))
        diagnostics.error(
          CODES.unpairedConditional,
          place,
          `inside this string #${name} stands without an #if before it`,
        );
      return "";
    }
    if (!groups.every((group) => group.active)) return "";
    const comment = commentStart(line);
    inComment = comment >= 0 && line.startsWith("/*", comment) && !line.includes("*/", comment + 2);
    const code = comment < 0 ? line : line.slice(0, comment);
    const indent = /^\s*/.exec(code)?.[0].length ?? 0;
    const body = replaceMacros(code.slice(indent), place, context).replace(/\s+/g, " ");
    const whole = " ".repeat(index === 0 ? Math.min(indent, 1) : indent) + body + line.slice(code.length);
    return index === all.length - 1 ? whole : whole.trimEnd();
  });
  if (groups.length > 0)
    diagnostics.error(CODES.unpairedConditional, place, "inside this string an #if has no #endif");
  return lines.join("\n");
}

/** False when the directive has no `#if`. */
function applyDirective(
  groups: Group[],
  name: string,
  tokens: readonly Token[],
  place: Span,
  context: StringContext,
): boolean {
  if (/^ifn?(def)?$/.test(name)) {
    const reached = groups.every((group) => group.active);
    const active = reached && context.holds(name, tokens, place);
    groups.push({ taken: active || !reached, active });
    return true;
  }
  const group = groups.at(-1);
  if (group === undefined) return false;
  if (name === "endif") groups.pop();
  else {
    group.active = !group.taken && (name === "else" || context.holds(name, tokens, place));
    group.taken ||= group.active;
  }
  return true;
}

/** Where the first comment of a line begins; -1 without one. */
function commentStart(line: string): number {
  return line.search(/\/[/*]/);
}

function replaceMacros(code: string, place: Span, context: StringContext): string {
  // Quotation marks inside a string are escaped, so this is no code of a macro.
  if (code.includes('"')) return code;
  const words = code.match(/[A-Za-z_]\w*/g) ?? [];
  if (!words.some((word) => context.isMacro(word))) return code;
  const tokens = context.expand(scanText(code, place));
  const end = /\s$/.test(code) ? " " : "";
  return tokens.map((token, i) => (i > 0 && token.space ? " " : "") + tokenText(token)).join("") + end;
}
