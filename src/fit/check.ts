/**
 * What a target cannot do at all, however many stages it has. Each finding says where, what, and what the hardware
 * offers instead. The rules are those of the open Tofino compiler as measured, and of the container ALU.
 */
import { Diagnostics } from "../base/index.js";
import { gatewayCost } from "./model/conditions.js";
import { type Expr, formatExpr, onesOf, readsOf } from "./model/expressions.js";
import type { Feature } from "./model/features.js";
import type { FitModel } from "./model/model.js";
import { writesOf } from "./model/model.js";
import { Places, type SourceLookup } from "./source.js";
import type { Target } from "./target.js";

/** Externs that no stage does, with what to do instead. */
const EXTERNS: Readonly<Record<string, string>> = {
  truncate: "the deparser sends the whole packet; make a mirror session with a length limit",
  log_msg: "take it out, or keep it behind #ifdef for software switches",
  assert: "take it out, or keep it behind #ifdef for software switches",
  assume: "take it out, or keep it behind #ifdef for software switches",
  recirculate: "send the packet to a loopback port with the values in a header of its own",
};

export function checkFeatures(
  model: FitModel,
  features: readonly Feature[],
  target: Target,
  sources: SourceLookup | undefined,
): Diagnostics {
  const diagnostics = new Diagnostics();
  const checker = new Checker(model, target, diagnostics, new Places(sources));
  for (const feature of features) checker.feature(feature);
  checker.registers(features);
  if (target.model === "tofino") checker.whole();
  return diagnostics;
}

class Checker {
  constructor(
    readonly model: FitModel,
    readonly target: Target,
    readonly diagnostics: Diagnostics,
    readonly places: Places,
  ) {}

  #error(code: string, feature: Pick<Feature, "source">, message: string, note: string): void {
    this.diagnostics.error(code, this.places.spanOf(feature.source), `${this.target.name}: ${message}`, note);
  }

  feature(feature: Feature): void {
    switch (feature.kind) {
      case "operation":
        this.#operation(feature);
        break;
      case "condition":
        if (this.target.gateway.bytes !== null) this.#condition(feature);
        break;
      case "extern":
        this.#error(
          "P44022",
          feature,
          `${feature.op} is not available`,
          EXTERNS[feature.op] ?? "the target has no such function",
        );
        break;
      case "intrinsic":
        if (this.target.model === "tofino") {
          this.#error(
            "P44023",
            feature,
            `${feature.field} has no counterpart`,
            "carry the value in user metadata, or set the queue by table",
          );
        }
        break;
      case "hash":
        if (this.target.model === "tofino") this.#hash(feature);
        break;
      case "random": {
        const low = feature.low.kind === "constant" ? feature.low.value : -1n;
        const high = feature.high.kind === "constant" ? feature.high.value : -1n;
        if (this.target.model === "tofino" && (low !== 0n || (high !== 0n && onesOf(high) === undefined))) {
          this.#error(
            "P44021",
            feature,
            `a random number from ${formatExpr(feature.low)} to ${formatExpr(feature.high)}`,
            "the generator gives whole bits: 0 to 2^n - 1",
          );
        }
        break;
      }
      case "register":
        this.#register(feature);
        break;
      case "spread":
        this.diagnostics.warning(
          "P44029",
          this.places.spanOf(feature.source),
          `${this.target.name}: action ${feature.action} takes ${feature.levels} stages: later steps need earlier results`,
          "it is placed as that many tables one after another; the vendor's compiler wants them written so",
        );
        break;
    }
  }

  #operation(feature: Extract<Feature, { kind: "operation" }>): void {
    const { expr } = feature;
    const bad = findOperation(expr, this.target.action.compares);
    if (bad !== undefined) {
      this.#error("P44018", feature, `no ALU computes ${formatExpr(bad.expr)}: ${bad.what}`, bad.instead);
      return;
    }
    if (feature.width > 64 && isArithmetic(expr)) {
      this.#error(
        "P44028",
        feature,
        `arithmetic on ${feature.width} bits`,
        "an ALU adds 32 bits, two beside each other 64; split the number into words with a carry",
      );
      return;
    }
    if (feature.steps > 1 && this.target.model === "tofino") {
      this.#error(
        "P44019",
        feature,
        `${formatExpr(expr)} takes ${feature.steps} steps`,
        "one instruction has two operands: compute the parts in statements or tables before it",
      );
    }
  }

  #condition(feature: Extract<Feature, { kind: "condition" }>): void {
    const { gateway } = this.target;
    const cost = gatewayCost(feature.expr);
    const text = formatExpr(feature.expr);
    if (cost.impossible !== undefined) {
      this.#error(
        "P44017",
        feature,
        `no gateway decides ${cost.impossible}`,
        "a gateway compares fields with constants, and two fields for equality; subtract in a table before it and test the sign bit, or use a register's ALU",
      );
      return;
    }
    const byteBits = (gateway.bytes ?? 0) * 8;
    const hashBits = gateway.hash_bits ?? 0;
    const total = cost.equalBits + cost.rangeBits + cost.pairBits;
    const tooWide = cost.rangeBits > hashBits || cost.pairBits > byteBits || total > byteBits + hashBits;
    if (tooWide) {
      this.#error(
        "P44016",
        feature,
        `condition ${text} looks at too much: ${total} bits, ${cost.rangeBits} of them compared in order`,
        `a gateway sees ${gateway.bytes} bytes and ${hashBits} hash bits, and compares in order by hash bits only: nest conditions, narrow the fields, or use a ternary table`,
      );
    }
  }

  #hash(feature: Extract<Feature, { kind: "hash" }>): void {
    const { base, max, algorithm } = feature;
    if (algorithm === "csum16" || algorithm === "") {
      this.#error(
        "P44020",
        feature,
        `hash algorithm ${algorithm || "unknown"}`,
        "use a CRC, identity or random",
      );
      return;
    }
    if (base.kind !== "constant" || base.value !== 0n) {
      this.#error(
        "P44020",
        feature,
        `a hash with base ${formatExpr(base)}`,
        "the base must be 0: add it in a later table, or offset the table that reads it",
      );
      return;
    }
    const power = max.kind === "constant" && max.value > 0n && (max.value & (max.value - 1n)) === 0n;
    if (!power && !(max.kind === "constant" && max.value === 0n)) {
      this.#error(
        "P44020",
        feature,
        `a hash modulo ${formatExpr(max)}`,
        "the hardware cuts bits off: the size must be a constant power of two",
      );
    }
  }

  #register(feature: Extract<Feature, { kind: "register" }>): void {
    const { stateful } = this.target;
    const unit = this.model.units.find((u) => u.attached.some((a) => a.name === feature.register));
    const attached = unit?.attached.find((a) => a.name === feature.register);
    if (attached === undefined || this.target.model !== "tofino") return;
    const { width, size } = attached;
    if (!stateful.widths.includes(width)) {
      this.#error(
        "P44013",
        feature,
        `register ${feature.register} has cells of ${width} bits`,
        `cells are ${stateful.widths.join(", ")} bits wide: use the next wider`,
      );
      return;
    }
    const most = stateful.max_update_bits;
    if (most !== null && width > most && feature.reads) {
      this.#error(
        "P44013",
        feature,
        `register ${feature.register} of ${width} bits is read or updated`,
        `the stateful ALU works on ${most} bits: split the cell into two registers with the same index`,
      );
      return;
    }
    if (most !== null && width > most && !stateful.spans_stages) {
      this.#error(
        "P44013",
        feature,
        `register ${feature.register} has cells of ${width} bits`,
        `the stateful ALU works on ${most} bits: split the cell into two registers with the same index`,
      );
      return;
    }
    if (width === 1 && feature.writes && feature.variable) {
      this.#error(
        "P44026",
        feature,
        `a computed value is written to the one-bit register ${feature.register}`,
        "one-bit cells are set or cleared by constants: use one action for each, or 8-bit cells",
      );
      return;
    }
    const perWord = Math.max(1, Math.floor(128 / width));
    const blocks = Math.ceil(size / (1024 * perWord)) + 1;
    if (stateful.max_blocks !== null && blocks > stateful.max_blocks && !stateful.spans_stages) {
      this.#error(
        "P44027",
        feature,
        `register ${feature.register} needs ${blocks} blocks with its spare`,
        `one register has at most ${stateful.max_blocks}: ${(stateful.max_blocks - 1) * 1024 * perWord} cells of ${width} bits`,
      );
    }
  }

  /** Rules about several uses of registers: one access a packet, one address an action. */
  registers(features: readonly Feature[]): void {
    if (this.target.model !== "tofino") return;
    const uses = features.filter((feature) => feature.kind === "register");
    const byAction = new Map<string, typeof uses>();
    for (const use of uses) {
      const key = `${use.unit} ${use.action}`;
      byAction.set(key, [...(byAction.get(key) ?? []), use]);
    }
    const reported = new Set<string>();
    for (const list of byAction.values()) {
      const [first] = list;
      for (const use of list) {
        if (use.statement) {
          if (use.reads && use.writes && !reported.has(use.register)) {
            reported.add(use.register);
            this.#error(
              "P44015",
              use,
              `register ${use.register} is read and written by two statements`,
              "a packet visits a register once, in one stage: put read, change and write into one action",
            );
          }
          continue;
        }
        if (use.index === first!.index && !use.index.includes(" and ")) continue;
        if (reported.has(use.action)) continue;
        reported.add(use.action);
        this.#error(
          "P44014",
          use,
          `action ${use.action} uses registers at different places: ${first!.index}${use === first ? "" : ` and ${use.index}`}`,
          "an action has one address for all its registers: use the same index, or two tables",
        );
      }
    }
    const byRegister = new Map<string, typeof uses>();
    for (const use of uses) byRegister.set(use.register, [...(byRegister.get(use.register) ?? []), use]);
    for (const [register, list] of byRegister) {
      if (reported.has(register)) continue;
      const users = this.model.units.filter((unit) => unit.attached.some((a) => a.name === register));
      const clash = users.find((a) =>
        users.some((b) => b.id > a.id && !this.model.flow.exclusive(a.id, b.id)),
      );
      if (clash === undefined) continue;
      this.#error(
        "P44015",
        list[list.length - 1]!,
        `register ${register} is used by tables that can both run for a packet: ${users.map((u) => u.name).join(", ")}`,
        "a packet visits a register once, in one stage: join the uses in one action, put them in exclusive branches, or recirculate",
      );
    }
  }

  /** Keys, parser and bridged metadata. */
  whole(): void {
    const { model, target } = this;
    for (const unit of model.units) {
      const kinds = unit.key.map((part) => part.kind);
      const lpm = kinds.filter((kind) => kind === "lpm").length;
      const with_ = kinds.includes("ternary") ? "ternary" : kinds.includes("range") ? "range" : undefined;
      if (lpm > 1 || (lpm === 1 && with_ !== undefined)) {
        this.#error(
          "P44010",
          unit,
          lpm > 1
            ? `table ${unit.name} has ${lpm} lpm keys`
            : `table ${unit.name} mixes lpm and ${with_} keys`,
          "make the prefix a ternary key and give entries a priority",
        );
      }
      // What our compiler calls an instance that the program gives no name.
      if (unit.implementation !== undefined && unit.implementation.name === `${unit.table}.implementation`) {
        this.#error(
          "P44012",
          unit,
          `the implementation of table ${unit.name} has no name`,
          "declare it before the table, as an action_profile or action_selector with a name",
        );
      }
      for (const part of unit.key) {
        const most = target.range.max_bits;
        if (part.kind !== "range" || most === null || part.access.width <= most) continue;
        this.#error(
          "P44011",
          unit,
          `range key ${part.access.field} of table ${unit.name} has ${part.access.width} bits`,
          `a range has at most ${most} bits: match high bits as ternary, or classify the value in a table before`,
        );
      }
    }
    const { egress_depth_bytes: depth, egress_intrinsic_bytes: front } = target.parser;
    if (depth !== null) {
      const bytes = model.parser.longestPathBytes + (front ?? 0);
      if (bytes > depth) {
        this.#error(
          "P44024",
          { source: undefined },
          `the longest chain of headers takes ${bytes} bytes in the egress parser, ${front} of them in front of the packet`,
          `it parses ${depth} bytes: carry fewer or shorter headers`,
        );
      }
    }
    this.#bridge();
  }

  /** Metadata that crosses to egress is a header of whole bytes; results of arithmetic cannot be moved together. */
  #bridge(): void {
    const { model } = this;
    const written = new Set<string>();
    const odd = new Set<string>();
    for (const unit of model.units) {
      if (unit.gress !== "ingress") continue;
      for (const write of writesOf(unit)) written.add(write.field);
      for (const action of unit.actions) {
        for (const write of action.writes) {
          const info = model.fields.get(write.field);
          if (info?.metadata !== true || info.intrinsic || info.width % 8 === 0) continue;
          if (action.arithmetic.includes(write.field)) odd.add(write.field);
        }
      }
    }
    const bridged = [...odd].filter((field) =>
      model.units.some(
        (unit) =>
          unit.gress === "egress" &&
          [
            ...unit.key.map((k) => k.access),
            ...unit.actions.flatMap((a) => a.reads),
            ...(unit.condition?.reads ?? []),
          ].some((access) => access.field === field),
      ),
    );
    if (bridged.length > 1) {
      const unit = model.units.find((u) => writesOf(u).some((w) => w.field === bridged[0]));
      this.#error(
        "P44025",
        { source: unit?.source },
        `${bridged.length} computed values of odd width cross to egress: ${bridged.map((f) => f.replace(/^scalars\./, "")).join(", ")}`,
        "results of arithmetic keep their containers: make the fields whole bytes wide",
      );
    }
  }
}

function isArithmetic(expr: Expr): boolean {
  return expr.kind === "operation" && ["+", "-", "sat+", "sat-"].includes(expr.op);
}

interface BadOperation {
  readonly expr: Expr;
  readonly what: string;
  readonly instead: string;
}

function findOperation(expr: Expr, compares: boolean): BadOperation | undefined {
  if (expr.kind !== "operation") return undefined;
  for (const part of expr.parts) {
    const inner = findOperation(part, compares);
    if (inner !== undefined) return inner;
  }
  const [left, right] = expr.parts;
  const constant = right?.kind === "constant" ? right.value : undefined;
  const power = constant !== undefined && constant > 0n && (constant & (constant - 1n)) === 0n;
  switch (expr.op) {
    case "*":
      if (power || left === undefined) return undefined;
      return {
        expr,
        what: "there is no multiplier",
        instead: "add shifted copies in several stages, or look the product up in a table",
      };
    case "/":
    case "%":
      if (power) return undefined;
      return {
        expr,
        what: "there is no divider",
        instead: "divide by a power of two (a shift or a mask), or look the result up in a table",
      };
    case "<<":
    case ">>":
      if (constant !== undefined) return undefined;
      return {
        expr,
        what: "the shift count must be a constant",
        instead: "use a table with one action for each count",
      };
    case "?":
      return {
        expr,
        what: "an action has no conditional value",
        instead: `branch in the control: if (${formatExpr(left ?? expr)}) one table else another`,
      };
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "==":
    case "!=":
    case "and":
    case "or":
      return compares || readsOf(expr).length === 0
        ? undefined
        : {
            expr,
            what: "a comparison has no value in an action",
            instead: "branch in the control and set the result in each branch",
          };
    default:
      return undefined;
  }
}
