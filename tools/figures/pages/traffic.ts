import { block, page, script } from "../block.js";
import { significant, table } from "../text.js";

/** The distributions of `data/cdf` in the order of the page, by row. */
const WORKLOADS: readonly [names: readonly string[], workload: string][] = [
  [["web_search"], "web search: DCTCP (SIGCOMM 2010), points of the HPCC generator"],
  [["data_mining"], "data mining: VL2 (SIGCOMM 2009), points of HKUST's TrafficGenerator"],
  [["hadoop"], "Facebook Hadoop: points of the HPCC generator (SIGCOMM 2019)"],
  [
    ["hadoop_all", "web_server", "cache_follower"],
    "Facebook clusters, all destinations: Roy et al. (SIGCOMM 2015), points of the Parsimon evaluation",
  ],
  [["storage"], "Alibaba block storage 2019: points of the HPCC generator"],
  [["rpc"], "Google RPCs 2008: points of the HPCC generator"],
  [["p4te_web_search", "p4te_data_mining"], "the six sizes of the runs of P4TE's authors"],
];

const size = (bytes: number) =>
  bytes < 1e6 ? `${significant(bytes / 1e3)} KB` : `${significant(bytes / 1e6)} MB`;

export default page("docs/traffic.md", {
  sizes: block({
    runs: { means: script("tools/figures/measure/size-means.ts") },
    pick: { means: (document): Record<string, number> => document },
    inputs: WORKLOADS.flatMap(([names]) => names.map((name) => `data/cdf/${name}.txt`)),
    render: ({ means }) =>
      table(
        ["name", "workload", "mean"],
        WORKLOADS.map(([names, workload]) => [
          names.map((name) => `\`${name}\``).join(", "),
          workload,
          names.map((name) => size(means[name]!)).join(", "),
        ]),
      ),
  }),
});
