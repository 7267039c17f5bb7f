/**
 * `p4loom/hash`: the hash functions of BMv2 and of switch chips, and their structure: linearity, collisions, correlation of two
 * functions. Runs in a browser, too. Page: docs/hash.md.
 */
export * from "../toolchain/hash/index.js";
