/** The page docs/tna/fit-accuracy.md, from the records of `fit.ts`. */
import type { Verdict } from "../../src/toolchain/fit/index.js";
import type { Chip } from "./corpus.js";
import { isSeen, SEEN } from "./outside.js";

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

/** Groups of designs, a column each, by the head of the column. */
function columnsOf({ listed, outside }: FitRecords): ReadonlyMap<string, readonly FitRecord[]> {
  const counted = outside.filter(({ case: name }) => !isSeen(name));
  const known = new Set(listed.map(repositoryOf));
  const placed = ({ ours }: FitRecord) => ours?.verdict === "placed";
  return new Map([
    ["listed", listed],
    ["listed, both place", listed.filter(placed)],
    ["outside the list", counted],
    ["outside, both place", counted.filter(placed)],
    ["other repositories", counted.filter((one) => !known.has(repositoryOf(one)))],
  ]);
}

/** The cases of the listed designs, and those of programs outside the list. */
export interface FitRecords {
  readonly listed: readonly FitRecord[];
  readonly outside: readonly FitRecord[];
}

export function fitPage(records: FitRecords): string {
  const columns = columnsOf(records);
  const head = `| | ${[...columns.keys()].join(" | ")} |\n|${"---|".repeat(columns.size + 1)}`;
  const row = (name: string, cellOf: (column: readonly FitRecord[]) => string | number) =>
    `| ${name} | ${[...columns.values()].map(cellOf).join(" | ")} |`;
  const share = (name: string, holds: (one: Compared) => boolean) =>
    row(name, (column) => shareOf(comparedOf(column).filter(holds).length, comparedOf(column).length));
  const within = (most: number) => (one: Compared) => stagesApart(one) <= most;
  const times = comparedOf(records.listed)
    .map(({ ours }) => ours.ms)
    .sort((a, b) => a - b);
  return `# Fit of TNA programs beside the open compiler

Made by \`CORPUS=DIR RIVAL=DIR OUTSIDE=FILE,FILE npx tsx tools/tna/fit.ts\`: public programs that the open Tofino compiler placed within the
chip's stages, each for its chip, by \`p4loom fit\`. Sums are over all stages of the longest pipe. What \`fit\` does not model yet stands in
[../fit/README.md](../fit/README.md). "Both place": those whose verdict is \`placed\`, too.

Rules are learned from the listed designs: since 2026-11-30 all of them may be looked at. Programs outside the list are the test: of their
resources no cause was looked at. They are designs that the compiler takes only after a change (\`fit\` takes them as published; where the
compiler's limit of parse depth was off, it is for \`fit\`), and of the programs that \`outsideCases\` in tools/tna/outside.ts chooses (all examples of
the list of public programs, and a draw of its generated ones) those that \`record.ts\` has given to the compiler so far, in the order of the draw.
Repositories have siblings: many programs outside the list stand beside listed ones. "Other repositories" are those of which no design is listed.
These were looked at, while messages were proven or wrong verdicts mended, and are not counted outside:${SEEN.map((name) => `\n${name}`).join(",")}
(bf_router.p4#tun4, seen likewise, is listed).

<!-- not measured: results of comparisons -->
${head}
${row("placed by the compiler", ({ length }) => length)}
${row("read by `fit`", (column) => shareOf(comparedOf(column).length, column.length))}
${share("same number of stages", within(0))}
${share("within one stage", within(1))}
${share("within two stages", within(2))}
${(["placed", "fits by counts", "cannot fit", "refused"] as const).map((verdict) => share(`verdict \`${verdict}\``, ({ ours }) => ours.verdict === verdict)).join("\n")}

Time of a fit of a listed design without the compile: median ${times[Math.floor(times.length / 2)] ?? 0} ms, longest ${times.at(-1) ?? 0} ms, on a machine that did other work, too.
Before the exact crossbar and the allocation of containers: median 49 ms, longest 728 ms, on a quiet machine. <!-- not measured: depends on what else the machine did -->

## Resources

The share of designs whose sum is within 5 % of the compiler's, or within one where it is small; of containers, which are counted over the
whole design, within 10 %.

<!-- not measured: results of comparisons -->
${head}
${RESOURCES.map((name) => share(name, (one) => isClose(one.ours.sums[name] ?? 0, one.theirs.sums[name] ?? 0, 0.05))).join("\n")}
${CONTAINERS.map((size) => share(`containers of ${size}`, (one) => isClose(one.ours.containers[size], one.theirs.containers[size], 0.1))).join("\n")}

${differences(records)}`.replace(/\n\n+$/, "\n");
}

function differences({ listed, outside }: FitRecords): string {
  const differ = ({ ours, theirs }: FitRecord, most: number, verdicts: readonly Verdict[]) =>
    ours === undefined || Math.abs(ours.stages - theirs.stages) > most || !verdicts.includes(ours.verdict);
  const cells = ({ theirs, ours }: FitRecord) =>
    `${theirs.stages} | ${ours?.stages ?? "-"} | ${ours?.verdict ?? "not read"} |`;
  return `## Differences

Listed designs with another number of stages by more than one, or with a verdict that is wrong. A reason is the first one that \`fit\` gives.

<!-- not measured: results of comparisons -->
| design | compiler | fit | verdict | reason |
|---|---|---|---|---|
${listed
  .filter((one) => differ(one, 1, ["placed", "fits by counts"]))
  .map((one) => `| ${one.case} | ${cells(one)} ${cell(one.reason ?? "")} |`)
  .join("\n")}

Programs outside the list with another number of stages, or another verdict than \`placed\`; no causes, since these programs are the test.
"(seen)": not counted above.

<!-- not measured: results of comparisons -->
| program | compiler | fit | verdict |
|---|---|---|---|
${outside
  .filter((one) => differ(one, 0, ["placed"]))
  .map((one) => `| ${one.case}${isSeen(one.case) ? " (seen)" : ""} | ${cells(one)}`)
  .join("\n")}
`;
}

const stagesApart = ({ ours, theirs }: Compared): number => Math.abs(ours.stages - theirs.stages);

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
