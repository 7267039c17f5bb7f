/** Diagnostics, source places, bit values, seeded random, text tables, printable text: what every room may use. */
export * from "./bits.js";
export * from "./diagnostics.js";
export * from "./printable.js";
export * from "./random.js";
export * from "./source.js";
export * from "./table.js";
