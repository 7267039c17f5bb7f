/**
 * Entities as statements of the shell: what is printed can be read back. Counts and times that are no part of a
 * statement stand behind it as a comment.
 */
import { toHex } from "../../base/index.js";
import {
  type ActionCall,
  type ControllerPacket,
  type DigestList,
  type Entity,
  type FieldInfo,
  formatValue,
  type Match,
  type MeterConfig,
  type Naming,
  type P4InfoIndex,
  type Replica,
  type Slot,
  styleOfWidth,
  type TableAction,
  type TableEntry,
  type ValueStyle,
} from "../../program/index.js";

/** What names and widths are printed with. */
export interface Printer {
  readonly index: P4InfoIndex;
  readonly naming: Naming | undefined;
}

/** Words of an entry that are no field or parameter; with `@` in front where one has the same name. */
export const OPTIONS = ["priority", "timeout", "metadata", "controller_metadata"] as const;

/** How the value of a slot is best read: addresses are known by width and name. */
function styleOf({ name, bitwidth }: Slot): ValueStyle {
  if (bitwidth === 32 && /ip|addr|hop/i.test(name)) return "ipv4";
  if (bitwidth === 48 && /time|stamp|tstamp/i.test(name)) return "decimal";
  return styleOfWidth(bitwidth);
}

/** A value as it would be written; masks and odd values in hexadecimal where addresses would mislead. */
export function valueText({ naming }: Printer, slot: Slot, value: bigint): string {
  if (slot.isString && slot.stringType !== undefined && naming !== undefined)
    return naming.name(slot.stringType, value);
  if (value >> BigInt(slot.bitwidth) !== 0n) return value.toString();
  return formatValue(value, slot.bitwidth, styleOf(slot));
}

function partText(printer: Printer, field: FieldInfo, part: Match): string {
  const value = (number: bigint): string => valueText(printer, field, number);
  switch (part.kind) {
    case "exact":
    case "optional":
      return value(part.value);
    case "lpm":
      return `${value(part.value)}/${part.prefixLength}`;
    case "ternary":
      return `${value(part.value)}&&&${formatValue(part.mask, field.bitwidth, maskStyle(field))}`;
    case "range":
      return `${value(part.low)}->${value(part.high)}`;
  }
}

/** IPv4 masks are written like addresses, all others in hexadecimal. */
function maskStyle(field: FieldInfo): ValueStyle {
  return styleOf(field) === "ipv4" ? "ipv4" : "hex";
}

function keyText(printer: Printer, fields: readonly FieldInfo[], match: readonly Match[]): string {
  return fields
    .flatMap((field) => {
      const part = match.find((candidate) => candidate.field === field.name);
      return part === undefined ? [] : ` ${field.name}=${partText(printer, field, part)}`;
    })
    .join("");
}

function callText(printer: Printer, { action, params }: ActionCall): string {
  const slots = printer.index.actions.byName(action)?.params.list ?? [];
  const values = slots.map((slot) => ` ${slot.name}=${valueText(printer, slot, params[slot.name] ?? 0n)}`);
  return action + values.join("");
}

function targetText(printer: Printer, action: TableAction | undefined): string {
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

/** Nanoseconds in the largest unit that gives a whole number. */
function durationText(ns: bigint): string {
  const [name, size] = UNITS.find(([, unit]) => ns % unit === 0n)!;
  return `${ns / size}${name}`;
}

/** Priority and what else an entry carries, each as a word. */
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

/** An entry as `insert`, a default entry as `default`; those that cannot be written are comments. */
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
          return part === undefined ? "*" : partText(printer, field, part);
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

/** One line a datum, with the names of the digest's struct. */
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
      ...(stringType === undefined ? {} : { stringType }),
    };
  });
}
