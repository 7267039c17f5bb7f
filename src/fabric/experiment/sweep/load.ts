/** Makes a sweep of the key `sweep` of a file and checks all of its values. */

import { z } from "zod";
import { type Diagnostic, DiagnosticError, Diagnostics } from "../../../base/index.js";
import type { EditedContents, OpenDocument } from "../../../toolchain/documents/index.js";
import { CODES } from "../codes.js";
import type { SchemeSet } from "../experiment.js";
import type { ExperimentFile, LoadedExperiment } from "../loaded.js";
import { type Assignment, edited } from "./edit.js";
import { sweepSchema } from "./schema.js";
import { SINGLE, type SweepSpace, spaceOf } from "./space.js";
import type { Sweep } from "./sweep.js";
import { counted, pointName } from "./words.js";

export interface LoadOptions {
  /** Accepts a sweep of more than {@link MAX_RUNS}. */
  readonly many?: boolean;
  /** Another process has checked all values: only the first point is checked here. */
  readonly checked?: boolean;
}

/** Larger sweeps are refused without `many`: they are usually a mistake. */
const MAX_RUNS = 10_000;

/** Adds P43040 and P43041, and errors of values, at their positions. A file without the key `sweep` is one point. */
export function loadSweep(
  file: ExperimentFile,
  diagnostics: Diagnostics,
  options: LoadOptions,
): LoadedExperiment | undefined {
  const space = readSpace(file, diagnostics);
  if (space === undefined) return undefined;
  const { document, source } = file;
  const tooMany = (each: number): Diagnostic | undefined => {
    const jobs = space.points * space.seedCount * each;
    if (options.many || jobs <= MAX_RUNS) return undefined;
    const factors = [counted(space.points, "point"), counted(space.seedCount, "seed")];
    if (each > 1) factors.push(`${each} units of work (schemes, failures ...)`);
    return {
      severity: "error",
      code: CODES.tooManyRuns,
      message: `the sweep has ${counted(jobs, "run")}: ${factors.join(" x ")}; the limit is ${MAX_RUNS.toLocaleString("en")}`,
      ...spanAt(document.locate(["sweep"])),
      notes: [{ message: "sweep fewer values, or accept the number with --many" }],
    };
  };
  // Before anything is made for each point.
  const refused = tooMany(1);
  if (refused !== undefined) {
    diagnostics.add(refused);
    return undefined;
  }

  const checkAt = (number: number, list: Diagnostics) =>
    file.check(edited(document.contents, space.assignments(number)), list);
  const first = options.checked ? checkAt(0, diagnostics) : checkStar(space, checkAt, diagnostics);
  if (first === undefined) return undefined;
  const { kind, checked } = first;
  const sweep: Sweep = {
    source,
    settings: checked.settings,
    space,
    point(number, runs) {
      const list = new Diagnostics();
      const point = checkAt(number, list);
      if (point !== undefined) return point.checked.point(runs);
      const name = pointName(space.values(number));
      throw new DiagnosticError(
        list.list.map((one) => ({ ...one, notes: [...one.notes, { message: `at the point ${name}` }] })),
      );
    },
    output: (finished) => kind.output(finished),
    checkNumber(each) {
      const one = tooMany(each);
      if (one !== undefined) throw new DiagnosticError([one]);
    },
  };
  const { name, takesRuns } = kind;
  return {
    kind: name,
    takesRuns,
    settings: checked.settings,
    sweep,
    run: async (run) => (await import("./run.js")).runSweep(sweep, run),
  };
}

function spanAt(span: Diagnostic["span"]): Pick<Diagnostic, "span"> {
  return span === undefined ? {} : { span };
}

/** The space of the file's key `sweep`, or of one point. */
function readSpace(
  { document, schemes }: Pick<ExperimentFile, "document" | "schemes">,
  diagnostics: Diagnostics,
): SweepSpace | undefined {
  const { contents } = document;
  if (typeof contents !== "object" || contents === null || !("sweep" in contents)) return SINGLE;
  const read = document.check(z.looseObject({ sweep: sweepSchema }), diagnostics);
  if (read === undefined) return undefined;
  const nameOf = (scheme: string) => (Object.hasOwn(schemes, scheme) ? schemes[scheme]!.name : scheme);
  return spaceOf(document, read.value.sweep, nameOf, diagnostics);
}

/** Contents of points that together have all schemes of a sweep; schemes must be loaded before a file is checked. */
export function* schemeVariants(document: OpenDocument, schemes: SchemeSet): Generator<EditedContents> {
  const space = readSpace({ document, schemes }, new Diagnostics());
  if (space === undefined) return;
  const decides = ({ path }: Assignment) => ["topology", "schemes", "selector"].includes(String(path[0]));
  // A larger number is refused later, or was accepted by the user.
  let left = MAX_RUNS;
  for (const number of space.combinations(decides)) {
    if (left-- === 0) return;
    yield edited(document.contents, space.assignments(number));
  }
}

/** Checks every value of every key once; an error that several points share is reported once. */
function checkStar(
  space: SweepSpace,
  check: (number: number, list: Diagnostics) => ReturnType<ExperimentFile["check"]>,
  diagnostics: Diagnostics,
): ReturnType<ExperimentFile["check"]> {
  const reported = new Set<string>();
  let first: ReturnType<ExperimentFile["check"]>;
  for (const number of space.star()) {
    const list = new Diagnostics();
    const checked = check(number, list);
    if (number === 0) first = checked;
    for (const one of list.list) {
      const key = JSON.stringify([one.code, one.message, one.span?.start, one.span?.file.path]);
      if (reported.has(key)) continue;
      reported.add(key);
      diagnostics.add(one);
    }
  }
  return diagnostics.hasErrors ? undefined : first;
}
