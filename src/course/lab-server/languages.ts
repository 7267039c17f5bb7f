/**
 * The languages of the page: one file each, `data/languages/de.json` or a file of the user. The page gets a list of them, and reads the file
 * of the one that it shows.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { DiagnosticError, Diagnostics, didYouMean, fail, type Locate, SourceFile } from "../../base/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import { packageFile } from "../../toolchain/loading/index.js";
import { CODES } from "./codes.js";

const FOLDER = "data/languages";
/** The language that the page has in it; all others are compared with it. */
const ORIGINAL = "en";
const MAX_BYTES = 2 ** 20;
const FILE = /^([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\.json$/;

const languageSchema = z.strictObject({
  /** Its name in itself. */
  language: z.string().min(1).max(40),
  texts: z.record(
    z.string(),
    z.union(
      [z.string(), z.partialRecord(z.enum(["zero", "one", "two", "few", "many", "other"]), z.string())],
      {
        error: "expected a text, or one for each plural form: one, other, ...",
      },
    ),
  ),
});

type LanguageTexts = z.output<typeof languageSchema>;

/**
 * The files about languages by the names under which the page asks for them: `languages.json` and `language-de.json`. `own`: paths of the
 * user's files, which replace those of the package. Fails with P46059 (a file that is not readable as a language), P43001 to P43004, P46060
 * (a text that the page does not have), P46061 (places for values that differ); P46062 is a warning (texts that are missing).
 */
export function languageFiles(own: readonly string[], diagnostics: Diagnostics): ReadonlyMap<string, Buffer> {
  const folder = fileURLToPath(packageFile(FOLDER));
  const english = readLanguage(join(folder, `${ORIGINAL}.json`), undefined, new Diagnostics());
  const found = new Map<string, { name: string; bytes: Buffer }>();
  for (const name of readdirSync(folder).sort()) {
    const code = FILE.exec(name)?.[1];
    if (code === undefined) continue;
    const bytes = readFileSync(join(folder, name));
    found.set(code, { name: nameOf(bytes), bytes });
  }
  for (const path of own) {
    const { language } = readLanguage(path, english.texts, diagnostics);
    if (codeOf(path) === ORIGINAL)
      fail(
        CODES.language,
        undefined,
        `${path}: the page has its English texts in it, and they are not replaced`,
        "name the file as a variant of the language, such as en-GB.json",
      );
    found.set(codeOf(path), { name: language, bytes: readFileSync(path) });
  }
  const list = [...found].map(([code, { name }]) => ({ code, name, file: `language-${code}.json` }));
  return new Map([
    ["languages.json", Buffer.from(JSON.stringify({ languages: list }))],
    // English is a part of the page
    ...[...found]
      .filter(([code]) => code !== ORIGINAL)
      .map(([code, { bytes }]) => [`language-${code}.json`, bytes] as const),
  ]);
}

/** The name of a language of the package, whose files the tests check. */
const nameOf = (bytes: Buffer): string => (JSON.parse(bytes.toString()) as LanguageTexts).language;

function codeOf(path: string): string {
  const code = FILE.exec(basename(path))?.[1];
  if (code !== undefined) return code;
  return fail(
    CODES.language,
    undefined,
    `${path} is not named as a language`,
    "expected the tag of the language (BCP 47) and .json, such as fr.json or pt-BR.json",
  );
}

function readLanguage(
  path: string,
  original: LanguageTexts["texts"] | undefined,
  diagnostics: Diagnostics,
): LanguageTexts {
  codeOf(path);
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined || !status.isFile() || status.size > MAX_BYTES)
    fail(
      CODES.language,
      undefined,
      status === undefined
        ? `there is no file ${path}`
        : `${path} is not a file of at most ${MAX_BYTES} bytes`,
      "data/languages/de.json of the package shows the form",
    );
  const source = new SourceFile(path, readFileSync(path, "utf8"));
  const errors = new Diagnostics();
  const document = loadDocument(source, languageSchema, errors);
  if (document === undefined) throw new DiagnosticError(errors.list);
  if (original !== undefined) {
    compare(original, document.value.texts, document.locate, errors);
    reportMissing(original, document.value.texts, document.locate, diagnostics);
  }
  if (errors.hasErrors) throw new DiagnosticError(errors.list);
  return document.value;
}

function compare(
  original: LanguageTexts["texts"],
  texts: LanguageTexts["texts"],
  locate: Locate,
  errors: Diagnostics,
): void {
  for (const [key, text] of Object.entries(texts)) {
    const english = Object.hasOwn(original, key) ? original[key] : undefined;
    if (english === undefined) {
      errors.error(
        CODES.languageKey,
        locate(["texts", key], true),
        `the page has no text "${key}"${didYouMean(key, Object.keys(original), '"')}`,
        "data/languages/en.json of the package has all texts",
      );
      continue;
    }
    const [expected, given] = [placesOf(english), placesOf(text)];
    if (expected !== given)
      errors.error(
        CODES.languagePlaces,
        locate(["texts", key], true),
        `"${key}" has the places ${given || "none"}`,
        `expected ${expected || "none"}, as in English`,
      );
    if (typeof text !== "string" && text.other === undefined)
      errors.error(CODES.languagePlaces, locate(["texts", key], true), `"${key}" has no plural form other`);
  }
}

function reportMissing(
  original: LanguageTexts["texts"],
  texts: LanguageTexts["texts"],
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  const missing = Object.keys(original).filter((key) => !Object.hasOwn(texts, key));
  if (missing.length > 0)
    diagnostics.warning(
      CODES.languageMissing,
      locate(["texts"], true),
      `${missing.length} texts are missing, and are shown in English`,
      `missing: ${missing.slice(0, 20).join(", ")}${missing.length > 20 ? ", ..." : ""}`,
    );
}

/** The places for values in a text, each once; a form for one thing may leave the number out. */
function placesOf(text: LanguageTexts["texts"][string]): string {
  const whole = typeof text === "string" ? text : Object.values(text).join(" ");
  return [...new Set(whole.match(/\{\w+\}/g))].sort().join(" ");
}
