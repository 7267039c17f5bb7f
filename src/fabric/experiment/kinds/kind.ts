/**
 * A kind of experiment: the keys of its files, the units of its work, how a unit runs, and what its results look like. The pipeline under
 * all kinds reads the file and makes its points (`read.ts`), runs their units as jobs (`run.ts`), and makes the results
 * (`registered-kind.ts`). A single run is a sweep of one point.
 */
import type { z } from "zod";
import type { Diagnostics, Locate, SourceFile } from "../../../base/index.js";
import type { Signal } from "../../hosts/index.js";
import type { Fabric } from "../../sim/packet/index.js";
import type { SwitchEngine } from "../../testbed/index.js";
import type { Topology } from "../../topology/index.js";
import type { Steps } from "../advance.js";
import type { ControlPlane, SchemeLog } from "../control-plane.js";
import type { TestbedOptions } from "../engine.js";
import type { CommonSettings, EngineName, SchemeSet } from "../experiment.js";
import type { CompiledPrograms } from "../fabric-cache.js";
import type { SimulatorFaultOptions } from "../faults/on-simulator.js";
import type { PlanSettings } from "../plan-schemes.js";
import type { SchemeRun } from "../scheme-run.js";
import type { SeeingFolder } from "../seeing/seeing.js";
import type { SchemeOnLab } from "../testbed/scheme-on-lab.js";
import type { View } from "../view/view.js";

/** A part of an experiment that does not depend on other parts: it may run alone, and in any order within its scheme. */
export interface Unit {
  readonly scheme: { readonly label: string };
  /** Name in progress reports: unique within its scheme. */
  readonly name: string;
  /** Number of steps that it reports; also the weight of the unit, for the order and the estimate of a sweep. */
  readonly steps: number;
}

/** A unit of a planned scheme. */
export interface SchemeUnit extends Unit {
  readonly scheme: SchemeRun;
}

/** What the checked experiments of all kinds have. */
export interface CheckedExperiment {
  readonly source: SourceFile;
  readonly settings: CommonSettings;
  readonly topology: Topology;
}

/** Input of a kind's check: the file after its schema. */
export interface CheckContext<V> {
  readonly source: SourceFile;
  readonly value: V;
  readonly topology: Topology;
  readonly locate: Locate;
  readonly diagnostics: Diagnostics;
  /** Plans all schemes for the topology; errors go to `diagnostics`. `runs`: number of runs of schemes without their own. */
  plan(settings: Omit<PlanSettings, "runs">, runs: number): SchemeRun[];
}

/**
 * How the units of a kind run, on the simulator and on real switches, or from the topology alone: see `runners.ts`. `E`: the checked
 * experiment. `U`: a unit. `O`: the outcome of a unit.
 */
export interface Runner<E, U, O> {
  /** Throws DiagnosticError for what the experiment needs and an engine other than the simulator does not have. */
  check(
    experiment: E,
    engine: SwitchEngine,
    job: { readonly kind: string; readonly stop: AbortSignal },
  ): Promise<void>;
  /** Runs units one after the other: those of one scheme share a fabric. */
  run(experiment: E, units: readonly U[], job: JobContext): Promise<Ran<O>>;
  /** The generated programs of these experiments by file name, and what a reader must know about them. */
  programs(experiments: readonly E[]): Promise<{
    readonly programs: readonly { readonly file: string; readonly text: string }[];
    readonly notes: readonly string[];
  }>;
  /** What a reader must know about the schemes of an experiment, one sentence each. */
  notes(experiment: E): readonly string[];
  /** Why the outcomes on real switches may not describe the network, one sentence each. */
  labWarnings(outcomes: readonly O[]): Promise<readonly string[]>;
}

/** What a job needs from the process that runs it. */
export interface JobContext {
  /** Name of the kind. */
  readonly kind: string;
  readonly engine: EngineName;
  readonly seed: number;
  /** Path of p4c-bm2-ss; if given, it compiles the programs. */
  readonly p4c?: string | undefined;
  /** Programs that this process has compiled. */
  readonly compiled: CompiledPrograms;
  /** What is observed in addition to the file's key `see`; `name`: of its files; absent: the name of the scheme. */
  readonly seeing: SeeingFolder & { readonly name?: string };
  readonly testbed: TestbedOptions;
  /** For the logs of a lab. */
  readonly folder: string;
  readonly stop: AbortSignal;
  /** So many further steps are done; `what`: the work. */
  progress(steps: number, what: string): void;
}

/** The outcomes of units, in their order. */
export interface Ran<O> {
  readonly outcomes: readonly O[];
  /** Logs of the controllers, for each scheme that has any. */
  readonly logs: readonly SchemeLog[];
  /** What a reader must know about how the outcomes were made, one sentence each. */
  readonly notes: readonly string[];
}

/** What both engines provide to a unit. */
interface Stage {
  readonly seed: number;
  /** A part of the unit is done: reports progress, and lets signals of the process be handled. Rejects when the run is stopped. */
  stepDone(): Promise<void>;
}

/** A booted fabric in the simulator. Units of one scheme share it; each must leave it as it was, or be the last. */
export interface SimulatorStage extends Stage {
  readonly fabric: Fabric;
  /** The controllers that run, if the scheme has any. */
  readonly plane: ControlPlane | undefined;
  /** Effects of faults on the process of a switch. */
  readonly power: Omit<SimulatorFaultOptions, "random">;
  /** Advances virtual time as the steps ask; throws when a controller fails. */
  play<T>(steps: Steps<T>): Promise<T>;
  /** A sentence on this run that a reader of its results must know. */
  note(text: string): void;
  /** As {@link stepDone}, for parts of a unit that are not reported. */
  breathe(): Promise<void>;
}

/** A lab whose switches and hosts run the scheme of the unit. */
export interface LabStage<P> extends Stage {
  readonly fabric: SchemeOnLab;
  /** A unit starts the controllers before its traffic; they are stopped after the last unit, or earlier at the request of a unit. */
  readonly controllers: { start(): Promise<void>; stop(): Promise<void> };
  /** Result of {@link LabSide.prepare} for the scheme. */
  readonly prepared: P;
}

/** How a kind runs on real switches. */
export interface LabSide<E, U, O, P> {
  /** Fails with P43018 for faults that the engine cannot inject; otherwise returns the number of fault tables that programs need. */
  check(experiment: E, engine: SwitchEngine, stop: AbortSignal): Promise<number>;
  /** Whether the file may describe TCP: `check` has refused what the kernel's TCP does not support. */
  readonly kernelTcp?: boolean;
  /** Whether the hosts of a scheme send without an agent between their kernel and the wire; absent: never. */
  direct?(experiment: E, scheme: SchemeRun): boolean;
  /** Signals that host policies cannot get in this experiment, each with advice; absent: they can get all. */
  missingSignals?(experiment: E): ReadonlyMap<Signal, string>;
  /** Called for each scheme before anything starts. `boot`: boots the scheme in the simulator, with the same programs and state. */
  prepare(experiment: E, scheme: SchemeRun, seed: number, boot: () => Promise<Fabric>): Promise<P>;
  run(experiment: E, unit: U, stage: LabStage<P>): Promise<O>;
  /** Why figures may not describe the network, one sentence each. */
  warnings(outcomes: readonly O[]): string[];
}

/** Rows of a unit: the outcomes of its seeds, and how the results name them. */
export interface SeedRuns {
  /** The seed of each outcome. */
  readonly seeds: readonly number[];
  readonly engine: EngineName;
  /** Whether rows of one seed name it: those of a single run do not. */
  readonly namesSeeds: boolean;
}

/**
 * `V`: the file after its schema. `E`: the checked experiment. `U`: a unit. `O`: the outcome of a unit. `R`: a row of the result table.
 */
export interface Kind<
  V extends CommonSettings,
  E extends CheckedExperiment,
  U extends Unit,
  O,
  R extends object,
> {
  /** Value of the key `kind` in files. */
  readonly name: string;
  /** Files without the key `kind` are of this kind when they have one of these keys; the first kind takes the others. */
  readonly keys: readonly string[];
  /** Whether the kind accepts `--runs`. */
  readonly takesRuns: boolean;
  /** Schema of the whole file, which may name these schemes. */
  schema(schemes: SchemeSet): z.ZodType<V>;
  /** Checks the meaning of the file. Errors go to the context's diagnostics; after an error the experiment must not be used. */
  check(context: CheckContext<V>): E;
  /** In the order of the results; those of one scheme follow each other. */
  units(experiment: E): readonly U[];
  readonly runner: Runner<E, U, O>;
  /** Converts outcomes to JSON and back, for processes and files. Absent: an outcome is JSON. */
  readonly portable?: {
    toJson(outcome: O): unknown;
    fromJson(json: unknown, unit: U, experiment: E): O;
  };
  /**
   * What the outcome of a unit depends on in addition to the settings, the scheme and the seed, as JSON: digests of files that the
   * experiment reads while it runs. A continued sweep runs jobs again when it has changed.
   */
  dependsOn?(experiment: E, unit: U): unknown;
  /** Rows of one unit, of all its seeds together or one after the other (`eachSeed` of `runners.ts`). Swept keys are added. */
  rows(experiment: E, unit: U, outcomes: readonly O[], runs: SeedRuns): readonly R[];
  /** What a reader must know about how the results were made, in addition to the notes of its schemes, one sentence each. */
  notes?(experiment: E): readonly string[];
  /** What a reader must know about the outcomes of a unit under all its seeds, one sentence each. */
  unitNotes?(unit: U, outcomes: readonly O[]): readonly string[];
  /** Why the figures of a unit under all its seeds may mislead, one sentence each. */
  warnings?(experiment: E, unit: U, outcomes: readonly O[]): readonly string[];
  /** Its table, page, figures, and files in addition to `results.json`, `results.csv`, `points.jsonl`, `controllers.log` and `programs/`. */
  readonly view: View<E, U, O, R>;
  /**
   * Whether a file without the key `sweep` is one run: the units of a scheme share a fabric, and a mistake that a unit finds ends all. Each
   * point and seed of a sweep then has a table of its own, and the first ones have the files of a single run, each in a folder.
   */
  readonly isOneRun?: true;
}
