/** Every sentence of success is in one list, is printed from there, and has a test with an input for which it must not appear. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { CLAIMS } from "../../src/base/index.js";

const root = resolve(import.meta.dirname, "../..");

const sources = ["src", "pages"]
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes("generated"))
  .map((entry) => join(entry.parentPath, entry.name))
  // The text of the P4 files that programs include: no message.
  .filter((file) => relative(root, file) !== join("src", "toolchain", "p4", "stdlib", "sources.ts"))
  .sort();

/** Words by which a program says that something is right. */
const SUCCESS = [
  /\bno choice depends\b/i,
  /\bno dependence\b/i,
  /\bverified\b/i,
  /\bfits\b.*\bby counts only\b/i,
  /\bpassed\b/i,
  /\b(is|are|was|were) (all )?(right|correct|healthy|certain|proved|fine)\b/i,
  /\b(nothing|none|no (packets?|frames?|flows?|segments?|data|bytes)) (is|are|was|were|has been|have been) (lost|late|dropped)\b/i,
  /\b0 (packets |frames |flows )?lost\b/i,
  /\b(all|every) \w+( \w+)? (have |has )?(passed|ended|arrived|succeeded|recovered|completed|agree|fit)\b/i,
  /\b(un)?successful(ly)?\b/i,
  /\blocalised\b/i,
  /\bworks$/i,
  /\b(no|without) (differences?|counterexamples?|errors?|faults?|problems?)( (was|were) found)?[.!]?$/i,
  /\bupdate (is )?complete(d)?\b/i,
  /\bconforms?\b/i,
  /\bcertain for all\b/i,
  /\bsame bytes:/i,
];

/** String literals and templates of a source, with # for what a template fills in; no types, imports, comparisons and names of claims. */
function texts(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isLiteralTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText(file))) return;
    // The name of a claim.
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "claim") {
      for (const part of node.arguments.slice(1)) visit(part);
      return;
    }
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    if (ts.isTemplateExpression(node))
      found.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("#"));
    ts.forEachChild(node, visit);
  };
  const file = ts.createSourceFile("source.tsx", source, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX);
  visit(file);
  return found;
}

const isSuccess = (text: string): boolean => SUCCESS.some((pattern) => pattern.test(text));

/** Sources are parsed only where their text has such words at all. */
const successes = (source: string): string[] =>
  source.split("\n").some(isSuccess) ? texts(source).filter(isSuccess) : [];

/** Texts with such words that claim nothing: words of a protocol or a help page, or the opposite. */
const NO_CLAIMS: Readonly<Record<string, readonly string[]>> = {
  "src/cli/examples.ts": ["exit status 0 when every expected packet arrived"],
  // They name the command that answers.
  "src/cli/compile.ts": [
    "--p4runtime-files and --bfrt write what its controllers read; p4loom check says whether it is right",
  ],
  "src/toolchain/p4/compile.ts": ["p4loom check says whether the program is right"],
  "src/cli/hash/assign.ts": ["Not proved: that these are independent; drawn headers show no dependence: #."],
  // A state of the lab's protocol, of which the page makes a mark; the grade itself is counted by `src/course/grading`.
  "src/course/lab/exercise-tests.ts": ["passed"],
  "src/course/lab-server/room/room.ts": ["passed"],
  "src/toolchain/p4/types/binary.ts": ["values of a type parameter can only be assigned and passed on"],
  "src/fabric/schemes/pecmp/index.ts": [
    "P-ECMP's groups differ in size here: its offsets are certain to leave a failed path for # of # pairs of racks.",
  ],
};

describe("sentences of success", () => {
  it("have a breaking test each, which exists under its title", () => {
    for (const [name, { sentence, breakingTest }] of Object.entries(CLAIMS)) {
      expect(sentence.trim(), name).not.toBe("");
      const [file, title, ...rest] = breakingTest.split(" > ");
      expect(rest, name).toEqual([]);
      expect(existsSync(join(root, file!)), `${name}: ${file}`).toBe(true);
      const text = readFileSync(join(root, file!), "utf8");
      expect(text.includes(`"${title}"`), `${name}: ${file} has no test "${title}"`).toBe(true);
      expect(text, `${name}: ${file} skips tests`).not.toMatch(/\b(it|describe)\.(skip|todo|only)\(/);
    }
  });

  it("are printed from the list, each at least at one place", () => {
    const used = new Set(
      sources.flatMap((file) =>
        [...readFileSync(file, "utf8").matchAll(/\bclaim\(\s*([^)]*)/g)].flatMap(([, inner]) =>
          [...inner!.matchAll(/"(\w+)"/g)].map(([, name]) => name!),
        ),
      ),
    );
    expect(Object.keys(CLAIMS).filter((name) => !used.has(name))).toEqual([]);
  });

  it("stand nowhere else", () => {
    const outside = sources
      .filter((file) => relative(root, file) !== join("src", "base", "claims.ts"))
      .flatMap((file) => {
        const place = relative(root, file);
        const known = NO_CLAIMS[place] ?? [];
        return successes(readFileSync(file, "utf8"))
          .filter((text) => !known.includes(text))
          .map((text) => `${place}: ${text}`);
      });
    expect(outside).toEqual([]);
  });

  it("keep no exception that the sources do not need", () => {
    const needless = Object.entries(NO_CLAIMS).flatMap(([place, list]) => {
      const found = existsSync(join(root, place)) ? successes(readFileSync(join(root, place), "utf8")) : [];
      return list.filter((text) => !found.includes(text)).map((text) => `${place}: ${text}`);
    });
    expect(needless).toEqual([]);
  });

  it.each([
    'const note = "No choice depends on an earlier one.";',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    "out(`${sent} frames sent, 0 lost`);",
    'write("nothing was lost");',
    'return ok ? "all flows ended" : "";',
    'print("update complete");',
    'notes.push("the failure is localised");',
    'print("all 12 checks passed");',
  ])("are found in a source that prints one by itself: %s", (source) => {
    expect(successes(source)).toHaveLength(1);
  });

  it.each(['// "all tests passed"\nrun();', '/* "nothing was lost" */', 'fail("no route is left");'])(
    "are not seen in comments and other texts: %s",
    (source) => {
      expect(successes(source)).toEqual([]);
    },
  );
});
