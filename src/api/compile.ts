/**
 * `p4loom/compile`: P4-16 v1model source to BMv2 JSON and P4Info, and these formats read and written. Runs in a browser, too.
 * Page: docs/compiler.md.
 */
export {
  type Diagnostic,
  DiagnosticError,
  Diagnostics,
  diagnosticToJson,
  formatDiagnostic,
  type Note,
  type Severity,
  SourceFile,
} from "../base/index.js";
export { format } from "../toolchain/formatting/index.js";
export {
  type CompileInput,
  type CompileResult,
  compile,
  type IncludeResolver,
  standardLibrary,
} from "../toolchain/p4/index.js";
export {
  type Bmv2Program,
  createP4Info,
  describeBmv2,
  type P4Info,
  type P4InfoFormat,
  type Program,
  readBmv2,
  readP4Info,
  sameP4Info,
  writeP4InfoBinary,
  writeP4InfoJson,
  writeP4InfoText,
} from "../toolchain/program/index.js";
