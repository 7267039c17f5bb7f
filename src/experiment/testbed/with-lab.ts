/** Starts the lab of an experiment, lets something run on it, and takes it away. */
import { join } from "node:path";
import { DiagnosticError } from "../../base/index.js";
import { DeviceError } from "../../program/index.js";
import { labOf, type SwitchEngine, startLab } from "../../testbed/index.js";
import type { EngineContext } from "../engine.js";
import type { FabricExperiment } from "../experiment.js";
import { Journal } from "./journal.js";
import type { LabRun } from "./scheme-on-lab.js";

/**
 * What `work` makes, and notes for the report. Rejects with the reason of `stop` when that was aborted, and
 * with DiagnosticError P43016 where `work` rejects with what a switch said.
 */
export async function withLab<T>(
  engine: SwitchEngine,
  experiment: FabricExperiment,
  seed: number,
  { testbed, folder, p4c }: EngineContext,
  work: (run: LabRun) => Promise<T>,
): Promise<{ value: T; notes: string[] }> {
  const { network = "netns", bmv2, allowMissing = new Set(), pcap = false } = testbed;
  const stop = testbed.stop ?? new AbortController().signal;
  const journal = new Journal(folder);
  const lab = await startLab(labOf(experiment.topology), {
    network,
    engine,
    ...(bmv2 === undefined ? {} : { bmv2 }),
    folder,
    pcap,
    allowMissing,
    log: (line) => journal.labSays(line),
    stop,
  }).catch((error: unknown) => {
    throw inTopology(experiment, error);
  });
  try {
    const value = await work({ engine, lab, journal, seed, stop });
    const what = engine === "bmv2" ? "BMv2" : "p4loom's own switch";
    const hosts = network === "mininet" ? "hosts of Mininet" : "network namespaces";
    const notes = [
      `Switches: ${what}, one process each, configured by P4Runtime. Hosts: ${hosts} with the kernel's TCP and the host agent.`,
      "Times are real: they depend on the machine and differ from run to run. What happens is drawn from the seed.",
      ...(p4c === undefined ? [] : ["The programs were compiled by p4c."]),
      ...journal.facts,
    ];
    return { value, notes };
  } catch (error) {
    // Whatever breaks when all is being ended breaks for that reason.
    stop.throwIfAborted();
    throw toldOfSwitches(error, join(folder, "logs"));
  } finally {
    await lab.close();
  }
}

/** A process of the machine may be ended, or be too slow: what a switch says is no fault of ours by itself. */
function toldOfSwitches(error: unknown, logs: string): unknown {
  if (!(error instanceof DeviceError)) return error;
  const message = `a switch refused what it was told, or did not answer: ${error.code}: ${error.message}`;
  return new DiagnosticError([
    {
      severity: "error",
      code: "P43016",
      message,
      notes: [{ message: `the logs of the switches are in ${logs}` }],
    },
  ]);
}

/** Properties of links that this machine cannot give are refused where the file says what links there are. */
function inTopology({ locate }: FabricExperiment, error: unknown): unknown {
  if (!(error instanceof DiagnosticError)) return error;
  return new DiagnosticError(
    error.diagnostics.map((one) => {
      const span = one.code === "P43105" ? (one.span ?? locate(["topology"])) : one.span;
      return span === undefined ? one : { ...one, span };
    }),
  );
}
