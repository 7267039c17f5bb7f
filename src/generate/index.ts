/** From checked parameters to P4 source: load the templates once, then render the programs of a fabric. */
export {
  type EcmpProgram,
  type GeneratedFile,
  type HashChoice,
  type PecmpProgram,
  type ProgramPlan,
  renderProgram,
  renderPrograms,
  type SelectorSlice,
  withFaultTable,
} from "./programs.js";
export { checkBraces, loadTemplates, makeTemplateSet, type TemplateSet } from "./templates.js";
