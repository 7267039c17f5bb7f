/** Table and page of the kind `requests`. */

import { rowsPage } from "../../view/parts.js";
import type { View } from "../../view/view.js";
import type { SchemeUnit } from "../kind.js";
import type { RequestsOutcome } from "./on-simulator.js";
import type { RequestsRow } from "./rows.js";
import type { Requests } from "./schema.js";

export const REQUESTS_VIEW: View<Requests, SchemeUnit, RequestsOutcome, RequestsRow> = {
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
