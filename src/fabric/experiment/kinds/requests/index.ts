/** The kind `requests`: an application that sends requests, closes unresponsive connections and retries, while faults happen. A unit is a scheme. */

import { defined } from "../../../../base/index.js";
import { QuantileSketch, quantile } from "../../../statistics/index.js";
import { type SchemeRun, withSchemes } from "../../experiment.js";
import { rowsPage } from "../../view/parts.js";
import type { View } from "../../view/view.js";
import type { Kind, SchemeUnit } from "../kind.js";
import { onFabric } from "../registered-kind.js";
import {
  type Application,
  type Requests,
  type RequestsSettings,
  requestsOf,
  requestsSchema,
} from "./check.js";
import type { RequestsOutcome } from "./on-simulator.js";

// Table and page of the kind `requests`.

const REQUESTS_VIEW: View<Requests, SchemeUnit, RequestsOutcome, RequestsRow> = {
  columns: [
    { key: "seeds", title: "seeds" },
    { key: "ios", title: "IOs" },
    { key: "unfinished", title: "unfinished" },
    { key: "slow", title: "slow" },
    { key: "latency_p50_ms", title: "p50 ms" },
    { key: "latency_p99_ms", title: "p99 ms" },
    { key: "jitter_share", title: "jitter" },
    { key: "jitter_min_s", title: "min s" },
    { key: "jitter_p50_s", title: "p50 s" },
    { key: "jitter_max_s", title: "max s" },
    { key: "hang_share", title: "hang" },
    { key: "hang_min_s", title: "min s" },
    { key: "hang_p50_s", title: "p50 s" },
    { key: "hang_max_s", title: "max s" },
    { key: "reconnects", title: "reconnects" },
    { key: "timeouts", title: "timeouts" },
  ],
  page: rowsPage,
};

export const REQUESTS: Kind<RequestsSettings, Requests, SchemeUnit, RequestsOutcome, RequestsRow> = {
  name: "requests",
  keys: ["application"],
  schema: withSchemes(requestsSchema),
  takesRuns: false,
  check: requestsOf,
  units: ({ schemes }) => schemes.map((scheme) => ({ scheme, name: "requests", steps: 1 })),
  runner: onFabric({
    async onSimulator(experiment, _unit, stage) {
      const { playRequests } = await import("./on-simulator.js");
      const outcome = await playRequests(experiment, stage);
      await stage.stepDone();
      return outcome;
    },
  }),
  rows: ({ settings }, { scheme }, outcomes) => [requestsRow(scheme, settings.application, outcomes)],
  view: REQUESTS_VIEW,
};

// Rows of the kind `requests`, one for each scheme and point over all seeds.

/** A row of `results.json`. */
type RequestsRow = { readonly scheme: string } & Readonly<Record<string, number | string | null>>;

function requestsRow(
  { label }: SchemeRun,
  { jitter, hang }: Application,
  outcomes: readonly RequestsOutcome[],
): RequestsRow {
  const sum = (count: (outcome: RequestsOutcome) => number) =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  const latency = outcomes
    .map((outcome) => QuantileSketch.fromJson(outcome.latency))
    .reduce((a, b) => a.merged(b), new QuantileSketch());
  const ms = (share: number) =>
    latency.count === 0 ? null : Number((latency.quantile(share) / 1e6).toPrecision(6));
  return {
    scheme: label,
    seeds: outcomes.length,
    ios: sum(({ ios }) => ios),
    unfinished: sum(({ unfinished }) => unfinished),
    slow: sum(({ slow }) => slow),
    latency_p50_ms: ms(0.5),
    latency_p99_ms: ms(0.99),
    latency_max_ms: ms(1),
    ...stretches(
      "jitter",
      outcomes.map((outcome) => outcome.jitter),
      jitter,
    ),
    ...stretches(
      "hang",
      outcomes.map((outcome) => outcome.hang),
      hang,
    ),
    reconnects: sum(({ reconnects }) => reconnects),
    timeouts: sum(({ timeouts }) => timeouts),
  };
}

/** The share of the seeds with an interval of at least `least`, and the lengths of these intervals. */
function stretches(name: string, lengths: readonly number[], least: number): Record<string, number | null> {
  const own = lengths.filter((length) => length >= least).sort((a, b) => a - b);
  const seconds = (ns: number) => Number((ns / 1e9).toFixed(3));
  const at = (share: number) => (own.length === 0 ? null : seconds(quantile(own, share)));
  return {
    [`${name}_share`]: own.length / lengths.length,
    [`${name}_min_s`]: own.length === 0 ? null : seconds(defined(own[0])),
    [`${name}_p50_s`]: at(0.5),
    [`${name}_max_s`]: own.length === 0 ? null : seconds(defined(own.at(-1))),
  };
}
