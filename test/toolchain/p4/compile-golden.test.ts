/**
 * The programs of the reference data: what a control plane sees of our output is what it sees of p4c's.
 * `p4c-facts.json` holds what was read off p4c's JSON; the P4Info beside it is p4c's own.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type bmv2, readP4Info, sameP4Info } from "../../../src/toolchain/program/index.js";

const golden = join(import.meta.dirname, "../../golden");
const names = readdirSync(golden)
  .filter((name) => existsSync(join(golden, name, "p4c-facts.json")))
  .sort();

/** In `queue` p4c copies standard_metadata for a nested control, and loses its aliases by that. */
const ARTEFACTS: Record<string, string[]> = { queue: ["headers", "aliases"] };

function compileGolden(name: string) {
  const file = new SourceFile(`${name}.p4`, readFileSync(join(golden, name, `${name}.p4`), "utf8"));
  const diagnostics = new Diagnostics();
  const result = compile({ file }, diagnostics);
  if (result === undefined) throw new Error(diagnostics.list.map((one) => one.message).join("\n"));
  return result;
}

function byName<T extends { name: string }>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function without<T extends object>(value: T, ...members: string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !members.includes(key)));
}

/** The same selection from our JSON as in `p4c-facts.json`. */
function factsOf(program: bmv2.Bmv2Program): Record<string, unknown> {
  const tables = program.pipelines.flatMap((pipeline) =>
    pipeline.tables
      .filter((table) => table.name.startsWith("The"))
      .map((table) => ({
        name: table.name,
        match_type: table.match_type,
        type: table.type,
        max_size: table.max_size,
        with_counters: table.with_counters,
        support_timeout: table.support_timeout,
        direct_meters: table.direct_meters,
        actions: table.actions,
        action_profile: table.action_profile ?? null,
        pipeline: pipeline.name,
        key: table.key.map((key) => [key.match_type, key.name]),
        has_default: table.default_entry !== undefined,
        entries: (table.entries ?? []).map(({ match_key, priority }) => ({ match_key, priority })),
        line: table.source_info?.line,
        column: table.source_info?.column,
      })),
  );
  const arrays = (list: readonly { name: string }[]) =>
    byName(list).map((one) => without(one, "source_info", "id", "result_target"));
  return {
    tables: byName(tables),
    action_profiles: program.pipelines.flatMap((pipeline) =>
      pipeline.action_profiles.map((profile) => ({
        ...without(profile, "source_info", "id", "selector"),
        ...(profile.selector === undefined ? {} : { algo: profile.selector.algo }),
      })),
    ),
    counters: arrays(program.counter_arrays),
    registers: arrays(program.register_arrays),
    meters: arrays(program.meter_arrays),
    calculations: program.calculations.map((one) => [one.name, one.algo]),
    checksums: program.checksums.map((one) => [one.name, one.target, one.calculation, one.verify]),
    field_lists: program.field_lists.map((one) => [one.id, one.name, one.elements]),
    learn_lists: program.learn_lists.map((one) => [one.id, one.name, one.elements.length]),
    errors: program.errors,
    parse_vsets: program.parse_vsets.map((one) => [one.name, one.compressed_bitwidth, one.max_size]),
    deparser: program.deparsers[0]?.order,
    headers: byName(program.headers).map((one) => [one.name, one.header_type, one.metadata]),
    stacks: program.header_stacks.map((one) => [one.name, one.header_type, one.size]),
    aliases: program.field_aliases,
    members: Object.keys(program),
  };
}

describe.each(names)("%s", (name) => {
  const { program } = compileGolden(name);

  it("has p4c's P4Info", () => {
    const path = join(golden, name, `${name}.p4info.txtpb`);
    const theirs = readP4Info(new SourceFile(path, readFileSync(path, "utf8")), "text", new Diagnostics());
    expect(sameP4Info(program.p4info, theirs!)).toEqual([]);
  });

  it("has p4c's names, keys, entries, arrays and lists", () => {
    const facts: unknown = JSON.parse(readFileSync(join(golden, name, "p4c-facts.json"), "utf8"));
    const ours = factsOf(program.bmv2);
    const skip = ARTEFACTS[name] ?? [];
    expect(without(ours, ...skip)).toEqual(without(facts as object, ...skip));
  });

  it("refers only to what it defines", () => {
    checkReferences(program.bmv2);
  });

  it("is the same twice", () => {
    expect(JSON.stringify(compileGolden(name).program.bmv2)).toBe(JSON.stringify(program.bmv2));
  });
});

/** Every name and id that the JSON mentions exists. */
function checkReferences(program: bmv2.Bmv2Program): void {
  const fields = new Map<string, Set<string>>();
  for (const header of program.headers) {
    const type = program.header_types.find((one) => one.name === header.header_type);
    expect(type, header.name).toBeDefined();
    fields.set(header.name, new Set([...type!.fields.map((field) => field[0]), "$valid$"]));
  }
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { type, value: inner } = value as { type?: unknown; value?: unknown };
    if (type === "field") {
      const [header, field] = inner as [string, string];
      expect(fields.get(header)?.has(field), `${header}.${field}`).toBe(true);
    }
    if (type === "header") expect(fields.has(inner as string), String(inner)).toBe(true);
    for (const part of Object.values(value)) visit(part);
  };
  visit(program);
  for (const pipeline of program.pipelines) {
    const nodes = new Set([...pipeline.tables, ...pipeline.conditionals].map((one) => one.name));
    const known = (next: string | null | undefined): void => {
      if (next !== null && next !== undefined) expect(nodes.has(next), next).toBe(true);
    };
    known(pipeline.init_table);
    for (const one of pipeline.conditionals) {
      known(one.true_next);
      known(one.false_next);
    }
    for (const table of pipeline.tables) {
      known(table.base_default_next);
      for (const next of Object.values(table.next_tables)) known(next);
      expect(table.action_ids.map((id) => program.actions[id]?.name)).toEqual(table.actions);
    }
  }
  expect(program.actions.map((action) => action.id)).toEqual(program.actions.map((_, index) => index));
}
