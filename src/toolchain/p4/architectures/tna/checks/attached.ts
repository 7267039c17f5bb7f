/**
 * Counters, meters and registers have one port: an action uses each once, and a packet in one table alone. The rules are p4c's open
 * Tofino back end's: `DoInstructionSelection` (once an action), midend `RegisterReadWrite` (registers that are read and written in two
 * tables), `SharedIndirectAttachedAnalysis` (counters, meters and their like in two tables).
 */
import { type Diagnostics, given } from "../../../../../base/index.js";
import { CODES } from "../../../codes.js";
import type { ExternInstance, IrAction, IrProgram, Stmt } from "../../../lower/ir.js";
import { forEachStmt } from "../../../lower/walk.js";
import { followSteps, type Step } from "./walk.js";

export function checkAttached(program: IrProgram, diagnostics: Diagnostics): void {
  for (const { blocks } of program.pipes)
    for (const block of blocks) {
      if (block.kind === "parser") continue;
      const { body, tables } = block.body;
      checkTwoTables(body, diagnostics);
      const actions = new Set(tables.flatMap((table) => table.actions.map(({ action }) => action)));
      forEachStmt(body, (stmt) => {
        if (stmt.kind === "action") actions.add(stmt.action);
      });
      for (const action of actions) checkAction(action, diagnostics);
    }
}

// ---------------------------------------------------------------- in one action

const ONCE = new Set(["Counter.count", "DirectCounter.count", "Meter.execute", "DirectMeter.execute"]);

/** What a call uses: the memory of a counter or meter, or of the register behind a register action. */
function usedBy(stmt: Stmt): ExternInstance | undefined {
  if (stmt.kind !== "extern" || stmt.instance === undefined) return undefined;
  if (ONCE.has(stmt.name)) return stmt.instance;
  const [register] = stmt.instance.args;
  return /^(Direct)?RegisterAction\d?\.execute$/.test(stmt.name) && register?.kind === "instance"
    ? register.instance
    : undefined;
}

/** Statements that run whenever the action does: those in branches may exclude each other. */
function checkAction({ name, body }: IrAction, diagnostics: Diagnostics): void {
  const uses = new Map<ExternInstance, Stmt>();
  const visit = (list: readonly Stmt[]): void => {
    for (const stmt of list) {
      if (stmt.kind === "block") visit(stmt.body);
      const used = usedBy(stmt);
      if (used === undefined) continue;
      const first = uses.get(used);
      if (first === undefined) uses.set(used, stmt);
      else
        diagnostics.error(
          CODES.attachedTwice,
          stmt.span,
          `the action ${name} uses ${used.extern} ${used.name} twice`,
          { message: "the first use is here", ...given({ span: first.span }) },
          "use it once, with one RegisterAction that does both, or declare a second one",
        );
    }
  };
  visit(body);
}

// ---------------------------------------------------------------- in two tables

const ONE_TABLE = new Set([
  "Register.read",
  "Register.write",
  "Counter.count",
  "Meter.execute",
  "Lpf.execute",
  "Wred.execute",
]);

function checkTwoTables(body: readonly Stmt[], diagnostics: Diagnostics): void {
  const known = new Map<Step, ReadonlySet<ExternInstance>>();
  const usesOf = (step: Step): ReadonlySet<ExternInstance> => {
    const before = known.get(step);
    if (before !== undefined) return before;
    const found = instancesIn(step);
    known.set(step, found);
    return found;
  };
  followSteps(body, (step, stmt, before) => {
    if (ignoresDependencies(step)) return;
    for (const used of usesOf(step)) {
      const other = [...before].find(
        (one) => one !== step && usesOf(one).has(used) && !ignoresDependencies(one),
      );
      if (other === undefined) continue;
      diagnostics.error(
        CODES.attachedInTwoTables,
        stmt.span,
        `a packet can use ${used.extern} ${used.name} twice, in ${other.name} and in ${step.name}`,
        { message: `${used.name} is declared here`, ...given({ span: used.span }) },
        "use it in one table, or in branches that exclude each other",
      );
    }
  });
}

function ignoresDependencies({ annotations }: Step): boolean {
  return annotations.some(({ name }) => name === "ignore_table_dependency");
}

function instancesIn(step: Step): Set<ExternInstance> {
  const found = new Set<ExternInstance>();
  const bodies = "keys" in step ? step.actions.map(({ action }) => action.body) : [step.body];
  for (const body of bodies)
    forEachStmt(body, (stmt) => {
      if (stmt.kind === "extern" && stmt.instance !== undefined && ONE_TABLE.has(stmt.name))
        found.add(stmt.instance);
    });
  return found;
}
