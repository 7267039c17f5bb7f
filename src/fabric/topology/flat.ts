/** The part that networks without tiers share: hosts at each switch. */

import { fail, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";
import { Draft, type DraftNode, type LinkShape } from "./draft.js";
import { checkHosts, checkPorts, MAX_PODS, MAX_RACKS_PER_POD, positive, tooMany } from "./limits.js";
import { missingLinks } from "./links-down.js";
import { finish } from "./racks.js";
import type { DRingSpec, DragonflySpec } from "./spec.js";
import type { Topology } from "./topology.js";

interface FlatSpec {
  readonly hosts_per_switch: number;
  readonly host_link: LinkShape;
}

/** Adds the hosts of a switch, called `hostLABEL-I`, and their links. */
export function addHosts(
  draft: Draft,
  own: DraftNode,
  label: string,
  pod: number | undefined,
  { hosts_per_switch, host_link }: FlatSpec,
): void {
  for (let i = 0; i < hosts_per_switch; i++) {
    const host = draft.node("host", `host${label}-${i}`, pod, own.position * hosts_per_switch + i);
    draft.link(host, own, host_link);
  }
}

// Dragonfly (Kim, Dally, Scott and Abts, ISCA 2008): groups of switches that are all joined with each other; each switch has global links to
// other groups. A group is a pod. With `a h + 1` groups (section 3.1) each pair of groups has one global link.

/**
 * Global port q of a group (port q mod h of its switch q / h) leads to the group that follows it by 1 + q modulo (groups - 1). Each pair of groups has
 * as many links as all pairs can have; global ports that are left over have no link.
 */
export function dragonfly(spec: DragonflySpec, locate: Locate): Topology {
  const { switches_per_group: size, global_links: each } = spec;
  positive(size, "switches_per_group", locate);
  positive(each, "global_links", locate);
  const most = size * each + 1;
  const groups = spec.groups ?? most;
  const key = spec.groups === undefined ? "switches_per_group" : "groups";
  if (groups < 2) fail(CODES.countTooSmall, locate([key]), `${groups} groups`, "at least 2 are needed");
  if (groups > most)
    fail(
      CODES.globalLinks,
      locate(["groups"]),
      `${groups} groups: a group of ${size} switches with ${each} global links each reaches ${most - 1} others`,
      `at most ${most} groups; or more switches or global links`,
    );
  if (groups > MAX_PODS) tooMany(groups, "groups", MAX_PODS, key, locate);
  if (size > MAX_RACKS_PER_POD)
    tooMany(size, "switches in a group", MAX_RACKS_PER_POD, "switches_per_group", locate);
  checkHosts(spec.hosts_per_switch, "hosts_per_switch", locate);
  checkPorts("switch", spec.hosts_per_switch + size - 1 + each, "switches_per_group", locate);

  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  const join = (own: DraftNode, peer: DraftNode) => {
    if (!missing.takes(own, peer)) draft.link(own, peer, spec.fabric_link);
  };
  const all: DraftNode[][] = [];
  for (let group = 0; group < groups; group++) {
    const members: DraftNode[] = [];
    for (let i = 0; i < size; i++) members.push(draft.node("switch", `switch${group}-${i}`, group, i));
    for (const [i, member] of members.entries()) addHosts(draft, member, `${group}-${i}`, group, spec);
    all.push(members);
  }
  for (const members of all)
    for (const [i, own] of members.entries()) for (const peer of members.slice(i + 1)) join(own, peer);
  const links = Math.floor((size * each) / (groups - 1));
  /** The switch of a group whose global port leads to the group that follows by `step`, for link `number` of the pair. */
  const switchOf = (group: number, step: number, number: number) =>
    all[group]![Math.floor((step - 1 + number * (groups - 1)) / each)]!;
  for (let group = 0; group < groups; group++)
    for (let other = group + 1; other < groups; other++)
      for (let number = 0; number < links; number++)
        join(switchOf(group, other - group, number), switchOf(other, groups - (other - group), number));
  missing.check(draft);
  return finish(spec.name ?? "dragonfly", draft, locate);
}

// DRing (Harsh, Abdu Jyothi and Godfrey, HotNets 2020): supernodes in a ring; all switches of a supernode are joined with all
// switches of the next supernode and of the next but one, and with none of their own. A supernode is a pod.

/** Fewer supernodes would be joined twice. */
const MIN_SUPERNODES = 5;

export function dring(spec: DRingSpec, locate: Locate): Topology {
  const { supernodes, switches_per_supernode: size } = spec;
  if (supernodes < MIN_SUPERNODES)
    fail(
      CODES.fewSupernodes,
      locate(["supernodes"]),
      `${supernodes} supernodes`,
      `a DRing needs at least ${MIN_SUPERNODES}, so that no two are joined twice`,
    );
  if (supernodes > MAX_PODS)
    fail(
      CODES.addressesExceeded,
      locate(["supernodes"]),
      `${supernodes} supernodes: the address plan has room for ${MAX_PODS}`,
    );
  positive(size, "switches_per_supernode", locate);
  if (size > MAX_RACKS_PER_POD)
    fail(
      CODES.addressesExceeded,
      locate(["switches_per_supernode"]),
      `${size} switches in a supernode: the address plan has room for ${MAX_RACKS_PER_POD}`,
    );
  checkHosts(spec.hosts_per_switch, "hosts_per_switch", locate);
  checkPorts("switch", spec.hosts_per_switch + 4 * size, "switches_per_supernode", locate);

  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  const groups: DraftNode[][] = [];
  for (let group = 0; group < supernodes; group++) {
    const members: DraftNode[] = [];
    for (let i = 0; i < size; i++) members.push(draft.node("switch", `switch${group}-${i}`, group, i));
    for (const [i, member] of members.entries()) addHosts(draft, member, `${group}-${i}`, group, spec);
    groups.push(members);
  }
  for (const [group, members] of groups.entries())
    for (const step of [1, 2])
      for (const own of members)
        for (const peer of groups[(group + step) % supernodes]!)
          if (!missing.takes(own, peer)) draft.link(own, peer, spec.fabric_link);
  missing.check(draft);
  return finish(spec.name ?? "dring", draft, locate);
}
