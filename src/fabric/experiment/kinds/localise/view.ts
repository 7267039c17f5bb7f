/** Table and page of the kind `localise`. */
import { escapeMarkup } from "../../../../base/index.js";
import { decimals, textTable } from "../../view/parts.js";
import type { View } from "../../view/view.js";
import type { Localise, LocaliseUnit } from "./check.js";
import type { LocaliseOutcome } from "./outcome.js";
import { RESULT_COLUMNS } from "./result.js";
import type { LocaliseRow } from "./rows.js";

export const LOCALISE_VIEW: View<Localise, LocaliseUnit, LocaliseOutcome, LocaliseRow> = {
  columns: [
    { key: "failed", title: "failed" },
    { key: "loss", title: "loss", format: decimals(4) },
    { key: "failures", title: "failures" },
    { key: "candidates", title: "of" },
    ...RESULT_COLUMNS,
    { key: "probes_p50", title: "probes p50", format: decimals(0) },
    { key: "probes_p95", title: "p95", format: decimals(0) },
    { key: "time_p50_ms", title: "ms p50", format: decimals(1) },
    { key: "time_p95_ms", title: "p95", format: decimals(1) },
    { key: "n", title: "n", format: decimals(0) },
    { key: "crossed", title: "by a probe", format: decimals(2) },
    { key: "cover_probes", title: "probes to cover", format: decimals(1) },
    { key: "cover_ratio", title: "ratio", format: decimals(2) },
    { key: "coupon_collector", title: "n H(n)", format: decimals(1) },
    { key: "n_ln_n", title: "n ln n", format: decimals(1) },
  ],
  page: ({ keys, points, rows }) => ({
    style: "adaptive",
    parts: [
      { html: `<pre>${escapeMarkup(textTable(LOCALISE_VIEW.columns, rows, keys))}</pre>` },
      { unfold: { title: "Experiment file", content: points[0]!.experiment.source.text } },
    ],
  }),
};
