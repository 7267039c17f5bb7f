/** Meters: BF Runtime's rates are kilobits or packets a second, the domain's bytes or packets a second; bursts likewise. */
import type { MeterConfig } from "../../device/index.js";
import { commonFields, type Table } from "./schema-index.js";
import type { Value } from "./values.js";

const FIELDS = [
  ["committedRate", "$METER_SPEC_CIR_"],
  ["committedBurst", "$METER_SPEC_CBS_"],
  ["peakRate", "$METER_SPEC_PIR_"],
  ["peakBurst", "$METER_SPEC_PBS_"],
] as const;

/** What stands for no limit. */
const NO_LIMIT = (1n << 64n) - 1n;
/** As the domain has it: more than any link sends. */
const MOST = 1n << 50n;

const BYTES_OF_KILOBIT = 125n;

function fieldOf(names: Iterable<string>, prefix: string): { name: string; unit: bigint } | undefined {
  for (const name of names)
    if (name.startsWith(prefix)) return { name, unit: /_(KBPS|KBITS)$/.test(name) ? BYTES_OF_KILOBIT : 1n };
  return undefined;
}

/** Undefined where no field of a meter is given. A rate that is not given is no limit. */
export function meterOf(values: ReadonlyMap<string, Value>): MeterConfig | undefined {
  let isGiven = false;
  const config = { committedRate: MOST, committedBurst: MOST, peakRate: MOST, peakBurst: MOST };
  for (const [part, prefix] of FIELDS) {
    const field = fieldOf(values.keys(), prefix);
    const value = field === undefined ? undefined : values.get(field.name);
    if (field === undefined || typeof value !== "bigint") continue;
    isGiven = true;
    config[part] = value === NO_LIMIT || value * field.unit > MOST ? MOST : value * field.unit;
  }
  return isGiven ? config : undefined;
}

/** The fields of a table's meter; none where it has no meter. */
export function meterValues(table: Table, config: MeterConfig | undefined): [string, Value][] {
  const names = commonFields(table).map(({ name }) => name);
  return FIELDS.flatMap(([part, prefix]): [string, Value][] => {
    const field = fieldOf(names, prefix);
    if (field === undefined) return [];
    const value = config === undefined || config[part] >= MOST ? NO_LIMIT : config[part] / field.unit;
    return [[field.name, value]];
  });
}
