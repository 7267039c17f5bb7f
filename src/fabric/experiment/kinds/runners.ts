/** The two ways in which the units of a kind run: over a fabric of packets, and from the topology alone. */
import { fail, type Locate, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { breather } from "../engine.js";
import type { EngineName, FabricExperiment } from "../experiment.js";
import { seeingOf } from "../seeing/request.js";
import type { LabSide, Runner, SchemeUnit, SeedRuns, SimulatorStage, Unit } from "./kind.js";
import { schemeNotes } from "./registered-kind.js";

/** How a kind runs on each engine. `P`: data prepared for a lab. */
export interface FabricSide<E extends FabricExperiment, U extends SchemeUnit, O, P> {
  onSimulator(experiment: E, unit: U, stage: SimulatorStage): Promise<O>;
  /** Absent: the kind runs only on the simulator. */
  readonly lab?: () => Promise<LabSide<E, U, O, P>>;
}

/** Units that need a booted fabric. The compiler, the switch, gRPC and the rest of a testbed are loaded only when a run needs them. */
export function onFabric<E extends FabricExperiment, U extends SchemeUnit, O, P>({
  onSimulator,
  lab,
}: FabricSide<E, U, O, P>): Runner<E, U, O> {
  /** Fails with P43019 for a kind that does not run on real switches. */
  const labSide = async (kind: string, engine: EngineName, locate: Locate) =>
    lab === undefined
      ? fail(
          CODES.simulatorOnly,
          locate(["engine"]),
          `experiments of the kind ${kind} do not run on engine ${engine}`,
          "run it on the simulator: --engine sim",
        )
      : await lab();
  /** Number of fault tables that the programs of a checked experiment have on a lab. */
  const faultTables = new WeakMap<E, number>();
  return {
    async check(experiment, engine, { kind, stop }) {
      const { locate, settings } = experiment;
      if (seeingOf(settings.see) !== undefined) refuseSeeing(engine, locate(["see"]));
      const { checkOnLab } = await import("../testbed/run.js");
      const side = await labSide(kind, engine, locate);
      faultTables.set(experiment, await checkOnLab(side, experiment, engine, stop));
    },
    async run(experiment, units, job) {
      const { engine, kind } = job;
      if (engine === "sim") {
        const { runOnSimulator } = await import("../on-simulator.js");
        return await runOnSimulator(onSimulator, experiment, units, job);
      }
      const { runOnLab } = await import("../testbed/run.js");
      return await runOnLab(await labSide(kind, engine, experiment.locate), experiment, units, engine, job);
    },
    async programs(experiments) {
      const { programsOf } = await import("../boot.js");
      return programsOf(experiments, (experiment) => faultTables.get(experiment));
    },
    notes: ({ schemes }) => schemeNotes(schemes),
    labWarnings: async (outcomes) => (await lab?.())?.warnings(outcomes) ?? [],
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
    async run(experiment, units, { seed, stop, progress }) {
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
    labWarnings: async () => [],
  };
}

/** Rows of a kind whose rows are of one seed: the seed follows the scheme. */
export function eachSeed<E, U extends Unit, O, R extends object>(
  rowsOf: (experiment: E, unit: U, outcome: O, engine: EngineName) => readonly R[],
): (experiment: E, unit: U, outcomes: readonly O[], runs: SeedRuns) => readonly R[] {
  return (experiment, unit, outcomes, { seeds, engine, namesSeeds }) =>
    outcomes.flatMap((outcome, i) =>
      rowsOf(experiment, unit, outcome, engine).map((row) =>
        namesSeeds ? { scheme: unit.scheme.label, seed: seeds[i]!, ...row } : row,
      ),
    );
}
