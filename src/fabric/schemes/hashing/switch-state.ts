/** The tables of one switch: function and seed by ingress port, sources, routes by class, groups with a member for each slot. */
import type { Update } from "../../../toolchain/device/index.js";
import { LOCAL } from "../../paths/index.js";
import { nodeAt, type Prefix, type PrefixPair, type Topology } from "../../topology/index.js";
import { call, exact, forward, ingressName, insert, tableEntry } from "../fabric.js";
import type { Assignment } from "./assignment.js";
import type { HashingParameters } from "./parameters.js";
import { portsOfSlots } from "./path-model.js";
import { type ClassedSwitch, KINDS } from "./routing.js";

/** Table contents of a switch; sizes are known before the updates are made. */
export interface SwitchTables {
  readonly own: ClassedSwitch;
  /** Slots of each group; ids of groups count from 1. */
  readonly groups: readonly (readonly number[])[];
  /** Routes with the class that they are for. */
  readonly routes: readonly ClassedRoute[];
}

interface ClassedRoute {
  readonly arrival: number;
  readonly prefix: PrefixPair;
  /** A port, or a group. */
  readonly to: { readonly port: number } | { readonly group: number };
}

export function tablesOf(
  topology: Topology,
  own: ClassedSwitch,
  assignment: Assignment,
  parameters: HashingParameters,
): SwitchTables {
  const groups: (readonly number[])[] = [];
  const known = new Map<string, number>();
  const groupOf = (slots: readonly number[]) => {
    const key = slots.join(" ");
    let group = known.get(key);
    if (group === undefined) {
      group = groups.push(slots);
      known.set(key, group);
    }
    return group;
  };
  const { racks, pods } = topology;
  const routes: ClassedRoute[] = [];
  const classes = own.plain ? 1 : own.next.length / racks.length;
  for (let arrival = 0; arrival < classes; arrival++) {
    const size = assignment.sizeOf(own.node, arrival % KINDS, Math.floor(arrival / KINDS));
    const targets = racks.map(({ index }) => own.next[arrival * racks.length + index]!);
    const add = (prefix: PrefixPair, target: number) => {
      const slots = portsOfSlots(own.hopSets[target]!, size, parameters);
      const to = slots.length === 1 ? { port: slots[0]! } : { group: groupOf(slots) };
      routes.push({ arrival, prefix, to });
    };
    for (const pod of pods) {
      const usual = targets[pod.racks[0]!]!;
      if (usual >= 0 && pod.racks.length > 1 && pod.racks.every((rack) => targets[rack] === usual))
        add(pod, usual);
      else for (const rack of pod.racks) if (targets[rack]! >= 0) add(racks[rack]!, targets[rack]!);
    }
    for (const rack of racks) {
      if (targets[rack.index] !== LOCAL) continue;
      for (const host of rack.hosts) {
        const { ipv4, ipv6 } = nodeAt(topology, host).host!;
        const port = nodeAt(topology, host).ports.find(
          ({ peer, link }) => peer === own.node && !topology.down?.has(link),
        );
        if (port === undefined) continue;
        const prefix = { ipv4: { address: ipv4, length: 32 }, ipv6: { address: ipv6, length: 128 } };
        routes.push({ arrival, prefix, to: { port: port.peerPort } });
      }
    }
  }
  return { own, groups, routes };
}

/** @param functionNumber number of a function in the switch's program */
export function switchState(
  topology: Topology,
  { own, groups, routes }: SwitchTables,
  assignment: Assignment,
  functionNumber: (index: number) => number,
): Update[] {
  const { node, portKind, plain, sourceOf } = own;
  const updates: Update[] = [];
  for (const { number } of nodeAt(topology, node).ports) {
    const { function: index, seed } = assignment.settingOf(node, portKind[number]!);
    const arrival = plain ? 0 : portKind[number]!;
    updates.push(
      tableEntry("hash_seed", [exact("standard_metadata.ingress_port", number)], {
        kind: "action",
        ...call("set_hash", { function: functionNumber(index), seed, arrival }),
      }),
    );
  }
  if (sourceOf !== undefined)
    for (const rack of topology.racks) {
      const arrival = KINDS * sourceOf[rack.index]!;
      if (arrival === 0) continue;
      for (const family of ["ipv4", "ipv6"] as const)
        updates.push(
          tableEntry(`${family}_sources`, [lpm(`hdr.${family}.src_addr`, rack[family])], {
            kind: "action",
            ...call("set_source", { arrival }),
          }),
        );
    }
  const profile = ingressName("group_members");
  let memberId = 0;
  for (const [index, slots] of groups.entries()) {
    const members = slots.map((port) => {
      memberId++;
      updates.push(
        insert({ kind: "member", profile, memberId, action: forward("to_next_hop", topology, node, port) }),
      );
      return { memberId, weight: 1, watchPort: port };
    });
    const groupId = index + 1;
    updates.push(insert({ kind: "group", profile, groupId, members, maxSize: members.length }));
    updates.push(tableEntry("groups", [exact("meta.next_hops", groupId)], { kind: "group", groupId }));
  }
  for (const { arrival, prefix, to } of routes)
    for (const family of ["ipv4", "ipv6"] as const) {
      const match = [
        lpm(`hdr.${family}.dst_addr`, prefix[family]),
        ...(plain ? [] : [exact("meta.arrival", arrival)]),
      ];
      const action =
        "port" in to
          ? forward("to_port", topology, node, to.port)
          : call("to_group", { next_hops: to.group });
      updates.push(tableEntry(`${family}_routes`, match, { kind: "action", ...action }));
    }
  return updates;
}

function lpm(field: string, { address, length }: Prefix) {
  return { kind: "lpm" as const, field, value: address, prefixLength: length };
}
