/** The schemes of a kind without packets, each with a path model. */
import type { Diagnostics, Locate } from "../../../base/index.js";
import type { SelectorField } from "../../../base/packets/index.js";
import { CODES } from "../codes.js";
import { controlPlaneSchema, type FabricSettings, type SchemeRun } from "../experiment.js";
import type { CheckContext } from "./kind.js";

type PathSettings = Pick<FabricSettings, "schemes"> & { readonly ip: 4 | 6 };

/** Plans the schemes. Adds P45210 for a scheme without a path model. */
export function plansWithPaths<V extends PathSettings>(
  { value, locate, diagnostics, plan }: CheckContext<V>,
  selector: SelectorField = "dscp",
): SchemeRun[] {
  const settings = {
    schemes: value.schemes,
    selector,
    traffic: { ip: value.ip },
    control_plane: controlPlaneSchema.parse({}),
  };
  const runs = plan(settings, 1);
  for (const [i, run] of runs.entries())
    if (run.plan.pathModel === undefined) noPathModel(run, i, locate, diagnostics);
  return runs;
}

/** Adds P45210 for a scheme without a path model, at its place in the list. */
export function noPathModel(
  { label }: SchemeRun,
  place: number,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  diagnostics.error(
    CODES.noPathModel,
    locate(["schemes", place]),
    `scheme "${label}" has no path model, so the paths of flows are unknown without packets`,
    "its paths depend on what happens while it runs; use an experiment of the kind load",
  );
}
