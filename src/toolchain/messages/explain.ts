/** Diagnostics explained on a terminal, and as data. */
import { closest, given } from "../../base/index.js";
import type { Entry, Example, Group } from "./catalogue.js";

/** Longer inputs are shown at the lines that differ. */
const WHOLE_LINES = 20;
/** Lines shown around those that differ. */
const AROUND = 2;

/** A code as users type it, in the form of the catalogue: `p40301` and `40301` are `P40301`. */
export function normalCode(typed: string): string {
  return typed.toUpperCase().replace(/^(?:P?)(4\d*)(?:XX)?$/, "P$1");
}

export function entryOf(groups: readonly Group[], code: string): { group: Group; entry: Entry } | undefined {
  for (const group of groups) {
    const entry = group.entries.find((one) => one.code === code);
    if (entry !== undefined) return { group, entry };
  }
  return undefined;
}

/** The code that was most likely meant: one with few wrong digits, otherwise the next number. */
export function nearestCode(groups: readonly Group[], code: string): string | undefined {
  const codes = groups.flatMap(({ entries }) => entries.map((entry) => entry.code)).sort();
  if (!/^P\d{1,6}$/.test(code)) return closest(code, codes);
  const number = Number(code.slice(1));
  const distance = (one: string) => Math.abs(Number(one.slice(1)) - number);
  const sameHundred = codes.filter((one) => one.slice(0, 4) === code.slice(0, 4) && code.length === 6);
  if (sameHundred.length > 0)
    return sameHundred.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  return closest(code, codes) ?? codes.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

/** The text of one diagnostic. */
export function entryText({ title }: Group, { code, meaning, remedy, example }: Entry): string {
  const lines = [`${code} (${title})`, "", sentence(meaning), "", `What to do: ${sentence(remedy)}`];
  if (example !== undefined) {
    const [wrong, right] = excerpts(example);
    lines.push("", "Wrong:", "", ...indented(wrong), "", "Right:", "", ...indented(right));
  }
  return lines.join("\n");
}

/** One diagnostic as data; both inputs whole. */
export function entryJson({ prefix, title }: Group, { code, meaning, remedy, example }: Entry): object {
  return { code, group: prefix, title, meaning, remedy, ...given({ example }) };
}

/** The groups, a line each. */
export function groupsText(groups: readonly Group[]): string {
  const width = Math.max(...groups.map(({ entries }) => String(entries.length).length));
  const lines = groups.map(
    ({ prefix, title, entries }) => `${prefix}xx  ${String(entries.length).padStart(width)}  ${title}`,
  );
  const count = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  return [
    ...lines,
    "",
    `${count} codes. p4loom explain P403 lists a group, p4loom explain P40305 explains a code.`,
  ].join("\n");
}

/** The codes of a group, a line each. */
export function groupText({ prefix, title, about, entries }: Group): string {
  return [
    `${prefix}xx: ${title}`,
    ...(about === undefined ? [] : [sentence(about)]),
    "",
    ...entries.map(({ code, meaning }) => `${code}  ${sentence(meaning)}`),
  ].join("\n");
}

/** The groups as data, without the examples. */
export function groupsJson(groups: readonly Group[]): object[] {
  return groups.map(({ prefix, title, about, entries }) => ({
    group: prefix,
    title,
    ...given({ about }),
    codes: entries.map(({ code, meaning, remedy }) => ({ code, meaning, remedy })),
  }));
}

/** A text of the catalogue as a sentence of plain text: links lose their targets. */
function sentence(text: string): string {
  const plain = text.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  return plain.charAt(0).toUpperCase() + plain.slice(1) + (/[.?!:]$/.test(plain) ? "" : ".");
}

/** Wrong and right input: whole if short, otherwise the lines that differ and some around them. */
function excerpts({ wrong, right }: Example): [string[], string[]] {
  const [one, other] = [linesOf(wrong), linesOf(right)];
  if (Math.max(one.length, other.length) <= WHOLE_LINES) return [one, other];
  const same = (a: number, b: number) => plainLine(one[a]) === plainLine(other[b]);
  let start = 0;
  while (start < Math.min(one.length, other.length) && same(start, start)) start++;
  let end = 0;
  const most = Math.min(one.length, other.length) - start;
  while (end < most && same(one.length - 1 - end, other.length - 1 - end)) end++;
  return [excerpt(one, start, one.length - end), excerpt(other, start, other.length - end)];
}

/** The mark `// <- here` makes no difference. */
function plainLine(line: string | undefined): string | undefined {
  return line?.replace(/ *(?:\/\/|#) <- here/, "");
}

function excerpt(lines: readonly string[], start: number, end: number): string[] {
  const from = Math.max(0, start - AROUND);
  const to = Math.min(lines.length, end + AROUND);
  return [...(from > 0 ? ["..."] : []), ...lines.slice(from, to), ...(to < lines.length ? ["..."] : [])];
}

function linesOf(text: string): string[] {
  return text.replace(/\n+$/, "").split("\n");
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : `    ${line}`));
}
