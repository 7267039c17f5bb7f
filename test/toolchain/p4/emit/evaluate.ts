/** What BMv2 does with the JSON of an action, for tests: integers of any size, truth values apart, jumps. */
import { toSigned } from "../../../../src/base/index.js";
import type { bmv2 } from "../../../../src/toolchain/program/index.js";

/** Fields by `header.field`. */
export type Memory = Map<string, bigint>;

export class Machine {
  constructor(
    readonly program: bmv2.Bmv2Program,
    readonly memory: Memory,
  ) {}

  /** Runs an action's primitives; returns whether `exit` was met. */
  run(action: bmv2.Bmv2Action, data: readonly bigint[] = []): boolean {
    let exited = false;
    for (let at = 0, steps = 0; at < action.primitives.length; at++) {
      if (++steps > 10_000) throw new Error("an action that does not end");
      const { op, parameters } = action.primitives[at]!;
      switch (op) {
        case "assign": {
          const target = parameters[0] as { value: bmv2.FieldRef };
          this.write(target.value, this.number(parameters[1]!, data));
          break;
        }
        case "add_header":
          this.memory.set(`${(parameters[0] as { value: string }).value}.$valid$`, 1n);
          break;
        case "remove_header":
          this.memory.set(`${(parameters[0] as { value: string }).value}.$valid$`, 0n);
          break;
        case "_jump":
          at = Number(this.number(parameters[0]!, data)) - 1;
          break;
        case "_jump_if_zero":
          if (this.number(parameters[0]!, data) === 0n) at = Number(this.number(parameters[1]!, data)) - 1;
          break;
        case "exit":
          exited = true;
          break;
        default:
          throw new Error(`no primitive ${op} in tests`);
      }
    }
    return exited;
  }

  /** Follows a pipeline; tables run their default action. */
  pipeline(index: number): void {
    const { init_table, tables, conditionals } = this.program.pipelines[index]!;
    let node: string | null = init_table;
    for (let steps = 0; node !== null; steps++) {
      if (steps > 10_000) throw new Error("a pipeline that does not end");
      const table = tables.find((one) => one.name === node);
      if (table !== undefined) {
        const action = this.program.actions[table.default_entry!.action_id]!;
        const data = table.default_entry!.action_data.map((text) => BigInt(text));
        if (this.run(action, data)) return;
        node = table.next_tables["__MISS__"] ?? table.next_tables[action.name] ?? null;
        continue;
      }
      const condition = conditionals.find((one) => one.name === node);
      if (condition === undefined) throw new Error(`no node ${node}`);
      node = this.truth(condition.expression, []) ? condition.true_next : condition.false_next;
    }
  }

  write([header, field]: bmv2.FieldRef, value: bigint): void {
    const type = this.program.headers.find((one) => one.name === header)!.header_type;
    const found = this.program.header_types
      .find((one) => one.name === type)!
      .fields.find((one) => one[0] === field);
    const width = found![1] as number;
    // A field keeps its low bits.
    this.memory.set(
      `${header}.${field}`,
      found![2] === true ? toSigned(value, width) : BigInt.asUintN(width, value),
    );
  }

  number(value: bmv2.Value, data: readonly bigint[]): bigint {
    switch (value.type) {
      case "hexstr":
        return value.value.startsWith("-") ? -BigInt(value.value.slice(1)) : BigInt(value.value);
      case "field":
        return this.memory.get(value.value.join(".")) ?? 0n;
      case "runtime_data":
      case "local":
        return data[value.value]!;
      case "expression":
        return "op" in value.value ? this.#compute(value.value, data) : this.number(value.value, data);
      default:
        throw new Error(`no number in ${value.type}`);
    }
  }

  #compute(e: bmv2.Expression, data: readonly bigint[]): bigint {
    const right = e.right as bmv2.Value;
    if (e.op === "b2d") return this.truth(right, data) ? 1n : 0n;
    if (e.op === "?")
      return this.truth(e.cond!, data) ? this.number(e.left!, data) : this.number(right, data);
    const b = this.number(right, data);
    if (e.left === null) {
      if (e.op === "~") return ~b;
      throw new Error(`no unary ${e.op}`);
    }
    const a = this.number(e.left, data);
    switch (e.op) {
      case "+":
        return a + b;
      case "-":
        return a - b;
      case "*":
        return a * b;
      case "/":
        return a / b;
      case "%":
        return a % b;
      case "&":
        return a & b;
      case "|":
        return a | b;
      case "^":
        return a ^ b;
      case "<<":
        return a << b;
      case ">>":
        return a >> b;
      case "two_comp_mod":
        return toSigned(a, Number(b));
      case "usat_cast": {
        const high = (1n << b) - 1n;
        return a < 0n ? 0n : a > high ? high : a;
      }
      case "sat_cast": {
        const high = (1n << (b - 1n)) - 1n;
        return a < -high - 1n ? -high - 1n : a > high ? high : a;
      }
      default:
        throw new Error(`no operator ${e.op}`);
    }
  }

  truth(value: bmv2.Value, data: readonly bigint[]): boolean {
    if (value.type === "bool") return value.value;
    if (value.type !== "expression") throw new Error(`no truth value in ${value.type}`);
    if (!("op" in value.value)) return this.truth(value.value, data);
    const { op, left, right } = value.value as bmv2.Expression & { right: bmv2.Value };
    switch (op) {
      case "d2b":
        return this.number(right, data) !== 0n;
      case "not":
        return !this.truth(right, data);
      case "and":
        return this.truth(left!, data) && this.truth(right, data);
      case "or":
        return this.truth(left!, data) || this.truth(right, data);
      default: {
        const a = this.number(left!, data);
        const b = this.number(right, data);
        if (op === "==") return a === b;
        if (op === "!=") return a !== b;
        if (op === "<") return a < b;
        if (op === "<=") return a <= b;
        if (op === ">") return a > b;
        if (op === ">=") return a >= b;
        throw new Error(`no comparison ${op}`);
      }
    }
  }
}
