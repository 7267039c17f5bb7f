/** Table and page of the kind `localise_packets`. */
import { rowsPage } from "../../view/parts.js";
import type { View } from "../../view/view.js";
import type { SchemeUnit } from "../kind.js";
import { RESULT_COLUMNS } from "../localise/result.js";
import type { LocalisePacketsRow } from "./rows.js";
import type { LocalisePackets } from "./schema.js";
import type { LocaliseOnEngine } from "./search.js";

export const LOCALISE_PACKETS_VIEW: View<LocalisePackets, SchemeUnit, LocaliseOnEngine, LocalisePacketsRow> =
  {
    columns: [
      { key: "failed", title: "failed" },
      { key: "loss", title: "loss" },
      { key: "failures", title: "failures" },
      ...RESULT_COLUMNS,
      { key: "probes_p50", title: "probes p50" },
      { key: "probes_p95", title: "p95" },
      { key: "time_p50_ms", title: "ms p50" },
      { key: "time_p95_ms", title: "p95" },
      { key: "probes", title: "probes in all" },
      { key: "contradicted", title: "not as the path model" },
    ],
    page: rowsPage,
  };
