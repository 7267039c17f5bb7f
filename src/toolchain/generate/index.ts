/** From a program's template and values to P4 source: load the templates once, then render the programs of a fabric. */
export { directionValues, type HashChoice, hashSchema, NO_SELECTOR, selectorValues } from "./partials.js";
export {
  checkValues,
  faultTable,
  type GeneratedFile,
  MAX_FAULT_TABLES,
  type OwnText,
  type ProgramPlan,
  renderProgram,
  renderPrograms,
  withFaultTables,
  withMarks,
} from "./programs.js";
export {
  checkBraces,
  loadTemplates,
  makeTemplateSet,
  type TemplateFolder,
  type TemplateSet,
} from "./templates.js";
