/** Routes that a file names hop by hop. */
import { z } from "zod";

export const LIST = "expected names of nodes: a host, the nodes that its packets pass, a host";

/** `[host, node, ..., host]`: packets of the first host to the last one pass these nodes in this order. */
export const viaSchema = z.array(z.array(z.string(), { error: LIST }).min(3, LIST)).default([]);
