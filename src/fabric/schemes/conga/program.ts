/** The values of the templates `templates/conga/*.p4.hbs`. */
import { NO_SELECTOR, type ProgramPlan } from "../../../toolchain/generate/index.js";
import { microseconds } from "../register-time.js";
import type { CongaParameters } from "./parameters.js";

/** A utilisation of 1 in the estimator. */
const FULL_BITS = 24;
/** Bits after the point of the scale of a link. */
const SCALE_BITS = 16;
/** What is left of an estimator below this share is nothing: the program's powers have 16 bits after the point. */
const NOTHING = 2 ** -17;

/** The factor from the units of a link to its estimator: `capacity` is what the full link carries in tau, in these units. */
export function scaleOf(capacity: number): number {
  return Math.min(2 ** 32 - 1, Math.max(1, Math.round(2 ** (FULL_BITS + SCALE_BITS) / capacity)));
}

/** The estimator: X loses the share alpha each period (section 3.2), here by the powers of 1 - alpha that the number of periods is made of. */
function estimatorValues({ alpha, bits }: CongaParameters, period: number) {
  const left = 1 - alpha;
  let powersOfTwo = 0;
  while (left ** (2 ** powersOfTwo) > NOTHING) powersOfTwo++;
  const powers = Array.from({ length: powersOfTwo }, (_, i) => ({
    periods: 2 ** i,
    factor: Math.round(2 ** 16 * left ** (2 ** i)),
  }));
  // Elapsed times are below 2^powersOfTwo periods, so that their product with the inverse fits in 64 bits.
  const inverseBits = 63 - powersOfTwo;
  return {
    bits,
    period,
    forgotten: period * 2 ** powersOfTwo,
    inverseBits,
    // Rounded up: the product then has the right whole part for all elapsed times (their error is below 1 / period).
    periodInverse: (2n ** BigInt(inverseBits) + BigInt(period) - 1n) / BigInt(period),
    powers,
    shift: FULL_BITS - bits,
    most: 2 ** bits - 1,
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** The common values of both programs. */
function commonValues(parameters: CongaParameters, period: number) {
  return {
    dre: estimatorValues(parameters, period),
    ethernetPayloads: [{ type: "TYPE_CONGA", header: "conga", carriesIp: true }],
  };
}

/** Room of the tables and registers of ToRs. */
interface TorSizes {
  readonly routes: number;
  readonly links: number;
  readonly racks: number;
  /** The most uplinks of a ToR, and of the ToRs of a rack together. */
  readonly uplinks: number;
  readonly tags: number;
}

export function torProgram(
  parameters: CongaParameters,
  period: number,
  { routes, links, racks, uplinks, tags }: TorSizes,
): ProgramPlan {
  const ageing = microseconds(parameters.ageing);
  const values = {
    ...commonValues(parameters, period),
    role: "tor",
    updatesCongestion: false,
    racks,
    uplinks: numbers(uplinks),
    tags: numbers(tags),
    bitmapBits: uplinks,
    flowletGap: microseconds(parameters.flowlet_gap),
    flowlets: parameters.flowlets,
    ageing: numbers(parameters.bits).map((i) => ageing * (i + 1)),
    sizes: { routes, links, racks, uplinks, toLeaf: racks * uplinks, fromLeaf: racks * tags },
    directions: [],
    routeActions: ["to_port", "to_rack"],
    selector: { ...NO_SELECTOR, hashed: false },
  };
  return { name: "tor", template: "conga/tor", values };
}

/** The program of a switch above the ToRs, from that of plain ECMP. */
export function transitProgram(
  { name, values }: ProgramPlan,
  parameters: CongaParameters,
  period: number,
  links: number,
): ProgramPlan {
  const { sizes } = values as { readonly sizes: object };
  return {
    name,
    template: "conga/transit",
    values: {
      ...values,
      ...commonValues(parameters, period),
      updatesCongestion: true,
      sizes: { ...sizes, links },
    },
  };
}
