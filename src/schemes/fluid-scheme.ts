/** A scheme in the flow simulator: it finds the paths of bundles of flows, by the policy that its switches have. */
import type { z } from "zod";
import type { Locate } from "../base/index.js";
import type { FlowNetwork, RouterMaker } from "../sim/flow/index.js";

export interface FluidScheme<Parameters = unknown> {
  readonly name: string;
  /** Name in figures and tables for people. */
  readonly title: string;
  /** Shape and defaults of the keys that follow the scheme's name in an experiment file. */
  readonly parameters: z.ZodType<Parameters>;
  /** Throws DiagnosticError where the parameters do not suit the network, as far as that shows without a run. */
  check?(network: FlowNetwork, parameters: Parameters, locate: Locate): void;
  /**
   * The switches of a run, at its beginning. `seed`: of their hash functions. Throws DiagnosticError where the parameters do not suit
   * the network; `locate` finds keys of the parameters.
   */
  router(network: FlowNetwork, parameters: Parameters, seed: number, locate?: Locate): RouterMaker;
}
