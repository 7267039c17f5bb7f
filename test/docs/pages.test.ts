/** The form of all pages: what a link names is there, also the heading, and each table has a header, without which it is shown as text. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { withoutCode } from "../../tools/figures/markdown.js";
import { markdownFiles } from "../../tools/figures/project.js";

const root = resolve(import.meta.dirname, "../..");
const files = markdownFiles(root);
const read = (path: string) => readFileSync(join(root, path), "utf8");
const withoutFences = (text: string) =>
  text.replace(/^```[\s\S]*?^```/gm, (code) => code.replace(/[^\n]/g, ""));

/** The anchors of a page: those that it sets, and those that GitHub gives its headings; of equal ones the later have a number. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map((match) => match[1]!));
  for (const [, heading] of withoutFences(text).matchAll(/^#+ (.*)$/gm)) {
    const words = heading!
      .replace(/<!--.*?-->/g, "")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .trim()
      .toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-");
    let name = anchor;
    for (let n = 1; anchors.has(name); n++) name = `${anchor}-${n}`;
    anchors.add(name);
  }
  return anchors;
}

/** Links of a page that lead nowhere; links out of the project are not followed. */
function deadLinks(path: string, text: string, target = read): string[] {
  return [...withoutCode(text).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)/g)].flatMap(
    ([link, file, anchor]) => {
      const page = file === "" ? path : relative(root, resolve(root, dirname(path), file!));
      if (!existsSync(join(root, page))) return [`${path}: ${link}`];
      if (anchor === undefined || !page.endsWith(".md")) return [];
      return anchorsOf(page === path ? text : target(page)).has(anchor) ? [] : [`${path}: ${link}`];
    },
  );
}

/** Lines at which a table begins without the line of dashes below its first row. */
function headlessTables(path: string, text: string): string[] {
  const lines = withoutFences(text).split("\n");
  return lines.flatMap((line, at) =>
    line.startsWith("|") &&
    lines[at - 1]?.startsWith("|") !== true &&
    !/^\|[\s:|-]+$/.test(lines[at + 1] ?? "")
      ? [`${path}:${at + 1}`]
      : [],
  );
}

describe("pages", () => {
  it("link to files and headings that are there", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap((path) => deadLinks(path, read(path)))).toEqual([]);
  });

  it("have tables with a header", () => {
    expect(files.flatMap((path) => headlessTables(path, read(path)))).toEqual([]);
  });

  it("of which a dead link, a wrong heading and a headless table are found", () => {
    const text =
      "# A `b`: c\n\n[x](#a-b-c) [y](#a-c) [z](nowhere.md)\n\n| a |\n|---|\n| b |\n\n| c |\n| d |\n";
    expect(deadLinks("README.md", text)).toEqual(["README.md: ](#a-c)", "README.md: ](nowhere.md)"]);
    expect(headlessTables("README.md", text)).toEqual(["README.md:9"]);
  });
});
