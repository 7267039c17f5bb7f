/**
 * What lies in the folder of an exercise, read from texts, so that it works in a browser too: {@link readTopologyFile} reads
 * `topology.json`, {@link hostNetwork} the routes and neighbours that a host's commands set, {@link openExercise} which switch runs which program.
 */
export {
  type ExerciseFiles,
  type ExerciseProgram,
  type ExerciseSetup,
  type FolderOptions,
  openExercise,
  type SwitchSetup,
  topologyPathIn,
} from "./folder.js";
export { type HostNetwork, hostNetwork } from "./host-network.js";
export { inIproute2 } from "./net-tools.js";
export {
  type ExerciseEnd,
  type ExerciseHost,
  type ExerciseLink,
  type ExerciseSwitch,
  type ExerciseTopology,
  readTopologyFile,
} from "./topology-file.js";
