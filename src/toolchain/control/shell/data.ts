/** Entities as plain data for `--json`: table entries as in `sN-runtime.json`, other entities with P4Runtime's names. */
import { given, toHex } from "../../../base/index.js";
import type { Entity, Match, TableAction, TableEntry } from "../../device/index.js";
import type { FieldInfo, Slot } from "../../program/index.js";
import { type Printer, valueText } from "./statements.js";

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A number if JSON carries it exactly, otherwise text. */
function number(value: bigint): Json {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
}

function numberIfThere(value: bigint | undefined): Json | undefined {
  return value === undefined ? undefined : number(value);
}

function value(printer: Printer, slot: Slot, bits: bigint): Json {
  const text = valueText(printer, slot, bits);
  return slot.isString || /[:.]/.test(text) ? text : number(bits);
}

function part(printer: Printer, field: FieldInfo, match: Match): Json {
  const one = (bits: bigint): Json => value(printer, field, bits);
  switch (match.kind) {
    case "exact":
    case "optional":
      return one(match.value);
    case "lpm":
      return [one(match.value), match.prefixLength];
    case "ternary":
      return [one(match.value), one(match.mask)];
    case "range":
      return [one(match.low), one(match.high)];
  }
}

function call(
  printer: Printer,
  action: string,
  params: Readonly<Record<string, bigint>>,
): Record<string, Json> {
  const slots = printer.index.actions.byName(action)?.params.list ?? [];
  return {
    action_name: action,
    action_params: Object.fromEntries(
      slots.map((slot) => [slot.name, value(printer, slot, params[slot.name] ?? 0n)]),
    ),
  };
}

function target(printer: Printer, action: TableAction | undefined): Record<string, Json> {
  switch (action?.kind) {
    case undefined:
      return {};
    case "action":
      return call(printer, action.action, action.params);
    case "member":
      return { member_id: action.memberId };
    case "group":
      return { group_id: action.groupId };
    case "oneShot":
      return {
        action_set: action.actions.map(({ weight, watchPort, action: name, params }) => ({
          ...call(printer, name, params),
          weight,
          ...given({ watch_port: watchPort }),
        })),
      };
  }
}

function tableEntry(printer: Printer, entry: TableEntry): Json {
  const fields = printer.index.tables.byName(entry.table)?.fields.list ?? [];
  const match = Object.fromEntries(
    fields.flatMap((field) => {
      const found = entry.match.find((candidate) => candidate.field === field.name);
      return found === undefined ? [] : [[field.name, part(printer, field, found)]];
    }),
  );
  return {
    table: entry.table,
    ...(entry.isDefault ? { default_action: true } : { match }),
    ...given({ priority: entry.priority || undefined }),
    ...target(printer, entry.action),
    ...given({
      is_const: entry.isConst ? true : undefined,
      idle_timeout_ns: numberIfThere(entry.idleTimeoutNs),
      elapsed_ns: numberIfThere(entry.elapsedNs),
      controller_metadata: numberIfThere(entry.controllerMetadata),
      metadata: entry.metadata && toHex(entry.metadata),
      packets: numberIfThere(entry.counter?.packets),
      bytes: numberIfThere(entry.counter?.bytes),
    }),
  };
}

/** One entity with its kind under `kind`. Table entries have no `kind`: they have the form of the runtime file. */
export function dataOf(printer: Printer, entity: Entity): Json {
  switch (entity.kind) {
    case "tableEntry":
      return tableEntry(printer, entity);
    case "directCounter":
    case "directMeter": {
      const { kind, entry, ...rest } = entity;
      return { kind, entry: tableEntry(printer, entry), ...(plain(rest) as Record<string, Json>) };
    }
    case "member":
      return {
        kind: "member",
        profile: entity.profile,
        member_id: entity.memberId,
        ...call(printer, entity.action.action, entity.action.params),
      };
    case "multicastGroup":
      return { multicast_group_id: entity.groupId, replicas: entity.replicas.map(replica) };
    case "cloneSession":
      return {
        clone_session_id: entity.sessionId,
        replicas: entity.replicas.map(replica),
        packet_length_bytes: entity.packetLengthBytes,
        class_of_service: entity.classOfService,
      };
    default:
      return plain(entity);
  }
}

function replica({ port, instance }: { port: number; instance: number }): Json {
  return { egress_port: port, instance };
}

/** Data with BigInts as numbers or text, and with keys in P4Runtime's spelling. */
export function plain(data: unknown): Json {
  if (typeof data === "bigint") return number(data);
  if (data instanceof Uint8Array) return toHex(data);
  if (Array.isArray(data)) return data.map(plain);
  if (typeof data === "object" && data !== null) {
    const entries = Object.entries(data).filter(([, item]) => item !== undefined);
    const spelling = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return Object.fromEntries(entries.map(([key, item]) => [spelling(key), plain(item)]));
  }
  return data as Json;
}
