/**
 * The engines `switch` and `bmv2`: the experiment's switches as processes on real interfaces, its hosts as Linux hosts with the
 * kernel's TCP and our agent. Nothing starts before all programs are compiled and all other preparations are done.
 */
import { defined, fail } from "../../../base/index.js";
import type { Program } from "../../../toolchain/program/index.js";
import { restingHost, type Signal } from "../../hosts/index.js";
import type { SwitchEngine, startTestbed } from "../../testbed/index.js";
import { bootFabric, ProgramCompiler } from "../boot.js";
import { CODES } from "../codes.js";
import type { FabricExperiment, SchemeRun } from "../experiment.js";
import type { JobContext, Ran, SchemeUnit, TestbedSide } from "../kinds/kind.js";
import type { SchemeLog } from "../results.js";
import { SchemeOnTestbed, type TestbedRun } from "./scheme-on-testbed.js";
import { withTestbed } from "./with-testbed.js";

interface ReadyScheme<P> {
  readonly scheme: SchemeRun;
  readonly programs: ReadonlyMap<string, Program>;
  readonly prepared: P;
}

/** Number of fault tables that programs need. Throws DiagnosticError: P43070, P43030, P45101, and what the kind refuses. */
export async function checkOnTestbed<E extends FabricExperiment, U, O, P>(
  side: TestbedSide<E, U, O, P>,
  experiment: E,
  engine: SwitchEngine,
  stop: AbortSignal,
): Promise<number> {
  checkSignals(
    experiment,
    engine,
    new Map([
      ["assignments", "run planned flows on the simulator, or leave planning out of the scheme"],
      [
        "reassembly",
        "the kernel's GRO cannot be changed: run on the simulator, or let the scheme do without reassembly",
      ],
      [
        "masking",
        "the agents keep all marks from the kernel: run on the simulator, or let the scheme do without masking",
      ],
      ...(side.missingSignals?.(experiment) ?? []),
    ]),
  );
  const { protocol } = experiment.settings.transport;
  if (protocol === "messages")
    fail(
      CODES.transportOnTestbed,
      experiment.locate(["transport", "protocol"]),
      `the simulator's message transport does not run on ${engine}: the hosts there have the kernel's TCP`,
      "use --engine sim, or leave out protocol and its keys",
    );
  if (protocol === "tcp" && side.kernelTcp !== true)
    fail(
      CODES.transportOnTestbed,
      experiment.locate(["transport", "protocol"]) ?? experiment.locate(["transport"]),
      `the simulator's TCP does not run on ${engine}: the hosts there have the kernel's`,
      "use --engine sim, or leave out protocol and the keys of TCP",
    );
  const { wire } = experiment.settings;
  if (wire !== "headers")
    fail(
      CODES.settingLacks,
      experiment.locate(["wire"]),
      `engine ${engine} paces its links by the bytes of frames: it has no wire: ${wire}`,
      "use --engine sim, or leave it out",
    );
  if (experiment.settings.queues.pfc !== undefined)
    fail(
      CODES.settingLacks,
      experiment.locate(["queues", "pfc"]),
      `engine ${engine} has no priority flow control: its switches are processes behind links of the kernel`,
      "use --engine sim, or leave queues.pfc out",
    );
  if (experiment.settings.queues.trim !== undefined)
    fail(
      CODES.settingLacks,
      experiment.locate(["queues", "trim"]),
      `engine ${engine} trims no packets: its switches are processes behind links of the kernel`,
      "use --engine sim, or leave queues.trim out",
    );
  return await side.check(experiment, engine, stop);
}

/** Runs units on one testbed, scheme after scheme. `begin` starts the testbed; absent: {@link startTestbed}. */
export async function runOnTestbed<E extends FabricExperiment, U extends SchemeUnit, O, P>(
  side: TestbedSide<E, U, O, P>,
  whole: E,
  units: readonly U[],
  engine: SwitchEngine,
  job: JobContext & { readonly begin?: typeof startTestbed },
): Promise<Ran<O>> {
  const { seed, p4c, stop, progress } = job;
  const experiment = { ...whole, schemes: [...new Set(units.map(({ scheme }) => scheme))] };
  const faultTables = await checkOnTestbed(side, experiment, engine, stop);
  const { ecn_threshold: ecnThreshold } = experiment.settings.queues;
  const compiler = new ProgramCompiler({ p4c, faultTables, ecnThreshold });
  const ready: ReadyScheme<P>[] = [];
  for (const scheme of experiment.schemes) {
    const programs = await compiler.compileAll(scheme);
    const boot = () => bootFabric(experiment, scheme, compiler, seed);
    ready.push({ scheme, programs, prepared: await side.prepare(experiment, scheme, seed, boot) });
    stop.throwIfAborted();
  }
  const logs: SchemeLog[] = [];
  const work = async (run: TestbedRun): Promise<O[]> => {
    const made: O[] = [];
    for (const { scheme, programs, prepared } of ready) {
      progress(0, `${scheme.label}: configure`);
      const fabric = new SchemeOnTestbed(
        run,
        experiment,
        scheme,
        programs,
        side.direct?.(experiment, scheme),
      );
      try {
        await fabric.configure();
        let started: Promise<void> | undefined;
        let stopped: Promise<SchemeLog[]> | undefined;
        const end = () => (stopped ??= fabric.control.stop());
        const controllers = {
          start: () => (started ??= fabric.control.start()),
          stop: async () => void (await end()),
        };
        for (const unit of units.filter((one) => one.scheme === scheme)) {
          const stepDone = async () => progress(1, `${scheme.label}, ${unit.name}`);
          made.push(await side.run(experiment, unit, { fabric, seed, prepared, controllers, stepDone }));
        }
        logs.push(...(await end()));
      } finally {
        await fabric.close();
      }
    }
    return made;
  };
  const { value: outcomes, notes } = await withTestbed(engine, experiment, job, work, job.begin);
  return { outcomes, logs, notes };
}

/** Fails with P43070, at the first scheme whose policy needs a signal that is missing; `why` explains it. */
function checkSignals(
  { schemes, locate }: FabricExperiment,
  engine: SwitchEngine,
  missing: ReadonlyMap<Signal, string>,
): void {
  for (const [i, { label, hosts }] of schemes.entries()) {
    const lacking = (hosts(restingHost()).needs ?? []).find((need) => missing.has(need));
    if (lacking === undefined) continue;
    fail(
      CODES.missingSignal,
      locate(["schemes", i]),
      `engine ${engine} cannot run scheme ${label}: its hosts need ${lacking}`,
      defined(missing.get(lacking)),
    );
  }
}
