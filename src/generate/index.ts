/** From checked parameters to P4 source: load the templates once, then render the programs of a fabric. */
export * from "./programs.js";
export * from "./selector-field.js";
export * from "./templates.js";
