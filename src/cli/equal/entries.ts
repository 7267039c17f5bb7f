/** `--entries`: which entries both programs get. */
import { z } from "zod";
import { DiagnosticError, Diagnostics, fail } from "../../base/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import {
  arrayDifference,
  type NameMap,
  nameProblems,
  renamed,
  tableDifference,
} from "../../toolchain/equal/index.js";
import { readSource } from "../../toolchain/loading/index.js";
import type { Program } from "../../toolchain/program/index.js";
import { CODES } from "../codes.js";

const names = z.record(z.string(), z.string({ error: "expected a name of the second program" })).default({});
const members = z
  .record(z.string(), z.record(z.string(), z.string({ error: "expected a name of the second program" })))
  .default({});

/** A file of names: those of the second program, by those of the first one. */
const mapSchema = z.strictObject({
  tables: names,
  actions: names,
  registers: names,
  meters: names,
  profiles: names,
  keys: members,
  parameters: members,
});

interface Compared {
  readonly entries: "same" | "none";
  /** The second program, with the names of the first one where a file gives them. */
  readonly second: Program;
}

/**
 * @param option `same`, `none` or a file of names
 * @throws DiagnosticError P43001 to P43004 for the file; P40043 for names that a program does not have, and for programs that cannot have
 * the same entries
 */
export function entriesFor(
  option: string,
  [a, b]: readonly [Program, Program],
  [first, second]: readonly [string, string],
): Compared {
  const entries = option === "none" ? "none" : "same";
  const program = option === "same" || option === "none" ? b : renamed(b, mapOf(option, a, b));
  const differs = entries === "none" ? arrayDifference(a.bmv2, b.bmv2) : tableDifference(a, program);
  if (differs !== undefined)
    fail(
      CODES.otherTables,
      undefined,
      `${first} and ${second} cannot have the same entries: ${differs}`,
      "the tables that controllers see must be the same; --entries FILE gives the second program's names of them, --entries none compares without entries",
    );
  return { entries, second: program };
}

function mapOf(path: string, a: Program, b: Program): NameMap {
  const diagnostics = new Diagnostics();
  const document = loadDocument(readSource(path), mapSchema, diagnostics);
  if (document === undefined) throw new DiagnosticError(diagnostics.list);
  const { value, locate } = document;
  for (const { path: place, message } of nameProblems(a, b, value))
    diagnostics.error(CODES.otherTables, locate([...place]), message);
  diagnostics.throwIfErrors();
  return value;
}
