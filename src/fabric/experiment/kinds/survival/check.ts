/** Checks a file of the kind `survival`: its schemes have a path model, its hosts and failures exist in the network. */

import { z } from "zod";
import { defined, type SourceFile } from "../../../../base/index.js";
import { nodeNamed, type Topology, topologySchema } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import { fabricKeys, ipSchema, whole } from "../../experiment.js";
import type { CheckContext, SchemeUnit } from "../kind.js";
import { plansWithPaths } from "../plans-with-paths.js";

/** A scheme. */
export type SurvivalUnit = SchemeUnit;

export interface Survival {
  readonly source: SourceFile;
  readonly settings: SurvivalSettings;
  readonly topology: Topology;
  readonly units: readonly SurvivalUnit[];
}

/** Adds P45210 for a scheme without a path model, P45521 for hosts without a peer, P45522 for a tier without switches. */
export function survivalOf(check: CheckContext<SurvivalSettings>): Survival {
  const { source, value, topology } = check;
  const runs = plansWithPaths(check);
  checkHosts(check);
  checkTiers(check);
  const units = runs.map((run) => ({
    scheme: run,
    name: "survival",
    steps: 1 + Math.floor(value.connections / 1e5),
  }));
  return { source, settings: value, topology, units };
}

function checkHosts({
  value: { between },
  topology,
  locate,
  diagnostics,
}: CheckContext<SurvivalSettings>): void {
  const wrong = (message: string, help: string) =>
    diagnostics.error(CODES.survivalHosts, locate(["between"]) ?? locate(["topology"]), message, help);
  if (typeof between === "string") {
    const places = new Set(topology.racks.map((rack, i) => (between === "inter_pod" ? rack.pod : i)));
    if (places.size < 2)
      wrong(
        `all hosts of the topology are in one ${between === "inter_pod" ? "pod" : "rack"}`,
        between === "inter_pod" ? "write between: inter_rack" : "write a topology with two racks or more",
      );
    return;
  }
  const hosts = between.map((name) => {
    const host = nodeNamed(topology, name);
    if (host?.role === "host") return host;
    const known = defined(topology.nodes.find(({ role }) => role === "host")).name;
    wrong(`"${name}" is no host of the topology`, `hosts have names such as ${known}`);
    return undefined;
  });
  const [a, b] = hosts.map((host) => host?.host?.rack);
  if (a !== undefined && a === b)
    wrong("both hosts are in one rack, and their paths have no choices", "name hosts of two racks");
}

function checkTiers({
  value: { failures },
  topology,
  locate,
  diagnostics,
}: CheckContext<SurvivalSettings>): void {
  for (const [i, failure] of failures.entries()) {
    const role = failure === "link" ? "leaf" : failure;
    if (topology.nodes.some((node) => node.role === role)) continue;
    diagnostics.error(
      CODES.survivalTier,
      locate(["failures", i]),
      `the topology has no switch with the role ${role}`,
      "leave the failure out",
    );
  }
}

// The experiment file of the kind `survival`: which connections with several subflows survive a failed switch or link, without packets
// (P-ECMP, NSDI'25, section 5.2, "Multi-path protocol").

const TIERS = ["tor", "leaf", "spine", "link"] as const;

export const survivalSchema = z.strictObject({
  kind: z.literal("survival").optional(),
  name: fabricKeys.name,
  title: fabricKeys.title,
  seed: fabricKeys.seed,
  engine: z.literal("sim", { error: "expected sim: the kind survival has no packets" }).default("sim"),
  topology: topologySchema,
  schemes: fabricKeys.schemes,
  connections: whole("a number of connections", 1, 1e8),
  connection_subflows: whole("a number of subflows", 1, 16).default(4),
  /** Each subflow has a client port of its own, or all have one five-tuple and differ by their selectors alone. */
  subflow_ports: z.enum(["own", "shared"]).default("own"),
  /** All connections are between the two hosts, or each between two hosts that are drawn. */
  between: z
    .union([z.tuple([z.string(), z.string()]), z.enum(["inter_rack", "inter_pod"])], {
      error: "expected two hosts, inter_rack or inter_pod",
    })
    .default("inter_rack"),
  /** What fails: a ToR or a leaf of the client's side, a spine, or a link from a ToR of the client to a leaf. */
  failures: z.array(z.enum(TIERS)).min(1),
  ip: ipSchema,
  sweep: fabricKeys.sweep,
  output: z.string().min(1).optional(),
});

export type SurvivalSettings = z.output<typeof survivalSchema>;
export type SurvivalFailure = SurvivalSettings["failures"][number];
