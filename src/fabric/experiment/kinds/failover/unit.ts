/** A unit of work of the kind failover. */

import type { DrawnFailure } from "../../faults/drawn-failures.js";
import type { Unit } from "../kind.js";

export interface FailoverUnit extends Unit {
  readonly failure: DrawnFailure;
}
