/** From a program's template and values to P4 source: load the templates once, then render the programs of a fabric. */
export { directionValues, type HashChoice, hashSchema, NO_SELECTOR, selectorValues } from "./partials.js";
export {
  checkValues,
  faultTable,
  MAX_FAULT_TABLES,
  type ProgramPlan,
  renderProgram,
  renderPrograms,
  withFaultTables,
  withMarks,
} from "./programs.js";
export { loadTemplates, type TemplateSet } from "./templates.js";
