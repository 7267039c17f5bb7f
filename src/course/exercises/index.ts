/**
 * The contents of an exercise's folder, read from texts, so that it works in a browser too: {@link readTopologyFile} reads
 * `topology.json`, {@link hostNetwork} the routes and neighbours that a host's commands set, {@link openExercise} the program
 * of each switch, {@link readExercise} the tests of `exercise.yaml`. {@link buildFrame} and {@link differences} build and
 * compare the packets of a test.
 */
export { inRange, type Range, rangeText } from "./amounts.js";
export { buildFrame, type FrameDefaults, type FrameSender, senderOf } from "./build-frame.js";
export { EXERCISE_FILE, type Exercise, maximumPoints, readExercise } from "./exercise.js";
export { ENGINES } from "./exercise-schema.js";
export { type ExerciseFiles, filesOf } from "./files.js";
export {
  type ExerciseProgram,
  type ExerciseSetup,
  openExercise,
  type SwitchSetup,
  topologyPathIn,
} from "./folder.js";
export {
  ETHER_TYPES,
  HEADER_LAYOUTS,
  type HeaderLayout,
  IP_PROTOCOLS,
  layoutBytes,
  readBits,
} from "./header-layouts.js";
export { type HiddenTests, SOLUTION_FOLDER, TEACHER_FOLDERS } from "./hidden.js";
export { hostNetwork } from "./host-network.js";
export { inIproute2 } from "./net-tools.js";
export { differences, frameText, type PacketPattern, patternText } from "./packet-pattern.js";
export type { StackPart } from "./packet-stack.js";
export type { ExerciseStep } from "./steps.js";
export type { ExerciseTest } from "./tests.js";
export {
  type ExerciseEnd,
  type ExerciseHost,
  type ExerciseTopology,
  readTopologyFile,
} from "./topology-file.js";
export { trafficStack } from "./traffic-stack.js";
export { readTranslation, TEXT_FILE, type Translation, translationsOf } from "./translation.js";
