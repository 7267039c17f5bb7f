/**
 * Writes the reports of the project's own programs: `npx tsx bench/toolchain/fit-reports.ts` checks every program in `p4/` against
 * three targets and writes `docs/fit/programs.md`, and a page for the ToR program of each scheme, `docs/fit/<scheme>-tor.html`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import {
  explain,
  explanationText,
  type FitResult,
  fitProgram,
  toHtml,
  toText,
} from "../../src/toolchain/fit/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { loadTarget } from "../../test/toolchain/fit/golden.js";

const root = join(import.meta.dirname, "../..");
const TARGETS = ["tofino", "tofino2", "rmt"] as const;

function programs(): string[] {
  return readdirSync(join(root, "p4"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) =>
      readdirSync(join(root, "p4", entry.name))
        .filter((name) => name.endsWith(".p4"))
        .map((name) => `p4/${entry.name}/${name}`),
    )
    .sort();
}

const lines = [
  "# Do our own programs fit?",
  "",
  "Written by `npx tsx bench/toolchain/fit-reports.ts`; do not edit. Verdict, stages in use and stages of the target. Table sizes are",
  "those of the programs in `p4/`.",
  "",
  `| program | ${TARGETS.join(" | ")} |`,
  `|---|${TARGETS.map(() => "---").join("|")}|`,
];
const details: string[] = [];
for (const path of programs()) {
  const file = new SourceFile(path, readFileSync(join(root, path), "utf8"));
  const diagnostics = new Diagnostics();
  const program = compile({ file }, diagnostics)?.program;
  if (program === undefined) {
    lines.push(`| ${path} | ${TARGETS.map(() => "does not compile").join(" | ")} |`);
    continue;
  }
  const results: FitResult[] = TARGETS.map((name) =>
    fitProgram(program, loadTarget(name), { sources: () => file }),
  );
  lines.push(
    `| ${path} | ${results.map((result) => `${result.verdict}, ${result.stages} of ${result.target.stages}`).join(" | ")} |`,
  );
  const [first] = results;
  const explanation = explain(first!);
  details.push(
    "",
    `## ${path} on Tofino 1`,
    "",
    "```",
    toText(first!),
    "",
    explanationText(first!, explanation),
    "```",
  );
  const refusals = first!.diagnostics
    .filter((d) => d.severity === "error")
    .map((d) => `- ${d.code}: ${d.message}`);
  if (refusals.length > 0) details.push("", "What does not fit and why:", "", ...refusals);
  if (path.endsWith("/tor.p4")) {
    const scheme = path.split("/")[1]!;
    writeFileSync(join(root, `docs/fit/${scheme}-tor.html`), toHtml(first!, [file], explanation));
  }
}
writeFileSync(join(root, "docs/fit/programs.md"), `${[...lines, ...details].join("\n")}\n`);
console.log(lines.slice(5).join("\n"));
