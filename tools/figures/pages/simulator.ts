import { block, page, type RunDocument, run, script } from "../block.js";
import { meanOf, seedsOf } from "../paired.js";
import { fixed, parsed, pickKeys, significant, table } from "../text.js";

interface Row {
  readonly size: string;
  readonly flows: number;
  /** In the order of the columns. */
  readonly p50: readonly number[];
  readonly p99: readonly number[];
}

const VICTIM_KEYS = [
  "seeds",
  "slowdown_mean",
  "slowdown_mean_ci95",
  "slowdown_p50",
  "retransmissions",
  "drops",
  "pfc_pauses",
] as const;

/** Of one control, with or without flow control: small flows are the victims, medium ones the incast. */
interface VictimRow {
  readonly control: string;
  readonly pfc: boolean;
  readonly size: string;
  readonly figures: Partial<Record<(typeof VICTIM_KEYS)[number], number>>;
}

const victimRows = (document: RunDocument): VictimRow[] =>
  document.rows
    .filter(({ size }: { size: string }) => size !== "all")
    .map((row: Record<string, unknown>) => ({
      control: parsed(row.transport).congestion_control,
      pfc: parsed(row.queues).pfc !== undefined,
      size: row.size,
      figures: pickKeys(row, VICTIM_KEYS),
    }));

function victimRow(rows: readonly VictimRow[], control: string, pfc: boolean, size: string) {
  const found = rows.find((row) => row.control === control && row.pfc === pfc && row.size === size);
  if (found === undefined) throw new Error(`no row of ${control}, ${pfc}, ${size}`);
  return found.figures as Record<(typeof VICTIM_KEYS)[number], number>;
}

export default page("docs/simulator.md", {
  victims: block({
    runs: { rows: run("examples/compare/pfc-victim.yaml") },
    pick: { rows: victimRows },
    render: ({ rows }) =>
      table(
        [
          "control",
          "flow control",
          "victims: median slowdown",
          "victims: mean",
          "incast: mean slowdown",
          "sent again in a run",
          "packets lost",
          "pauses",
        ],
        (["fixed", "dcqcn"] as const).flatMap((control) =>
          [false, true].map((pfc) => {
            const [victim, incast] = ["small", "medium"].map((size) => victimRow(rows, control, pfc, size));
            const mean = (row: typeof victim) => meanOf(row!.slowdown_mean, row!.slowdown_mean_ci95);
            const inRun = (sum: number) => fixed(sum / victim!.seeds, 1);
            return [
              control === "fixed" ? "window of 48 KB" : "DCQCN",
              pfc ? "yes" : "no",
              fixed(victim!.slowdown_p50, 2),
              mean(victim),
              mean(incast),
              inRun(victim!.retransmissions + incast!.retransmissions),
              inRun(victim!.drops),
              inRun(victim!.pfc_pauses ?? 0),
            ];
          }),
        ),
      ),
    values: ({ rows }) => {
      const ratio = (control: string, size: string, key: "slowdown_mean" | "slowdown_p50") =>
        `${fixed(victimRow(rows, control, true, size)[key] / victimRow(rows, control, false, size)[key], 2)} times`;
      const intervals = (control: string) =>
        [false, true]
          .map((pfc) => victimRow(rows, control, pfc, "small"))
          .map((row) => meanOf(row.slowdown_mean, row.slowdown_mean_ci95))
          .join(" and ");
      return {
        seeds: seedsOf(rows.map(({ figures }) => ({ seeds: figures.seeds! }))),
        window: ratio("fixed", "small", "slowdown_mean"),
        windowIntervals: intervals("fixed"),
        dcqcnIntervals: intervals("dcqcn"),
        dcqcn: ratio("dcqcn", "small", "slowdown_mean"),
        incast: ratio("fixed", "medium", "slowdown_mean"),
      };
    },
  }),
  fatTree: block({
    runs: { rows: script("tools/figures/measure/fat-tree-times.ts") },
    pick: { rows: (document): readonly Row[] => document },
    // ns-3 is not installed where CI runs.
    slow: true,
    render: ({ rows }) =>
      table(
        [
          "size (flows)",
          "figure",
          "p4loom",
          "ns-3, first in first out",
          "ns-3, in turn",
          "ns-3, seed 1",
          "ns-3, seed 2",
        ],
        rows.flatMap(({ size, flows, p50, p99 }) => [
          [`${size} (${flows})`, "p50", ...p50.map((ms) => significant(ms))],
          [`${size} (${flows})`, "p99", ...p99.map((ms) => significant(ms))],
        ]),
      ),
  }),
});
