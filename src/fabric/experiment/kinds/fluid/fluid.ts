/** A checked experiment of the kind `fluid`. */
import type { Locate, SourceFile } from "../../../../base/index.js";
import type { FluidScheme } from "../../../schemes/index.js";
import type { FlowNetwork, LinkChange } from "../../../sim/flow/index.js";
import type { Topology } from "../../../topology/index.js";
import type { Unit } from "../kind.js";
import type { TrafficPart } from "./flows.js";
import type { FluidSettings } from "./schema.js";

export interface FluidRun extends Unit {
  /** What its outcome depends on in addition to the settings of the file, as JSON. */
  readonly dependsOn: unknown;
  readonly fluid: FluidScheme;
  readonly parameters: unknown;
  readonly subflows: number;
  /** Finds the source position of keys of the parameters. */
  readonly locate: Locate;
}

export interface Fluid {
  readonly source: SourceFile;
  readonly settings: FluidSettings;
  readonly topology: Topology;
  readonly network: FlowNetwork;
  readonly runs: readonly FluidRun[];
  readonly parts: readonly TrafficPart[];
  /** Links that fail and return, in time order. */
  readonly changes: readonly LinkChange[];
}
