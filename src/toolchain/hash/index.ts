/**
 * Hash functions: the CRC catalogue, the algorithms that BMv2 programs name, Pearson, Toeplitz and the
 * RTAG7 family of switch chips, and the linear algebra that says how much two of them have in common.
 */
export { bmv2Hash, bmv2HashNames, bmv2WideHash, type HashFunction, isOwnHash, toeplitzHash } from "./bmv2.js";
export { type CatalogueCrc, crcCatalogue, findCrc } from "./catalogue.js";
export { collision } from "./collision.js";
export { correlate } from "./correlation.js";
export { Crc, type CrcParameters } from "./crc.js";
export { type DeltaOptions, type FieldLengths, fieldLengths } from "./delta.js";
export { hashFunctions, hashNamed } from "./functions.js";
export { parseInput } from "./inputs.js";
export { type Linearity, linearityOf } from "./linearity.js";
export { memberBits, parseHash, type SlicedHash, sliced } from "./member-choice.js";
export { type Rtag7Function, rtag7Bytes, rtag7Functions } from "./rtag7.js";
export { csum16, xor16 } from "./simple.js";
export type { WideHash } from "./wide-hash.js";
