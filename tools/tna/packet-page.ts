/** docs/tna/packets.md from the results of the packet tests. */
import { KNOWN, ON_TOFINO2 } from "./packet-causes.js";
import type { Result } from "./packets.js";

const passes = ({ failed }: Result): boolean => failed === undefined;

function counts(results: readonly Result[]): string {
  return `${results.filter(passes).length} of ${results.length}`;
}

function programsOf(results: readonly Result[]): Result[][] {
  const groups = new Map<string, Result[]>();
  for (const one of results) groups.set(one.program, [...(groups.get(one.program) ?? []), one]);
  return [...groups.values()];
}

/** A message with backticks as code. */
function text(message: string): string {
  return message.replaceAll("|", "\\|").slice(0, 160);
}

/** The tests of the open compiler that are run here, and in words what of them is refused. */
function compilerRows(all: readonly Result[]): string[] {
  const compiler = all.filter(({ judge }) => judge === "compiler");
  const onBoth = (one: Result): boolean => one.program.endsWith(ON_TOFINO2);
  const first = compiler.filter((one) => !onBoth(one));
  const refused = first.filter(({ isRefused }) => isRefused === true);
  const ptf = all.filter(({ judge }) => judge === "ptf");
  const both = [...first, ...ptf];
  const good = both.filter((one) => passes(one) || one.isRefused === true).length;
  const share = ((100 * good) / both.length).toFixed(1);
  return [
    `| the open compiler's (p4lang/bf-p4c at 64c9067f, \`p4-tests/p4_16\`), listed programs with an STF test | ${counts(first)} |`,
    `| of the others, those that are refused (P40457) as their own texts expect for this chip | ${refused.length} of ${first.length - first.filter(passes).length} |`,
    `| the same tests on Tofino 2, where the list has the program for both chips | ${counts(compiler.filter(onBoth))} |`,
    ...(ptf.length > 0
      ? [
          `| the open compiler's PTF tests of listed programs, by PTF over P4Runtime and BF Runtime | ${counts(ptf)} |`,
          `| STF on the first chip and PTF, with the refusals that the texts expect | ${good} of ${both.length} (${share} %) |`,
        ]
      : []),
  ];
}

export function page(all: readonly Result[]): string {
  const generated = all.filter(({ judge }) => judge === "testgen");
  const whole = programsOf(generated).filter((one) => one.every(passes));
  const rows: string[] = [];
  const reasons = new Map<string, number>();
  for (const results of programsOf(all.filter((one) => !passes(one)))) {
    const [first] = results;
    const cause = causeOf(first!);
    reasons.set(cause, (reasons.get(cause) ?? 0) + results.length);
    rows.push(`| ${first!.program} | ${results.length} | ${text(first!.failed!)} | ${cause} |`);
  }
  const causes = [...reasons].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return [
    "# Packet tests of TNA programs",
    "",
    "This page is written by `CORPUS=DIR TESTS=DIR npx tsx tools/tna/packets.ts`. Neither the programs nor the tests are in this repository: CORPUS is a folder",
    "with the list of public programs and their repositories, TESTS one with tests that P4Testgen made for listed designs (at most ten a program, greedy statement",
    "coverage). A test passes when exactly the expected packets leave; a packet at a port that it does not name is a failure. `tools/tna/ptf/run.ts` runs PTF.",
    "",
    "<!-- not measured: results of tests -->",
    "| tests | pass |",
    "|---|---|",
    ...compilerRows(all),
    `| P4Testgen's, all | ${counts(generated)} |`,
    `| of these, tests that expect a packet | ${counts(generated.filter(({ expects }) => expects))} |`,
    `| of these, tests in which nothing may leave | ${counts(generated.filter(({ expects }) => !expects))} |`,
    `| programs of P4Testgen's tests, all tests pass | ${whole.length} of ${programsOf(generated).length} |`,
    "",
    "## Causes of failures",
    "",
    "<!-- not measured: results of tests -->",
    "| cause | tests |",
    "|---|---|",
    ...causes.map(([cause, count]) => `| ${cause} | ${count} |`),
    "",
    "## Failures",
    "",
    "<!-- not measured: results of tests -->",
    "| program | tests | first message | cause |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function causeOf({ program, isRefused }: Result): string {
  if (isRefused === true) return "the text of the program expects an error on this chip";
  return KNOWN[program.replace(ON_TOFINO2, "")] ?? "not known yet";
}
