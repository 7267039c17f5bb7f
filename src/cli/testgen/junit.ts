/** Generated tests as JUnit's XML: a case for each test, which holds on the embedded switch, and a skipped one for what no test reaches. */
import { escapeMarkup } from "../../base/index.js";
import type { Generated } from "../../toolchain/testgen/index.js";

export function junitOf(
  program: string,
  tests: readonly { name: string }[],
  { coverage, isComplete }: Generated,
): string {
  const missed = coverage.items.filter(({ hits }) => hits === 0);
  const reason = isComplete ? "no packet reaches it" : "no test reaches it";
  const cases = [
    ...tests.map(
      ({ name }) => `  <testcase classname="${escapeMarkup(program)}" name="${escapeMarkup(name)}"/>`,
    ),
    ...missed.map(({ kind, text, place }) => {
      const name = `${place === undefined ? "" : `${place.filename}:${place.line}: `}${kind} ${text}`;
      return `  <testcase classname="${escapeMarkup(program)}" name="${escapeMarkup(name)}"><skipped message="${reason}"/></testcase>`;
    }),
  ];
  const head = `<testsuite name="${escapeMarkup(program)}" tests="${cases.length}" failures="0" errors="0" skipped="${missed.length}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...cases, "</testsuite>", ""].join("\n");
}
