/** Preprocessed tokens as text, for `-E`: what a reader and other compilers take, lines where they were. */
import type { SourceFile } from "../../../base/index.js";
import { punctuators, type Token, tokenText } from "./token.js";

/** A gap of more lines than this is written as a `#` line. */
const MAX_BLANK_LINES = 8;
/** Indentation is kept up to this column. */
const MAX_INDENT = 80;

/** Tokens to text with `# LINE "FILE"` where the place jumps; scanned again, it gives the same tokens. */
export function textOfTokens(tokens: readonly Token[]): string {
  const parts: string[] = [];
  let file: SourceFile | undefined;
  let line = 0;
  let previous: Token | undefined;
  for (const token of tokens) {
    if (token.kind === "end") break;
    const position = token.file.position(token.start);
    const isElsewhere = token.file !== file || position.line < line || position.line > line + MAX_BLANK_LINES;
    if (isElsewhere || position.line > line) {
      if (isElsewhere) {
        if (previous !== undefined) parts.push("\n");
        parts.push(`# ${position.line} "${token.file.path.replace(/[\\"]/g, "\\$&")}"\n`);
      } else parts.push("\n".repeat(position.line - line));
      parts.push(" ".repeat(Math.min(position.column - 1, MAX_INDENT)));
      file = token.file;
    } else if (previous !== undefined && (token.space || token.newline || wouldJoin(previous, token)))
      parts.push(" ");
    const text = tokenText(token);
    parts.push(text);
    // A string may run over several lines.
    line = position.line + (text.includes("\n") ? text.split("\n").length - 1 : 0);
    previous = token;
  }
  parts.push("\n");
  return parts.join("");
}

/** Whether two tokens written without a space would be read as something else. `>>` is two tokens anyway. */
export function wouldJoin(left: Pick<Token, "kind" | "text">, right: Pick<Token, "kind" | "text">): boolean {
  const [a, b] = [left.text, right.text];
  if (/\w$/.test(a) && /^\w/.test(b)) return left.kind !== "stringLiteral" && right.kind !== "stringLiteral";
  if (a === "/" && (b.startsWith("/") || b.startsWith("*"))) return true;
  if (a === ">" && b === ">") return false;
  return punctuators.some((text) => text.length > a.length && text.startsWith(a) && (a + b).startsWith(text));
}
