/**
 * What a register's memory allows: it has four programs (p4c's open Tofino back end, midend `RegisterReadWrite`), and an action reads
 * or writes it at one address. `read` and `write` in an action are one program of the register.
 */
import { type Diagnostics, given } from "../../../../../base/index.js";
import { CODES } from "../../../codes.js";
import { fold } from "../../../lower/fold.js";
import {
  type Expr,
  type ExternInstance,
  type IrProgram,
  instancesOf,
  type Stmt,
  type StmtOf,
} from "../../../lower/ir.js";
import { forEachStmt } from "../../../lower/walk.js";

/** `StatefulAluSpec::MaxInstructions` of both chips. */
const MOST_PROGRAMS = 4;

export function checkRegisters(program: IrProgram, diagnostics: Diagnostics): void {
  const users = new Map<ExternInstance, string[]>();
  const use = (register: ExternInstance, by: string): void => {
    users.set(register, [...(users.get(register) ?? []), by]);
  };
  for (const instance of instancesOf(program)) {
    const [register] = instance.args;
    if (instance.extern === "RegisterAction" && register?.kind === "instance")
      use(register.instance, instance.name);
  }
  for (const { blocks } of program.pipes)
    for (const block of blocks) {
      if (block.kind === "parser") continue;
      for (const { actions } of block.body.tables)
        for (const { action } of actions)
          for (const register of registersOf(action.body, diagnostics)) use(register, action.name);
      forEachStmt(block.body.body, (stmt) => {
        if (stmt.kind === "action") registersOf(stmt.action.body, diagnostics);
      });
    }
  for (const [register, names] of users)
    if (names.length > MOST_PROGRAMS)
      diagnostics.error(
        CODES.tooManyRegisterActions,
        register.span,
        `the register ${register.name} has ${names.length} programs, the chip has room for ${MOST_PROGRAMS} of a register`,
        `it is used by ${names.join(", ")}`,
        "join some of them in one RegisterAction with a condition, or share the work among registers",
      );
}

/** The calls of `read` and `write` of registers. */
function accessesOf(body: readonly Stmt[]): StmtOf<"extern">[] {
  const found: StmtOf<"extern">[] = [];
  forEachStmt(body, (stmt) => {
    if (stmt.kind === "extern" && (stmt.name === "Register.read" || stmt.name === "Register.write"))
      found.push(stmt);
  });
  return found;
}

/** The registers that an action reads or writes; all of them at one address. */
function registersOf(body: readonly Stmt[], diagnostics: Diagnostics): Set<ExternInstance> {
  const accesses = accessesOf(body);
  const [first] = accesses;
  for (const other of accesses)
    if (first !== undefined && differ(first.args[0], other.args[0], body))
      diagnostics.error(
        CODES.registerAddresses,
        other.span,
        "an action reads and writes registers at one address; this is another one",
        { message: "the first address is here", ...given({ span: first.span }) },
        "use the same index, or two actions",
      );
  return new Set(accesses.flatMap(({ instance }) => (instance === undefined ? [] : [instance])));
}

/** Whether two addresses are certainly not the same: two numbers, or two places that the action does not write. */
function differ(one: Expr | undefined, other: Expr | undefined, body: readonly Stmt[]): boolean {
  if (one === undefined || other === undefined) return false;
  const [a, b] = [fold(one), fold(other)];
  if (a.kind === "number" && b.kind === "number") return a.value !== b.value;
  const [place, second] = [placeText(a), placeText(b)];
  if (place === undefined || second === undefined || place === second) return false;
  let writes = false;
  forEachStmt(body, (stmt) => {
    if (stmt.kind === "assign" && [place, second].includes(placeText(stmt.left) ?? "")) writes = true;
  });
  return !writes;
}

/** A field of a block's parameter, as text. */
function placeText(expr: Expr): string | undefined {
  if (expr.kind === "variable") return expr.variable.role === "block" ? expr.variable.name : undefined;
  if (expr.kind !== "field") return undefined;
  const base = placeText(expr.base);
  return base === undefined ? undefined : `${base}.${expr.name}`;
}
