/** A scheme of an experiment, planned. */

import type { z } from "zod";
import type { Locate } from "../../base/index.js";
import type { FlowAssignment, HostContext, HostPolicy } from "../hosts/index.js";
import type { FabricPlan, KnownFlow } from "../schemes/index.js";

/** One scheme of an experiment, planned for its topology. */
export interface SchemeRun {
  /** Name in the results. */
  label: string;
  /** Name in figures and tables for people. */
  title: string;
  scheme: string;
  runs: number;
  /** The parameters after the scheme's schema has parsed them. */
  parameters: Readonly<Record<string, unknown>>;
  plan: FabricPlan;
  /** Schemas of the values of its commands, by their names. */
  commands: Readonly<Record<string, z.ZodType>>;
  /** Throws DiagnosticError for a command that has the right shape but cannot be carried out. */
  checkCommand?: (command: { readonly name: string; readonly values: unknown }, locate: Locate) => void;
  /** Plans flows that are known before they open, one assignment a flow; absent: the scheme plans none. */
  assign?: (flows: readonly KnownFlow[]) => FlowAssignment[];
  /** Makes the policy of one host of the plan, for hosts in this process. */
  hosts(context: HostContext): HostPolicy;
}
