/**
 * What a target cannot do at all, however many stages it has. Each finding has its place, what the program asks for,
 * and what the hardware offers instead. The rules are those of the open Tofino compiler as measured
 * (test/golden/fit), and of the container ALU.
 */

import { Diagnostics, defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import { gatewayCost, gatewayCount } from "../model/conditions.js";
import { type Expr, onesOf, quoteExpr } from "../model/expressions.js";
import type { Feature } from "../model/features.js";
import { checkParde } from "../parde/check.js";
import type { Problem } from "../place/placement.js";
import { Places, type SourceLookup } from "../source.js";
import type { Target } from "../target.js";
import { checkMethods } from "./alu/methods.js";
import type { CheckContext } from "./check-context.js";
import { checkChecksumConditions } from "./checksum-conditions.js";
import { branchAdvice, isArithmetic, unavailableOperation } from "./operations.js";
import { checkProgram } from "./program.js";
import { checkRegister, checkRegisterStages, checkRegisterUses } from "./registers.js";
import { checkSelectors } from "./selectors.js";
import { checkSums } from "./sums.js";

type FeatureOf<K extends Feature["kind"]> = Extract<Feature, { kind: K }>;

/** Externs that no stage computes, with what to do instead. */
const EXTERNS: Readonly<Record<string, string>> = {
  truncate: "the deparser sends the whole packet; use a mirror session with a length limit",
  log_msg: "remove it, or compile it for software switches only, with #ifdef",
  assert: "remove it, or compile it for software switches only, with #ifdef",
  assume: "remove it, or compile it for software switches only, with #ifdef",
  recirculate: "send the packet to a loopback port with the values in a header of its own",
};

/** Refusals (errors) and warnings for a program on a target. */
export function checkFeatures(
  { model, target, graph }: Pick<Problem, "model" | "target" | "graph">,
  features: readonly Feature[],
  sources: SourceLookup | undefined,
): Diagnostics {
  const diagnostics = new Diagnostics();
  const places = new Places(sources);
  // An action of several tables is read once for each of them: its findings are reported once.
  const reported = new Set<string>();
  const once = (
    code: string,
    source: bmv2.SourceInfo | undefined,
    message: string,
    report: () => void,
  ): void => {
    const key = [code, source?.filename, source?.line, source?.column, message].join(" ");
    if (reported.has(key)) return;
    reported.add(key);
    report();
  };
  notePragmas(features, places, target, diagnostics);
  const reporter =
    (severity: "error" | "warning"): CheckContext["refuse"] =>
    (code, source, message, instead) =>
      once(code, source, message, () =>
        diagnostics[severity](code, places.spanOf(source), `${target.name}: ${message}`, instead),
      );
  const context: CheckContext = {
    model,
    target,
    earliestOf: (unit) => defined(graph.earliest[unit]),
    refuse: reporter("error"),
    warn: reporter("warning"),
  };
  for (const feature of features) {
    if (feature.kind === "pragma") continue;
    if (feature.kind === "phvPragma")
      diagnostics.info(
        CODES.pragmaNotConsidered,
        places.spanOf(feature.source),
        `${target.name}: ${feature.text} is not followed: ${feature.reason}`,
        "the vendor's compiler may give the fields other containers",
      );
    else if (feature.kind === "spread") {
      const code = CODES.actionTakesStages;
      const message = `action ${feature.action} takes ${feature.levels} stages, because later steps need earlier results`;
      const instead =
        "it is placed as that many tables in sequence; the vendor's compiler wants them written so";
      context.warn(code, feature.source, message, instead);
    } else checkFeature(context, feature);
  }
  if (target.model === "tofino") {
    checkRegisterUses(context, features);
    checkRegisterStages(context);
    checkMethods(context);
    checkProgram(context);
    checkSelectors(context);
    checkSums(context);
    checkParde(context);
    checkChecksumConditions(context);
  }
  return diagnostics;
}

/** One note for each pragma that is not followed, at the first table that has it. */
function notePragmas(
  features: readonly Feature[],
  places: Places,
  target: Target,
  diagnostics: Diagnostics,
): void {
  const byName = new Map<string, FeatureOf<"pragma">[]>();
  for (const feature of features) {
    if (feature.kind !== "pragma") continue;
    const name = /^@(?:pragma\s+)?(\w+)/.exec(feature.text)?.[1] ?? feature.text;
    byName.set(name, [...(byName.get(name) ?? []), feature]);
  }
  for (const [name, [first, ...others]] of byName) {
    if (first === undefined) continue;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    diagnostics.info(
      CODES.pragmaNotConsidered,
      places.spanOf(first.source),
      `${target.name}: ${first.text} of table ${first.owner}${more}: fit does not consider @${name}`,
      "the vendor's compiler does: stages and memory may differ",
    );
  }
}

function checkFeature(
  context: CheckContext,
  feature: Exclude<Feature, { kind: "spread" | "pragma" | "phvPragma" }>,
): void {
  const { refuse } = context;
  const tofino = context.target.model === "tofino";
  const { source } = feature;
  if (feature.kind === "operation") checkOperation(context, feature);
  else if (feature.kind === "condition") {
    if (context.target.gateway.bytes !== null) checkCondition(context, feature);
  } else if (feature.kind === "conditional") {
    refuse(
      CODES.conditionalStatement,
      source,
      `action ${feature.action} does this only if ${quoteExpr(feature.condition)}: an instruction always runs`,
      branchAdvice(feature.condition),
    );
  } else if (feature.kind === "again") checkAgain(context, feature);
  else if (feature.kind === "extern") {
    const instead = EXTERNS[feature.op] ?? "the target has no such function";
    refuse(CODES.unavailableExtern, source, `${feature.op} is not available`, instead);
  } else if (!tofino) return;
  else if (feature.kind === "hash") checkHash(context, feature);
  else if (feature.kind === "random") checkRandom(context, feature);
  else if (feature.kind === "register") checkRegister(context, feature);
  else {
    const instead = "carry the value in user metadata, or set the queue by table";
    refuse(CODES.unavailableMetadata, source, `${feature.field} has no counterpart`, instead);
  }
}

function checkOperation({ target, refuse }: CheckContext, feature: FeatureOf<"operation">): void {
  const { expr, source } = feature;
  const bad = unavailableOperation(expr, { compares: target.action.compares, chooses: false });
  if (bad !== undefined) {
    refuse(bad.code, source, `no ALU computes ${quoteExpr(bad.expr)}: ${bad.what}`, bad.instead);
    return;
  }
  const widest = target.action.max_arithmetic_bits;
  if (widest !== null && feature.width > widest && isArithmetic(expr)) {
    refuse(
      CODES.wideArithmetic,
      source,
      `arithmetic on ${feature.width} bits`,
      `the target adds up to ${widest} bits: split the number into words with a carry`,
    );
    return;
  }
  if (feature.steps > 1 && target.model === "tofino") {
    refuse(
      CODES.tooManyOperands,
      source,
      `${quoteExpr(expr)} takes ${feature.steps} instructions`,
      "one instruction has two operands: compute the parts in earlier statements or tables",
    );
  }
}

function checkCondition({ target, refuse }: CheckContext, { expr, source }: FeatureOf<"condition">): void {
  const { gateway } = target;
  const cost = gatewayCost(expr);
  if (cost.impossible !== undefined) {
    refuse(
      CODES.conditionNotComparable,
      source,
      `no gateway evaluates ${cost.impossible}`,
      "a gateway compares fields with constants, and two fields for equality; subtract in an earlier table and test the sign bit, or use a register's ALU",
    );
    return;
  }
  if (gatewayCount(expr, gateway) !== undefined) return;
  const total = cost.equalBits + cost.rangeBits + cost.pairBits;
  refuse(
    CODES.conditionTooWide,
    source,
    `the condition ${quoteExpr(expr)} looks at ${total} bits, of which it compares ${cost.rangeBits} by order`,
    `a gateway sees ${gateway.bytes} bytes and ${gateway.hash_bits ?? 0} hash bits, and compares by order only hash bits: nest conditions, narrow the fields, or use a ternary table`,
  );
}

function checkAgain({ refuse }: CheckContext, { node, table, source }: FeatureOf<"again">): void {
  if (table) {
    refuse(
      CODES.tableAppliedAgain,
      source,
      `a packet that was in table ${node} reaches it again: it passes each table once`,
      "declare a second table with the same keys and actions, apply the table in exclusive branches, or recirculate the packet",
    );
    return;
  }
  refuse(
    CODES.loop,
    source,
    "the control flow has a loop: a packet passes each stage once",
    "write each round of the loop as statements of its own, or recirculate the packet",
  );
}

function checkHash({ refuse }: CheckContext, { base, max, algorithm, source }: FeatureOf<"hash">): void {
  if (algorithm === "csum16" || algorithm === "") {
    refuse(
      CODES.hashAlgorithm,
      source,
      `the hash algorithm ${algorithm || "is unknown"}`,
      "use a CRC, identity or random",
    );
    return;
  }
  if (base.kind !== "constant" || base.value !== 0n) {
    refuse(
      CODES.hashBase,
      source,
      `a hash with base ${quoteExpr(base)}`,
      "the base must be 0: add it in a later table, or offset the entries of the table that reads the result",
    );
    return;
  }
  const power =
    max.kind === "constant" && (max.value === 0n || onesOf(max.value - 1n) !== undefined || max.value === 1n);
  if (power) return;
  refuse(
    CODES.hashSize,
    source,
    `a hash modulo ${quoteExpr(max)}`,
    "the hardware cuts bits off: the size must be a constant power of two",
  );
}

function checkRandom({ refuse }: CheckContext, { low, high, source }: FeatureOf<"random">): void {
  const isBits = (expr: Expr) =>
    expr.kind === "constant" && (expr.value === 0n || onesOf(expr.value) !== undefined);
  if (low.kind === "constant" && low.value === 0n && isBits(high)) return;
  refuse(
    CODES.randomRange,
    source,
    `a random number from ${quoteExpr(low)} to ${quoteExpr(high)}`,
    "the generator gives whole bits: draw 0 to 2^n - 1",
  );
}
