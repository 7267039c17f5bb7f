/**
 * An action as steps, each of which one stage can execute. All steps of a stage read the values that the packet had
 * when it entered the stage, so a step that needs the result of another is one level later. Local variables that only
 * pass a value on take no step. Over 800 lines, since one class holds the values of a packet that all kinds of primitives read and write.
 */
import { defined, given } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import {
  choiceOf,
  type Destination,
  type Expr,
  formatExpr,
  hasCell,
  operationCount,
  readAssignment,
  readsOf,
  readValue,
  type Scope,
  sameAccess,
} from "./expressions.js";
import type { Feature, RegisterUpdate } from "./features.js";
import type {
  Access,
  ActionDatum,
  Attached,
  FieldInfo,
  Gress,
  HashUse,
  IndexKind,
  Operation,
} from "./model.js";
import { anyOverlap } from "./model.js";
import { isVariable } from "./simplify/copies.js";
import { CLEARED, destinationsOf, fieldsIn, partsOf } from "./simplify/graph.js";
import { type Statement, structureOf } from "./statements.js";

/** One instruction of an action, with the memories and hashes that it uses. */
export interface Step {
  reads: Access[];
  writes: Access[];
  data: ActionDatum[];
  arithmetic: string[];
  operations: Operation[];
  /** Its operations are those of one header's fields. */
  copiesHeader?: true;
  attached: Attached[];
  hashes: HashUse[];
  random: boolean;
  /** It has a hash, but bare statements beside it are in one table with it. */
  isAmong?: true;
  /** A zero that the parser has written already (simplify/graph.ts, CLEARED). */
  isCleared?: true;
  source: bmv2.SourceInfo | undefined;
}

/** What the reader of an action knows about the program. */
export interface ActionContext {
  readonly program: bmv2.Bmv2Program;
  readonly fields: ReadonlyMap<string, FieldInfo>;
  readonly headerFields: ReadonlyMap<string, readonly string[]>;
  /** Local variables of this action: it sets them before it reads them, and nothing else uses them. */
  readonly locals: ReadonlySet<string>;
  /** Of the local variables, those that only hashes read. */
  readonly onlyHashed: ReadonlySet<string>;
  /** Fields that something reads, in the pipeline or after it. */
  readonly live: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, Attached["counts"]>;
  /** Fields that hold the number of the entry that a table found: the cell of a direct register. */
  readonly entryNumbers: ReadonlySet<string>;
  readonly features: Feature[];
  readonly gress: Gress;
  /** Constants that are part of an instruction, others are action data; null: no limit is known. */
  readonly constants: { readonly min: number | null; readonly max: number | null };
}

/** Primitives that move whole headers or stacks. */
const HEADER_PRIMITIVES = new Set(["assign_header", "assign_VL", "assign_union", "assign_header_stack"]);
/** Primitives that set a value for the deparser or the queues, by the field that stands for it. */
const EFFECTS: Readonly<Record<string, string>> = {
  mark_to_drop: "$drop",
  drop: "$drop",
  clone_ingress_pkt_to_egress: "$mirror",
  clone_egress_pkt_to_egress: "$mirror",
  generate_digest: "$digest",
  resubmit: "$resubmit",
};

/** How an action uses a register, as its primitives are read. */
interface RegisterUse {
  readonly step: Step;
  readonly memory: Omit<Attached, "updatesAndReturns" | "operands" | "resultBytes" | "results">;
  /** By variable that takes a result: bytes of the result. */
  readonly results: Map<string, number>;
  /** Bits of the packet that the ALU works on. */
  readonly inputs: Access[];
  reads: boolean;
  writes: boolean;
  /** The packet gets a value that was read. */
  uses: boolean;
  /** Something else than a constant is written. */
  variable: boolean;
  /** One call of the ALU, whose method the program states as such. */
  isWhole: boolean;
  /** Words of the packet and arguments that such a method reads. */
  readonly operands: string[];
  readonly indexes: string[];
  readonly source: bmv2.SourceInfo | undefined;
  /** Values that the ALU computes or tests. */
  readonly values: Expr[];
  readonly written: { readonly value: Expr; readonly guards: readonly string[] }[];
}

/** Reads the primitives of an action into steps, and collects the features that the checks need. */
export class ActionReader {
  readonly steps: Step[] = [];
  readonly #values = new Map<string, Expr>();
  readonly #scope: Scope;
  readonly #written = new Set<string>();
  /** By field: the hash that the action gave it, of values from before the action. */
  readonly #hashed = new Map<string, Hash>();
  /** The uses of registers: one a register, and one for each further call of bare statements, `NAME#2` and so on. */
  readonly #registers = new Map<string, RegisterUse>();
  /** Members of structures that methods of registers read in bare statements: the methods find them in their containers. */
  readonly #ofMethods: ReadonlySet<string>;
  /** Conditions of the `if` statements around the primitive that is being read. */
  readonly #guards: Expr[] = [];

  constructor(
    readonly action: bmv2.Bmv2Action,
    readonly context: ActionContext,
    readonly unit: string,
    /** The action consists of bare statements of a control: each extern call becomes a table. */
    readonly statement: boolean,
  ) {
    this.#scope = {
      fields: context.fields,
      parameters: action.runtime_data,
      locals: this.#values,
    };
    this.#ofMethods = new Set(statement ? membersOfMethods(context, action) : []);
    this.#readAll(structureOf(action.primitives));
    for (const use of this.#registers.values()) {
      const update = use.isWhole ? { ...UNREAD_UPDATE, operands: use.operands } : updateOf(use);
      use.step.attached.push({
        ...use.memory,
        operands: use.inputs,
        resultBytes: use.uses ? [...use.results.values()].reduce((sum, bytes) => sum + bytes, 0) : 0,
        results: use.uses ? [use.step.writes] : [],
        // The Tofino compiler adds a logical table for such an update, unless it is conditional.
        updatesAndReturns:
          !use.isWhole &&
          use.reads &&
          use.writes &&
          use.uses &&
          use.variable &&
          update.comparisons.length === 0,
      });
      context.features.push({
        kind: "register",
        register: use.memory.name,
        unit,
        action: action.name,
        reads: use.reads,
        writes: use.writes,
        indexes: use.indexes,
        variable: use.variable,
        isWhole: use.isWhole,
        update,
        statement,
        gress: context.gress,
        source: use.source,
      });
    }
  }

  #newStep(source: bmv2.SourceInfo | undefined): Step {
    const step: Step = {
      reads: [],
      writes: [],
      data: [],
      arithmetic: [],
      operations: [],
      attached: [],
      hashes: [],
      random: false,
      source,
    };
    this.steps.push(step);
    return step;
  }

  #readAll(nodes: readonly Statement[]): void {
    for (const node of nodes) {
      if (node.kind === "primitive") this.#read(node.primitive);
      else if (node.kind === "if") {
        const condition = readValue(node.condition, this.#scope);
        this.#guarded(condition, node.yes);
        this.#guarded(negated(condition), node.no);
      } else if (node.kind === "leave") this.#unlessGuarded(node.source);
      else
        this.context.features.push({
          kind: "again",
          node: this.action.name,
          table: false,
          source: node.source,
        });
    }
  }

  #guarded(condition: Expr, nodes: readonly Statement[]): void {
    this.#guards.push(condition);
    this.#readAll(nodes);
    this.#guards.pop();
  }

  /** Notes a statement that no instruction can do only sometimes: all but updates of registers and of locals. */
  #unlessGuarded(source: bmv2.SourceInfo | undefined): void {
    const condition = this.#guards[this.#guards.length - 1];
    if (condition !== undefined) {
      this.context.features.push({ kind: "conditional", action: this.action.name, condition, source });
    }
  }

  #read(primitive: bmv2.Primitive): void {
    const { op, parameters, source_info: source } = primitive;
    const effect = EFFECTS[op];
    if (op !== "assign" && !op.startsWith("register_") && op !== "no_op") this.#unlessGuarded(source);
    if (op === "assign") this.#assign(primitive);
    else if (op === "register_read" || op === "register_write") this.#register(primitive);
    else if (op === "stateful_alu") this.#alu(primitive);
    else if (op === "count" || op === "execute_meter") this.#statistics(primitive);
    else if (op === "modify_field_with_hash_based_offset") this.#hash(primitive);
    else if (op === "modify_field_rng_uniform") this.#random(primitive);
    else if (op === CLEARED) this.#cleared(primitive);
    else if (effect !== undefined) this.#newStep(source).writes.push({ field: effect, lo: 0, width: 1 });
    else if (op === "add_header" || op === "remove_header") {
      const header = parameters[0]?.type === "header" ? parameters[0].value : "";
      const write = { field: `${header}.$valid$`, lo: 0, width: 1 };
      const step = this.#newStep(source);
      step.writes.push(write);
      const constant = op === "add_header" ? 1n : 0n;
      step.operations.push({ kind: "set", write, sources: [], data: true, constant, source });
    } else if (HEADER_PRIMITIVES.has(op) || op === "push" || op === "pop") this.#headers(primitive);
    else if (op !== "exit" && op !== "no_op") this.context.features.push({ kind: "extern", op, source });
  }

  #cleared({ parameters, source_info: source }: bmv2.Primitive): void {
    const [name] = parameters;
    if (!this.statement || name?.type !== "string") return;
    const step = this.#newStep(source);
    step.isCleared = true;
    step.writes.push({ field: name.value, lo: 0, width: this.#widthOf(name.value) });
  }

  #assign({ parameters, in_hash: isHashed, source_info: source }: bmv2.Primitive): void {
    const [target, value] = parameters;
    if (target?.type !== "field" || value === undefined) return;
    const read = readAssignment(target.value, value, this.#scope);
    const { access } = read;
    if (this.#besideCall(read)) {
      this.#unlessGuarded(source);
      this.#forget(access.field);
      return;
    }
    const isWhole = access.width === this.#widthOf(access.field);
    const assigned = {
      ...read,
      expr: read.expr.kind === "cell" ? this.#copiedFrom(read.expr, isWhole) : this.#settled(read.expr),
    };
    const isWidened =
      this.statement &&
      this.context.program.architecture !== undefined &&
      assigned.expr.kind === "field" &&
      assigned.expr.access.width < access.width;
    // A cast to a wider type is two assignments before copies are propagated (simplify/pieces.ts).
    const local = this.#isLocal(access.field) && !isWidened;
    const expr = local ? this.#guardedValue(access, assigned.expr) : assigned.expr;
    if (!local) this.#unlessGuarded(source);
    this.#forget(access.field);
    if (local && isWhole) {
      if (hasCell(expr)) {
        const cells = cellsOf(expr);
        this.#feed(defined(cells[0]), expr);
        const register = defined(cells[0]);
        this.#values.set(
          access.field,
          expr.kind === "cell" ? expr : { kind: "cell", register, reads: [expr], place: undefined },
        );
        return;
      }
      // The hash engine of a Tofino puts bits together and has their exclusive or.
      const isInput =
        this.context.program.architecture !== undefined &&
        this.context.onlyHashed.has(access.field) &&
        isLinear(expr);
      if (isHashed !== true && expr.kind === "operation" && this.#isPassedOn(access.field, expr)) {
        this.#values.set(access.field, this.#asOfNow({ ...expr, isOfVariable: true }));
        return;
      }
      const held = isHashed === true ? ofMatrix(expr, access.width) : expr;
      if (held.kind !== "operation" || held.op === "hash" || held.op === "?" || isInput) {
        this.#values.set(access.field, this.#asOfNow(held));
        return;
      }
      this.#values.delete(access.field);
    } else if (!this.context.live.has(access.field)) {
      return;
    }
    if (!this.#throughHash(access, expr, isHashed, source)) this.#write(access, expr, source);
    // Later statements that read the copy read the original instead, in the same stage.
    const copied =
      expr.kind === "constant" || expr.kind === "argument" || (expr.kind === "field" && !isWidened);
    if (isWhole && copied && (expr.kind !== "field" || expr.access.field !== access.field)) {
      this.#values.set(access.field, this.#asOfNow(expr));
    }
  }

  /**
   * The compiler's copy propagation passes on no variable that has one of several results of a bare call: it has a container, and what copies
   * it is a table of its own (p4c, action_synthesis_policy.h, can_combine). A part of a field is the call's own result.
   */
  #copiedFrom(cell: Expr & { kind: "cell" }, isWhole: boolean): Expr {
    const use = defined(this.#registers.get(cell.register));
    if (!isWhole || !this.statement || cell.place === undefined || use.results.size < 2) return cell;
    this.#forget(cell.place.field);
    use.uses = true;
    use.step.writes.push(cell.place);
    return { kind: "field", access: cell.place };
  }

  /**
   * What an ALU gives is on the action data bus in its stage, so that an instruction of the same action can take it as its second operand
   * (p4c, mau/instruction_selection.cpp): `x = a + r.execute(i)` is one stage. True when the assignment is such an instruction.
   */
  #besideCall({ access, expr }: Destination): boolean {
    const { context } = this;
    if (this.statement || this.#isLocal(access.field) || !context.live.has(access.field)) return false;
    if (expr.kind !== "operation" || !BESIDE_CALL.has(expr.op) || expr.parts.length !== 2) return false;
    const cell = expr.parts.find((part) => part.kind === "cell");
    const other = expr.parts.find((part) => part.kind !== "cell");
    const use = cell === undefined ? undefined : this.#registers.get(cell.register);
    if (cell?.place === undefined || use === undefined || other?.kind !== "field") return false;
    const now = this.#asOfNow(other);
    // An operand that the action changes before is there a stage later only.
    if (now.kind !== "field" || now.access.entry !== true) return false;
    use.uses = true;
    use.step.writes.push(access);
    addReads(use.step.reads, [now.access]);
    return true;
  }

  /**
   * So is a hash: `x = a ^ h.get(y)` of an action is one stage, also where a variable of the action holds the hash. True when the value is
   * such an instruction.
   */
  #besideHash(access: Access, expr: Expr, source: bmv2.SourceInfo | undefined): boolean {
    if (expr.kind !== "operation" || !BESIDE_CALL.has(expr.op) || expr.parts.length !== 2) return false;
    const hashIn = (part: Expr): Hash | undefined => {
      const found =
        part.kind === "field" && part.access.lo === 0 ? this.#hashed.get(part.access.field) : part;
      return found !== undefined && isHash(found) ? found : undefined;
    };
    const at = expr.parts.findIndex((part) => hashIn(part) !== undefined);
    const hash = hashIn(expr.parts[at] ?? expr);
    if (hash === undefined) return false;
    const other = expr.parts[1 - at]!;
    if (other.kind !== "field") return false;
    // An operand that the action changes before is there a stage later only.
    if (this.steps.some(({ writes }) => anyOverlap(writes, [other.access]) !== undefined)) return false;
    const step = this.#newStep(source);
    step.writes.push(access);
    addReads(step.reads, [other.access]);
    step.hashes.push(hashOf(hash, access.width));
    const given: Expr = { kind: "argument", name: "hash", width: access.width };
    step.operations.push(operationOf(access, { ...expr, parts: [other, given] }, source));
    if (ARITHMETIC.has(expr.op)) step.arithmetic.push(access.field, other.access.field);
    return true;
  }

  /**
   * All that reads the variable in a TNA program copies it, or a part of it: the compiler's copy propagation gives each reader the operation
   * (p4c, midend/local_copyprop.cpp).
   */
  #isPassedOn(variable: string, expr: Expr): boolean {
    const { program, fields } = this.context;
    if (program.architecture === undefined || this.#guards.length > 0 || !isOfPacket(expr)) return false;
    return this.action.primitives.every((primitive) => {
      if (!partsOf({ program }, primitive).reads.has(variable)) return true;
      const [target, value] = primitive.parameters;
      if (primitive.op !== "assign" || target?.type !== "field" || value === undefined) return false;
      const { expr: read } = readAssignment(target.value, value, { fields, parameters: [] });
      return read.kind === "field" && read.access.field === variable;
    });
  }

  /**
   * What the matrix computes of a value: all of it, or one operand, which the instruction takes from the action data bus. The program says so
   * with `@in_hash`; of a sum with a value made wider the compiler says it itself. True when the value is such a one.
   */
  #throughHash(
    access: Access,
    expr: Expr,
    isHashed: true | undefined,
    source: bmv2.SourceInfo | undefined,
  ): boolean {
    if (this.context.program.architecture === undefined) return false;
    const operand = isHashed === true ? hashedOperand(access, expr) : this.#widenedOperand(access, expr);
    if (operand === undefined) return false;
    const step = this.#newStep(source);
    step.writes.push(access);
    step.hashes.push({ algorithm: formatExpr(operand), bits: access.width, inputs: readsOf(operand) });
    if (isHashed !== true) step.isAmong = true;
    if (operand === expr || expr.kind !== "operation") return true;
    const given: Expr = { kind: "argument", name: "hash", width: access.width };
    const rest = { ...expr, parts: expr.parts.map((part) => (part === operand ? given : part)) };
    addReads(step.reads, readsOf(rest));
    step.operations.push(operationOf(access, rest, source));
    if (ARITHMETIC.has(expr.op)) step.arithmetic.push(access.field, ...readsOf(rest).map((a) => a.field));
    return true;
  }

  /**
   * The operand of a sum that is narrower than the other one, where no container has the width of both (p4c, midend/annotate_with_in_hash.cpp):
   * whole fields of headers and metadata, and of a difference the first operand.
   */
  #widenedOperand(access: Access, expr: Expr): Expr | undefined {
    if (expr.kind !== "operation" || !SUMS.has(expr.op)) return undefined;
    const isWhole = (part: Expr | undefined) =>
      part?.kind === "field" &&
      !isVariable(this.context, part.access.field) &&
      part.access.width === this.#widthOf(part.access.field);
    const [left, right] = expr.parts;
    if (left?.kind !== "field" || right?.kind !== "field" || !isWhole(left) || !isWhole(right))
      return undefined;
    const operands = expr.op.endsWith("-") ? [left] : [right, left];
    const narrow = operands.find((part) => part.access.width < access.width);
    const other = narrow === left ? right : left;
    if (narrow === undefined || other.access.width !== access.width) return undefined;
    return [narrow, other].every((part) => CONTAINER_BITS.has(part.access.width)) ? undefined : narrow;
  }

  /** The value of a local variable after an assignment under conditions: the new one or the one before. */
  #guardedValue(access: Access, expr: Expr): Expr {
    const before = this.#values.get(access.field) ?? ({ kind: "field", access } as const);
    return this.#chosen(this.#guards, expr, before);
  }

  /** `expr` where all guards hold, else `before`; both branches of one `if` give one choice. */
  #chosen([guard, ...inner]: readonly Expr[], expr: Expr, before: Expr): Expr {
    if (guard === undefined) return expr;
    const choose = (...parts: readonly [Expr, Expr, Expr]): Expr => ({ kind: "operation", op: "?", parts });
    const old = before.kind === "cell" && before.reads.length === 1 ? defined(before.reads[0]) : before;
    if (old.kind === "operation" && old.op === "?") {
      const [condition, yes, no] = old.parts as [Expr, Expr, Expr];
      const here = this.#asOfNow(guard);
      if (sameExpr(here, this.#asOfNow(negated(condition))))
        return choose(condition, yes, this.#chosen(inner, expr, no));
      if (sameExpr(here, this.#asOfNow(condition)))
        return choose(condition, this.#chosen(inner, expr, yes), no);
    }
    return choose(guard, this.#chosen(inner, expr, before), before);
  }

  /** The value as another step reads it: what a call of an ALU gave is in its container a stage later. */
  #settled(expr: Expr): Expr {
    if (expr.kind === "operation") {
      const parts = expr.parts.map((part) => this.#settled(part));
      const [condition, yes, no] = parts;
      if (expr.op === "?") return choiceOf(defined(condition), defined(yes), defined(no));
      return { ...expr, parts };
    }
    if (expr.kind !== "cell" || expr.place === undefined) return expr;
    const use = defined(this.#registers.get(expr.register));
    use.uses = true;
    addReads(use.step.writes, [expr.place]);
    return { kind: "field", access: expr.place };
  }

  /** Conditions and fields of a value that a register's ALU computes. */
  #feed(register: string, value: Expr): void {
    const use = this.#registers.get(register);
    if (use === undefined) throw new Error("a register's cell is used before it is read");
    addReads(use.step.reads, readsOf(value));
    addReads(use.inputs, readsOf(value));
    use.values.push(value, ...this.#guards);
  }

  /** The field changes, so known copies of its old value are dropped. */
  #forget(field: string): void {
    this.#values.delete(field);
    this.#hashed.delete(field);
    this.#written.add(field);
    for (const [name, expr] of this.#values) {
      const stale = readsOf(expr).some((access) => access.field === field && access.entry !== true);
      if (stale && !this.#isLocal(name)) this.#values.delete(name);
    }
  }

  /** Marks fields that are read before the action changes them. */
  #asOfNow(expr: Expr): Expr {
    if (expr.kind === "field" && !this.#written.has(expr.access.field)) {
      return { kind: "field", access: { ...expr.access, entry: true } };
    }
    if (expr.kind === "operation") return { ...expr, parts: expr.parts.map((part) => this.#asOfNow(part)) };
    return expr;
  }

  #write(access: Access, expr: Expr, source: bmv2.SourceInfo | undefined): void {
    if (hasCell(expr)) {
      const [register] = cellsOf(expr);
      this.#feed(register!, expr);
      const use = defined(this.#registers.get(register!));
      use.uses = true;
      use.step.writes.push(access);
      return;
    }
    if (isHash(expr)) {
      const step = this.#newStep(source);
      step.writes.push(access);
      step.hashes.push(hashOf(expr, access.width));
      const now = this.#asOfNow(expr);
      const isWhole = access.width === this.#widthOf(access.field);
      if (isWhole && isHash(now) && readsOf(now).every(({ entry }) => entry === true))
        this.#hashed.set(access.field, now);
      return;
    }
    const isTna = this.context.program.architecture !== undefined;
    if (isTna && !this.statement && this.#besideHash(access, expr, source)) return;
    const value = isTna ? this.#withHashesApart(expr, access, source) : expr;
    const step = this.#newStep(source);
    step.writes.push(access);
    if (isTna && isLinear(value) && stepsOf(value) > 1) {
      // The compiler lets the hash engine compute it: each bit of the result is an exclusive or of bits of the packet.
      step.hashes.push({ algorithm: formatExpr(value), bits: access.width, inputs: readsOf(value) });
      return;
    }
    addReads(step.reads, readsOf(value));
    step.operations.push(operationOf(access, value, source));
    this.#operation(step, access, value, source);
  }

  /** A call of a hash inside an operation of a control gives its result to a variable first, as any call does (p4c, frontends, SideEffectOrdering). */
  #withHashesApart(expr: Expr, target: Access, source: bmv2.SourceInfo | undefined): Expr {
    if (expr.kind !== "operation") return expr;
    if (expr.op !== "hash")
      return { ...expr, parts: expr.parts.map((part) => this.#withHashesApart(part, target, source)) };
    const step = this.#newStep(source);
    const access = { field: `${this.unit}$hash${this.steps.length}`, lo: 0, width: target.width };
    step.writes.push(access);
    step.hashes.push(hashOf(expr, access.width));
    return { kind: "field", access };
  }

  #operation(step: Step, access: Access, expr: Expr, source: bmv2.SourceInfo | undefined): void {
    if (expr.kind === "argument")
      step.data.push({
        bits: Math.min(expr.width, access.width),
        target: access,
        argument: { name: expr.name, lo: expr.lo ?? 0 },
      });
    else if (expr.kind === "constant") this.#constant(step, expr.value, access);
    else if (expr.kind === "operation") {
      for (const part of operandsOf(expr)) {
        if (part.kind === "argument") step.data.push({ bits: part.width, target: access });
        else if (part.kind === "constant")
          // Equal constants of one action are one value of its data.
          this.#constant(step, part.value, access, { name: `= ${part.value}`, lo: 0 });
      }
      const steps = stepsOf(expr);
      this.context.features.push({ kind: "operation", expr, width: access.width, steps, source });
      if (ARITHMETIC.has(expr.op)) step.arithmetic.push(access.field, ...readsOf(expr).map((a) => a.field));
    }
  }

  #constant(step: Step, value: bigint, target: Access, argument?: ActionDatum["argument"]): void {
    const { min, max } = this.context.constants;
    const top = 1n << BigInt(target.width);
    const signed = value >= top / 2n ? value - top : value;
    const small = (min === null || signed >= BigInt(min)) && (max === null || signed <= BigInt(max));
    if (!small) step.data.push({ bits: target.width, target, ...given({ argument }) });
  }

  #indexOf(value: bmv2.Value, step: Step): { kind: IndexKind; text: string; address: Attached["address"] } {
    const expr = this.#settled(readValue(value, this.#scope));
    const text = formatExpr(expr);
    const inputs = readsOf(expr);
    if (expr.kind === "operation" && expr.op === "hash") {
      const hash = hashOf(expr, DEFAULT_HASH_BITS);
      step.hashes.push(hash);
      return { kind: "hash", text, address: { ...hash, inputs } };
    }
    const isEntry = expr.kind === "field" && this.context.entryNumbers.has(expr.access.field);
    if (isEntry) return { kind: "direct", text, address: { bits: 0, inputs: [] } };
    if (expr.kind === "argument" || expr.kind === "constant")
      return { kind: expr.kind, text, address: { bits: 0, inputs: [] } };
    addReads(step.reads, inputs);
    return { kind: "field", text, address: { bits: widthOf(expr), inputs } };
  }

  /** A call of a stateful ALU: register, number of results, results, index, operands. */
  #alu({ parameters, source_info: source }: bmv2.Primitive): void {
    const [array, count, ...rest] = parameters;
    if (array?.type !== "register_array" || count?.type !== "hexstr") return;
    const results = rest.slice(0, Number(count.value));
    const [index, ...operands] = rest.slice(results.length);
    if (index === undefined) return;
    const key = this.#keyOfCall(array.value);
    const use = this.#useOf(array.value, index, source, key);
    use.isWhole = true;
    use.reads = true;
    use.writes = true;
    const scope = this.#scopeOfOperands(array.value);
    for (const operand of operands) {
      const expr = this.#settled(readValue(operand, scope));
      addReads(use.step.reads, readsOf(expr));
      addReads(use.inputs, readsOf(expr));
      const text = formatExpr(expr);
      if (expr.kind !== "constant" && !use.operands.includes(text)) use.operands.push(text);
      for (const part of leaves(expr))
        if (part.kind === "argument") use.step.data.push({ bits: part.width, target: undefined });
    }
    for (const result of results) if (result.type === "field") this.#cellIn(result.value, key, use);
  }

  /** The value of a field that nothing else uses needs no container. */
  #isLocal(field: string): boolean {
    return this.context.locals.has(field) && !this.#ofMethods.has(field);
  }

  /**
   * What the method of a register action reads: a field that a statement before has set is read as it is then, because the compiler's copy
   * propagation does not look into the method. The value for a filter is an argument of its call.
   */
  #scopeOfOperands(register: string): Scope {
    if (!this.statement || register.endsWith(FILTER_STATE)) return this.#scope;
    const locals = new Map([...this.#values].filter(([name]) => this.#isLocal(name)));
    return { ...this.#scope, locals };
  }

  /**
   * The compiler makes an action of each bare statement that calls an extern, so each call has a table (p4c, action_synthesis_policy.h,
   * can_combine). In one action the front end refuses a second call (P40454).
   */
  #keyOfCall(register: string): string {
    if (!this.statement) return register;
    let key = register;
    for (let call = 2; this.#registers.get(key)?.isWhole === true; call++) key = `${register}#${call}`;
    return key;
  }

  /** A field becomes the cell's value, or what the ALU computes of it. */
  #cellIn([header, name]: bmv2.FieldRef, register: string, use: RegisterUse): void {
    const field = `${header}.${name}`;
    use.results.set(
      use.isWhole ? field : "",
      wordBytes(use.isWhole ? this.#widthOf(field) : use.memory.width),
    );
    // The result of a call is a value of its own; the cell that v1model's actions read is still in the ALU.
    if (use.isWhole && !this.#isLocal(field)) this.#forget(field);
    else {
      const place = use.isWhole ? { field, lo: 0, width: this.#widthOf(field) } : undefined;
      this.#values.set(field, { kind: "cell", register, reads: [], place });
    }
    if (this.#isLocal(field) || !this.context.live.has(field)) return;
    use.uses = true;
    use.step.writes.push({ field, lo: 0, width: this.#widthOf(field) });
  }

  /** The use of a register by this action, which begins with its first access. */
  #useOf(name: string, index: bmv2.Value, source: bmv2.SourceInfo | undefined, key = name): RegisterUse {
    let use = this.#registers.get(key);
    if (use === undefined) {
      const step = this.#newStep(source);
      const declared = defined(this.context.program.register_arrays.find((r) => r.name === name));
      const { kind, text, address } = this.#indexOf(index, step);
      use = {
        step,
        inputs: [],
        results: new Map(),
        memory: {
          kind: name.endsWith(FILTER_STATE) ? "filter" : "register",
          name,
          index: kind,
          address,
          size: kind === "direct" ? 0 : declared.size,
          width: declared.bitwidth,
          counts: "both",
          source: declared.source_info,
        },
        reads: false,
        writes: false,
        uses: false,
        variable: false,
        isWhole: false,
        operands: [],
        indexes: [text],
        values: [],
        written: [],
        source,
      };
      this.#registers.set(key, use);
    } else {
      const { text } = this.#indexOf(index, { ...use.step, reads: [], hashes: [] });
      if (!use.indexes.includes(text)) use.indexes.push(text);
    }
    return use;
  }

  #register({ op, parameters, source_info: source }: bmv2.Primitive): void {
    const reading = op === "register_read";
    const [array, index] = reading ? [parameters[1], parameters[2]] : [parameters[0], parameters[1]];
    if (array?.type !== "register_array" || index === undefined) return;
    const name = array.value;
    const use = this.#useOf(name, index, source);
    if (reading) {
      const target = parameters[0];
      if (target?.type !== "field") return;
      use.reads = true;
      this.#cellIn(target.value, name, use);
      return;
    }
    const value = parameters[2];
    if (value === undefined) return;
    use.writes = true;
    const expr = readValue(value, this.#scope);
    if (expr.kind !== "constant") use.variable = true;
    this.#feed(name, expr);
    for (const guard of this.#guards) {
      addReads(use.step.reads, readsOf(guard));
      addReads(use.inputs, readsOf(guard));
    }
    use.written.push({ value: expr, guards: this.#guards.map(formatExpr) });
    for (const part of leaves(expr)) {
      if (part.kind === "argument") use.step.data.push({ bits: part.width, target: undefined });
    }
  }

  #statistics({ op, parameters, source_info: source }: bmv2.Primitive): void {
    const [array, index, target] = parameters;
    if ((array?.type !== "counter_array" && array?.type !== "meter_array") || index === undefined) return;
    const step = this.#newStep(source);
    const meter = op === "execute_meter";
    const counter = this.context.program.counter_arrays.find(({ name }) => name === array.value);
    const declared = defined(
      meter ? this.context.program.meter_arrays.find(({ name }) => name === array.value) : counter,
    );
    const { kind, address } = this.#indexOf(index, step);
    step.attached.push({
      kind: meter ? "meter" : "counter",
      name: array.value,
      index: kind,
      address,
      operands: [],
      resultBytes: 0,
      results: [],
      size: declared.size ?? 1,
      width: counter?.bitwidth ?? 0,
      counts: this.context.counts.get(array.value) ?? "both",
      updatesAndReturns: false,
      source: declared.source_info,
    });
    if (target?.type === "field") {
      const field = `${target.value[0]}.${target.value[1]}`;
      step.writes.push({ field, lo: 0, width: this.#widthOf(field) });
    }
  }

  #hash({ parameters, source_info: source }: bmv2.Primitive): void {
    const [target, base, calculation, max] = parameters;
    if (target?.type !== "field" || calculation?.type !== "calculation") return;
    const declared = defined(this.context.program.calculations.find((c) => c.name === calculation.value));
    const inputs: Expr[] = [];
    for (const input of declared.input) {
      if (input.type !== "payload") inputs.push(readValue(input as bmv2.Value, this.#scope));
    }
    const zero: Expr = { kind: "constant", value: 0n };
    const limit = max === undefined ? zero : readValue(max, this.#scope);
    this.context.features.push({
      kind: "hash",
      algorithm: declared.algo,
      base: base === undefined ? zero : readValue(base, this.#scope),
      max: limit,
      source,
    });
    const field = `${target.value[0]}.${target.value[1]}`;
    const bits = this.#widthOf(field);
    const isTna = this.context.program.architecture !== undefined;
    const name = `${declared.algo}(${inputs.map(formatExpr).join()})`;
    const algorithm = { name, bits, ...(isTna ? { isDeclared: true as const } : {}) };
    const expr: Expr = { kind: "operation", op: "hash", parts: inputs, algorithm };
    if (this.#isLocal(field)) {
      this.#values.set(field, expr);
      return;
    }
    if (!this.context.live.has(field)) return;
    const width = this.#widthOf(field);
    const range =
      limit.kind === "constant" && limit.value > 1n ? (limit.value - 1n).toString(2).length : width;
    const step = this.#newStep(source);
    step.writes.push({ field, lo: 0, width });
    step.hashes.push({ ...hashOf(expr, width), bits: Math.min(width, range) });
  }

  #random({ parameters, source_info: source }: bmv2.Primitive): void {
    const [target, low, high] = parameters;
    if (target?.type !== "field" || low === undefined || high === undefined) return;
    const field = `${target.value[0]}.${target.value[1]}`;
    const width = this.#widthOf(field);
    this.context.features.push({
      kind: "random",
      low: readValue(low, this.#scope),
      high: readValue(high, this.#scope),
      width,
      source,
    });
    this.#forget(field);
    const step = this.#newStep(source);
    step.random = true;
    step.writes.push({ field, lo: 0, width });
  }

  #headers({ parameters, source_info: source }: bmv2.Primitive): void {
    const step = this.#newStep(source);
    const [target, from] = parameters;
    for (const name of this.#headersOf(target)) {
      for (const field of this.context.headerFields.get(name) ?? []) {
        step.writes.push({ field, lo: 0, width: this.#widthOf(field) });
      }
      step.writes.push({ field: `${name}.$valid$`, lo: 0, width: 1 });
    }
    // The compiler copies a header field by field (p4c, backends/tofino/bf-p4c/midend/copy_header.cpp). Its validity counts as set: as a copied
    // bit it would be in no list of the placement, and public designs would have a stage less than the compiler gives them.
    if (target?.type === "header" && from?.type === "header") {
      step.copiesHeader = true;
      for (const write of step.writes) {
        const isValidity = write.field.endsWith("$");
        const copied = { ...write, field: `${from.value}${write.field.slice(target.value.length)}` };
        const sources = isValidity ? [] : [copied];
        step.operations.push({
          kind: "set",
          write,
          sources,
          data: isValidity,
          source,
          ...(isValidity ? { copiedBit: copied.field } : {}),
        });
      }
    }
    for (const name of this.#headersOf(from)) {
      for (const field of this.context.headerFields.get(name) ?? []) {
        step.reads.push({ field, lo: 0, width: this.#widthOf(field) });
      }
    }
  }

  /** Bits of a field; 1 for the validity of a union, which is no field of a header. */
  #widthOf(field: string): number {
    return this.context.fields.get(field)?.width ?? 1;
  }

  #headersOf(value: bmv2.Value | undefined): readonly string[] {
    if (value?.type === "header") return [value.value];
    if (value?.type === "header_stack") {
      const { header_stacks: stacks, headers } = this.context.program;
      const { header_ids: ids } = defined(stacks.find((s) => s.name === value.value));
      return ids.map((id) => defined(headers.find((h) => h.id === id)).name);
    }
    return [];
  }
}

/** The state of a filter, as a register of the form for the hardware has it. */
const FILTER_STATE = ".$state";

/** Members of structures that methods of registers read: copy propagation knows variables of the method alone. */
function membersOfMethods(context: ActionContext, { primitives }: bmv2.Bmv2Action): string[] {
  return primitives.flatMap((primitive) => {
    const [register] = primitive.parameters;
    if (primitive.op !== "stateful_alu" || register?.type !== "register_array") return [];
    if (register.value.endsWith(FILTER_STATE)) return [];
    const [, end] = destinationsOf(primitive);
    return [...fieldsIn(primitive.parameters.slice(end + 1))].filter((name) => !isVariable(context, name));
  });
}
/** Bits of a hash whose variable is not known. */
const DEFAULT_HASH_BITS = 16;

/** Bytes of a value of an ALU: 1, 2 or 4. */
function wordBytes(bits: number): number {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
}

type Hash = Extract<Expr, { kind: "operation" }>;

function isHash(expr: Expr): expr is Hash {
  return expr.kind === "operation" && expr.op === "hash";
}

/** A hash of at most so many bits. */
function hashOf(expr: Extract<Expr, { kind: "operation" }>, width: number): HashUse {
  const { algorithm } = expr;
  return {
    algorithm: algorithm?.name ?? "",
    bits: algorithm === undefined ? width : Math.min(width, algorithm.bits),
    inputs: readsOf(expr),
    ...given({ isDeclared: algorithm?.isDeclared }),
  };
}

/** Of a call whose method is not read: only its operands are known. */
const UNREAD_UPDATE: Omit<RegisterUpdate, "operands"> = { results: [], comparisons: [], values: [] };

/** Instructions of two operands that may come from the action data bus. */
const BESIDE_CALL = new Set(["+", "-", "sat+", "sat-", "&", "|", "^"]);

const SUMS = new Set(["+", "-", "sat+", "sat-"]);
const CONTAINER_BITS = new Set([8, 16, 32]);

/** The value, where the matrix computes all of it; else the operand that it computes (p4c, mau/instruction_selection.cpp, isBetter). */
function hashedOperand({ field }: Access, expr: Expr): Expr | undefined {
  if (isLinear(expr)) return expr;
  if (expr.kind !== "operation" || expr.parts.length !== 2) return undefined;
  const [first, second] = expr.parts.filter(isLinear);
  if (first === undefined || second === undefined) return first;
  const isTarget = (part: Expr) => part.kind === "field" && part.access.field === field;
  if (isTarget(first)) return second;
  return isTarget(second) || first.kind !== "field" ? first : second;
}

/** The value as one of a hash, where the matrix computes it and it is no copy. */
function ofMatrix(expr: Expr, bits: number): Expr {
  if (expr.kind !== "operation" || !isLinear(expr)) return expr;
  const parts = readsOf(expr).map((access): Expr => ({ kind: "field", access }));
  return { kind: "operation", op: "hash", parts, algorithm: { name: formatExpr(expr), bits } };
}

const COMPARISONS = new Set(["<", "<=", ">", ">=", "==", "!="]);

/** What the ALU of a register has to compute for the uses of one action. */
function updateOf(use: RegisterUse): RegisterUpdate {
  const results = new Set<string>();
  const comparisons = new Set<string>();
  const operands = new Set<string>();
  const collect = (expr: Expr): void => {
    if (expr.kind === "field" || expr.kind === "argument") operands.add(formatExpr(expr));
    if (expr.kind === "operation" && COMPARISONS.has(expr.op)) comparisons.add(formatExpr(expr));
    for (const part of expr.kind === "operation" ? expr.parts : expr.kind === "cell" ? expr.reads : [])
      collect(part);
  };
  for (const value of use.values) collect(value);
  for (const { value } of use.written) for (const result of resultsOf(value)) results.add(result);
  const guards = new Set(use.written.map((write) => write.guards.join(" && ")));
  const always = use.written.some((write) => write.guards.length === 0);
  const bothWays = [...guards].some((guard) => guards.has(`!${guard}`) || guards.has(`!(${guard})`));
  if (use.written.length > 0 && !always && !bothWays) results.add("unchanged");
  return {
    results: [...results],
    comparisons: [...comparisons],
    operands: [...operands],
    values: use.values,
  };
}

/** The values that a conditional value can be. */
function resultsOf(expr: Expr): string[] {
  if (expr.kind === "operation" && expr.op === "?") return expr.parts.slice(1).flatMap(resultsOf);
  if (expr.kind === "cell")
    return expr.reads.length === 0 ? ["unchanged"] : resultsOf(defined(expr.reads[0]));
  return [formatExpr(expr)];
}

const ARITHMETIC = new Set(["+", "-", "sat+", "sat-", "*", "/", "%", "min", "max"]);
const LOGIC = new Set(["&", "|", "^", "~"]);
const MOVES = new Set(["<<", ">>", "|", "&"]);
const OF_ITSELF = new Set(["&", "|", "^"]);

function isShift(expr: Expr): boolean {
  return expr.kind === "operation" && (expr.op === "<<" || expr.op === ">>");
}

/**
 * Number of instructions in sequence that an expression takes. Shifts by constants, masks and `|` that combine bits of
 * at most two fields are one instruction (a deposit or a byte merge).
 */
function stepsOf(expr: Expr): number {
  const plain = inverted(expr);
  // The compiler makes one instruction of an inverted exclusive or, but not of an inverted `&`.
  if (plain?.kind === "operation" && plain.op === "^") return stepsOf(plain);
  if (expr.kind === "operation" && MOVES.has(expr.op) && onlyMoves(expr)) {
    return Math.max(1, new Set(readsOf(expr).map((a) => a.field)).size - 1);
  }
  // The ALU has every logic operation of two inputs, also with one input inverted.
  if (expr.kind === "operation" && LOGIC.has(expr.op)) {
    return operationCount({ ...expr, parts: expr.parts.map((part) => inverted(part) ?? part) });
  }
  return operationCount(expr);
}

/** Each bit of the value is an exclusive or of bits of fields, and perhaps 1. */
function isLinear(expr: Expr): boolean {
  if (expr.kind === "field") return true;
  if (expr.kind !== "operation") return false;
  const [left, right] = expr.parts;
  if (left === undefined || right === undefined) return false;
  const isConstant = right.kind === "constant";
  if (expr.op === "|" && isConstant) return isLinear(left);
  if (expr.op === "^") return isLinear(left) && (isConstant || isLinear(right));
  if (expr.op === "<<" || expr.op === ">>" || expr.op === "&") return isConstant && isLinear(left);
  // Parts of a concatenation have no bit in common: one is shifted past the other.
  if (expr.op !== "|" || left.kind !== "operation" || left.op !== "<<") return false;
  const [, count] = left.parts;
  const isPast = count?.kind === "constant" && Number(count.value) >= widthOf(right);
  return isPast && isLinear(left) && isLinear(right);
}

/** Bits from the lowest to the highest one that the value can have set. */
function widthOf(expr: Expr): number {
  if (expr.kind === "field") return expr.access.width;
  if (expr.kind === "constant") return expr.value.toString(2).length;
  if (expr.kind !== "operation") return Number.POSITIVE_INFINITY;
  const widths = expr.parts.map(widthOf);
  const [, right] = expr.parts;
  const count = right?.kind === "constant" ? Number(right.value) : 0;
  if (expr.op === "<<") return defined(widths[0]) + count;
  if (expr.op === ">>") return Math.max(0, defined(widths[0]) - count);
  return expr.op === "&" ? Math.min(...widths) : Math.max(...widths);
}

function inverted(expr: Expr): Expr | undefined {
  return expr.kind === "operation" && expr.op === "~" ? expr.parts[0] : undefined;
}

function onlyMoves(expr: Expr): boolean {
  if (expr.kind !== "operation") return true;
  if (!MOVES.has(expr.op)) return false;
  const [, right] = expr.parts;
  if (isShift(expr) && right?.kind !== "constant") return false;
  return expr.parts.every(onlyMoves);
}

/** The operation that gives a field the value. */
function operationOf(write: Access, value: Expr, source: bmv2.SourceInfo | undefined): Operation {
  const sources = readsOf(value);
  const data = operandsOf(value).some(({ kind }) => kind === "constant" || kind === "argument");
  const constant = value.kind === "constant" ? { constant: value.value } : {};
  const saturates =
    value.kind === "operation" && value.op.startsWith("sat") ? { saturates: true as const } : {};
  const keepsOthers = isOfItself(write, value) ? { keepsOthers: true as const } : {};
  return {
    kind: operationKind(value),
    write,
    sources,
    data,
    ...constant,
    ...saturates,
    ...keepsOthers,
    source,
  };
}

/** Logic of the written bits and a constant: `x = x | 1` (p4c, mau/action_analysis.cpp, container_write_type). */
function isOfItself({ field, lo, width }: Access, value: Expr): boolean {
  if (value.kind !== "operation" || !OF_ITSELF.has(value.op)) return false;
  const isOwn = (part: Expr) =>
    part.kind === "field" &&
    part.access.field === field &&
    part.access.lo === lo &&
    part.access.width === width;
  return value.parts.some(isOwn) && value.parts.some(({ kind }) => kind === "constant");
}

function operationKind(value: Expr): Operation["kind"] {
  if (value.kind !== "operation") return "set";
  if (stepsOf(value) > 1) return "merge";
  // The ALU has the inverted exclusive or as one instruction, as `stepsOf` counts it.
  const plainValue = inverted(value);
  if (plainValue?.kind === "operation" && plainValue.op === "^") return operationKind(plainValue);
  if (ARITHMETIC.has(value.op)) return "arithmetic";
  const plain = value.parts.every((part) => (inverted(part) ?? part).kind !== "operation");
  return LOGIC.has(value.op) && plain ? "logic" : "merge";
}

/** The value is an operation of two values that the packet, a constant or action data gives. */
function isOfPacket(expr: Expr): boolean {
  const isPlain = ({ kind }: Expr) => kind === "field" || kind === "constant" || kind === "argument";
  return expr.kind === "operation" && BESIDE_CALL.has(expr.op) && expr.parts.every(isPlain);
}

/** Leaves of an expression without constant shift counts, which are part of the instruction. */
function operandsOf(expr: Expr): readonly Expr[] {
  if (expr.kind !== "operation") return [expr];
  const [left, right] = expr.parts;
  return (isShift(expr) && right!.kind === "constant" ? [left!] : expr.parts).flatMap(operandsOf);
}

function leaves(expr: Expr): readonly Expr[] {
  return expr.kind === "operation" ? expr.parts.flatMap(leaves) : [expr];
}

function cellsOf(expr: Expr): string[] {
  if (expr.kind === "cell") return [expr.register];
  return expr.kind === "operation" ? expr.parts.flatMap(cellsOf) : [];
}

const negated = (condition: Expr): Expr => ({ kind: "operation", op: "not", parts: [condition] });

/** Both are the same expression of the same values. */
function sameExpr(a: Expr, b: Expr): boolean {
  if (a.kind === "field") return b.kind === "field" && sameAccess(a.access, b.access);
  if (a.kind !== "operation" || b.kind !== "operation")
    return a.kind === b.kind && formatExpr(a) === formatExpr(b);
  return (
    a.op === b.op &&
    a.parts.length === b.parts.length &&
    a.parts.every((part, i) => sameExpr(part, defined(b.parts[i])))
  );
}

function addReads(into: Access[], reads: readonly Access[]): void {
  for (const read of reads) {
    if (!into.some((access) => sameAccess(access, read))) into.push(read);
  }
}

/** Level of each step: 0, or one more than the level of the last step whose result it reads. */
export function levelsOf(steps: readonly Step[]): number[] {
  const levels: number[] = [];
  for (const [index, step] of steps.entries()) {
    let level = 0;
    const needs = [...step.reads, ...step.hashes.flatMap((hash) => hash.inputs)].filter(
      (access) => access.entry !== true,
    );
    for (let earlier = 0; earlier < index; earlier++) {
      const other = defined(steps[earlier]);
      if (anyOverlap(other.writes, needs) !== undefined)
        level = Math.max(level, defined(levels[earlier]) + 1);
      else if (anyOverlap(other.writes, step.writes) !== undefined)
        level = Math.max(level, defined(levels[earlier]));
    }
    levels.push(level);
  }
  return levels;
}

/**
 * Groups bare statements into the tables that they become: one table takes statements until one reads or overwrites a field that an earlier
 * one of them writes, or is a second call of a counter, meter, register or random number (p4c, midend/action_synthesis_policy.h). A hash is
 * a table of its own.
 * @param isTna else each call is a table of its own, and parts of a field do not meet
 */
export function groupStatements(steps: readonly Step[], isTna: boolean): Step[][] {
  const groups: Step[][] = [];
  let open: Step[] | undefined;
  for (const step of steps) {
    if ((step.hashes.length > 0 && step.isAmong !== true) || (!isTna && hasCall(step))) {
      groups.push([step]);
      open = undefined;
      continue;
    }
    const needs = [...step.reads.filter((access) => access.entry !== true), ...step.writes];
    const meets = ({ writes }: Step) =>
      isTna
        ? writes.some(({ field }) => needs.some((access) => access.field === field))
        : anyOverlap(writes, needs) !== undefined;
    const clashes = open?.some((other) => (hasCall(other) && hasCall(step)) || meets(other));
    if (open === undefined || clashes === true) {
      open = [step];
      groups.push(open);
    } else open.push(step);
  }
  return groups
    .map((group) => group.filter(({ isCleared }) => isCleared !== true))
    .filter((group) => group.length > 0);
}

/** The step calls what keeps a state, or a random number. */
function hasCall({ attached, random }: Step): boolean {
  return attached.length > 0 || random;
}
