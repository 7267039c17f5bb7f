/** The waist of the house: BMv2 JSON, P4Info, and `Device`, what anything that runs a program can do. */

export type { Bmv2Program } from "./bmv2.js";
export * as bmv2 from "./bmv2.js";
export { readBmv2 } from "./bmv2-reader.js";
export * from "./device.js";
export * from "./p4info/index.js";
export type { Program } from "./program.js";
export { formatValue, type ParsedValue, parseValue, styleOfWidth, type ValueStyle } from "./values.js";
