/**
 * Exercise folders of the P4 tutorials, unmodified: {@link openExercise} finds programs and runtime files,
 * {@link startExercise} starts and programs the network, {@link Prompt} takes Mininet's words.
 */

export { type ExerciseOptions, RunningExercise, startExercise } from "./exercise.js";
export { type ExerciseProgram, type ExerciseSetup, type FolderOptions, openExercise } from "./folder.js";
export { type Outcome, Prompt, type PromptIo, type TypedInput } from "./prompt.js";
