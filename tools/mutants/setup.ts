import fc from "fast-check";
import { FUZZ_SETTINGS } from "../../test/fuzz-seed.js";

// The cases of the suite (test/fuzz-setup.ts). A failed property has caught the mutant: no smaller example is needed.
fc.configureGlobal({ ...FUZZ_SETTINGS, endOnFailure: true });
