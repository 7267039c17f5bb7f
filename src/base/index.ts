/**
 * Functions that every room may use: diagnostics, source positions, bit values, seeded random numbers, text
 * tables, text that is safe on terminals and in HTML, and "did you mean".
 */
export {
  bitLength,
  compareNumbers,
  fromBytes,
  fromHex,
  maskOf,
  toBytes,
  toHex,
  toSigned,
  toUnsigned,
} from "./bits.js";
export { CLAIMS, claim } from "./claims.js";
export { closest, didYouMean } from "./closest.js";
export { defined } from "./defined.js";
export {
  type Diagnostic,
  DiagnosticError,
  Diagnostics,
  diagnosticToJson,
  fail,
  formatDiagnostic,
  formatLocation,
  type Note,
  printable,
  type Severity,
} from "./diagnostics.js";
export { given } from "./given.js";
export { type Json, notJson } from "./json.js";
export { escapeMarkup, htmlPage } from "./markup.js";
export { folderOfPath, isWithin, nameOfPath, pathIn } from "./paths.js";
export { Random } from "./random.js";
export { compareRanks } from "./ranks.js";
export { SequenceIndex } from "./sequence-index.js";
export { joinSpans, type Locate, type Position, SourceFile, type Span, spanText } from "./source.js";
export { systemErrorReason } from "./system-error.js";
export { type Cell, formatTable } from "./table.js";
