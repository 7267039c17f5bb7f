/** The page docs/tna/fit-accuracy.md, from the records of `fit.ts`. */
import { Random } from "../../src/base/index.js";
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
  "map_rams",
  "gateways",
  "hash_bits",
  "xbar_bytes_exact",
  "xbar_bytes_ternary",
  "vliw_slots",
  "action_bus_bytes",
] as const;
export type Resource = (typeof RESOURCES)[number];

/** Containers in use by size, as both count them: whole containers that tables can use. */
export const CONTAINERS = ["8b", "16b", "32b"] as const;
export type Containers = Readonly<Record<(typeof CONTAINERS)[number], number>>;

/** The seed of the draw of repositories whose designs no rule was learned from. */
const SEED = 29;
/** Seed of the second draw, from those that the first one held back. */
const SECOND_SEED = 30;
/** Repositories that were looked at before the draw. */
const LOOKED_AT: ReadonlySet<string> = new Set([
  "In-Net/EPIC",
  "Queue-Mem/queue-mem-p4",
  "cqzhangyu/roce-test",
  "daehyeok-kim/redplane-public",
  "erbth/mpitofino",
  "uni-tue-kn/P4TG",
]);

/** Whether the designs of the repository are held back. */
function isHeldBack(repository: string): boolean {
  const isDrawn = (seed: number) => new Random(seed).fork(repository).uint32() % 2 === 1;
  return !LOOKED_AT.has(repository) && isDrawn(SEED) && isDrawn(SECOND_SEED);
}

/** One case: the compiler's stages and sums over all stages, and ours. */
export interface FitRecord {
  case: string;
  chip: Chip;
  theirs: { stages: number; sums: Partial<Record<Resource, number>>; containers: Containers };
  ours?: {
    stages: number;
    verdict: Verdict;
    sums: Partial<Record<Resource, number>>;
    containers: Containers;
    ms: number;
  };
  /** Why there is no fit, or the first reason of a refusal. */
  reason?: string;
}

type Compared = FitRecord & { ours: NonNullable<FitRecord["ours"]> };

export function fitPage(records: readonly FitRecord[]): string {
  const halves: readonly (readonly FitRecord[])[] = [
    records,
    records.filter(({ ours }) => ours?.verdict === "placed"),
    records.filter((one) => !isHeldBack(repositoryOf(one))),
    records.filter((one) => isHeldBack(repositoryOf(one))),
  ];
  const compared = comparedOf(records);
  const row = (name: string, holds: (one: Compared) => boolean) =>
    `| ${name} | ${halves.map((half) => shareOf(comparedOf(half).filter(holds).length, comparedOf(half).length)).join(" | ")} |`;
  const within = (most: number) => (one: Compared) => Math.abs(one.ours.stages - one.theirs.stages) <= most;
  const verdicts = ["placed", "fits by counts", "cannot fit", "refused"] as const;
  const times = compared.map(({ ours }) => ours.ms).sort((a, b) => a - b);
  return `# Fit of TNA programs beside the open compiler

Made by \`CORPUS=DIR RIVAL=DIR npx tsx tools/tna/fit.ts\`: the public designs that the open Tofino compiler placed, each for its chip, by
\`p4loom fit\`. Sums are over all stages of the longest pipe. What \`fit\` does not model yet stands in [../fit/README.md](../fit/README.md).
The rules added since the draw of 2026-11-29 (seed ${SEED}, \`isHeldBack\` in tools/tna/fit-page.ts) were learned on the repositories "looked at"; earlier rules were
developed with all designs in view, whose results stood on this page. On 2026-11-30 half of the repositories held back were drawn to be looked at, too
(seed ${SECOND_SEED}). So "held back" is a test of the later rules alone. "Both place": those of all whose verdict is \`placed\`.

<!-- not measured: results of comparisons -->
| | all | both place | looked at | held back |
|---|---|---|---|---|
| designs placed by the compiler | ${halves.map(({ length }) => length).join(" | ")} |
| read by \`fit\` | ${halves.map((half) => shareOf(comparedOf(half).length, half.length)).join(" | ")} |
${row("same number of stages", within(0))}
${row("within one stage", within(1))}
${row("within two stages", within(2))}
${verdicts.map((verdict) => row(`verdict \`${verdict}\``, ({ ours }) => ours.verdict === verdict)).join("\n")}

Time of a fit without the compile: median ${times[Math.floor(times.length / 2)] ?? 0} ms, longest ${times.at(-1) ?? 0} ms, on a machine that did other work, too.
Before the exact crossbar and the allocation of containers: median 49 ms, longest 728 ms, on a quiet machine. <!-- not measured: depends on what else the machine did -->

## Resources

The share of designs whose sum is within 5 % of the compiler's, or within one where it is small; of containers, which are counted over the
whole design, within 10 %.

<!-- not measured: results of comparisons -->
| resource | all | both place | looked at | held back |
|---|---|---|---|---|
${RESOURCES.map((name) => row(name, (one) => isClose(one.ours.sums[name] ?? 0, one.theirs.sums[name] ?? 0, 0.05))).join("\n")}
${CONTAINERS.map((size) => row(`containers of ${size}`, (one) => isClose(one.ours.containers[size], one.theirs.containers[size], 0.1))).join("\n")}

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

function isClose(a: number, b: number, share: number): boolean {
  return Math.abs(a - b) <= Math.max(1, share * b);
}

function comparedOf(records: readonly FitRecord[]): Compared[] {
  return records.filter((one): one is Compared => one.ours !== undefined);
}

function shareOf(count: number, of: number): string {
  return `${count} of ${of} (${((100 * count) / Math.max(1, of)).toFixed(1)} %)`;
}

/** `OWNER/NAME` of a case. */
function repositoryOf({ case: name }: FitRecord): string {
  return name.split("/").slice(0, 2).join("/");
}

function cell(text: string): string {
  const short = text.length > 160 ? `${text.slice(0, 159)}…` : text;
  return short.replaceAll("|", "\\|").replaceAll("\n", " ");
}
