import type { FlowPoint, FlowView } from "../../../src/course/lab/index.js";

/** Puts the series of several flows on one time axis (seconds): a flow without a point at a time has `null` there. */
export function columns(
  flows: readonly FlowView[],
  value: (point: FlowPoint) => number | null,
): { times: number[]; values: (number | null)[][] } {
  const times = [...new Set(flows.flatMap(({ points }) => points.map(({ at }) => at)))].sort((a, b) => a - b);
  const values = flows.map(({ points }) => {
    const byTime = new Map(points.map((point) => [point.at, value(point)]));
    return times.map((time) => byTime.get(time) ?? null);
  });
  return { times: times.map((time) => time / 1e9), values };
}
