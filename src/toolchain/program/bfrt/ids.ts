/**
 * Numbers that bf-rt.json gives by rule. A field of the program has the number that P4Info gives it. A field that the format itself
 * declares has a number above 2^16, in the order below; numbers without a field of that name today are held free by their places.
 */
import { P4Ids_Prefix } from "../p4info/generated/barefoot/tofino_pb.js";

export const PREFIX = P4Ids_Prefix;

/** The id of another kind that belongs to an instance: its lower three bytes are the instance's. */
export function idOfKind(instance: number, prefix: P4Ids_Prefix): number {
  return (prefix * 2 ** 24 + (instance & 0xffffff)) >>> 0;
}

export function prefixOf(id: number): number {
  return id >>> 24;
}

const FIRST = 2 ** 16;

/** Declared by the format for each architecture, from 2^16 + 1; the second part is Tofino's, from 2^16 + 23. */
const NAMES = [
  "MATCH_PRIORITY",
  "ACTION",
  "ACTION_MEMBER_ID",
  "SELECTOR_GROUP_ID",
  "free",
  "free",
  "ENTRY_TTL",
  "ENTRY_HIT_STATE",
  "METER_SPEC_CIR_KBPS",
  "METER_SPEC_PIR_KBPS",
  "METER_SPEC_CBS_KBITS",
  "METER_SPEC_PBS_KBITS",
  "METER_SPEC_CIR_PPS",
  "METER_SPEC_PIR_PPS",
  "METER_SPEC_CBS_PKTS",
  "METER_SPEC_PBS_PKTS",
  "COUNTER_SPEC_BYTES",
  "COUNTER_SPEC_PKTS",
  "METER_INDEX",
  "COUNTER_INDEX",
  "REGISTER_INDEX",
  "free",
  "free",
  "LPF_INDEX",
  "WRED_INDEX",
  "GET_MEMBER_MEMBER_ID",
  "GET_MEMBER_GROUP_ID",
  "ACTION_MEMBER_STATUS",
  "MAX_GROUP_SIZE",
  "ADT_OFFSET",
  "LPF_SPEC_TYPE",
  "LPF_SPEC_GAIN_TIME_CONSTANT_NS",
  "LPF_SPEC_DECAY_TIME_CONSTANT_NS",
  "LPF_SPEC_OUT_SCALE_DOWN_FACTOR",
  "WRED_SPEC_TIME_CONSTANT_NS",
  "WRED_SPEC_MIN_THRESH_CELLS",
  "WRED_SPEC_MAX_THRESH_CELLS",
  "WRED_SPEC_MAX_PROBABILITY",
  "PORT_METADATA_PORT",
  "PORT_METADATA_DEFAULT",
  "HASH_ROTATE",
  "HASH_SEED",
  "HASH_MSB",
  "HASH_EXTEND",
  "HASH_PRE_DEFINED",
  "HASH_USER_DEFINED",
  "HASH_VALUE",
  "HASH_START_BIT",
  "HASH_LENGTH",
  "HASH_ORDER",
  "SNAPSHOT_START_STAGE",
  "SNAPSHOT_END_STAGE",
  "SNAPSHOT_ENABLE",
  "SNAPSHOT_TRIGGER_STATE",
  "SNAPSHOT_TIMER_ENABLE",
  "SNAPSHOT_TIMER_TRIGGER",
  "SNAPSHOT_TIMER_VALUE_USECS",
  "free",
  "free",
  "SNAPSHOT_TABLE_INFO",
  "SNAPSHOT_METER_ALU_INFO",
  "free",
  "SNAPSHOT_PREV_STAGE_TRIGGER",
  "SNAPSHOT_INGRESS_TRIGGER_MODE",
  "SNAPSHOT_LOCAL_STAGE_TRIGGER",
  "free",
  "SNAPSHOT_NEXT_TABLE_NAME",
  "SNAPSHOT_ENABLED_NEXT_TABLES",
  "SNAPSHOT_GLOBAL_EXECUTE_TABLES",
  "SNAPSHOT_ENABLED_GLOBAL_EXECUTE_TABLES",
  "SNAPSHOT_LONG_BRANCH_TABLES",
  "SNAPSHOT_ENABLED_LONG_BRANCH_TABLES",
  "SNAPSHOT_DEPARSER_ERROR",
  "free",
  "SNAPSHOT_TABLE_NAME",
  "SNAPSHOT_METER_TABLE_NAME",
  "SNAPSHOT_METER_ALU_OPERATION_TYPE",
  "SNAPSHOT_MATCH_HIT_HANDLE",
  "SNAPSHOT_TABLE_HIT",
  "SNAPSHOT_TABLE_INHIBITED",
  "SNAPSHOT_TABLE_EXECUTED",
  "SNAPSHOT_LIVENESS_FIELD_NAME",
  "SNAPSHOT_LIVENESS_VALID_STAGES",
  "SNAPSHOT_THREAD",
  "SNAPSHOT_INGRESS_CAPTURE",
  "SNAPSHOT_EGRESS_CAPTURE",
  "SNAPSHOT_GHOST_CAPTURE",
  "free",
  "free",
  "DEBUG_COUNTER_TABLE_NAME",
  "DEBUG_COUNTER_TYPE",
  "DEBUG_COUNTER_VALUE",
] as const;

export type FixedField = Exclude<(typeof NAMES)[number], "free">;

export const FIELD_ID = Object.fromEntries(
  NAMES.flatMap((name, index) => (name === "free" ? [] : [[name, FIRST + 1 + index]])),
) as Readonly<Record<FixedField, number>>;
