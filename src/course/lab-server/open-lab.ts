/** Opens a lab for a folder of this machine, on the simulator or on a testbed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail } from "../../base/index.js";
import type { Exercise } from "../exercises/index.js";
import type { TestNetwork } from "../grading/index.js";
import { exerciseTests, type LabService, LabSession, type LabTests, type LabTimers } from "../lab/index.js";
import { KeptNetworks, testsOnThisMachine } from "../submissions/index.js";
import { CODES } from "./codes.js";
import { watchFolder, writeInFolder } from "./folder.js";
import type { ProjectOnDisk } from "./read-project.js";
import { TestbedSession } from "./testbed/testbed-session.js";

/** The clock and timers of this machine. */
const wallTimers: LabTimers = {
  now: () => performance.now(),
  later(milliseconds, fn) {
    const timer = setTimeout(fn, milliseconds);
    return () => clearTimeout(timer);
  },
};

/**
 * Runs tests of exercises with the package's targets of the fit checker, each controller in its own process.
 * @param network creates the network of a test; absent: the simulated network
 */
const machineTests = (network?: (exercise: Exercise) => Promise<TestNetwork>): LabTests =>
  exerciseTests((exercise) => ({
    ...testsOnThisMachine(exercise),
    ...(network === undefined ? {} : { network: () => network(exercise) }),
  }));

export interface OpenLab {
  readonly service: LabService;
  close(): Promise<void>;
}

interface WithFiles extends LabService {
  fileChanged(path: string, text: string): Promise<void>;
}

/** Applies changes of files by other programs in the same way as the changes that a page saves. */
function watched(
  service: WithFiles,
  folder: string | undefined,
  ended: () => Promise<void> = async () => {},
): OpenLab {
  const changed = (path: string, text: string): void => {
    service.fileChanged(path, text).catch((error: unknown) => process.emitWarning(String(error)));
  };
  const stop = folder === undefined ? () => {} : watchFolder(folder, changed);
  return {
    service,
    close: async () => {
      stop();
      await service.close();
      await ended();
    },
  };
}

function savingTo({ folder, writable }: ProjectOnDisk) {
  if (folder === undefined) return {};
  return {
    save: async (path: string, text: string) => {
      if (writable?.includes(path) === false)
        fail(CODES.notWritable, undefined, `${path} was not saved`, `this lab keeps ${writable.join(", ")}`);
      writeInFolder(folder, path, text);
    },
  };
}

/** @throws DiagnosticError if there is no network to show */
export async function openSimulatedLab(onDisk: ProjectOnDisk, seed: number): Promise<OpenLab> {
  const { project, folder, scheme } = onDisk;
  const own = scheme === undefined ? {} : { scheme };
  const options = { timers: wallTimers, seed, tests: machineTests(), ...own, ...savingTo(onDisk) };
  return watched(await LabSession.open(project, options), folder);
}

/** Opens a lab on real switches and hosts; needs root. Logs of the switches are in a folder that is removed at the end. */
export async function openTestbedLab(
  onDisk: ProjectOnDisk,
  { log, stop }: { log(line: string): void; stop: AbortSignal },
): Promise<OpenLab> {
  const { project, folder } = onDisk;
  const logs = mkdtempSync(join(tmpdir(), "p4loom-lab-"));
  const clean = (): void => rmSync(logs, { recursive: true, force: true });
  const engine = "switch";
  const networks = new KeptNetworks({ engine, folder: join(logs, "tests"), stop });
  try {
    const session = await TestbedSession.open(project, {
      timers: wallTimers,
      // performance.now() is the monotonic clock since the start of the process
      monotonicMs: Number(process.hrtime.bigint()) / 1e6 - performance.now(),
      tests: machineTests((exercise) => networks.open(exercise)),
      ...savingTo(onDisk),
      log,
      stop,
      lab: { network: "netns", engine, folder: logs, allowMissing: new Set(["delay", "rate"]) },
    });
    return watched(session, folder, async () => {
      await networks.close();
      clean();
    });
  } catch (error) {
    clean();
    throw error;
  }
}
