/** Which instances of a TNA program the control plane sees, and under which names: each begins with the name of its pipe. */
import {
  type Expr,
  type ExternInstance,
  type IrAction,
  type IrParser,
  type IrPipe,
  type IrProgram,
  type IrTable,
  type IrValueSet,
  instancesOf,
  type Stmt,
  type StmtOf,
} from "../../lower/ir.js";
import { forEachStmt, statesOfParser } from "../../lower/walk.js";

/** An instance or table with the prefix of its pipe: `pipe.`, or nothing where no pipe holds it. */
export interface Scoped<T> {
  readonly prefix: string;
  readonly object: T;
  readonly pipe?: IrPipe;
}

export const prefixOf = (pipe: IrPipe): string => `${pipe.name}.`;

/** The pipes in the order of declaration, each once: one pipe may serve several of the device's. */
export function pipesInOrder(program: IrProgram): IrPipe[] {
  const unique = [...new Map(program.pipes.map((pipe) => [pipe.name, pipe])).values()];
  return unique.sort((a, b) => a.span.start - b.span.start);
}

/** The tables of a pipe's controls. */
function tablesOf(pipe: IrPipe): IrTable[] {
  return pipe.blocks.flatMap((block) => (block.kind === "control" ? block.body.tables : []));
}

/**
 * The named instances. One outside of all blocks has the prefix of the last pipe in which an instance takes it as an argument; without
 * such an instance it has none.
 */
export function scopedInstances(program: IrProgram): Scoped<ExternInstance>[] {
  const all: Scoped<ExternInstance>[] = [];
  const owner = new Map<ExternInstance, IrPipe>();
  for (const pipe of pipesInOrder(program)) {
    const own = pipe.blocks.flatMap(({ body }) => body.instances);
    for (const object of own) all.push({ prefix: prefixOf(pipe), object, pipe });
    const visit = (one: ExternInstance): void => {
      if (program.globals.includes(one)) owner.set(one, pipe);
      for (const arg of one.args) if (arg.kind === "instance") visit(arg.instance);
    };
    for (const object of own) visit(object);
  }
  for (const object of program.globals) {
    const pipe = owner.get(object);
    all.push(pipe === undefined ? { prefix: "", object } : { prefix: prefixOf(pipe), object, pipe });
  }
  return all.filter(({ object }) => object.span !== undefined);
}

export type ExternStmt = StmtOf<"extern">;

/**
 * The calls of extern methods by their instance, as often as the compiled program has them: an action once for each table that runs it,
 * since each table gets a copy.
 */
export function callsByInstance(program: IrProgram): ReadonlyMap<ExternInstance, readonly ExternStmt[]> {
  const calls = new Map<ExternInstance, ExternStmt[]>();
  const take = (body: readonly Stmt[]): void =>
    forEachStmt(body, (stmt) => {
      if (stmt.kind !== "extern" || stmt.instance === undefined) return;
      const list = calls.get(stmt.instance) ?? [];
      list.push(stmt);
      calls.set(stmt.instance, list);
    });
  for (const pipe of pipesInOrder(program)) {
    for (const block of pipe.blocks) {
      if (block.kind === "parser") for (const state of statesOfParser(block.body)) take(state.body);
      else take(block.body.body);
    }
    for (const table of tablesOf(pipe)) for (const { body } of actionsOf(table)) take(body);
  }
  for (const { methods } of instancesOf(program)) for (const { body } of methods) take(body);
  return calls;
}

function actionsOf(table: IrTable): IrAction[] {
  return table.actions.map(({ action }) => action);
}

/** A constructor's argument by the name of its parameter. */
export function argument(instance: ExternInstance, name: string): Expr | undefined {
  return instance.args[instance.argNames.indexOf(name)];
}

/** The instance that a property of the table names. */
export function attached(table: IrTable, property: string): ExternInstance | undefined {
  const value = table.properties.find((one) => one.name === property)?.value;
  return value?.kind === "instance" ? value.instance : undefined;
}

/** The value sets of a parser that a state selects by; the open compiler drops the others. */
export function usedValueSets(parser: IrParser): IrValueSet[] {
  const used = new Set(
    statesOfParser(parser).flatMap(({ next }) =>
      next.kind === "select"
        ? next.cases.flatMap(({ patterns }) => (Array.isArray(patterns) ? [] : [patterns]))
        : [],
    ),
  );
  return parser.valueSets.filter((set) => used.has(set));
}
