/**
 * The catalogue of diagnostics: `data/diagnostics/P4xx.yaml`, a file for each hundred codes. A code's meaning and remedy are
 * there and nowhere else: docs/errors.md is made from it, `p4loom explain` prints it. Its wrong input is a file of `test/bad`,
 * which the tests of its room read as well, and the right one is that file with a few replacements.
 */
import { z } from "zod";
import { Diagnostics, defined, given, SourceFile } from "../../base/index.js";
import { loadDocument } from "../documents/index.js";

/** A wrong input and the same input mended. */
export interface Example {
  /** The name of the wrong input, without folders: its suffix says what it is. */
  readonly name: string;
  readonly wrong: string;
  readonly right: string;
}

/** One diagnostic. The texts are Markdown: code is in backticks, links are relative to `docs/`. */
export interface Entry {
  /** `P4` and four digits. */
  readonly code: string;
  readonly meaning: string;
  readonly remedy: string;
  readonly example?: Example;
}

export interface Group {
  /** What the codes of the group begin with, for example `P403`; some of another hundred are there for their subject. */
  readonly prefix: string;
  readonly title: string;
  /** A sentence about all of them. */
  readonly about?: string;
  readonly entries: readonly Entry[];
}

/** The folders of the package that have the catalogue. */
export interface CatalogueFiles {
  /** Files of `data/diagnostics`. */
  list(): readonly string[];
  read(name: string): string;
  /** The text of a wrong input, by its path below `test/bad`. */
  wrong(path: string): string;
}

/** The mark of wrong inputs at the line of the message; the right input does not have it. */
const MARK = / *(?:\/\/|#) <- here/g;

const exampleSchema = z
  .strictObject({
    /** A path below `test/bad`; or `text`, where that file has more mistakes than one. */
    wrong: z.string().optional(),
    text: z.string().optional(),
    /** What replaces what; each part to replace occurs once. */
    right: z.array(z.tuple([z.string().min(1), z.string()])).min(1),
  })
  .refine(
    ({ wrong, text }) => (wrong === undefined) !== (text === undefined),
    "expected one of wrong and text",
  );

const groupSchema = z.strictObject({
  title: z.string(),
  about: z.string().optional(),
  codes: z.record(
    z.string().regex(/^P4\d{4}$/),
    z.strictObject({ meaning: z.string(), remedy: z.string(), example: exampleSchema.optional() }),
  ),
});

/** All groups by their prefixes, or the one that has a code. A fault in the files is one of ours: an exception. */
export function readCatalogue(files: CatalogueFiles): Group[] {
  return files
    .list()
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => readGroup(name, files));
}

function readGroup(name: string, files: CatalogueFiles): Group {
  const diagnostics = new Diagnostics();
  const loaded = loadDocument(new SourceFile(name, files.read(name)), groupSchema, diagnostics);
  diagnostics.throwIfErrors();
  const { title, about, codes } = defined(loaded).value;
  const entries = Object.entries(codes).map(([code, { meaning, remedy, example }]): Entry => {
    const shown = example && exampleOf(code, example, files);
    return { code, meaning, remedy, ...given({ example: shown }) };
  });
  return { prefix: name.replace(/\.yaml$/, ""), title, ...given({ about }), entries };
}

function exampleOf(code: string, given: z.infer<typeof exampleSchema>, files: CatalogueFiles): Example {
  const wrong = given.text ?? files.wrong(defined(given.wrong));
  const name = given.wrong?.split("/").at(-1) ?? `${code}.p4`;
  let right = wrong;
  for (const [from, to] of given.right) {
    const parts = right.split(from);
    if (parts.length !== 2)
      throw new Error(`the example of ${code}: ${JSON.stringify(from)} occurs ${parts.length - 1} times`);
    right = parts.join(to);
  }
  return { name, wrong, right: right.replace(MARK, "") };
}
