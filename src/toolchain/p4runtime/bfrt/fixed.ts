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
import type { BfrtSchema } from "../../program/index.js";
import { type Chip, chipTables } from "./chip-schema.js";
import { ECMP, GROUP, LAG, MIRROR, NODE, PRE_PORT, PRUNE } from "./fixed-schema.js";
import { FixedTable, type Stored } from "./fixed-table.js";
import { packetGenerator } from "./packet-generator.js";
import { portTables } from "./ports.js";
import type { TableHandler } from "./table.js";
import { asNumber } from "./values.js";

/** Numbers of ports have nine bits. */
const MOST_PORTS = 512;

type Values = Stored["values"];

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

function mirrorTable(device: Device): FixedTable {
  return new FixedTable(MIRROR, {
    change: async ([id], before, after) => {
      const [old, session] = [before, after].map((one) => sessionOf(Number(id), one?.values));
      const type = typeOfChange(old, session);
      const entity = session ?? old;
      if (type !== undefined && entity !== undefined) await device.write([{ type, entity }]);
    },
  });
}

function listOf(values: Values | undefined, name: string): readonly number[] {
  const found = values?.get(name);
  return Array.isArray(found) ? (found as readonly number[]) : [];
}

function flagsOf(values: Values | undefined, name: string): readonly boolean[] {
  const found = values?.get(name);
  return Array.isArray(found) ? (found as readonly boolean[]) : [];
}

function replicasOf(values: Values | undefined, nodes: (id: number) => Values | undefined): Replica[] {
  return listOf(values, "$MULTICAST_NODE_ID").flatMap((node, i) => {
    const found = nodes(node);
    if (found === undefined) throw new DeviceError("NOT_FOUND", `${NODE.name} has no entry ${node}`);
    const instance = asNumber(found.get("$MULTICAST_RID"));
    const isExcluding = flagsOf(values, "$MULTICAST_NODE_L1_XID_VALID")[i] === true;
    const exclusion = isExcluding ? listOf(values, "$MULTICAST_NODE_L1_XID")[i] : undefined;
    return listOf(found, "$DEV_PORT").map((port) => ({ port, instance, ...given({ exclusion }) }));
  });
}

/** Multicast groups and the nodes that they are made of. A change of a node changes the groups that it is in. */
function replicationTables(device: Device): FixedTable[] {
  const nodeOf = (id: number): Values | undefined => nodes.get([BigInt(id)])?.values;
  const writeGroup = async (type: Update["type"], groupId: number, replicas: Replica[]): Promise<void> =>
    device.write([{ type, entity: { kind: "multicastGroup", groupId, replicas } }]);
  const groups = new FixedTable(GROUP, {
    change: async ([id], before, after) => {
      if (listOf(after?.values, "$MULTICAST_ECMP_ID").length > 0)
        throw new DeviceError("UNIMPLEMENTED", "a multicast group has nodes; ECMP is not modelled");
      const type = typeOfChange(before, after);
      if (type !== undefined) await writeGroup(type, Number(id), replicasOf(after?.values, nodeOf));
    },
  });
  const nodes: FixedTable = new FixedTable(NODE, {
    change: async ([key], before, after) => {
      const id = Number(key);
      if (listOf(after?.values, "$MULTICAST_LAG_ID").length > 0)
        throw new DeviceError(
          "UNIMPLEMENTED",
          "a multicast node has ports; link aggregates are not modelled",
        );
      const users = [...groups].filter(([, { values }]) => listOf(values, "$MULTICAST_NODE_ID").includes(id));
      if (after === undefined && users.length > 0)
        throw new DeviceError("FAILED_PRECONDITION", `node ${id} is in group ${users[0]![0].join()}`);
      if (before === undefined) return;
      const now = (node: number): Values | undefined => (node === id ? after?.values : nodeOf(node));
      for (const [[group], { values }] of users)
        await writeGroup("modify", Number(group), replicasOf(values, now));
    },
  });
  return [groups, nodes];
}

function pruneTable(device: Device): FixedTable {
  return new FixedTable(PRUNE, {
    change: async ([id], _, after) => {
      let value = 0n;
      for (const port of listOf(after?.values, "$DEV_PORT")) {
        if (!(port < MOST_PORTS)) throw new DeviceError("INVALID_ARGUMENT", `there is no port ${port}`);
        value |= 1n << BigInt(port);
      }
      // A program that never names the id has no place for it, and needs none.
      const cell = { kind: "register", register: PRUNE.name, index: Number(id) } as const;
      if (await has(device, cell)) await device.write([{ type: "modify", entity: { ...cell, value } }]);
    },
  });
}

async function has(device: Device, cell: ReadQuery): Promise<boolean> {
  try {
    return (await device.read([cell])).length > 0;
  } catch (error) {
    if (error instanceof DeviceError && error.code === "NOT_FOUND") return false;
    throw error;
  }
}

/** A table whose entries would have an effect that the switch does not have: it stays empty. */
function emptyTable(table: FixedTable["table"], why: string): FixedTable {
  return new FixedTable(table, {
    change: async () => {
      throw new DeviceError("UNIMPLEMENTED", why);
    },
  });
}

export function fixedTables(device: Device, chip: Chip): TableHandler[] {
  return [
    ...portTables(device, chip),
    mirrorTable(device),
    ...replicationTables(device),
    pruneTable(device),
    emptyTable(ECMP, "ECMP of multicast groups is not modelled"),
    emptyTable(LAG, "link aggregates are not modelled"),
    emptyTable(PRE_PORT, "backup ports are not modelled, and the port to the CPU is an option of the switch"),
    ...packetGenerator(device, chipTables(chip)),
  ];
}

/** The schema of all these. */
export function fixedSchema(handlers: readonly TableHandler[]): BfrtSchema {
  return { schema_version: "1.0.0", tables: handlers.map(({ table }) => table), learn_filters: [] };
}
