/** The words of the page: every language has all of them with the same places, the page uses all of them, and has no other words. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { afterEach, describe, expect, it } from "vitest";
import { firstOffered } from "../../../../pages/lab/language/first-offered.js";
import {
  ENGLISH,
  language,
  numberText,
  rich,
  type TextKey,
  t,
} from "../../../../pages/lab/language/texts.js";

const ROOT = resolve(import.meta.dirname, "../../../..");
const FOLDER = join(ROOT, "data/languages");
const PAGE = join(ROOT, "pages/lab");

type Text = string | Readonly<Record<string, string>>;

const read = (name: string): Readonly<Record<string, Text>> =>
  (JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as { texts: Record<string, Text> }).texts;

const english = read("en.json");
const codes = readdirSync(FOLDER).map((name) => name.replace(".json", ""));

const formsOf = (text: Text): string[] => (typeof text === "string" ? [text] : Object.values(text));
const placesOf = (text: Text): string[] =>
  [
    ...new Set(formsOf(text).flatMap((form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))),
  ].sort();

afterEach(() => language.set(ENGLISH));

describe.each(codes)("the language %s", (code) => {
  const texts = read(`${code}.json`);

  it("has every text, no other, and none that is empty", () => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(texts))
      for (const form of formsOf(text)) expect(form.trim(), key).not.toBe("");
  });

  it("has the places of the English texts, and the plural forms of its own rules", () => {
    const categories = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
    for (const [key, text] of Object.entries(texts)) {
      expect(placesOf(text), key).toEqual(placesOf(english[key]!));
      if (typeof text !== "string") expect(Object.keys(text).sort(), key).toEqual([...categories].sort());
    }
  });
});

it("is complete in English and in German", () => {
  expect(codes).toEqual(expect.arrayContaining(["en", "de"]));
});

// ------------------------------------------------------------------ the sources of the page

const sources = readdirSync(PAGE, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
  .map((name) => {
    const text = readFileSync(join(PAGE, name), "utf8");
    return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  });

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

/** The keys that an expression can name: a text, both sides of a condition, or all that fit a template. */
function keysOf(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...keysOf(node.whenTrue), ...keysOf(node.whenFalse)];
  if (ts.isTemplateExpression(node)) {
    const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
    const pattern = new RegExp(`^${parts.map((part) => part.replaceAll(".", "\\.")).join("\\w+")}$`);
    return Object.keys(english).filter((key) => pattern.test(key));
  }
  return [];
}

interface Use {
  keys: string[];
  /** Names of the values; undefined: not known, as they are spread. */
  values: string[] | undefined;
  at: string;
}

const uses = sources.flatMap((file): Use[] =>
  [...nodesOf(file)].flatMap((node) => {
    if (!ts.isCallExpression(node) || !/^(t|rich)$/.test(node.expression.getText(file))) return [];
    const [key, values] = node.arguments;
    const at = `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`;
    if (values === undefined) return [{ keys: keysOf(key!), values: [], at }];
    const known =
      ts.isObjectLiteralExpression(values) && values.properties.every((one) => !ts.isSpreadAssignment(one));
    const names = known ? values.properties.map((one) => one.name!.getText(file)) : undefined;
    return [{ keys: keysOf(key!), values: names, at }];
  }),
);

/** Used by other code: the start of the page (tools/build-page.mjs), and the editor, which takes all of its phrases. */
const ELSEWHERE = /^(page\.notStarted$|page\.noScript$|editor\.phrase\.)/;

describe("the sources of the page", () => {
  it("use every text", () => {
    const used = new Set(uses.flatMap(({ keys }) => keys));
    expect(Object.keys(english).filter((key) => !used.has(key) && !ELSEWHERE.test(key))).toEqual([]);
  });

  it("give every text the values for its places, where they are written at the call", () => {
    const plural = (key: string) => (typeof english[key] === "string" ? [] : ["count"]);
    let compared = 0;
    for (const { keys, values, at } of uses)
      for (const key of values === undefined ? [] : keys) {
        const wanted = [...new Set([...placesOf(english[key]!), ...plural(key)])].sort();
        expect([...values!].sort(), `${at} ${key}`).toEqual(wanted);
        compared++;
      }
    expect(compared).toBeGreaterThan(250);
  });

  it("have no words of their own", () => {
    const spoken = new Set(["aria-label", "title", "placeholder", "label", "alt"]);
    // names and words that are the same in every language
    const names = /^(p4loom|p4loom lab|ping|UDP|TCP|const|ping h2)$/;
    const found: string[] = [];
    for (const file of sources)
      for (const node of nodesOf(file)) {
        const text = ts.isJsxText(node)
          ? node.text
          : ts.isJsxAttribute(node) &&
              spoken.has(node.name.getText(file)) &&
              node.initializer !== undefined &&
              ts.isStringLiteral(node.initializer)
            ? node.initializer.text
            : "";
        if (/\p{L}{2}/u.test(text) && !names.test(text.trim()))
          found.push(`${file.fileName}: ${text.trim()}`);
      }
    expect(found).toEqual([]);
  });

  it("have the words of the editor's own parts", () => {
    const parts = ["search", "lint", "autocomplete", "commands", "language", "view"];
    const phrases = new Set(
      parts.flatMap((part) => {
        const code = readFileSync(join(ROOT, `node_modules/@codemirror/${part}/dist/index.js`), "utf8");
        return [...code.matchAll(/\bphrase\(([^)]*)/g)].flatMap(([, words]) =>
          [...words!.matchAll(/"([^"]+)"/g)].map(([, phrase]) => phrase!),
        );
      }),
    );
    const prefix = "editor.phrase.";
    const own = Object.keys(english).filter((key) => key.startsWith(prefix));
    expect(own.map((key) => key.slice(prefix.length)).sort()).toEqual([...phrases].sort());
    for (const key of own) expect(english[key]).toBe(key.slice(prefix.length));
  });
});

describe("a text", () => {
  const german = { code: "de", texts: read("de.json") };

  it("has its values in its places, and its form by the rules of the language", () => {
    expect(t("program.errors", { count: 1 })).toBe("1 error");
    expect(t("program.errors", { count: 1200 })).toBe("1,200 errors");
    language.set(german);
    expect(t("program.errors", { count: 1200 })).toBe("1.200 Fehler");
    expect(t("state.groups", { count: 1 })).toBe("1 Gruppe");
    expect(t("state.groups", { count: 0 })).toBe("0 Gruppen");
    expect(numberText(1.5)).toBe("1,5");
    expect(rich("story.sends", { node: "h1", bytes: "98 B", at: 7 })).toEqual([
      "",
      "h1",
      " sendet ",
      "98 B",
      " ",
      7,
      "",
    ]);
  });

  it("is English where a language does not have it, and keeps what is written in a value", () => {
    language.set({
      code: "pl",
      texts: { "state.groups": { one: "{count} grupa", few: "{count} grupy", other: "{count} grup" } },
    });
    expect([1, 3, 5].map((count) => t("state.groups", { count }))).toEqual(["1 grupa", "3 grupy", "5 grup"]);
    expect(t("state.members", { count: 3 })).toBe("3 members");
    expect(t("lab.saved", { path: "{path} $& $1" })).toBe("{path} $& $1 is saved");
    expect(t("constructor" as TextKey)).toBe("");
  });
});

describe("the language of the page", () => {
  const offered = ["en", "de", "pt-BR"].map((code) => ({ code }));
  it.each([
    [[null, null, "de-AT", "en"], "de"],
    [["xx", null, "fr-FR", "en-GB"], "en"],
    [["pt-br"], "pt-BR"],
    [[null, "de", "en"], "de"],
    [["fr"], undefined],
  ])("%j is %s", (wanted, code) => {
    expect(firstOffered(offered, wanted)?.code).toBe(code);
  });
});
