/**
 * The kind `failover`: drawn flows, each hit by a failure on its path, and the time until its data get through again.
 * A unit is a scheme and a failure.
 */
import { type Diagnostics, defined, given, type Locate } from "../../../../base/index.js";
import type { Topology } from "../../../topology/index.js";
import type { PairPattern } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import { withSchemes } from "../../experiment.js";
import { refusePlanning } from "../../plan-schemes.js";
import type { CheckContext, Kind } from "../kind.js";
import { eachSeed, onFabric } from "../registered-kind.js";
import { type DrawnFailure, drawnFailures, FAILURES, failureOfWord, placesOf, siteKey } from "./failures.js";
import { type PathExample, type Row, rowOf, type Sample, type Series } from "./results.js";
import {
  type Experiment,
  type ExperimentSettings,
  experimentSchema,
  type FailoverFile,
  type FailoverUnit,
} from "./schema.js";
import { FAILOVER_VIEW } from "./view.js";

// Checks a file of the kind `failover`: each failure must have an element on the paths between the hosts.

/** Adds P43007 to P43009, P43014, P43020, and the codes of failures (P43029 to P43037). */
function checkFailover({
  source,
  value,
  topology,
  locate,
  diagnostics,
  plan,
}: CheckContext<FailoverFile>): Experiment {
  const { pairs = farthestPairs(topology), ip } = value.traffic;
  const settings: ExperimentSettings = { ...value, traffic: { pairs, ip } };
  const failures = drawnFailures(settings.failures, topology, ip, locate, diagnostics);
  checkMeaning(settings, failures, topology, locate, diagnostics);
  const schemes = plan(settings, settings.runs);
  refusePlanning(schemes, "the flows of this experiment are drawn one at a time", locate, diagnostics);
  return { source, locate, settings, topology, schemes, failures };
}

/** The pattern with the greatest distance: hosts in different pods, else in different racks, else any. */
function farthestPairs({ pods, racks }: Topology): PairPattern {
  return pods.length > 1 ? "inter_pod" : racks.length > 1 ? "inter_rack" : "any";
}

function checkMeaning(
  settings: ExperimentSettings,
  failures: readonly DrawnFailure[],
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  if (settings.give_up <= settings.transport.rto_margin)
    diagnostics.error(
      CODES.givesUpTooEarly,
      locate(["give_up"]) ?? locate([]),
      `give_up is ${settings.give_up / 1e6} ms: no flow can recover before its first timeout`,
      `write more than rto_margin, ${settings.transport.rto_margin / 1e6} ms`,
    );
  checkSites(settings, failures, topology, locate, diagnostics);
}

/** Every failure must have an element on the paths between the hosts of `traffic.pairs`. */
function checkSites(
  settings: ExperimentSettings,
  failures: readonly DrawnFailure[],
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  const { pairs } = settings.traffic;
  const possible = placesOf(topology, pairs);
  if (possible === undefined) {
    diagnostics.error(
      CODES.noPair,
      locate(["traffic", "pairs"]) ?? locate(["topology"]),
      `no two hosts of the topology are ${PAIR_NEEDS[pairs]}`,
      `traffic.pairs is ${pairs}; the topology has ${count(topology.pods.length, "pod")}, ` +
        `${count(topology.racks.length, "rack")}`,
      `write traffic: { pairs: ${farthestPairs(topology)} }, or leave pairs out`,
    );
    return;
  }
  for (const [i, { name, sites }] of failures.entries()) {
    if (sites.every((site) => possible.has(siteKey(site)))) continue;
    const words = FAILURES.filter((one) => possible.has(siteKey(defined(failureOfWord(one).sites[0]))));
    diagnostics.error(
      CODES.noPlace,
      locate(["failures", i]),
      `failure "${name}": no path between the hosts of traffic.pairs: ${pairs} has such an element`,
      `failures that have an element on these paths: ${words.join(", ") || "none"}`,
    );
  }
}

const PAIR_NEEDS = { any: "different", inter_rack: "in different racks", inter_pod: "in different pods" };

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

interface SeriesJson {
  readonly samples: readonly (Omit<Sample, "recoveryMs" | "rttMs"> & {
    readonly recoveryMs: number | null;
    readonly rttMs: number | null;
  })[];
  readonly example?: PathExample;
}

type Portable = NonNullable<Kind<FailoverFile, Experiment, FailoverUnit, Series, object>["portable"]>;

const PORTABLE_SERIES: Portable = {
  toJson: ({ samples, example }): SeriesJson => ({
    samples: samples.map((sample) => ({
      ...sample,
      recoveryMs: finiteOrNull(sample.recoveryMs),
      rttMs: finiteOrNull(sample.rttMs),
    })),
    ...given({ example }),
  }),
  fromJson: (json, { scheme, failure }) => {
    const { samples, example } = json as SeriesJson;
    return {
      scheme,
      failure,
      samples: samples.map((sample) => ({
        ...sample,
        recoveryMs: sample.recoveryMs ?? Number.POSITIVE_INFINITY,
        rttMs: sample.rttMs ?? Number.NaN,
      })),
      // JSON leaves out what is undefined.
      example:
        example === undefined
          ? undefined
          : {
              ...example,
              after: example.after,
              failedNode: example.failedNode,
              failedLink: example.failedLink,
            },
    };
  },
};

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

export const FAILOVER: Kind<FailoverFile, Experiment, FailoverUnit, Series, Row> = {
  name: "failover",
  keys: ["failures", "runs", "failure_time", "give_up"],
  schema: withSchemes(experimentSchema),
  takesRuns: true,
  check: checkFailover,
  units: ({ schemes, failures }) =>
    schemes.flatMap((scheme) =>
      failures.map((failure) => ({ scheme, failure, name: failure.name, steps: scheme.runs })),
    ),
  runner: onFabric({
    async onSimulator(experiment, { scheme, failure }, { fabric, seed, plane, power, play, stepDone }) {
      const { FailoverRig } = await import("./rig.js");
      const rig = new FailoverRig(experiment, fabric, plane === undefined ? undefined : power);
      const samples: Sample[] = [];
      for (let run = 0; run < scheme.runs; run++) {
        samples.push(await play(rig.runSteps(failure, run, seed)));
        await stepDone();
      }
      return { scheme, failure, samples, example: await play(rig.showSteps(failure, scheme.runs, seed)) };
    },
    testbed: async () => (await import("./on-testbed.js")).FAILOVER_ON_TESTBED,
  }),
  rows: eachSeed((experiment, _unit, series, engine) => [rowOf(experiment, series, engine)]),
  portable: PORTABLE_SERIES,
  view: FAILOVER_VIEW,
  isOneRun: true,
};
