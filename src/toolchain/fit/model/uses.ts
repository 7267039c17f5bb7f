/**
 * Which fields a program uses. A variable that one action sets before it reads it, and that nothing else uses, is local
 * to the action and takes no container. A write to metadata that nothing reads has no effect.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { FieldInfo } from "./model.js";
import { destinationsOf, readByParser } from "./simplify/graph.js";

export interface Uses {
  /** Fields whose value something reads: packet fields, architecture metadata, and metadata that is read. */
  readonly live: ReadonlySet<string>;
  /** Fields that the program names at all. */
  readonly used: ReadonlySet<string>;
  /** Where a field is first named, for messages. */
  readonly places: ReadonlyMap<string, bmv2.SourceInfo>;
  /** Fields that hashes read, and nothing else. */
  readonly onlyHashed: ReadonlySet<string>;
  localsOf(action: number): ReadonlySet<string>;
  /** Fields that actions of a gress write, and that its actions, keys and conditions read. */
  writtenIn(gress: string): ReadonlySet<string>;
  readIn(gress: string): ReadonlySet<string>;
}

const OUTSIDE = -1;

/** Finds who reads and writes each field: actions by id, everything else as one reader. */
export function findUses(program: bmv2.Bmv2Program, fields: ReadonlyMap<string, FieldInfo>): Uses {
  const finder = new UseFinder(program);
  for (const action of program.actions) finder.visitAction(action);
  const readByGress = new Map<string, ReadonlySet<string>>();
  for (const pipeline of program.pipelines)
    readByGress.set(pipeline.name, finder.visitTablesAndConditions(pipeline));
  finder.visitRest();
  const { readers, writers, places } = finder;
  const live = new Set<string>();
  for (const [name, info] of fields) {
    if (!info.metadata || info.intrinsic || readers.has(name)) live.add(name);
  }
  const locals = finder.localsOfActions(fields);
  const onlyHashed = new Set([...finder.hashed].filter((name) => !finder.readPlain.has(name)));
  const none: ReadonlySet<string> = new Set();
  return {
    live,
    used: new Set([...readers.keys(), ...writers.keys()]),
    places,
    onlyHashed,
    localsOf: (action) => locals.get(action) ?? none,
    writtenIn: (gress) => fieldsOf(writers, actionsOf(program, gress)),
    readIn: (gress) => {
      const names = fieldsOf(readers, actionsOf(program, gress));
      for (const name of readByGress.get(gress) ?? []) names.add(name);
      return names;
    },
  };
}

class UseFinder {
  /** Field -> owners that read it. */
  readers = new Map<string, Set<number>>();
  readonly writers = new Map<string, Set<number>>();
  readonly places = new Map<string, bmv2.SourceInfo>();
  /** Fields that calculations read, and that something else reads. */
  readonly hashed = new Set<string>();
  readonly readPlain = new Set<string>();
  #inCalculation = false;
  /** Owner and field, where the owner reads it before it writes it. */
  readonly #readFirst = new Set<string>();

  constructor(private readonly program: bmv2.Bmv2Program) {}

  visitAction(action: bmv2.Bmv2Action): void {
    for (const primitive of action.primitives) {
      const [first, end] = destinationsOf(primitive);
      this.#visit(
        primitive.parameters.filter((_, i) => i < first || i >= end),
        action.id,
      );
      if (primitive.op === "generate_digest") {
        const list = primitive.parameters[1];
        const id = list?.type === "hexstr" ? Number(list.value) : 0;
        this.#visit(this.program.learn_lists.find((entry) => entry.id === id)?.elements, action.id);
      }
      for (const target of primitive.parameters.slice(first, end)) {
        if (target.type !== "field") continue;
        const name = target.value.join(".");
        note(this.writers, name, action.id);
        this.#notePlace(name, primitive.source_info);
      }
    }
  }

  /** Returns the fields that keys, selectors and conditions of the pipeline read. */
  visitTablesAndConditions(pipeline: bmv2.Pipeline): ReadonlySet<string> {
    const here = new Map<string, Set<number>>();
    const outer = this.readers;
    this.readers = here;
    for (const table of pipeline.tables) {
      for (const key of table.key) {
        const name = typeof key.target === "string" ? `${key.target}.$valid$` : key.target.join(".");
        note(here, name, OUTSIDE);
        this.readPlain.add(name);
        this.#notePlace(name, table.source_info);
      }
    }
    for (const profile of pipeline.action_profiles) this.#visit(profile.selector?.input, OUTSIDE);
    for (const condition of pipeline.conditionals) this.#visit(condition.expression, OUTSIDE);
    this.readers = outer;
    for (const name of here.keys()) note(outer, name, OUTSIDE);
    return new Set(here.keys());
  }

  /** Field lists, parsers, deparsers, the metadata that the hardware reads, checksums and the results of meters. */
  visitRest(): void {
    const { program } = this;
    for (const list of program.field_lists) this.#visit(list.elements, OUTSIDE);
    for (const parser of program.parsers) this.#visit(readByParser(parser), OUTSIDE);
    for (const { primitives } of program.deparsers)
      for (const { parameters } of primitives ?? []) this.#visit(parameters, OUTSIDE);
    for (const pipe of program.architecture?.pipes ?? [])
      for (const { fields } of [pipe.ingress, pipe.egress])
        for (const field of Object.values(fields)) note(this.readers, field.join("."), OUTSIDE);
    for (const checksum of program.checksums) {
      this.#visit(checksum.if_cond, OUTSIDE);
      this.#visitCalculation(checksum.calculation, OUTSIDE);
    }
    for (const meter of program.meter_arrays) {
      if (meter.result_target !== undefined) note(this.writers, meter.result_target.join("."), OUTSIDE);
    }
  }

  /** By action: variables that it alone uses, and sets before it reads them. */
  localsOfActions(fields: ReadonlyMap<string, FieldInfo>): ReadonlyMap<number, ReadonlySet<string>> {
    const locals = new Map<number, Set<string>>();
    for (const [name, info] of fields) {
      if (!info.metadata || info.intrinsic) continue;
      const all = new Set([...(this.readers.get(name) ?? []), ...(this.writers.get(name) ?? [])]);
      const [only] = all;
      if (all.size !== 1 || only === undefined || only === OUTSIDE) continue;
      if (this.#readFirst.has(`${only} ${name}`)) continue;
      const set = locals.get(only);
      if (set === undefined) locals.set(only, new Set([name]));
      else set.add(name);
    }
    return locals;
  }

  #notePlace(name: string, source: bmv2.SourceInfo | undefined): void {
    if (source !== undefined && !this.places.has(name)) this.places.set(name, source);
  }

  #visitCalculation(name: unknown, owner: number): void {
    this.#inCalculation = true;
    this.#visit(defined(this.program.calculations.find((one) => one.name === name)).input, owner);
    this.#inCalculation = false;
  }

  #visit(value: unknown, owner: number): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#visit(item, owner);
      return;
    }
    if (value === null || typeof value !== "object") return;
    const node = value as { type?: unknown; value?: unknown };
    if (node.type === "field" && Array.isArray(node.value)) {
      const name = node.value.join(".");
      if (owner !== OUTSIDE && this.writers.get(name)?.has(owner) !== true)
        this.#readFirst.add(`${owner} ${name}`);
      note(this.readers, name, owner);
      (this.#inCalculation ? this.hashed : this.readPlain).add(name);
      return;
    }
    if (node.type === "calculation") {
      this.#visitCalculation(node.value, owner);
      return;
    }
    if (node.type === "header" && typeof node.value === "string")
      note(this.readers, `${node.value}.$valid$`, owner);
    for (const [name, part] of Object.entries(node)) {
      if (name !== "source_info") this.#visit(part, owner);
    }
  }
}

function note(map: Map<string, Set<number>>, name: string, owner: number): void {
  const set = map.get(name);
  if (set === undefined) map.set(name, new Set([owner]));
  else set.add(owner);
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
