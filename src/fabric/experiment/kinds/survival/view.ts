/** Table and page of the kind `survival`. */
import { rowTable, topologyPage } from "../../view/parts.js";
import type { View } from "../../view/view.js";
import type { Survival, SurvivalUnit } from "./check.js";
import type { SurvivalOutcome } from "./outcome.js";
import type { SurvivalRow } from "./rows.js";

export const SURVIVAL_VIEW: View<Survival, SurvivalUnit, SurvivalOutcome, SurvivalRow> = {
  columns: [
    { key: "failure", title: "failure" },
    { key: "sites", title: "N" },
    { key: "connections", title: "connections" },
    { key: "lost", title: "lost" },
    { key: "random_lost", title: "lost by chance" },
    { key: "lost_subflows_share", title: "subflows lost" },
  ],
  page(results) {
    const { settings } = results.points[0]!.experiment;
    const lead = `${settings.connections} connections; seeds ${results.seeds.join(", ")}.`;
    return topologyPage(results, lead, [{ heading: "Results", html: rowTable(results.rows) }]);
  },
};
