/** The number of port groups that a switch may have, for packets and flows alike. */
import { fail, type Locate } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { MAX_GROUPS } from "./policy/port-groups.js";

/** Fails with P45412 where the switch with this name would need more groups than its maximum. */
export function checkGroupCount(groups: number, name: string, locate: Locate): void {
  if (groups <= MAX_GROUPS) return;
  fail(
    CODES.tooManyPortGroups,
    locate(["port_groups"]) ?? locate(["deroutes"]),
    `"${name}" would need ${groups} port groups: a switch has ${MAX_GROUPS}`,
    "write `port_groups: one`",
  );
}
