/** Which variables and header stacks of a parser still matter in a state: those that a select on some way from there looks at. */
import type { bmv2 } from "../../program/index.js";

export interface Live {
  readonly variables: ReadonlySet<string>;
  readonly stacks: ReadonlySet<string>;
}

/** By state, before its statements run. */
export function livenessOf({ parse_states: states }: bmv2.Bmv2Parser): ReadonlyMap<string, Live> {
  const live = new Map(
    states.map(({ name }) => [name, { variables: new Set<string>(), stacks: new Set<string>() }]),
  );
  const own = new Map(states.map((state) => [state.name, usesOf(state)]));
  let changed = true;
  while (changed) {
    changed = false;
    for (const { name, transitions } of states) {
      const here = live.get(name)!;
      const { reads, sets, stacks } = own.get(name)!;
      const size = here.variables.size + here.stacks.size;
      for (const one of reads) here.variables.add(one);
      for (const one of stacks) here.stacks.add(one);
      for (const { next_state: next } of transitions) {
        const after = next === null ? undefined : live.get(next);
        for (const one of after?.variables ?? []) if (!sets.has(one)) here.variables.add(one);
        for (const one of after?.stacks ?? []) here.stacks.add(one);
      }
      changed ||= here.variables.size + here.stacks.size > size;
    }
  }
  return live;
}

/** What the key of a state reads that the state itself does not set first, what it sets, and its stacks. */
function usesOf({ parser_ops: ops, transition_key: key }: bmv2.ParseState): {
  reads: Set<string>;
  sets: Set<string>;
  stacks: Set<string>;
} {
  const reads = new Set<string>();
  const sets = new Set<string>();
  const stacks = new Set<string>();
  for (const op of ops) {
    if (op.op === "extract" && op.parameters[0].type === "stack") stacks.add(op.parameters[0].value);
    if (op.op !== "set") continue;
    for (const name of fieldsOf(op.parameters[1])) if (!sets.has(name)) reads.add(name);
    for (const name of fieldsOf(op.parameters[0])) sets.add(name);
  }
  for (const part of key) {
    if (part.type === "stack_field") stacks.add(part.value[0]);
    for (const name of fieldsOf(part)) if (!sets.has(name)) reads.add(name);
  }
  return { reads, sets, stacks };
}

/** The fields that a value names. */
export function fieldsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => fieldsOf(one));
  const { type, value: inner } = value as { type?: unknown; value?: unknown };
  if (type === "field" && Array.isArray(inner)) return [inner.join(".")];
  return Object.values(value).flatMap((one) => fieldsOf(one));
}
