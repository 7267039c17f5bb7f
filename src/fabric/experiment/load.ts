/**
 * From an experiment file to a checked experiment of its kind, or to a sweep of them. All errors of the file are found here; errors
 * that only a combination of values causes are found before a sweep starts.
 */

import { z } from "zod";
import type { Diagnostics, Locate, SourceFile, Span } from "../../base/index.js";
import { type EditedContents, loadDocument, type OpenDocument } from "../../toolchain/documents/index.js";
import { SCHEMES } from "../schemes/index.js";
import { CODES } from "./codes.js";
import { type FabricExperiment, type FabricSettings, type SchemeSet, schemesSchema } from "./experiment.js";
import { FabricCache } from "./fabric-cache.js";
import { type KindOfFile, kindOfFile } from "./kind-of-file.js";
import type { ExperimentKind, Unit } from "./kinds/kind.js";
import type { CheckedFile, CheckMeans, ExperimentFile, LoadedExperiment, RegisteredKind } from "./loaded.js";
import { planSchemes } from "./plan-schemes.js";
import { collecting, type OpenExperiment, openExperiment, readSource } from "./read-source.js";
import { printedTable, resultsJson } from "./results.js";
import { runKind } from "./run.js";
import { kindPoints } from "./sweep/kind-points.js";
import { type LoadOptions, loadSweep } from "./sweep/load.js";
import { topologyOf } from "./topology-of.js";
import { textTable } from "./view/table.js";

/**
 * Reads and checks a file of one kind; undefined after errors, which `diagnostics` holds: P43001 to P43004 (the document's
 * form), P43005 to P43009 (its meaning), P43014, P43015 and P43020 to P43037 (flows and faults), P421xx and P422xx (topology and
 * schemes). The key `sweep` is checked and otherwise ignored: {@link loadAnyKind} makes a sweep of it.
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
  return checked(kind, source, document.value, document.locate, diagnostics, { schemes });
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
  { schemes, cache }: CheckMeans,
): E | undefined {
  return collecting(diagnostics, () => {
    const topology = topologyOf(value, source, locate, cache);
    const plan = (settings: FabricSettings, runs: number) =>
      planSchemes({ ...settings, runs }, topology, locate, diagnostics, schemes, cache);
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
>(kind: ExperimentKind<V, E, U, O, R, P>): RegisteredKind {
  const { name, keys, takesRuns } = kind;
  const points = kindPoints(kind);
  return {
    name,
    keys,
    takesRuns,
    schemaWith: (schemes) => withSchemes(kind.schema, schemes),
    check(source, value, locate, diagnostics, means) {
      const experiment = checked(kind, source, value as V, locate, diagnostics, means);
      if (experiment === undefined) return undefined;
      return {
        settings: experiment.settings,
        point: (runs) => points.point(experiment, runs),
        run:
          kind.rowsOfSeeds !== undefined
            ? undefined
            : async (options) => {
                const results = await runKind(kind, experiment, options);
                const { notes, warnings, rows, engine } = results;
                const table = printedTable(
                  textTable(kind.view.columns, rows),
                  notes,
                  experiment.settings,
                  engine,
                );
                return { json: resultsJson(results), table, notes, warnings };
              },
      };
    },
    output: points.output,
  };
}

/**
 * Reads and checks an experiment file of any of these kinds; undefined after errors, as {@link loadKind} adds them, and P43040
 * and P43041 for the key `sweep`. The key `kind` gives the kind; without it, {@link kindOfFile} finds it from the file's keys and the
 * swept ones, or P43065 names the candidates.
 */
export function loadAnyKind(
  input: string | SourceFile,
  diagnostics: Diagnostics,
  kinds: readonly [RegisteredKind, ...RegisteredKind[]],
  schemes: SchemeSet = SCHEMES,
  options: LoadOptions = {},
): LoadedExperiment | undefined {
  const opened = openExperiment(input, diagnostics);
  return opened && loadOpened(opened, diagnostics, kinds, schemes, options);
}

/** As {@link loadAnyKind}, of a file that is open. */
export function loadOpened(
  { source, document }: OpenExperiment,
  diagnostics: Diagnostics,
  kinds: readonly [RegisteredKind, ...RegisteredKind[]],
  schemes: SchemeSet,
  options: LoadOptions = {},
): LoadedExperiment | undefined {
  const means: CheckMeans = { schemes, cache: new FabricCache() };
  const file: ExperimentFile = {
    source,
    document,
    schemes,
    check: (edited, list) => checkFile(document, source, kinds, means, edited, list),
  };
  if (hasSweep(document)) return loadSweep(file, diagnostics, options);
  const single = file.check(undefined, diagnostics);
  if (single === undefined) return undefined;
  const { kind, checked } = single;
  if (checked.run === undefined) return loadSweep(file, diagnostics, options);
  const { name, takesRuns } = kind;
  return { kind: name, takesRuns, settings: checked.settings, run: checked.run };
}

function hasSweep({ contents }: OpenDocument): boolean {
  return typeof contents === "object" && contents !== null && "sweep" in contents;
}

function checkFile(
  document: OpenDocument,
  source: SourceFile,
  kinds: readonly [RegisteredKind, ...RegisteredKind[]],
  means: CheckMeans,
  edited: EditedContents | undefined,
  diagnostics: Diagnostics,
): { kind: RegisteredKind; checked: CheckedFile } | undefined {
  const names = kinds.map(({ name }) => name) as [string, ...string[]];
  let chosen: RegisteredKind = kinds[0];
  let unclear: Extract<KindOfFile, { candidates: unknown }> | undefined;
  // The schema of an unknown kind accepts everything but its name, so that this is the only error.
  const known = z.looseObject({ kind: z.enum(names, { error: `expected one of ${names.join(", ")}` }) });
  const schemaOf = (contents: unknown): z.ZodType<unknown> => {
    if (typeof contents !== "object" || contents === null) return chosen.schemaWith(means.schemes);
    const { kind } = contents as { kind?: unknown };
    if (kind !== undefined) {
      const named = kinds.find(({ name }) => name === kind);
      chosen = named ?? chosen;
      return named === undefined ? known : named.schemaWith(means.schemes);
    }
    const found = kindOfFile(contents as Record<string, unknown>, kinds, means.schemes);
    if ("candidates" in found) {
      unclear = found;
      return z.unknown();
    }
    chosen = found.kind;
    return chosen.schemaWith(means.schemes);
  };
  const value = document.check(schemaOf, diagnostics, edited);
  if (unclear !== undefined) {
    kindIsUnclear(unclear, value?.locate([unclear.key]), diagnostics);
    return undefined;
  }
  const checked = value && chosen.check(source, value.value, value.locate, diagnostics, means);
  return checked && { kind: chosen, checked };
}

function kindIsUnclear(
  { candidates, key }: Extract<KindOfFile, { candidates: unknown }>,
  span: Span | undefined,
  diagnostics: Diagnostics,
): void {
  const names = candidates.map(({ name }) => name);
  const [first, ...others] = candidates.map(
    ({ name, keys }) => `kind: ${name} (${keys.map((one) => `\`${one}\``).join(", ")})`,
  );
  diagnostics.error(
    CODES.unclearKind,
    span,
    `the file does not say its kind, and \`${key}\` does not decide: it may be of the kind ${names.join(" or ")}`,
    `write one of them, here with the keys that lead to it: ${[first, ...others].join("; ")}`,
  );
}
