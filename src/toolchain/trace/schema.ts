/** The schema of trace documents, which finds files that were edited; docs/trace.schema.json is generated from it. */
import { z } from "zod";
import { type PacketTrace, TRACE_VERSION } from "../switch/index.js";

const hex = z.string().regex(/^0x[0-9a-f]*$/, "expected a hexadecimal number like 0x0a");
const bytes = z.string().regex(/^([0-9a-f]{2})*$/, "expected bytes as pairs of hexadecimal digits");
const count = z.int().min(0);
const port = count;
const time = z.number();
const truth = z.literal(true);
const no = z.literal(false);
const optional = <T extends z.ZodType>(type: T) => z.exactOptional(type);

const sourceInfo = z.strictObject({
  filename: z.string(),
  line: count,
  column: count,
  source_fragment: z.string(),
});

const change = z.strictObject({
  field: z.string(),
  before: optional(hex),
  after: hex,
  header_valid: optional(no),
});
const changes = z.array(change);
const field = z.strictObject({ field: z.string(), value: hex });
const hash = { algorithm: z.string(), inputs: z.array(field), bytes };

const match = z.strictObject({
  field: z.string(),
  match_type: z.enum(["exact", "lpm", "ternary", "range", "optional"]),
  value: hex,
  prefix_length: optional(count),
  mask: optional(hex),
  high: optional(hex),
});

/** An event: its kind, its members, and the place in the P4 program where that is known. */
function event<Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) {
  return z.strictObject({ kind: z.literal(kind), ...shape, source_info: optional(sourceInfo) });
}

const values = z.record(z.string(), hex);

const tableLookup = event("table_lookup", {
  table_name: z.string(),
  key: z.array(
    z.strictObject({
      field: z.string(),
      match_type: z.string(),
      value: hex,
      header_valid: optional(no),
    }),
  ),
  hit: z.boolean(),
  matched_entry: optional(
    z.strictObject({
      handle: count,
      priority: optional(z.int()),
      match: z.array(match),
      is_const: optional(truth),
    }),
  ),
  action_profile: optional(z.string()),
  group_id: optional(count),
  member_id: optional(count),
  selector: optional(z.strictObject({ ...hash, hash: hex, slots: count, slot: count })),
  action_name: optional(z.string()),
  params: optional(values),
  direct_counter: optional(z.strictObject({ packets: count, bytes: count })),
  direct_meter: optional(z.string()),
  changes: optional(changes),
  hidden: optional(truth),
});

const traceEvent = z.discriminatedUnion("kind", [
  event("pipeline_stage", {
    stage_name: z.string(),
    stage_kind: z.enum(["PARSER", "CONTROL", "DEPARSER"]),
    egress_port: optional(port),
    time_us: optional(time),
    queued_us: optional(time),
  }),
  event("extract", { header: z.string(), fields: z.array(field), packet_size: count }),
  event("advance", { bits: count }),
  event("parser_transition", {
    from_state: z.string(),
    to_state: z.string(),
    select_expression: optional(z.string()),
    select_value: optional(z.string()),
    select_case: optional(z.string()),
  }),
  event("parser_error", { state: z.string(), error: z.string(), reason: z.string() }),
  tableLookup,
  event("branch", { condition: z.string(), taken: z.boolean(), variable_values: values }),
  event("verify", { condition: z.string(), passed: z.boolean(), variable_values: values }),
  event("assignment", { changes }),
  event("header_operation", { operation: z.string(), changes }),
  event("mark_to_drop", { changes }),
  event("counter", {
    counter: z.string(),
    index: count,
    packets: optional(count),
    bytes: optional(count),
  }),
  event("meter", { meter: z.string(), index: count, color: optional(z.string()), changes }),
  event("register_read", { register: z.string(), index: count, value: optional(hex), changes }),
  event("register_write", {
    register: z.string(),
    index: count,
    before: optional(hex),
    after: optional(hex),
  }),
  event("hash", { calculation: z.string(), result: hex, changes, ...hash }),
  event("random", { changes }),
  event("clone", { clone_type: z.enum(["I2E", "E2E"]), session_id: count, field_list: count }),
  event("resubmit", { field_list: count }),
  event("recirculate", { field_list: count }),
  event("generate_digest", { digest: z.string(), field_list: count }),
  event("truncate", { packet_size: count }),
  event("exit", {}),
  event("assertion", { operation: z.enum(["assert", "assume"]), passed: z.boolean() }),
  event("log_message", { message: z.string() }),
  event("checksum", {
    operation: z.enum(["verify", "update"]),
    field: z.string(),
    computed: hex,
    found: hex,
    passed: optional(z.boolean()),
  }),
  event("digest", { digest: z.string(), data: z.array(field) }),
  event("clone_session_lookup", {
    session_id: count,
    session_found: z.boolean(),
    egress_port: optional(port),
    multicast_group_id: optional(count),
    replica_count: optional(count),
    packet_length_bytes: optional(count),
  }),
  event("multicast_group_lookup", {
    multicast_group_id: count,
    group_found: z.boolean(),
    replica_count: count,
    replicas: z.array(z.strictObject({ egress_port: port, instance: count })),
  }),
  event("deparser_emit", {
    headers: z.array(z.strictObject({ header: z.string(), packet_size: count })),
    payload_size: count,
    packet_size: count,
    cut_to: optional(count),
  }),
]);

const outcome = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("transmit"),
    egress_port: port,
    packet_size: count,
    time_us: time,
    bytes,
    packet_in: optional(truth),
  }),
  z.strictObject({
    kind: z.literal("drop"),
    reason: z.enum([
      "mark_to_drop",
      "drop_port",
      "no_replica",
      "parser_error",
      "drop_ctl",
      "drop_flag",
      "no_destination",
      "queue_full",
      "no_such_queue",
      "port_down",
      "no_program",
      "assertion",
      "endless_loop",
      "too_many_passes",
    ]),
    stage: optional(z.string()),
    egress_port: optional(port),
    multicast_group_id: optional(count),
    source_info: optional(sourceInfo),
  }),
  z.strictObject({
    kind: z.literal("fork"),
    reason: z.enum(["multicast", "clone", "resubmit", "recirculate", "selector", "random", "hash", "update"]),
    table: optional(z.string()),
  }),
  z.strictObject({ kind: z.literal("unfinished") }),
]);

const tree = z.strictObject({
  cause: z.enum(["arrival", "ingress_clone", "egress_clone", "replica", "resubmit", "recirculate", "choice"]),
  choice: optional(z.string()),
  egress_port: optional(port),
  replica_instance: optional(count),
  events: z.array(traceEvent),
  outcome,
  get branches() {
    return optional(z.array(tree));
  },
});

export const traceSchema = z.strictObject({
  trace_version: z.literal(TRACE_VERSION),
  device: z.string(),
  program: optional(z.string()),
  input: z.strictObject({
    packet_id: count,
    ingress_port: port,
    time_us: time,
    packet_size: count,
    bytes,
  }),
  root: tree,
  outcomes: optional(count),
  cut: optional(truth),
}) satisfies z.ZodType<PacketTrace>;

/** A document without its copies. Copies may be nested deeper than the stack allows: {@link copySchema} checks each of them. */
export const frameSchema = traceSchema.extend({ root: z.unknown() });

/** A copy without the copies made from it. */
export const copySchema = tree.extend({ branches: optional(z.array(z.unknown())) });
