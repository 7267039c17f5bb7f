/** Outcomes of test files: which files may run again, and how many tests passed and failed. */

/** A test file after a run. */
export interface FileOutcome {
  /** Path from the root of the project. */
  file: string;
  /** Project of `vitest.config.ts`. */
  project: string;
  passed: number;
  /** Failed tests; a file that cannot be loaded, or whose hook fails, has at least one. */
  failed: number;
  skipped: number;
  ms: number;
}

/** The results of one run of vitest. */
export interface RunOutcome {
  files: FileOutcome[];
  /** Errors outside of test files. A run that did not end has one. */
  errors: number;
}

/** A file may run again if its tests wait for a kernel, a browser or other processes. */
const PROJECTS_RUN_AGAIN = new Set(["processes", "labs"]);

/** If more files fail, the cause is not the load of the machine. */
const MOST_FILES_AGAIN = 6;

/**
 * The failed files, if all of them may run again; otherwise none. No file runs again if a test of code without processes
 * failed, or if an error belongs to no file, since the first outcome stands then anyway.
 */
export function filesToRunAgain({ files, errors }: RunOutcome): string[] {
  const failed = files.filter((file) => file.failed > 0);
  const allowed = failed.every(({ project }) => PROJECTS_RUN_AGAIN.has(project));
  return errors === 0 && allowed && failed.length <= MOST_FILES_AGAIN ? failed.map(({ file }) => file) : [];
}

/** The outcome with that of a second run in place of the first, for the files that ran again. */
export function withSecondRun(first: RunOutcome, second: RunOutcome): RunOutcome {
  const again = new Map(second.files.map((file) => [file.file, file]));
  return {
    files: first.files.map((file) => again.get(file.file) ?? file),
    errors: first.errors + second.errors,
  };
}

/**
 * The outcome of a vitest that ended with an exit status (null: by a signal). Where it failed though no test did, such as
 * when it was ended before all files ran, the outcome has an error.
 */
export function endedWith(run: RunOutcome, status: number | null): RunOutcome {
  return status === 0 || totalsOf(run).failed > 0 ? run : { ...run, errors: 1 };
}

/** The outcomes of runs of different files as one. */
export function joined(runs: readonly RunOutcome[]): RunOutcome {
  return {
    files: runs.flatMap(({ files }) => files),
    errors: runs.reduce((sum, { errors }) => sum + errors, 0),
  };
}

/** Sums over all files. Errors that belong to no file count as failed. */
export function totalsOf({ files, errors }: RunOutcome): { passed: number; failed: number; skipped: number } {
  const sum = (key: "passed" | "failed" | "skipped") => files.reduce((total, file) => total + file[key], 0);
  return { passed: sum("passed"), failed: sum("failed") + errors, skipped: sum("skipped") };
}

/** `N passed, N failed`, and `N skipped` where tests were skipped. */
export function lastLine(run: RunOutcome): string {
  const { passed, failed, skipped } = totalsOf(run);
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
