/** How a switch stores the map of virtual ports: writes of it, and how its software reads it back. */
import type { Entity, ReadQuery, Update } from "../../../toolchain/device/index.js";
import { call, exact, ingressName, tableEntry } from "../fabric.js";
import { HASHES } from "./copies.js";

export type MapKind = "register" | "copies";

export interface VirtualPortMap {
  /** Writes of one virtual port; `bit` is its port. `type`: "modify" where the switch already has it. */
  updates(type: "insert" | "modify", group: number, virtualPort: number, bit: number): Update[];
  /** The query that reads the whole map. */
  readonly query: ReadQuery;
  /** An entity that was read; undefined: it is no part of the map. */
  entry(
    entity: Entity,
  ): { readonly group: number; readonly virtualPort: number; readonly bit: number } | undefined;
}

/** `virtualPorts`: number for each group. `retry`: the programs have a second round of hashes. */
export function virtualPortMap(kind: MapKind, virtualPorts: number, retry: boolean): VirtualPortMap {
  return kind === "register" ? registerMap(virtualPorts) : copiesMap(retry ? 2 * HASHES : HASHES);
}

const REGISTER = ingressName("virtual_ports");

function registerMap(virtualPorts: number): VirtualPortMap {
  return {
    updates: (_type, group, virtualPort, bit) => [
      {
        type: "modify",
        entity: {
          kind: "register",
          register: REGISTER,
          index: group * virtualPorts + virtualPort,
          value: BigInt(bit),
        },
      },
    ],
    query: { kind: "register", register: REGISTER },
    entry: (entity) =>
      entity.kind === "register"
        ? {
            group: Math.floor(entity.index / virtualPorts),
            virtualPort: entity.index % virtualPorts,
            bit: Number(entity.value),
          }
        : undefined,
  };
}

/** All copies are equal, so only the first one is read. */
function copiesMap(copies: number): VirtualPortMap {
  return {
    updates: (type, group, virtualPort, bit) =>
      Array.from({ length: copies }, (_, copy) => {
        const { entity } = tableEntry(
          `virtual_ports_${copy}`,
          [exact("meta.group", group), exact("virtual_port", virtualPort)],
          { kind: "action", ...call(`stands_for_${copy}`, { port: bit }) },
        );
        return { type, entity };
      }),
    query: { kind: "tableEntry", table: ingressName("virtual_ports_0") },
    entry: (entity) => {
      if (entity.kind !== "tableEntry" || entity.action?.kind !== "action") return undefined;
      const [group, virtualPort] = entity.match;
      if (group?.kind !== "exact" || virtualPort?.kind !== "exact") return undefined;
      return {
        group: Number(group.value),
        virtualPort: Number(virtualPort.value),
        bit: Number(entity.action.params["port"]),
      };
    },
  };
}
