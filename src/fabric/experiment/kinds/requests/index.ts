/** The kind `requests`: an application that sends requests, closes unresponsive connections and retries, while faults happen. A unit is a scheme. */
import type { SweepKind, Unit } from "../kind.js";
import { requestsOf } from "./check.js";
import type { RequestsOutcome } from "./on-simulator.js";
import { type RequestsRow, requestsRow } from "./rows.js";
import { type Requests, type RequestsSettings, requestsSchema } from "./schema.js";
import { REQUESTS_VIEW } from "./view.js";

export const REQUESTS: SweepKind<RequestsSettings, Requests, Unit, RequestsOutcome, RequestsRow, never> = {
  name: "requests",
  keys: ["application"],
  schema: requestsSchema,
  takesRuns: false,
  check: requestsOf,
  units: ({ schemes }) => schemes.map((scheme) => ({ scheme, name: "requests", steps: 1 })),
  async onSimulator(experiment, _unit, stage) {
    const { playRequests } = await import("./on-simulator.js");
    const outcome = await playRequests(experiment, stage);
    await stage.stepDone();
    return outcome;
  },
  lab: undefined,
  rowsOfSeeds: ({ settings }, { scheme }, outcomes) =>
    outcomes.length === 0 ? [] : [requestsRow(scheme, settings.application, outcomes)],
  portable: { toJson: (outcome) => outcome, fromJson: (json) => json as RequestsOutcome },
  view: REQUESTS_VIEW,
};
