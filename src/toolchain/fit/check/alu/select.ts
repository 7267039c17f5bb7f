/**
 * The instructions of a stateful ALU for one method of a register action: comparisons, values for the two words of the entry, outputs. As
 * p4c's open Tofino back end selects them (bf-p4c/mau/stateful_alu.cpp, CreateSaluInstruction), and as its assembler takes them
 * (bf-asm/salu_inst.cpp: what one comparison adds). What the ALU does not do is a finding. Where a method has a form that is not known here,
 * there is none for it: what is left out counts as accepted.
 */
import type { bmv2 } from "../../../program/index.js";
import type { Target } from "../../target.js";
import { type Condition, conditionOf, negationOf } from "./conditions.js";
import { withoutCopies } from "./copies.js";
import { type Findings, isComplex, isZero, type Operand, operandOf, type Source } from "./operands.js";

type Expr = bmv2.AluExpr;
type Statement = bmv2.AluStatement;

/** A value that an ALU computes for a word of the entry, or, of the second ALU, for an output. */
interface Instruction {
  /** 0: the ALU of the first word. */
  readonly alu: 0 | 1;
  /** Undefined: always. */
  readonly guard: string | undefined;
  readonly op: string;
  readonly operands: readonly Operand[];
  readonly source: Source;
  /** One of two whose values are joined by `|`. */
  readonly joined: boolean;
}

/** What the methods of one register take together. */
export interface Selected {
  /** Constants that are no part of an instruction. */
  readonly rows: ReadonlySet<string>;
}

interface Output {
  from: string;
  guard: string | undefined;
  source: Source;
}

const ARITHMETIC = new Set(["+", "-", "|+|", "|-|"]);
const LOGIC = new Set(["&", "|", "^"]);
const TRUTH = new Set(["==", "!=", "<", "<=", ">", ">=", "&&", "||"]);

/** Reports what the ALU does not do of a method. */
export function selectInstructions(
  method: bmv2.AluMethod,
  alu: Target["stateful"],
  findings: Findings,
): Selected {
  const { body, locals } = withoutCopies(method.body);
  const selection = new Selection(method, alu, findings, locals.size > 0);
  selection.statements(body, undefined);
  selection.finish();
  return { rows: selection.rows };
}

class Selection {
  readonly rows = new Set<string>();
  readonly #instructions: Instruction[] = [];
  readonly #outputs = new Map<number, Output>();
  /** By what is written: the guards of its assignments. */
  readonly #writes = new Map<string, { guard: string | undefined; source: Source }[]>();
  /** Words that a statement before has written. */
  readonly #written = [false, false];

  constructor(
    readonly method: bmv2.AluMethod,
    readonly alu: Target["stateful"],
    readonly findings: Findings,
    /** Variables are left, which take the second ALU: nothing is said of outputs then. */
    readonly hasLocals: boolean,
  ) {}

  /** The second ALU is free for outputs: entries of one word that the first one works on alone. */
  get #hasSpareAlu(): boolean {
    const { words, width } = this.method;
    const { computed_result_bits: widest } = this.alu;
    return words === 1 && (widest === null || width <= widest) && !this.hasLocals;
  }

  get #isBit(): boolean {
    return this.method.width === 1;
  }

  statements(body: readonly Statement[], guard: Condition | undefined): void {
    for (const stmt of body) {
      if (stmt.kind === "assign") this.#assign(stmt, guard);
      else if (stmt.kind === "if") {
        const condition = conditionOf(stmt.condition, this);
        if (condition === undefined) continue;
        this.statements(stmt.yes, both(condition, guard));
        this.statements(stmt.no, both(negationOf(condition), guard));
      }
    }
  }

  #assign(stmt: Extract<Statement, { kind: "assign" }>, guard: Condition | undefined): void {
    const { left, right, source_info: source } = stmt;
    if (left.kind === "cell" && left.word !== null) {
      this.#written[left.word] = true;
      this.#word(left.word, right, guard, source, true);
    } else if (left.kind === "result") this.#result(left.index, right, guard, source, true);
  }

  // ---------------------------------------------------------------- the entry

  /** @param counts it is held against the other assignments of the word */
  #word(word: 0 | 1, value: Expr, guard: Condition | undefined, source: Source, counts: boolean): void {
    if (value.kind === "choice") {
      const condition = conditionOf(value.condition, this);
      if (condition === undefined) return;
      this.#word(word, value.yes, both(condition, guard), source, counts);
      this.#word(word, value.no, both(negationOf(condition), guard), source, false);
      return;
    }
    if (this.#isBit) this.#bit(value, guard, source);
    else if (value.kind === "binary" && value.op === "|" && isMergeOfBits(value))
      this.findings.add("operation", value.source_info, {
        what: "it puts a word together from bits of two values",
        instead: "put it together in an earlier table, or keep the parts in two words",
      });
    else if (value.kind === "binary" && value.op === "|" && isComplex(value))
      for (const part of [value.left, value.right]) this.#compute(word, part, guard, source, true);
    else this.#compute(word, value, guard, source, false);
    if (counts) this.#write(word === 0 ? "the entry" : "the second word", guard, source, isZero(value));
  }

  /** One instruction of an ALU; undefined where there is none, or its form is not known. */
  #compute(
    word: 0 | 1,
    value: Expr,
    guard: Condition | undefined,
    source: Source,
    joined: boolean,
  ): Instruction | undefined {
    const found = this.#instruction(value);
    if (found === undefined) return undefined;
    const made = { alu: word, guard: guard?.text, ...found, source, joined };
    this.#add(made);
    return made;
  }

  #add(made: Instruction): void {
    for (const operand of made.operands) this.operand(operand);
    this.#instructions.push(made);
  }

  /** What one ALU computes: an operation of two operands at most. */
  #instruction(value: Expr): Pick<Instruction, "op" | "operands"> | undefined {
    const { findings } = this;
    if (value.kind === "unary" && value.op === "~" && value.operand.kind === "binary")
      return LOGIC.has(value.operand.op) ? this.#instruction(value.operand) : undefined;
    if (value.kind === "binary" && TRUTH.has(value.op)) {
      findings.add("operation", value.source_info, {
        what: "a comparison is a value for the entry",
        instead: "write a number under the condition: if (a == b) { value = 1; }",
      });
      return undefined;
    }
    if (value.kind !== "binary" || value.op === "++") {
      const operand = operandOf(value, findings);
      return operand === undefined ? undefined : { op: "set", operands: [operand] };
    }
    const { op, left, right } = value;
    if (!ARITHMETIC.has(op) && !LOGIC.has(op)) {
      if (op !== "/" && op !== "%")
        findings.add("operation", value.source_info, {
          what: `it computes ${op}`,
          instead:
            "the ALU of a register adds, subtracts, saturates and combines bits: compute the value before, in an earlier table",
        });
      return undefined;
    }
    if (isComplex(value)) {
      findings.add("operation", value.source_info, {
        what: "it computes more than one operation in a row",
        instead: "one operation of two operands is an instruction; only `|` may join two of them",
      });
      return undefined;
    }
    const operands = [left, right].map((part) => operandOf(part, findings));
    const [first, second] = operands;
    if (first === undefined || second === undefined) return undefined;
    // `a - k` is `a + (2^n - k)` (p4c, frontends, StrengthReduction).
    if (op === "-" && second.kind === "constant")
      return { op: "+", operands: [first, { ...second, value: (1n << BigInt(value.width)) - second.value }] };
    return { op, operands: [first, second] };
  }

  /** A register of bits: constants alone, and always. */
  #bit(value: Expr, guard: Condition | undefined, source: Source): void {
    const what =
      guard !== undefined
        ? "it writes a bit under a condition"
        : value.kind !== "number"
          ? "it writes what is no constant to a register of bits"
          : undefined;
    if (what !== undefined)
      this.findings.add("bit", source, {
        what,
        instead: "set or clear the bit by an action each, or take a register of 8 bits",
      });
  }

  // ---------------------------------------------------------------- outputs

  #result(index: number, value: Expr, guard: Condition | undefined, source: Source, counts: boolean): void {
    if (value.kind === "choice") {
      const condition = conditionOf(value.condition, this);
      if (condition === undefined) return;
      this.#result(index, value.yes, both(condition, guard), source, counts);
      this.#result(index, value.no, both(negationOf(condition), guard), source, false);
      return;
    }
    if (this.hasLocals) return;
    if (this.#isBit && guard !== undefined) {
      this.findings.add("bit", source, {
        what: "it returns a bit under a condition",
        instead: "return the bit always, and decide afterwards; or take a register of 8 bits",
      });
      return;
    }
    const truth = asCondition(value);
    if (truth !== undefined) {
      const condition = conditionOf(truth, this);
      if (condition === undefined) return;
      const one: Operand = { kind: "constant", value: 1n, width: undefined, text: "1", source };
      this.#output(index, "constant", one, both(condition, guard), source);
    } else if (value.kind === "binary" && value.op !== "++") {
      if (["/", "%"].includes(value.op)) return;
      if (!this.#hasSpareAlu) {
        this.#refuseComputed(value.source_info, "it returns what it computes");
        return;
      }
      if (this.#compute(1, value, guard, source, false) === undefined) return;
      this.#output(index, "computed", undefined, guard, source);
    } else {
      const operand = operandOf(value, this.findings);
      if (operand === undefined || operand.kind === "other") return;
      this.#output(index, operand.kind === "constant" ? "constant" : "direct", operand, guard, source);
    }
    if (counts) this.#write(`result ${index + 1}`, guard, source, isZero(value));
  }

  #refuseComputed(source: Source, what: string): void {
    this.findings.add("output", source, {
      what: `${what}, and both of its ALUs write the entry`,
      instead: "return a word of the entry, before or after the change, and compute in the next table",
    });
  }

  #output(
    index: number,
    kind: "constant" | "direct" | "computed",
    operand: Operand | undefined,
    guard: Condition | undefined,
    source: Source,
  ): void {
    // Nothing drives the output: it is 0.
    if (operand?.kind === "constant" && operand.value === 0n) return;
    const before = this.#outputs.get(index);
    const own = operand === undefined ? SECOND_ALU : this.#nameOf(operand);
    const isStored = operand?.kind === "memory" && !this.#written[operand.word ?? 0];
    const spare = this.#hasSpareAlu;
    let from = own;
    if (kind === "constant") {
      if (spare) {
        // What was given before goes through the second ALU, too.
        if (before !== undefined && before.from !== SECOND_ALU) before.from = SECOND_ALU;
        this.#add({ alu: 1, guard: guard?.text, op: "set", operands: [operand!], source, joined: false });
        from = SECOND_ALU;
      } else if (isPower(operand!)) from = "the outcome of comparisons";
      else {
        this.#refuseComputed(source, `it returns ${operand!.text}`);
        return;
      }
    } else if (kind === "direct" && isStored && spare && before !== undefined && before.from !== own) {
      this.#add({ alu: 1, guard: guard?.text, op: "set", operands: [operand!], source, joined: false });
      from = SECOND_ALU;
    }
    if (operand !== undefined && kind === "direct") this.operand(operand);
    if (before !== undefined && before.from !== from)
      this.findings.add("output", source, {
        what: `it returns ${from} here and ${before.from} elsewhere`,
        instead:
          "a result comes from one place in all cases: the entry before the change, or after it, or a value of the packet; or choose in the next table",
      });
    else this.#outputs.set(index, { from, guard: guard?.text, source });
  }

  /** Where a value for an output comes from. */
  #nameOf(operand: Operand): string {
    if (operand.kind !== "memory") return operand.text;
    const { word, width } = operand;
    const changed = this.#written[word ?? 0] === true;
    const part = width === this.method.width ? "" : ` (${width} bits)`;
    return `the ${word === 1 ? "second " : ""}word of the entry ${changed ? "after" : "before"} the change${part}`;
  }

  // ---------------------------------------------------------------- rules

  /** No assignment of the same place may take effect together with another one. */
  #write(place: string, guard: Condition | undefined, source: Source, zero: boolean): void {
    const writes = this.#writes.get(place);
    if (writes === undefined) {
      // The first 0 without a condition is what is there anyway.
      if (!(zero && guard === undefined)) this.#writes.set(place, [{ guard: guard?.text, source }]);
      return;
    }
    const other = writes.find(
      (one) => one.guard === undefined || guard === undefined || one.guard === guard.text,
    );
    if (other === undefined) writes.push({ guard: guard?.text, source });
    else
      this.findings.add("writes", source, {
        what: `it assigns ${place} again in a case in which line ${other.source?.line ?? "?"} has assigned it`,
        instead: "assign it once in each case: if … else if … else",
      });
  }

  /** Each operand that an instruction or a comparison has. */
  operand(operand: Operand): void {
    const { width: cell } = this.method;
    const mode = Math.max(cell, this.alu.min_operand_bits ?? 0);
    const { kind, width, text, source } = operand;
    if (width !== undefined && width > mode)
      this.findings.add("width", source, {
        what: `${text} has ${width} bits, and the ALU works on the ${mode} of the register's words`,
        instead: `take words of ${width} bits, or values of ${mode} bits: cast before the call, or in the method: (bit<${mode}>) ${text}`,
      });
    if (kind !== "constant") return;
    const { min_constant: min, max_constant: max } = this.alu;
    if (min !== null && max !== null && (operand.value < BigInt(min) || operand.value > BigInt(max)))
      this.rows.add(String(operand.value));
  }

  finish(): void {
    for (const [at, one] of this.#instructions.entries()) {
      const other = this.#instructions.find(
        (before, i) =>
          i < at &&
          before.alu === one.alu &&
          before.guard === undefined &&
          !before.joined &&
          !same(before, one),
      );
      if (other === undefined || one.joined) continue;
      this.findings.add("writes", one.source, {
        what: `it needs one ALU for two values in one case: line ${other.source?.line ?? "?"} has it already`,
        instead: "two values can be computed a call, those written to the entry included",
      });
    }
  }
}

const SECOND_ALU = "what the second ALU computes";

function same(a: Instruction, b: Instruction): boolean {
  const text = ({ op, operands }: Instruction) => [op, ...operands.map((one) => one.text)].join(" ");
  return text(a) === text(b);
}

/**
 * Both sides have a constant mask, without a bit in common: the compiler makes assignments of bits of it (p4c, midend/simplifyBitwise.h), which
 * no stateful ALU has.
 */
function isMergeOfBits({ left, right }: Extract<Expr, { kind: "binary" }>): boolean {
  const [one, other] = [maskOf(left), maskOf(right)];
  return one !== undefined && other !== undefined && (one & other) === 0n;
}

function maskOf(expr: Expr): bigint | undefined {
  if (expr.kind !== "binary" || expr.op !== "&") return undefined;
  const mask = [expr.left, expr.right].find((part) => part.kind === "number");
  return mask?.kind === "number" ? mask.value : undefined;
}

function isPower(operand: Operand): boolean {
  return operand.kind === "constant" && operand.value > 0n && (operand.value & (operand.value - 1n)) === 0n;
}

/** The condition behind a result that is a truth value, also as a number. */
function asCondition(value: Expr): Expr | undefined {
  const inner = value.kind === "cast" && value.operand.type === "bool" ? value.operand : value;
  if (inner.kind === "binary" && TRUTH.has(inner.op)) return inner;
  return inner.kind === "unary" && inner.op === "!" ? inner : undefined;
}

function both(condition: Condition, guard: Condition | undefined): Condition {
  return guard === undefined
    ? condition
    : { kind: "and", parts: [condition, guard], text: `(${condition.text} && ${guard.text})` };
}
