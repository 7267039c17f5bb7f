/** What a link carries in a time, in the units in which programs of switches count its packets. */
import type { Link } from "../topology/index.js";

/** Units of a packet on a link with a rate in packets. */
const PACKET_UNITS = 1000;

/** `units`: what each packet counts, 0 for its bytes; `capacity`: what the full link carries in `timeNs`, in these units. */
export function capacityOf({ rateBps, ratePps }: Link, timeNs: number): { units: number; capacity: number } {
  if (ratePps !== undefined && ratePps * PACKET_UNITS * 8 < rateBps)
    return { units: PACKET_UNITS, capacity: (ratePps * PACKET_UNITS * timeNs) / 1e9 };
  return { units: 0, capacity: (rateBps * timeNs) / 8e9 };
}
