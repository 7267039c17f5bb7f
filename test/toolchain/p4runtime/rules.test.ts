/** Rules for updates and read requests that P4Info alone decides, each with the code the standard asks for. */
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { DeviceError } from "../../../src/toolchain/device/index.js";
import { decodeQuery, decodeUpdate } from "../../../src/toolchain/p4runtime/codec/entity.js";
import { CURRENT_DIALECT } from "../../../src/toolchain/p4runtime/codec/ports.js";
import { makeWire } from "../../../src/toolchain/p4runtime/codec/wire.js";
import { EntitySchema, UpdateSchema } from "../../../src/toolchain/p4runtime/generated/p4/v1/p4runtime_pb.js";
import { P4InfoIndex, readP4Info } from "../../../src/toolchain/program/index.js";

const P4INFO = `
tables {
  preamble { id: 0x2000001 name: "plain" alias: "plain" }
  match_fields { id: 1 name: "a" bitwidth: 8 match_type: EXACT }
  match_fields { id: 2 name: "b" bitwidth: 8 match_type: LPM }
  action_refs { id: 0x1000001 } action_refs { id: 0x1000002 scope: TABLE_ONLY }
  action_refs { id: 0x1000003 scope: DEFAULT_ONLY }
  direct_resource_ids: 0x13000001 direct_resource_ids: 0x15000001
  idle_timeout_behavior: NOTIFY_CONTROL size: 8
}
tables {
  preamble { id: 0x2000002 name: "bare" alias: "bare" }
  match_fields { id: 1 name: "a" bitwidth: 8 match_type: TERNARY }
  match_fields { id: 2 name: "b" bitwidth: 8 match_type: RANGE }
  match_fields { id: 3 name: "c" bitwidth: 8 match_type: OPTIONAL }
  action_refs { id: 0x1000001 } const_default_action_id: 0x1000001 size: 8
}
tables { preamble { id: 0x2000003 name: "keyless" alias: "keyless" } action_refs { id: 0x1000001 } }
tables {
  preamble { id: 0x2000004 name: "fixed" alias: "fixed" }
  match_fields { id: 1 name: "a" bitwidth: 8 match_type: EXACT }
  action_refs { id: 0x1000001 } is_const_table: true direct_resource_ids: 0x13000002
}
tables {
  preamble { id: 0x2000005 name: "select" alias: "select" }
  match_fields { id: 1 name: "a" bitwidth: 8 match_type: EXACT }
  action_refs { id: 0x1000001 } action_refs { id: 0x1000003 scope: DEFAULT_ONLY } implementation_id: 0x11000001
}
tables {
  preamble { id: 0x2000006 name: "unweighted" alias: "unweighted" }
  match_fields { id: 1 name: "a" bitwidth: 8 match_type: EXACT }
  action_refs { id: 0x1000001 } implementation_id: 0x11000002
}
tables {
  preamble { id: 0x2000007 name: "members" alias: "members" }
  match_fields { id: 1 name: "a" bitwidth: 8 match_type: EXACT }
  action_refs { id: 0x1000001 } implementation_id: 0x11000003
}
tables {
  preamble { id: 0x2000008 name: "counted" alias: "counted" }
  match_fields { id: 1 name: "a" bitwidth: 8 match_type: EXACT }
  action_refs { id: 0x1000001 } implementation_id: 0x11000004
}
actions { preamble { id: 0x1000001 name: "act" alias: "act" } params { id: 1 name: "p" bitwidth: 9 } }
actions { preamble { id: 0x1000002 name: "entry" alias: "entry" } }
actions { preamble { id: 0x1000003 name: "fallback" alias: "fallback" } }
actions { preamble { id: 0x1000004 name: "elsewhere" alias: "elsewhere" } }
action_profiles {
  preamble { id: 0x11000001 name: "sel" alias: "sel" } table_ids: 0x2000005 with_selector: true
  size: 64 max_group_size: 4 sum_of_weights { }
}
action_profiles {
  preamble { id: 0x11000002 name: "unw" alias: "unw" } table_ids: 0x2000006 with_selector: true
  size: 64 max_group_size: 2 sum_of_members { max_member_weight: 3 } weights_disallowed: true
}
action_profiles {
  preamble { id: 0x11000003 name: "mem" alias: "mem" } table_ids: 0x2000007 size: 64
}
action_profiles {
  preamble { id: 0x11000004 name: "count" alias: "count" } table_ids: 0x2000008 with_selector: true
  size: 64 max_group_size: 9 sum_of_members { max_member_weight: 3 }
}
action_profiles {
  preamble { id: 0x11000005 name: "free" alias: "free" } with_selector: true
  size: 64 sum_of_members { }
}
counters { preamble { id: 0x12000001 name: "cnt" alias: "cnt" } spec { unit: BOTH } size: 4 }
counters { preamble { id: 0x12000002 name: "huge" alias: "huge" } spec { unit: BOTH } size: 4294967296 }
direct_counters { preamble { id: 0x13000001 name: "dc" alias: "dc" } spec { unit: BOTH } direct_table_id: 0x2000001 }
direct_counters { preamble { id: 0x13000002 name: "df" alias: "df" } spec { unit: BOTH } direct_table_id: 0x2000004 }
meters { preamble { id: 0x14000001 name: "two" alias: "two" } spec { unit: BYTES } size: 4 }
meters {
  preamble { id: 0x14000002 name: "single" alias: "single" } spec { unit: BYTES type: SINGLE_RATE_THREE_COLOR } size: 4
}
meters {
  preamble { id: 0x14000003 name: "duo" alias: "duo" } spec { unit: BYTES type: SINGLE_RATE_TWO_COLOR } size: 4
}
direct_meters { preamble { id: 0x15000001 name: "dm" alias: "dm" } spec { unit: BYTES } direct_table_id: 0x2000001 }
registers {
  preamble { id: 0x16000001 name: "reg" alias: "reg" } size: 4
  type_spec { bitstring { bit { bitwidth: 12 } } }
}
registers {
  preamble { id: 0x16000002 name: "signed" alias: "signed" } size: 4
  type_spec { bitstring { int { bitwidth: 8 } } }
}
registers {
  preamble { id: 0x16000003 name: "pair" alias: "pair" } size: 4
  type_spec { tuple { members { bitstring { bit { bitwidth: 1 } } } members { bitstring { bit { bitwidth: 1 } } } } }
}
value_sets {
  preamble { id: 0x3000001 name: "vs" alias: "vs" } size: 2
  match { id: 1 name: "v" bitwidth: 16 match_type: EXACT }
}
digests {
  preamble { id: 0x17000001 name: "dig" alias: "dig" } type_spec { bitstring { bit { bitwidth: 12 } } }
}
externs { extern_type_id: 0x81 extern_type_name: "e" }
`;

const diagnostics = new Diagnostics();
const p4info = readP4Info(new SourceFile("rules.txtpb", P4INFO), "text", diagnostics);
diagnostics.throwIfErrors();
const wire = makeWire(new P4InfoIndex(p4info!), CURRENT_DIALECT, false);

const b64 = (...bytes: number[]): string => Buffer.from(bytes).toString("base64");
const exact = (...bytes: number[]) => ({ field_id: 1, exact: { value: b64(...bytes) } });
const ACT = { action_id: 0x1000001, params: [{ param_id: 1, value: b64(1) }] };
const act = { action: ACT };

/** What a request is answered with: a code, and how many updates it means. */
function update(type: string, entity: JsonValue): string {
  const message = fromJson(UpdateSchema, { type, entity });
  try {
    return `OK ${[...decodeUpdate(wire, message)].length}`;
  } catch (error) {
    if (error instanceof DeviceError) return error.code;
    throw error;
  }
}

const entry = (table_id: number, more: Record<string, JsonValue> = {}): JsonValue => ({
  table_entry: { table_id, match: [exact(1)], action: act, ...more },
});
const PLAIN = 0x2000001;
const BARE = 0x2000002;
const ternary = (value: number, mask: number) => ({
  field_id: 1,
  ternary: { value: b64(value), mask: b64(mask) },
});

describe("table entries (9.1)", () => {
  it.each<[string, string, string, JsonValue]>([
    ["an entry", "OK 1", "INSERT", entry(PLAIN)],
    ["padded values", "OK 1", "INSERT", entry(PLAIN, { match: [exact(0, 0, 1)] })],
    ["is_const", "INVALID_ARGUMENT", "INSERT", entry(PLAIN, { is_const: true })],
    ["is_const in a delete", "INVALID_ARGUMENT", "DELETE", entry(PLAIN, { is_const: true })],
    ["a keyless table", "INVALID_ARGUMENT", "INSERT", entry(0x2000003, { match: [] })],
    ["no action", "INVALID_ARGUMENT", "INSERT", { table_entry: { table_id: PLAIN, match: [exact(1)] } }],
    ["no action in a modify", "OK 1", "MODIFY", { table_entry: { table_id: PLAIN, match: [exact(1)] } }],
    [
      "a nonsense action in a delete",
      "OK 1",
      "DELETE",
      entry(PLAIN, { action: { action: { action_id: 7 } } }),
    ],
    ["no type", "INVALID_ARGUMENT", "UNSPECIFIED", entry(PLAIN)],
    ["a priority without need", "INVALID_ARGUMENT", "INSERT", entry(PLAIN, { priority: 1 })],
    ["no priority", "INVALID_ARGUMENT", "INSERT", entry(BARE, { match: [] })],
    ["only don't-cares", "OK 1", "INSERT", entry(BARE, { match: [], priority: 1 })],
    ["a metadata cookie", "OK 1", "INSERT", entry(PLAIN, { metadata: b64(1), controller_metadata: "5" })],
    ["is_const table", "PERMISSION_DENIED", "INSERT", entry(0x2000004)],
    ["delete from a const table", "PERMISSION_DENIED", "DELETE", entry(0x2000004)],
    ["an action in a const table", "PERMISSION_DENIED", "MODIFY", entry(0x2000004)],
    [
      "the direct counter of a const entry",
      "OK 1",
      "MODIFY",
      { table_entry: { table_id: 0x2000004, match: [exact(1)], counter_data: { packet_count: "4" } } },
    ],
  ])("%s: %s", (_, code, type, entity) => {
    expect(update(type, entity)).toBe(code);
  });
});

describe("matches (9.1.1)", () => {
  it.each<[string, string, JsonValue, number?]>([
    ["an unknown field", "INVALID_ARGUMENT", [{ field_id: 9, exact: { value: b64(1) } }]],
    ["a field twice", "INVALID_ARGUMENT", [exact(1), exact(1)]],
    ["another kind", "INVALID_ARGUMENT", [{ field_id: 1, optional: { value: b64(1) } }]],
    ["no kind", "INVALID_ARGUMENT", [{ field_id: 1 }]],
    ["no exact field", "INVALID_ARGUMENT", []],
    ["no bytes", "INVALID_ARGUMENT", [exact()]],
    ["too wide", "INVALID_ARGUMENT", [exact(1, 0)]],
    ["a prefix", "OK 1", [exact(1), { field_id: 2, lpm: { value: b64(0xa0), prefix_len: 3 } }]],
    ["a prefix of 0", "INVALID_ARGUMENT", [exact(1), { field_id: 2, lpm: { value: b64(0), prefix_len: 0 } }]],
    [
      "a negative prefix",
      "INVALID_ARGUMENT",
      [exact(1), { field_id: 2, lpm: { value: b64(0), prefix_len: -1 } }],
    ],
    [
      "a prefix too long",
      "INVALID_ARGUMENT",
      [exact(1), { field_id: 2, lpm: { value: b64(1), prefix_len: 9 } }],
    ],
    [
      "bits behind a prefix",
      "INVALID_ARGUMENT",
      [exact(1), { field_id: 2, lpm: { value: b64(0xa1), prefix_len: 3 } }],
    ],
    ["a mask", "OK 1", [ternary(0x10, 0xf0)], BARE],
    ["a mask of 0", "INVALID_ARGUMENT", [ternary(0, 0)], BARE],
    ["bits outside a mask", "INVALID_ARGUMENT", [ternary(0x11, 0xf0)], BARE],
    ["a range", "OK 1", [{ field_id: 2, range: { low: b64(1), high: b64(255) } }], BARE],
    [
      "a range upside down",
      "INVALID_ARGUMENT",
      [{ field_id: 2, range: { low: b64(2), high: b64(1) } }],
      BARE,
    ],
    ["a range over all", "INVALID_ARGUMENT", [{ field_id: 2, range: { low: b64(0), high: b64(255) } }], BARE],
    ["optional", "OK 1", [{ field_id: 3, optional: { value: b64(0) } }], BARE],
  ])("%s: %s", (_, code, match, table = PLAIN) => {
    const priority: Record<string, JsonValue> = table === BARE ? { priority: 1 } : {};
    expect(update("INSERT", entry(table, { match, ...priority }))).toBe(code);
  });
});

describe("actions (9.1.2)", () => {
  it.each<[string, string, JsonValue, number?]>([
    ["unknown", "INVALID_ARGUMENT", { action: { action_id: 0x1ffffff } }],
    ["of no table", "INVALID_ARGUMENT", { action: { action_id: 0x1000004 } }],
    ["for entries only", "OK 1", { action: { action_id: 0x1000002 } }],
    ["for the default only", "PERMISSION_DENIED", { action: { action_id: 0x1000003 } }],
    ["without its parameter", "INVALID_ARGUMENT", { action: { action_id: 0x1000001 } }],
    [
      "with an unknown parameter",
      "INVALID_ARGUMENT",
      { action: { ...ACT, params: [{ param_id: 2, value: b64(1) }] } },
    ],
    [
      "with a parameter twice",
      "INVALID_ARGUMENT",
      { action: { ...ACT, params: [...ACT.params, ...ACT.params] } },
    ],
    ["with an empty parameter", "INVALID_ARGUMENT", { action: { ...ACT, params: [{ param_id: 1 }] } }],
    [
      "with a wide parameter",
      "INVALID_ARGUMENT",
      { action: { ...ACT, params: [{ param_id: 1, value: b64(2, 0) }] } },
    ],
    ["a member of a plain table", "INVALID_ARGUMENT", { action_profile_member_id: 1 }],
    ["a group of a plain table", "INVALID_ARGUMENT", { action_profile_group_id: 1 }],
    ["none", "INVALID_ARGUMENT", {}],
    ["an action of a table with a selector", "INVALID_ARGUMENT", act, 0x2000005],
    ["a member", "OK 1", { action_profile_member_id: 1 }, 0x2000005],
    ["a group", "OK 1", { action_profile_group_id: 1 }, 0x2000005],
    ["a group without a selector", "INVALID_ARGUMENT", { action_profile_group_id: 1 }, 0x2000007],
    ["a member without a selector", "OK 1", { action_profile_member_id: 1 }, 0x2000007],
  ])("%s: %s", (_, code, action, table = PLAIN) => {
    expect(update("INSERT", entry(table, { action }))).toBe(code);
  });
});

describe("default entries (9.1.3)", () => {
  const fallback = (more: Record<string, JsonValue>, table_id = PLAIN): JsonValue => ({
    table_entry: { table_id, is_default_action: true, ...more },
  });
  it.each<[string, string, string, JsonValue]>([
    ["a change", "OK 1", "MODIFY", fallback({ action: act })],
    ["a reset", "OK 1", "MODIFY", fallback({})],
    ["an insert", "INVALID_ARGUMENT", "INSERT", fallback({ action: act })],
    ["a delete", "INVALID_ARGUMENT", "DELETE", fallback({})],
    ["a match", "INVALID_ARGUMENT", "MODIFY", fallback({ match: [exact(1)], action: act })],
    ["a priority", "INVALID_ARGUMENT", "MODIFY", fallback({ priority: 1, action: act })],
    ["an idle timeout", "INVALID_ARGUMENT", "MODIFY", fallback({ idle_timeout_ns: "1", action: act })],
    [
      "an action for entries only",
      "PERMISSION_DENIED",
      "MODIFY",
      fallback({ action: { action: { action_id: 0x1000002 } } }),
    ],
    [
      "an action for the default only",
      "OK 1",
      "MODIFY",
      fallback({ action: { action: { action_id: 0x1000003 } } }),
    ],
    [
      "the time since its last hit",
      "INVALID_ARGUMENT",
      "MODIFY",
      fallback({ time_since_last_hit: {}, action: act }),
    ],
    ["a constant one", "PERMISSION_DENIED", "MODIFY", fallback({ action: act }, BARE)],
    ["one of a table with a selector", "PERMISSION_DENIED", "MODIFY", fallback({ action: act }, 0x2000005)],
    ["the reset of that one", "PERMISSION_DENIED", "MODIFY", fallback({}, 0x2000005)],
    ["one of a keyless table", "OK 1", "MODIFY", fallback({ action: act }, 0x2000003)],
    ["one of a table of constants", "OK 1", "MODIFY", fallback({ action: act }, 0x2000004)],
  ])("%s: %s", (_, code, type, entity) => {
    expect(update(type, entity)).toBe(code);
  });
});

describe("direct resources and idle timeouts (9.1.7, 9.1.8)", () => {
  it.each<[string, string, JsonValue]>([
    [
      "a counter and a meter",
      "OK 1",
      entry(PLAIN, { counter_data: {}, meter_config: { cir: "1", pir: "2" } }),
    ],
    [
      "a counter where none is",
      "INVALID_ARGUMENT",
      entry(BARE, { match: [], priority: 1, counter_data: {} }),
    ],
    ["a meter where none is", "INVALID_ARGUMENT", entry(BARE, { match: [], priority: 1, meter_config: {} })],
    ["a negative counter", "INVALID_ARGUMENT", entry(PLAIN, { counter_data: { byte_count: "-1" } })],
    ["a meter upside down", "INVALID_ARGUMENT", entry(PLAIN, { meter_config: { cir: "2", pir: "1" } })],
    ["counters by colour", "UNIMPLEMENTED", entry(PLAIN, { meter_counter_data: {} })],
    ["an idle timeout", "OK 1", entry(PLAIN, { idle_timeout_ns: "5" })],
    ["a negative one", "INVALID_ARGUMENT", entry(PLAIN, { idle_timeout_ns: "-5" })],
    [
      "one where not supported",
      "INVALID_ARGUMENT",
      entry(BARE, { match: [], priority: 1, idle_timeout_ns: "5" }),
    ],
    ["a time of the last hit", "INVALID_ARGUMENT", entry(PLAIN, { time_since_last_hit: {} })],
  ])("%s: %s", (_, code, entity) => {
    expect(update("INSERT", entity)).toBe(code);
  });

  // PTF tests written for BMv2 compare these texts as a whole, as PI's server has them
  it.each<[string, JsonValue]>([
    [
      "idle_timeout_ns must be set to 0 for tables which do not support idle timeout",
      entry(BARE, { match: [], priority: 1, idle_timeout_ns: "5" }),
    ],
    [
      "has_time_since_last_hit must not be set in WriteRequest",
      entry(PLAIN, { time_since_last_hit: { elapsed_ns: "1" } }),
    ],
  ])("has PI's text: %s", (text, entity) => {
    for (const type of ["INSERT", "MODIFY"]) {
      const message = fromJson(UpdateSchema, { type, entity });
      expect(() => decodeUpdate(wire, message)).toThrow(new DeviceError("INVALID_ARGUMENT", text));
    }
  });

  const owner = { table_id: PLAIN, match: [exact(1)] };
  it.each<[string, string, string, JsonValue]>([
    [
      "a direct counter",
      "OK 1",
      "MODIFY",
      { direct_counter_entry: { table_entry: owner, data: { packet_count: "1" } } },
    ],
    ["one without data", "OK 0", "MODIFY", { direct_counter_entry: { table_entry: owner } }],
    [
      "an insert of one",
      "INVALID_ARGUMENT",
      "INSERT",
      { direct_counter_entry: { table_entry: owner, data: {} } },
    ],
    [
      "a delete of one",
      "INVALID_ARGUMENT",
      "DELETE",
      { direct_counter_entry: { table_entry: owner, data: {} } },
    ],
    ["one of nothing", "INVALID_ARGUMENT", "MODIFY", { direct_counter_entry: { data: {} } }],
    [
      "one where none is",
      "INVALID_ARGUMENT",
      "MODIFY",
      { direct_counter_entry: { table_entry: { table_id: BARE, priority: 1 } } },
    ],
    [
      "a direct meter",
      "OK 1",
      "MODIFY",
      { direct_meter_entry: { table_entry: owner, config: { cir: "1", pir: "1" } } },
    ],
    ["a reset of one", "OK 1", "MODIFY", { direct_meter_entry: { table_entry: owner } }],
    ["an insert of one", "INVALID_ARGUMENT", "INSERT", { direct_meter_entry: { table_entry: owner } }],
    [
      "its counters by colour",
      "UNIMPLEMENTED",
      "MODIFY",
      { direct_meter_entry: { table_entry: owner, counter_data: {} } },
    ],
  ])("%s: %s", (_, code, type, entity) => {
    expect(update(type, entity)).toBe(code);
  });
});

describe("members and groups (9.2)", () => {
  const SEL = 0x11000001;
  const member = (more: Record<string, JsonValue>): JsonValue => ({
    action_profile_member: { action_profile_id: SEL, member_id: 1, action: ACT, ...more },
  });
  const group = (more: Record<string, JsonValue>): JsonValue => ({
    action_profile_group: { action_profile_id: SEL, group_id: 1, ...more },
  });
  const weights = (...list: number[]) => ({
    members: list.map((weight, i) => ({ member_id: i + 1, weight })),
  });
  it.each<[string, string, string, JsonValue]>([
    ["a member", "OK 1", "INSERT", member({})],
    ["member 0", "INVALID_ARGUMENT", "INSERT", member({ member_id: 0 })],
    ["an unknown profile", "INVALID_ARGUMENT", "INSERT", member({ action_profile_id: 5 })],
    [
      "a member without action",
      "INVALID_ARGUMENT",
      "MODIFY",
      { action_profile_member: { action_profile_id: SEL, member_id: 1 } },
    ],
    ["a member's foreign action", "INVALID_ARGUMENT", "INSERT", member({ action: { action_id: 0x1000002 } })],
    [
      "a member's default-only action",
      "PERMISSION_DENIED",
      "INSERT",
      member({ action: { action_id: 0x1000003 } }),
    ],
    ["a delete by key", "OK 1", "DELETE", member({ action: { action_id: 9 } })],
    ["a group", "OK 1", "INSERT", group({ ...weights(1, 3), max_size: 4 })],
    ["an empty group", "OK 1", "INSERT", group({})],
    ["group 0", "INVALID_ARGUMENT", "INSERT", group({ group_id: 0 })],
    ["a group without selector", "INVALID_ARGUMENT", "INSERT", group({ action_profile_id: 0x11000003 })],
    ["weight 0", "INVALID_ARGUMENT", "INSERT", group(weights(0))],
    ["a negative weight", "INVALID_ARGUMENT", "INSERT", group(weights(-1))],
    [
      "a member twice",
      "INVALID_ARGUMENT",
      "INSERT",
      group({
        members: [
          { member_id: 1, weight: 1 },
          { member_id: 1, weight: 1 },
        ],
      }),
    ],
    [
      "the largest weight of a member",
      "OK 1",
      "INSERT",
      group({ action_profile_id: 0x11000004, ...weights(3) }),
    ],
    [
      "a weight above it",
      "INVALID_ARGUMENT",
      "INSERT",
      group({ action_profile_id: 0x11000004, ...weights(4) }),
    ],
    [
      "any weight where nothing bounds it",
      "OK 1",
      "INSERT",
      group({ action_profile_id: 0x11000005, ...weights(1 << 30) }),
    ],
    ["a delete of a group by its key", "OK 1", "DELETE", group({ ...weights(-1, 0), max_size: -1 })],
    ["weights beyond max_size", "RESOURCE_EXHAUSTED", "INSERT", group({ ...weights(1, 2), max_size: 2 })],
    ["weights beyond max_group_size", "RESOURCE_EXHAUSTED", "INSERT", group(weights(2, 3))],
    ["max_size above max_group_size", "INVALID_ARGUMENT", "INSERT", group({ max_size: 5 })],
    ["a negative max_size", "INVALID_ARGUMENT", "INSERT", group({ max_size: -1 })],
    [
      "a watch port",
      "OK 1",
      "INSERT",
      group({ members: [{ member_id: 1, weight: 1, watch_port: b64(1, 0) }] }),
    ],
    [
      "a watch port too wide",
      "OUT_OF_RANGE",
      "INSERT",
      group({ members: [{ member_id: 1, weight: 1, watch_port: b64(1, 0, 0, 0, 0) }] }),
    ],
    [
      "no weights where disallowed",
      "OK 1",
      "INSERT",
      group({ action_profile_id: 0x11000002, ...weights(0, 0) }),
    ],
    [
      "weights where disallowed",
      "INVALID_ARGUMENT",
      "INSERT",
      group({ action_profile_id: 0x11000002, ...weights(1) }),
    ],
    [
      "too many members",
      "RESOURCE_EXHAUSTED",
      "INSERT",
      group({ action_profile_id: 0x11000002, ...weights(0, 0, 0) }),
    ],
  ])("%s: %s", (_, code, type, entity) => {
    expect(update(type, entity)).toBe(code);
  });

  const set = (...list: number[]): JsonValue => ({
    action_profile_action_set: { action_profile_actions: list.map((weight) => ({ action: ACT, weight })) },
  });
  it.each<[string, string, JsonValue]>([
    ["a set", "OK 1", set(1, 3)],
    ["an empty set", "OK 1", set()],
    ["weight 0", "INVALID_ARGUMENT", set(0)],
    ["too much weight", "INVALID_ARGUMENT", set(2, 3)],
    ["a selection mode", "UNIMPLEMENTED", { action_profile_action_set: { action_selection_mode: "RANDOM" } }],
    ["a group action", "UNIMPLEMENTED", { action_profile_action_set: { group_action: ACT } }],
    [
      "a default-only action",
      "PERMISSION_DENIED",
      {
        action_profile_action_set: {
          action_profile_actions: [{ action: { action_id: 0x1000003 }, weight: 1 }],
        },
      },
    ],
  ])("one shot (9.2.3), %s: %s", (_, code, action) => {
    expect(update("INSERT", entry(0x2000005, { action }))).toBe(code);
  });
});

describe("arrays (9.3, 9.4, 9.7), replication (9.5), value sets (9.6), digests (9.8)", () => {
  const ofDefault = (more: { [key: string]: JsonValue }): JsonValue => ({
    direct_counter_entry: {
      table_entry: { table_id: 0x2000001, is_default_action: true, ...more },
      data: { packet_count: "1" },
    },
  });
  const meter = (meter_id: number, config: JsonValue): JsonValue => ({
    meter_entry: { meter_id, index: { index: "0" }, config },
  });
  const register = (register_id: number, data: JsonValue): JsonValue => ({
    register_entry: { register_id, index: { index: "0" }, data },
  });
  const pre = (entry_: Record<string, JsonValue>): JsonValue => ({ packet_replication_engine_entry: entry_ });
  const port = (bytes: string, instance = 0): JsonValue => ({ port: bytes, instance });
  const members = (...values: number[]): JsonValue => ({
    value_set_entry: { value_set_id: 0x3000001, members: values.map((v) => ({ match: [exact(v)] })) },
  });
  it.each<[string, string, string, JsonValue]>([
    ["a whole counter array", "OK 4", "MODIFY", { counter_entry: { counter_id: 0x12000001, data: {} } }],
    ["a counter without data", "OK 0", "MODIFY", { counter_entry: { counter_id: 0x12000001 } }],
    [
      "a whole array that is too large",
      "RESOURCE_EXHAUSTED",
      "MODIFY",
      { counter_entry: { counter_id: 0x12000002, data: {} } },
    ],
    [
      "a negative index",
      "INVALID_ARGUMENT",
      "MODIFY",
      { counter_entry: { counter_id: 0x12000001, index: { index: "-1" }, data: {} } },
    ],
    [
      "an index too large",
      "OUT_OF_RANGE",
      "MODIFY",
      { counter_entry: { counter_id: 0x12000001, index: { index: "4" }, data: {} } },
    ],
    [
      "an insert of a counter",
      "INVALID_ARGUMENT",
      "INSERT",
      { counter_entry: { counter_id: 0x12000001, data: {} } },
    ],
    [
      "an unknown counter",
      "INVALID_ARGUMENT",
      "MODIFY",
      { counter_entry: { counter_id: 0x14000001, data: {} } },
    ],
    ["a meter", "OK 1", "MODIFY", meter(0x14000001, { cir: "1", cburst: "2", pir: "3", pburst: "4" })],
    ["a reset of all meters", "OK 4", "MODIFY", { meter_entry: { meter_id: 0x14000001 } }],
    ["an excess burst of two rates", "INVALID_ARGUMENT", "MODIFY", meter(0x14000001, { eburst: "1" })],
    ["two rates of one", "INVALID_ARGUMENT", "MODIFY", meter(0x14000002, { cir: "1", pir: "2" })],
    [
      "two bursts of one rate",
      "INVALID_ARGUMENT",
      "MODIFY",
      meter(0x14000002, { cir: "1", pir: "1", cburst: "2", pburst: "3" }),
    ],
    ["the direct counter of a default entry", "OK 1", "MODIFY", ofDefault({})],
    [
      "the direct counter of a default entry with a match",
      "INVALID_ARGUMENT",
      "MODIFY",
      ofDefault({ match: [{ field_id: 1, exact: { value: b64(1) } }] }),
    ],
    [
      "the direct counter of a default entry with a priority",
      "INVALID_ARGUMENT",
      "MODIFY",
      ofDefault({ priority: 1 }),
    ],
    ["an excess burst", "UNIMPLEMENTED", "MODIFY", meter(0x14000002, { eburst: "1" })],
    ["an excess burst of two colours", "INVALID_ARGUMENT", "MODIFY", meter(0x14000003, { eburst: "1" })],
    ["one rate", "OK 1", "MODIFY", meter(0x14000003, { cir: "1", pir: "1", cburst: "2", pburst: "2" })],
    ["a register", "OK 1", "MODIFY", register(0x16000001, { bitstring: b64(0x0f, 0xff) })],
    ["a value too wide", "OUT_OF_RANGE", "MODIFY", register(0x16000001, { bitstring: b64(0x10, 0) })],
    ["a negative value", "OK 1", "MODIFY", register(0x16000002, { bitstring: b64(0x80) })],
    [
      "a negative value too wide",
      "OUT_OF_RANGE",
      "MODIFY",
      register(0x16000002, { bitstring: b64(0xff, 0x7f) }),
    ],
    ["another type", "INVALID_ARGUMENT", "MODIFY", register(0x16000001, { bool: true })],
    ["no data", "INVALID_ARGUMENT", "MODIFY", { register_entry: { register_id: 0x16000001 } }],
    [
      "a register of pairs",
      "UNIMPLEMENTED",
      "MODIFY",
      register(0x16000003, { tuple: { members: [{ bitstring: b64(1) }, { bitstring: b64(1) }] } }),
    ],
    ["a delete of a register", "INVALID_ARGUMENT", "DELETE", register(0x16000001, { bitstring: b64(1) })],
    [
      "a multicast group",
      "OK 1",
      "INSERT",
      pre({ multicast_group_entry: { multicast_group_id: 1, replicas: [port(b64(1)), port(b64(1), 1)] } }),
    ],
    ["multicast group 0", "INVALID_ARGUMENT", "INSERT", pre({ multicast_group_entry: {} })],
    [
      "a replica twice",
      "INVALID_ARGUMENT",
      "INSERT",
      pre({ multicast_group_entry: { multicast_group_id: 1, replicas: [port(b64(1)), port(b64(0, 1))] } }),
    ],
    [
      "a replica without port",
      "INVALID_ARGUMENT",
      "INSERT",
      pre({ multicast_group_entry: { multicast_group_id: 1, replicas: [{}] } }),
    ],
    [
      "a port as a number",
      "OK 1",
      "INSERT",
      pre({ multicast_group_entry: { multicast_group_id: 1, replicas: [{ egress_port: 3 }] } }),
    ],
    [
      "a backup replica",
      "UNIMPLEMENTED",
      "INSERT",
      pre({
        multicast_group_entry: {
          multicast_group_id: 1,
          replicas: [{ port: b64(1), backup_replicas: [{ port: b64(2) }] }],
        },
      }),
    ],
    [
      "a clone session",
      "OK 1",
      "INSERT",
      pre({ clone_session_entry: { session_id: 1, replicas: [port(b64(1))], packet_length_bytes: 64 } }),
    ],
    ["clone session 0", "INVALID_ARGUMENT", "DELETE", pre({ clone_session_entry: {} })],
    [
      "clone session 0, which devices may have",
      "INVALID_ARGUMENT",
      "INSERT",
      pre({ clone_session_entry: { replicas: [port(b64(1))] } }),
    ],
    [
      "a negative length",
      "INVALID_ARGUMENT",
      "INSERT",
      pre({ clone_session_entry: { session_id: 1, packet_length_bytes: -1 } }),
    ],
    ["no replication at all", "INVALID_ARGUMENT", "INSERT", pre({})],
    ["a value set", "OK 1", "MODIFY", members(1, 2)],
    ["an empty value set", "OK 1", "MODIFY", members()],
    ["too many members", "RESOURCE_EXHAUSTED", "MODIFY", members(1, 2, 3)],
    ["a member twice", "ALREADY_EXISTS", "MODIFY", members(1, 1)],
    ["an insert of a value set", "INVALID_ARGUMENT", "INSERT", members(1)],
    ["a digest", "OK 1", "INSERT", { digest_entry: { digest_id: 0x17000001, config: { max_list_size: 1 } } }],
    ["a digest of any size", "OK 1", "INSERT", { digest_entry: { digest_id: 0x17000001, config: {} } }],
    ["a digest without config", "INVALID_ARGUMENT", "INSERT", { digest_entry: { digest_id: 0x17000001 } }],
    ["a delete of a digest", "OK 1", "DELETE", { digest_entry: { digest_id: 0x17000001 } }],
    [
      "a negative timeout",
      "INVALID_ARGUMENT",
      "MODIFY",
      { digest_entry: { digest_id: 0x17000001, config: { max_timeout_ns: "-1" } } },
    ],
    ["an unknown digest", "INVALID_ARGUMENT", "INSERT", { digest_entry: { digest_id: 5, config: {} } }],
    ["an extern", "UNIMPLEMENTED", "INSERT", { extern_entry: { extern_type_id: 0x81 } }],
    ["nothing", "INVALID_ARGUMENT", "INSERT", {}],
  ])("%s: %s", (_, code, type, entity) => {
    expect(update(type, entity)).toBe(code);
  });
});

describe("read requests (9.1.6, 13.2)", () => {
  it.each<[string, string, JsonValue]>([
    ["all tables", "OK", { table_entry: {} }],
    ["a match without a table", "INVALID_ARGUMENT", { table_entry: { match: [exact(1)] } }],
    ["an unknown table", "INVALID_ARGUMENT", { table_entry: { table_id: 0x2ffffff } }],
    ["an action", "OK", { table_entry: { table_id: PLAIN, action: { action: { action_id: 0x1000001 } } } }],
    [
      "a member",
      "UNIMPLEMENTED",
      { table_entry: { table_id: PLAIN, action: { action_profile_member_id: 1 } } },
    ],
    [
      "an unknown action",
      "INVALID_ARGUMENT",
      { table_entry: { table_id: PLAIN, action: { action: { action_id: 9 } } } },
    ],
    ["counters by colour", "UNIMPLEMENTED", { table_entry: { meter_counter_data: {} } }],
    ["the last hit", "OK", { table_entry: { table_id: PLAIN, time_since_last_hit: {} } }],
    [
      "the last hit where unsupported",
      "INVALID_ARGUMENT",
      { table_entry: { table_id: BARE, time_since_last_hit: {} } },
    ],
    [
      "the last hit of a default",
      "INVALID_ARGUMENT",
      { table_entry: { table_id: PLAIN, is_default_action: true, time_since_last_hit: {} } },
    ],
    [
      "a default with a match",
      "INVALID_ARGUMENT",
      { table_entry: { table_id: PLAIN, is_default_action: true, match: [exact(1)] } },
    ],
    ["all counters", "OK", { counter_entry: {} }],
    ["an index without a counter", "INVALID_ARGUMENT", { counter_entry: { index: {} } }],
    [
      "an index too large",
      "OUT_OF_RANGE",
      { counter_entry: { counter_id: 0x12000001, index: { index: "4" } } },
    ],
    ["meters by colour", "UNIMPLEMENTED", { meter_entry: { counter_data: {} } }],
    ["direct counters of a table", "OK", { direct_counter_entry: { table_entry: { table_id: PLAIN } } }],
    [
      "direct counters of none",
      "INVALID_ARGUMENT",
      { direct_counter_entry: { table_entry: { table_id: BARE } } },
    ],
    ["direct meters of none", "INVALID_ARGUMENT", { direct_meter_entry: {} }],
    ["a value set with members", "INVALID_ARGUMENT", { value_set_entry: { members: [{}] } }],
    ["an extern", "UNIMPLEMENTED", { extern_entry: { extern_type_id: 0x81 } }],
    ["all externs, of which there are none", "OK", { extern_entry: {} }],
    ["nothing", "INVALID_ARGUMENT", {}],
  ])("%s: %s", (_, code, entity) => {
    const message = fromJson(EntitySchema, entity);
    const told = (() => {
      try {
        decodeQuery(wire, message);
        return "OK";
      } catch (error) {
        if (error instanceof DeviceError) return error.code;
        throw error;
      }
    })();
    expect(told).toBe(code);
  });
});
