/**
 * Finds measured figures that no command writes: tables, and paragraphs with several of them, outside the marks of
 * `markdown.ts`. A line directly above a table or paragraph, or the first of it, says where other numbers come from:
 *
 *     <!-- quoted: PAPER, place -->            they were taken from a paper or another project
 *     <!-- not measured: what they are -->     they are constants, settings or consequences of a formula
 *     <!-- compared by: test/FILE -->          a test computes them and compares the page
 *     <!-- measured once: DATE, with what -->  they compare with something that the project does not have; not for papers
 *     <!-- from: NAME -->                      a paragraph: they are the figures of the block NAME of this page (or PAGE:NAME)
 *
 * Inside a line, `<!-- quoted -->55 %<!-- /quoted -->` marks a single number of another source.
 */
import { pageName } from "./block.js";
import { marksOf, type Problem, withoutCode } from "./markdown.js";

/** A number with a unit, a percentage, a ratio or a decimal. Settings are written without a space: `10ms`. */
const UNIT =
  "(?:\\s?%|/s|\\s(?:percentage points|points|times|[numμµ]?s|min|minutes?|seconds?|microseconds|hours?|[KMGT]?i?B|[kKMGT]?(?:bps|b/s|B/s|bit/s)|[MG]bit|a second|packets/s|[kMG]?pps))";
const MEASURED = new RegExp(
  `(?<![\\w.#/-])[-+±~]?\\d[\\d,]*(?:(?:\\.\\d+)?(?:\\s?±\\s?[\\d.,]+)?${UNIT}(?![\\w])|\\.\\d+(?![\\w.]))`,
  "g",
);
/** Numbers that name something: `sections 3.4 and 3.5`, `Linux 6.15`, `1.15.5`. */
const NAMED =
  /\b\d+(?:\.\d+){2,}\b|\b(?:sections?|figures?|tables?|theorems?|appendix|chapters?|RFC|Linux|Node|Debian|versions?|P4Runtime|P4|BMv2|p4c|ns-3|gRPC|TLS|[Pp]ython|kernel) v?\d+(?:\.\d+)*(?:(?:,| and| to) \d+(?:\.\d+)*)*/g;
/** A cell that is one number, or several. */
const BARE_NUMBERS = /^[-+±~<>≤≥\s,;/().–…]*\d[-+±~<>≤≥\d\s,;/().–…]*$/;

/** What another mark answers for, and what is not text. */
function bareText(text: string): string {
  return text
    .replace(/<!-- figure: \S+ -->[\s\S]*?<!-- \/figure -->/g, "")
    .replace(/<!-- quoted -->[\s\S]*?<!-- \/quoted -->/g, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/\]\([^)]*\)/g, "]")
    .replace(NAMED, "");
}

/** The measured figures in a text, as they stand there. */
export function figuresIn(text: string): string[] {
  return [...bareText(text).matchAll(MEASURED)].map(([figure]) => figure.trim());
}

/** A paragraph with this number of measured figures must point to their block. */
const SEVERAL = 3;

interface Part {
  /** Number of the first line, and the lines; code has been replaced by spaces. */
  readonly line: number;
  readonly lines: readonly string[];
}

const LIST_ITEM = /^\s*(?:[-*]|\d+\.) /;
const MARK = /<!-- (quoted|not measured|compared by|measured once|from): (.*?) -->/;
const MARK_LINE = new RegExp(`^\\s*${MARK.source}\\s*$`);

/** The paragraphs, list items and tables of a text. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  const close = (next: number) => {
    if (lines.length > 0) parts.push({ line: next - lines.length, lines });
    lines = [];
  };
  const all = text.split("\n");
  all.forEach((line, index) => {
    const number = index + 1;
    const inTable = lines.at(-1)?.startsWith("|") ?? false;
    const marks = lines.every((each) => MARK_LINE.test(each));
    const begins = (LIST_ITEM.test(line) || line.startsWith("|") !== inTable) && !marks;
    if (line.trim() === "" || begins || /^#/.test(line)) close(number);
    if (line.trim() !== "" && !/^#/.test(line)) lines.push(line);
  });
  close(all.length + 1);
  return parts;
}

/** The text with spaces in place of the blocks of figures. */
function withoutBlocks(path: string, text: string): string {
  let result = text;
  for (const { start, end } of marksOf(path, text).blocks)
    result = result.slice(0, start) + result.slice(start, end).replace(/[^\n]/g, " ") + result.slice(end);
  return result;
}

/** The cells of a row of a table. */
const cellsOf = (line: string) =>
  line
    .replace(/^\|/, "")
    .replace(/\|\s*$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/**
 * Whether a good part of the table is measured figures: a third of its cells, or half of its rows, outside the first column
 * and the columns of the paper.
 */
function isMeasured(lines: readonly string[]): boolean {
  const ours = cellsOf(lines[0]!).map(
    (name, column) => column > 0 && !/^(the )?papers?\b|^claim/i.test(name),
  );
  const rows = lines.slice(2).map((line) =>
    cellsOf(line)
      .filter((cell, column) => ours[column] && cell !== "")
      .map((cell) => bareText(cell).trim())
      .map((cell) => BARE_NUMBERS.test(cell.replaceAll("*", "")) || figuresIn(cell).length > 0),
  );
  const cells = rows.flat();
  const measured = cells.filter((is) => is).length;
  const rowsWith = rows.filter((row) => row.includes(true)).length;
  return measured >= 2 && (measured * 3 >= cells.length || rowsWith * 2 >= rows.length);
}

/** What a mark `from` points to: the text of the block with its values; undefined if there is none. */
export type Rendered = (page: string, name: string) => string | undefined;

/** Tables of measured figures outside the blocks of a page, and paragraphs that do not say where their figures are from. */
export function unmarkedFigures(
  path: string,
  text: string,
  rendered: Rendered,
): { tables: Problem[]; prose: Problem[] } {
  const tables: Problem[] = [];
  const prose: Problem[] = [];
  for (const { line, lines } of partsOf(withoutBlocks(path, withoutCode(text)))) {
    const body = lines.filter((each) => !MARK_LINE.test(each));
    const at = { path, line: line + lines.length - body.length };
    if (body.length === 0) continue;
    const inTable = body[0]!.startsWith("|");
    const marks = MARK.exec((inTable ? lines.slice(0, -body.length) : lines).join("\n")) ?? [];
    if (inTable) {
      if (marks.length === 0 && isMeasured(body))
        tables.push({
          ...at,
          message:
            "a table of measured figures outside a block: define it in tools/figures/pages, or say above it <!-- quoted: ... --> or <!-- not measured: ... -->",
        });
      continue;
    }
    const figures = figuresIn(body.join("\n"));
    if (marks[1] === "from") {
      prose.push(...notInBlocks(path, at.line, marks[2]!, figures, rendered));
      continue;
    }
    if (marks.length === 0 && figures.length >= SEVERAL)
      prose.push({
        ...at,
        message: `a paragraph with measured figures (${figures.slice(0, 4).join("; ")}) that no block writes: <!-- figure: NAME.value -->, or above it <!-- from: NAME -->, <!-- quoted: ... --> or <!-- not measured: ... -->`,
      });
  }
  return { tables, prose };
}

/** The figures of a paragraph that are not in the blocks that it names. */
function notInBlocks(
  path: string,
  line: number,
  names: string,
  figures: readonly string[],
  rendered: Rendered,
) {
  const problems: Problem[] = [];
  const texts: string[] = [];
  for (const name of names.split(/,\s*/)) {
    const [page, block] = name.includes(":") ? name.split(":") : [pageName(path), name];
    const found = rendered(page!, block!);
    if (found === undefined)
      problems.push({ path, line, message: `<!-- from: ${name} -->: there is no such block` });
    else texts.push(found);
  }
  const numbers = new Set(texts.join("\n").match(/\d[\d,]*(?:\.\d+)?/g) ?? []);
  for (const figure of figures) {
    const number = /\d[\d,]*(?:\.\d+)?/.exec(figure)![0];
    if (problems.length === 0 && !numbers.has(number))
      problems.push({ path, line, message: `"${figure}" is not among the figures of ${names}` });
  }
  return problems;
}
