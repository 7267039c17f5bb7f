/**
 * Which fields a program uses. A variable that one action sets before it reads it, and that nothing else uses, is local
 * to the action and takes no container. A write to metadata that nothing reads has no effect.
 */
import type { bmv2 } from "../../program/index.js";
import type { FieldInfo } from "./model.js";

export interface Uses {
  /** Fields whose value something reads: packet fields, architecture metadata, and metadata that is read. */
  readonly live: ReadonlySet<string>;
  /** Fields that the program names at all. */
  readonly used: ReadonlySet<string>;
  /** Where a field is first named, for messages. */
  readonly places: ReadonlyMap<string, bmv2.SourceInfo>;
  localsOf(action: number): ReadonlySet<string>;
  /** Fields that actions of a gress write, and that its actions, keys and conditions read. */
  writtenIn(gress: string): ReadonlySet<string>;
  readIn(gress: string): ReadonlySet<string>;
}

const OUTSIDE = -1;

/** Finds who reads and writes each field: actions by id, everything else as one reader. */
export function findUses(program: bmv2.Bmv2Program, fields: ReadonlyMap<string, FieldInfo>): Uses {
  let readers = new Map<string, Set<number>>();
  const writers = new Map<string, Set<number>>();
  const readFirst = new Set<string>();
  const places = new Map<string, bmv2.SourceInfo>();
  const note = (map: Map<string, Set<number>>, name: string, owner: number) => {
    const set = map.get(name);
    if (set === undefined) map.set(name, new Set([owner]));
    else set.add(owner);
  };

  function visit(value: unknown, owner: number): void {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, owner);
      return;
    }
    if (value === null || typeof value !== "object") return;
    const node = value as { type?: unknown; value?: unknown };
    if (node.type === "field" && Array.isArray(node.value)) {
      const name = node.value.join(".");
      if (owner !== OUTSIDE && writers.get(name)?.has(owner) !== true) readFirst.add(`${owner} ${name}`);
      note(readers, name, owner);
      return;
    }
    if (node.type === "calculation") {
      visit(program.calculations.find((c) => c.name === node.value)!.input, owner);
      return;
    }
    if (node.type === "header" && typeof node.value === "string")
      note(readers, `${node.value}.$valid$`, owner);
    for (const [name, part] of Object.entries(node)) {
      if (name !== "source_info") visit(part, owner);
    }
  }

  for (const action of program.actions) {
    for (const primitive of action.primitives) {
      const writes = destinationCount(primitive.op);
      visit(primitive.parameters.slice(writes), action.id);
      if (primitive.op === "generate_digest") {
        const list = primitive.parameters[1];
        const id = list?.type === "hexstr" ? Number(list.value) : 0;
        visit(program.learn_lists.find((entry) => entry.id === id)?.elements, action.id);
      }
      for (const target of primitive.parameters.slice(0, writes)) {
        if (target.type !== "field") continue;
        const name = target.value.join(".");
        note(writers, name, action.id);
        if (primitive.source_info !== undefined && !places.has(name)) places.set(name, primitive.source_info);
      }
    }
  }
  const readByGress = new Map<string, Set<string>>();
  for (const pipeline of program.pipelines) {
    const here = new Map<string, Set<number>>();
    const outer = readers;
    readers = here;
    for (const table of pipeline.tables) {
      for (const key of table.key) {
        const name = typeof key.target === "string" ? `${key.target}.$valid$` : key.target.join(".");
        note(here, name, OUTSIDE);
        if (table.source_info !== undefined && !places.has(name)) places.set(name, table.source_info);
      }
    }
    for (const profile of pipeline.action_profiles) visit(profile.selector?.input, OUTSIDE);
    for (const condition of pipeline.conditionals) visit(condition.expression, OUTSIDE);
    readers = outer;
    for (const name of here.keys()) note(readers, name, OUTSIDE);
    readByGress.set(pipeline.name, new Set(here.keys()));
  }
  for (const list of program.field_lists) visit(list.elements, OUTSIDE);
  for (const state of program.parsers.flatMap((parser) => parser.parse_states)) {
    visit(state.transition_key, OUTSIDE);
    for (const op of state.parser_ops) {
      visit(op.parameters, OUTSIDE);
    }
  }
  for (const checksum of program.checksums) {
    visit(checksum.if_cond, OUTSIDE);
    visit(program.calculations.find((c) => c.name === checksum.calculation)!.input, OUTSIDE);
  }
  for (const meter of program.meter_arrays) {
    if (meter.result_target !== undefined) note(writers, meter.result_target.join("."), OUTSIDE);
  }

  const live = new Set<string>();
  for (const [name, info] of fields) {
    if (!info.metadata || info.intrinsic || readers.has(name)) live.add(name);
  }
  const owners = new Map<number, Set<string>>();
  for (const [name, info] of fields) {
    if (!info.metadata || info.intrinsic) continue;
    const all = new Set([...(readers.get(name) ?? []), ...(writers.get(name) ?? [])]);
    const [only] = all;
    if (all.size !== 1 || only === undefined || only === OUTSIDE) continue;
    if (readFirst.has(`${only} ${name}`)) continue;
    const set = owners.get(only);
    if (set === undefined) owners.set(only, new Set([name]));
    else set.add(name);
  }
  const none: ReadonlySet<string> = new Set();
  return {
    live,
    used: new Set([...readers.keys(), ...writers.keys()]),
    places,
    localsOf: (action) => owners.get(action) ?? none,
    writtenIn: (gress) => fieldsOf(writers, actionsOf(program, gress)),
    readIn: (gress) => {
      const names = fieldsOf(readers, actionsOf(program, gress));
      for (const name of readByGress.get(gress) ?? []) names.add(name);
      return names;
    },
  };
}

function actionsOf(program: bmv2.Bmv2Program, gress: string): ReadonlySet<number> {
  const tables = program.pipelines.filter((p) => p.name === gress).flatMap((p) => p.tables);
  return new Set(tables.flatMap((table) => table.action_ids));
}

function fieldsOf(map: ReadonlyMap<string, ReadonlySet<number>>, owners: ReadonlySet<number>): Set<string> {
  const names = new Set<string>();
  for (const [name, users] of map) {
    for (const user of users) if (owners.has(user)) names.add(name);
  }
  return names;
}

/** Leading parameters of a primitive that it sets. */
function destinationCount(op: string): number {
  switch (op) {
    case "assign":
    case "register_read":
    case "modify_field_with_hash_based_offset":
    case "modify_field_rng_uniform":
      return 1;
    default:
      return 0;
  }
}
