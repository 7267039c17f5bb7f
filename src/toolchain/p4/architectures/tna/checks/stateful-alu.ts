/**
 * What a stateful ALU can hold and compare. As p4c's open Tofino back end has it (`mau/stateful_alu`, `specs/device`): entries of 8 bits
 * and more, powers of two, one or a pair; two comparisons a program on Tofino, four on Tofino 2, equal ones counted once.
 */
import type { Diagnostics } from "../../../../../base/index.js";
import { CODES } from "../../../codes.js";
import { type Expr, type ExternInstance, type IrProgram, instancesOf, type Stmt } from "../../../lower/ir.js";
import { printExpr } from "../../../lower/print.js";
import { blocksOf, forEachStmt, operandsOf } from "../../../lower/walk.js";
import { type Type, typeToString } from "../../../types/index.js";
import { forEachStmtOfBlock } from "./walk.js";

interface Alu {
  readonly comparisons: number;
  /** Bits of the largest entry that is one number. */
  readonly widest: number;
}

const ALUS: Readonly<Record<"tna" | "t2na", Alu>> = {
  tna: { comparisons: 2, widest: 64 },
  t2na: { comparisons: 4, widest: 128 },
};

export function checkStatefulAlu(program: IrProgram, chip: "tna" | "t2na", diagnostics: Diagnostics): void {
  const alu = ALUS[chip];
  const used = usedInstances(program);
  const registers = new Set<ExternInstance>();
  for (const instance of instancesOf(program)) {
    if (instance.extern === "Register" && used.has(instance)) registers.add(instance);
    if (!/^RegisterAction\d?$/.test(instance.extern) || !used.has(instance)) continue;
    const [register] = instance.args;
    if (register?.kind === "instance") registers.add(register.instance);
    for (const { body, span } of instance.methods) {
      const count = comparisonsIn(body).size;
      if (count <= alu.comparisons) continue;
      diagnostics.error(
        CODES.tooManyComparisons,
        span,
        `${instance.extern} ${instance.name} makes ${count} comparisons, the stateful ALU has ${alu.comparisons}`,
        "compare before, in the control, and hand the outcome in; or share the work between two registers",
      );
    }
  }
  for (const register of registers) {
    const [entry] = register.typeArgs;
    if (entry === undefined || isEntry(entry, alu.widest, chip)) continue;
    diagnostics.error(
      CODES.registerEntryType,
      register.span,
      `the register ${register.name} has entries of ${typeToString(entry)}, which no stateful ALU works on`,
      `take bit<1>, 8, 16, ... ${alu.widest} bits, or a struct of one or two fields of the same type, each at least 8 bits`,
    );
  }
}

/** The instances that some statement calls. */
function usedInstances(program: IrProgram): Set<ExternInstance> {
  const used = new Set<ExternInstance>();
  for (const { blocks } of program.pipes)
    for (const block of blocks)
      forEachStmtOfBlock(block, (stmt) => {
        if (stmt.kind === "extern" && stmt.instance !== undefined) used.add(stmt.instance);
      });
  return used;
}

// ---------------------------------------------------------------- entries

function isEntry(type: Type, widest: number, chip: "tna" | "t2na"): boolean {
  const width = bitsOf(type);
  if (width !== undefined) return width === 1 || isWidth(width, widest);
  if (type.kind !== "struct") return false;
  const widths = type.fields.map((field) => bitsOf(field.type));
  const [first, second] = widths;
  if (first === undefined || widths.length > 2 || (widths.length === 2 && first !== second)) return false;
  // A pair has both halves of the ALU.
  return isWidth(first, widths.length === 2 && chip === "tna" ? widest / 2 : widest);
}

function bitsOf(type: Type): number | undefined {
  if (type.kind === "newType" || type.kind === "serializableEnum") return bitsOf(type.underlying);
  return type.kind === "bit" || type.kind === "int" ? type.width : undefined;
}

function isWidth(width: number, widest: number): boolean {
  return width >= 8 && width <= widest && (width & (width - 1)) === 0;
}

// ---------------------------------------------------------------- comparisons

/** One for each unit that they need: the opposite of a comparison is the same one. */
function comparisonsIn(body: readonly Stmt[]): Set<string> {
  const found = new Set<string>();
  forEachStmt(body, (stmt) => {
    if (stmt.kind === "if") collect(stmt.condition, found);
    if (stmt.kind === "assign" && blocksOf(stmt).length === 0) collect(stmt.right, found);
  });
  return found;
}

const KINDS: Readonly<Record<string, string>> = {
  "==": "equal",
  "!=": "equal",
  "<": "less",
  ">=": "less",
  ">": "more",
  "<=": "more",
};

function collect(expr: Expr, found: Set<string>): void {
  for (const one of operandsOf(expr)) collect(one, found);
  if (expr.kind !== "binary" || expr.left.type.kind !== "bits") return;
  const kind = Object.hasOwn(KINDS, expr.op) ? KINDS[expr.op] : undefined;
  if (kind === undefined) return;
  const operands = [printExpr(expr.left), printExpr(expr.right)];
  found.add(kind === "equal" ? `equal ${operands.sort().join(" ")}` : `${kind} ${operands.join(" ")}`);
}
