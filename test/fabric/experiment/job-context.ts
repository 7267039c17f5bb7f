/** What a job gets from its process: nothing is observed, and nobody waits. */
import { CompiledPrograms } from "../../../src/fabric/experiment/fabric-cache.js";
import type { JobContext } from "../../../src/fabric/experiment/index.js";

export function jobContext(seed: number): JobContext {
  return {
    ...{ kind: "test", engine: "sim", seed, testbed: {}, folder: "", seeing: { request: {}, folder: "" } },
    compiled: new CompiledPrograms(),
    stop: new AbortController().signal,
    progress: () => {},
  };
}
