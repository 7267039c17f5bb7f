/**
 * Hash functions: the CRC catalogue, the algorithms that BMv2 programs name, Pearson, Toeplitz and the
 * RTAG7 family of switch chips, and the linear algebra that tells how much two of them have in common.
 */
export * from "./bmv2.js";
export * from "./catalogue.js";
export * from "./crc.js";
export * from "./crc64.js";
export * from "./gf2.js";
export * from "./pearson.js";
export * from "./round-robin.js";
export * from "./rtag7.js";
export * from "./simple.js";
export * from "./toeplitz.js";
export * from "./xxh64.js";
