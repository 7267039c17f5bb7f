/**
 * How much random tests try. Without `P4LOOM_FUZZ` they try the same cases in every run, so that a run that fails fails
 * again; `P4LOOM_FUZZ=N` tries N times as many, from a seed that is printed with what fails. `fuzz-setup.ts` gives the
 * seed to every test file, with or without an import of this one.
 */

const factor = Number(process.env.P4LOOM_FUZZ ?? "");

export const FUZZ_FACTOR = factor >= 1 ? factor : 1;
export const FUZZ_SEED = factor >= 1 ? Math.floor(Math.random() * 2 ** 31) : 1;

/**
 * For `fc.configureGlobal`. Without the second setting, fast-check makes arrays and texts of a dozen elements, however many
 * `maxLength` allows: a frame of `maxLength: 120` would never have a whole IP header.
 */
export const FUZZ_SETTINGS = {
  ...{ seed: FUZZ_SEED, numRuns: 100 * FUZZ_FACTOR },
  defaultSizeToMaxWhenMaxSpecified: true,
};

/** For `fc.assert`, where 100 runs (which need no word) are not the right number. */
export const runs = (numRuns: number) => ({ seed: FUZZ_SEED, numRuns: numRuns * FUZZ_FACTOR });
