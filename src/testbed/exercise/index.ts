/**
 * Exercise folders of the P4 tutorials, unmodified: {@link readTopologyFile} reads `topology.json`, {@link openExercise}
 * finds programs and runtime files, {@link startExercise} starts and programs the network, {@link Prompt} takes
 * Mininet's words.
 */

export { type ExerciseOptions, RunningExercise, startExercise } from "./exercise.js";
export { type ExerciseProgram, type ExerciseSetup, type FolderOptions, openExercise } from "./folder.js";
export { type Outcome, Prompt, type PromptIo, type TypedInput } from "./prompt.js";
export { type ExerciseTopology, readTopologyFile } from "./topology-file.js";
