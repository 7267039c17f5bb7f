/**
 * Hash functions: the CRC catalogue, the algorithms that BMv2 programs name, Pearson, Toeplitz and the
 * RTAG7 family of switch chips, and the linear algebra that says how much two of them have in common.
 */
export {
  bmv2Crcs,
  bmv2Hash,
  bmv2HashNames,
  bmv2WideHash,
  type HashFunction,
  isOwnHash,
  toeplitzHash,
} from "./bmv2.js";
export { type CatalogueCrc, crcCatalogue, findCrc } from "./catalogue.js";
export { type Collision, collision } from "./collision.js";
export { type Correlation, correlate } from "./correlation.js";
export { Crc, type CrcParameters } from "./crc.js";
export { Crc64, type Crc64Parameters } from "./crc64.js";
export { type DeltaOptions, type FieldLengths, fieldEffects, fieldLengths, shortestField } from "./delta.js";
export { type HashFamily, hashFunctions, hashNamed, type NamedHash } from "./functions.js";
export { type BitHash, BitMatrix, linearPart, looksAffine, sharedRank } from "./gf2.js";
export { drawInput, type HashInput, parseInput } from "./inputs.js";
export { type Counterexample, type Linearity, linearityOf } from "./linearity.js";
export { type MemberChoice, memberBits, parseHash, type SlicedHash, sliced } from "./member-choice.js";
export { Pearson } from "./pearson.js";
export { ConsistentRoundRobin, RoundRobin } from "./round-robin.js";
export {
  RTAG7_BINS,
  type Rtag7Function,
  type Rtag7Options,
  rtag7,
  rtag7Bytes,
  rtag7Functions,
  rtag7Member,
} from "./rtag7.js";
export { csum16, hashEx, Identity, xor16, xor32 } from "./simple.js";
export { Toeplitz } from "./toeplitz.js";
export type { WideHash } from "./wide-hash.js";
export { Xxh64 } from "./xxh64.js";
