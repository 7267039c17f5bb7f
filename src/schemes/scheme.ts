/**
 * A scheme: the programs its switches run, the state its control plane writes into them, and what its hosts
 * do. It knows no engine: it sees a topology and hands out {@link Update}s for any `Device`.
 */
import type { z } from "zod";
import type { Locate } from "../base/index.js";
import type { ProgramPlan, SelectorField } from "../generate/index.js";
import type { Update } from "../program/index.js";
import type { Topology } from "../topology/index.js";
import type { HostPolicy } from "./host-policy.js";

/** What one switch runs and what the control plane writes after loading it, in this order. */
export interface SwitchPlan {
  /** Node index in the topology. */
  readonly node: number;
  /** Name of a {@link ProgramPlan}. */
  readonly program: string;
  readonly updates: readonly Update[];
}

/** Everything that a fabric under this scheme needs. */
export interface FabricPlan {
  readonly scheme: string;
  /** Header field that carries the selector. */
  readonly field: SelectorField;
  readonly programs: readonly ProgramPlan[];
  /** All switches, by ascending node index. */
  readonly switches: readonly SwitchPlan[];
  readonly hosts: HostPolicy;
}

export interface Scheme<Parameters = unknown> {
  readonly name: string;
  /** One line for listings. */
  readonly summary: string;
  /** Shape and defaults of the parameters: what stands beside the scheme's name in an experiment file. */
  readonly parameters: z.ZodType<Parameters>;
  /**
   * Plans a fabric. Throws DiagnosticError (P422xx) when the parameters do not suit the topology; `locate`
   * finds keys of the parameters.
   */
  plan(topology: Topology, parameters: Parameters, locate?: Locate): FabricPlan;
}
