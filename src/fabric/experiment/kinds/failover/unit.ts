/** A unit of work of the kind failover. */

import type { DrawnFailure } from "../../faults/drawn-failures.js";
import type { SchemeUnit } from "../kind.js";

export interface FailoverUnit extends SchemeUnit {
  readonly failure: DrawnFailure;
}
