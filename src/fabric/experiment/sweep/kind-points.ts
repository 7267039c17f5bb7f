/** Hides the types of a kind behind points whose outcomes are JSON, and makes the results of a sweep of them. */
import { given } from "../../../base/index.js";
import { CompiledPrograms, ProgramCompiler } from "../boot.js";
import type { FabricExperiment, FabricSettings } from "../experiment.js";
import type { ExperimentKind, Unit } from "../kinds/kind.js";
import { printedTable, resultsJson, type SweepPoint, schemeNotes } from "../results.js";
import { labOf, refuseSeeing } from "../run.js";
import type { SchemeRun } from "../scheme-run.js";
import { seeingOf } from "../seeing/request.js";
import { rowsCsv } from "../view/csv.js";
import { drawnFiles } from "../view/draw.js";
import { textTable } from "../view/table.js";
import { dependenciesOf } from "./dependencies.js";
import type { FinishedSweep, JobContext, JobLab, JobOutcome, Point, SweepOutput } from "./point.js";
import { counted, pointName } from "./words.js";

export interface KindPoints<E> {
  /** `runs`: in place of those of the file and its schemes. */
  point(experiment: E, runs?: number): Point;
  /** Results of points that {@link point} made. */
  output(sweep: FinishedSweep): Promise<SweepOutput>;
}

export function kindPoints<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
>(kind: ExperimentKind<V, E, U, O, R, P>): KindPoints<E> {
  const typed = new WeakMap<Point, { experiment: E; units: readonly U[] }>();
  let compiled: { programs: CompiledPrograms; p4c: string | undefined } | undefined;
  return {
    point(file, runs) {
      const experiment =
        runs === undefined ? file : { ...file, schemes: file.schemes.map((one) => ({ ...one, runs })) };
      const units = kind.units(experiment);
      const kindOwn = kind.dependsOn?.(experiment);
      const point: Point = {
        units: units.map(({ scheme, name, steps }) => ({ scheme: scheme.label, name, steps })),
        async checkOnLab(engine, stop) {
          if (seeingOf(experiment.settings.see) !== undefined)
            refuseSeeing(engine, experiment.locate(["see"]));
          const { checkOnLab } = await import("../testbed/run.js");
          await checkOnLab(await labOf(kind, experiment, engine), experiment, engine, stop);
        },
        dependencies: (unit) => dependenciesOf(kind.name, experiment, units[unit]!, kindOwn),
        async run(unit, seed, { p4c, seeing, stop, lab, step }) {
          if (lab !== undefined)
            return await runOnLab(kind, experiment, units[unit]!, seed, { p4c, stop, lab, step });
          const { runUnitOnSimulator } = await import("../on-simulator.js");
          // One process compiles a program once, whatever jobs it gets.
          if (compiled === undefined || compiled.p4c !== p4c)
            compiled = { programs: new CompiledPrograms(), p4c };
          const request = seeingOf(experiment.settings.see, seeing.request);
          const means = {
            ...{ p4c, compiled: compiled.programs, stop, step },
            ...(request === undefined ? {} : { seeing: { ...seeing, request } }),
          };
          const made = await runUnitOnSimulator(kind, experiment, units[unit]!, seed, means);
          const { outcome, log, notes } = made;
          return {
            outcome: kind.portable.toJson(outcome),
            ...given({ log }),
            ...(notes.length === 0 ? {} : { notes }),
          };
        },
      };
      typed.set(point, { experiment, units });
      return point;
    },

    async output(finished) {
      const { name, engine, seed, keys, seeds } = finished;
      const points = finished.points.map(({ values, point, outcomes }): SweepPoint<E, U, O, R> => {
        const { experiment, units } = typed.get(point)!;
        return {
          values,
          experiment,
          units: units.map((unit, i) => {
            const own = outcomes[i]!.map((one) => kind.portable.fromJson(one.outcome, unit, experiment));
            const ownSeeds = outcomes[i]!.map((one) => one.seed);
            const rows: readonly R[] =
              kind.rowsOfSeeds === undefined
                ? own.flatMap((outcome, n) =>
                    kind
                      .rows(experiment, outcome, engine)
                      .map((row) => withKeys(row, { ...values, seed: ownSeeds[n]! })),
                  )
                : own.length === 0
                  ? []
                  : kind
                      .rowsOfSeeds(experiment, unit, own, ownSeeds, engine)
                      .map((row) => withKeys(row, values));
            return { unit, seeds: ownSeeds, outcomes: own, rows };
          }),
        };
      });
      const outcomes = points.flatMap(({ units }) => units.flatMap((unit) => unit.outcomes));
      const side = engine === "sim" ? undefined : await kind.lab?.();
      const ofUnits = points.flatMap(({ values, experiment, units }) =>
        units.flatMap(({ unit, outcomes }) =>
          notesAt(values, kind.warnings?.(experiment, unit, outcomes) ?? []),
        ),
      );
      const warnings = [
        ...finished.warnings,
        ...(side?.warnings(outcomes) ?? []),
        ...fewOf(ofUnits, "warning"),
      ];
      const all = points.flatMap(({ experiment }) => experiment.schemes);
      const { programs, notes: ofPrograms } = programsOf(points);
      const unitNotes = points.flatMap(({ values, units }) =>
        units.flatMap(({ unit, outcomes }) => notesAt(values, kind.notes?.(unit, outcomes) ?? [])),
      );
      const notes = [...schemeNotes(all), ...finished.notes, ...ofPrograms, ...fewOf(unitNotes, "note")];
      const rows = points.flatMap(({ units }) => units.flatMap((unit) => unit.rows));
      const sweep = { name, seed, engine, keys, seeds, points, rows, notes, warnings, programs };
      const json = resultsJson({ experiment: name, seed, engine, rows, notes, warnings });
      return {
        json,
        table: printedTable(
          kind.rowsOfSeeds === undefined
            ? tablesOf(points, (part) => textTable(kind.view.columns, part))
            : textTable(kind.view.columns, rows, keys),
          notes,
          points[0]!.experiment.settings,
          engine,
        ),
        notes,
        warnings,
        files: [
          ["results.json", json],
          ["results.csv", rowsCsv(rows)],
          ...(await drawnFiles(kind.view, sweep)),
          ...programs.map(({ file, text }) => [`programs/${file}`, text] as const),
        ],
      };
    },
  };
}

/** One unit on a lab of its own. */
async function runOnLab<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
>(
  kind: ExperimentKind<V, E, U, O, R, P>,
  experiment: E,
  unit: U,
  seed: number,
  { p4c, stop, lab, step }: Pick<JobContext, "p4c" | "stop" | "step"> & { readonly lab: JobLab },
): Promise<JobOutcome> {
  const { runOnLab: run } = await import("../testbed/run.js");
  const { engine, testbed, folder } = lab;
  const own = { ...experiment, schemes: [unit.scheme] };
  const side = { units: () => [unit], lab: await labOf(kind, experiment, engine) };
  const context = {
    ...{ testbed, folder, stop, progress: (done: number) => done > 0 && step() },
    ...given({ p4c }),
  };
  const { series, notes, logs } = await run(side, own, engine, seed, context);
  const log = logs.flatMap(({ lines }) => lines);
  return {
    outcome: kind.portable.toJson(series[0]!),
    notes,
    ...(log.length === 0 ? {} : { log }),
  };
}

/** Notes, each with the name of its point where there are several points. */
function notesAt(values: Readonly<Record<string, unknown>>, notes: readonly string[]): readonly string[] {
  return Object.keys(values).length === 0 ? notes : notes.map((note) => `${pointName(values)}: ${note}`);
}

/** Maximum numbers of notes and of warnings on single points that are printed. */
const MAX_NOTES = 12;

function fewOf(notes: readonly string[], noun: "note" | "warning"): readonly string[] {
  const left = notes.length - MAX_NOTES;
  return left <= 0
    ? notes
    : [...notes.slice(0, MAX_NOTES), `${counted(left, `further ${noun}`)} on other points.`];
}

/** A row with the swept keys after its scheme. A key of the row itself keeps the row's value. */
function withKeys<R extends object>(row: R, values: Readonly<Record<string, unknown>>): R {
  const { scheme } = row as { scheme?: unknown };
  return { ...given({ scheme }), ...values, ...row };
}

/** The table of a kind whose rows are of one seed has no column for swept keys: each point and seed has a table of its own. */
function tablesOf<E, U, O, R extends object>(
  points: readonly SweepPoint<E, U, O, R>[],
  table: (rows: readonly R[]) => string,
): string {
  const tables = points.flatMap(({ values, units }) => {
    const own = units.flatMap((unit) => unit.rows);
    const seedOf = (row: R) => (row as { seed?: unknown }).seed;
    return [...new Set(own.map(seedOf))].map((seed) => {
      const part = own.filter((row) => seedOf(row) === seed);
      return `${pointName({ ...values, seed })}\n${table(part)}`;
    });
  });
  const shown = tables.slice(0, MAX_TABLES).join("\n\n");
  const left = tables.length - MAX_TABLES;
  return left <= 0 ? shown : `${shown}\n\n${counted(left, "more table")}: results.csv has all rows`;
}

/** Maximum number of tables that are printed, one below the other. */
const MAX_TABLES = 20;

/**
 * The programs of all points, and what a reader must know about them. If a later point has another text for a file name, that text is
 * in a folder of the point.
 */
function programsOf<E extends FabricExperiment>(
  points: readonly { readonly experiment: E }[],
): { programs: { file: string; text: string }[]; notes: string[] } {
  const files = new Map<string, string>();
  const notes = new Set<string>();
  const rendered = new WeakMap<SchemeRun["plan"], Set<string>>();
  for (const [number, { experiment }] of points.entries()) {
    const { ecn_threshold: ecnThreshold } = experiment.settings.queues;
    for (const scheme of experiment.schemes) {
      // Plans that points share have the same programs.
      const known = rendered.get(scheme.plan) ?? new Set();
      const key = `${scheme.label} ${ecnThreshold}`;
      if (known.has(key)) continue;
      rendered.set(scheme.plan, known.add(key));
      const compiler = new ProgramCompiler({ ecnThreshold });
      compiler.render(scheme);
      for (const note of compiler.notes) notes.add(note);
      for (const { file, text } of compiler.sources) {
        const before = files.get(file);
        if (before === undefined) files.set(file, text);
        else if (before !== text) files.set(`point-${number + 1}/${file}`, text);
      }
    }
  }
  return { programs: [...files].map(([file, text]) => ({ file, text })), notes: [...notes] };
}
