/** Hash functions: the CRC catalogue, and the algorithms that BMv2 programs name. */
export * from "./bmv2.js";
export * from "./catalogue.js";
export * from "./crc.js";
export * from "./simple.js";
