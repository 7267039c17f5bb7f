/** The pages and blocks of the project together: definitions, stored results, renderings, and what is wrong with them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { type Block, type Page, pageName, runsOf } from "./block.js";
import { marksOf, type Problem, rewritten } from "./markdown.js";
import { isQuick, readStored, type Stored, staleness, storePath } from "./store.js";

/** A block with its page and its stored results. */
export interface Entry {
  readonly page: Page;
  /** Name of the page: `papers/dahu`. */
  readonly on: string;
  readonly name: string;
  readonly block: Block;
  readonly stored: Stored | undefined;
}

const PAGES = "tools/figures/pages";

/** Files below a folder with an ending, sorted. */
function filesBelow(root: string, folder: string, ending: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

/** All pages that people read. */
export const markdownFiles = (root: string): string[] => ["README.md", ...filesBelow(root, "docs", ".md")];

/** The definitions of all pages. */
export async function definedPages(root: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (const file of filesBelow(root, PAGES, ".ts")) {
    const { default: made } = (await import(pathToFileURL(join(root, file)).href)) as { default?: Page };
    if (made === undefined) continue;
    if (file !== `${PAGES}/${pageName(made.path)}.ts`)
      throw new Error(`${file} defines ${made.path}: its place is ${PAGES}/${pageName(made.path)}.ts`);
    pages.push(made);
  }
  return pages;
}

export function entriesOf(root: string, pages: readonly Page[]): Entry[] {
  return pages.flatMap((page) => {
    const on = pageName(page.path);
    return Object.entries(page.blocks).map(([name, block]) => ({
      page,
      on,
      name,
      block,
      stored: readStored(root, on, name),
    }));
  });
}

/** The command that remakes a block. */
export const remakeCommand = (on: string, name: string): string => `make figures PAGE=${on} BLOCK=${name}`;

/** At most this number of commands stands below a rendering; for more, the one that remakes the block. */
const SHOWN_COMMANDS = 3;

/** The last line of a rendering: how it was made, and when, if that is not checked with each change. */
function originLine({ block, on, name, stored }: Entry): string {
  const lines = new Set(runsOf(block).flatMap(([, runs]) => runs.map((made) => made.line)));
  const commands =
    lines.size <= SHOWN_COMMANDS
      ? [...lines].map((line) => `\`${line}\``).join(", ")
      : `\`${remakeCommand(on, name)}\`, which runs ${lines.size} commands`;
  if (isQuick(block, stored)) return `Made by ${commands}.`;
  const { date, commit, machine, note } = stored!;
  const when = [date, `commit ${commit}`, ...(machine === undefined ? [] : [machine])].join(", ");
  return `Made by ${commands} (${when}${note === undefined ? "" : `; ${note}`}).`;
}

/** The lines of a block as they belong on its page. */
export function renderingOf(entry: Entry): readonly string[] {
  const lines = entry.block.render?.(entry.stored!.results) ?? [];
  return [...lines, "", originLine(entry)];
}

/** Whether the store has results of all runs; a definition with further runs must be made first. */
const isComplete = ({ block, stored }: Entry) =>
  stored !== undefined && runsOf(block).every(([key]) => Object.hasOwn(stored.results, key));

/** The page with the figures of the store, and its problems. */
export function renderedPage(
  root: string,
  path: string,
  entries: readonly Entry[],
): { text: string; problems: Problem[] } {
  const find = (on: string, name: string) =>
    entries.find((entry) => entry.on === on && entry.name === name && isComplete(entry));
  return rewritten(path, readFileSync(join(root, path), "utf8"), {
    lines: (name) => {
      const entry = find(pageName(path), name);
      return entry?.block.render === undefined ? undefined : renderingOf(entry);
    },
    value: (on, name, value) => {
      const entry = find(on, name);
      return entry?.block.values?.(entry.stored!.results)[value];
    },
  });
}

/** The text of a block with its values, for paragraphs that point to it. */
export function textOf(entries: readonly Entry[], on: string, name: string): string | undefined {
  const entry = entries.find((each) => each.on === on && each.name === name);
  if (entry?.stored === undefined || !isComplete(entry)) return undefined;
  const values = entry.block.values?.(entry.stored.results) ?? {};
  return [...(entry.block.render?.(entry.stored.results) ?? []), ...Object.values(values)].join("\n");
}

/** Blocks without results or a place on a page, results without a block, results that are out of date. */
export function problemsOfBlocks(root: string, pages: readonly Page[], entries: readonly Entry[]): Problem[] {
  const problems: Problem[] = [];
  const used = new Set<string>();
  for (const path of markdownFiles(root)) {
    const marks = marksOf(path, readFileSync(join(root, path), "utf8"));
    for (const { name } of marks.blocks) used.add(`${pageName(path)}:${name}`);
    for (const value of marks.values) used.add(`${value.page}:${value.name}:values`);
  }
  for (const { page, on, name, block, stored } of entries) {
    const problem = (message: string) => problems.push({ path: storePath(on, name), line: 1, message });
    const remake = remakeCommand(on, name);
    if (stored === undefined) problem(`block "${name}" of ${page.path} has no results: ${remake}`);
    else for (const reason of staleness(root, block, stored)) problem(`out of date, ${reason}: ${remake}`);
    if (block.render !== undefined && !used.has(`${on}:${name}`))
      problem(
        `block "${name}" does not stand on ${page.path}: <!-- figures: ${name} --> and <!-- /figures -->`,
      );
    if (block.render === undefined && !used.has(`${on}:${name}:values`))
      problem(
        `no page has a value of block "${name}" of ${page.path}: <!-- figure: ${name}.VALUE --><!-- /figure -->`,
      );
  }
  const known = new Set(entries.map(({ on, name }) => storePath(on, name)));
  for (const path of filesBelow(root, "docs/figures", ".json"))
    if (!known.has(path))
      problems.push({ path, line: 1, message: "results of a block that no page defines: remove them" });
  for (const { path } of pages)
    if (!existsSync(join(root, path))) problems.push({ path, line: 1, message: "there is no such page" });
  return problems;
}

/** Processor time that CI spends on blocks, in seconds. */
const CI_SECONDS = 15 * 60;

/** The quick blocks that CI remakes: the shortest ones first, as many as fit in its time. Equal runs count each time. */
export function chosenForCi(entries: readonly Entry[], limit = CI_SECONDS): Entry[] {
  const quick = entries.filter(({ block, stored }) => isQuick(block, stored));
  const seconds = ({ stored }: Entry) => stored!.processor_seconds!;
  quick.sort((a, b) => seconds(a) - seconds(b) || (`${a.on}:${a.name}` < `${b.on}:${b.name}` ? -1 : 1));
  let sum = 0;
  return quick.filter((entry) => (sum += seconds(entry)) <= limit);
}
