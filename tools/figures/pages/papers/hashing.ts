import { type Block, block, page, type RunDocument, run } from "../../block.js";
import { memory } from "../../blocks/memory.js";
import { fixed, pickKeys } from "../../text.js";

/** How evenly the groups of a fabric are loaded. */
interface SpreadRow {
  readonly scheme: string;
  /** Name of the map of an ISP, where the experiment varies it. */
  readonly map?: string;
  readonly groups: number;
  /** Coefficients of variation of the loads of a group's ports: quantiles over the groups. */
  readonly cv_p50: number;
  readonly cv_p90: number;
  readonly cv_max: number;
  /** Groups with a coefficient above 0.1. */
  readonly groups_above_01: number;
  readonly chance_p50: number;
  readonly chance_max: number;
  /** Maximum over minimum of the links of the least even pair of server blocks. */
  readonly pods_max_over_min: number | null;
}

const KEYS = [
  "scheme",
  "groups",
  "cv_p50",
  "cv_p90",
  "cv_max",
  "groups_above_01",
  "chance_p50",
  "chance_max",
  "pods_max_over_min",
] as const satisfies readonly (keyof SpreadRow)[];

const MAP = "topology.map";

/** A block of inline figures from the rows of an experiment of kind `spread`. */
function spread(
  file: string,
  values: (row: (scheme: string, map?: string) => SpreadRow) => Readonly<Record<string, string>>,
): Block {
  return block({
    runs: { rows: run(file) },
    pick: {
      rows: (document: RunDocument): SpreadRow[] =>
        document.rows.map((row: SpreadRow & { readonly [MAP]?: string }) => ({
          ...pickKeys(row, [...KEYS]),
          ...(row[MAP] === undefined ? {} : { map: row[MAP] }),
        })),
    },
    values: ({ rows }) =>
      values((scheme, map) => {
        const found = rows.find((row) => row.scheme === scheme && row.map === map);
        if (found === undefined) throw new Error(`no row of scheme ${scheme}, map ${map}`);
        return found;
      }),
  });
}

/** A coefficient of variation, or a ratio, with three digits. */
const cv = (value: number) => fixed(value, 3);
const ratio = ({ pods_max_over_min }: SpreadRow) => fixed(pods_max_over_min!, 2);

/** Sizes of coprime groups that figure 16 varies. */
const SIZES = [9, 17, 33, 57, 73];

interface LoadRow {
  readonly scheme: string;
  readonly flows: number;
  readonly fct_mean_ms: number;
  readonly fct_p99_ms: number;
  readonly link_cv: number;
}

export default page("docs/papers/hashing.md", {
  memory: memory(
    "hashing",
    "slots q",
    [{ title: "q / m, m = 8", of: (slots) => fixed(Number(slots) / 8, 2) }],
    { groups: "table of groups", group_members: "members" },
  ),
  /** Figure 6: maximum over minimum of the links of the least even pair of server blocks. */
  seeds: spread("examples/hashing/seeds.yaml", (row) => ({
    stage: ratio(row("by stage")),
    coprime: ratio(row("coprime")),
    ideal: ratio(row("ideal")),
  })),
  /** Figures 13 and 14. */
  recombining: spread("examples/hashing/recombining.yaml", (row) => {
    const ours = row("recombining 2 4");
    return {
      max: cv(ours.cv_max),
      median: cv(ours.cv_p50),
      chance: cv(ours.chance_p50),
      ideal: cv(row("ideal").cv_max),
      stage: cv(row("RTAG7 by stage").cv_max),
      one: cv(row("one function").cv_max),
    };
  }),
  /** Figures 15, 16 and 20. */
  coprime: spread("examples/hashing/coprime.yaml", (row) => {
    const bySize = SIZES.map((size) => row(`coprime 8 ${size}`));
    const [ours, stage] = [row("coprime 8 57"), row("by stage")];
    return {
      max: cv(ours.cv_max),
      stageMax: cv(stage.cv_max),
      stageMedian: cv(stage.cv_p50),
      portPods: ratio(row("by port")),
      stagePods: ratio(stage),
      oursPods: ratio(ours),
      idealPods: ratio(row("ideal")),
      p90: bySize.map(({ cv_p90 }) => cv(cv_p90)).join(", "),
      medians: bySize.map(({ cv_p50 }) => cv(cv_p50)).join(", "),
    };
  }),
  /** Figure 17. */
  wcmp: spread("examples/hashing/wcmp.yaml", (row) => {
    const [naive, split] = [row("naive"), row("split")];
    return {
      max: `${cv(naive.cv_max)} and ${cv(split.cv_max)}`,
      median: `${cv(naive.cv_p50)} and ${cv(split.cv_p50)}`,
      chance: cv(Math.max(naive.chance_max, split.chance_max)),
    };
  }),
  /** Figures 18 and 19. */
  isp: spread("examples/hashing/isp.yaml", (row) => {
    const above = (functions: string, map: string) =>
      String(row(`random of ${functions}`, map).groups_above_01);
    return {
      ...Object.fromEntries(
        ["exodus", "abovenet"].flatMap((map) => [
          [`${map}Six`, cv(row("random of six", map).cv_max)],
          [`${map}Sixteen`, cv(row("random of sixteen", map).cv_max)],
          [`${map}Coprime`, cv(row("coprime", map).cv_max)],
          [`${map}Chance`, cv(row("coprime", map).chance_max)],
          [`${map}AboveSix`, `${above("six", map)} of ${row("random of six", map).groups}`],
          [`${map}AboveSixteen`, `${above("sixteen", map)} of ${row("random of sixteen", map).groups}`],
          [`${map}AboveForty`, above("forty", map)],
          [`${map}AboveCoprime`, String(row("coprime", map).groups_above_01)],
        ]),
      ),
    };
  }),
  /** Completion times in the packet simulator. */
  websearch: block({
    runs: { rows: [1, 2, 3].map((seed) => run("examples/hashing/websearch.yaml", "--seed", String(seed))) },
    pick: {
      // A list of runs gives a list of documents.
      rows: (documents: RunDocument): LoadRow[][] =>
        documents.map(({ rows }: { rows: (LoadRow & { size: string })[] }) =>
          rows
            .filter(({ size }) => size === "all")
            .map((row) => pickKeys(row, ["scheme", "flows", "fct_mean_ms", "fct_p99_ms", "link_cv"])),
        ),
    },
    slow: true,
    values: ({ rows: seeds }) => {
      const of = (scheme: string, key: "fct_mean_ms" | "fct_p99_ms" | "link_cv", digits: number) => {
        const values = seeds.map((rows) => rows.find((row) => row.scheme === scheme)![key]);
        return `${fixed(Math.min(...values), digits)} to ${fixed(Math.max(...values), digits)}`;
      };
      const shown = (scheme: string) =>
        `mean ${of(scheme, "fct_mean_ms", 2)}, p99 ${of(scheme, "fct_p99_ms", 1)} ms, link CV ${of(scheme, "link_cv", 2)}`;
      const flows = seeds.map(([first]) => first!.flows);
      return {
        flows: `${Math.min(...flows)} to ${Math.max(...flows)}`,
        one: shown("one function"),
        stage: shown("by stage"),
        recombining: shown("recombining"),
      };
    },
  }),
});
