/**
 * The texts of an exercise in another language: `README.de.md` beside `README.md`. It starts with the title, the summary, and the names and
 * hints of the tests, between two lines `---`; the rest is the text.
 */
import { type Diagnostics, pathIn, SourceFile } from "../../base/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import { CODES } from "./codes.js";
import type { Exercise } from "./exercise.js";
import { translationSchema } from "./exercise-schema.js";

/** File of the text, in an exercise's folder. */
export const TEXT_FILE = "README.md";

const TRANSLATED = /^README\.([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\.md$/;

const fileOf = (language: string): string => `README.${language}.md`;

export interface Translation {
  readonly title: string;
  readonly about: string;
  /** Markdown. */
  readonly text: string;
  /** By the name of the test in `exercise.yaml`. */
  readonly tests: ReadonlyMap<string, { readonly name: string; readonly hint: string | undefined }>;
}

/** The languages, other than that of `README.md`, in which an exercise's folder has its texts, as the names of the files write them. */
export function translationsOf({ files, folder }: Pick<Exercise, "files" | "folder">): string[] {
  return files.list(folder).flatMap((name) => TRANSLATED.exec(name)?.[1] ?? []);
}

/**
 * The texts in one language; undefined after errors: P46350 (a file without the part between `---`, or without an end of it), P43001 to
 * P43004 (its form), P46351 (a test that the exercise does not have). A test that the file leaves out is P46352, a warning.
 */
export function readTranslation(
  { files, folder, tests }: Exercise,
  language: string,
  diagnostics: Diagnostics,
): Translation | undefined {
  const path = pathIn(folder, fileOf(language));
  const whole = files.read(path).replaceAll("\r\n", "\n");
  const start = { file: new SourceFile(path, whole), start: 0, end: 0 };
  const parts = /^---\n(.*?\n)---\n(.*)$/s.exec(whole);
  if (parts === null) {
    diagnostics.error(
      CODES.translationForm,
      start,
      `${path} does not start with the words of the exercise`,
      "expected a line ---, then `title:`, `about:` and `tests:`, then a line ---, then the text",
    );
    return undefined;
  }
  const [, head = "", text = ""] = parts;
  // an empty line in place of the first ---, so that the lines count as in the file
  const document = loadDocument(new SourceFile(path, `\n${head}`), translationSchema, diagnostics);
  if (document === undefined) return undefined;
  const { value, locate } = document;
  const visible = tests.filter(({ hidden }) => !hidden).map(({ name }) => name);
  const unknown = Object.keys(value.tests).filter((name) => !visible.includes(name));
  for (const name of unknown)
    diagnostics.error(
      CODES.translationTest,
      locate(["tests", name]),
      `the exercise has no test "${name}"`,
      `the tests of exercise.yaml: ${visible.join("; ")}`,
    );
  if (unknown.length > 0) return undefined;
  for (const name of visible.filter((one) => value.tests[one] === undefined))
    diagnostics.warning(
      CODES.translationMissing,
      locate(["tests"], true) ?? start,
      `the test "${name}" is not translated; its name is shown as in exercise.yaml`,
    );
  const { title, about } = value;
  const own = Object.entries(value.tests).map(
    ([name, { hint, ...test }]) => [name, { ...test, hint }] as const,
  );
  return { title, about, text: text.trimStart(), tests: new Map(own) };
}
