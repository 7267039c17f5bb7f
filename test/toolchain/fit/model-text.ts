/** The model of a program as short lines, for tests: one unit a line, what its actions read and write, and what they use. */
import { buildModel } from "../../../src/toolchain/fit/model/build.js";
import { formatExpr } from "../../../src/toolchain/fit/model/expressions.js";
import type { Feature } from "../../../src/toolchain/fit/model/features.js";
import type { Access, ActionModel, FitModel, Unit } from "../../../src/toolchain/fit/model/model.js";
import type { Target } from "../../../src/toolchain/fit/target.js";
import { compileText, loadTarget } from "./golden.js";

const tofino = loadTarget("tofino");
const noBridge: Target = { ...tofino, phv: { ...tofino.phv, packs_fields: false } };

export interface Built {
  readonly model: FitModel;
  readonly features: readonly Feature[];
  readonly lines: readonly string[];
}

/** Builds the model; fails with the compiler's first error. Without a target: Tofino, without a header for metadata of egress. */
export function built(text: string, target: Target = noBridge, sizes?: ReadonlyMap<string, number>): Built {
  const { program, error } = compileText(text);
  if (program === undefined || error !== undefined) throw new Error(error);
  const { model, features } = buildModel(program, target, sizes);
  return { model, features, lines: model.units.map((unit) => unitText(model, unit)) };
}

const short = (name: string) => name.replace(/^(Ing|Egr|d|scalars|standard_metadata)\./, "");

/** `field`, or `field[high:low]` for a part of it; `'`: the value before the action. */
function accessText(model: FitModel, { field, lo, width, entry }: Access): string {
  const whole = lo === 0 && width === (model.fields.get(field)?.width ?? width);
  return `${short(field)}${whole ? "" : `[${lo + width - 1}:${lo}]`}${entry ? "'" : ""}`;
}

function actionText(model: FitModel, action: ActionModel): string {
  const list = (accesses: readonly Access[]) => accesses.map((access) => accessText(model, access)).join(" ");
  return [
    `${short(action.name)}${action.hit ? "" : " (default only)"}:`,
    list(action.writes),
    action.reads.length > 0 ? `= ${list(action.reads)}` : "",
    action.data.length > 0
      ? `data ${action.data.map(({ bits, target }) => `${bits}${target === undefined ? "" : `>${accessText(model, target)}`}`).join(" ")}`
      : "",
    action.arithmetic.length > 0 ? `alone ${action.arithmetic.map(short).join(" ")}` : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}

function unitText(model: FitModel, unit: Unit): string {
  return [
    `${short(unit.name)} ${unit.kind}`,
    ...(unit.key.length > 0
      ? [`key ${unit.key.map((k) => `${k.kind} ${accessText(model, k.access)}`).join(", ")}`]
      : []),
    ...(unit.kind === "match" ? [`${unit.size} entries`] : []),
    ...(unit.condition === undefined
      ? []
      : [`if ${unit.condition.text}, ${unit.condition.gateways} gateways`]),
    ...unit.actions.filter(({ name }) => name !== "NoAction").map((action) => actionText(model, action)),
    ...unit.attached.map(
      (a) =>
        `${a.kind} ${short(a.name)} ${a.size} x ${a.width} by ${a.index}${a.kind === "counter" ? ` of ${a.counts}` : ""}${a.updatesAndReturns ? " and returns" : ""}`,
    ),
    ...unit.hashes.map(
      ({ bits, inputs }) => `hash ${bits} of ${inputs.map((i) => accessText(model, i)).join(" ")}`,
    ),
    ...(unit.usesRandom ? ["random"] : []),
    ...(unit.implementation === undefined
      ? []
      : [
          `${unit.implementation.members} members${unit.implementation.selector === undefined ? "" : `, groups of ${unit.implementation.selector.maxGroup} by ${unit.implementation.selector.inputs.map((i) => accessText(model, i)).join(" ")}`}`,
        ]),
  ].join("; ");
}

/** What a program asks of the hardware beside tables, one a line. */
export function featureText(feature: Feature): string {
  switch (feature.kind) {
    case "operation":
      return `${feature.width} bits: ${formatExpr(feature.expr)} in ${feature.steps}`;
    case "condition":
      return `condition ${formatExpr(feature.expr)}`;
    case "conditional":
      return `only if ${formatExpr(feature.condition)}`;
    case "extern":
      return `extern ${feature.op}`;
    case "intrinsic":
      return `intrinsic ${feature.field}`;
    case "hash":
      return `hash ${feature.algorithm} from ${formatExpr(feature.base)} below ${formatExpr(feature.max)}`;
    case "random":
      return `random ${feature.width} bits from ${formatExpr(feature.low)} to ${formatExpr(feature.high)}`;
    case "register": {
      const { results, comparisons, operands } = feature.update;
      return [
        `register ${short(feature.register)} at ${feature.indexes.join(" and ")}`,
        [feature.reads ? "read" : "", feature.writes ? "written" : "", feature.variable ? "computed" : ""]
          .filter((word) => word !== "")
          .join(" "),
        `becomes ${results.join(" | ")}`,
        ...(comparisons.length > 0 ? [`tests ${comparisons.join(" | ")}`] : []),
        ...(operands.length > 0 ? [`uses ${operands.join(" ")}`] : []),
        ...(feature.statement ? ["in statements"] : []),
      ].join("; ");
    }
    case "phvPragma":
      return `phv pragma ${feature.text}: ${feature.reason}`;
    case "pragma":
      return `pragma ${feature.text}`;
    case "spread":
      return `${short(feature.action)} takes ${feature.levels} levels`;
    case "again":
      return `${short(feature.node)} again${feature.table ? " (a table)" : ""}`;
  }
}
