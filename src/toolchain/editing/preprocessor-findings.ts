/** What the preprocessor found in a document. */

import type { SourceFile, Span } from "../../base/index.js";
import type { Macro } from "../p4/index.js";

/** The results of the preprocessor. */
export interface PreprocessorFindings {
  readonly macros: Macro[];
  readonly uses: { readonly span: Span; readonly macro: Macro }[];
  readonly includes: { readonly span: Span; readonly file: SourceFile }[];
  readonly skipped: Span[];
}
