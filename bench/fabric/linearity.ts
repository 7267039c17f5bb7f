/**
 * RePaC's check of linearity (section 3.2, figure 4) on every function of the catalogue: 1,000,000 random headers, each with all
 * changes of a field of four bits, eight next hops, 1,000 random seeds of 32 bits. Every pair of a header and a change is two calls of the
 * function; it counts if the choice moves by the offset that the change has for one other header. Reports the share of the
 * pairs: 100 % of every linear function, about 1/8 of the others. `LINEARITY_HEADERS` sets another number of headers.
 */
import { Random } from "../../src/base/index.js";
import type { NamedHash } from "../../src/toolchain/hash/functions.js";
import { hashFunctions } from "../../src/toolchain/hash/index.js";
import { drawInput } from "../../src/toolchain/hash/inputs.js";
import type { Benchmark } from "../benchmark.js";

const HEADERS = Number(process.env["LINEARITY_HEADERS"] ?? 1_000_000);
/** A five-tuple, then a byte whose upper four bits are the control bits, as those of a TTL. */
const BYTES = 14;
const FIELD_BITS = 4;
const CHANGES = 2 ** FIELD_BITS;
const HOPS = 8;
const SEEDS = Math.min(1000, HEADERS);

/** How many pairs of a header and a change that is not 0 are predicted. */
function predictedPairs(named: NamedHash, headers: Uint8Array, seeds: Uint32Array): number {
  const header = new Uint8Array(BYTES);
  const offsets = new Uint8Array(CHANGES);
  let predicted = 0;
  let at = 0;
  for (const [turn, seed] of seeds.entries()) {
    const hash = named.make(seed);
    for (let byte = 0; byte < BYTES; byte++) header[byte] = headers[byte]!;
    fillOffsets(hash, header, offsets);
    const end = BYTES * Math.floor((HEADERS * (turn + 1)) / seeds.length);
    for (; at < end; at += BYTES) {
      for (let byte = 0; byte < BYTES; byte++) header[byte] = headers[at + byte]!;
      const control = header[BYTES - 1]!;
      const first = hash(header) % HOPS;
      for (let change = 1; change < CHANGES; change++) {
        header[BYTES - 1] = control ^ (change << (8 - FIELD_BITS));
        if (((hash(header) % HOPS) ^ first) === offsets[change]) predicted++;
      }
    }
  }
  return predicted;
}

/** By change: how far it moves the choice of a header. */
function fillOffsets(hash: (bytes: Uint8Array) => number, header: Uint8Array, offsets: Uint8Array): void {
  const control = header[BYTES - 1]!;
  const first = hash(header) % HOPS;
  for (let change = 0; change < CHANGES; change++) {
    header[BYTES - 1] = control ^ (change << (8 - FIELD_BITS));
    offsets[change] = (hash(header) % HOPS) ^ first;
  }
}

export const run: Benchmark = async (report) => {
  const random = new Random("linearity");
  const headers = drawInput(new Uint8Array(BYTES * HEADERS), random);
  const seeds = Uint32Array.from({ length: SEEDS }, () => random.uint32());
  const pairs = HEADERS * (CHANGES - 1);
  let [linear, exact] = [0, 0];
  for (const named of hashFunctions) {
    const predicted = predictedPairs(named, headers, seeds);
    if (named.affine) {
      linear++;
      if (predicted === pairs) exact++;
    }
    report({ name: `linearity/${named.name}`, unit: "%", value: (100 * predicted) / pairs });
  }
  report({ name: "linearity/headers", unit: "1", value: HEADERS });
  report({ name: "linearity/changes", unit: "1", value: CHANGES - 1 });
  report({ name: "linearity/seeds", unit: "1", value: SEEDS });
  report({ name: "linearity/linear-functions", unit: "1", value: linear });
  report({ name: "linearity/predicted-without-exception", unit: "1", value: exact });
};
