/** The list of changes that tests need not detect: `solution/audit.yaml`, with a reason for each. */
import { z } from "zod";
import { type Diagnostics, pathIn, SourceFile, type Span } from "../../base/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import type { Exercise } from "../exercises/index.js";

/** In the folder of the solution, which no student gets. */
const EXCEPTIONS_FILE = "solution/audit.yaml";

const text = (what: string) => z.string({ error: `expected ${what}` }).min(1, `expected ${what}`);

const listSchema = z
  .array(
    z.strictObject({
      /** Name of the change, as the audit prints it. */
      change: text("the name of a change, as the audit prints it"),
      why: text("the reason why no packet shows the change, or why no test should"),
    }),
    { error: "expected a list of changes" },
  )
  .default([]);

const exceptionsSchema = z.strictObject({
  /** Changes that no packet shows. */
  equivalent: listSchema,
  /** Changes that packets show, and that no test of the exercise should detect. */
  untested: listSchema,
});

export interface Exception {
  readonly kind: "equivalent" | "untested";
  readonly why: string;
  readonly span: Span | undefined;
}

/** By the name of the change. Empty without a file; errors of its form are P43001 to P43004. */
export function readExceptions(
  { files, folder }: Pick<Exercise, "files" | "folder">,
  diagnostics: Diagnostics,
): ReadonlyMap<string, Exception> {
  const path = pathIn(folder, EXCEPTIONS_FILE);
  if (!files.exists(path)) return new Map();
  const document = loadDocument(new SourceFile(path, files.read(path)), exceptionsSchema, diagnostics);
  if (document === undefined) return new Map();
  const { value, locate } = document;
  return new Map(
    (["equivalent", "untested"] as const).flatMap((kind) =>
      value[kind].map(
        ({ change, why }, index) => [change, { kind, why, span: locate([kind, index, "change"]) }] as const,
      ),
    ),
  );
}
