/** The waist of the house: BMv2 JSON, P4Info, and `Device`, what anything that runs a program can do. */

export { type JsonPath, jsonKeyPlace, jsonPlace } from "./bmv2/json-place.js";
export type { Bmv2Program } from "./bmv2.js";
export * as bmv2 from "./bmv2.js";
export { bmv2Bits, bmv2Number } from "./bmv2-number.js";
export { readBmv2 } from "./bmv2-reader.js";
export * from "./device.js";
export { deviceView, typeWidths } from "./device-view.js";
export { Names, NamesExhausted, type NamesOptions, type Naming } from "./names.js";
export * from "./p4info/index.js";
export type { Program } from "./program.js";
export { formatValue, type ParsedValue, parseValue, styleOfWidth, type ValueStyle } from "./values.js";
