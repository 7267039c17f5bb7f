/** The settings of Dahu's switches, for the packet and the flow simulator. */
import { z } from "zod";
import { DEFAULT_ROUNDS } from "./policy/heuristic.js";
import { MAX_VIRTUAL_PORTS } from "./policy/port-groups.js";
import { DEFAULT_THRESHOLD } from "./policy/threshold.js";

const whole = (what: string, least: number, most: number) => {
  const error = `expected ${what} from ${least} to ${most}`;
  return z.number({ error }).int(error).min(least, error).max(most, error);
};

const SHARE = "expected a share from 0 to 1, such as 0.8";

/** The deroute count has four bits (section 3.3). */
const MAX_DEROUTES = 15;

export const switchParameters = {
  /** Maximum number of deroutes of a packet: n of Dahu-n. */
  deroutes: whole("a number of deroutes", 0, MAX_DEROUTES).default(1),
  /**
   * `one`: one group of all ports to switches. `offset_dimensions`: one group for each set of offset dimensions, whose ports lead along them
   * (constrained routing, section 4.2.2). `next_hops`: one group for each set of ports of shortest paths; these never deroute.
   * By default `one`, or `next_hops` without deroutes.
   */
  port_groups: z.enum(["one", "offset_dimensions", "next_hops"]).optional(),
  virtual_ports: whole("a number of virtual ports", 1, MAX_VIRTUAL_PORTS).default(1024),
  /** Utilisation of the shortest paths' ports from which further ports are allowed; 0: always. */
  threshold: z.number({ error: SHARE }).min(0, SHARE).max(1, SHARE).default(DEFAULT_THRESHOLD),
  /** How virtual ports are balanced: sections 4.5 and 4.4, or not at all. */
  balance: z.enum(["heuristic", "full", "none"]).default("heuristic"),
  /** Number of ports that offload in an epoch under the heuristic. */
  rounds: whole("a number of ports", 1, 65_535).default(DEFAULT_ROUNDS),
  /** Congestion feedback to the switch that derouted (section 7). */
  feedback: z.boolean().default(false),
};
