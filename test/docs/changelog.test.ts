/** The form of CHANGELOG.md: short enough to be read, and true about the exports that it sends users to. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const text = readFileSync(join(root, "CHANGELOG.md"), "utf8");
const [releases, moved] = text.split("## Moved subpaths and names");

describe("CHANGELOG.md", () => {
  it("has releases by day, the newest first, below what is unreleased", () => {
    const titles = [...releases!.matchAll(/^## (.+)$/gm)].map((match) => match[1]!);
    expect(titles[0]).toBe("Unreleased");
    const days = titles.slice(1);
    for (const day of days) expect(day).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(days).toEqual([...new Set(days)].sort().reverse());
  });

  it("has at most five entries a subject, each in one line that can be read at once", () => {
    const subjects = releases!.split(/^### /m).slice(1);
    expect(subjects.length).toBeGreaterThan(20);
    for (const subject of subjects) {
      const [title, ...lines] = subject.split("\n## ")[0]!.trim().split("\n");
      const entries = lines.filter((line) => line !== "");
      expect(entries.length, title).toBeGreaterThan(0);
      expect(entries.length, title).toBeLessThanOrEqual(5);
      for (const entry of entries) {
        expect(entry, title).toMatch(/^- /);
        expect(entry.length, entry).toBeLessThanOrEqual(300);
      }
    }
  });

  it("sends users of moved names to subpaths that are exported", () => {
    const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      exports: Record<string, string>;
    };
    const rows = [...moved!.matchAll(/^\| (?!was)(.+) \| (.+) \|$/gm)];
    expect(rows.length).toBeGreaterThan(0);
    for (const [row, , is] of rows)
      for (const [, path] of is!.matchAll(/`p4loom\/([a-z0-9/-]+)`/g))
        expect(Object.keys(exports), row).toContain(`./${path}`);
  });
});
