/** Brings the switches of a test network to the initial state of an exercise. */
import { Diagnostics, pathIn, SourceFile } from "../../base/index.js";
import { Interpreter } from "../../toolchain/control/index.js";
import { DeviceError } from "../../toolchain/device/index.js";
import { P4InfoIndex } from "../../toolchain/program/index.js";
import { StepFailure } from "./failure.js";
import type { TestNetwork } from "./network.js";
import { failureOf, type Submission } from "./submission.js";

type Setup = Submission["setup"]["switches"][number];

/** Loads the programs, and applies the runtime files and the command files. Throws StepFailure for errors of the submission. */
export async function bootSwitches(
  network: Pick<TestNetwork, "device">,
  submission: Submission,
): Promise<ReadonlyMap<string, Interpreter>> {
  const { switches } = submission.setup;
  const booted = await Promise.allSettled(switches.map((one) => bootSwitch(one, network, submission)));
  return new Map(
    booted.map((one, index) => {
      if (one.status === "rejected") throw one.reason;
      return [switches[index]!.name, one.value];
    }),
  );
}

async function bootSwitch(
  { name, runs, runtime, commandFile }: Setup,
  network: Pick<TestNetwork, "device">,
  submission: Submission,
): Promise<Interpreter> {
  const device = network.device(name);
  const interpreter = new Interpreter(device);
  if (runs !== undefined) {
    const { program } = submission.program(runs.source ?? runs.json);
    const diagnostics = new Diagnostics();
    try {
      await device.load(program);
      const updates = runtime?.updates(new P4InfoIndex(program.p4info), diagnostics, device.names) ?? [];
      diagnostics.throwIfErrors();
      if (updates.length > 0) await device.write(updates);
    } catch (error) {
      throw refused(error, `switch ${name} accepts its program and its entries`);
    }
  }
  if (commandFile === undefined) return interpreter;
  const path = pathIn(submission.folder, commandFile);
  const diagnostics = new Diagnostics();
  const text = submission.files.exists(path) ? submission.files.read(path) : "";
  await interpreter.run(new SourceFile(path, text), diagnostics, { print: () => {} });
  try {
    diagnostics.throwIfErrors();
  } catch (error) {
    throw failureOf(error, `switch ${name} accepts the commands of ${path}`);
  }
  return interpreter;
}

function refused(error: unknown, expected: string): unknown {
  if (!(error instanceof DeviceError)) return failureOf(error, expected);
  const reasons = (error.updates ?? []).filter(({ code }) => code !== "OK").map(({ message }) => message);
  return new StepFailure(expected, error.message, reasons.slice(0, 5));
}
