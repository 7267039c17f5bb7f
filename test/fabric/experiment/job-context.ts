/** What a job gets from its process: nothing is observed, and nobody waits. */

import type { JobContext } from "../../../src/fabric/experiment/index.js";
import { CompiledPrograms } from "../../../src/fabric/experiment/plan-schemes.js";

export function jobContext(seed: number): JobContext {
  return {
    ...{ kind: "test", engine: "sim", seed, testbed: {}, folder: "", seeing: { request: {}, folder: "" } },
    compiled: new CompiledPrograms(),
    stop: new AbortController().signal,
    progress: () => {},
  };
}
