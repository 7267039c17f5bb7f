/** The events and ends of a trace as sentences. */
import { claim } from "../../base/index.js";
import type { FieldChange, TableLookup, TraceEvent, TraceOutcome, TraceTree } from "../switch/index.js";
import { bytesText, timeText, valueText } from "./values.js";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export interface Line {
  readonly text: string;
  readonly style?: Style;
}

export interface Phrase extends Line {
  /** Lines that follow, indented. */
  readonly below?: readonly Line[];
}

const CAUSES: Readonly<Record<TraceTree["cause"], string>> = {
  arrival: "packet",
  ingress_clone: "clone of the packet as it came in",
  egress_clone: "clone of the packet as egress left it",
  replica: "copy",
  resubmit: "resubmitted: the packet as it came in goes through ingress again",
  recirculate: "recirculated: the packet as it would have left goes through ingress again",
  choice: "if",
};

export function causeText({ cause, choice, egress_port, replica_instance }: TraceTree): string {
  if (choice !== undefined) return `${CAUSES[cause]} ${choice}`;
  const port = egress_port === undefined ? "" : ` for port ${egress_port}`;
  const instance = replica_instance === undefined ? "" : `, replica instance ${replica_instance}`;
  return `${CAUSES[cause]}${port}${instance}`;
}

type Drop = TraceOutcome & { kind: "drop" };

function reasonOf({ reason, egress_port, multicast_group_id }: Drop): string {
  switch (reason) {
    case "mark_to_drop":
      return "mark_to_drop";
    case "drop_port":
      return "egress_spec is the drop port";
    case "no_replica":
      return multicast_group_id === undefined
        ? "the clone session makes no copy"
        : `multicast group ${multicast_group_id} makes no copy`;
    case "parser_error":
      return "the ingress parser found an error";
    case "drop_ctl":
      return "drop_ctl";
    case "drop_flag":
      return "the program drops it";
    case "no_destination":
      return "ingress chose no port";
    case "queue_full":
      return `the queue of port ${egress_port} is full`;
    case "no_such_queue":
      return `port ${egress_port} has no queue of this priority`;
    case "port_down":
      return egress_port === undefined ? "the port is down" : `port ${egress_port} is down`;
    case "no_program":
      return "the switch has no program";
    case "assertion":
      return "an assertion failed";
    case "endless_loop":
      return "the program loops without end";
    case "too_many_passes":
      return "the program makes ever more copies of it";
  }
}

/** Undefined where the branches say it. */
export function outcomeText(outcome: TraceOutcome): Line | undefined {
  switch (outcome.kind) {
    case "transmit": {
      const { egress_port, packet_size, time_us, packet_in } = outcome;
      const way = packet_in ? "sent to the controller by" : "sent on";
      const text = `${way} port ${egress_port}: ${bytesText(packet_size)} at ${timeText(time_us)}`;
      return { text, style: "green" };
    }
    case "drop": {
      const where = outcome.stage === undefined ? "" : ` in ${outcome.stage}`;
      return { text: `dropped${where}: ${reasonOf(outcome)}`, style: "red" };
    }
    case "unfinished":
      return { text: "its end is not known: it was still in the switch", style: "yellow" };
    case "fork":
      return forkText(outcome);
  }
}

/** What decides which of the branches happens. */
function forkText(fork: TraceOutcome & { kind: "fork" }): Line | undefined {
  switch (fork.reason) {
    case "selector":
      return { text: `the selector of table ${fork.table} decides:`, style: "yellow" };
    case "update":
      return { text: `the time of the update decides, at table ${fork.table}:`, style: "yellow" };
    case "random":
      return { text: "a random number decides:", style: "yellow" };
    case "hash":
      return { text: "a hash decides:", style: "yellow" };
    default:
      return undefined;
  }
}

function changeLine({ field, before, after, header_valid }: FieldChange): Line {
  if (field.endsWith(".isValid()"))
    return { text: `${field.slice(0, -10)} is ${after === "0x1" ? "valid" : "not valid"}` };
  const from = before === undefined ? "" : `${valueText(field, before)} -> `;
  const text = `${field}: ${from}${valueText(field, after)}`;
  return header_valid === false ? { text: `${text} (its header is not valid)`, style: "yellow" } : { text };
}

const BEYOND = "beyond its end, nothing happens";

/** Undefined for an event that other events already show. */
export function phraseOf(event: TraceEvent): Phrase | undefined {
  switch (event.kind) {
    case "pipeline_stage": {
      const port = event.egress_port === undefined ? "" : ` for port ${event.egress_port}`;
      const wait = event.queued_us === undefined ? "" : `, after ${timeText(event.queued_us)} in the queue`;
      return { text: `${event.stage_name}${port}${wait}`, style: "cyan" };
    }
    case "extract":
      return extractPhrase(event);
    case "advance":
      return { text: `skip ${event.bits} bits` };
    case "parser_transition": {
      const { from_state, to_state, select_expression, select_value } = event;
      const by = select_expression === undefined ? "" : `${select_expression} is ${select_value}: `;
      return { text: `${from_state}: ${by}go to ${to_state}` };
    }
    case "parser_error":
      return { text: `${event.state}: error ${event.error} (${event.reason})`, style: "red" };
    case "table_lookup":
      return event.hidden ? undefined : lookupPhrase(event);
    case "branch":
      return { text: `if (${event.condition}): ${yes(event.taken)}${variables(event.variable_values)}` };
    case "verify":
      return { text: `verify (${event.condition}): ${yes(event.passed)}${variables(event.variable_values)}` };
    case "assignment":
    case "random": {
      const [first = { text: event.kind }, ...below] = event.changes.map(changeLine);
      return { ...first, below };
    }
    case "header_operation":
      return { text: event.operation, below: event.changes.map(changeLine) };
    case "mark_to_drop":
      return { text: "mark_to_drop", style: "red" };
    case "counter": {
      const { counter, index, packets, bytes = 0 } = event;
      const now = packets === undefined ? BEYOND : countsText({ packets, bytes });
      return { text: `counter ${counter}[${index}]: ${now}` };
    }
    case "meter":
      return { text: `meter ${event.meter}[${event.index}]: ${event.color ?? BEYOND}` };
    case "register_read":
      return {
        text: `register ${event.register}[${event.index}]: ${event.value ?? BEYOND}`,
        below: event.changes.map(changeLine),
      };
    case "register_write": {
      const { register, index, before, after } = event;
      return {
        text: `register ${register}[${index}]: ${after === undefined ? BEYOND : `${before} -> ${after}`}`,
      };
    }
    case "hash":
      return {
        text: `hash ${event.algorithm} over ${event.bytes || "nothing"} is ${event.result}`,
        below: event.changes.map(changeLine),
      };
    case "clone":
      return { text: `clone (${event.clone_type}) to session ${event.session_id}` };
    case "resubmit":
    case "recirculate":
      return { text: event.kind };
    case "generate_digest":
      return { text: `digest ${event.digest}` };
    case "truncate":
      return { text: `truncate to ${bytesText(event.packet_size)}` };
    case "exit":
      return { text: "exit" };
    case "assertion":
      return event.passed
        ? { text: `${event.operation}: holds` }
        : { text: `${event.operation}: fails`, style: "red" };
    case "log_message":
      return { text: `log: ${event.message}` };
    case "checksum":
      return checksumPhrase(event);
    case "digest": {
      const data = event.data.map(({ field, value }) => `${field} ${valueText(field, value)}`);
      return { text: `digest ${event.digest} goes out: ${data.join(", ")}` };
    }
    case "clone_session_lookup":
      if (event.session_found) return undefined;
      return { text: `clone session ${event.session_id} does not exist: no clone`, style: "yellow" };
    case "multicast_group_lookup":
      return groupPhrase(event);
    case "deparser_emit":
      return emitPhrase(event);
  }
}

function yes(holds: boolean): string {
  return holds ? "yes" : "no";
}

function variables(values: Readonly<Record<string, string>>): string {
  const fields = Object.keys(values);
  const shown = Object.entries(values).flatMap(([field, value]) => {
    const header = field.endsWith(".isValid()") ? field.slice(0, -".isValid()".length) : undefined;
    if (header === undefined) return [`${field} is ${valueText(field, value)}`];
    const read = fields.some((other) => other !== field && other.startsWith(`${header}.`));
    return read && value === "0x0" ? [`${header} is not valid`] : [];
  });
  return shown.length === 0 ? "" : ` (${shown.join(", ")})`;
}

function countsText({ packets, bytes }: { packets: number; bytes: number }): string {
  return `now ${packets} packet${packets === 1 ? "" : "s"}, ${bytesText(bytes)}`;
}

function extractPhrase({ header, fields, packet_size }: TraceEvent & { kind: "extract" }): Phrase {
  const read = fields.map(({ field, value }) => {
    const name = field.startsWith(`${header}.`) ? field.slice(header.length + 1) : field;
    return `${name} ${valueText(field, value)}`;
  });
  return { text: `extract ${header} (${bytesText(packet_size)}): ${read.join(", ")}` };
}

function groupPhrase(event: TraceEvent & { kind: "multicast_group_lookup" }): Phrase {
  const group = `multicast group ${event.multicast_group_id}`;
  if (!event.group_found) return { text: `${group} does not exist`, style: "yellow" };
  const ports = event.replicas.map(({ egress_port }) => egress_port).join(", ");
  return ports === "" ? { text: `${group} is empty`, style: "yellow" } : { text: `${group}: ports ${ports}` };
}

function emitPhrase(event: TraceEvent & { kind: "deparser_emit" }): Phrase {
  const parts = event.headers.map(({ header, packet_size }) => `${header} ${packet_size}`);
  const cut = event.cut_to === undefined ? "" : `, cut to ${event.cut_to}`;
  const sum = [...parts, `payload ${event.payload_size}`].join(" + ");
  return { text: `${sum} = ${bytesText(event.packet_size)}${cut}` };
}

function checksumPhrase(event: TraceEvent & { kind: "checksum" }): Phrase {
  const { field, computed, found } = event;
  if (event.operation === "update") return { text: `${field}: ${found} -> ${computed}` };
  if (event.passed) return { text: claim("checksumRight", { field, found }) };
  return { text: `${field} is ${found}; its fields give ${computed}`, style: "red" };
}

function lookupPhrase(event: TableLookup): Phrase {
  const below: Line[] = event.key.map(({ field, value, header_valid }) =>
    header_valid === false
      ? { text: `${field} counts as 0: its header is not valid`, style: "yellow" }
      : { text: `${field} is ${field.endsWith(".$valid$") ? value.slice(2) : valueText(field, value)}` },
  );
  if (event.matched_entry !== undefined) below.push({ text: entryText(event.matched_entry) });
  const { selector, group_id } = event;
  if (selector !== undefined) {
    const group = group_id === undefined ? "" : `group ${group_id}: `;
    const input = selector.bytes || "nothing";
    below.push({ text: `${group}${selector.algorithm} over ${input} is ${selector.hash}` });
    below.push({ text: `number ${selector.slot} of ${selector.slots} (the hash modulo ${selector.slots})` });
  }
  if (event.member_id !== undefined) below.push({ text: `member ${event.member_id}` });
  if (event.direct_counter !== undefined)
    below.push({ text: `direct counter: ${countsText(event.direct_counter)}` });
  if (event.direct_meter !== undefined) below.push({ text: `direct meter: ${event.direct_meter}` });
  below.push(actionLine(event));
  return {
    text: `table ${event.table_name}: ${event.hit ? "hit" : "miss"}`,
    style: event.hit ? "green" : "yellow",
    below,
  };
}

function entryText({ handle, priority, match, is_const }: NonNullable<TableLookup["matched_entry"]>): string {
  const parts = match.map(({ field, match_type, value, prefix_length, mask, high }) => {
    const text = valueText(field, value);
    if (match_type === "lpm") return `${field} ${text}/${prefix_length}`;
    if (match_type === "ternary") return `${field} ${text} &&& ${mask}`;
    if (match_type === "range") return `${field} ${text}..${valueText(field, high ?? value)}`;
    return `${field} ${text}`;
  });
  const order = priority === undefined ? "" : `, priority ${priority}`;
  return `entry ${handle}${is_const ? " (const)" : ""}${order}: ${parts.join(", ") || "anything"}`;
}

function actionLine({ action_name, params = {} }: TableLookup): Line {
  if (action_name === undefined) return { text: "no action", style: "yellow" };
  const values = Object.entries(params).map(([name, value]) => `${name} ${valueText(name, value)}`);
  return { text: `${action_name}(${values.join(", ")})`, style: "bold" };
}
