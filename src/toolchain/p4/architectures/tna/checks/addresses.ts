/**
 * Counters, meters and registers that the actions of a table use share the table's two address buses: one for counters, one for
 * meters and registers. Of what stands on one bus, an action uses all or nothing, at one index (p4c's open Tofino back end,
 * `SetupAttachedAddressing::ScanTables`; all or nothing is asked of indexed ones alone here); and the bytes that a counter or meter adds to a packet's are a constant
 * (`adjust_byte_count`).
 */
import { type Diagnostics, defined, given } from "../../../../../base/index.js";
import { CODES } from "../../../codes.js";
import { fold } from "../../../lower/fold.js";
import type { Expr, ExternInstance, IrAction, IrProgram, IrTable, Stmt, StmtOf } from "../../../lower/ir.js";
import { forEachStmt } from "../../../lower/walk.js";
import { forEachStmtOfBlock, readsLocal } from "./walk.js";

export function checkAddresses(program: IrProgram, diagnostics: Diagnostics): void {
  for (const { blocks } of program.pipes)
    for (const block of blocks) {
      if (block.kind === "parser") continue;
      forEachStmtOfBlock(block, (stmt) => checkByteCount(stmt, diagnostics));
      for (const table of block.body.tables) checkTable(table, diagnostics);
      forEachStmt(block.body.body, (stmt) => {
        if (stmt.kind === "action") checkIndexes(stmt.action, usesOf(stmt.action), diagnostics);
      });
    }
}

// ---------------------------------------------------------------- what actions use

type Bus = "counters" | "meters and registers";

interface Use {
  readonly bus: Bus;
  readonly memory: ExternInstance;
  /** Undefined for direct ones. */
  readonly index: Expr | undefined;
  readonly stmt: Stmt;
  /** Whether the action always comes to it. */
  readonly always: boolean;
}

function useOf(stmt: StmtOf<"extern">, always: boolean): Use | undefined {
  const { name, instance, args } = stmt;
  if (instance === undefined) return undefined;
  const [first] = args;
  if (name === "Counter.count") return { bus: "counters", memory: instance, index: first, stmt, always };
  if (name === "DirectCounter.count")
    return { bus: "counters", memory: instance, index: undefined, stmt, always };
  const bus = "meters and registers";
  if (/^(Meter|Lpf|Wred)\.execute$/.test(name)) {
    // An Lpf and a Wred take the value before the index.
    const index = args[name === "Meter.execute" ? 0 : 1];
    return { bus, memory: instance, index, stmt, always };
  }
  if (/^Direct(Meter|Lpf|Wred)\.execute$/.test(name))
    return { bus, memory: instance, index: undefined, stmt, always };
  const [register] = instance.args;
  if (register?.kind !== "instance") return undefined;
  if (/^RegisterAction\d?\.execute$/.test(name))
    return { bus, memory: register.instance, index: first, stmt, always };
  return name === "DirectRegisterAction.execute"
    ? { bus, memory: register.instance, index: undefined, stmt, always }
    : undefined;
}

function usesOf({ body }: IrAction): Use[] {
  const found: Use[] = [];
  const always = new Set<Stmt>();
  const visit = (list: readonly Stmt[]): void => {
    for (const stmt of list) {
      always.add(stmt);
      if (stmt.kind === "block") visit(stmt.body);
    }
  };
  visit(body);
  forEachStmt(body, (stmt) => {
    const use = stmt.kind === "extern" ? useOf(stmt, always.has(stmt)) : undefined;
    if (use !== undefined) found.push(use);
  });
  return found;
}

// ---------------------------------------------------------------- rules

function checkTable({ name, actions }: IrTable, diagnostics: Diagnostics): void {
  // An action for a miss alone gets no address from an entry.
  const ofEntries = actions.filter(
    ({ annotations }) => !annotations.some((one) => one.name === "defaultonly"),
  );
  const uses = new Map(ofEntries.map(({ action }) => [action, usesOf(action)]));
  for (const [action, list] of uses) if (checkIndexes(action, list, diagnostics)) return;
  for (const bus of ["counters", "meters and registers"] as const) {
    const memories = new Set(
      [...uses.values()]
        .flat()
        .flatMap((use) => (use.bus === bus && use.index !== undefined ? [use.memory] : [])),
    );
    if (memories.size < 2) continue;
    for (const [action, list] of uses) {
      const used = list.find((use) => memories.has(use.memory) && use.always);
      const missing = [...memories].find((memory) => !list.some((use) => use.memory === memory));
      if (used === undefined || missing === undefined) continue;
      diagnostics.error(
        CODES.addressesDiffer,
        used.stmt.span,
        `the action ${action.name} uses ${used.memory.extern} ${used.memory.name} and not ${missing.extern} ${missing.name}, ` +
          `which another action of the table ${name} uses: the table's ${bus} are addressed together`,
        { message: `${missing.name} is declared here`, ...given({ span: missing.span }) },
        "use both in each action that uses one, or share them out among two tables",
      );
      return;
    }
  }
}

/** Whether it reports uses of one action at different indexes. */
function checkIndexes({ name }: IrAction, uses: readonly Use[], diagnostics: Diagnostics): boolean {
  for (const bus of ["counters", "meters and registers"] as const) {
    const [first, ...rest] = uses.filter((use) => use.bus === bus && use.always);
    const other = rest.find((use) => use.memory !== first?.memory && differ(use.index, first?.index));
    if (first === undefined || other === undefined) continue;
    const at = ({ index }: Use) => (index === undefined ? "the entry's own index" : "another index");
    diagnostics.error(
      CODES.addressesDiffer,
      other.stmt.span,
      `the action ${name} uses ${other.memory.extern} ${other.memory.name} at ${at(other)} than ` +
        `${first.memory.extern} ${first.memory.name}: ${bus} of an action are addressed together`,
      { message: "the first use is here", ...given({ span: first.stmt.span }) },
      "use one index for both, or share them out among two tables",
    );
    return true;
  }
  return false;
}

/** Whether two indexes are known to differ: constants, values of entries, fields. What is computed before is not compared. */
function differ(one: Expr | undefined, other: Expr | undefined): boolean {
  if (one === undefined || other === undefined) return one !== other;
  const [a, b] = [indexName(one), indexName(other)];
  return a !== undefined && b !== undefined && a !== b;
}

function indexName(index: Expr): string | undefined {
  const folded = fold(index);
  if (folded.kind === "number") return String(folded.value);
  if (folded.kind === "variable")
    return folded.variable.role === "local" ? undefined : `${folded.variable.role} ${folded.variable.name}`;
  if (folded.kind === "cast") return indexName(folded.operand);
  if (folded.kind !== "field") return undefined;
  const base = indexName(folded.base);
  return base === undefined ? undefined : `${base}.${folded.name}`;
}

/** `adjust_byte_count` stands in the call's configuration. */
function checkByteCount(stmt: Stmt, diagnostics: Diagnostics): void {
  if (stmt.kind !== "extern" || !/^(Direct)?(Counter\.count|Meter\.execute)$/.test(stmt.name)) return;
  // The index of an indexed one comes first. A colour is of a type of its own, bytes are 32 bits.
  const others = stmt.name.startsWith("Direct") ? stmt.args : stmt.args.slice(1);
  const bytes = others.find(({ type }) => type.kind === "bits" && type.width === 32);
  if (bytes === undefined || fold(bytes).kind === "number" || readsLocal(bytes)) return;
  diagnostics.error(
    CODES.byteCountNotConstant,
    bytes.span,
    `the byte count that ${defined(stmt.instance).name} adds is no constant`,
    "give a number, or an expression of numbers and sizeInBytes()",
  );
}
