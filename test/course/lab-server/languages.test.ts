/** The files of the page's languages: what a user's file may say, and what is wrong with it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics } from "../../../src/base/index.js";
import { languageFiles } from "../../../src/course/lab-server/index.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-languages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const german = readFileSync(resolve(import.meta.dirname, "../../../data/languages/de.json"), "utf8");

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const listOf = (files: ReadonlyMap<string, Buffer>) =>
  (JSON.parse(String(files.get("languages.json"))) as { languages: unknown[] }).languages;

function failureOf(path: string): string {
  try {
    languageFiles([path], new Diagnostics());
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return error.diagnostics
      .map(({ code, message, span, notes }) => {
        const line = span?.file.position(span.start).line ?? "";
        return `${line} ${code} ${message} ${notes.map((note) => note.message).join(" ")}`;
      })
      .join("\n");
  }
  return "";
}

it("has those of the package: English in the page, German in a file", () => {
  const files = languageFiles([], new Diagnostics());
  expect(listOf(files)).toEqual([
    { code: "de", name: "Deutsch", file: "language-de.json" },
    { code: "en", name: "English", file: "language-en.json" },
  ]);
  expect([...files.keys()]).toEqual(["languages.json", "language-de.json"]);
  expect(String(files.get("language-de.json"))).toBe(german);
});

describe("a file of the user", () => {
  it("adds a language, and reports the texts that it lacks", () => {
    const path = written("fr.json", '{ "language": "Français", "texts": { "page.close": "Fermer" } }');
    const diagnostics = new Diagnostics();
    const files = languageFiles([path], diagnostics);
    expect(listOf(files)).toContainEqual({ code: "fr", name: "Français", file: "language-fr.json" });
    expect(files.has("language-fr.json")).toBe(true);
    const [warning] = diagnostics.list;
    expect(warning).toMatchObject({ severity: "warning", code: "P46062" });
    expect(warning!.message).toMatch(/^\d{3} texts are missing/);
  });

  it("replaces a language of the package, without a warning where it is complete", () => {
    const path = written("de.json", german.replace('"Deutsch"', '"Deutsch (Kurs)"'));
    const diagnostics = new Diagnostics();
    expect(listOf(languageFiles([path], diagnostics))).toContainEqual(
      expect.objectContaining({ code: "de", name: "Deutsch (Kurs)" }),
    );
    expect(diagnostics.list).toEqual([]);
  });

  it.each([
    ["klingon!.json", "{}", /P46059 .*is not named as a language expected the tag/],
    ["es.json", "{", /P430\d\d/],
    ["en.json", '{ "language": "English", "texts": {} }', /P46059 .*are not replaced/],
    ["it.json", '{ "language": "Italiano", "texts": { "page.close": 3 } }', /P430\d\d .*expected a text/],
    [
      "nl.json",
      '{\n"language": "Nederlands",\n"texts": {\n"page.clsoe": "Sluiten" } }',
      /^4 P46060 .*did you mean "page\.close"/,
    ],
    [
      "sv.json",
      '{ "language": "Svenska", "texts": { "editor.text": "Text" } }',
      /P46061 "editor\.text" has the places none expected \{path\}/,
    ],
    [
      "da.json",
      '{ "language": "Dansk", "texts": { "state.groups": { "one": "{count} gruppe" } } }',
      /P46061 .*no plural form other/,
    ],
  ])("%s is refused: %s", (name, text, message) => {
    expect(failureOf(written(name, text))).toMatch(message);
  });

  it("is refused where there is none, or where it is too large", () => {
    expect(failureOf(join(folder, "ja.json"))).toMatch(/P46059 there is no file/);
    expect(failureOf(written("ko.json", " ".repeat(2 ** 20 + 1)))).toMatch(/P46059 .*at most/);
  });
});
