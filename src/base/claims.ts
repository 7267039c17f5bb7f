/**
 * The sentences by which p4loom says that something is right. Each names a test with an input for which it must not appear;
 * `test/claims/claims.test.ts` finds sentences of success that are not in this list, and claims without such a test.
 */

interface Claim {
  /** Parts in braces are filled in. */
  readonly sentence: string;
  /** `FILE > TITLE` of a test whose input is wrong. */
  readonly breakingTest: string;
}

const BREAKING = "test/claims/breaking.test.ts";

export const CLAIMS = {
  independentChoices: {
    sentence: "No choice depends on an earlier one: {followed}.",
    breakingTest: `${BREAKING} > one function at every place depends on itself, by whatever name or seed`,
  },
  noDependenceFound: {
    sentence: "No dependence was found, but not all is proved: {followed}.",
    breakingTest: `${BREAKING} > one function at every place depends on itself, by whatever name or seed`,
  },
  mixedColours: {
    sentence: "Functions that are used again, with the colours of their flows mixed between",
    breakingTest: `${BREAKING} > one function at every place depends on itself, by whatever name or seed`,
  },
  placed: {
    sentence: "placed on {target}: {stages} ({method}; assignment verified)",
    breakingTest: `${BREAKING} > a program that the placement cannot place is not placed`,
  },
  fitsByCounts: {
    sentence: "fits {target} by counts only: no sum needs more than {least} stages",
    breakingTest: `${BREAKING} > a program that the placement cannot place is not placed`,
  },
  allInOneStage: {
    sentence: "nothing: all tables fit one stage",
    breakingTest:
      "test/toolchain/fit/verdicts.test.ts > a program whose sums fit, and whose placement does not",
  },
  linearByConstruction: {
    sentence: "yes, by construction",
    breakingTest: `${BREAKING} > a function that is not affine has a counterexample`,
  },
  linearByTests: {
    sentence: "no counterexample",
    breakingTest: `${BREAKING} > a function that is not affine has a counterexample`,
  },
  commandWorks: {
    sentence: "works",
    breakingTest: `${BREAKING} > a command that lacks something does not work`,
  },
  certainOffsets: {
    sentence:
      "P-ECMP's groups differ in size here; the offsets {offsets} are certain for all pairs of racks.",
    breakingTest: `${BREAKING} > offsets that are certain for some pairs of racks are not called certain for all`,
  },
  checksumRight: {
    sentence: "{field} {found} is right",
    breakingTest: `${BREAKING} > a wrong checksum is not right`,
  },
  stfCounts: {
    sentence: "{test}: {passed} passed, {failed} failed",
    breakingTest:
      "test/cli/stf.test.ts > fails a test of a BMv2 JSON program, with the place, and counts in JSON",
  },
  testPassed: {
    sentence: "passed",
    breakingTest:
      "test/course/grading/run-test.test.ts > fails with the place, the expected and the observed behaviour, and the path of the packet",
  },
  localised: {
    sentence: "right",
    breakingTest:
      "test/fabric/experiment/kinds/localise/search.test.ts > does not name a healthy element where two have failed: it says that this is not one fault",
  },
  recovered: {
    sentence: "yes",
    breakingTest: `${BREAKING} > a flow whose outage did not end has not recovered`,
  },
  outOfReach: {
    sentence: "no packet reaches these: all {paths} paths were followed",
    breakingTest:
      "test/toolchain/testgen/testgen.test.ts > does not call complete what a limit, chance or something unhandled ended",
  },
  programsEqual: {
    sentence: "equal for all packets {entries} up to {bounds} ({pairs} pairs of paths)",
    breakingTest: "test/toolchain/equal/equal.test.ts > never calls a mutant equal that sends something else",
  },
  leftTheFault: {
    sentence: "left",
    breakingTest: `${BREAKING} > a flow that waited for the repair has not left`,
  },
  sameBytes: {
    sentence: "same bytes: all {files} files of {folder} were made again from what the folder carries",
    breakingTest:
      "test/fabric/experiment/repeat/rerun.test.ts > a folder whose figures were made by another seed differs",
  },
} as const satisfies Readonly<Record<string, Claim>>;

/** The sentence of a claim. A part that is not given stays in its braces. */
export function claim(
  name: keyof typeof CLAIMS,
  parts: Readonly<Record<string, string | number>> = {},
): string {
  return CLAIMS[name].sentence.replaceAll(/\{(\w+)\}/g, (whole, part: string) =>
    String(parts[part] ?? whole),
  );
}
