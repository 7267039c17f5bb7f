/**
 * The state of a TNA program as the arrays, profiles and names that the switch has for every architecture: names with the pipe in
 * front, registers of plain bits, selectors with their hash.
 */
import { defined } from "../../../../../base/index.js";
import { constantBits } from "../../../emit/bmv2-tables.js";
import { cast, number } from "../../../lower/build.js";
import { fold } from "../../../lower/fold.js";
import type { Expr, ExternInstance, IrPipe, IrProgram, IrTable, IrType } from "../../../lower/ir.js";
import { bits, TypeTranslator, totalWidth } from "../../../lower/ir-types.js";
import type { Type } from "../../../types/index.js";
import { argument, attached, prefixOf, scopedInstances } from "../p4info-scope.js";
import { hashAlgorithm } from "./hashes.js";
import type { Notes } from "./notes.js";

/** Entries of a table without `size`. */
const DEFAULT_SIZE = 512;

export interface State {
  /** What stands for an instance in the switch's terms. */
  readonly plain: ReadonlyMap<ExternInstance, ExternInstance>;
  /** The array that holds the cells of a register, of a direct register, of a parameter. */
  readonly registers: ReadonlyMap<ExternInstance, ExternInstance>;
  /** Number of values beside each other in the cells of a register, by its name, where there are several. */
  readonly words: ReadonlyMap<string, number>;
  /** The table of an instance that belongs to one. */
  readonly owners: ReadonlyMap<ExternInstance, IrTable>;
}

/** Changes the program in place; what it made of it is in the result. */
export function plainState(program: IrProgram, notes: Notes): State {
  const scoped = scopedInstances(program);
  const prefixes = new Map(scoped.map(({ object, prefix }) => [object, prefix]));
  const tables = namedTables(program);
  const owners = new Map<ExternInstance, IrTable>();
  for (const table of tables)
    for (const { value } of table.properties)
      if (value.kind === "instance") owners.set(value.instance, table);
  const all = allInstances(program);
  for (const one of all) one.name = (prefixes.get(one) ?? "") + one.name;
  const registers = new Map<ExternInstance, ExternInstance>();
  const plain = new Map<ExternInstance, ExternInstance>();
  const words = new Map<string, number>();
  for (const one of all) {
    const made = plainInstance(one, owners.get(one));
    if (made === undefined) continue;
    plain.set(one, made);
    if (made.extern !== "register") continue;
    registers.set(one, made);
    const type = cellType(one);
    if (type.kind === "struct" && type.fields.length > 1) words.set(made.name, type.fields.length);
  }
  for (const table of tables) attach(table, plain, notes);
  const replace = (list: ExternInstance[]): ExternInstance[] => list.map((one) => plain.get(one) ?? one);
  program.globals.splice(0, program.globals.length, ...replace(program.globals));
  for (const { blocks } of program.pipes)
    for (const { body } of blocks) body.instances = replace(body.instances);
  return { plain, registers, words, owners };
}

function allInstances(program: IrProgram): ExternInstance[] {
  const lists = program.pipes.flatMap(({ blocks }) => blocks.flatMap(({ body }) => body.instances));
  return [...new Set([...program.globals, ...lists])];
}

/** Gives tables and value sets the name of their pipe, each once where several pipes share them. */
function namedTables(program: IrProgram): IrTable[] {
  const done = new Set<object>();
  const name = (pipe: IrPipe, one: { name: string }): void => {
    if (done.has(one)) return;
    done.add(one);
    one.name = prefixOf(pipe) + one.name;
  };
  const tables: IrTable[] = [];
  for (const pipe of program.pipes)
    for (const block of pipe.blocks)
      if (block.kind === "parser") for (const set of block.body.valueSets) name(pipe, set);
      else
        for (const table of block.body.tables) {
          if (!done.has(table)) tables.push(table);
          name(pipe, table);
        }
  return tables;
}

function plainInstance(one: ExternInstance, owner: IrTable | undefined): ExternInstance | undefined {
  const arg = (name: string): Expr => defined(argument(one, name));
  const made = (extern: string, args: Expr[]): ExternInstance => ({ ...one, extern, args, methods: [] });
  const unit = (): Expr => {
    const type = fold(arg("type"));
    return type.kind === "member" ? { ...type, name: type.name.toLowerCase() } : type;
  };
  switch (one.extern) {
    case "Counter":
      return {
        ...made("counter", [arg("size"), unit()]),
        ...{ typeArgs: closed(one.typeArgs.slice(1)), cellWidth: counterWidth(one) },
      };
    case "DirectCounter":
      return { ...made("direct_counter", [unit()]), cellWidth: counterWidth(one) };
    case "Meter":
      return { ...made("meter", [arg("size"), unit()]), typeArgs: closed(one.typeArgs) };
    case "DirectMeter":
      return made("direct_meter", [unit()]);
    case "Register":
      return register(one, arg("size"));
    case "DirectRegister":
      // Outside of tables an action is one of a table without keys, which has one entry.
      return register(
        one,
        number(BigInt(owner === undefined ? 1 : (owner.size ?? DEFAULT_SIZE)), bits(32), one.span),
      );
    case "RegisterParam":
      return register(one, number(1n, bits(32), one.span));
    case "ActionProfile":
      return made("action_profile", [arg("size")]);
    default:
      return undefined;
  }
}

/** Without types that the program leaves open. */
function closed(types: readonly Type[]): Type[] {
  return types.filter(({ kind }) => kind !== "dontCare");
}

/** Bits of a counter's cell; undefined where the program leaves the type open. */
function counterWidth({ typeArgs: [type] }: ExternInstance): number | undefined {
  return type?.kind === "bit" ? type.width : undefined;
}

function cellType(register: ExternInstance): IrType {
  return new TypeTranslator().translate(defined(register.typeArgs[0]), register.span);
}

/** An array of plain bits; the first field of a pair is in the high bits. */
function register(one: ExternInstance, size: Expr): ExternInstance {
  const type = cellType(one);
  const initial = argument(one, "initial_value");
  const args = initial === undefined ? [size] : [size, packed(initial)];
  return {
    ...one,
    extern: "register",
    args,
    methods: [],
    typeArgs: [{ kind: "bit", width: totalWidth(type) }, ...closed(one.typeArgs.slice(1))],
  };
}

/** A constant of any type as one number. */
function packed(value: Expr): Expr {
  const width = totalWidth(value.type);
  if (value.kind !== "aggregate") return number(constantBits(value), bits(width), value.span);
  const sum = value.elements.reduce(
    (high, part) =>
      (high << BigInt(totalWidth(part.type))) | constantBits(cast(packed(part), bits(totalWidth(part.type)))),
    0n,
  );
  return number(sum, bits(width), value.span);
}

/** Tells a table what is attached to it, in the form that the switch has. */
function attach(table: IrTable, plain: Map<ExternInstance, ExternInstance>, notes: Notes): void {
  const counter = attached(table, "counters");
  const meter = attached(table, "meters");
  const implementation = attached(table, "implementation");
  table.size ??= numberProperty(table, "min_size") ?? DEFAULT_SIZE;
  table.counters = counter === undefined ? undefined : plain.get(counter);
  table.meters = meter === undefined ? undefined : plain.get(meter);
  table.supportTimeout = table.properties.some(
    ({ name, value }) => name === "idle_timeout" && value.kind === "bool" && value.value,
  );
  table.implementation = undefined;
  for (const key of table.keys) {
    if (key.matchKind === "atcam_partition_index") key.matchKind = "exact";
    // Bits that a key masks out are no bits of the hardware's key.
    if (key.keeps !== undefined) key.mask = key.keeps;
  }
  if (implementation === undefined) return;
  if (implementation.extern === "ActionProfile") table.implementation = plain.get(implementation);
  else if (implementation.extern === "ActionSelector")
    table.implementation = selectorOf(implementation, plain);
  else if (implementation.extern !== "Alpm" && implementation.extern !== "Atcam")
    notes.add(
      table.span,
      `the switch has no tables with a ${implementation.extern}`,
      "it looks up as without it",
    );
}

function numberProperty(table: IrTable, name: string): number | undefined {
  const value = table.properties.find((one) => one.name === name)?.value;
  return value?.kind === "number" ? Number(value.value) : undefined;
}

/** The algorithm as an argument, under the name by which the switch finds it. */
function algorithmOf(hash: Expr | undefined): Expr {
  const name = hash?.kind === "instance" ? hashAlgorithm(hash.instance) : "crc32";
  return { kind: "member", name, index: 0, type: { kind: "enum", name, members: [name] }, span: hash?.span };
}

const selectors = new WeakMap<ExternInstance, ExternInstance>();

/** A selector with its members: two tables with the profile of one selector share them. */
function selectorOf(selector: ExternInstance, plain: Map<ExternInstance, ExternInstance>): ExternInstance {
  const profile = argument(selector, "action_profile");
  const owner = profile?.kind === "instance" ? (plain.get(profile.instance) ?? selector) : selector;
  const size = argument(profile?.kind === "instance" ? profile.instance : selector, "size");
  const hash = argument(selector, "hash");
  const known = selectors.get(owner);
  if (known !== undefined) return known;
  const args = [algorithmOf(hash), size ?? number(0n, bits(32), selector.span)];
  const made: ExternInstance = { ...owner, extern: "action_selector", args, methods: [] };
  selectors.set(owner, made);
  // It stands for the profile in the lists of the program.
  plain.set(profile?.kind === "instance" ? profile.instance : selector, made);
  selectors.set(made, made);
  return made;
}
