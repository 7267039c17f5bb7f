/**
 * Files for whatever starts from paths: {@link loadProgram} is the one place that turns a `.p4` or a BMv2 JSON with its
 * P4Info into a program; the rest reads files with errors as diagnostics, and writes them all or none.
 */

export { agentCommand, ownCommand, runCommand } from "./commands.js";
export {
  diskFiles,
  makeFolders,
  type OutputFile,
  packageFile,
  readBytes,
  readMapFile,
  readSource,
  readSourceIfThere,
  textFolder,
  writeFiles,
} from "./files.js";
export {
  type CompileSettings,
  checkP4InfoSuffix,
  compileInput,
  type LoadedProgram,
  loadProgram,
  macrosOf,
  type ProgramFiles,
} from "./load-program.js";
export { type EditedProject, type ProjectReader, projectReader, withProject } from "./project.js";
