/**
 * Low-pass filters and weighted random early detection: what a controller sets is a cell of the register `NAME.$spec`, of four words of 32
 * bits, the first in the low bits: kind, shift, decay, gain of a filter; constant of time, both thresholds, probability of early detection.
 */
import { DeviceError, type Entity } from "../../device/index.js";
import type { Kind } from "./kind.js";
import type { Value } from "./values.js";

const MOST = 2 ** 32 - 1;
const KINDS = ["", "SAMPLE", "RATE"];

function entityOf(name: string, index: number, words: readonly number[]): Entity {
  const value = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return { kind: "register", register: `${name}.$spec`, index, value };
}

function wordsOf(value: bigint): number[] {
  return [0n, 32n, 64n, 96n].map((shift) => Number((value >> shift) & 0xffffffffn));
}

/** A number of 32 bits; what is not given is 0. */
function wordOf(values: ReadonlyMap<string, Value>, name: string): number {
  const value = values.get(name) ?? 0n;
  const number =
    typeof value === "bigint" || typeof value === "number" ? Math.round(Number(value)) : Number.NaN;
  if (!(number >= 0 && number <= MOST))
    throw new DeviceError("INVALID_ARGUMENT", `${name} is ${String(value)}: a number from 0 to ${MOST}`);
  return number;
}

const LPF = {
  type: "$LPF_SPEC_TYPE",
  gain: "$LPF_SPEC_GAIN_TIME_CONSTANT_NS",
  decay: "$LPF_SPEC_DECAY_TIME_CONSTANT_NS",
  shift: "$LPF_SPEC_OUT_SCALE_DOWN_FACTOR",
};
const WRED = {
  constant: "$WRED_SPEC_TIME_CONSTANT_NS",
  min: "$WRED_SPEC_MIN_THRESH_CELLS",
  max: "$WRED_SPEC_MAX_THRESH_CELLS",
  probability: "$WRED_SPEC_MAX_PROBABILITY",
};

export const lowPassFilters: Kind = {
  query: (name, index) => ({
    kind: "register",
    register: `${name}.$spec`,
    ...(index === undefined ? {} : { index }),
  }),
  entity: ({ name }, index, { values }) => {
    if (values.size === 0) return undefined;
    const kind = KINDS.indexOf(String(values.get(LPF.type) ?? "SAMPLE"));
    if (kind < 1) throw new DeviceError("INVALID_ARGUMENT", `${LPF.type} is SAMPLE or RATE`);
    const [shift = 0, decay = 0, gain = 0] = [LPF.shift, LPF.decay, LPF.gain].map((one) =>
      wordOf(values, one),
    );
    if (shift > 31) throw new DeviceError("INVALID_ARGUMENT", `${LPF.shift} is ${shift}: at most 31`);
    return entityOf(name, index, [kind, shift, decay, gain]);
  },
  cleared: ({ name }, index) => entityOf(name, index, []),
  row: (_, entity) => {
    if (entity.kind !== "register") return undefined;
    const [kind = 0, shift = 0, decay = 0, gain = 0] = wordsOf(entity.value);
    const values: [string, Value][] = [
      [LPF.type, KINDS[kind] || "SAMPLE"],
      [LPF.gain, gain],
      [LPF.decay, decay],
      [LPF.shift, BigInt(shift)],
    ];
    return { index: entity.index, values };
  },
};

export const earlyDetections: Kind = {
  query: lowPassFilters.query,
  entity: ({ name }, index, { values }) => {
    if (values.size === 0) return undefined;
    const [constant = 0, min = 0, max = 0] = [WRED.constant, WRED.min, WRED.max].map((one) =>
      wordOf(values, one),
    );
    const probability = values.get(WRED.probability) ?? 0;
    if (!(typeof probability === "number" && probability >= 0 && probability <= 1))
      throw new DeviceError("INVALID_ARGUMENT", `${WRED.probability} is ${String(probability)}: from 0 to 1`);
    return entityOf(name, index, [constant, min, max, Math.round(probability * MOST)]);
  },
  cleared: lowPassFilters.cleared,
  row: (_, entity) => {
    if (entity.kind !== "register") return undefined;
    const [constant = 0, min = 0, max = 0, probability = 0] = wordsOf(entity.value);
    const values: [string, Value][] = [
      [WRED.constant, constant],
      [WRED.min, BigInt(min)],
      [WRED.max, BigInt(max)],
      [WRED.probability, probability / MOST],
    ];
    return { index: entity.index, values };
  },
};
