/** A scheme in the flow simulator: it finds the paths of bundles of flows, by the policy of its switches. */
import type { z } from "zod";
import type { Locate } from "../../base/index.js";
import type { FlowNetwork, RouterMaker } from "../sim/flow/index.js";

export interface FlowSimScheme<Parameters = unknown> {
  readonly name: string;
  /** Name in figures and tables for people. */
  readonly title: string;
  /** Shape and defaults of the keys that follow the scheme's name in an experiment file. */
  readonly parameters: z.ZodType<Parameters>;
  /** Throws DiagnosticError where the parameters do not fit the network, as far as this can be checked without a run. */
  check?(network: FlowNetwork, parameters: Parameters, locate: Locate): void;
  /**
   * The router of a run, made at its beginning. `seed`: of its hash functions. Throws DiagnosticError where the parameters do not fit
   * the network; `locate` finds keys of the parameters.
   */
  router(network: FlowNetwork, parameters: Parameters, seed: number, locate?: Locate): RouterMaker;
}
