/** Starts the testbed of an experiment, runs something on it, and removes it. */

import { join } from "node:path";
import { DiagnosticError, defined, given } from "../../../base/index.js";
import { DeviceError } from "../../../toolchain/device/index.js";
import { CPU_PORT } from "../../sim/packet/index.js";
import { type SwitchEngine, startTestbed, testbedOf } from "../../testbed/index.js";
import { CODES } from "../codes.js";
import type { FabricExperiment } from "../experiment.js";
import type { JobContext } from "../kinds/kind.js";
import { Journal, type TestbedRun } from "./scheme-on-testbed.js";

/**
 * Returns the value of `work`, and notes for the report. Rejects with the reason of `stop` when it was aborted, and
 * with DiagnosticError P43016 where `work` rejects with a {@link DeviceError}. `begin` starts the testbed.
 */
export async function withTestbed<T>(
  engine: SwitchEngine,
  experiment: FabricExperiment,
  {
    seed,
    testbed: options,
    folder,
    p4c,
    stop,
  }: Pick<JobContext, "seed" | "testbed" | "folder" | "p4c" | "stop">,
  work: (run: TestbedRun) => Promise<T>,
  begin: typeof startTestbed = startTestbed,
): Promise<{ value: T; notes: string[] }> {
  const { network = "netns", bmv2, allowMissing = new Set(), pcap = false } = options;
  const journal = new Journal(folder);
  const testbed = await begin(testbedOf(experiment.topology, { cpuPort: CPU_PORT }), {
    network,
    engine,
    ...given({ bmv2 }),
    folder,
    pcap,
    allowMissing,
    log: (line) => journal.write(line),
    leftOut: (line) => journal.fact(`${defined(line[0]).toUpperCase()}${line.slice(1)}.`),
    stop,
  }).catch((error: unknown) => {
    throw locateLinks(experiment, error);
  });
  try {
    const value = await work({ engine, testbed, journal, seed, stop });
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
    // After an abort any other error is a consequence of it.
    stop.throwIfAborted();
    throw switchError(error, join(folder, "logs"));
  } finally {
    await testbed.close();
  }
}

/**
 * Runs `cleanup` after `work`, whether or not `work` rejects. If it does, the result rejects with its error: an error of
 * `cleanup` is then a consequence.
 */
export async function withCleanup<T>(work: () => Promise<T>, cleanup: () => Promise<void>): Promise<T> {
  let value: T;
  try {
    value = await work();
  } catch (error) {
    await cleanup().catch(() => {});
    throw error;
  }
  await cleanup();
  return value;
}

/** Reports a switch's error as a diagnostic: its process may have been ended, or be too slow, which is no defect of p4loom. */
function switchError(error: unknown, logs: string): unknown {
  if (!(error instanceof DeviceError)) return error;
  const message = `a switch refused a request or did not answer: ${error.code}: ${error.message}`;
  return new DiagnosticError([
    {
      severity: "error",
      code: CODES.refusedBySwitch,
      message,
      notes: [{ message: `the logs of the switches are in ${logs}` }],
    },
  ]);
}

/** Adds to a refusal of links' properties the position of the links in the file. */
function locateLinks({ locate }: FabricExperiment, error: unknown): unknown {
  if (!(error instanceof DiagnosticError)) return error;
  return new DiagnosticError(
    error.diagnostics.map((one) => {
      const span = one.code === CODES.kernelLacks ? (one.span ?? locate(["topology"])) : one.span;
      return span === undefined ? one : { ...one, span };
    }),
  );
}
