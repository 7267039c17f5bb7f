import fc from "fast-check";
import { runs } from "../../test/fuzz-seed.js";

// The cases of the suite (test/fuzz-setup.ts). A failed property has caught the mutant: no smaller example is needed.
fc.configureGlobal({ ...runs(100), endOnFailure: true });
