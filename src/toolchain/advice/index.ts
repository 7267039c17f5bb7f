/**
 * Changes of a program that make it fit a chip, with its meaning kept: {@link advise} finds them by trying, {@link compareByPackets} sends
 * the same packets to the program before and after.
 */
export { type Advised, advise } from "./advise.js";
export { compareByPackets, type Meaning, unhitTables } from "./meaning.js";
