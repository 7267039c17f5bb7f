/** Checks a file of the kind `spread`: its schemes have a path model, its pattern fits the network. */

import { z } from "zod";
import type { SourceFile } from "../../../../base/index.js";
import { type Topology, topologySchema } from "../../../topology/index.js";
import type { SizeDistribution } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import { fabricKeys, whole } from "../../experiment.js";
import type { CheckContext, SchemeUnit } from "../kind.js";
import { TrafficFiles } from "../load/traffic-files.js";
import { plansWithPaths } from "../plans-with-paths.js";

/** A scheme. */
export type SpreadUnit = SchemeUnit;

export interface Spread {
  readonly source: SourceFile;
  readonly settings: SpreadSettings;
  readonly topology: Topology;
  readonly units: readonly SpreadUnit[];
  readonly sizes: SizeDistribution | undefined;
}

/** Adds P45210 for a scheme without a path model, P45211 for a pattern without pairs, P42331 for sizes. */
export function spreadOf(check: CheckContext<SpreadSettings>): Spread {
  const { source, value, topology, locate, diagnostics } = check;
  const runs = plansWithPaths(check);
  checkPattern(check);
  const sizes =
    value.sizes === undefined
      ? undefined
      : new TrafficFiles(source, diagnostics).distribution(value.sizes, locate(["sizes"]));
  const units = runs.map((run) => ({
    scheme: run,
    name: "spread",
    steps: 1 + Math.floor(value.trace_flows / 1e6),
  }));
  return { source, settings: value, topology, units, sizes };
}

function checkPattern({
  value: { pattern },
  topology,
  locate,
  diagnostics,
}: CheckContext<SpreadSettings>): void {
  const { racks } = topology;
  const pods = new Set(racks.map(({ pod }) => pod)).size;
  const hosts = racks.reduce((sum, rack) => sum + rack.hosts.length, 0);
  if (pattern === "inter_rack" && racks.length < 2)
    diagnostics.error(
      CODES.spreadPattern,
      locate(["pattern"]),
      "all hosts of the topology are in one rack",
      "write pattern: any",
    );
  if (pattern === "inter_pod" && pods < 2)
    diagnostics.error(
      CODES.spreadPattern,
      locate(["pattern"]),
      "all hosts of the topology are in one pod",
      "write pattern: inter_rack",
    );
  if (hosts < 2)
    diagnostics.error(
      CODES.spreadPattern,
      locate(["topology"]),
      "the topology has one host, and flows need two",
    );
}

// The experiment file of the kind `spread`: how evenly schemes spread flows over groups and links, without packets.

const PATTERNS = ["any", "inter_rack", "inter_pod"] as const;

export const spreadSchema = z.strictObject({
  kind: z.literal("spread").optional(),
  name: fabricKeys.name,
  title: fabricKeys.title,
  seed: fabricKeys.seed,
  engine: z.literal("sim", { error: "expected sim: the kind spread has no packets" }).default("sim"),
  topology: topologySchema,
  schemes: fabricKeys.schemes,
  /** Number of flows that are traced, between hosts drawn by the pattern. */
  trace_flows: whole("a number of flows", 1, 1e9),
  pattern: z.enum(PATTERNS).default("inter_rack"),
  ip: z.union([z.literal(4), z.literal(6)], { error: "expected 4 or 6" }).default(4),
  /** Name of a distribution: the load of a flow is its size. Absent: all flows count equally. */
  sizes: z.string().optional(),
  /** Groups with fewer flows per port are left out: chance makes them uneven. */
  least_flows: whole("a number of flows", 1, 1e6).default(100),
  sweep: fabricKeys.sweep,
  output: z.string().min(1).optional(),
});

export type SpreadSettings = z.output<typeof spreadSchema>;
