/** What statements may use of this machine: programs, text files, and the time. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Diagnostic } from "../../base/index.js";
import type { Surroundings } from "../../toolchain/control/index.js";
import { readSource, writeFiles } from "../../toolchain/loading/index.js";
import { readProgram } from "./programs.js";

/** @param report receives the warnings of programs that are read or compiled */
export function machineSurroundings(
  report: (warnings: readonly Diagnostic[]) => void,
): Required<Surroundings> {
  return {
    loadProgram: (path, span, p4info) => readProgram(path, span, p4info, report),
    readFile: readSource,
    writeFile: (path, content) => writeFiles([{ path, content }]),
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => {}),
  };
}
