/**
 * A kind of experiment without packets: it needs the topology alone, and boots no fabric. It always runs as a sweep: without the key
 * `sweep` of one point and the file's seed. So its points run on worker processes, in shards, and are resumed as those of other sweeps.
 */
import type { z } from "zod";
import { type Diagnostics, fail, type Locate, type SourceFile } from "../../../base/index.js";
import type { Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { breather } from "../engine.js";
import type { CommonSettings, SchemeSet } from "../experiment.js";
import type { FabricCache } from "../fabric-cache.js";
import type { RegisteredKind } from "../loaded.js";
import { collecting } from "../read-source.js";
import { resultsJson, type SweepPoint, withNotes } from "../results.js";
import { settingsOfUnit } from "../sweep/dependencies.js";
import type { Point } from "../sweep/point.js";
import { topologyOf } from "../topology-of.js";
import { rowsCsv } from "../view/csv.js";
import { drawnFiles } from "../view/draw.js";
import { textTable } from "../view/table.js";
import type { View } from "../view/view.js";

/** A part of an experiment that does not depend on other parts. */
export interface TopologyUnit {
  /** Label of its scheme. */
  readonly scheme: string;
  /** Unique within its scheme. */
  readonly name: string;
  /** Number of steps that it reports; also its weight compared with others. */
  readonly steps: number;
  /** What its outcome depends on in addition to the settings of the file, as JSON. */
  readonly dependsOn: unknown;
}

/** Input of a check: the file after its schema. */
export interface TopologyCheck<V> {
  readonly source: SourceFile;
  readonly value: V;
  readonly topology: Topology;
  readonly locate: Locate;
  readonly diagnostics: Diagnostics;
  readonly schemes: SchemeSet;
  /** Caches plans of schemes, where several files are checked. */
  readonly cache: FabricCache | undefined;
}

export interface TopologyStage {
  readonly seed: number;
  /** A step of the unit is done: reports progress, and lets signals of the process be handled. Rejects when the run is stopped. */
  stepDone(): Promise<void>;
  /** As {@link stepDone}, for parts of a unit that are not reported. */
  breathe(): Promise<void>;
}

/** `E`: the checked experiment. `U`: a unit. `O`: the outcome of a unit. `R`: a row of the result table. */
export interface TopologyKind<
  V extends CommonSettings,
  E extends { readonly settings: CommonSettings },
  U extends TopologyUnit,
  O,
  R extends object,
> {
  /** Value of the key `kind` in files. */
  readonly name: string;
  /** Files without the key `kind` are of this kind when they have one of these keys. */
  readonly keys: readonly string[];
  /** Schema of the whole file, which may name these schemes. */
  schema(schemes: SchemeSet): z.ZodType<V>;
  /** Checks the meaning of the file. Errors go to the context's diagnostics; after an error the experiment must not be used. */
  check(context: TopologyCheck<V>): E;
  /** In the order of the results. */
  units(experiment: E): readonly U[];
  run(experiment: E, unit: U, stage: TopologyStage): Promise<O>;
  /** Outcomes as JSON and back, to cross processes and files. */
  readonly portable: { toJson(outcome: O): unknown; fromJson(json: unknown): O };
  /** Rows of one unit and seed; the key `seed` and swept keys are added. */
  rows(experiment: E, unit: U, outcome: O): readonly R[];
  /** What a reader must know about how the results were made, one sentence each. */
  notes(experiment: E): readonly string[];
  /** Its table, page, figures, and files in addition to `results.json`, `results.csv` and `points.jsonl`. */
  readonly view: View<E, U, O, R>;
}

/** A kind for the registry. */
export function registerTopologyKind<
  V extends CommonSettings,
  E extends { readonly settings: CommonSettings },
  U extends TopologyUnit,
  O,
  R extends object,
>(kind: TopologyKind<V, E, U, O, R>): RegisteredKind {
  const typed = new WeakMap<Point, { experiment: E; units: readonly U[] }>();
  const pointOf = (experiment: E): Point => {
    const units = kind.units(experiment);
    const point: Point = {
      units,
      async checkOnLab(engine) {
        fail(
          CODES.simulatorOnly,
          undefined,
          `experiments of the kind ${kind.name} send no packets: engine ${engine} has nothing to run`,
          "leave the engine out, or write --engine sim",
        );
      },
      dependencies: (unit) => {
        const { scheme, name, dependsOn } = units[unit]!;
        return settingsOfUnit(kind.name, experiment.settings, undefined, { scheme, name, dependsOn });
      },
      async run(unit, seed, { stop, step }) {
        const breathe = breather(stop);
        const stepDone = async () => {
          step();
          await breathe();
        };
        const outcome = await kind.run(experiment, units[unit]!, { seed, stepDone, breathe });
        return { outcome: kind.portable.toJson(outcome) };
      },
    };
    typed.set(point, { experiment, units });
    return point;
  };
  return {
    name: kind.name,
    keys: kind.keys,
    takesRuns: false,
    schemaWith: (schemes) => kind.schema(schemes),
    check(source, value, locate, diagnostics, { schemes, cache }) {
      const experiment = collecting(diagnostics, () => {
        const settings = value as V;
        const topology = topologyOf(settings, source, locate, cache);
        return kind.check({ source, value: settings, topology, locate, diagnostics, schemes, cache });
      });
      if (experiment === undefined) return undefined;
      return { settings: experiment.settings, point: () => pointOf(experiment), run: undefined };
    },
    async output({ name, engine, seed, keys, seeds, points: finished, notes: runNotes, warnings }) {
      const points = finished.map(({ values, point, outcomes }): SweepPoint<E, U, O, R> => {
        const { experiment, units } = typed.get(point)!;
        return {
          values,
          experiment,
          units: units.map((unit, i) => {
            const own = outcomes[i]!.map((one) => kind.portable.fromJson(one.outcome));
            const ownSeeds = outcomes[i]!.map((one) => one.seed);
            const rows = own.flatMap((outcome, n) =>
              kind
                .rows(experiment, unit, outcome)
                .map((row) => ({ scheme: unit.scheme, ...values, seed: ownSeeds[n]!, ...row })),
            );
            return { unit, seeds: ownSeeds, outcomes: own, rows };
          }),
        };
      });
      const notes = [
        ...new Set([...points.flatMap(({ experiment }) => kind.notes(experiment)), ...runNotes]),
      ];
      const rows = points.flatMap(({ units }) => units.flatMap((unit) => unit.rows));
      const json = resultsJson({ experiment: name, seed, engine, rows, notes, warnings });
      const sweep = { name, seed, engine, keys, seeds, points, rows, notes, warnings, programs: [] };
      return {
        json,
        table: withNotes(textTable(kind.view.columns, rows, keys), notes),
        notes,
        warnings,
        files: [
          ["results.json", json],
          ["results.csv", rowsCsv(rows)],
          ...(await drawnFiles(kind.view, sweep)),
        ],
      };
    },
  };
}
