/** The warm-up that a pilot run finds: the same flows are played twice, and the second run is measured from the end of the transient on. */
import { mser5 } from "../../../statistics/index.js";
import type { SchemeRun } from "../../experiment.js";
import type { SimulatorStage } from "../kind.js";
import { loadInSimulator } from "./on-simulator.js";
import type { Load } from "./schema.js";

/** Flows of a pilot run that the rule looks at: the first ones. */
const MOST_FLOWS = 1_000_000;

/**
 * The experiment with the warm-up of this scheme and seed, where the file gives none: MSER-5 over the slowdowns of the flows in the order of
 * their starts. `settled`: whether the transient ends in the first half of the flows.
 */
export async function truncated(
  experiment: Load,
  scheme: SchemeRun,
  stage: SimulatorStage,
): Promise<{ readonly settled: boolean; readonly experiment: Load }> {
  const { settings } = experiment;
  if (settings.truncation === undefined) return { settled: true, experiment };
  const { series: _, windows: _others, ...rest } = settings;
  const recorded: Load = {
    ...experiment,
    settings: { ...rest, record: "flows", record_limit: MOST_FLOWS },
  };
  const { lines = [] } = await stage.pilot((pilot) => loadInSimulator(recorded, scheme, pilot));
  const ended = lines
    .filter(({ slowdown }) => slowdown !== undefined)
    .sort((a, b) => a.start_ns - b.start_ns || a.flow - b.flow);
  const { samples, settled } = mser5(ended.map(({ slowdown }) => slowdown!));
  return {
    settled,
    experiment: {
      ...experiment,
      settings: { ...settings, warm_up: Math.floor(ended[samples]?.start_ns ?? 0) },
    },
  };
}
