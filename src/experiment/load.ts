/** From an experiment file to a checked experiment of its kind. All errors of the file are found here. */
import { z } from "zod";
import type { Diagnostics, Locate, SourceFile } from "../base/index.js";
import { loadDocument } from "../documents/index.js";
import { SCHEMES } from "../schemes/index.js";
import { buildTopology } from "../topology/index.js";
import { type FabricExperiment, type FabricSettings, type SchemeSet, schemesSchema } from "./experiment.js";
import type { ExperimentKind, RunKind, Unit } from "./kinds/kind.js";
import { below, planSchemes } from "./plan-schemes.js";
import { collecting, readSource } from "./read-source.js";
import { type PrintedResults, resultsJson, withNotes } from "./results.js";
import { type RunOptions, runKind } from "./run.js";

/** A checked experiment file, ready to run, whatever its kind is. */
export interface LoadedExperiment {
  readonly kind: string;
  /** Whether {@link RunOptions.runs} has a meaning. */
  readonly takesRuns: boolean;
  readonly settings: FabricSettings;
  run(options: RunOptions): Promise<PrintedResults>;
}

/** A kind without its types: what the registry holds. */
export interface RegisteredKind {
  readonly name: string;
  readonly keys: readonly string[];
  readonly schema: z.ZodType<FabricSettings>;
  /** `value`: what {@link schema} made of the document. */
  check(
    source: SourceFile,
    value: unknown,
    locate: Locate,
    diagnostics: Diagnostics,
    schemes: SchemeSet,
  ): LoadedExperiment | undefined;
}

/**
 * Reads and checks a file of one kind; undefined after errors, which `diagnostics` holds: P43001 to P43004 (the document's
 * form), P43005 to P43009 (its meaning), P43014 and P43015 (what flows and faults name), P421xx and P422xx (topology and
 * schemes).
 */
export function loadKind<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
>(
  kind: ExperimentKind<V, E, U, O, R, P>,
  input: string | SourceFile,
  diagnostics: Diagnostics,
  schemes: SchemeSet = SCHEMES,
): E | undefined {
  const source = typeof input === "string" ? readSource(input, diagnostics) : input;
  const document = source && loadDocument(source, withSchemes(kind.schema, schemes), diagnostics);
  if (source === undefined || document === undefined) return undefined;
  return checked(kind, source, document.value, document.locate, diagnostics, schemes);
}

function checked<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
>(
  kind: ExperimentKind<V, E, U, O, R, P>,
  source: SourceFile,
  value: V,
  locate: Locate,
  diagnostics: Diagnostics,
  schemes: SchemeSet,
): E | undefined {
  return collecting(diagnostics, () => {
    const topology = buildTopology(value.topology, below(locate, ["topology"]));
    const plan = (settings: FabricSettings, runs: number) =>
      planSchemes({ ...settings, runs }, topology, locate, diagnostics, schemes);
    return kind.check({ source, value, topology, locate, diagnostics, plan });
  });
}

/** The schema of a kind's file where it may name these schemes. */
function withSchemes<V>(schema: z.ZodType<V>, schemes: SchemeSet): z.ZodType<V> {
  if (schemes === SCHEMES) return schema;
  const object = schema as unknown as z.ZodObject;
  return object.extend({ schemes: schemesSchema(schemes) }) as unknown as z.ZodType<V>;
}

/** A kind for the registry. */
export function register<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
>(kind: RunKind<V, E, U, O, R, P>): RegisteredKind {
  const { name, keys, schema, takesRuns } = kind;
  return {
    name,
    keys,
    schema,
    check(source, value, locate, diagnostics, schemes) {
      const experiment = checked(kind, source, value as V, locate, diagnostics, schemes);
      if (experiment === undefined) return undefined;
      return {
        kind: name,
        takesRuns,
        settings: experiment.settings,
        async run(options) {
          const results = await runKind(kind, experiment, options);
          const { notes, warnings, rows } = results;
          const table = withNotes(kind.table(rows), notes);
          return { json: resultsJson(results), table, notes, warnings };
        },
      };
    },
  };
}

/**
 * Reads and checks an experiment file of any of these kinds; undefined after errors, as {@link loadKind} adds them. The key
 * `kind` says which; without it the first kind that has one of the file's keys for its own, or else the first kind.
 */
export function loadAnyKind(
  input: string | SourceFile,
  diagnostics: Diagnostics,
  kinds: readonly [RegisteredKind, ...RegisteredKind[]],
  schemes: SchemeSet = SCHEMES,
): LoadedExperiment | undefined {
  const source = typeof input === "string" ? readSource(input, diagnostics) : input;
  if (source === undefined) return undefined;
  const names = kinds.map(({ name }) => name) as [string, ...string[]];
  let chosen: RegisteredKind = kinds[0];
  // The schema of an unknown kind accepts everything but its name, so that this is the only error.
  const known = z.looseObject({ kind: z.enum(names, { error: `expected one of ${names.join(", ")}` }) });
  const schemaOf = (contents: unknown): z.ZodType<unknown> => {
    if (typeof contents !== "object" || contents === null) return withSchemes(chosen.schema, schemes);
    const { kind } = contents as { kind?: unknown };
    if (kind !== undefined) {
      const named = kinds.find(({ name }) => name === kind);
      chosen = named ?? chosen;
      return named === undefined ? known : withSchemes(named.schema, schemes);
    }
    chosen = kinds.find(({ keys }) => keys.some((key) => key in contents)) ?? kinds[0];
    return withSchemes(chosen.schema, schemes);
  };
  const document = loadDocument(source, schemaOf, diagnostics);
  return document && chosen.check(source, document.value, document.locate, diagnostics, schemes);
}
