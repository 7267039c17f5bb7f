/**
 * Externs in blocks of a pipe that have no such unit, and statements that a deparser has no unit for.
 *
 * Which extern belongs where is p4c's open Tofino back end's table (`arch/check_extern_invocation`); what a deparser can do is what its
 * extraction reads (`parde/extract_deparser`).
 */
import { type Diagnostics, given } from "../../../../../base/index.js";
import { CODES } from "../../../codes.js";
import type { Expr, IrBlock, IrProgram, Stmt, StmtOf } from "../../../lower/ir.js";
import { blocksOf } from "../../../lower/walk.js";
import { forEachStmtOfBlock } from "./walk.js";

type Unit = "parser" | "control" | "deparser";

/** Externs by the units that have them; one that is not listed is not checked. */
const UNITS: Readonly<Record<string, readonly Unit[]>> = {
  ...Object.fromEntries(
    [
      "ActionProfile",
      "ActionSelector",
      "Alpm",
      "Atcam",
      "Counter",
      "DirectCounter",
      "DirectLpf",
      "DirectMeter",
      "DirectRegister",
      "DirectRegisterAction",
      "DirectWred",
      "Hash",
      "Lpf",
      "MathUnit",
      "Meter",
      "Random",
      "Register",
      "RegisterAction",
      "RegisterParam",
      "SelectorAction",
      "Wred",
    ].map((name) => [name, ["control"] as const]),
  ),
  Checksum: ["parser", "deparser"],
  Digest: ["deparser"],
  Mirror: ["deparser"],
  ParserCounter: ["parser"],
  ParserPriority: ["parser"],
  Resubmit: ["deparser"],
};

export function checkPlaces(program: IrProgram, diagnostics: Diagnostics): void {
  for (const { blocks } of program.pipes)
    for (const block of blocks) {
      forEachStmtOfBlock(block, (stmt) => checkUnit(block, stmt, diagnostics));
      if (block.kind === "deparser") checkDeparser(block.body.body, [], diagnostics);
    }
}

function unitOf({ kind }: IrBlock): Unit {
  return kind === "checksum" ? "control" : kind;
}

function checkUnit(block: IrBlock, stmt: Stmt, diagnostics: Diagnostics): void {
  if (stmt.kind !== "extern" || stmt.instance === undefined) return;
  const { extern, name, span } = stmt.instance;
  const units = Object.hasOwn(UNITS, extern) ? UNITS[extern] : undefined;
  if (units === undefined || units.includes(unitOf(block))) return;
  diagnostics.error(
    CODES.externInWrongUnit,
    stmt.span,
    `${extern} ${name} cannot be used in the ${unitOf(block)} ${block.body.name}`,
    { message: `${name} is declared here`, ...given({ span }) },
    `a ${extern} works in a ${units.join(" or a ")} only`,
  );
}

// ---------------------------------------------------------------- deparsers

const DIGESTS = new Set(["Mirror", "Resubmit", "Digest"]);

/** Statements of a deparser inside of these conditions, the innermost last. */
function checkDeparser(
  body: readonly Stmt[],
  inside: readonly StmtOf<"if">[],
  diagnostics: Diagnostics,
): void {
  for (const stmt of body) {
    if (stmt.kind === "emit" && inside.length > 0)
      diagnostics.error(
        CODES.deparserUnit,
        stmt.span,
        "the deparser cannot emit a header on a condition",
        "emit it always: a header that is not valid is left out; set its validity in the control before",
      );
    else if (stmt.kind === "extern" && DIGESTS.has(stmt.instance?.extern ?? ""))
      checkDigest(stmt, inside.at(-1), diagnostics);
    else if (stmt.kind === "assign" && isHeaderField(stmt.left) && !inside.some(hasDigest))
      diagnostics.error(
        CODES.deparserUnit,
        stmt.span,
        "a deparser can assign checksums to header fields, nothing else",
        "make the assignment in the control before",
      );
    const within = stmt.kind === "if" ? [...inside, stmt] : inside;
    for (const inner of blocksOf(stmt)) checkDeparser(inner, within, diagnostics);
  }
}

/** What an instance without a number sends is chosen by the condition around it: a field that equals a constant. */
function checkDigest(
  { instance, span }: StmtOf<"extern">,
  condition: StmtOf<"if"> | undefined,
  diagnostics: Diagnostics,
): void {
  if (instance === undefined || instance.args.length > 0) return;
  if (condition !== undefined && isChoice(condition.condition)) return;
  diagnostics.error(
    CODES.deparserUnit,
    condition === undefined ? span : condition.condition.span,
    condition === undefined
      ? `${instance.extern} ${instance.name} is used without a condition`
      : `the condition of ${instance.extern} ${instance.name} compares no field with a constant`,
    "write if (dprsr_md.mirror_type == 1) { ... } around it, with the field and number of this kind, or give the number to its constructor",
  );
}

function isChoice(condition: Expr): boolean {
  if (condition.kind === "binary" && condition.op === "==")
    return [condition.left, condition.right].some(({ kind }) => ["number", "bool", "member"].includes(kind));
  return condition.type.kind === "bool" && ["variable", "field", "cast"].includes(condition.kind);
}

function hasDigest(stmt: Stmt): boolean {
  if (stmt.kind === "extern") return DIGESTS.has(stmt.instance?.extern ?? "");
  return blocksOf(stmt).some((body) => body.some(hasDigest));
}

function isHeaderField(place: Expr): boolean {
  if (place.kind === "slice") return isHeaderField(place.operand);
  return place.kind === "field" && place.base.type.kind === "header" && isOfBlock(place.base);
}

function isOfBlock(place: Expr): boolean {
  if (place.kind === "variable") return place.variable.role === "block";
  return (place.kind === "field" || place.kind === "element") && isOfBlock(place.base);
}
