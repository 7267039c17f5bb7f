/** docs/portable-tests.md from the verdicts. */
import { CAUSES } from "./causes.js";
import type { Group, Verdict } from "./tests.js";

/** A message as a cell of a table. */
function cell(message: string): string {
  return message.replaceAll("|", "\\|").slice(0, 140);
}

function wrapped(names: readonly string[]): string[] {
  const lines: string[] = [];
  let line = "";
  for (const name of names) {
    const next = line === "" ? name : `${line}, ${name}`;
    if (next.length > 150) {
      lines.push(`${line},`);
      line = name;
    } else line = next;
  }
  return line === "" ? lines : [...lines, line];
}

function programs(title: string, verdicts: readonly Verdict[]): string[] {
  const taken = verdicts.filter(({ refused }) => refused === undefined);
  const refused = verdicts.filter((one) => one.refused !== undefined);
  return [
    `## ${title}`,
    "",
    `${taken.length} of ${verdicts.length} compile:`,
    "",
    ...wrapped(taken.map(({ name }) => name)),
    "",
    ...(refused.length === 0
      ? []
      : [
          "| refused | first error | cause |",
          "|---|---|---|",
          ...refused.map(
            ({ name, refused: why = "" }) => `| ${name} | ${cell(why)} | ${CAUSES[name] ?? ""} |`,
          ),
          "",
        ]),
  ];
}

function tests(title: string, verdicts: readonly Verdict[], judge: "p4c" | "4ward"): string[] {
  const all = verdicts.filter(({ test }) => test?.judge === judge);
  if (all.length === 0) return [];
  const passed = all.filter(({ test }) => test?.failed === undefined);
  const failed = all.filter(({ test }) => test?.failed !== undefined);
  return [
    `## ${title}`,
    "",
    `${passed.length} of ${all.length} pass:`,
    "",
    ...wrapped(passed.map(({ name }) => name)),
    "",
    ...(failed.length === 0
      ? []
      : [
          "| fails | first message | cause |",
          "|---|---|---|",
          ...failed.map(
            ({ name, test }) => `| ${name} | ${cell(test?.failed ?? "")} | ${CAUSES[name] ?? ""} |`,
          ),
          "",
        ]),
  ];
}

/** Programs that are wrong: those that are taken have their cause. */
function wrong(title: string, verdicts: readonly Verdict[]): string[] {
  return [
    `## ${title}`,
    "",
    "| program | verdict |",
    "|---|---|",
    ...verdicts.map(
      ({ name, refused }) => `| ${name} | ${cell(refused ?? `taken: ${CAUSES[name] ?? ""}`)} |`,
    ),
    "",
  ];
}

export function page(all: readonly Verdict[]): string {
  const of = (group: Group): Verdict[] => all.filter((one) => one.group === group);
  return [
    "# Public programs and packet tests for PSA and PNA",
    "",
    "This page is written by `P4C=DIR FOURWARD=DIR npx tsx tools/portable/tests.ts`. Neither the programs nor the tests are in this repository: P4C is a copy of p4lang/p4c,",
    "FOURWARD one of smolkaj/4ward. A packet test passes when exactly the expected packets leave.",
    "",
    "<!-- not measured: results of tests -->",
    ...tests("p4c's packet tests of PSA", of("psa"), "p4c"),
    ...tests("4ward's packet tests of PSA, for p4c's programs", of("psa"), "4ward"),
    ...tests("4ward's packet tests of PNA, for p4c's programs", of("pna"), "4ward"),
    ...programs("p4c's programs for PSA", of("psa")),
    ...programs("p4c's programs for PNA", of("pna")),
    ...wrong("p4c's wrong programs for PSA", of("psa-errors")),
    ...wrong("p4c's wrong programs for PNA", of("pna-errors")),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}
