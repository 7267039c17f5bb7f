/** Translations of an exercise's texts: their form, their tests, and those of the course. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import {
  type Exercise,
  filesOf,
  readExercise,
  readTranslation,
  translationsOf,
} from "../../../src/course/exercises/index.js";
import { checkTranslations, exerciseTests } from "../../../src/course/lab/index.js";

const COURSE = resolve(import.meta.dirname, "../../../examples/course");
function textsOf(name: string): Map<string, string> {
  const folder = join(COURSE, name);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return new Map(
    entries.map((one) => {
      const path = join(one.parentPath, one.name);
      return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
    }),
  );
}

function exerciseOf(texts: ReadonlyMap<string, string>): Exercise {
  const exercise = readExercise(filesOf(texts), "", new Diagnostics());
  if (exercise === undefined) throw new Error("no exercise");
  return exercise;
}

const first = textsOf("01-forwarding");
const with_ = (path: string, text: string) => new Map([...first, [path, text]]);
const TEST = "h1, h2 and h3 reach each other";

const FRENCH = `---
title: Commutation
about: Deux commutateurs.
tests:
  ${TEST}:
    name: h1, h2 et h3 se joignent
    hint: Il faut les entrées.
---

# Exercice 1

Le texte.
`;

function readFrench(text: string) {
  const diagnostics = new Diagnostics();
  const found = readTranslation(exerciseOf(with_("README.fr.md", text)), "fr", diagnostics);
  const lines = diagnostics.list.map(({ code, span, message }) => {
    const line = span?.file.position(span.start).line ?? 0;
    return `${line} ${code} ${message}`;
  });
  return { found, lines };
}

describe("a translation", () => {
  it("has the words of the exercise, then its text; tests that it leaves out are warnings", () => {
    const { found, lines } = readFrench(FRENCH);
    expect(found).toMatchObject({ title: "Commutation", about: "Deux commutateurs." });
    expect(found!.text).toBe("# Exercice 1\n\nLe texte.\n");
    expect(found!.tests.get(TEST)).toEqual({
      name: "h1, h2 et h3 se joignent",
      hint: "Il faut les entrées.",
    });
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line).toMatch(/^4 P46352 the test ".*" is not translated/);
  });

  it("may have the ends of lines of Windows", () => {
    expect(readFrench(FRENCH.replaceAll("\n", "\r\n")).found!.title).toBe("Commutation");
  });

  it.each([
    ["# Exercice 1\n", /^1 P46350/],
    ["---\ntitle: x\n", /^1 P46350/],
    ["---\ntitle: x\nabout: y\ntitel: z\n---\n", /^4 P430\d\d/],
    ["---\ntitle: x\n---\n", /P430\d\d .*about/],
    [FRENCH.replace(TEST, "h1 and h4"), /^5 P46351 the exercise has no test "h1 and h4"/],
  ])("is refused: %j", (text, message) => {
    const { found, lines } = readFrench(text);
    expect(found).toBeUndefined();
    expect(lines[0]).toMatch(message);
  });

  it("is found by its file, and shown by a lab in the language that a page asks for", () => {
    const all = with_("README.fr.md", FRENCH);
    expect(translationsOf(exerciseOf(all))).toContain("fr");
    const files = Object.fromEntries(all);
    const tests = exerciseTests(() => ({ turn: async () => {} }));
    const french = tests.read(files, "fr-CA")!;
    expect(french).toMatchObject({ title: "Commutation", language: "fr" });
    expect(french.tests.map(({ title }) => title)).toContain("h1, h2 et h3 se joignent");
    expect(french.tests.find(({ name }) => name === TEST)!.hint).toBe("Il faut les entrées.");
    const english = tests.read(files)!;
    expect(tests.read(files, "en")).toEqual(english);
    expect(tests.read(files, "nl")).toEqual(english);
    const wrong = { ...files, "README.fr.md": "# Exercice 1\n" };
    expect(tests.read(wrong, "fr")).toEqual(english);
    expect(checkTranslations(wrong).list.map(({ code }) => code)).toEqual(["P46350"]);
    expect(checkTranslations({ "a.p4": "" }).list).toEqual([]);
  });
});

/** Headings, code and lists of a text: a translation has as many. */
function shapeOf(text: string) {
  const count = (pattern: RegExp) => (text.match(pattern) ?? []).length;
  return {
    headings: count(/^#+ /gm),
    code: text.match(/^ {4}.*$/gm)?.map((line) => line.trim()) ?? [],
    items: count(/^(\d+\.|-) /gm),
    links: (text.match(/\]\([^)]+\)/g) ?? []).sort(),
  };
}

const names = readdirSync(COURSE).sort();
const isTranslated = (name: string) => existsSync(join(COURSE, name, "README.de.md"));
/** Exercises that are in English alone. */
const ENGLISH_ALONE: readonly string[] = [];

it("is there in German for each exercise of the course", () => {
  expect(names.filter((name) => !isTranslated(name))).toEqual(ENGLISH_ALONE);
});

describe.each(names.filter(isTranslated))("the German of %s", (name) => {
  const texts = textsOf(name);

  it("is complete", () => {
    const exercise = exerciseOf(texts);
    expect(translationsOf(exercise)).toEqual(["de"]);
    const diagnostics = new Diagnostics();
    const german = readTranslation(exercise, "de", diagnostics)!;
    expect(diagnostics.list).toEqual([]);
    for (const { name: test, hint, hidden } of exercise.tests)
      if (!hidden) expect(german.tests.get(test)!.hint === undefined, test).toBe(hint === undefined);
    expect(shapeOf(german.text)).toEqual(shapeOf(texts.get("README.md")!));
  });
});
