/**
 * Entities as statements of the shell: every printed statement can be read back. Counts and times that are not part of a
 * statement follow it as a comment.
 */
import { defined, given, toHex } from "../../../base/index.js";
import {
  type ActionCall,
  type ControllerPacket,
  type DigestList,
  type Entity,
  type Match,
  type MeterConfig,
  matchText,
  type Naming,
  type Replica,
  valueText as slotText,
  type TableAction,
  type TableEntry,
} from "../../device/index.js";
import type { FieldInfo, P4InfoIndex, Slot } from "../../program/index.js";

/** The names and widths that printing needs. */
export interface Printer {
  readonly index: P4InfoIndex;
  readonly naming: Naming | undefined;
}

/**
 * Options of an entry, which are not fields or parameters; with `@` before them when a field or parameter has the same
 * name.
 */
export const OPTIONS = ["priority", "timeout", "metadata", "controller_metadata"] as const;

/** A value as it would be written. */
export function valueText({ naming }: Printer, slot: Slot, value: bigint): string {
  return slotText(naming, slot, value);
}

function keyText(printer: Printer, fields: readonly FieldInfo[], match: readonly Match[]): string {
  return fields
    .flatMap((field) => {
      const part = match.find((candidate) => candidate.field === field.name);
      return part === undefined ? [] : ` ${field.name}=${matchText(printer.naming, field, part)}`;
    })
    .join("");
}

function callText(printer: Printer, { action, params }: ActionCall): string {
  const slots = printer.index.actions.byName(action)?.params.list ?? [];
  const values = slots.map((slot) => ` ${slot.name}=${valueText(printer, slot, params[slot.name] ?? 0n)}`);
  return action + values.join("");
}

/** What an entry does, with ` => ` before it; empty without an action. */
export function targetText(printer: Printer, action: TableAction | undefined): string {
  switch (action?.kind) {
    case undefined:
      return "";
    case "action":
      return ` => ${callText(printer, action)}`;
    case "member":
      return ` => member ${action.memberId}`;
    case "group":
      return ` => group ${action.groupId}`;
    case "oneShot":
      return ` => ${action.actions
        .map(({ weight, watchPort, ...call }) => {
          const names = printer.index.actions.byName(call.action)?.params.list.map(({ name }) => name) ?? [];
          const option = (name: string): string => (names.includes(name) ? `@${name}` : name);
          const watch = watchPort === undefined ? "" : ` ${option("watch")}=${watchPort}`;
          return `${callText(printer, call)} ${option("weight")}=${weight}${watch}`;
        })
        .join(" | ")}`;
  }
}

const UNITS = [
  ["s", 1_000_000_000n],
  ["ms", 1_000_000n],
  ["us", 1000n],
  ["ns", 1n],
] as const;

/** A time in the largest unit that gives a whole number. */
function durationText(ns: bigint): string {
  const [name, size] = defined(UNITS.find(([, unit]) => ns % unit === 0n));
  return `${ns / size}${name}`;
}

/** The priority and the other properties of an entry, each as one word. */
function optionsText(printer: Printer, entry: TableEntry): string {
  const table = printer.index.tables.byName(entry.table);
  const action =
    entry.action?.kind === "action" ? printer.index.actions.byName(entry.action.action) : undefined;
  const taken = [...(table?.fields.list ?? []), ...(action?.params.list ?? [])].flatMap(({ name }) => [
    name,
    name.slice(name.lastIndexOf(".") + 1),
  ]);
  const values: Record<(typeof OPTIONS)[number], string | undefined> = {
    priority: entry.priority === 0 ? undefined : String(entry.priority),
    timeout: (entry.idleTimeoutNs ?? 0n) === 0n ? undefined : durationText(entry.idleTimeoutNs!),
    metadata: (entry.metadata?.length ?? 0) === 0 ? undefined : toHex(entry.metadata!),
    controller_metadata:
      (entry.controllerMetadata ?? 0n) === 0n ? undefined : String(entry.controllerMetadata),
  };
  return OPTIONS.map((name) =>
    values[name] === undefined ? "" : ` ${taken.includes(name) ? "@" : ""}${name}=${values[name]}`,
  ).join("");
}

function commentText({ counter, elapsedNs }: TableEntry): string {
  const parts = [
    ...(counter === undefined ? [] : [`${counter.packets} packets, ${counter.bytes} bytes`]),
    ...(elapsedNs === undefined ? [] : [`idle for ${elapsedNs / 1_000_000n}ms`]),
  ];
  return parts.length === 0 ? "" : `  # ${parts.join(", ")}`;
}

/** An entry as `insert`, a default entry as `default`; constant entries, which cannot be written, are comments. */
export function entryStatement(printer: Printer, entry: TableEntry): string {
  const table = printer.index.tables.byName(entry.table);
  const target = targetText(printer, entry.action);
  if (entry.isDefault) {
    const fixed =
      table !== undefined && (table.message.constDefaultActionId !== 0 || table.profile !== undefined);
    return `${fixed ? "# const " : ""}default ${entry.table}${target}`;
  }
  const key = keyText(printer, table?.fields.list ?? [], entry.match);
  const verb = entry.isConst ? "# const insert" : "insert";
  return `${verb} ${entry.table}${key}${target}${optionsText(printer, entry)}${commentText(entry)}`;
}

function replicaText({ port, instance }: Replica): string {
  return instance === 0 ? String(port) : `${port}/${instance}`;
}

function meterText(config: MeterConfig | undefined): string {
  if (config === undefined) return "default";
  const { committedRate, committedBurst, peakRate, peakBurst } = config;
  return `cir=${committedRate} cburst=${committedBurst} pir=${peakRate} pburst=${peakBurst}`;
}

/** The words that name an entry's counter or meter: the resource and the key. */
function directText(printer: Printer, kind: "directCounter" | "directMeter", entry: TableEntry): string {
  const table = printer.index.tables.byName(entry.table);
  const name = table?.[kind]?.name ?? entry.table;
  const priority = entry.priority === 0 ? "" : optionsText(printer, { ...entry, metadata: new Uint8Array() });
  return name + keyText(printer, table?.fields.list ?? [], entry.match) + priority;
}

/** The statement that deletes an entry of a table. */
export function deletionOf(printer: Printer, entry: TableEntry): string {
  const fields = printer.index.tables.byName(entry.table)?.fields.list ?? [];
  const { kind, table, match, priority } = entry;
  const bare: TableEntry = { kind, table, match, priority };
  return `delete ${table}${keyText(printer, fields, match)}${optionsText(printer, bare)}`;
}

/** Any entity as the statement that writes it. */
export function statementOf(printer: Printer, entity: Entity): string {
  switch (entity.kind) {
    case "tableEntry":
      return entryStatement(printer, entity);
    case "member":
      return `insert member ${entity.profile} ${entity.memberId} => ${callText(printer, entity.action)}`;
    case "group": {
      const members = entity.members.map(({ memberId, weight, watchPort }) => {
        const times = weight === 1 ? "" : `*${weight}`;
        return ` ${memberId}${times}${watchPort === undefined ? "" : `@${watchPort}`}`;
      });
      const size = entity.maxSize === 0 ? "" : ` max=${entity.maxSize}`;
      return `insert group ${entity.profile} ${entity.groupId} =>${members.join("")}${size}`;
    }
    case "counter": {
      const { packets, bytes } = entity.data;
      return `write counter ${entity.counter}[${entity.index}] => packets=${packets} bytes=${bytes}`;
    }
    case "directCounter": {
      const { packets, bytes } = entity.data;
      const place = directText(printer, "directCounter", entity.entry);
      return `write counter ${place} => packets=${packets} bytes=${bytes}`;
    }
    case "meter":
      return `write meter ${entity.meter}[${entity.index}] => ${meterText(entity.config)}`;
    case "directMeter":
      return `write meter ${directText(printer, "directMeter", entity.entry)} => ${meterText(entity.config)}`;
    case "register":
      return `write register ${entity.register}[${entity.index}]=${entity.value}`;
    case "multicastGroup":
      return `insert multicast ${entity.groupId} =>${entity.replicas.map((one) => ` ${replicaText(one)}`).join("")}`;
    case "cloneSession": {
      const copies = entity.replicas.map((one) => ` ${replicaText(one)}`).join("");
      const length = entity.packetLengthBytes === 0 ? "" : ` length=${entity.packetLengthBytes}`;
      const order = entity.classOfService === 0 ? "" : ` class=${entity.classOfService}`;
      return `insert clone ${entity.sessionId} =>${copies}${length}${order}`;
    }
    case "digest": {
      const { digest, maxListSize, maxTimeoutNs, ackTimeoutNs } = entity;
      const times = `timeout=${durationText(maxTimeoutNs)} ack=${durationText(ackTimeoutNs)}`;
      return `insert digest ${digest} size=${maxListSize} ${times}`;
    }
    case "valueSet": {
      const fields = printer.index.valueSets.byName(entity.valueSet)?.fields.list ?? [];
      const members = entity.members.map((member) => {
        const parts = fields.map((field) => {
          const part = member.find((candidate) => candidate.field === field.name);
          return part === undefined ? "*" : matchText(printer.naming, field, part);
        });
        return ` ${parts.join(",")}`;
      });
      return `write value-set ${entity.valueSet} =>${members.join("")}`;
    }
  }
}

/** A packet with the metadata of its header, payload last. */
export function packetText(printer: Printer, { payload, metadata }: ControllerPacket): string {
  const fields = printer.index.controllerHeaders.byName("packet_in")?.fields.list ?? [];
  const words = fields.map((slot) => ` ${slot.name}=${valueText(printer, slot, metadata[slot.name] ?? 0n)}`);
  return `packet-in${words.join("")} ${toHex(payload)}`;
}

/** One line for each value of a digest, with the names of the digest's struct. */
export function digestLines(printer: Printer, { digest, listId, data }: DigestList): string[] {
  const slots = digestSlots(printer.index, digest);
  return data.map((values) => {
    const words = values.map((value, i) => {
      const slot = slots[i];
      return slot === undefined ? ` ${value}` : ` ${slot.name}=${valueText(printer, slot, value)}`;
    });
    return `digest ${digest} list=${listId}${words.join("")}`;
  });
}

/** Members of a digest's struct as slots. */
function digestSlots(index: P4InfoIndex, digest: string): Slot[] {
  const spec = index.digests.byName(digest)?.message.typeSpec;
  const type = spec?.typeSpec;
  if (type?.case !== "struct") return [];
  const members = index.types?.structs[type.value.name]?.members ?? [];
  return members.map(({ name, typeSpec }, i) => {
    const stringType = index.stringTypeOf(typeSpec);
    return {
      id: i + 1,
      name,
      bitwidth: index.bitwidthOf(typeSpec) ?? 0,
      isString: stringType !== undefined,
      ...given({ stringType }),
    };
  });
}
