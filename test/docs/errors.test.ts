/** Every diagnostic code in the source stands in docs/errors.md, once, and nothing else does. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

function codesUsed(): string[] {
  const codes = new Set<string>();
  for (const entry of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".ts")) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
    for (const match of text.matchAll(/"(P4\d{4})"/g)) codes.add(match[1]!);
  }
  return [...codes].sort();
}

it("docs/errors.md lists every code once", () => {
  const page = readFileSync(join(root, "docs/errors.md"), "utf8");
  const listed = [...page.matchAll(/^\| (P4\d{4}) \|/gm)].map((match) => match[1]!);
  expect(listed.filter((code, index) => listed.indexOf(code) !== index)).toEqual([]);
  expect([...listed].sort()).toEqual(codesUsed());
});
