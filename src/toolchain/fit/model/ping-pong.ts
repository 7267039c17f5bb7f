/**
 * Registers that ingress and the ghost thread call. While the ghost thread writes one, ingress reads another one: where neither compares `ping_pong`
 * around its tables, the compiler makes a second register, and for each table with a call a second one, of which `ping_pong` chooses (p4c,
 * midend/ping_pong_generation.cpp). It does so where an action calls one register and stands in one table, and a table calls one register.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";

const SECOND = "$other";
/** The value of `ping_pong` with which a thread takes the first of both. */
const FIRST = { ingress: "0x00", ghost: "0x01" } as const;

/** A program with these registers and tables twice. */
export interface Doubled {
  readonly json: bmv2.Bmv2Program;
  /** By the id of a second action: that of the first. */
  readonly firsts: ReadonlyMap<number, number>;
}

/** The name in the program of a register or table that may be the second one. */
export const firstName = (name: string): string =>
  name.endsWith(SECOND) ? name.slice(0, -SECOND.length) : name;

/** The name in the program of a register or table is that of the second one. */
export const isSecond = (name: string): boolean => firstName(name) !== name;

/** The name of a table for a reader. */
export const labelOf = (name: string): string =>
  isSecond(name) ? `${firstName(name)} (for the other ping_pong)` : name;

export function withPingPong(program: bmv2.Bmv2Program): Doubled {
  const firsts = new Map<number, number>();
  const field = program.architecture?.pipes[0]?.ghost?.fields.ping_pong;
  if (field === undefined) return { json: program, firsts };
  const pipelineOf = (name: string) => program.pipelines.find((one) => one.name === name);
  const [ingress, egress, ghost] = ["ingress", "egress", "ghost"].map(pipelineOf);
  if (ingress === undefined || ghost === undefined) return { json: program, firsts };
  const calls = new Map(program.actions.map((action) => [action.id, registersOf(action)]));
  const callsOf = (pipeline: bmv2.Pipeline | undefined) => callersIn(pipeline, calls);
  const [ofIngress, ofEgress, ofGhost] = [callsOf(ingress), callsOf(egress), callsOf(ghost)];
  const twice = [...ofGhost.keys()].filter((register) => {
    const tables = [
      { pipeline: ingress, list: ofIngress.get(register) ?? [] },
      { pipeline: ghost, list: defined(ofGhost.get(register)) },
    ];
    if (defined(tables[0]).list.length === 0 || ofEgress.has(register)) return false;
    return tables.every(({ pipeline, list }) =>
      list.every((table) => isPlain(pipeline, table, calls) && !isCompared(pipeline, table.name, field)),
    );
  });
  if (twice.length === 0) return { json: program, firsts };
  const changed = structuredClone(program);
  for (const register of twice) {
    const array = changed.register_arrays.find(({ name }) => name === register);
    if (array === undefined) continue;
    const id = 1 + Math.max(...changed.register_arrays.map((one) => one.id));
    changed.register_arrays.push({ ...array, name: register + SECOND, id });
    for (const [thread, list] of [["ingress", ofIngress] as const, ["ghost", ofGhost] as const]) {
      const pipeline = defined(changed.pipelines.find(({ name }) => name === thread));
      for (const { name } of defined(list.get(register)))
        double(changed, pipeline, name, { register, field, first: FIRST[thread], firsts });
    }
  }
  return { json: changed, firsts };
}

function registersOf({ primitives }: bmv2.Bmv2Action): ReadonlySet<string> {
  return new Set(
    primitives.flatMap(({ parameters }) =>
      parameters.flatMap((value) => (value.type === "register_array" ? [value.value] : [])),
    ),
  );
}

type Calls = ReadonlyMap<number, ReadonlySet<string>>;

/** By register: the tables whose actions call it. */
function callersIn(pipeline: bmv2.Pipeline | undefined, calls: Calls): Map<string, bmv2.Bmv2Table[]> {
  const found = new Map<string, bmv2.Bmv2Table[]>();
  for (const table of pipeline?.tables ?? [])
    for (const register of new Set(table.action_ids.flatMap((id) => [...(calls.get(id) ?? [])])))
      found.set(register, [...(found.get(register) ?? []), table]);
  return found;
}

function isPlain({ tables }: bmv2.Pipeline, table: bmv2.Bmv2Table, calls: Calls): boolean {
  const calling = table.action_ids.filter((id) => (calls.get(id)?.size ?? 0) > 0);
  const registers = new Set(calling.flatMap((id) => [...(calls.get(id) ?? [])]));
  const isElsewhere = (id: number) => tables.some((one) => one !== table && one.action_ids.includes(id));
  return registers.size === 1 && !calling.some(isElsewhere);
}

/** A condition that names the field decides whether the table runs. */
function isCompared(pipeline: bmv2.Pipeline, table: string, field: bmv2.FieldRef): boolean {
  return pipeline.conditionals.some(
    ({ expression, true_next: yes, false_next: no }) =>
      JSON.stringify(expression).includes(JSON.stringify(field)) &&
      leadsTo(pipeline, yes, table) !== leadsTo(pipeline, no, table),
  );
}

function nextsOf({ tables, conditionals }: bmv2.Pipeline, node: string): (string | null)[] {
  const condition = conditionals.find(({ name }) => name === node);
  if (condition !== undefined) return [condition.true_next, condition.false_next];
  const table = tables.find(({ name }) => name === node);
  return table === undefined ? [] : [...Object.values(table.next_tables), table.base_default_next ?? null];
}

function leadsTo(pipeline: bmv2.Pipeline, from: string | null, to: string): boolean {
  const open = [from];
  const seen = new Set(open);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === to) return true;
    if (node === null) continue;
    for (const next of nextsOf(pipeline, node)) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return false;
}

interface Choice {
  readonly register: string;
  readonly field: bmv2.FieldRef;
  readonly first: string;
  readonly firsts: Map<number, number>;
}

/** Puts a second table with the second register beside a table, and a condition before both. */
function double(
  program: bmv2.Bmv2Program,
  pipeline: bmv2.Pipeline,
  name: string,
  { register, field, first, firsts }: Choice,
): void {
  const table = defined(pipeline.tables.find((one) => one.name === name));
  const numbers = new Map<number, number>();
  for (const id of table.action_ids) {
    const action = defined(program.actions.find((one) => one.id === id));
    const other = structuredClone(action);
    other.id = program.actions.length === 0 ? 0 : 1 + Math.max(...program.actions.map((one) => one.id));
    for (const { parameters } of other.primitives)
      for (const value of parameters)
        if (value.type === "register_array" && value.value === register) value.value += SECOND;
    numbers.set(id, other.id);
    firsts.set(other.id, firsts.get(id) ?? id);
    program.actions.push(other);
  }
  const second = structuredClone(table);
  second.name += SECOND;
  second.id = 1 + Math.max(...program.pipelines.flatMap(({ tables }) => tables.map(({ id }) => id)));
  second.action_ids = table.action_ids.map((id) => defined(numbers.get(id)));
  const { default_entry: entry } = second;
  if (entry !== undefined) entry.action_id = numbers.get(entry.action_id) ?? entry.action_id;
  const chosen = `${name}$ping_pong`;
  redirect(pipeline, name, chosen);
  pipeline.tables.push(second);
  pipeline.conditionals.push({
    name: chosen,
    id:
      1 + Math.max(-1, ...program.pipelines.flatMap(({ conditionals }) => conditionals.map(({ id }) => id))),
    ...(table.source_info !== undefined && {
      source_info: { ...table.source_info, source_fragment: `ping_pong == ${Number(first)}` },
    }),
    expression: {
      type: "expression",
      value: { op: "==", left: { type: "field", value: field }, right: { type: "hexstr", value: first } },
    },
    true_next: name,
    false_next: second.name,
  });
}

/** What led to one node leads to the other. */
function redirect(pipeline: bmv2.Pipeline, from: string, to: string): void {
  const moved = (next: string | null) => (next === from ? to : next);
  pipeline.init_table = moved(pipeline.init_table);
  for (const condition of pipeline.conditionals) {
    condition.true_next = moved(condition.true_next);
    condition.false_next = moved(condition.false_next);
  }
  for (const table of pipeline.tables) {
    for (const [key, next] of Object.entries(table.next_tables)) table.next_tables[key] = moved(next);
    if (table.base_default_next !== undefined) table.base_default_next = moved(table.base_default_next);
  }
}
