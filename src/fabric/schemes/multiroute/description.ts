/** The shape of the description of this scheme's host policy, for descriptions that come from another process. */
import { z } from "zod";

export const FAILOVERS_OF_ROUTES = ["probe", "prr", "none"] as const;
export type FailoverOfRoutes = (typeof FAILOVERS_OF_ROUTES)[number];

const count = z.number().int().min(0);

export const routesDescription = z.strictObject({
  kind: z.literal("multiroute"),
  failover: z.enum(FAILOVERS_OF_ROUTES),
  /** IPv4 and IPv6 address (hexadecimal), rack, and the NIC that leads to each switch of the rack. */
  hosts: z.array(z.tuple([z.string(), z.string(), count, z.array(z.number().int().min(-1))])),
  /** By rack of the source and of the destination: selectors, each with the position of the rack's switch that the route begins at. */
  routes: z.array(z.array(z.array(z.tuple([count, count])))),
});

export type RoutesDescription = z.output<typeof routesDescription>;
