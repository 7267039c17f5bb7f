/** Runs and distributions as CSV. */

import { cdfPoints } from "../../../statistics/index.js";
import { csv } from "../../csv.js";
import type { Series } from "./results.js";

/** Every run of every series; an empty `recovery_ms` is a flow that never recovered. On a testbed with the load of the run. */
export function samplesCsv(series: readonly Series[]): string {
  const measured = series.some(({ samples }) => samples[0]?.load !== undefined);
  const percent = (share: number | undefined) => (share === undefined ? null : Math.round(100 * share));
  const rows = series.flatMap(({ scheme, failure, samples }) =>
    samples.map(({ recoveryMs, timeouts, rttMs, copies, load }, run) => [
      scheme.label,
      failure.name,
      run,
      Number.isFinite(recoveryMs) ? Number(recoveryMs.toFixed(6)) : null,
      timeouts,
      Number(rttMs.toFixed(6)),
      copies ?? null,
      ...(measured
        ? [
            percent(load?.machine),
            percent(load?.busiestSwitch),
            percent(load?.hosts),
            load?.lostFrames ?? null,
            load?.saturated ?? null,
          ]
        : []),
    ]),
  );
  const header = ["scheme", "failure", "run", "recovery_ms", "timeouts", "rtt_ms", "copies"];
  const loads = ["machine_percent", "busiest_switch_percent", "hosts_percent", "lost_frames", "saturated"];
  return csv(measured ? [...header, ...loads] : header, rows);
}

/** The distributions of the figure, thinned to about a hundred points each. */
export function cdfCsv(series: readonly Series[]): string {
  const rows = series.flatMap(({ scheme, failure, samples }) =>
    cdfPoints(
      samples.map((sample) => sample.recoveryMs),
      100,
    ).map(({ x, fraction }) => [
      scheme.label,
      failure.name,
      Number(x.toFixed(6)),
      Number(fraction.toFixed(6)),
    ]),
  );
  return csv(["scheme", "failure", "recovery_ms", "fraction"], rows);
}
