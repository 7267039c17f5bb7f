/**
 * RePaC's check of linearity (section 3.2, figure 4) on every function of the catalogue: 1,000,000 random headers, each with all
 * changes of four bits, eight next hops, three seeds. Reports the share of the pairs that the offsets of one header predict: 100 %
 * of every linear function, about 1/8 of the others. `LINEARITY_HEADERS` sets another number of headers.
 */
import { Random } from "../src/base/index.js";
import { drawInput, hashFunctions } from "../src/hash/index.js";
import type { Benchmark } from "./main.js";

const HEADERS = Number(process.env["LINEARITY_HEADERS"] ?? 1_000_000);
/** A five-tuple, then a byte whose upper four bits are the control bits, as those of a TTL. */
const BYTES = 14;
const HOPS = 8;
const SEEDS = [0, 1, 0xdeadbeef];

export const run: Benchmark = async (report) => {
  let [linear, exact] = [0, 0];
  for (const named of hashFunctions) {
    let predicted = 0;
    for (const seed of SEEDS) {
      const hash = named.make(seed);
      const choose = (bytes: Uint8Array) => (hash(bytes) >>> 0) % HOPS;
      const random = new Random("linearity").fork(seed);
      const header = new Uint8Array(BYTES);
      drawInput(header, random);
      const reference = header[BYTES - 1]!;
      const zero = choose(header);
      const offsets = Array.from({ length: 16 }, (_, delta) => {
        header[BYTES - 1] = reference ^ (delta << 4);
        return choose(header) ^ zero;
      });
      for (let i = 0; i < HEADERS; i++) {
        drawInput(header, random);
        const first = choose(header);
        const control = header[BYTES - 1]!;
        for (let delta = 1; delta < 16; delta++) {
          header[BYTES - 1] = control ^ (delta << 4);
          if ((choose(header) ^ first) === offsets[delta]) predicted++;
        }
      }
    }
    const share = (100 * predicted) / (HEADERS * 15 * SEEDS.length);
    if (named.affine) {
      linear++;
      if (predicted === HEADERS * 15 * SEEDS.length) exact++;
    }
    report({ name: `linearity/${named.name}`, unit: "%", value: share });
  }
  report({ name: "linearity/functions", unit: "1", value: linear });
  report({ name: "linearity/exact", unit: "1", value: exact });
};
