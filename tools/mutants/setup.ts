import fc from "fast-check";

// A property that fails has noticed the mutant: no search for a smaller example.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
