/**
 * The text of an exercise: the part of Markdown that such texts use (headings, paragraphs, lists, code, tables, quotes,
 * rules, bold, italic, links), as elements, so that no part of the text becomes markup of the page. Only links to https,
 * http and anchors are kept; a picture is shown as its text.
 */
import type { ComponentChildren } from "preact";
import { SCROLLED } from "./scrolled.js";

export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocks(text.replaceAll("\r\n", "\n").split("\n"))}</div>;
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const FENCE = /^\s*(```+|~~~+)\s*(\S*)/;
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$/;

function blocks(lines: readonly string[]): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  let index = 0;
  while (index < lines.length) {
    const line = lines[index]!;
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (line.trim() === "") index++;
    else if (fence !== null) {
      const end = closing(lines, index + 1, fence[1]!);
      out.push(<Code text={lines.slice(index + 1, end).join("\n")} />);
      index = end + 1;
    } else if (heading !== null) {
      // The page's own headings are h1 and h2.
      const Level = `h${Math.min(6, heading[1]!.length + 1)}` as "h2";
      out.push(<Level>{inline(heading[2]!)}</Level>);
      index++;
    } else if (RULE.test(line)) {
      out.push(<hr />);
      index++;
    } else if (/^( {4}|\t)/.test(line)) {
      const end = until(lines, index, (next) => next.trim() !== "" && !/^( {4}|\t)/.test(next));
      const code = lines.slice(index, end).map((text) => text.replace(/^( {4}|\t)/, ""));
      out.push(<Code text={code.join("\n").trimEnd()} />);
      index = end;
    } else if (line.startsWith(">")) {
      const end = until(lines, index, (next) => !next.startsWith(">"));
      out.push(
        <blockquote>{blocks(lines.slice(index, end).map((text) => text.replace(/^>\s?/, "")))}</blockquote>,
      );
      index = end;
    } else if (ITEM.test(line)) {
      const [list, next] = listFrom(lines, index);
      out.push(list);
      index = next;
    } else if (line.includes("|") && TABLE_RULE.test(lines[index + 1] ?? "")) {
      const end = until(lines, index, (next) => !next.includes("|"));
      out.push(tableOf(lines.slice(index, end)));
      index = end;
    } else {
      const end = until(
        lines,
        index + 1,
        (next) =>
          next.trim() === "" ||
          FENCE.test(next) ||
          HEADING.test(next) ||
          ITEM.test(next) ||
          next.startsWith(">"),
      );
      out.push(<p>{inline(lines.slice(index, end).join("\n"))}</p>);
      index = end;
    }
  }
  return out;
}

/** Code as it is written. Wide lines are scrolled, by keys too. */
const Code = ({ text }: { text: string }) => (
  <pre {...SCROLLED}>
    <code>{text}</code>
  </pre>
);

/** The first line from `start` for which `ends` holds, or the end. */
function until(lines: readonly string[], start: number, ends: (line: string) => boolean): number {
  let index = start;
  while (index < lines.length && !ends(lines[index]!)) index++;
  return index;
}

const closing = (lines: readonly string[], start: number, fence: string): number =>
  until(lines, start, (line) => line.trimStart().startsWith(fence));

/** A list with what is indented below its items, and the line after it. */
function listFrom(lines: readonly string[], start: number): [ComponentChildren, number] {
  const first = ITEM.exec(lines[start]!)!;
  const ordered = /\d/.test(first[2]!);
  const items: ComponentChildren[] = [];
  let index = start;
  while (index < lines.length) {
    const item = ITEM.exec(lines[index]!);
    if (item === null || item[1]!.length !== first[1]!.length || /\d/.test(item[2]!) !== ordered) break;
    const indent = item[0].length - item[3]!.length;
    const body = [item[3]!];
    index++;
    while (index < lines.length) {
      const line = lines[index]!;
      const inner = line.length - line.trimStart().length;
      const blank = line.trim() === "";
      if (blank) {
        const after = lines[index + 1] ?? "";
        if (after.trim() === "" || after.length - after.trimStart().length <= first[1]!.length) break;
      } else if (inner <= first[1]!.length && (ITEM.test(line) || body.at(-1) === "")) break;
      body.push(blank ? "" : line.slice(Math.min(inner, indent)));
      index++;
    }
    items.push(<li>{body.length === 1 ? inline(body[0]!) : blocks(body)}</li>);
    if ((lines[index] ?? "").trim() === "" && ITEM.test(lines[index + 1] ?? "")) index++;
  }
  return [ordered ? <ol start={Number.parseInt(first[2]!, 10)}>{items}</ol> : <ul>{items}</ul>, index];
}

function tableOf([head, , ...rows]: readonly string[]): ComponentChildren {
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll("\\|", "|")));
  return (
    <table>
      <thead>
        <tr>
          {cells(head!).map((cell) => (
            <th>{cell}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {cells(row).map((cell) => (
              <td>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const INLINE =
  /(`+)(.+?)\1|!\[([^\]]*)\]\([^)\s]*\)|\[([^\]]+)\]\(([^)\s]+)[^)]*\)|<(https?:\/\/[^>\s]+)>|\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*?)\*|\b_([^_\s][^_]*?)_\b|\\([\\`*_{}[\]()#+.!|>-])/s;

function inline(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  let rest = text;
  for (;;) {
    const match = INLINE.exec(rest);
    if (match === null) break;
    if (match.index > 0) out.push(rest.slice(0, match.index));
    out.push(span(match));
    rest = rest.slice(match.index + match[0].length);
  }
  if (rest !== "") out.push(rest);
  return out;
}

function span([
  ,
  ,
  code,
  picture,
  label,
  target,
  address,
  bold,
  bold2,
  italic,
  italic2,
  escaped,
]: RegExpExecArray) {
  if (code !== undefined) return <code>{code.length > 2 ? code.replace(/^ (.*) $/, "$1") : code}</code>;
  if (picture !== undefined) return <em>{picture}</em>;
  if (label !== undefined) return link(target!, inline(label));
  if (address !== undefined) return link(address, [address]);
  if (bold !== undefined || bold2 !== undefined) return <strong>{inline((bold ?? bold2)!)}</strong>;
  if (italic !== undefined || italic2 !== undefined) return <em>{inline((italic ?? italic2)!)}</em>;
  return escaped;
}

function link(target: string, children: ComponentChildren[]) {
  if (!/^(https?:\/\/|#)/.test(target)) return <span>{children}</span>;
  return (
    <a href={target} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
