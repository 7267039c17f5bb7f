/** The comment of a declaration: above it, or after it on the same line. */
import type { SourceFile, Span } from "../../base/index.js";

/** The text of the comment without its comment marks, line by line; empty if there is no comment. */
export function commentOf({ file, start, end }: Span): string {
  const above = commentAbove(file, start);
  return above === "" ? commentBehind(file, end) : above;
}

function commentAbove(file: SourceFile, start: number): string {
  const { line, column } = file.position(start);
  // Another declaration begins on this line: a comment above belongs to that one.
  if (
    file
      .lineText(line)
      .slice(0, column - 1)
      .trim() !== ""
  )
    return "";
  const lines: string[] = [];
  let inBlock = false;
  for (let at = line - 1; at >= 1; at--) {
    const text = file.lineText(at).trim();
    if (inBlock || text.endsWith("*/")) {
      const begin = text.indexOf("/*");
      if (begin > 0) break;
      lines.unshift(text);
      inBlock = begin < 0;
      if (!inBlock) break;
    } else if (text.startsWith("//")) lines.unshift(text);
    else break;
  }
  if (inBlock) return "";
  return lines.map(bare).join("\n").trim();
}

function commentBehind(file: SourceFile, end: number): string {
  const lineEnd = file.text.indexOf("\n", end);
  const rest = file.text.slice(end, lineEnd < 0 ? undefined : lineEnd);
  const comment = /^\s*[;,]?\s*(\/\/.*|\/\*.*\*\/\s*)$/.exec(rest)?.[1];
  return comment === undefined ? "" : bare(comment).trim();
}

/** A line of a comment without its comment marks; a line of stars or dashes becomes empty. */
function bare(line: string): string {
  const text = line
    .trim()
    .replace(/^\/\*+|\*+\/$/g, "")
    .replace(/^\s*(\/\/+|\*+(?=\s|$))\s?/, "")
    .trimEnd();
  return /^[\s*\-=/]*$/.test(text) ? "" : text;
}
