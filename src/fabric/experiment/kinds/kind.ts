/**
 * A kind of experiment: the keys of its files, the units of its work, how a unit runs, and what its results look like. The pipeline under
 * all kinds reads the file and makes its points (`read.ts`), runs their units as jobs (`run.ts`), and makes the results
 * (`registered-kind.ts`). A single run is a sweep of one point.
 */
import type { z } from "zod";
import type { Diagnostics, Locate, Random, SourceFile } from "../../../base/index.js";
import type { Signal } from "../../hosts/index.js";
import type { ControlFault, Fabric } from "../../sim/packet/index.js";
import type { StoppingRule } from "../../statistics/index.js";
import type { NetworkKind, Omission, SwitchEngine } from "../../testbed/index.js";
import type { Topology } from "../../topology/index.js";
import type { Steps } from "../advance.js";
import type { ControlPlane } from "../control-plane.js";
import type { RunCoverage } from "../coverage.js";
import type { CommonSettings, EngineName, SchemeRun, SchemeSet } from "../experiment.js";
import type { FlowDrops } from "../faults/flow-drops.js";
import type { CompiledPrograms, FabricCache, PlanSettings } from "../plan-schemes.js";
import type { FileText, SchemeLog } from "../results.js";
import type { SeeingFolder } from "../seeing/seeing.js";
import type { SchemeOnTestbed } from "../testbed/scheme-on-testbed.js";
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

/** How many seeds the units of a point run under: as many as give each of them a small interval of one figure. */
export interface Until<O> {
  readonly rule: StoppingRule;
  /** The figure of an outcome; absent where it has none. */
  figure(outcome: O): number | undefined;
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
 * How the units of a kind run, on the simulator and on real switches, or from the topology alone: see `registered-kind.ts`. `E`: the checked
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
  testbedWarnings(outcomes: readonly O[]): Promise<readonly string[]>;
}

/** Called when a run completes: number of completed runs, number of all runs, and the name of the work. */
export type Progress = (done: number, total: number, what: string) => void;

/** Options of the engines `switch` and `bmv2` that are not in the experiment file. */
export interface TestbedOptions {
  /** Which program makes hosts and links. Default: `netns`, p4loom itself. */
  readonly network?: NetworkKind;
  /** Path of simple_switch_grpc; default: the one on PATH. */
  readonly bmv2?: string;
  /** Properties of links that the runs omit if the kernel cannot provide them. */
  readonly allowMissing?: ReadonlySet<Omission>;
  /** Capture every port of every switch. */
  readonly pcap?: boolean;
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
  /** Counts what packets reach of the programs; then nothing is observed. */
  readonly coverage?: RunCoverage | undefined;
  /** What is observed in addition to the file's key `see`; `name`: of its files; absent: the name of the scheme. */
  readonly seeing: SeeingFolder & { readonly name?: string };
  readonly testbed: TestbedOptions;
  /** For the logs of a testbed. */
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

/** How faults reach what is beside the links of the simulator. */
export interface SimulatorFaultOptions {
  /** Source of random decisions: each fault has a stream of its own. */
  readonly random: Random;
  /** Ends the process of a switch: its control channel then has no peer. */
  kill(node: number): void;
  /** Restores program and state of a switch over the control channel; undefined: the switch still has them. */
  restart(node: number): Promise<void> | undefined;
  /** The channels of central controllers, by node index. */
  readonly control: ReadonlyMap<number, FaultyChannel>;
  /** Drops of packets of flows; absent where no fault names a flow. */
  readonly drops?: FlowDrops;
}

/** A control channel, as faults see it. */
export interface FaultyChannel {
  beginFault(fault: ControlFault): void;
  endFault(fault: ControlFault): void;
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
  /** Plays another fabric of the same scheme from its boot, which leaves no trace in the results; closes it afterwards. */
  pilot<T>(play: (stage: SimulatorStage) => Promise<T>): Promise<T>;
  /** A sentence on this run that a reader of its results must know. */
  note(text: string): void;
  /** As {@link stepDone}, for parts of a unit that are not reported. */
  breathe(): Promise<void>;
}

/** A testbed whose switches and hosts run the scheme of the unit. */
export interface TestbedStage<P> extends Stage {
  readonly fabric: SchemeOnTestbed;
  /** A unit starts the controllers before its traffic; they are stopped after the last unit, or earlier at the request of a unit. */
  readonly controllers: { start(): Promise<void>; stop(): Promise<void> };
  /** Result of {@link TestbedSide.prepare} for the scheme. */
  readonly prepared: P;
}

/** How a kind runs on real switches. */
export interface TestbedSide<E, U, O, P> {
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
  run(experiment: E, unit: U, stage: TestbedStage<P>): Promise<O>;
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
  /** Rows of one unit, of all its seeds together or one after the other (`eachSeed` of `registered-kind.ts`). Swept keys are added. */
  rows(experiment: E, unit: U, outcomes: readonly O[], runs: SeedRuns): readonly R[];
  /** The rule that decides the number of seeds; absent, or undefined: the file gives their number. Points of a sweep have the same rule. */
  until?(experiment: E): Until<O> | undefined;
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

/** A checked experiment without the types of its kind: the file with the values of one point of its sweep. */
export interface Point {
  readonly settings: CommonSettings;
  readonly units: readonly PointUnit[];
  /** As {@link Kind.until}, for outcomes as JSON. */
  readonly until?: {
    readonly rule: StoppingRule;
    figure(unit: number, outcome: unknown): number | undefined;
  };
  /** The same with this number of runs, in place of those of the file and its schemes. */
  withRuns(runs: number): Point;
  /** All that a unit's outcome depends on except the seed, as text. */
  dependencies(unit: number): string;
  /** Throws DiagnosticError for what the experiment needs and a testbed with such switches does not have. */
  checkOnTestbed(engine: SwitchEngine, stop: AbortSignal): Promise<void>;
  /** Runs units one after the other; outcomes are JSON. */
  run(units: readonly number[], job: Omit<JobContext, "kind">): Promise<Ran<unknown>>;
}

/** A unit of an experiment: under each seed it is a job, or a part of one. */
interface PointUnit {
  /** Label of its scheme. */
  readonly scheme: string;
  /** Unique within its scheme. */
  readonly name: string;
  /** Number of steps that it reports; also its weight compared with others. */
  readonly steps: number;
}

/** A point with the outcomes of its units. */
export interface FinishedPoint {
  readonly values: Readonly<Record<string, unknown>>;
  readonly point: Point;
  /** For each unit, the seeds whose jobs succeeded, with their outcomes as JSON. */
  readonly outcomes: readonly (readonly FinishedUnit[])[];
}

export interface FinishedUnit {
  readonly seed: number;
  readonly outcome: unknown;
  readonly log?: readonly string[] | undefined;
}

/** Input for the results of a sweep. */
export interface FinishedSweep {
  readonly name: string;
  readonly engine: EngineName;
  /** The file's seed, or the one that the user gives in place of it. */
  readonly seed: number;
  /** A single run: its rows do not name their seed. */
  readonly isOneRun: boolean;
  readonly keys: readonly string[];
  readonly seeds: readonly number[];
  readonly points: readonly FinishedPoint[];
  /** What a reader must know about how the results were made, in addition to the notes of the kind. */
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

/** Printed and written results. */
export interface SweepOutput {
  readonly json: string;
  readonly table: string;
  readonly notes: readonly string[];
  /** Including warnings from the outcomes. */
  readonly warnings: readonly string[];
  readonly files: readonly (readonly [name: string, text: FileText])[];
}

/** A file, or a version of it, after the schema has parsed it, and what checks of several files share. */
export interface FileToCheck {
  readonly source: SourceFile;
  readonly value: unknown;
  readonly locate: Locate;
  readonly diagnostics: Diagnostics;
  readonly schemes: SchemeSet;
  /** For checks of files that differ in a few keys. */
  readonly cache?: FabricCache;
}

/** A kind without its types, as the registry has it. */
export interface RegisteredKind {
  readonly name: string;
  readonly keys: readonly string[];
  readonly takesRuns: boolean;
  /** Whether a file without the key `sweep` is one run, all or nothing. */
  readonly isOneRun: boolean;
  /** The schema of its files, which may name these schemes. */
  schema(schemes: SchemeSet): z.ZodType<CommonSettings>;
  /** Undefined after errors, which go to the diagnostics of the file. */
  check(file: FileToCheck): Point | undefined;
  /** The results of points that {@link check} has made. */
  output(sweep: FinishedSweep): Promise<SweepOutput>;
}
