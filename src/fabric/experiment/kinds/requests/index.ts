/** The kind `requests`: an application that sends requests, closes unresponsive connections and retries, while faults happen. A unit is a scheme. */
import { withSchemes } from "../../experiment.js";
import type { Kind, SchemeUnit } from "../kind.js";
import { onFabric } from "../registered-kind.js";
import { requestsOf } from "./check.js";
import type { RequestsOutcome } from "./on-simulator.js";
import { type RequestsRow, requestsRow } from "./rows.js";
import { type Requests, type RequestsSettings, requestsSchema } from "./schema.js";
import { REQUESTS_VIEW } from "./view.js";

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
