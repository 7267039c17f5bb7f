/** All kinds of experiments, one line each. A file without the key `kind` that has no key of a later kind is of the first. */
import { register } from "../load.js";
import { FAILOVER } from "./failover/index.js";
import { TIMELINE } from "./timeline/index.js";

export const KINDS = [register(FAILOVER), register(TIMELINE)] as const;
