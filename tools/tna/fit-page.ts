/** The page docs/tna/fit-accuracy.md, from the records of `fit.ts`. */
import type { Verdict } from "../../src/toolchain/fit/index.js";
import type { Chip } from "./corpus.js";

/** The resources of a stage that both count, by the name in the compiler's record. */
export const RESOURCES = [
  "srams",
  "tcams",
  "logical_tables",
  "meter_alus",
  "stats_alus",
  "hash_dist_units",
] as const;
export type Resource = (typeof RESOURCES)[number];

/** One case: the compiler's stages and sums over all stages, and ours. */
export interface FitRecord {
  case: string;
  chip: Chip;
  theirs: { stages: number; sums: Partial<Record<Resource, number>> };
  ours?: { stages: number; verdict: Verdict; sums: Partial<Record<Resource, number>>; ms: number };
  /** Why there is no fit, or the first reason of a refusal. */
  reason?: string;
}

type Compared = FitRecord & { ours: NonNullable<FitRecord["ours"]> };

export function fitPage(records: readonly FitRecord[]): string {
  const compared = records.filter((one): one is Compared => one.ours !== undefined);
  const share = (count: number, of = compared.length) =>
    `${count} of ${of} (${((100 * count) / Math.max(1, of)).toFixed(1)} %)`;
  const within = (most: number) =>
    compared.filter(({ ours, theirs }) => Math.abs(ours.stages - theirs.stages) <= most).length;
  const verdicts = ["placed", "fits by counts", "cannot fit", "refused"] as const;
  const times = compared.map(({ ours }) => ours.ms).sort((a, b) => a - b);
  return `# Fit of TNA programs beside the open compiler

Made by \`CORPUS=DIR RIVAL=DIR npx tsx tools/tna/fit.ts\`: the public designs that the open Tofino compiler placed, each for its chip, by
\`p4loom fit\`. Sums are over all stages of the longest pipe. What \`fit\` does not model yet stands in [../fit/README.md](../fit/README.md).

<!-- not measured: results of comparisons -->
| | |
|---|---|
| designs placed by the compiler | ${records.length} |
| read by \`fit\` | ${share(compared.length, records.length)} |
| same number of stages | ${share(within(0))} |
| within one stage | ${share(within(1))} |
| within two stages | ${share(within(2))} |
${verdicts.map((verdict) => `| verdict \`${verdict}\` | ${share(compared.filter(({ ours }) => ours.verdict === verdict).length)} |`).join("\n")}
| time of a fit without the compile, median and longest | ${times[Math.floor(times.length / 2)] ?? 0} ms, ${times.at(-1) ?? 0} ms |

## Resources

The share of designs whose sum is within 5 % of the compiler's, or within one where it is small.

<!-- not measured: results of comparisons -->
| resource | designs |
|---|---|
${RESOURCES.map((name) => `| ${name} | ${share(compared.filter((one) => isClose(one, name)).length)} |`).join("\n")}

## Differences

Designs with another number of stages by more than one, or with a verdict that is wrong. A reason is the first one that \`fit\` gives.

<!-- not measured: results of comparisons -->
| design | compiler | fit | verdict | reason |
|---|---|---|---|---|
${compared
  .filter(
    ({ ours, theirs }) =>
      Math.abs(ours.stages - theirs.stages) > 1 ||
      ours.verdict === "refused" ||
      ours.verdict === "cannot fit",
  )
  .map(
    ({ case: name, theirs, ours, reason = "" }) =>
      `| ${name} | ${theirs.stages} | ${ours.stages} | ${ours.verdict} | ${cell(reason)} |`,
  )
  .join("\n")}
${records
  .filter(({ ours }) => ours === undefined)
  .map(
    ({ case: name, theirs, reason = "" }) =>
      `| ${name} | ${theirs.stages} | - | not read | ${cell(reason)} |`,
  )
  .join("\n")}
`.replace(/\n\n+$/, "\n");
}

function isClose({ ours, theirs }: Compared, name: Resource): boolean {
  const [a, b] = [ours.sums[name] ?? 0, theirs.sums[name] ?? 0];
  return Math.abs(a - b) <= Math.max(1, 0.05 * b);
}

function cell(text: string): string {
  const short = text.length > 160 ? `${text.slice(0, 159)}…` : text;
  return short.replaceAll("|", "\\|").replaceAll("\n", " ");
}
