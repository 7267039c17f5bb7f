/**
 * Tables that no memory of the chip holds or that a packet meets twice. The rules of keys are p4c's open Tofino back end's
 * (midend `CheckUnsupported`, `CheckDirectExternsOnTables`; `MultipleApply` for tables that are met twice).
 */
import { type Diagnostics, given } from "../../../../../base/index.js";
import { CODES } from "../../../codes.js";
import type { IrProgram, IrTable } from "../../../lower/ir.js";
import { scalarWidth } from "../../../lower/ir-types.js";
import { forEachStmt } from "../../../lower/walk.js";
import { attached } from "../p4info-scope.js";
import { followSteps } from "./walk.js";

/** Bits of TCAM in a stage: 12 rows, 2 columns, blocks of 512 entries of 44 bits (`MauSpec`). */
const TCAM_BITS_A_STAGE = 12 * 2 * 512 * 44;

const DEFAULT_SIZE = 512;

export function checkTables(program: IrProgram, stages: number, diagnostics: Diagnostics): void {
  for (const { blocks } of program.pipes)
    for (const block of blocks) {
      if (block.kind === "parser") continue;
      for (const table of block.body.tables) {
        checkKey(table, stages, diagnostics);
        checkDirect(table, diagnostics);
      }
      followSteps(block.body.body, (step, stmt, before) => {
        if (!before.has(step) || !("keys" in step)) return;
        diagnostics.error(
          CODES.tableTwice,
          stmt.span,
          `a packet can meet the table ${step.name} twice`,
          { message: `${step.name} is declared here`, ...given({ span: step.span }) },
          "apply it in branches that exclude each other, or declare a second table",
        );
      });
    }
}

function checkKey(table: IrTable, stages: number, diagnostics: Diagnostics): void {
  const count = (kind: string): number => table.keys.filter(({ matchKind }) => matchKind === kind).length;
  const mixed = ["ternary", "range"].find((kind) => count(kind) > 0);
  const refuse = (what: string, wayOut: string): void =>
    diagnostics.error(CODES.keyWithoutMemory, table.span, `the table ${table.name} ${what}`, wayOut);
  if (count("lpm") > 1) refuse("has more than one lpm field", "make all but one of them ternary");
  if (count("lpm") > 0 && mixed !== undefined)
    refuse(
      `has a ${mixed} field beside an lpm field`,
      "make the lpm field ternary, with masks that are prefixes",
    );
  if (table.annotations.some(({ name }) => name.startsWith("atcam"))) return;
  const bits = table.keys
    .filter(({ matchKind }) => matchKind === "ternary")
    .reduce((sum, { expression }) => sum + (scalarWidth(expression.type) ?? 0), 0);
  const size = table.size ?? DEFAULT_SIZE;
  const most = TCAM_BITS_A_STAGE * stages;
  if (bits * size > most)
    refuse(
      `has ${size} entries with ${bits} ternary bits, more than all the TCAM of the chip (${most} bits)`,
      `give it at most ${Math.floor(most / bits)} entries, or make some of the key exact`,
    );
}

/** Direct externs, and the property of a table that attaches one. */
const PROPERTIES: Readonly<Record<string, string>> = {
  DirectCounter: "counters",
  DirectMeter: "meters",
  DirectRegister: "registers",
  DirectLpf: "filters",
  DirectWred: "filters",
};

/** An action uses the direct instances of its own table alone: the entry that matched has no other. */
function checkDirect(table: IrTable, diagnostics: Diagnostics): void {
  for (const { action } of table.actions)
    forEachStmt(action.body, (stmt) => {
      if (stmt.kind !== "extern" || stmt.instance === undefined) return;
      const { extern, name, span } = stmt.instance;
      const property = Object.hasOwn(PROPERTIES, extern) ? PROPERTIES[extern] : undefined;
      if (property === undefined || attached(table, property) === stmt.instance) return;
      diagnostics.error(
        CODES.directNotAttached,
        stmt.span,
        `the action ${action.name} uses ${extern} ${name}, which the table ${table.name} does not have`,
        { message: `${name} is declared here`, ...given({ span }) },
        `add ${property} = ${name.slice(name.lastIndexOf(".") + 1)}; to the table`,
      );
    });
}
