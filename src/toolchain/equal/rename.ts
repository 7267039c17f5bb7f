/** A program under the names of another one, so that both can get the same entries. */
import { didYouMean } from "../../base/index.js";
import type { bmv2, Program } from "../program/index.js";
import { P4InfoIndex } from "../program/index.js";

/** Names of the second program, by those of the first one. */
type Names = Readonly<Record<string, string>>;

/** What is not listed has one name in both programs. */
export interface NameMap {
  readonly tables: Names;
  readonly actions: Names;
  readonly registers: Names;
  readonly meters: Names;
  /** Of action profiles and selectors. */
  readonly profiles: Names;
  /** Of the keys of a table, by its name in the first program. */
  readonly keys: Readonly<Record<string, Names>>;
  /** Of the parameters of an action, by its name in the first program. */
  readonly parameters: Readonly<Record<string, Names>>;
}

/** A name that a program does not have, or that would stand for two things. */
export interface NameProblem {
  /** Of the value in the map. */
  readonly path: readonly string[];
  readonly message: string;
}

const KINDS = ["tables", "actions", "registers", "meters", "profiles"] as const;

/** The names of a program that a map can give. */
function namesOf({ bmv2: program, p4info }: Program) {
  const index = new P4InfoIndex(p4info);
  const actions = new Map<string, string[]>();
  for (const { name, runtime_data } of program.actions)
    actions.set(
      name,
      runtime_data.map((one) => one.name),
    );
  const tables = new Map<string, string[]>();
  for (const { name } of program.pipelines.flatMap((one) => one.tables))
    tables.set(
      name,
      (index.tables.byName(name)?.fields.list ?? []).map((one) => one.name),
    );
  return {
    tables,
    actions,
    registers: new Map(program.register_arrays.map(({ name }) => [name, []])),
    meters: new Map(program.meter_arrays.map(({ name }) => [name, []])),
    profiles: new Map(
      program.pipelines.flatMap((one) => one.action_profiles.map(({ name }) => [name, []] as const)),
    ),
  };
}

/** What is wrong with a map for two programs. */
export function nameProblems(a: Program, b: Program, map: NameMap): NameProblem[] {
  const [first, second] = [namesOf(a), namesOf(b)];
  const problems: NameProblem[] = [];
  const check = (
    names: Names,
    path: readonly string[],
    left: readonly string[],
    right: readonly string[],
  ) => {
    const taken = new Set(right.filter((name) => !Object.values(names).includes(name)));
    for (const [one, other] of Object.entries(names)) {
      const say = (message: string) => problems.push({ path: [...path, one], message });
      if (!left.includes(one)) say(`the first program has no ${one} here${didYouMean(one, left, "")}`);
      else if (!right.includes(other))
        say(`the second program has no ${other} here${didYouMean(other, right, "")}`);
      else if (Object.values(names).filter((name) => name === other).length > 1)
        say(`${other} stands for two names of the first program`);
      else if (taken.has(one)) say(`the second program has another ${one}, which has no new name`);
    }
  };
  for (const kind of KINDS) check(map[kind], [kind], [...first[kind].keys()], [...second[kind].keys()]);
  const members = [
    ["keys", "tables"],
    ["parameters", "actions"],
  ] as const;
  for (const [key, kind] of members)
    for (const [name, names] of Object.entries(map[key])) {
      const left = first[kind].get(name);
      const right = second[kind].get(map[kind][name] ?? name);
      if (left === undefined || right === undefined)
        problems.push({
          path: [key, name],
          message: `not both programs have ${name}${didYouMean(name, first[kind].keys(), "")}`,
        });
      else check(names, [key, name], left, right);
    }
  return problems;
}

/** A name of the second program as the first one has it. */
const backwards = (names: Names = {}): ((name: string) => string) => {
  const map = new Map(Object.entries(names).map(([first, second]) => [second, first]));
  return (name) => map.get(name) ?? name;
};

/** The second program with the names of the first one, as the map has them. The map has no {@link nameProblems}. */
export function renamed({ bmv2: program, p4info }: Program, map: NameMap): Program {
  const of = {
    table: backwards(map.tables),
    action: backwards(map.actions),
    register: backwards(map.registers),
    meter: backwards(map.meters),
    profile: backwards(map.profiles),
  };
  const copy = structuredClone(program);
  for (const action of copy.actions) {
    action.name = of.action(action.name);
    const parameter = backwards(map.parameters[action.name]);
    for (const data of action.runtime_data) data.name = parameter(data.name);
  }
  for (const array of copy.register_arrays) array.name = of.register(array.name);
  for (const array of copy.meter_arrays) array.name = of.meter(array.name);
  for (const pipeline of copy.pipelines) renamePipeline(pipeline, of, map);
  renameArrays(copy, of);
  const info = structuredClone(p4info);
  const rename = (
    list: readonly { preamble?: { name: string } | undefined }[],
    to: (name: string) => string,
  ) => {
    for (const { preamble } of list) if (preamble !== undefined) preamble.name = to(preamble.name);
  };
  rename(info.tables, of.table);
  rename(info.actions, of.action);
  rename(info.registers, of.register);
  rename(info.meters, of.meter);
  rename(info.directMeters, of.meter);
  rename(info.actionProfiles, of.profile);
  for (const { preamble, matchFields } of info.tables) {
    const key = backwards(map.keys[preamble?.name ?? ""]);
    for (const field of matchFields) field.name = key(field.name);
  }
  for (const { preamble, params } of info.actions) {
    const parameter = backwards(map.parameters[preamble?.name ?? ""]);
    for (const data of params) data.name = parameter(data.name);
  }
  return { bmv2: copy, p4info: info };
}

type Renames = Readonly<
  Record<"table" | "action" | "register" | "meter" | "profile", (name: string) => string>
>;

function renamePipeline(pipeline: bmv2.Pipeline, of: Renames, map: NameMap): void {
  const node = (name: string | null): string | null => (name === null ? null : of.table(name));
  pipeline.init_table = node(pipeline.init_table);
  for (const condition of pipeline.conditionals) {
    condition.true_next = node(condition.true_next);
    condition.false_next = node(condition.false_next);
  }
  for (const profile of pipeline.action_profiles) profile.name = of.profile(profile.name);
  for (const table of pipeline.tables) {
    table.name = of.table(table.name);
    if (table.action_profile !== undefined) table.action_profile = of.profile(table.action_profile);
    const key = backwards(map.keys[table.name]);
    for (const part of table.key) if (part.name !== undefined) part.name = key(part.name);
    table.actions = table.actions.map(of.action);
    table.next_tables = Object.fromEntries(
      Object.entries(table.next_tables).map(([action, next]) => [of.action(action), node(next)]),
    );
    if (table.base_default_next !== undefined) table.base_default_next = node(table.base_default_next);
    if (table.direct_meters !== null) table.direct_meters = of.meter(table.direct_meters);
  }
}

/** Registers and meters where primitives name them. */
function renameArrays(value: unknown, of: Renames): void {
  if (typeof value !== "object" || value === null) return;
  const node = value as { type?: unknown; value?: unknown };
  const kind =
    node.type === "register_array" ? "register" : node.type === "meter_array" ? "meter" : undefined;
  if (kind !== undefined && typeof node.value === "string") node.value = of[kind](node.value);
  for (const part of Object.values(value)) renameArrays(part, of);
}
