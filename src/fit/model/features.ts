/** What a program asks of the hardware beyond tables: collected while the model is built, judged by `check.ts`. */
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
      readonly index: string;
      /** Something else than a constant is written. */
      readonly variable: boolean;
      /** Written as bare statements of a control, each of which becomes a table of its own. */
      readonly statement: boolean;
      readonly gress: Gress;
    }
  | { readonly kind: "spread"; readonly action: string; readonly levels: number }
);
