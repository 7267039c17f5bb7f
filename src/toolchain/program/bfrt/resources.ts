/** Counters, meters, registers, low-pass filters and WREDs: as tables of their own, and as data of the table that they belong to. */
import { given } from "../../../base/index.js";
import {
  CounterSchema,
  CounterSpec_Unit,
  DirectCounterSchema,
  DirectLpfSchema,
  DirectMeterSchema,
  DirectRegisterSchema,
  DirectWredSchema,
  LpfSchema,
  MeterSchema,
  MeterSpec_Unit,
  RegisterParamSchema,
  RegisterSchema,
  WredSchema,
} from "../p4info/generated/barefoot/tofino_pb.js";
import type { P4DataTypeSpec } from "../p4info/generated/p4/config/v1/p4types_pb.js";
import type { Context, Instance } from "./context.js";
import {
  annotations,
  bytes,
  choice,
  field,
  fixed,
  indexKey,
  mandatory,
  optional,
  plain,
  table,
} from "./fields.js";
import { type FixedField, PREFIX } from "./ids.js";
import type { BfrtData, BfrtTable } from "./schema.js";
import { typeFields } from "./type-fields.js";

function head(
  { id, name, annotations: texts }: Instance<unknown>,
  table_type: string,
  size: bigint | number,
  annotated = true,
) {
  return {
    name,
    id,
    table_type,
    size,
    ...given({ annotations: annotated ? annotations(texts) : undefined }),
    depends_on: [],
  };
}

// ---------------------------------------------------------------- data

function counterData(unit: CounterSpec_Unit | undefined): BfrtData[] {
  const names: FixedField[] = [];
  if (unit === CounterSpec_Unit.BYTES || unit === CounterSpec_Unit.PACKETS_AND_BYTES)
    names.push("COUNTER_SPEC_BYTES");
  if (unit === CounterSpec_Unit.PACKETS || unit === CounterSpec_Unit.PACKETS_AND_BYTES)
    names.push("COUNTER_SPEC_PKTS");
  return names.map((name) => optional(fixed(name, plain("uint64", 0))));
}

const METER_FIELDS: Readonly<Record<MeterSpec_Unit, readonly FixedField[]>> = {
  [MeterSpec_Unit.UNSPECIFIED]: [],
  [MeterSpec_Unit.BYTES]: [
    "METER_SPEC_CIR_KBPS",
    "METER_SPEC_PIR_KBPS",
    "METER_SPEC_CBS_KBITS",
    "METER_SPEC_PBS_KBITS",
  ],
  [MeterSpec_Unit.PACKETS]: [
    "METER_SPEC_CIR_PPS",
    "METER_SPEC_PIR_PPS",
    "METER_SPEC_CBS_PKTS",
    "METER_SPEC_PBS_PKTS",
  ],
};

/** Rates and bursts before a controller sets them: so large that each packet is green. */
const NO_LIMIT = 2n ** 64n - 1n;

function meterData(unit: MeterSpec_Unit | undefined): BfrtData[] {
  return METER_FIELDS[unit ?? MeterSpec_Unit.UNSPECIFIED].map((name) =>
    optional(fixed(name, plain("uint64", NO_LIMIT))),
  );
}

interface RegisterInfo {
  readonly typeSpec?: P4DataTypeSpec | undefined;
  readonly dataFieldName: string;
}

/** Each field is marked as stateful data, so that a controller knows it from the parameters of actions. */
function registerData(context: Context, { name, info }: Instance<RegisterInfo>, firstId: number): BfrtData[] {
  return typeFields(context, info.typeSpec, `register "${name}"`, { firstId }).map((one) =>
    mandatory({
      ...field(one.id, `${info.dataFieldName}.${one.name}`, one.type),
      annotations: [{ name: "$bfrt_field_class", value: "register_data" }],
    }),
  );
}

const lpfData = (): BfrtData[] => [
  mandatory(fixed("LPF_SPEC_TYPE", choice(["RATE", "SAMPLE"]))),
  mandatory(fixed("LPF_SPEC_GAIN_TIME_CONSTANT_NS", plain("float"))),
  mandatory(fixed("LPF_SPEC_DECAY_TIME_CONSTANT_NS", plain("float"))),
  mandatory(fixed("LPF_SPEC_OUT_SCALE_DOWN_FACTOR", plain("uint32"))),
];

const wredData = (): BfrtData[] => [
  mandatory(fixed("WRED_SPEC_TIME_CONSTANT_NS", plain("float"))),
  mandatory(fixed("WRED_SPEC_MIN_THRESH_CELLS", plain("uint32"))),
  mandatory(fixed("WRED_SPEC_MAX_THRESH_CELLS", plain("uint32"))),
  mandatory(fixed("WRED_SPEC_MAX_PROBABILITY", plain("float"))),
];

// ---------------------------------------------------------------- arrays

export const counterTables = (context: Context): BfrtTable[] =>
  context.instances(PREFIX.COUNTER, CounterSchema).map((one) =>
    table(head(one, "Counter", one.info.size), {
      key: indexKey("COUNTER_INDEX"),
      data: counterData(one.info.spec?.unit),
      supported_operations: ["Sync"],
    }),
  );

export const meterTables = (context: Context): BfrtTable[] =>
  context.instances(PREFIX.METER, MeterSchema).map((one) =>
    table(head(one, "Meter", one.info.size, false), {
      key: indexKey("METER_INDEX"),
      data: meterData(one.info.spec?.unit),
      attributes: ["MeterByteCountAdjust"],
    }),
  );

export const registerTables = (context: Context): BfrtTable[] =>
  context.instances(PREFIX.REGISTER, RegisterSchema).map((one) =>
    table(head(one, "Register", one.info.size, false), {
      key: indexKey("REGISTER_INDEX"),
      data: registerData(context, one, 1),
      supported_operations: ["Sync"],
    }),
  );

export const lpfTables = (context: Context): BfrtTable[] =>
  context
    .instances(PREFIX.LPF, LpfSchema)
    .map((one) => table(head(one, "Lpf", one.info.size), { key: indexKey("LPF_INDEX"), data: lpfData() }));

export const wredTables = (context: Context): BfrtTable[] =>
  context
    .instances(PREFIX.WRED, WredSchema)
    .map((one) => table(head(one, "Wred", one.info.size), { key: indexKey("WRED_INDEX"), data: wredData() }));

/** One value that actions read, with the value that it begins with. */
export const registerParamTables = (context: Context): BfrtTable[] =>
  context.instances(PREFIX.REGISTER_PARAM, RegisterParamSchema).map((one) => {
    const { tableId, typeSpec, initialValue } = one.info;
    const type = typeSpec?.typeSpec;
    const bits = type?.case === "bitstring" ? type.value.typeSpec : undefined;
    const width = bits?.case === "bit" || bits?.case === "int" ? bits.value.bitwidth : undefined;
    return {
      ...head(one, "RegisterParam", 1),
      depends_on: tableId === 0 ? [] : [tableId],
      key: [],
      data:
        width === undefined
          ? []
          : [mandatory(field(1, "value", { ...bytes(width), default_value: initialValue }))],
      attributes: [],
      supported_operations: [],
    };
  });

// ---------------------------------------------------------------- direct resources

/** What a direct resource adds to its table. */
interface Addition {
  readonly data: readonly BfrtData[];
  readonly operation?: string;
  readonly attribute?: string;
}

/** Of each direct resource by its id; `firstId` is the first number that no parameter of the table's actions has. */
export function directResources(context: Context): ReadonlyMap<number, (firstId: number) => Addition> {
  const all = new Map<number, (firstId: number) => Addition>();
  for (const { id, info } of context.instances(PREFIX.DIRECT_COUNTER, DirectCounterSchema))
    all.set(id, () => ({ data: counterData(info.spec?.unit), operation: "SyncCounters" }));
  for (const { id, info } of context.instances(PREFIX.DIRECT_METER, DirectMeterSchema))
    all.set(id, () => ({ data: meterData(info.spec?.unit), attribute: "MeterByteCountAdjust" }));
  for (const one of context.instances(PREFIX.DIRECT_REGISTER, DirectRegisterSchema))
    all.set(one.id, (firstId) => ({
      data: registerData(context, one, firstId),
      operation: "SyncRegisters",
    }));
  for (const { id } of context.instances(PREFIX.DIRECT_LPF, DirectLpfSchema))
    all.set(id, () => ({ data: lpfData() }));
  for (const { id } of context.instances(PREFIX.DIRECT_WRED, DirectWredSchema))
    all.set(id, () => ({ data: wredData() }));
  return all;
}
