/** The settings of Dahu's switches, for the packet and the flow simulator. */
import { z } from "zod";
import { fail, type Locate } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { GroupKind } from "./group-layout.js";
import { DEFAULT_ROUNDS } from "./policy/heuristic.js";
import { MAX_VIRTUAL_PORTS } from "./policy/port-groups.js";
import { DEFAULT_THRESHOLD, type FurtherRule } from "./policy/threshold.js";

const whole = (what: string, least: number, most: number) => {
  const error = `expected ${what} from ${least} to ${most}`;
  return z.number({ error }).int(error).min(least, error).max(most, error);
};

const SHARE = "expected a share from 0 to 1, such as 0.8";

/** The deroute count has four bits (section 3.3). */
const MAX_DEROUTES = 15;

/** The kind of port groups and the maximum number of deroutes. Fails with P45417 for deroutes by groups that have shortest paths alone. */
export function derouting(
  {
    deroutes,
    port_groups: groups,
  }: { readonly deroutes?: number | undefined; readonly port_groups?: GroupKind | undefined },
  locate: Locate,
): { readonly deroutes: number; readonly kind: GroupKind } {
  if (groups === "next_hops" && (deroutes ?? 0) > 0)
    fail(
      CODES.noDeroutes,
      locate(["deroutes"]) ?? locate(["port_groups"]),
      `deroutes: ${deroutes} has no effect with port_groups: next_hops, whose groups have the ports of shortest paths alone`,
      "write `deroutes: 0`, or `port_groups: one`",
    );
  const most = deroutes ?? (groups === "next_hops" ? 0 : 1);
  return { deroutes: most, kind: groups ?? (most === 0 ? "next_hops" : "one") };
}

/** The rule of figure 4 by the settings. Fails with P45416 for an `off_threshold` above `threshold`. */
export function furtherRule(
  {
    threshold,
    off_threshold: offThreshold = threshold,
    off_epochs: offEpochs,
  }: { readonly threshold: number; readonly off_threshold?: number | undefined; readonly off_epochs: number },
  locate: Locate,
): FurtherRule {
  if (offThreshold > threshold)
    fail(
      CODES.offThreshold,
      locate(["off_threshold"]),
      `off_threshold, ${offThreshold}, is above threshold, ${threshold}: further ports would be denied where they are allowed`,
      "write a smaller off_threshold, or none",
    );
  return { threshold, offThreshold, offEpochs };
}

export const switchParameters = {
  /** Maximum number of deroutes of a packet: n of Dahu-n. By default 1, or 0 with `port_groups: next_hops`. */
  deroutes: whole("a number of deroutes", 0, MAX_DEROUTES).optional(),
  /**
   * `one`: one group of all ports to switches. `offset_dimensions`: one group for each set of offset dimensions, whose ports lead along them
   * (constrained routing, section 4.2.2). `next_hops`: one group for each set of ports of shortest paths; these never deroute.
   * By default `one`, or `next_hops` without deroutes.
   */
  port_groups: z.enum(["one", "offset_dimensions", "next_hops"]).optional(),
  virtual_ports: whole("a number of virtual ports", 1, MAX_VIRTUAL_PORTS).default(1024),
  /** Utilisation of the shortest paths' ports from which further ports are allowed; 0: always. */
  threshold: z.number({ error: SHARE }).min(0, SHARE).max(1, SHARE).default(DEFAULT_THRESHOLD),
  /** Utilisation below which further ports are denied again; absent: `threshold`. */
  off_threshold: z.number({ error: SHARE }).min(0, SHARE).max(1, SHARE).optional(),
  /** Number of epochs in sequence below `off_threshold` after which further ports are denied. */
  off_epochs: whole("a number of epochs", 1, 255).default(1),
  /** How virtual ports are balanced: sections 4.5 and 4.4, or not at all. */
  balance: z.enum(["heuristic", "full", "none"]).default("heuristic"),
  /** Number of ports that offload in an epoch under the heuristic. */
  rounds: whole("a number of ports", 1, 65_535).default(DEFAULT_ROUNDS),
  /** Congestion feedback to the switch that derouted (section 7). */
  feedback: z.boolean().default(false),
};
