/**
 * Stateful ALUs as plain code: a call of a register action reads the cell, runs the method of the program, and writes the cell. All
 * of it runs between two packets, as on the hardware, since the switch runs one packet at a time.
 */
import { defined } from "../../../../../base/index.js";
import type { bmv2 } from "../../../../program/index.js";
import { constantBits } from "../../../emit/bmv2-tables.js";
import { binary, equal, number, variable } from "../../../lower/build.js";
import type { Expr, ExternInstance, IrMethod, IrProgram, Stmt, StmtOf, Variable } from "../../../lower/ir.js";
import { instancesOf } from "../../../lower/ir.js";
import { BOOL, bits, totalWidth } from "../../../lower/ir-types.js";
import { rootOf, samePlace } from "../../../lower/places.js";
import {
  assign,
  fromBits,
  local,
  primitiveCall,
  sliceOf,
  toBits,
  zero,
} from "../../../lower/plain-values.js";
import { copyBody } from "../../../lower/unroll-loops.js";
import { effectsOf, forEachStmt, mapBlocks, mapProgram, operandsOf } from "../../../lower/walk.js";
import { aluMethod } from "./alu-methods.js";
import { AluOutputs, type Cell, isChained, OUTPUT } from "./alu-outputs.js";
import type { State } from "./instances.js";
import { Learning } from "./learning.js";
import type { Notes } from "./notes.js";

type Extern = StmtOf<"extern">;

const ALU =
  /^(?:Direct)?(?:RegisterAction|LearnAction|MinMaxAction)\d?\.(execute(?:_log)?|enqueue|dequeue|push|pop|sweep)$/;

export class Registers {
  /** The variable that holds the number of the entry that was hit, of tables with registers of their own. */
  readonly entries = new Map<object, Expr>();
  /** The methods of the actions that `keep` replaced calls of. */
  readonly methods = new Map<ExternInstance, bmv2.AluMethod>();
  readonly #outputs: AluOutputs;
  readonly #learning: Learning;
  /** Some registers are chained over stages. */
  readonly #isChained: boolean;

  constructor(
    readonly program: IrProgram,
    readonly state: State,
    readonly notes: Notes,
  ) {
    this.#outputs = new AluOutputs(program);
    this.#learning = new Learning(program);
    this.#isChained = instancesOf(program).some(isChained);
  }

  /** Replaces all calls of register actions by their code; the methods are gone afterwards. */
  inline(): void {
    this.#replaceCalls((stmt, change) => change(this.#execute(stmt)));
  }

  /**
   * Replaces all calls of register actions by calls of one primitive each: `tna.alu(results..., index, operands...)`. What a method
   * computes is the ALU's own; its operands are the values of the packet and of entries that it reads.
   */
  keep(): void {
    this.#replaceCalls((stmt) => this.#visit(stmt));
  }

  #replaceCalls(made: (stmt: Extern, change: (body: Stmt[]) => Stmt[]) => Stmt[]): void {
    const change = (body: Stmt[]): Stmt[] =>
      body.flatMap((stmt) => {
        const inner = mapBlocks(stmt, change);
        if (inner.kind !== "extern") return [inner];
        if (OUTPUT.test(inner.name)) return this.#outputs.answer(inner);
        return ALU.test(inner.name) ? made(inner, change) : [inner];
      });
    mapProgram(this.program, change);
    for (const one of instancesOf(this.program)) one.methods = [];
  }

  #visit(stmt: Extern): Stmt[] {
    const { instance, span } = stmt;
    const target = defined(instance).args[0];
    const register = target?.kind === "instance" ? target.instance : undefined;
    const cells = this.#cells(register, span);
    if (cells === undefined || register === undefined) return [];
    const method = aluMethod(defined(instance), register, cells.name);
    if (method !== undefined) this.methods.set(defined(instance), method);
    const given = stmt.args.find((_, at) => !stmt.outs.includes(at));
    // The next cell each time, and a queue's ends, are places that the ALU knows.
    const index =
      register.extern === "DirectRegister" ? this.entryOf(register) : (given ?? number(0n, bits(32), span));
    const places = [stmt.result, ...stmt.outs.map((at) => defined(stmt.args[at]))].filter(
      (place) => place !== undefined,
    );
    const results = places.map((place) => local(this.program, "alu", bits(totalWidth(place.type)), span));
    const operands = defined(instance).methods.flatMap(operandsOfMethod);
    const outs = results.map((_, i) => i);
    return [
      primitiveCall("tna.alu", cells, [...results, index, ...operands], { outs, span }),
      ...places.map((place, i) => assign(place, fromBits(defined(results[i]), place.type), span)),
    ];
  }

  /** The cells of a register, or of a parameter, and where they lie. */
  #cells(register: ExternInstance | undefined, span: Extern["span"]): ExternInstance | undefined {
    const found = register === undefined ? undefined : this.state.registers.get(register);
    if (found === undefined)
      this.notes.add(span, `${register?.name ?? "a register"} has no cells`, "nothing is read or written");
    return found;
  }

  /** Reads a cell into a variable of plain bits; a cell that does not exist is 0. */
  #read(cells: ExternInstance, index: Expr, span: Extern["span"]): { value: Expr; body: Stmt[] } {
    const width = defined(cells.typeArgs[0]);
    const value = local(this.program, "cell", bits(width.kind === "bit" ? width.width : 32), span);
    return {
      value,
      body: [
        assign(value, zero(value.type, span), span),
        primitiveCall("register.read", cells, [value, index], { outs: [0], span }),
      ],
    };
  }

  /** The indexes of the cells that an action of the whole width of the memory has at once, the lowest bits first. */
  #group(cells: ExternInstance, index: Expr, width: number, span: Extern["span"]): Expr[] {
    const [type] = cells.typeArgs;
    const count = Math.floor(width / (type?.kind === "bit" ? type.width : width));
    if (count < 2) return [];
    const place = (i: bigint): Expr => number(i, bits(32), span);
    const first = binary("*", index, place(BigInt(count)), bits(32), span);
    return Array.from({ length: count }, (_, i) => binary("+", first, place(BigInt(i)), bits(32), span));
  }

  #readWide(
    cells: ExternInstance,
    index: Expr,
    width: number,
    span: Extern["span"],
  ): { value: Expr; body: Stmt[] } {
    const parts = this.#group(cells, index, width, span).map((at) => this.#read(cells, at, span));
    if (parts.length === 0) return this.#read(cells, index, span);
    const joined = parts
      .map(({ value }) => value)
      .reduce((low, high) =>
        binary("++", high, low, bits(totalWidth(high.type) + totalWidth(low.type)), span),
      );
    return { value: joined, body: parts.flatMap(({ body }) => body) };
  }

  #writeWide(cells: ExternInstance, index: Expr, value: Expr, span: Extern["span"]): Stmt[] {
    const group = this.#group(cells, index, totalWidth(value.type), span);
    if (group.length === 0) return this.#write(cells, index, value, span);
    const width = totalWidth(value.type) / group.length;
    return group.flatMap((at, i) =>
      this.#write(cells, at, sliceOf(value, width * (i + 1) - 1, width * i), span),
    );
  }

  #write(cells: ExternInstance, index: Expr, value: Expr, span: Extern["span"]): Stmt[] {
    const bitsOfIt = toBits(value);
    const held = local(this.program, "cell", bitsOfIt.type, span);
    return [assign(held, bitsOfIt, span), primitiveCall("register.write", cells, [index, held], { span })];
  }

  #execute(stmt: Extern): Stmt[] {
    const { instance, span } = stmt;
    const target = defined(instance).args[0];
    const register = target?.kind === "instance" ? target.instance : undefined;
    const cells = this.#cells(register, span);
    if (cells === undefined) return [];
    const operation = defined(ALU.exec(stmt.name)?.[1]);
    if (operation === "sweep") return this.#sweep(stmt, cells);
    if (!operation.startsWith("execute")) return this.#queued(stmt, operation, cells);
    const { index, before } = this.#index(stmt, defined(register), cells);
    const size = sizeOf(cells);
    const read = (at: Expr) => this.#read(cells, at, span);
    const learnt = this.#learning.cell(defined(instance), {
      index,
      size,
      words: this.state.words.get(cells.name) ?? 1,
      read,
    });
    if (learnt !== undefined)
      return [...before, ...learnt.before, ...this.#run(stmt, "apply", cells, learnt.cell)];
    const run = this.#run(stmt, "apply", cells, { index });
    return [...before, ...(this.#isChained ? this.#within(stmt, cells, index, run) : run)];
  }

  /** What a stage of a chain does: nothing where the cell is one of another stage. */
  #within(stmt: Extern, cells: ExternInstance, index: Expr, run: Stmt[]): Stmt[] {
    const { span } = stmt;
    const size = sizeOf(cells);
    const places = [stmt.result, ...stmt.outs.map((at) => stmt.args[at])];
    return [
      {
        kind: "if",
        condition: binary("<", index, number(size, bits(32), span), BOOL, span),
        whenTrue: run,
        whenFalse: [
          ...places.flatMap((place) =>
            place === undefined ? [] : [assign(place, zero(place.type, span), span)],
          ),
          ...this.#outputs.place(defined(stmt.instance), index, size),
        ],
        span,
      },
    ];
  }

  /** The method of an action on one cell. */
  #run(stmt: Extern, name: string, cells: ExternInstance, cellAt: Cell): Stmt[] {
    const { span } = stmt;
    const { index } = cellAt;
    const method = defined(stmt.instance).methods.find((one) => one.name === name);
    if (method === undefined) return [];
    const outs = stmt.outs.map((at) => defined(stmt.args[at]));
    const width = totalWidth(method.params[0]?.variable.type ?? bits(0));
    const { value, body } = this.#readWide(cells, index, width, span);
    // Where the cell is left out, as `overflow` can, there are results only.
    const hasCell = method.params[0]?.direction === "inout";
    const given = method.params.filter(({ direction }) => direction === "in");
    const params = method.params
      .filter((param) => !given.includes(param))
      .map((param) => variable(param.variable, span));
    const cell = hasCell ? params[0] : undefined;
    const results = hasCell ? params.slice(1) : params;
    const places = [stmt.result, ...outs];
    return [
      ...(cell === undefined ? [] : [...body, assign(cell, fromBits(value, cell.type), span)]),
      ...results.map((one) => assign(one, zero(one.type, span), span)),
      ...this.#learning.begin(defined(stmt.instance), given, cellAt.digest),
      ...this.#outputs.begin(defined(stmt.instance), method, cellAt, sizeOf(cells)),
      ...bodyOf(method),
      ...(cell === undefined ? [] : this.#writeWide(cells, index, cell, span)),
      ...places.flatMap((place, i) => {
        const result = results[i];
        return place === undefined || result === undefined ? [] : [assign(place, result, span)];
      }),
    ];
  }

  /** The method on every cell, between two packets. */
  #sweep(stmt: Extern, cells: ExternInstance): Stmt[] {
    const { span } = stmt;
    const type = bits(32);
    const index = local(this.program, "index", type, span);
    const own = index.kind === "variable" ? [index.variable] : [];
    return [
      assign(index, number(0n, type, span), span),
      {
        kind: "loop",
        condition: binary("<", index, number(sizeOf(cells), type, span), BOOL, span),
        body: this.#run(stmt, "apply", cells, { index }),
        update: [assign(index, binary("+", index, number(1n, type, span), type, span), span)],
        own,
        span,
      },
    ];
  }

  /** A register as a queue or a stack: hidden registers hold the first cell and the number of cells in use. */
  #queued(stmt: Extern, operation: string, cells: ExternInstance): Stmt[] {
    const { span } = stmt;
    const type = bits(32);
    const [first, used] = ["$first", "$used"].map((name) => this.hidden(cells, name));
    const none = number(0n, type, span);
    const one = number(1n, type, span);
    const whole = number(totalSize(cells), type, span);
    const head = this.#read(defined(first), none, span);
    const count = this.#read(defined(used), none, span);
    const adds = operation === "enqueue" || operation === "push";
    const index = local(this.program, "index", type, span);
    const changed = local(this.program, "used", type, span);
    const top = binary("-", count.value, one, type, span);
    const place =
      operation === "enqueue"
        ? binary("%", binary("+", head.value, count.value, type, span), whole, type, span)
        : operation === "dequeue"
          ? head.value
          : operation === "push"
            ? count.value
            : top;
    const next = binary("%", binary("+", head.value, one, type, span), whole, type, span);
    const run = this.#run(stmt, "apply", cells, { index });
    return [
      ...head.body,
      ...count.body,
      {
        kind: "if",
        condition: equal(count.value, adds ? whole : none, span),
        whenTrue: this.#run(stmt, adds ? "overflow" : "underflow", cells, { index: none }),
        whenFalse: [
          assign(index, place, span),
          assign(changed, adds ? binary("+", count.value, one, type, span) : top, span),
          ...(this.#isChained ? this.#within(stmt, cells, index, run) : run),
          ...this.#write(defined(used), none, changed, span),
          ...(operation === "dequeue" ? this.#write(defined(first), none, next, span) : []),
        ],
        span,
      },
    ];
  }

  /** The index of the cell: the argument, the entry of the table, or the next one each time. */
  #index(stmt: Extern, register: ExternInstance, cells: ExternInstance): { index: Expr; before: Stmt[] } {
    const { span } = stmt;
    const given = stmt.args.find((_, at) => !stmt.outs.includes(at));
    if (register.extern === "DirectRegister") return { index: this.entryOf(register), before: [] };
    if (given !== undefined) {
      const index = local(this.program, "index", bits(32), span);
      return { index, before: [assign(index, { kind: "cast", operand: given, type: bits(32), span }, span)] };
    }
    return this.#next(cells, span);
  }

  readonly #hiddenOnes = new Map<string, ExternInstance>();

  /** A register beside another instance, of one cell of 32 bits unless given. */
  hidden(
    beside: ExternInstance,
    name: string,
    { size = number(1n, bits(32), beside.span), width = 32 }: { size?: Expr; width?: number } = {},
  ): ExternInstance {
    const whole = `${beside.name}.${name}`;
    let found = this.#hiddenOnes.get(whole);
    if (found === undefined) {
      found = {
        ...beside,
        extern: "register",
        name: whole,
        args: [size],
        methods: [],
        typeArgs: [{ kind: "bit", width }],
        span: undefined,
      };
      this.#hiddenOnes.set(whole, found);
      this.program.globals.push(found);
    }
    return found;
  }

  /** The number of entries of the table that an instance belongs to. */
  entriesOf(instance: ExternInstance): Expr {
    return number(BigInt(this.state.owners.get(instance)?.size ?? 1), bits(32), instance.span);
  }

  #next(cells: ExternInstance, span: Extern["span"]): { index: Expr; before: Stmt[] } {
    const type = bits(32);
    const counter = this.hidden(cells, "$next");
    const zeroIndex = number(0n, type, span);
    const { value, body } = this.#read(counter, zeroIndex, span);
    const size = number(sizeOf(cells), type, span);
    const next = local(this.program, "next", type, span);
    const more = binary("+", value, number(1n, type, span), type, span);
    const wrapped: Expr = {
      kind: "conditional",
      condition: equal(more, size, span),
      whenTrue: zeroIndex,
      whenFalse: more,
      type,
      span,
    };
    return {
      index: value,
      before: [...body, assign(next, wrapped, span), ...this.#write(counter, zeroIndex, next, span)],
    };
  }

  /** The variable with the entry's number. */
  entryOf(register: ExternInstance): Expr {
    const owner = this.state.owners.get(register);
    if (owner === undefined) return number(0n, bits(32), register.span);
    let entry = this.entries.get(owner);
    if (entry === undefined) {
      entry = local(this.program, "entry", bits(32), register.span);
      this.entries.set(owner, entry);
    }
    return entry;
  }

  /** `read`, `write` and `clear` of registers and parameters outside of register actions. */
  access(stmt: Extern): Stmt[] {
    const { span, args } = stmt;
    const register = defined(stmt.instance);
    const cells = this.#cells(register, span);
    if (cells === undefined) return [];
    const isDirect = register.extern === "DirectRegister";
    if (stmt.name.endsWith(".clear")) {
      const filled = toBits(defined(args[0]));
      const held = local(this.program, "cell", filled.type, span);
      return [assign(held, filled, span), primitiveCall("tna.clear", cells, [held], { span })];
    }
    const index = isDirect
      ? this.entryOf(register)
      : register.extern === "RegisterParam"
        ? number(0n, bits(32), span)
        : defined(args[0]);
    if (stmt.name.endsWith(".write")) {
      const value = defined(args[isDirect ? 0 : 1]);
      return this.#write(cells, index, value, span);
    }
    if (stmt.result === undefined) return [];
    const { value, body } = this.#read(cells, index, span);
    return [...body, assign(stmt.result, fromBits(value, stmt.result.type), span)];
  }
}

function sizeOf(cells: ExternInstance): bigint {
  return constantBits(defined(cells.args[0]));
}

/** The cells of a queue: those of the register, or, of the first one of a chain over stages, of all its registers. */
function totalSize(cells: ExternInstance): bigint {
  const body = cells.annotations.find(({ name }) => name === "chain_total_size")?.body;
  const text = body?.kind === "unstructured" ? body.text : "";
  return /^\d{1,9}$/.test(text) ? BigInt(text) : sizeOf(cells);
}

/** A copy: a method may be called in several places. Its block can be left early. */
function bodyOf({ body }: IrMethod): Stmt[] {
  return copyBody(body, new Map());
}

/** What a method reads that is neither its own nor computed by it: fields of the packet, arguments of the action around it. */
function operandsOfMethod(method: IrMethod): Expr[] {
  const own = new Set<Variable>(method.params.map(({ variable: one }) => one));
  if (method.result !== undefined) own.add(method.result);
  let found: Expr[] = [];
  const isOperand = (expr: Expr): boolean => {
    if (expr.kind !== "variable" && expr.kind !== "field") return false;
    const root = rootOf(expr);
    return root !== undefined && !own.has(root) && (expr.type.kind === "bits" || expr.type.kind === "bool");
  };
  const add = (expr: Expr): void => {
    if (found.some((one) => hasBits(one, expr))) return;
    found = [...found.filter((one) => !hasBits(expr, one)), expr];
  };
  const visit = (expr: Expr): void => {
    // Of a value that is cut, the ALU takes what is left.
    const cut = cutOf(expr);
    if (cut !== undefined && isOperand(cut.operand)) {
      add(cut);
      return;
    }
    if (isOperand(expr)) add(expr);
    if (expr.kind === "field") return;
    for (const operand of operandsOf(expr)) visit(operand);
  };
  forEachStmt(method.body, (stmt) => {
    for (const place of effectsOf(stmt).writes) {
      const root = rootOf(place);
      if (root !== undefined) own.add(root);
    }
  });
  forEachStmt(method.body, (stmt) => {
    for (const expr of effectsOf(stmt).reads) visit(expr);
  });
  return found;
}

/** The bits that a slice, or a cast to fewer bits, keeps of a value, or of one that is shifted to the right; a slice of a slice is one. */
function cutOf(expr: Expr): Extract<Expr, { kind: "slice" }> | undefined {
  if (expr.kind !== "slice" && expr.kind !== "cast") return undefined;
  const { operand } = expr;
  if (expr.type.kind !== "bits" || operand.type.kind !== "bits") return undefined;
  const [low, high] = expr.kind === "slice" ? [expr.low, expr.high] : [0, totalWidth(expr.type) - 1];
  const by = operand.kind === "binary" && operand.op === ">>" ? operand.right : undefined;
  const shift = by?.kind === "number" ? Number(by.value) : 0;
  const inner = operand.kind === "binary" && by?.kind === "number" ? operand.left : operand;
  // Above the value, a shift leaves zeros.
  if (high + shift >= totalWidth(operand.type)) return undefined;
  const known = cutOf(inner);
  const value = known === undefined ? inner : known.operand;
  const cut = sliceOf(value, high + shift + (known?.low ?? 0), low + shift + (known?.low ?? 0));
  return cut.kind === "slice" ? cut : undefined;
}

/** `a` is the same value as `b`, or all of what `b` cuts. */
function hasBits(a: Expr, b: Expr): boolean {
  if (b.kind !== "slice") return a.kind !== "slice" && samePlace(a, b);
  if (a.kind !== "slice") return samePlace(a, b.operand);
  return a.high === b.high && a.low === b.low && samePlace(a.operand, b.operand);
}
