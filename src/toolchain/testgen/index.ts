/**
 * Tests that are made from a program.
 *
 *     generate    chooses paths by what they reach
 *     concrete    a path as a packet, entries and commands
 *     replay      what the switch does with them
 *     stf         as a packet test
 */
export { type Stimulus, stimulusOf } from "./concrete.js";
export { type Generated, type GeneratedTest, generateTests } from "./generate.js";
export { Sender, type Sent, sentBy } from "./replay.js";
export { planOf } from "./rules.js";
export { stfOf } from "./stf.js";
