/**
 * Tests that are made from a program.
 *
 *     generate    chooses paths by what they reach
 *     concrete    a path as a packet, entries and commands
 *     commands    what a switch is told for it
 *     replay      what the switch does with them
 *     predict     what the symbolic execution says of it
 *     stf, ptf    as packet tests
 *     updates     the entries, as a controller writes them
 */
export { type Stimulus, stimulusOf } from "./concrete.js";
export { type Generated, type GeneratedTest, generateTests } from "./generate.js";
export { contradicts } from "./predict.js";
export { type PtfTest, ptfOf } from "./ptf.js";
export { Sender, type Sent, sentBy } from "./replay.js";
export { planOf } from "./rules.js";
export { stfOf } from "./stf.js";
export { updatesOf } from "./updates.js";
