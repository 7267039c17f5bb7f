/**
 * Operations that no unit of the chip computes: division (p4c's open Tofino back end, midend `CompileTimeOperations`), shifts by what is
 * no constant (`DoInstructionSelection`), whole varbits (`CheckVarbitAccess`), hashes of nothing (`CheckExternValidity`), and `@symmetric` on what is no hash (`CheckUnsupported`).
 */
import { type Diagnostics, given } from "../../../../../base/index.js";
import { CODES } from "../../../codes.js";
import { fold } from "../../../lower/fold.js";
import {
  type Expr,
  type IrBlock,
  type IrProgram,
  type IrType,
  instancesOf,
  type Stmt,
} from "../../../lower/ir.js";
import { effectsOf, forEachStmt, operandsOf } from "../../../lower/walk.js";
import { forEachStmtOfBlock, readsLocal } from "./walk.js";

export function checkOperations(program: IrProgram, chip: "tna" | "t2na", diagnostics: Diagnostics): void {
  for (const { blocks } of program.pipes)
    for (const block of blocks) {
      forEachStmtOfBlock(block, (stmt) => {
        checkDivision(stmt, diagnostics);
        checkVarbits(block, stmt, diagnostics);
        checkSaturation(stmt, diagnostics);
        if (block.kind === "control") checkShift(stmt, diagnostics);
        checkHash(stmt, diagnostics);
      });
    }
  for (const { extern, name, methods, annotations, span } of instancesOf(program)) {
    // The stateful ALU of the second chip divides in an instance of a type whose name ends in Action.
    if (chip === "tna" || !extern.endsWith("Action"))
      for (const { body } of methods) forEachStmt(body, (stmt) => checkDivision(stmt, diagnostics));
    if (extern !== "Hash" && annotations.some((one) => one.name === "symmetric"))
      diagnostics.error(
        CODES.symmetricHash,
        span,
        `@symmetric stands on ${extern} ${name}; only a Hash can be symmetric`,
        "remove it",
      );
  }
}

function forEachExpr(stmt: Stmt, visit: (expr: Expr) => void): void {
  const into = (expr: Expr): void => {
    visit(expr);
    for (const one of operandsOf(expr)) into(one);
  };
  for (const expr of effectsOf(stmt).reads) into(expr);
}

function checkDivision(stmt: Stmt, diagnostics: Diagnostics): void {
  forEachExpr(stmt, (expr) => {
    if (expr.kind !== "binary" || (expr.op !== "/" && expr.op !== "%")) return;
    const { left, right } = expr;
    if (left.kind === "number" || (right.kind === "number" && isPowerOfTwo(right.value))) return;
    diagnostics.error(
      CODES.operationNotInAlu,
      expr.span ?? stmt.span,
      `the chip has no unit that computes ${expr.op === "/" ? "a quotient" : "a remainder"}`,
      "divide by a power of two, look the result up in a table, or take a MathUnit",
    );
  });
}

/**
 * Of actions and the statements of a control; a shift in a condition is a part of the comparison's input. A local variable may hold a
 * constant, which p4c puts in its place: it is not judged.
 */
function checkShift(stmt: Stmt, diagnostics: Diagnostics): void {
  if (stmt.kind !== "assign") return;
  forEachExpr(stmt, (expr) => {
    if (expr.kind !== "binary" || (expr.op !== "<<" && expr.op !== ">>")) return;
    if (fold(expr.right).kind === "number" || readsLocal(expr.right)) return;
    diagnostics.error(
      CODES.operationNotInAlu,
      expr.span ?? stmt.span,
      "the chip shifts by constants alone",
      "choose among actions with a constant each, by a table whose key is the number of bits",
    );
  });
}

/** Bits of the largest container. */
const WIDEST = 32;

/** A saturated sum cannot be split over containers (`DoInstructionSelection::limitWidth`). */
function checkSaturation(stmt: Stmt, diagnostics: Diagnostics): void {
  forEachExpr(stmt, (expr) => {
    if (expr.kind !== "binary" || (expr.op !== "|+|" && expr.op !== "|-|")) return;
    const { type } = expr;
    if (type.kind !== "bits" || type.width <= WIDEST) return;
    diagnostics.error(
      CODES.operationNotInAlu,
      expr.span ?? stmt.span,
      `the chip saturates up to ${WIDEST} bits, this has ${type.width}`,
      "saturate the lower bits alone, or compare before",
    );
  });
}

function isPowerOfTwo(value: bigint): boolean {
  return value > 0n && (value & (value - 1n)) === 0n;
}

function hasVarbit(type: IrType): boolean {
  return type.kind === "header" && type.fields.some((field) => field.type.kind === "varbits");
}

function checkVarbits(block: IrBlock, stmt: Stmt, diagnostics: Diagnostics): void {
  const refuse = (what: string): void =>
    diagnostics.error(
      CODES.varbitUse,
      stmt.span,
      what,
      "put the fields of fixed width in a header of their own; extract and emit the other one alone",
    );
  if (stmt.kind === "validity" && stmt.valid && hasVarbit(stmt.header.type))
    refuse("a header with a varbit becomes valid by extraction alone");
  else if (stmt.kind === "assign" && stmt.right.type.kind === "varbits")
    refuse("a varbit cannot be assigned");
  else if (block.kind === "control")
    forEachExpr(stmt, (expr) => {
      if (expr.kind === "field" && expr.type.kind === "varbits")
        refuse(`the varbit ${expr.name} cannot be read in a control`);
    });
}

function checkHash(stmt: Stmt, diagnostics: Diagnostics): void {
  if (stmt.kind !== "extern" || stmt.name !== "Hash.get") return;
  const [data] = stmt.args;
  if (data?.kind !== "aggregate" || data.elements.length > 0) return;
  diagnostics.error(
    CODES.emptyHash,
    stmt.span,
    "a hash of no fields",
    {
      message: `${stmt.instance?.name ?? "the hash"} is declared here`,
      ...given({ span: stmt.instance?.span }),
    },
    "name the fields that it is of",
  );
}
