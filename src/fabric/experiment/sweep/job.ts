/** Runs one job of a sweep in this process and makes its record. */

import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { DiagnosticError, fail, formatDiagnostic, given } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { fileWord, type SeeingFolder } from "../seeing/seeing.js";
import { jobKey } from "./dependencies.js";
import type { JobOrder } from "./messages.js";
import type { JobLab } from "./point.js";
import type { PointRecord } from "./points-file.js";
import type { Sweep } from "./sweep.js";
import { pointName } from "./words.js";

export interface JobMeans {
  readonly runs: number | undefined;
  readonly p4c: string | undefined;
  readonly seeing: SeeingFolder;
  readonly stop: AbortSignal;
  /** Real switches; absent: the simulator. `folder`: of the results. */
  readonly lab?: JobLab;
  /** The share of the job that is done. */
  progress(share: number): void;
}

/** The line of the points file. Throws what the job throws; P43044 when a file has changed since the sweep began. */
export async function recordOfJob(sweep: Sweep, order: JobOrder, means: JobMeans): Promise<string> {
  const started = performance.now();
  const { runs, p4c, seeing, stop, lab, progress } = means;
  // It is made again for each job, so that state that a job leaves in its hosts' policies does not reach another job.
  const point = sweep.point(order.point, runs);
  const { scheme, name, steps } = point.units[order.unit]!;
  const { seed } = order;
  if (jobKey(point.dependencies(order.unit), seed, p4c, lab?.engine) !== order.job)
    fail(
      CODES.changedFile,
      undefined,
      `a file that ${sweep.source.path} uses has changed since the sweep began`,
      "run it again with --resume: jobs that do not depend on the change are kept",
    );
  let done = 0;
  const step = () => progress(++done / steps);
  const values = sweep.space.values(order.point);
  const jobName = fileWord([pointName(values), scheme, name, `seed-${seed}`].filter(Boolean).join("-"));
  const seen = { ...seeing, name: jobName };
  const { outcome, log, notes } = await point.run(order.unit, seed, {
    ...{ p4c, seeing: seen, stop, step },
    ...(lab === undefined ? {} : { lab: { ...lab, folder: join(lab.folder, "labs", jobName) } }),
  });
  const record: PointRecord = {
    job: order.job,
    point: values,
    scheme,
    unit: name,
    seed,
    ms: Math.round(performance.now() - started),
    ...given({ log, notes }),
    outcome,
  };
  return JSON.stringify(record);
}

/** Diagnostics as text; undefined for all other thrown values. */
export function diagnosticText(error: unknown): string | undefined {
  return error instanceof DiagnosticError ? error.diagnostics.map(formatDiagnostic).join("\n") : undefined;
}
