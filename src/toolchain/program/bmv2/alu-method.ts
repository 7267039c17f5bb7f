/**
 * What a register action computes, as the program states it: statements over the words of an entry, results, values of the packet and
 * numbers. Only the form of a program that `fit` reads has it; no file does.
 */
import type { SourceInfo } from "../bmv2.js";

/** The method of one register action. */
export interface AluMethod {
  /** The register, by its name in `register_arrays`. */
  register: string;
  /** The register action, by its control-plane name. */
  action: string;
  /** Bits of a word of the register's entries, 1 or 2 words an entry. */
  width: number;
  words: number;
  /** The action sees the same words as the register. */
  sameWords: boolean;
  body: AluStatement[];
  source_info?: SourceInfo;
}

export type AluStatement = { source_info?: SourceInfo } & (
  | { kind: "assign"; left: AluExpr; right: AluExpr }
  | { kind: "if"; condition: AluExpr; yes: AluStatement[]; no: AluStatement[] }
  /** A method or function, such as that of a math unit: by its name, without the instance. */
  | { kind: "call"; name: string; instance: string; result: AluExpr | undefined; args: AluExpr[] }
  /** What has no form here. */
  | { kind: "other" }
);

/** Width in bits; 1 for a truth value. */
export type AluExpr = { width: number; type: "bits" | "int" | "bool" | "other"; source_info?: SourceInfo } & (
  | { kind: "number"; value: bigint }
  /** A word of the entry; null: both words of a pair. */
  | { kind: "cell"; word: 0 | 1 | null }
  | { kind: "result"; index: number }
  /** A variable of the method, or a word of one that is a pair. */
  | { kind: "local"; name: string; word: 0 | 1 | null }
  /** A value of the packet or of the action around; equal texts are equal values. */
  | { kind: "packet"; text: string }
  | { kind: "slice"; operand: AluExpr; low: number }
  | { kind: "unary"; op: string; operand: AluExpr }
  | { kind: "binary"; op: string; left: AluExpr; right: AluExpr }
  | { kind: "choice"; condition: AluExpr; yes: AluExpr; no: AluExpr }
  | { kind: "cast"; operand: AluExpr }
  | { kind: "other" }
);
