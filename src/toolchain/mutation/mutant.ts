/** A mutant: a program with one small change. */
import type { SourceFile, Span } from "../../base/index.js";

/**
 * What is changed. The operators are those of mutation testing for imperative programs (Jia and Harman, "An Analysis and Survey of the
 * Development of Mutation Testing", IEEE TSE 37(5), 2011, section 3), and the parts that only P4 has.
 */
export type MutationKind =
  /** A statement is left out: an assignment, or a call, such as the application of a table, an extraction, a checksum. */
  | "statement"
  /** A condition is negated, or always true, or always false, or lacks an operand of `&&` or `||`. */
  | "condition"
  | "operator"
  | "constant"
  /** Another member of the same enum, such as another hash algorithm. */
  | "enum"
  /** A case of a select or switch is left out. */
  | "case"
  /** A parser accepts where it would parse more. */
  | "transition"
  /** An element of a list is left out: a field of a checksum, of a hash, of a digest. */
  | "element"
  /** An element of a table's key is left out. */
  | "key"
  /** A property of a table is left out: its default action, its counters, its implementation. */
  | "property"
  /** An entry in the program is left out. */
  | "entry";

export interface Mutant {
  readonly kind: MutationKind;
  /** Where the change is: `CourseIngress.forward`, `CourseParser.parse_ipv4`, `CourseIngress.apply`. */
  readonly part: string;
  /** The change in words, with the text before and after. */
  readonly change: string;
  /**
   * Part and change, with a number where a program has several equal ones: names differ, and a name stays the same while other lines of
   * the program change.
   */
  readonly name: string;
  /** The exact range that is replaced, in the file as it was read. */
  readonly span: Span;
  readonly replacement: string;
}

/** The text of the program with the change. Lines after it keep their numbers. */
export function mutatedText({ span, replacement }: Pick<Mutant, "span" | "replacement">): string {
  const { file, start, end }: { file: SourceFile; start: number; end: number } = span;
  const lineEnds = (text: string): number => text.split("\n").length - 1;
  const missing = lineEnds(file.text.slice(start, end)) - lineEnds(replacement);
  return file.text.slice(0, start) + replacement + "\n".repeat(Math.max(0, missing)) + file.text.slice(end);
}
