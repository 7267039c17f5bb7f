/**
 * Closed forms for examples/compare/rivals.yaml, as JSON: how much of a link a load takes on the wire, from which load on a link is full, and how
 * long a run must be. A flow of S bytes is n = ceil(S / segment) packets, each acknowledged by one of headers alone. Hosts send as much as
 * they receive, so that a link carries S + 2 n h bytes in each direction for S bytes of payload. Sizes, segments and rates are those of the file.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { SourceFile } from "../../../src/base/index.js";
import { segmentHeaders } from "../../../src/fabric/experiment/segment-headers.js";
import { readSizeDistribution } from "../../../src/fabric/traffic/index.js";

const root = join(import.meta.dirname, "../../..");
const { traffic, transport, sweep } = parse(readFileSync(join(root, "examples/compare/rivals.yaml"), "utf8"));
/** The loads of the file, and one at which host links are almost full. */
const LOADS: readonly number[] = [
  ...new Set<number>([...sweep.points.map(({ load }: { load: number }) => load), 0.9]),
];
/** Half of a 95 % interval, as a part of the mean. */
const WITHIN = 0.1;
/** Uplinks of the third rack: rates over that of a host's link. It has as many hosts as uplinks. */
const UPLINKS = [0.5, 1, 1, 1];

const { of: name, by } = traffic.sizes.scaled;
const path = join(root, "data/cdf", `${name}.txt`);
const sizes = readSizeDistribution(new SourceFile(path, readFileSync(path, "utf8"))).scaled(by);
// The file counts 113 flows of six sizes.
const SHARES = 113;
const packets = Array.from({ length: SHARES }, (_, i) =>
  Math.ceil(sizes.quantile((i + 0.5) / SHARES) / transport.segment_bytes),
).reduce((sum, count) => sum + count / SHARES, 0);
const wire = 1 + (2 * segmentHeaders("messages", traffic.ip) * packets) / sizes.mean;

const total = UPLINKS.reduce((sum, rate) => sum + rate, 0);

/** The loads from which on a link is full. */
const full = {
  host: 1 / wire,
  /** The slow link, if each uplink gets the same. */
  alike: UPLINKS[0]! / wire,
  /** The uplinks of its rack together. */
  byRate: total / (UPLINKS.length * wire),
};

/** M/G/1 with processor sharing, and flows until the mean number in an M/M/1 queue is known within WITHIN (95 %). */
function queue(use: number): { readonly slowdown: number; readonly flows: number } | undefined {
  if (use >= 1) return undefined;
  return {
    slowdown: 1 / (1 - use),
    // Asymptotic variance of the mean number: 2 r (1 + r) / (1 - r)^4 (Whitt, Planning queueing simulations, Management Science 1989).
    flows: ((1.96 / WITHIN) ** 2 * 2 * (1 + use)) / (1 - use) ** 2,
  };
}

console.log(
  JSON.stringify({ full, loads: LOADS.map((load) => ({ load, use: load * wire, ...queue(load * wire) })) }),
);
