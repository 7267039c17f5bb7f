/** Diagnostics, source places, bit values, seeded random, text tables: what every room may use. */
export * from "./bits.js";
export * from "./diagnostics.js";
export * from "./random.js";
export * from "./source.js";
export * from "./table.js";
