/** The page of all diagnostics, docs/errors.md. */
import type { Group } from "./catalogue.js";

/** The page. A test compares it with the file, and writes the file when it is asked to update. */
export function errorsPage(groups: readonly Group[]): string {
  return [
    HEAD,
    ...groups.map(({ prefix, title, about, entries }) =>
      [
        `## ${prefix}xx: ${title}`,
        "",
        ...(about === undefined ? [] : [about, ""]),
        "| code | meaning | what to do |",
        "|---|---|---|",
        ...entries.map(({ code, meaning, remedy }) => `| ${code} | ${cell(meaning)} | ${cell(remedy)} |`),
        "",
      ].join("\n"),
    ),
  ].join("\n");
}

const HEAD = `# Diagnostics

A message reads \`file:line:col: error[P4xxxx]: the error\`, then the source line with a caret, then notes with the
correction. The codes are stable. \`p4loom explain P4xxxx\` prints a row of this page, for most mistakes in P4 programs with a
wrong and a right input; \`p4loom explain\` lists the groups.

This page is made from \`data/diagnostics/\`: change a row there, then \`npx vitest run test/docs/errors.test.ts --update\` writes
the page. In the code each room names its codes in one catalogue, \`codes.ts\`; a test checks that \`data/diagnostics/\` has every code of
\`src/\` once. \`test/bad/\` has wrong inputs, one per file; the tests show the message of each.
`;

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
