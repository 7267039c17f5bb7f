/** Applies updates of all kinds of entities. A refused update changes nothing. */

import { defined, maskOf } from "../../../base/index.js";
import type {
  CloneSessionEntry,
  CounterData,
  CounterEntry,
  DigestConfigEntry,
  DirectCounterEntry,
  DirectMeterEntry,
  Match,
  MeterEntry,
  MulticastGroupEntry,
  RegisterEntry,
  Replica,
  Update,
  ValueSetEntry,
} from "../../device/index.js";
import { readCounter, setCounter } from "../tables/resources.js";
import type { StoredEntry } from "../tables/store.js";
import type { Digests } from "./digests.js";
import type { Instance, TableControl } from "./instance.js";
import { checkBounds, checkMasked, checkPrefix, checkWidth, refuse } from "./keys.js";
import { ProfileWriter } from "./profile-writer.js";
import { checkCounter, checkMeter, ratesOf, TableWriter } from "./table-writer.js";
import type { Undo } from "./write-checks.js";

/** Numbers of clone sessions have 15 bits. P4Runtime has no session 0, v1model does: its server refuses it. */
const MAX_SESSION = 32767;

export class Writer {
  readonly profiles: ProfileWriter;
  readonly tables: TableWriter;

  constructor(
    readonly instance: Instance,
    readonly digests: Digests,
    timed: (table: TableControl, entry: StoredEntry) => void,
  ) {
    this.profiles = new ProfileWriter(instance);
    this.tables = new TableWriter(instance, this.profiles, timed);
  }

  /** Applies one update or throws a DeviceError; returns a function that undoes the update. */
  apply({ type, entity }: Update): Undo {
    switch (entity.kind) {
      case "tableEntry":
        return this.tables.write(type, entity);
      case "member":
        return this.profiles.member(type, entity);
      case "group":
        return this.profiles.group(type, entity);
      case "multicastGroup":
        return this.#multicastGroup(type, entity);
      case "cloneSession":
        return this.#cloneSession(type, entity);
      case "digest":
        return this.#digest(type, entity);
      default:
        if (type !== "modify")
          refuse("INVALID_ARGUMENT", `an entity of kind ${entity.kind} can only be modified`);
    }
    switch (entity.kind) {
      case "counter":
        return this.#counter(entity);
      case "directCounter":
        return this.#directCounter(entity);
      case "meter":
        return this.#meter(entity);
      case "directMeter":
        return this.#directMeter(entity);
      case "register":
        return this.#register(entity);
      case "valueSet":
        return this.#valueSet(entity);
    }
  }

  #counter({ counter, index, data }: CounterEntry): Undo {
    const array = this.instance.counters.get(counter);
    if (array === undefined) refuse("NOT_FOUND", `the program has no counter ${counter}`);
    checkIndex(`counter ${counter}`, index, array.size);
    return putCounter(array, index, data);
  }

  #directCounter({ entry, data }: DirectCounterEntry): Undo {
    const table = this.tables.find(entry.table);
    if (!table.info.table.with_counters)
      refuse("INVALID_ARGUMENT", `table ${table.name} has no direct counter`);
    const { name, number } = this.tables.stored(table, entry);
    // The entry may have another number when the undo of a later delete inserted it again.
    return putCounter(table.store, number, data, () => defined(table.store.byName.get(name)).number);
  }

  #meter({ meter, index, config }: MeterEntry): Undo {
    const array = this.instance.meters.get(meter);
    if (array === undefined) refuse("NOT_FOUND", `the program has no meter ${meter}`);
    checkIndex(`meter ${meter}`, index, array.size);
    if (config !== undefined) checkMeter(config);
    const putBack = array.keep(index);
    const now = this.instance.clock.now();
    array.configure(index, config === undefined ? undefined : ratesOf(config), now);
    return () => putBack(index);
  }

  #directMeter({ entry, config }: DirectMeterEntry): Undo {
    const table = this.tables.find(entry.table);
    const { meter } = table.store;
    if (meter === undefined) refuse("INVALID_ARGUMENT", `table ${table.name} has no direct meter`);
    const { name, number } = this.tables.stored(table, entry);
    if (config !== undefined) checkMeter(config);
    const putBack = meter.keep(number);
    const now = this.instance.clock.now();
    meter.configure(number, config === undefined ? undefined : ratesOf(config), now);
    return () => putBack(defined(table.store.byName.get(name)).number);
  }

  #register({ register, index, value }: RegisterEntry): Undo {
    const array = this.instance.registers.get(register);
    if (array === undefined) refuse("NOT_FOUND", `the program has no register ${register}`);
    checkIndex(`register ${register}`, index, array.size);
    checkWidth(`register ${register}[${index}]`, value, array.width);
    const before = array.get(index);
    array.set(index, value);
    return () => array.set(index, before);
  }

  #valueSet({ valueSet, members }: ValueSetEntry): Undo {
    const set = this.instance.valueSets.get(valueSet);
    if (set === undefined) refuse("NOT_FOUND", `the program has no value set ${valueSet}`);
    if (set.maxSize > 0 && members.length > set.maxSize)
      refuse(
        "RESOURCE_EXHAUSTED",
        `value set ${valueSet} has room for ${set.maxSize} members, not ${members.length}`,
      );
    const info = this.instance.p4.valueSets.byName(valueSet);
    const fields = info?.fields.list ?? [{ name: valueSet, bitwidth: set.width }];
    const made = members.map((match) => {
      let value = 0n;
      let mask = 0n;
      const given = new Set<string>();
      for (const { field } of match) {
        if (!fields.some(({ name }) => name === field))
          refuse(
            "NOT_FOUND",
            `value set ${valueSet} has no field ${field}; it has ${fields.map(({ name }) => name).join(", ")}`,
          );
        if (given.has(field))
          refuse("INVALID_ARGUMENT", `field ${field} of value set ${valueSet} is given twice`);
        given.add(field);
      }
      for (const field of fields) {
        const part = match.find((candidate) => candidate.field === field.name);
        const bits = setPart(valueSet, field.name, field.bitwidth, part);
        value = (value << BigInt(field.bitwidth)) | bits.value;
        mask = (mask << BigInt(field.bitwidth)) | bits.mask;
      }
      return set.member(match, value, mask);
    });
    const before = set.members;
    set.members = made;
    return () => {
      set.members = before;
    };
  }

  #multicastGroup(type: Update["type"], entity: MulticastGroupEntry): Undo {
    const { replication } = this.instance;
    const { groupId } = entity;
    if (!Number.isInteger(groupId) || groupId < 1 || groupId > 0xffff)
      refuse("INVALID_ARGUMENT", `multicast group ${groupId} is not within 1 to 65535`);
    const before = replication.groups.get(groupId);
    if (type === "insert" && before !== undefined)
      refuse("ALREADY_EXISTS", `there is a multicast group ${groupId}`);
    if (type !== "insert" && before === undefined)
      refuse("NOT_FOUND", `there is no multicast group ${groupId}`);
    const undo = () => {
      if (before === undefined) replication.groups.delete(groupId);
      else replication.groups.set(groupId, before);
    };
    if (type === "delete") {
      replication.groups.delete(groupId);
      return undo;
    }
    checkReplicas(entity.replicas);
    replication.groups.set(groupId, { replicas: entity.replicas, metadata: entity.metadata });
    return undo;
  }

  #cloneSession(type: Update["type"], entity: CloneSessionEntry): Undo {
    const { sessions } = this.instance.replication;
    const { sessionId } = entity;
    if (!Number.isInteger(sessionId) || sessionId < 0 || sessionId > MAX_SESSION)
      refuse("INVALID_ARGUMENT", `clone session ${sessionId} is not within 0 to ${MAX_SESSION}`);
    const before = sessions.get(sessionId);
    if (type === "insert" && before !== undefined)
      refuse("ALREADY_EXISTS", `there is a clone session ${sessionId}`);
    if (type !== "insert" && before === undefined)
      refuse("NOT_FOUND", `there is no clone session ${sessionId}`);
    const undo = () => {
      if (before === undefined) sessions.delete(sessionId);
      else sessions.set(sessionId, before);
    };
    if (type === "delete") {
      sessions.delete(sessionId);
      return undo;
    }
    checkReplicas(entity.replicas);
    if (!Number.isInteger(entity.packetLengthBytes) || entity.packetLengthBytes < 0)
      refuse("INVALID_ARGUMENT", `a clone of ${entity.packetLengthBytes} bytes`);
    if (entity.classOfService !== 0)
      refuse("UNIMPLEMENTED", `class of service ${entity.classOfService}: clones have the one class 0`);
    sessions.set(sessionId, {
      replicas: entity.replicas,
      classOfService: 0,
      lengthLimit: entity.packetLengthBytes,
    });
    return undo;
  }

  #digest(type: Update["type"], entity: DigestConfigEntry): Undo {
    const { digests } = this;
    if (!digests.knows(entity.digest)) refuse("NOT_FOUND", `the program has no digest ${entity.digest}`);
    const before = digests.config(entity.digest);
    if (type === "insert" && before !== undefined)
      refuse("ALREADY_EXISTS", `digest ${entity.digest} is on already`);
    if (type !== "insert" && before === undefined) refuse("NOT_FOUND", `digest ${entity.digest} is off`);
    if (entity.maxListSize < 0 || entity.maxTimeoutNs < 0n || entity.ackTimeoutNs < 0n)
      refuse("INVALID_ARGUMENT", `sizes and timeouts of digest ${entity.digest} cannot be negative`);
    return digests.configure(entity.digest, type === "delete" ? undefined : entity);
  }
}

function checkIndex(what: string, index: number, size: number): void {
  if (!Number.isInteger(index) || index < 0 || index >= size)
    refuse("OUT_OF_RANGE", `${what} has indexes 0 to ${size - 1}, not ${index}`);
}

/** Writes a counter; `place` returns its index when the write is undone. */
function putCounter(
  array: { counts: Float64Array },
  index: number,
  data: CounterData,
  place = () => index,
): Undo {
  checkCounter(data);
  const before = readCounter(array, index);
  setCounter(array, index, Number(data.packets), Number(data.bytes));
  return () => setCounter(array, place(), before.packets, before.bytes);
}

function checkReplicas(replicas: readonly Replica[]): void {
  const seen = new Set<string>();
  for (const { port, instance } of replicas) {
    if (!Number.isInteger(port) || port < 0 || port > 511)
      refuse("INVALID_ARGUMENT", `a copy to port ${port}; ports are 0 to 511`);
    if (!Number.isInteger(instance) || instance < 0 || instance > 0xffff)
      refuse("INVALID_ARGUMENT", `a copy of instance ${instance}; instances are 0 to 65535`);
    const name = `${port}/${instance}`;
    if (seen.has(name)) refuse("INVALID_ARGUMENT", `two copies of instance ${instance} to port ${port}`);
    seen.add(name);
  }
}

function setPart(
  set: string,
  field: string,
  width: number,
  part: Match | undefined,
): { value: bigint; mask: bigint } {
  const what = `field ${field} of value set ${set}`;
  if (part === undefined) return { value: 0n, mask: 0n };
  switch (part.kind) {
    case "exact":
    case "optional":
      checkWidth(what, part.value, width);
      return { value: part.value, mask: maskOf(width) };
    case "lpm": {
      const mask = checkPrefix(what, part.value, part.prefixLength, width);
      return { value: part.value, mask };
    }
    case "ternary":
      checkMasked(what, part.value, part.mask, width);
      return { value: part.value, mask: part.mask };
    case "range":
      checkBounds(what, part.low, part.high, width);
      if (part.low === part.high) return { value: part.low, mask: maskOf(width) };
      refuse("UNIMPLEMENTED", `${what}: a range of more than one value`);
  }
}
