/** Checks a file of the kind `spread`: its schemes have a path model, its pattern fits the network. */
import type { SourceFile } from "../../../../base/index.js";
import type { Topology } from "../../../topology/index.js";
import type { SizeDistribution } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import type { CheckContext, SchemeUnit } from "../kind.js";
import { TrafficFiles } from "../load/traffic-files.js";
import { plansWithPaths } from "../plans-with-paths.js";
import type { SpreadSettings } from "./schema.js";

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
