/**
 * All kinds of experiments, one line each. A file without the key `kind` is of the first kind to which one of its keys leads (`kindOfFile`).
 * Load and requests precede timeline, which owns `faults`.
 */
import { FAILOVER } from "./failover/index.js";
import { FLOW_SIM } from "./fluid/index.js";
import { LOAD } from "./load/index.js";
import { LOCALISE } from "./localise/index.js";
import { LOCALISE_PACKETS } from "./localise-packets/index.js";
import { register } from "./registered-kind.js";
import { REQUESTS } from "./requests/index.js";
import { SPREAD } from "./spread/index.js";
import { SURVIVAL } from "./survival/index.js";
import { TIMELINE } from "./timeline/index.js";

export const KINDS = [
  register(FAILOVER),
  register(LOAD),
  register(REQUESTS),
  register(LOCALISE_PACKETS),
  register(TIMELINE),
  register(FLOW_SIM),
  register(SPREAD),
  register(LOCALISE),
  register(SURVIVAL),
] as const;
