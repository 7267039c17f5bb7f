/**
 * Packet tests in p4c's STF language: `script.ts` reads a file into commands, `entries.ts` gives names and values
 * their meaning, `run-script.ts` plays the commands against the embedded switch, `expectations.ts` compares.
 */

export { runStf, type StfOptions, type StfResult } from "./run-script.js";
export { readStf } from "./script.js";
