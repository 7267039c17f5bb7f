/** Rules of the program as a whole: keys of tables, the parser, metadata that crosses to egress. */
import { CODES } from "../codes.js";
import { fieldLabel } from "../model/expressions.js";
import { actionReads, keyReads, type Unit, writesOf } from "../model/model.js";
import type { CheckContext } from "./check-context.js";

export function checkProgram(context: CheckContext): void {
  for (const unit of context.model.units) checkKey(context, unit);
  if (context.model.hasEgressParser) return;
  checkParser(context);
  checkBridge(context);
}

function checkKey({ target, refuse }: CheckContext, unit: Unit): void {
  const { source } = unit;
  const kinds = unit.key.map((part) => part.kind);
  const prefixes = kinds.filter((kind) => kind === "lpm").length;
  const other = kinds.includes("ternary") ? "ternary" : kinds.includes("range") ? "range" : undefined;
  if (prefixes > 1) {
    refuse(
      CODES.severalPrefixKeys,
      source,
      `table ${unit.name} has ${prefixes} lpm keys`,
      "make all but one ternary and give entries a priority",
    );
  } else if (prefixes === 1 && other !== undefined) {
    refuse(
      CODES.mixedPrefixKey,
      source,
      `table ${unit.name} mixes lpm and ${other} keys`,
      "make the prefix a ternary key and give entries a priority",
    );
  }
  if (unit.implementation?.named === false) {
    refuse(
      CODES.unnamedProfile,
      source,
      `the implementation of table ${unit.name} has no name`,
      "declare it before the table, as an action_profile or action_selector with a name",
    );
  }
  const widest = target.range.max_bits;
  for (const part of unit.key) {
    if (part.kind !== "range" || widest === null || part.access.width <= widest) continue;
    refuse(
      CODES.rangeTooWide,
      source,
      `range key ${fieldLabel(part.access.field)} of table ${unit.name} has ${part.access.width} bits`,
      `a range has at most ${widest} bits: match high bits as ternary, or classify the value in an earlier table`,
    );
  }
}

function checkParser({ model, target, refuse }: CheckContext): void {
  const { egress_depth_bytes: depth, egress_intrinsic_bytes: front } = target.parser;
  if (depth === null) return;
  const bytes = model.parser.longestPathBytes + (front ?? 0);
  if (bytes <= depth) return;
  refuse(
    CODES.parserDepth,
    undefined,
    `the longest chain of headers takes ${bytes} bytes in the egress parser, ${front ?? 0} of them before the packet`,
    `it parses ${depth} bytes: carry fewer or shorter headers`,
  );
}

/** Metadata that crosses to egress is a header of whole bytes; results of arithmetic cannot be moved together. */
function checkBridge({ model, refuse }: CheckContext): void {
  const odd = new Set<string>();
  for (const unit of model.units) {
    if (unit.gress !== "ingress") continue;
    for (const action of unit.actions) {
      for (const { field } of action.writes) {
        const info = model.fields.get(field);
        if (info?.metadata !== true || info.intrinsic || info.width % 8 === 0) continue;
        if (action.arithmetic.includes(field)) odd.add(field);
      }
    }
  }
  const readInEgress = new Set(
    model.units
      .filter((unit) => unit.gress === "egress")
      .flatMap((unit) => [...keyReads(unit), ...actionReads(unit)].map((access) => access.field)),
  );
  const bridged = [...odd].filter((field) => readInEgress.has(field));
  if (bridged.length < 2) return;
  const writer = model.units.find((unit) => writesOf(unit).some((write) => write.field === bridged[0]));
  refuse(
    CODES.oddBridgedFields,
    writer?.source,
    `${bridged.length} computed values of odd width cross to egress: ${bridged.map(fieldLabel).join(", ")}`,
    "results of arithmetic keep their containers: make the fields whole bytes wide",
  );
}
