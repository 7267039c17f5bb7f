/**
 * What the pipeline makes of a kind: how its units run (on a fabric, or from the topology alone), points whose outcomes are JSON, which hide its
 * types, and the results of a sweep of them. The three are met together in every run, and therefore in one file.
 */
import { DiagnosticError, defined, fail, given, type Locate, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import {
  type CommonSettings,
  type EngineName,
  type FabricExperiment,
  type SchemeRun,
  seeingOf,
  type WireName,
  wireModel,
  wireText,
} from "../experiment.js";
import { collecting } from "../files.js";
import { checkFlowControl } from "../flow-control.js";
import { checkTrimmedSchemes, checkTrimming } from "../packet-trimming.js";
import { planSchemes, topologyOf } from "../plan-schemes.js";
import type { FileText, RunResults, SchemeLog, SweepPoint, SweepResults } from "../results.js";
import { breather, dependenciesOf } from "../sweep/jobs.js";
import { counted, fileWord, pointName } from "../sweep/space.js";
import { drawnFiles } from "../view/drawn-files.js";
import { rowsCsv, textTable } from "../view/parts.js";
import type {
  CheckedExperiment,
  FileToCheck,
  FinishedPoint,
  FinishedSweep,
  Kind,
  Point,
  RegisteredKind,
  Runner,
  SchemeUnit,
  SeedRuns,
  SimulatorStage,
  SweepOutput,
  TestbedSide,
  Unit,
} from "./kind.js";

/** A kind for the registry. */
export function register<
  V extends CommonSettings,
  E extends CheckedExperiment,
  U extends Unit,
  O,
  R extends object,
>(kind: Kind<V, E, U, O, R>): RegisteredKind {
  const typed = new TypedKind(kind);
  const { name, keys, takesRuns } = kind;
  return {
    name,
    keys,
    takesRuns,
    isOneRun: kind.isOneRun === true,
    schema: (schemes) => kind.schema(schemes),
    check(file) {
      const experiment = checkedOf(kind, file);
      return experiment && typed.point(experiment);
    },
    output: async (sweep) => await typed.output(await typed.results(sweep)),
  };
}

/** Checks a file of a kind. Undefined after errors, which go to the diagnostics of the file. */
export function checkedOf<
  V extends CommonSettings,
  E extends CheckedExperiment,
  U extends Unit,
  O,
  R extends object,
>(
  kind: Kind<V, E, U, O, R>,
  { source, value, locate, diagnostics, schemes, cache }: FileToCheck,
): E | undefined {
  return collecting(diagnostics, () => {
    const topology = topologyOf(value as V, source, locate, cache);
    // Kinds without packets have no queues.
    const machine = value as FabricExperiment["settings"];
    const hasQueues = (value as Partial<FabricExperiment["settings"]>).queues !== undefined;
    if (hasQueues) {
      checkFlowControl(machine, topology, wireModel(machine.wire), locate);
      checkTrimming(machine, locate);
    }
    return kind.check({
      ...{ source, value: value as V, topology, locate, diagnostics },
      plan: (settings, runs) => {
        const context = { locate, diagnostics, schemes, cache };
        const planned = planSchemes({ ...settings, runs }, topology, context);
        if (hasQueues) checkTrimmedSchemes(machine, planned, locate, diagnostics);
        return planned;
      },
    });
  });
}

/** Points of a kind, and their results. */
export class TypedKind<
  V extends CommonSettings,
  E extends CheckedExperiment,
  U extends Unit,
  O,
  R extends object,
> {
  readonly #kind: Kind<V, E, U, O, R>;
  readonly #known = new WeakMap<Point, { readonly experiment: E; readonly units: readonly U[] }>();

  constructor(kind: Kind<V, E, U, O, R>) {
    this.#kind = kind;
  }

  point(experiment: E): Point {
    const { name, runner, portable, dependsOn } = this.#kind;
    const units = this.#kind.units(experiment);
    const until = this.#kind.until?.(experiment);
    const point: Point = {
      settings: experiment.settings,
      units: units.map(({ scheme, name: unit, steps }) => ({ scheme: scheme.label, name: unit, steps })),
      ...given({
        until: until && {
          rule: until.rule,
          figure: (unit: number, outcome: unknown) =>
            until.figure(
              portable === undefined
                ? (outcome as O)
                : portable.fromJson(outcome, defined(units[unit]), experiment),
            ),
        },
      }),
      withRuns: (runs) => this.point(withRuns(experiment, runs)),
      dependencies: (unit) =>
        dependenciesOf(
          name,
          experiment.settings,
          defined(units[unit]),
          dependsOn?.(experiment, defined(units[unit])),
        ),
      checkOnTestbed: (engine, stop) => runner.check(experiment, engine, { kind: name, stop }),
      async run(numbers, job) {
        const own = numbers.map((unit) => defined(units[unit]));
        const ran = await runner.run(experiment, own, { ...job, kind: name });
        return portable === undefined ? ran : { ...ran, outcomes: ran.outcomes.map(portable.toJson) };
      },
    };
    this.#known.set(point, { experiment, units });
    return point;
  }

  /** The results of points of this kind. */
  async results(finished: FinishedSweep): Promise<SweepResults<E, U, O, R>> {
    const kind = this.#kind;
    const { name, engine, seed, keys, seeds } = finished;
    const points = finished.points.map((one) => this.#pointResults(one, finished));
    const ofUnits = (texts: (experiment: E, unit: U, outcomes: readonly O[]) => readonly string[]) =>
      points.flatMap(({ values, experiment, units }) =>
        units.flatMap(({ unit, outcomes }) => notesAt(values, texts(experiment, unit, outcomes))),
      );
    const outcomes = points.flatMap(({ units }) => units.flatMap((unit) => unit.outcomes));
    const { programs, notes: ofPrograms } = await kind.runner.programs(
      points.map(({ experiment }) => experiment),
    );
    const unitNotes = ofUnits((_experiment, unit, own) => kind.unitNotes?.(unit, own) ?? []);
    const warnings = ofUnits((experiment, unit, own) => kind.warnings?.(experiment, unit, own) ?? []);
    const ofPoints = points.flatMap(({ experiment }) => [
      ...kind.runner.notes(experiment),
      ...(kind.notes?.(experiment) ?? []),
    ]);
    return {
      ...{ name, engine, seed, keys, seeds, points, programs },
      namesSeeds: !finished.isOneRun,
      rows: points.flatMap(({ units }) => units.flatMap((unit) => unit.rows)),
      notes: [...new Set(ofPoints), ...finished.notes, ...ofPrograms, ...fewOf(unitNotes, "note")],
      warnings: [
        ...finished.warnings,
        ...(engine === "sim" ? [] : await kind.runner.testbedWarnings(outcomes)),
        ...fewOf(warnings, "warning"),
      ],
    };
  }

  #pointResults(
    { values, point, outcomes }: FinishedPoint,
    { engine, isOneRun }: FinishedSweep,
  ): SweepPoint<E, U, O, R> {
    const kind = this.#kind;
    const { experiment, units } = defined(this.#known.get(point));
    return {
      values,
      experiment,
      units: units.map((unit, i) => {
        const finished = defined(outcomes[i]);
        const own = finished.map(({ seed, outcome }) =>
          this.#outcomeOf(outcome, unit, experiment, [pointName(values), `seed ${seed}`]),
        );
        const seeds = finished.map(({ seed }) => seed);
        const rows =
          own.length === 0
            ? []
            : kind
                .rows(experiment, unit, own, { seeds, engine, namesSeeds: !isOneRun })
                .map((row) => withKeys(row, values));
        return { unit, seeds, outcomes: own, logs: finished.map(({ log }) => log), rows };
      }),
    };
  }

  /** The outcome of a record. Fails with P43043 where the record has the right key and another outcome: its file was changed. */
  #outcomeOf(json: unknown, unit: U, experiment: E, place: readonly string[]): O {
    const { portable } = this.#kind;
    try {
      return portable === undefined ? (json as O) : portable.fromJson(json, unit, experiment);
    } catch (error) {
      if (error instanceof DiagnosticError) throw error;
      const job = [...place, unit.scheme.label, unit.name].filter((word) => word !== "").join(", ");
      fail(
        CODES.cannotKeepJobs,
        undefined,
        `the record of a finished job has no outcome of the kind ${this.#kind.name}: ${job}: ${(error as Error).message}`,
        "its points.jsonl was changed: remove that line, or run the sweep again without --resume",
      );
    }
  }

  /** The results of one point under one seed, as those of a single run of it. */
  async only(
    sweep: SweepResults<E, U, O, R>,
    { point, seed }: RunOfSweep<E, U, O, R>,
  ): Promise<SweepResults<E, U, O, R>> {
    const { runner } = this.#kind;
    const { experiment } = point;
    const runs = { seeds: [seed], engine: sweep.engine, namesSeeds: false };
    const units = point.units.flatMap(({ unit, seeds, outcomes: all, logs }) => {
      const i = seeds.indexOf(seed);
      if (i < 0) return [];
      const outcomes = [defined(all[i])];
      const rows = this.#kind.rows(experiment, unit, outcomes, runs);
      return [{ unit, seeds: [seed], outcomes, logs: [logs[i]], rows }];
    });
    const { programs } = sweep.points.length === 1 ? sweep : await runner.programs([experiment]);
    return {
      ...sweep,
      ...{ seed, keys: [], seeds: [seed], namesSeeds: false, programs },
      points: [{ values: {}, experiment, units }],
      rows: units.flatMap(({ rows }) => rows),
    };
  }

  async output(sweep: SweepResults<E, U, O, R>): Promise<SweepOutput> {
    const { engine, seed, name: experiment, keys, points, rows, notes, warnings, programs } = sweep;
    const { isOneRun, view } = this.#kind;
    const json = resultsJson({ experiment, seed, engine, rows, notes, warnings });
    const table =
      isOneRun && sweep.namesSeeds
        ? tablesOf(points, (own) => textTable(view.columns, own))
        : textTable(view.columns, rows, keys);
    return {
      json,
      table: printedTable(table, notes, defined(points[0]).experiment.settings, engine),
      notes,
      warnings,
      files: [
        ["results.json", json],
        ["results.csv", rowsCsv(rows)],
        ...(await drawnFiles(view, sweep)),
        ...(await this.#filesOfRuns(sweep)),
        ...programs.map(({ file, text }) => [`programs/${file}`, text] as const),
      ],
    };
  }

  /** Files of the first runs. Those of a sweep of one run are beside the others, which have been drawn. */
  async #filesOfRuns(sweep: SweepResults<E, U, O, R>): Promise<(readonly [name: string, text: FileText])[]> {
    const { isOneRun, view } = this.#kind;
    const runs = runsOf(sweep);
    if (runs.length === 1) return logFiles(logsOf(defined(sweep.points[0])));
    const files: (readonly [name: string, text: FileText])[] = [];
    for (const run of runs.slice(0, MAX_RUNS)) {
      const results = await this.only(sweep, run);
      const own = [
        ...(isOneRun ? await drawnFiles(view, results) : []),
        ...logFiles(logsOf(defined(results.points[0]))),
      ];
      files.push(...own.map(([file, text]) => [`runs/${run.name}/${file}`, text] as const));
    }
    return files;
  }
}

/** Logs of the controllers of a single run, by scheme. */
export function logsOf<E, U extends Unit, O, R>({ units }: SweepPoint<E, U, O, R>): SchemeLog[] {
  return units.flatMap(({ unit, logs: [lines] }) =>
    lines === undefined ? [] : [{ label: unit.scheme.label, lines }],
  );
}

/** One point under one seed. */
interface RunOfSweep<E, U, O, R> {
  /** Of the folder of its files: unique. */
  readonly name: string;
  readonly point: SweepPoint<E, U, O, R>;
  readonly seed: number;
}

/** Maximum number of runs of a sweep that have files of their own. */
export const MAX_RUNS = 20;

function runsOf<E, U, O, R>({ points, seeds }: SweepResults<E, U, O, R>): RunOfSweep<E, U, O, R>[] {
  return points
    .flatMap((point) => seeds.map((seed) => ({ point, seed })))
    .map(({ point, seed }, i) => {
      const words = [`${i + 1}`, pointName(point.values), `seed-${seed}`].filter((word) => word !== "");
      return { point, seed, name: fileWord(words.join("-")).slice(0, MAX_NAME) };
    });
}

/** Maximum length of the name of a run's folder. */
const MAX_NAME = 120;

function withRuns<E extends CheckedExperiment>(experiment: E, runs: number): E {
  const { schemes = [] } = experiment as { readonly schemes?: readonly object[] };
  return { ...experiment, schemes: schemes.map((scheme) => ({ ...scheme, runs })) };
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

/** The result file `controllers.log`, if there were controllers: each line begins with the label of its scheme. */
function logFiles(logs: readonly SchemeLog[]): [name: string, text: string][] {
  const lines = logs.flatMap(({ label, lines }) => lines.map((line) => `${label} ${line}\n`));
  return lines.length === 0 ? [] : [["controllers.log", lines.join("")]];
}

/** The text of `results.json` for rows of any kind; `notes` and `warnings` where there are any. */
export function resultsJson({
  experiment,
  seed,
  engine,
  rows,
  notes,
  warnings,
}: Omit<RunResults<unknown, unknown, object>, "source" | "series" | "logs" | "programs">): string {
  const document = {
    experiment,
    seed,
    engine,
    ...given({ notes: notes.length === 0 ? undefined : notes }),
    ...given({ warnings: warnings.length === 0 ? undefined : warnings }),
    rows,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A table for a terminal, with what a frame takes on a link of the simulator and the notes below it. */
function printedTable(
  table: string,
  notes: readonly string[],
  { wire }: CommonSettings & { readonly wire?: WireName },
  engine: EngineName,
): string {
  return withNotes(
    engine === "sim" && wire !== undefined ? `${table}\n\nwire: ${wireText(wire)}` : table,
    notes,
  );
}

/** A table for a terminal, with the notes below it. */
export function withNotes(table: string, notes: readonly string[]): string {
  return notes.length === 0 ? table : `${table}\n\n${notes.map((note) => `note: ${note}`).join("\n")}`;
}

/** The notes of all schemes, each once, in the order of the schemes. */
export function schemeNotes(schemes: readonly SchemeRun[]): string[] {
  return [...new Set(schemes.flatMap(({ plan }) => plan.notes ?? []))];
}

// The two ways in which the units of a kind run: over a fabric of packets, and from the topology alone.

/** How a kind runs on each engine. `P`: data prepared for a testbed. */
interface FabricSide<E extends FabricExperiment, U extends SchemeUnit, O, P> {
  onSimulator(experiment: E, unit: U, stage: SimulatorStage): Promise<O>;
  /** Absent: the kind runs only on the simulator. */
  readonly testbed?: () => Promise<TestbedSide<E, U, O, P>>;
}

/** Units that need a booted fabric. The compiler, the switch, gRPC and the rest of a testbed are loaded only when a run needs them. */
export function onFabric<E extends FabricExperiment, U extends SchemeUnit, O, P>({
  onSimulator,
  testbed,
}: FabricSide<E, U, O, P>): Runner<E, U, O> {
  /** Fails with P43019 for a kind that does not run on real switches. */
  const testbedSide = async (kind: string, engine: EngineName, locate: Locate) =>
    testbed === undefined
      ? fail(
          CODES.simulatorOnly,
          locate(["engine"]),
          `experiments of the kind ${kind} do not run on engine ${engine}`,
          "run it on the simulator: --engine sim",
        )
      : await testbed();
  /** Number of fault tables that the programs of a checked experiment have on a testbed. */
  const faultTables = new WeakMap<E, number>();
  return {
    async check(experiment, engine, { kind, stop }) {
      const { locate, settings } = experiment;
      if (seeingOf(settings.see) !== undefined) refuseSeeing(engine, locate(["see"]));
      const { checkOnTestbed } = await import("../testbed/run.js");
      const side = await testbedSide(kind, engine, locate);
      faultTables.set(experiment, await checkOnTestbed(side, experiment, engine, stop));
    },
    async run(experiment, units, job) {
      const { engine, kind } = job;
      if (engine === "sim") {
        const { runOnSimulator } = await import("../on-simulator.js");
        return await runOnSimulator(onSimulator, experiment, units, job);
      }
      const { runOnTestbed } = await import("../testbed/run.js");
      return await runOnTestbed(
        await testbedSide(kind, engine, experiment.locate),
        experiment,
        units,
        engine,
        job,
      );
    },
    async programs(experiments) {
      const { programsOf } = await import("../boot.js");
      return programsOf(experiments, (experiment) => faultTables.get(experiment));
    },
    notes: ({ schemes }) => schemeNotes(schemes),
    testbedWarnings: async (outcomes) => (await testbed?.())?.warnings(outcomes) ?? [],
  };
}

/** Throws DiagnosticError P43081. */
export function refuseSeeing(engine: EngineName, span?: Span): never {
  fail(
    CODES.seeingOnTestbed,
    span,
    `engine ${engine} does not trace flows, capture single links or write a timeline page of the run`,
    "the page and the traces need the lengths of queues and the flow of each packet, which real switches do not report",
    "run it on the simulator; on a testbed --pcap alone captures every port of every switch",
  );
}

/** What the computation of a unit gets from its job. */
export interface TopologyStage {
  readonly seed: number;
  /** A step of the unit is done: reports progress, and lets signals of the process be handled. Rejects when the run is stopped. */
  stepDone(): Promise<void>;
  /** As {@link stepDone}, for parts of a unit that are not reported. */
  breathe(): Promise<void>;
}

/** Units without packets: they need the topology alone. */
export function fromTopology<E, U extends Unit, O>(
  compute: (experiment: E, unit: U, stage: TopologyStage) => Promise<O>,
): Runner<E, U, O> {
  return {
    check: async (_experiment, engine, { kind }) =>
      fail(
        CODES.simulatorOnly,
        undefined,
        `experiments of the kind ${kind} send no packets: engine ${engine} has nothing to run`,
        "leave the engine out, or write --engine sim",
      ),
    async run(experiment, units, { kind, coverage, seed, stop, progress }) {
      if (coverage !== undefined)
        fail(
          CODES.simulatorOnly,
          undefined,
          `experiments of the kind ${kind} send no packets: they reach nothing of a program`,
          "ask for the coverage of an experiment with packets, such as the kind load or failover",
        );
      const breathe = breather(stop);
      const outcomes: O[] = [];
      for (const unit of units) {
        const stepDone = async () => {
          progress(1, `${unit.scheme.label}, ${unit.name}`);
          await breathe();
        };
        outcomes.push(await compute(experiment, unit, { seed, stepDone, breathe }));
      }
      return { outcomes, logs: [], notes: [] };
    },
    programs: async () => ({ programs: [], notes: [] }),
    notes: () => [],
    testbedWarnings: async () => [],
  };
}

/** Rows of a kind whose rows are of one seed: the seed follows the scheme. */
export function eachSeed<E, U extends Unit, O, R extends object>(
  rowsOf: (experiment: E, unit: U, outcome: O, engine: EngineName) => readonly R[],
): (experiment: E, unit: U, outcomes: readonly O[], runs: SeedRuns) => readonly R[] {
  return (experiment, unit, outcomes, { seeds, engine, namesSeeds }) =>
    outcomes.flatMap((outcome, i) =>
      rowsOf(experiment, unit, outcome, engine).map((row) =>
        namesSeeds ? { scheme: unit.scheme.label, seed: defined(seeds[i]), ...row } : row,
      ),
    );
}
