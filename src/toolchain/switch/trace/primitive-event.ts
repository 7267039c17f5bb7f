/** Primitives as events. */
import type { PointOf } from "../codegen/trace-points.js";
import type { Instance } from "../control/instance.js";
import type { PacketState } from "../state/packet-state.js";
import { readCounter } from "../tables/resources.js";
import { type FieldView, hexOf, numberOf } from "./fields.js";
import { colorOf } from "./lookup-event.js";
import type { FieldChange, TraceEvent } from "./types.js";

type Body<Event = TraceEvent> = Event extends unknown ? Omit<Event, "source_info"> : never;

/** What a primitive did that was just run. */
interface Done {
  readonly point: PointOf<"primitive">;
  readonly changes: FieldChange[];
  /** What generated code passes about it: an index, the low and high word of a hash, whether an assertion holds. */
  readonly reported: readonly number[];
}

/** The event of a primitive that was just run; undefined when there is nothing to report. */
export function primitiveEvent(
  instance: Instance,
  state: PacketState,
  fields: FieldView,
  done: Done,
): TraceEvent | undefined {
  const { source_info } = done.point.primitive;
  const body = bodyOf(instance, state, fields, done);
  if (body === undefined) return undefined;
  return (source_info === undefined ? body : { ...body, source_info }) as TraceEvent;
}

const HEADER_OPERATIONS: Readonly<Record<string, string>> = {
  add_header: "setValid",
  add_header_fast: "setValid",
  remove_header: "setInvalid",
  assign_header: "assign",
  copy_header: "assign",
  assign_union: "assign",
  assign_header_stack: "assign",
  assign_union_stack: "assign",
  push: "push_front",
  pop: "pop_front",
};

function bodyOf(
  instance: Instance,
  state: PacketState,
  fields: FieldView,
  { point: { op, resource }, changes, reported }: Done,
): Body | undefined {
  const index = reported[0] ?? 0;
  const operation = HEADER_OPERATIONS[op];
  if (operation !== undefined) return { kind: "header_operation", operation, changes };
  switch (op) {
    case "mark_to_drop":
    case "drop":
      return { kind: "mark_to_drop", changes };
    case "count": {
      const counter = instance.counters.get(resource)!;
      const inside = index < counter.size;
      const counts = inside ? readCounter(counter, index) : {};
      return { kind: "counter", counter: resource, index, ...counts };
    }
    case "execute_meter": {
      const inside = index < instance.meters.get(resource)!.size;
      const color = inside ? { color: colorOf(Number(changes[0]?.after ?? 0)) } : {};
      return { kind: "meter", meter: resource, index, ...color, changes: inside ? changes : [] };
    }
    case "register_read": {
      const register = instance.registers.get(resource)!;
      const inside = index < register.size;
      const value = inside ? { value: hexOf(register.get(index), register.width) } : {};
      return { kind: "register_read", register: resource, index, ...value, changes: inside ? changes : [] };
    }
    case "register_write": {
      const register = instance.registers.get(resource)!;
      const inside = index < register.size;
      if (!inside) return { kind: "register_write", register: resource, index };
      const before = hexOf(numberOf(reported, 1, register.words), register.width);
      const after = hexOf(register.get(index), register.width);
      return { kind: "register_write", register: resource, index, before, after };
    }
    case "modify_field_with_hash_based_offset": {
      const calculation = instance.program.bmv2.calculations.find(({ name }) => name === resource)!;
      const input = fields.hashInput(fields.before, calculation.algo, calculation.input);
      const [low = 0, high = 0] = reported;
      const result = hexOf((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0), high === 0 ? 32 : 64);
      return { kind: "hash", calculation: resource, result, changes, ...input };
    }
    case "modify_field_rng_uniform":
      return { kind: "random", changes };
    case "clone_ingress_pkt_to_egress":
    case "clone_egress_pkt_to_egress":
      return {
        kind: "clone",
        clone_type: op === "clone_ingress_pkt_to_egress" ? "I2E" : "E2E",
        session_id: state.clone & 0x7fff,
        field_list: state.cloneList,
      };
    case "resubmit":
    case "recirculate":
      return { kind: op, field_list: state[op] };
    case "generate_digest": {
      const list = instance.program.bmv2.learn_lists.find(({ id }) => id === state.digest);
      return { kind: "generate_digest", digest: list?.name ?? "", field_list: state.digest };
    }
    case "truncate":
      return { kind: "truncate", packet_size: state.limit };
    case "exit":
      return { kind: "exit" };
    case "assert":
    case "assume":
      return { kind: "assertion", operation: op, passed: index === 1 };
    case "log_msg":
    case "no_op":
      return undefined;
    default:
      return { kind: "assignment", changes };
  }
}
