/**
 * Compares what `p4loom fit` says of cycles and power of public TNA programs with the logs of the open Tofino compiler, `power.json`, and writes
 * docs/tna/power-accuracy.md.
 *
 *     CORPUS=DIR LOGS=DIR npx tsx tools/tna/power.ts
 *
 * CORPUS holds `corpus.tsv` and the programs as `OWNER+NAME/PATH`; LOGS holds a folder a case, named `OWNER+NAME+PATH@CHIP` (`/` as `+`), in
 * which the compiler wrote its output. A case without a folder is left out.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { findLogs } from "../../src/cli/fit-logs.js";
import { loadTarget } from "../../src/cli/targets.js";
import {
  compareLogs,
  fitProgram,
  type LogName,
  onePipe,
  pipesOf,
  readLogs,
} from "../../src/toolchain/fit/index.js";
import { type Case, caseName, loadCase, readCases } from "./corpus.js";

/** Of the others, the stages alone. */
const READ: ReadonlySet<LogName> = new Set(["power.json", "resources.json"]);

interface Measured {
  readonly design: string;
  readonly hasEqualStages: boolean;
  readonly measure: string;
  readonly ours: number;
  readonly theirs: number;
}

/** What both say of the gresses of a case; nothing of a program that is not read. */
async function measured(corpus: string, folder: string, one: Case): Promise<Measured[]> {
  const program = await loadCase(corpus, one);
  const names = pipesOf(program);
  return names.flatMap((name) => {
    const result = fitProgram(onePipe(program, name), loadTarget(one.chip));
    const found = [...findLogs(folder, names.length > 1 ? name : undefined)];
    const logs = readLogs(new Map(found.filter(([log]) => READ.has(log))));
    const { gresses, stages } = compareLogs(result, logs);
    return gresses.flatMap(({ measure, ours, theirs }) =>
      ours === null
        ? []
        : [{ design: caseName(one), hasEqualStages: stages.ours === stages.theirs, measure, ours, theirs }],
    );
  });
}

/** As far from each other as the page of fit allows of sums: five per cent, or one where counts are small. */
const isNear = ({ ours, theirs }: Measured) =>
  Math.abs(ours - theirs) <= Math.max(Number.isInteger(theirs) && theirs > 0 ? 1 : 1e-6, 0.05 * theirs);
/** The compiler's watts have as many digits. */
const isEqual = ({ ours, theirs }: Measured) => Math.abs(ours - theirs) < 1e-6 * Math.max(1, theirs);

function page(all: readonly Measured[]): string {
  const measures = [...new Set(all.map(({ measure }) => measure))];
  const share = (list: readonly Measured[], is: (one: Measured) => boolean) => {
    const found = list.filter(is).length;
    return list.length === 0
      ? "-"
      : `${found} of ${list.length} (${((100 * found) / list.length).toFixed(1)} %)`;
  };
  const rows = measures.map((measure) => {
    const own = all.filter((one) => one.measure === measure);
    const placed = own.filter(({ hasEqualStages }) => hasEqualStages);
    return `| ${measure} | ${share(own, isEqual)} | ${share(own, isNear)} | ${share(placed, isEqual)} | ${share(placed, isNear)} |`;
  });
  return `# Cycles and power beside the compiler's logs

Made by \`CORPUS=DIR LOGS=DIR npx tsx tools/tna/power.ts\`: public designs that the open Tofino compiler placed, by \`p4loom fit\`, beside the
\`power.json\` of the same programs. A row counts gresses of ${new Set(all.map(({ design }) => design)).size} designs: those of all, and those whose designs have as many stages by
fit as by the compiler. "Near": within five per cent, or counts within one.

The compiler's watts are less than those of the tables that it says look up: its sum on a Tofino 1 leaves out the last table of its order, and a
memory that several tables share counts for one of them. So the weights of these tables are compared, too: their accesses of memory, in the
smallest one of the chip.

<!-- not measured: results of comparisons -->
| measure | equal | near | equal, same stages | near, same stages |
|---|---|---|---|---|
${rows.join("\n")}
`;
}

const { CORPUS: corpus, LOGS: logs } = process.env;
if (corpus === undefined || logs === undefined || !existsSync(join(corpus, "corpus.tsv"))) {
  console.error("power: skipped; CORPUS names no folder with corpus.tsv, or LOGS is not set");
} else {
  const all: Measured[] = [];
  for (const one of readCases(corpus).filter(({ class: kind }) => kind === "design")) {
    const folder = join(logs, caseName(one).replaceAll("/", "+"));
    if (existsSync(folder)) all.push(...(await measured(corpus, folder, one)));
  }
  writeFileSync(resolve(import.meta.dirname, "../../docs/tna/power-accuracy.md"), page(all));
  console.log(`${all.length} measures`);
}
