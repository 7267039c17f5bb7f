/**
 * Exercise folders of the P4 tutorials, unmodified: {@link startExercise} starts and programs the network of an opened folder,
 * {@link Prompt} takes Mininet's words.
 */

export { labOfExercise, RunningExercise, startExercise } from "./exercise.js";
export { Prompt } from "./prompt.js";
export type { PromptIo, TypedInput } from "./prompt-io.js";
