/**
 * Stateful ALUs as plain code: a call of a register action reads the cell, runs the method of the program, and writes the cell. All
 * of it runs between two packets, as on the hardware, since the switch runs one packet at a time.
 */
import { defined } from "../../../../../base/index.js";
import { constantBits } from "../../../emit/bmv2-tables.js";
import { binary, equal, number, variable } from "../../../lower/build.js";
import type { Expr, ExternInstance, IrMethod, IrProgram, Stmt, StmtOf } from "../../../lower/ir.js";
import { instancesOf } from "../../../lower/ir.js";
import { bits } from "../../../lower/ir-types.js";
import { copyBody } from "../../../lower/unroll-loops.js";
import { mapBlocks, mapProgram } from "../../../lower/walk.js";
import type { State } from "./instances.js";
import type { Notes } from "./notes.js";
import { assign, fromBits, local, primitiveCall, toBits, zero } from "./values.js";

type Extern = StmtOf<"extern">;

const ALU = /^(?:Direct)?(?:RegisterAction|MinMaxAction)\d?\.(execute(?:_log)?)$/;

export class Registers {
  /** The variable that holds the number of the entry that was hit, of tables with registers of their own. */
  readonly entries = new Map<object, Expr>();

  constructor(
    readonly program: IrProgram,
    readonly state: State,
    readonly notes: Notes,
  ) {}

  /** Replaces all calls of register actions; the methods are gone afterwards. */
  inline(): void {
    const change = (body: Stmt[]): Stmt[] =>
      body.flatMap((stmt) => {
        const inner = mapBlocks(stmt, change);
        return inner.kind === "extern" && ALU.test(inner.name) ? this.#execute(inner) : [inner];
      });
    mapProgram(this.program, change);
    for (const one of instancesOf(this.program)) one.methods = [];
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

  #write(cells: ExternInstance, index: Expr, value: Expr, span: Extern["span"]): Stmt[] {
    const bitsOfIt = toBits(value);
    const held = local(this.program, "cell", bitsOfIt.type, span);
    return [assign(held, bitsOfIt, span), primitiveCall("register.write", cells, [index, held], { span })];
  }

  #execute(stmt: Extern): Stmt[] {
    const { instance, span } = stmt;
    const action = defined(instance);
    const method = action.methods.find(({ name }) => name === "apply");
    const target = action.args[0];
    const register = target?.kind === "instance" ? target.instance : undefined;
    const cells = this.#cells(register, span);
    if (method === undefined || cells === undefined) return [];
    const outs = stmt.outs.map((at) => defined(stmt.args[at]));
    const { index, before } = this.#index(stmt, defined(register), cells);
    const { value, body } = this.#read(cells, index, span);
    const [cell, ...results] = method.params.map((param) => variable(param.variable, span));
    const places = [stmt.result, ...outs];
    return [
      ...before,
      ...body,
      assign(defined(cell), fromBits(value, defined(cell).type), span),
      ...results.map((one) => assign(one, zero(one.type, span), span)),
      ...bodyOf(method),
      ...this.#write(cells, index, defined(cell), span),
      ...places.flatMap((place, i) => {
        const result = results[i];
        return place === undefined || result === undefined ? [] : [assign(place, result, span)];
      }),
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

  readonly #counters = new Map<ExternInstance, ExternInstance>();

  #next(cells: ExternInstance, span: Extern["span"]): { index: Expr; before: Stmt[] } {
    const type = bits(32);
    let counter = this.#counters.get(cells);
    if (counter === undefined) {
      const one = number(1n, type, span);
      counter = {
        ...cells,
        name: `${cells.name}.$next`,
        args: [one],
        typeArgs: [{ kind: "bit", width: 32 }],
        span: undefined,
      };
      this.#counters.set(cells, counter);
      this.program.globals.push(counter);
    }
    const zeroIndex = number(0n, type, span);
    const { value, body } = this.#read(counter, zeroIndex, span);
    const size = number(constantBits(defined(cells.args[0])), type, span);
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
    const owner = defined(this.state.owners.get(register));
    let entry = this.entries.get(owner);
    if (entry === undefined) {
      entry = local(this.program, "entry", bits(32), register.span);
      this.entries.set(owner, entry);
    }
    return entry;
  }

  /** `read` and `write` of registers and parameters outside of register actions. */
  access(stmt: Extern): Stmt[] {
    const { span, args } = stmt;
    const register = defined(stmt.instance);
    const cells = this.#cells(register, span);
    if (cells === undefined) return [];
    const isDirect = register.extern === "DirectRegister";
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

/** A copy: a method may be called in several places. Its block can be left early. */
function bodyOf({ body }: IrMethod): Stmt[] {
  return copyBody(body, new Map());
}
