/** Flows that are known before a run, so that a scheme may plan them: it assigns their source ports and selectors before they open. */
import type { Diagnostics, Locate } from "../../base/index.js";
import type { FlowAssignment } from "../hosts/index.js";
import type { FlowArrival, Workload } from "../traffic/index.js";
import { CODES } from "./codes.js";
import type { SchemeRun } from "./scheme-run.js";

/** Adds P45308 at each scheme that plans flows. `why`: the reason why the flows of this experiment cannot be planned. */
export function refusePlanning(
  schemes: readonly SchemeRun[],
  why: string,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  for (const [i, { label, assign }] of schemes.entries())
    if (assign !== undefined)
      diagnostics.error(
        CODES.unknownFlows,
        locate(["schemes", i]),
        `scheme ${label} assigns paths to flows before they open: ${why}`,
        "leave planning out of the scheme, or write an experiment whose flows are known: kind load without a loop, or kind timeline",
      );
}

const PROTOCOLS = { tcp: 6, udp: 17 } as const;

/** Assignments by the number of the flow; undefined where the scheme plans none. */
export function assignmentsOf(
  { assign }: Pick<SchemeRun, "assign">,
  version: 4 | 6,
  workload: () => Workload,
): ReadonlyMap<number, FlowAssignment> | undefined {
  if (assign === undefined) return undefined;
  const flows: FlowArrival[] = [];
  const all = workload();
  for (let flow = all.next(); flow !== undefined; flow = all.next()) flows.push(flow);
  const assigned = assign(
    flows.map(({ source, destination, protocol, port, bytes }) => ({
      source,
      destination,
      version,
      protocol: PROTOCOLS[protocol],
      destinationPort: port,
      bytes,
    })),
  );
  return new Map(flows.map(({ id }, i) => [id, assigned[i]!]));
}
