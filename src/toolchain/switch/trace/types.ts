/**
 * The trace of one packet: a tree with one node for each copy of the packet. Names follow BMv2's structured packet trace
 * (p4lang/behavioral-model, packet_trace.proto) and 4ward's trace tree where these have a name. docs/trace.md describes the
 * format; a change that concerns readers changes {@link TRACE_VERSION}.
 */
import type { bmv2 } from "../../program/index.js";

export const TRACE_VERSION = 1;

/** A whole document; plain JSON. Values of fields are hexadecimal, padded to the field's width. */
export interface PacketTrace {
  readonly trace_version: typeof TRACE_VERSION;
  /** Name of the switch. */
  readonly device: string;
  /** The program's path as its compiler wrote it. */
  readonly program?: string;
  readonly input: TraceInput;
  readonly root: TraceTree;
  /** Where all outcomes of a packet were followed: their number. One outcome is one choice at each fork of that kind. */
  readonly outcomes?: number;
  /** The packet had more events, or more outcomes, than a document holds; those at the end are missing. */
  readonly cut?: true;
}

export interface TraceInput {
  /** Frames are counted from 0 since the switch started. */
  readonly packet_id: number;
  readonly ingress_port: number;
  /** Microseconds of the switch's clock, as all times here. */
  readonly time_us: number;
  readonly packet_size: number;
  readonly bytes: string;
}

/** Why this copy of the packet exists. */
export type TraceCause =
  | "arrival"
  | "ingress_clone"
  | "egress_clone"
  | "replica"
  | "resubmit"
  | "recirculate"
  /** One of the possible continuations at a {@link ChoiceKind}. */
  | "choice";

/**
 * What decides, where all outcomes of a packet are followed: the hash of a selector, a random number, the result of a `hash`, or
 * how much of an update of tables was done when the packet came by.
 */
export type ChoiceKind = "selector" | "random" | "hash" | "update";

export interface TraceTree {
  readonly cause: TraceCause;
  /** Of a `choice`: what was chosen. */
  readonly choice?: string;
  /** Of a copy whose port is given by a group or session. */
  egress_port?: number;
  /** The copy's `egress_rid`. */
  replica_instance?: number;
  events: TraceEvent[];
  outcome: TraceOutcome;
  /** Clones, replicas, the next round: in the order in which they were made. */
  branches?: TraceTree[];
}

export type TraceOutcome =
  | {
      kind: "transmit";
      egress_port: number;
      packet_size: number;
      time_us: number;
      bytes: string;
      /** The port is the CPU port: the frame went to the controller. */
      packet_in?: true;
    }
  | {
      kind: "drop";
      reason: TraceDropReason;
      /** Control that ended the packet. */
      stage?: string;
      /** Port that had no room or is down. */
      egress_port?: number;
      multicast_group_id?: number;
      /** Where the program said so. */
      source_info?: bmv2.SourceInfo;
    }
  /** The packet continues in the branches. */
  | { kind: "fork"; reason: "multicast" | "clone" | "resubmit" | "recirculate" }
  /** Exactly one of the branches with the cause `choice` happens; `table` is where a selector or an update decides. */
  | { kind: "fork"; reason: ChoiceKind; table?: string }
  /** Tracing was turned off, or the program was replaced, before the end of the copy. */
  | { kind: "unfinished" };

export type TraceDropReason =
  /** `mark_to_drop` was the last statement that set `egress_spec`. */
  | "mark_to_drop"
  /** The program itself assigned the drop port to `egress_spec`. */
  | "drop_port"
  /** A multicast group that is unknown or has no members, or a clone session without a copy. */
  | "no_replica"
  /** Of a Tofino: an error of the ingress parser that ingress does not look at. */
  | "parser_error"
  /** Of a Tofino: bits of `drop_ctl`. */
  | "drop_ctl"
  /** Of PSA and PNA: `drop` of the output metadata, or `drop_packet`; PSA drops what ingress sends nowhere, too. */
  | "drop_flag"
  /** Of a Tofino: no port, group or copy was asked for. */
  | "no_destination"
  | "queue_full"
  /** `priority` names a queue that the port does not have. */
  | "no_such_queue"
  | "port_down"
  | "no_program"
  /** A false `assert` or `assume`. */
  | "assertion"
  | "endless_loop"
  /** The packet made too many copies and rounds. */
  | "too_many_passes";

/** A field before and after; `before` is absent when its header was not valid then. */
export interface FieldChange {
  field: string;
  before?: string;
  after: string;
  /** The write went into a header that is not valid: it does not show in the packet. */
  header_valid?: false;
}

export interface TracedField {
  field: string;
  value: string;
}

export interface HashInput {
  algorithm: string;
  inputs: TracedField[];
  /** All inputs joined, without those of invalid headers and without a payload. */
  bytes: string;
}

export interface TracedMatch {
  field: string;
  match_type: "exact" | "lpm" | "ternary" | "range" | "optional";
  /** Of a range: its low end. */
  value: string;
  prefix_length?: number;
  mask?: string;
  high?: string;
}

export interface TracedEntry {
  handle: number;
  /** Larger wins; absent where the key needs none. */
  priority?: number;
  /** As the controller wrote it: fields that may be anything are left out. */
  match: TracedMatch[];
  is_const?: true;
}

export interface TableLookup {
  kind: "table_lookup";
  table_name: string;
  key: { field: string; match_type: string; value: string; header_valid?: false }[];
  hit: boolean;
  matched_entry?: TracedEntry;
  action_profile?: string;
  group_id?: number;
  member_id?: number;
  /** How the member was chosen: number `slot` of the group's `slots`, which is `hash` modulo their number. */
  selector?: HashInput & { hash: string; slots: number; slot: number };
  /** Absent when nothing is done: no default action, or a group without a member. */
  action_name?: string;
  params?: Record<string, string>;
  direct_counter?: { packets: number; bytes: number };
  direct_meter?: string;
  changes?: FieldChange[];
  /** The compiler made this table from statements: no P4 table has the name. */
  hidden?: true;
}

type Body =
  | {
      kind: "pipeline_stage";
      stage_name: string;
      stage_kind: "PARSER" | "CONTROL" | "DEPARSER";
      egress_port?: number;
      time_us?: number;
      /** Microseconds in the output queue. */
      queued_us?: number;
    }
  | { kind: "extract"; header: string; fields: TracedField[]; packet_size: number }
  | { kind: "advance"; bits: number }
  | {
      kind: "parser_transition";
      from_state: string;
      to_state: string;
      select_expression?: string;
      select_value?: string;
      /** The case that was taken, or `default`. */
      select_case?: string;
    }
  | { kind: "parser_error"; state: string; error: string; reason: string }
  | TableLookup
  | { kind: "branch"; condition: string; taken: boolean; variable_values: Record<string, string> }
  | { kind: "verify"; condition: string; passed: boolean; variable_values: Record<string, string> }
  | { kind: "assignment"; changes: FieldChange[] }
  | { kind: "header_operation"; operation: string; changes: FieldChange[] }
  | { kind: "mark_to_drop"; changes: FieldChange[] }
  | { kind: "counter"; counter: string; index: number; packets?: number; bytes?: number }
  | { kind: "meter"; meter: string; index: number; color?: string; changes: FieldChange[] }
  | { kind: "register_read"; register: string; index: number; value?: string; changes: FieldChange[] }
  | { kind: "register_write"; register: string; index: number; before?: string; after?: string }
  | ({ kind: "hash"; calculation: string; result: string; changes: FieldChange[] } & HashInput)
  | { kind: "random"; changes: FieldChange[] }
  | { kind: "clone"; clone_type: "I2E" | "E2E"; session_id: number; field_list: number }
  | { kind: "resubmit" | "recirculate"; field_list: number }
  | { kind: "generate_digest"; digest: string; field_list: number }
  | { kind: "truncate"; packet_size: number }
  | { kind: "exit" }
  | { kind: "assertion"; operation: "assert" | "assume"; passed: boolean }
  | { kind: "log_message"; message: string }
  | {
      kind: "checksum";
      operation: "verify" | "update";
      field: string;
      /** The checksum of the fields. */
      computed: string;
      /** The value of `field` before. */
      found: string;
      passed?: boolean;
    }
  | { kind: "digest"; digest: string; data: TracedField[] }
  | {
      kind: "clone_session_lookup";
      session_id: number;
      session_found: boolean;
      egress_port?: number;
      multicast_group_id?: number;
      replica_count?: number;
      packet_length_bytes?: number;
    }
  | {
      kind: "multicast_group_lookup";
      multicast_group_id: number;
      group_found: boolean;
      replica_count: number;
      replicas: { egress_port: number; instance: number }[];
    }
  | {
      kind: "deparser_emit";
      headers: { header: string; packet_size: number }[];
      payload_size: number;
      /** The whole packet, before `truncate` or a session's limit cuts it. */
      packet_size: number;
      cut_to?: number;
    };

export type TraceEvent = Body & { source_info?: bmv2.SourceInfo };
