/** The requirements of a program in addition to tables: collected while the model is built, checked by `check/`. */
import type { bmv2 } from "../../program/index.js";
import type { Expr } from "./expressions.js";
import type { Gress } from "./model.js";

export type Feature = { readonly source: bmv2.SourceInfo | undefined } & (
  | { readonly kind: "operation"; readonly expr: Expr; readonly width: number; readonly steps: number }
  | { readonly kind: "condition"; readonly name: string; readonly expr: Expr }
  | { readonly kind: "extern"; readonly op: string }
  | { readonly kind: "intrinsic"; readonly field: string }
  | { readonly kind: "hash"; readonly algorithm: string; readonly base: Expr; readonly max: Expr }
  | { readonly kind: "random"; readonly low: Expr; readonly high: Expr; readonly width: number }
  | {
      readonly kind: "register";
      readonly register: string;
      readonly unit: string;
      readonly action: string;
      readonly reads: boolean;
      readonly writes: boolean;
      /** The indexes used, as source text. */
      readonly indexes: readonly string[];
      /** A value that is not a constant is written. */
      readonly variable: boolean;
      /** One call of the ALU, with a method that the program states. */
      readonly isWhole: boolean;
      readonly update: RegisterUpdate;
      /** The use is a bare statement of a control, which becomes a table. */
      readonly statement: boolean;
      readonly gress: Gress;
    }
  /** A pragma of a table that asks for a place or a layout and is not followed, as written. */
  | { readonly kind: "pragma"; readonly owner: string; readonly text: string }
  /** A pragma of containers that is not followed. */
  | { readonly kind: "phvPragma"; readonly text: string; readonly reason: string }
  | { readonly kind: "spread"; readonly action: string; readonly levels: number }
  /** A statement of an action that runs under a condition and is no update of a register. */
  | { readonly kind: "conditional"; readonly action: string; readonly condition: Expr }
  /** A node of the control flow that a packet can reach a second time. */
  | { readonly kind: "again"; readonly node: string; readonly table: boolean }
);

/** What the stateful ALU of a register computes for one packet. */
export interface RegisterUpdate {
  /** Values written to the cell; the unchanged value counts where a write is under a condition. */
  readonly results: readonly string[];
  /** Comparisons in conditions of the update. */
  readonly comparisons: readonly string[];
  /** Packet fields and arguments that the update uses. */
  readonly operands: readonly string[];
  /** All values that are written or tested. */
  readonly values: readonly Expr[];
}
