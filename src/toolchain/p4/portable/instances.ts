/**
 * The state of a portable program in the terms that all back ends have: counters, meters, registers and profiles by their common names, and
 * what the properties `psa_...` or `pna_...` attach to tables.
 */
import { defined } from "../../../base/index.js";
import { constantBits } from "../emit/bmv2-tables.js";
import { number } from "../lower/build.js";
import { fold } from "../lower/fold.js";
import {
  controlsOf,
  type Expr,
  type ExternInstance,
  type IrProgram,
  type IrTable,
  instancesOf,
} from "../lower/ir.js";
import { bits, TypeTranslator, totalWidth } from "../lower/ir-types.js";
import { toBits } from "../lower/plain-values.js";

/** What stands for an instance of the program. */
export type PlainInstances = ReadonlyMap<ExternInstance, ExternInstance>;

/** Changes the lists of the program in place. `prefix`: of the properties of tables, as `psa_`. */
export function plainInstances(program: IrProgram, prefix: string): PlainInstances {
  const plain = new Map<ExternInstance, ExternInstance>();
  for (const one of new Set(instancesOf(program))) {
    const made = plainInstance(one);
    if (made !== undefined) plain.set(one, made);
  }
  for (const control of controlsOf(program, ["control"]))
    for (const table of control.tables) attach(table, plain, prefix);
  const replace = (list: readonly ExternInstance[]): ExternInstance[] =>
    list.map((one) => plain.get(one) ?? one);
  program.globals.splice(0, program.globals.length, ...replace(program.globals));
  for (const { blocks } of program.pipes)
    for (const { body } of blocks) body.instances = replace(body.instances);
  return plain;
}

/** The argument of a constructor by the name of its parameter. */
export function argument({ args, argNames }: ExternInstance, name: string): Expr | undefined {
  return args[argNames.indexOf(name)];
}

function plainInstance(one: ExternInstance): ExternInstance | undefined {
  const arg = (name: string): Expr => defined(argument(one, name));
  const made = (extern: string, args: Expr[], typeArgs = one.typeArgs): ExternInstance => ({
    ...one,
    extern,
    args,
    argNames: [],
    typeArgs: typeArgs.filter(({ kind }) => kind !== "dontCare"),
  });
  const unit = (): Expr => {
    const type = fold(arg("type"));
    return type.kind === "member" ? { ...type, name: type.name.toLowerCase() } : type;
  };
  switch (one.extern) {
    case "Counter":
      return made("counter", [arg("n_counters"), unit()], one.typeArgs.slice(1));
    case "DirectCounter":
      return made("direct_counter", [unit()], []);
    case "Meter":
      return made("meter", [arg("n_meters"), unit()]);
    case "DirectMeter":
      return made("direct_meter", [unit()]);
    case "Register":
      return register(one, arg("size"));
    case "ActionProfile":
      return made("action_profile", [arg("size")]);
    case "ActionSelector":
      return made("action_selector", [algorithmMember(arg("algo")), arg("size")]);
    default:
      return undefined;
  }
}

/** Algorithms of hashes under the names by which BMv2 knows them; the default is p4c's for its targets. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  IDENTITY: "identity",
  CRC16: "crc16",
  CRC16_CUSTOM: "crc16_custom",
  CRC32: "crc32",
  CRC32_CUSTOM: "crc32_custom",
  ONES_COMPLEMENT16: "csum16",
  TARGET_DEFAULT: "crc16",
  TOEPLITZ: "toeplitz",
};

/** The algorithm that a member of `PSA_HashAlgorithm_t` or its likes names. */
export function algorithmOf(hash: Expr | undefined): string {
  const folded = hash === undefined ? undefined : fold(hash);
  return ALGORITHMS[folded?.kind === "member" ? folded.name : ""] ?? "crc16";
}

function algorithmMember(hash: Expr): Expr {
  const name = algorithmOf(hash);
  return { kind: "member", name, index: 0, type: { kind: "enum", name, members: [name] }, span: hash.span };
}

/** An array of plain bits; the first field of a struct is in the high bits. */
function register(one: ExternInstance, size: Expr): ExternInstance {
  const element = defined(one.typeArgs[0]);
  const type = new TypeTranslator().translate(element, one.span);
  const width = totalWidth(type);
  const initial = argument(one, "initial_value");
  const isPlain = type.kind === "bits";
  const bitsOf = (value: Expr): Expr => number(constantBits(fold(toBits(value))), bits(width), value.span);
  return {
    ...one,
    extern: "register",
    args: initial === undefined ? [size] : [size, bitsOf(initial)],
    argNames: [],
    typeArgs: [isPlain ? element : { kind: "bit" as const, width }, ...one.typeArgs.slice(1)].filter(
      ({ kind }) => kind !== "dontCare",
    ),
  };
}

/** Tells a table what its properties attach to it. */
function attach(table: IrTable, plain: PlainInstances, prefix: string): void {
  const named = (name: string): ExternInstance | undefined => {
    const value = table.properties.find((one) => one.name === prefix + name)?.value;
    return value?.kind === "instance" ? plain.get(value.instance) : undefined;
  };
  table.counters = named("direct_counter");
  table.meters = named("direct_meter");
  table.implementation = named("implementation");
  const timeout = table.properties.find((one) => one.name === `${prefix}idle_timeout`)?.value;
  const folded = timeout === undefined ? undefined : fold(timeout);
  table.supportTimeout = folded?.kind === "member" && folded.name === "NOTIFY_CONTROL";
}
