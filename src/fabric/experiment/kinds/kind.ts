/**
 * A kind of experiment: the keys of its files, the units of its work, how each unit runs on an engine, and what its results
 * look like. The pipeline under all kinds (`load.ts`, `run.ts`) reads the file, builds the topology, plans the schemes,
 * compiles each program once, brings a fabric up for each scheme, starts its controllers, and writes the results.
 */
import type { z } from "zod";
import type { Diagnostics, Locate, SourceFile } from "../../../base/index.js";
import type { Signal } from "../../hosts/index.js";
import type { Fabric } from "../../sim/packet/index.js";
import type { SwitchEngine } from "../../testbed/index.js";
import type { Topology } from "../../topology/index.js";
import type { Steps } from "../advance.js";
import type { ControlPlane } from "../control-plane.js";
import type { EngineName, FabricExperiment, FabricSettings } from "../experiment.js";
import type { SimulatorFaultOptions } from "../faults/on-simulator.js";
import type { SchemeRun } from "../scheme-run.js";
import type { SchemeOnLab } from "../testbed/scheme-on-lab.js";
import type { View } from "../view/view.js";

/** A part of an experiment that does not depend on other parts: it may run alone, and in any order within its scheme. */
export interface Unit {
  readonly scheme: SchemeRun;
  /** Name in progress reports: unique within its scheme. */
  readonly name: string;
  /** Number of {@link Stage.stepDone} calls; also the weight of the unit, for the order and the estimate of a sweep. */
  readonly steps: number;
}

/** Input of a kind's check: the file after its schema. */
export interface CheckContext<V> {
  readonly source: SourceFile;
  readonly value: V;
  readonly topology: Topology;
  readonly locate: Locate;
  readonly diagnostics: Diagnostics;
  /** Plans all schemes for the topology; errors go to `diagnostics`. `runs`: number of runs of schemes without their own. */
  plan(settings: FabricSettings, runs: number): SchemeRun[];
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

/**
 * The members of all kinds. `E`: the checked experiment. `U`: a unit. `O`: the outcome of a unit. `R`: a row of the result table. `P`: data
 * prepared for a lab.
 */
interface KindBase<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
> {
  /** Value of the key `kind` in files. */
  readonly name: string;
  /** Files without the key `kind` are of this kind when they have one of these keys; the first kind takes the others. */
  readonly keys: readonly string[];
  /** Schema of the whole file: `fabricKeys`, `machineKeys`, an optional `kind`, and the kind's own keys. */
  readonly schema: z.ZodType<V>;
  /** Whether the kind accepts `--runs`. */
  readonly takesRuns: boolean;
  /** Checks the meaning of the file. Errors go to the context's diagnostics; after an error the experiment must not be used. */
  check(context: CheckContext<V>): E;
  /** In the order of the results; those of one scheme follow each other. */
  units(experiment: E): readonly U[];
  onSimulator(experiment: E, unit: U, stage: SimulatorStage): Promise<O>;
  /** Undefined: the kind runs only on the simulator. gRPC and the rest of a testbed are loaded only when one is used. */
  readonly lab: (() => Promise<LabSide<E, U, O, P>>) | undefined;
  /** Converts outcomes to JSON and back, for processes and files. `rows` and `files` accept what `fromJson` returns. */
  readonly portable: {
    toJson(outcome: O): unknown;
    fromJson(json: unknown, unit: U, experiment: E): O;
  };
  /**
   * What outcomes depend on in addition to the settings, the scheme and the seed, as JSON: digests of files that the experiment reads
   * while it runs. A continued sweep runs jobs again when it has changed.
   */
  dependsOn?(experiment: E): unknown;
  /** What a reader must know about the outcomes of a unit, one sentence each; a sweep passes the outcomes of all its seeds. */
  notes?(unit: U, outcomes: readonly O[]): readonly string[];
  /** Why the figures of a unit may mislead, one sentence each; a sweep passes the outcomes of all its seeds. */
  warnings?(experiment: E, unit: U, outcomes: readonly O[]): readonly string[];
  /** Its table, page, figures, and files in addition to `results.json`, `results.csv`, `points.jsonl`, `controllers.log` and `programs/`. */
  readonly view: View<E, U, O, R>;
}

/** A kind whose rows are of one seed. It runs as a sweep where the file has the key `sweep`: each row then also has the key `seed`. */
export interface RunKind<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
> extends KindBase<V, E, U, O, R, P> {
  rows(experiment: E, outcome: O, engine: EngineName): readonly R[];
  readonly rowsOfSeeds?: undefined;
}

/**
 * A kind whose rows summarise several seeds. It always runs as a sweep: without a key `sweep` of one point and the file's
 * seed.
 */
export interface SweepKind<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
> extends KindBase<V, E, U, O, R, P> {
  /** Rows of one unit. `seeds`: the seed of each outcome. */
  rowsOfSeeds(
    experiment: E,
    unit: U,
    outcomes: readonly O[],
    seeds: readonly number[],
    engine: EngineName,
  ): readonly R[];
}

export type ExperimentKind<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
> = RunKind<V, E, U, O, R, P> | SweepKind<V, E, U, O, R, P>;
