/**
 * A scheme: the programs its switches run, the state its control plane writes into them, and what its hosts
 * do. A scheme does not depend on an engine: it reads a topology and returns {@link Update}s for any `Device`.
 */
import type { z } from "zod";
import type { Locate } from "../base/index.js";
import type { ControllerPlan } from "../controllers/index.js";
import type { Update } from "../device/index.js";
import type { ProgramPlan } from "../generate/index.js";
import type { HostPolicy, PolicyDescription, SelectorField } from "../hosts/index.js";
import type { Topology } from "../topology/index.js";

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
  readonly hosts: SchemeHosts;
  readonly repathing: Repathing;
  /** Control plane programs that run as long as the fabric; they start when all switches have their state. */
  readonly controllers?: readonly ControllerPlan[];
}

/** A policy for hosts in this process, and its description for hosts in other processes. */
export interface SchemeHosts extends HostPolicy {
  readonly description: PolicyDescription;
}

/**
 * How hosts re-path after a timeout, as far as closed forms depend on it. `none`: never. `random`: each try draws both
 * directions anew. `certain`: a try avoids any single failure where the switches of a tier have groups of one size.
 * `other`: no closed form is known.
 */
export type Repathing = "none" | "random" | "certain" | "other";

export interface Scheme<Parameters = unknown> {
  readonly name: string;
  /** Name in figures and tables for people. */
  readonly title: string;
  /** One line for listings. */
  readonly summary: string;
  /** Shape and defaults of the parameters: the keys that follow the scheme's name in an experiment file. */
  readonly parameters: z.ZodType<Parameters>;
  /**
   * Plans a fabric. Throws DiagnosticError (P422xx) when the parameters do not suit the topology; `locate`
   * finds keys of the parameters.
   */
  plan(topology: Topology, parameters: Parameters, locate?: Locate): FabricPlan;
}
