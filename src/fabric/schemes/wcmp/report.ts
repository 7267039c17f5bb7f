/**
 * `p4loom generate wcmp --report`: the size of exact groups, the size of groups within the limit, and the deviation of their
 * next hops' shares from the capacities.
 */
import { z } from "zod";
import { formatTable } from "../../../base/index.js";
import { computeRoutes, type Role, switchesOf, type Topology } from "../../topology/index.js";
import type { ReportText, SchemeReport } from "../scheme.js";
import { groupMembersSchema, oversubscription, replicas } from "./group.js";
import { PathCapacity, portsToRacks } from "./path-capacity.js";

const options = z.strictObject({
  /** As the scheme's parameter. */
  group_members: groupMembersSchema,
});

export const wcmpReport: SchemeReport = {
  topologies: [],
  options,
  make: (subject, given): ReportText =>
    reductionReport(subject as Topology, (given as z.output<typeof options>).group_members),
};

/** The size of exact groups, and the deviation of groups of at most `most` members from the capacities. */
export function reductionReport(topology: Topology, most: number): ReportText {
  const rows = reduction(topology, most);
  const table = formatTable(
    [
      "role",
      "switches",
      "groups",
      "members",
      "largest group",
      "exact group",
      "next hops",
      "worst error",
      "mean error",
    ],
    rows.map((row) => [
      row.role,
      row.switches,
      row.groups,
      row.members,
      row.largest_group,
      row.exact_group,
      row.next_hops,
      `${(100 * row.worst_error).toFixed(2)} %`,
      `${(100 * row.mean_error).toFixed(2)} %`,
    ]),
  );
  const note =
    `groups of at most ${most} members; groups and members of the largest switch of a role. The error of a group is the ` +
    "largest share of a next hop over what its capacity asks for, less 1.";
  return { rows, text: `${table}\n\n${note}` };
}

interface ReductionRow {
  readonly role: Role;
  readonly switches: number;
  readonly groups: number;
  readonly members: number;
  readonly largest_group: number;
  /** Members that the largest group would need to be exact, and its next hops. */
  readonly exact_group: number;
  readonly next_hops: number;
  readonly worst_error: number;
  readonly mean_error: number;
}

/** The effect of the limit, for each role whose switches have groups. */
function reduction(topology: Topology, most: number): ReductionRow[] {
  const portsTo = portsToRacks(topology, computeRoutes(topology));
  const capacities = topology.racks.map(({ index }) => new PathCapacity(topology, portsTo, index));
  const roles = [...new Set(switchesOf(topology).map(({ role }) => role))];
  return roles.flatMap((role): ReductionRow[] => {
    const errors: number[] = [];
    let [groups, members, largest, exact, hops] = [0, 0, 0, 0, 0];
    const own = switchesOf(topology, role);
    for (const { index } of own) {
      const known = new Map<string, number>();
      for (const capacity of capacities) {
        const ports = portsTo(index, capacity.rack) ?? [];
        if (ports.length < 2) continue;
        const used = ports.slice(0, most);
        const wanted = used.map((port) => capacity.through(index, port));
        const counts = replicas(wanted, most);
        const key = used.map((port, i) => `${port} ${counts[i]}`).join(",");
        if (known.has(key)) continue;
        const size = counts.reduce((sum, one) => sum + one, 0);
        known.set(key, size);
        errors.push(oversubscription(counts, wanted) - 1);
        largest = Math.max(largest, size);
        hops = Math.max(hops, ports.length);
        exact = Math.max(
          exact,
          replicas(wanted, Number.MAX_SAFE_INTEGER).reduce((sum, one) => sum + one, 0),
        );
      }
      groups = Math.max(groups, known.size);
      members = Math.max(
        members,
        [...known.values()].reduce((sum, one) => sum + one, 0),
      );
    }
    if (errors.length === 0) return [];
    return [
      {
        role,
        switches: own.length,
        groups,
        members,
        largest_group: largest,
        exact_group: exact,
        next_hops: hops,
        worst_error: Math.max(...errors),
        mean_error: errors.reduce((sum, one) => sum + one, 0) / errors.length,
      },
    ];
  });
}
