/** The tables that are there for every program. The server keeps what is written, and tells the device of sessions and groups. */
import { given } from "../../../base/index.js";
import {
  type CloneSessionEntry,
  type Device,
  DeviceError,
  type ReadQuery,
  type Replica,
  type Update,
} from "../../device/index.js";
import type { TableEntry } from "../generated/bfrt_proto/bfruntime_pb.js";
import { GROUP, initialOf, MIRROR, NODE, PORT, PRUNE } from "./fixed-schema.js";
import { commonFields, type Table } from "./schema-index.js";
import { dataOf, keyFieldsOf, missing, type Row, type TableHandler, tableData } from "./table.js";
import { asNumber, exactField, exactKey, type Value } from "./values.js";

/** Numbers of ports have nine bits. */
const MOST_PORTS = 512;

type Values = ReadonlyMap<string, Value>;

/** What a change of an entry does to the device; undefined: the entry is not there. */
type Effect = (id: number, before: Values | undefined, after: Values | undefined) => Promise<void>;

class FixedTable implements TableHandler {
  readonly entries = new Map<number, Values>();

  constructor(
    readonly table: Table,
    private readonly effect: Effect = async () => {},
  ) {}

  #id(entry: TableEntry): number | undefined {
    const fields = keyFieldsOf(entry);
    return fields === undefined ? undefined : Number(exactKey(fields, this.table.key[0]!));
  }

  #named(entry: TableEntry): number {
    const id = this.#id(entry);
    if (id === undefined)
      throw new DeviceError("INVALID_ARGUMENT", `an entry of ${this.table.name} is named by its key`);
    return id;
  }

  async #set(id: number, values: Values | undefined): Promise<void> {
    await this.effect(id, this.entries.get(id), values);
    if (values === undefined) this.entries.delete(id);
    else this.entries.set(id, values);
  }

  async insert(entry: TableEntry): Promise<void> {
    const id = this.#named(entry);
    if (this.entries.has(id))
      throw new DeviceError("ALREADY_EXISTS", `${this.table.name} has the entry ${id}`);
    await this.#set(id, dataOf(this.table, entry.data).values);
  }

  async modify(entry: TableEntry): Promise<void> {
    const id = this.#named(entry);
    const old = this.entries.get(id);
    if (old === undefined) throw missing(this.table);
    await this.#set(id, new Map([...old, ...dataOf(this.table, entry.data).values]));
  }

  async remove(entry: TableEntry): Promise<void> {
    const id = this.#id(entry);
    if (id !== undefined && !this.entries.has(id)) throw missing(this.table);
    for (const one of id === undefined ? [...this.entries.keys()] : [id]) await this.#set(one, undefined);
  }

  async read(entry: TableEntry): Promise<Row[]> {
    const id = this.#id(entry);
    if (id !== undefined && !this.entries.has(id)) throw missing(this.table);
    const ids = id === undefined ? [...this.entries.keys()] : [id];
    return ids.map((one) => {
      const values = new Map<string, Value>(
        commonFields(this.table).map((part) => [part.name, initialOf(part)]),
      );
      for (const [name, value] of this.entries.get(one)!) values.set(name, value);
      if (this.table === PORT) {
        values.set("$IS_VALID", true);
        values.set("$PORT_UP", values.get("$PORT_ENABLE") === true);
      }
      const spec = this.table.action_specs?.[0];
      const action = spec === undefined ? undefined : { name: spec.name, params: {} };
      return {
        key: [exactField(this.table.key[0]!, BigInt(one))],
        data: tableData(this.table, action, values),
      };
    });
  }
}

function typeOfChange(before: unknown, after: unknown): Update["type"] | undefined {
  if (after !== undefined) return before === undefined ? "insert" : "modify";
  return before === undefined ? undefined : "delete";
}

/** A session with `$session_enable` is one of the device, to its port. */
function sessionOf(sessionId: number, values: Values | undefined): CloneSessionEntry | undefined {
  if (values?.get("$session_enable") !== true) return undefined;
  if (values.get("$mcast_grp_a_valid") === true || values.get("$mcast_grp_b_valid") === true)
    throw new DeviceError("UNIMPLEMENTED", "a mirror session leads to a port, not to a multicast group");
  const isValid = values.get("$ucast_egress_port_valid") === true;
  const replicas = isValid
    ? [{ port: asNumber(values.get("$ucast_egress_port")), instance: asNumber(values.get("$mcast_rid")) }]
    : [];
  return {
    kind: "cloneSession",
    sessionId,
    replicas,
    classOfService: asNumber(values.get("$egress_port_queue")),
    packetLengthBytes: asNumber(values.get("$max_pkt_len")),
  };
}

export function fixedTables(device: Device): TableHandler[] {
  const mirrors = new FixedTable(MIRROR, async (id, before, after) => {
    const [old, session] = [sessionOf(id, before), sessionOf(id, after)];
    const type = typeOfChange(old, session);
    const entity = session ?? old;
    if (type !== undefined && entity !== undefined) await device.write([{ type, entity }]);
  });
  const replicasOf = (values: Values | undefined, nodes: (id: number) => Values | undefined): Replica[] =>
    listOf(values, "$MULTICAST_NODE_ID").flatMap((node, i) => {
      const found = nodes(node);
      if (found === undefined) throw new DeviceError("NOT_FOUND", `${NODE.name} has no entry ${node}`);
      const instance = asNumber(found.get("$MULTICAST_RID"));
      const isExcluding = flagsOf(values, "$MULTICAST_NODE_L1_XID_VALID")[i] === true;
      const exclusion = isExcluding ? listOf(values, "$MULTICAST_NODE_L1_XID")[i] : undefined;
      return listOf(found, "$DEV_PORT").map((port) => ({ port, instance, ...given({ exclusion }) }));
    });
  const writeGroup = async (type: Update["type"], groupId: number, replicas: Replica[]): Promise<void> =>
    device.write([{ type, entity: { kind: "multicastGroup", groupId, replicas } }]);
  const groups = new FixedTable(GROUP, async (id, before, after) => {
    const type = typeOfChange(before, after);
    if (type !== undefined)
      await writeGroup(
        type,
        id,
        replicasOf(after, (node) => nodes.entries.get(node)),
      );
  });
  const nodes: FixedTable = new FixedTable(NODE, async (id, before, after) => {
    if (listOf(after, "$MULTICAST_LAG_ID").length > 0)
      throw new DeviceError("UNIMPLEMENTED", "a multicast node has ports; link aggregates are not modelled");
    const users = [...groups.entries].filter(([, values]) =>
      listOf(values, "$MULTICAST_NODE_ID").includes(id),
    );
    if (after === undefined && users.length > 0)
      throw new DeviceError("FAILED_PRECONDITION", `node ${id} is in group ${users[0]![0]}`);
    if (before === undefined) return;
    const now = (node: number): Values | undefined => (node === id ? after : nodes.entries.get(node));
    for (const [group, values] of users) await writeGroup("modify", group, replicasOf(values, now));
  });
  const pruned = new FixedTable(PRUNE, async (id, _, after) => {
    let value = 0n;
    for (const port of listOf(after, "$DEV_PORT")) {
      if (!(port < MOST_PORTS)) throw new DeviceError("INVALID_ARGUMENT", `there is no port ${port}`);
      value |= 1n << BigInt(port);
    }
    // A program that never names the id has no place for it, and needs none.
    const cell = { kind: "register", register: PRUNE.name, index: id } as const;
    if (await has(device, cell)) await device.write([{ type: "modify", entity: { ...cell, value } }]);
  });
  return [new FixedTable(PORT), mirrors, groups, nodes, pruned];
}

async function has(device: Device, cell: ReadQuery): Promise<boolean> {
  try {
    return (await device.read([cell])).length > 0;
  } catch (error) {
    if (error instanceof DeviceError && error.code === "NOT_FOUND") return false;
    throw error;
  }
}

function flagsOf(values: Values | undefined, name: string): readonly boolean[] {
  const found = values?.get(name);
  return Array.isArray(found) ? (found as readonly boolean[]) : [];
}

function listOf(values: Values | undefined, name: string): readonly number[] {
  const found = values?.get(name);
  return Array.isArray(found) ? (found as readonly number[]) : [];
}
