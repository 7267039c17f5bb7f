/** Every diagnostic code in the source is in the catalogue, once, and no other code is; docs/errors.md is the catalogue as a page. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { installedCatalogue } from "../../src/cli/explain/explain.js";
import { MEANINGS } from "../../src/toolchain/fit/codes.js";
import { errorsPage } from "../../src/toolchain/messages/index.js";

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

const catalogue = installedCatalogue();

it("docs/errors.md is made from the catalogue", async () => {
  await expect(errorsPage(catalogue)).toMatchFileSnapshot(join(root, "docs/errors.md"));
});

it("pages that a row names are in the archive", () => {
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
  const leftOut = files
    .filter((pattern) => pattern.startsWith("!docs/"))
    .map(
      (pattern) => new RegExp(`^${pattern.slice(1).replaceAll(".", "\\.").replaceAll("*", "[^/]*")}(/|$)`),
    );
  const rows = catalogue.flatMap(({ entries }) => entries.map((entry) => JSON.stringify(entry))).join("\n");
  const named = [...new Set(rows.match(/docs\/[\w/.-]+\.md/g))];
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((page) => leftOut.some((pattern) => pattern.test(page)))).toEqual([]);
});

it("data/diagnostics has every code once", () => {
  const listed = catalogue.flatMap(({ entries }) => entries.map(({ code }) => code));
  expect(listed.filter((code, index) => listed.indexOf(code) !== index)).toEqual([]);
  expect([...listed].sort()).toEqual(codesUsed());
});

it("the rules of a SARIF document have the meanings of the catalogue", () => {
  const meanings = new Map(
    catalogue.flatMap(({ entries }) => entries.map(({ code, meaning }) => [code, meaning])),
  );
  for (const [code, meaning] of Object.entries(MEANINGS))
    expect(meanings.get(code)!.replace(/^Warning: (.)/, (_, first: string) => first.toUpperCase())).toBe(
      meaning,
    );
});

it("codes are in the catalogues of the rooms alone", () => {
  const outside = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (path) =>
      /^(?!(?:base\/packets|cli|[^/]+\/[^/]+|fabric\/sim\/[^/]+)\/codes\.ts$).*\.ts$/.test(path) &&
      /"P4\d{4}"/.test(readFileSync(join(root, "src", path), "utf8")),
  );
  expect(outside).toEqual([]);
});

/** Rooms that name their codes in one catalogue, `codes.ts`. */
const rooms = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("/codes.ts"))
  .map((path) => path.slice(0, -"/codes.ts".length))
  .sort();

it.each(rooms)("the codes of %s are in its catalogue alone, each once, and each is in use", (room) => {
  const folder = join(root, "src", room);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
  const catalogue = readFileSync(join(folder, "codes.ts"), "utf8");
  const entries = [...catalogue.matchAll(/^ {2}(\w+): "(P4\d{4})",/gm)];
  expect(entries.length).toBeGreaterThan(0);
  const codes = entries.map(([, , code]) => code!);
  expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  const text = files
    .filter((path) => path !== join(folder, "codes.ts"))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  const command = readdirSync(join(root, "src/cli"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(root, "src/cli", path), "utf8"))
    .join("\n");
  expect(text.match(/"P4\d{4}"/g)).toBeNull();
  expect(
    entries
      .filter(([, name]) => !new RegExp(`CODES\\.${name}\\b`).test(text + command))
      .map(([, name]) => name),
  ).toEqual([]);
});
