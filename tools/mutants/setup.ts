import fc from "fast-check";

// A failed property has caught the mutant: no smaller example is needed.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
