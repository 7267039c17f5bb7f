/**
 * DRing (Harsh, Abdu Jyothi and Godfrey, HotNets 2020): supernodes in a ring; all switches of a supernode are joined with all
 * switches of the next supernode and of the next but one, and with none of their own. A supernode is a pod.
 */
import { fail, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";
import { Draft, type DraftNode } from "./draft.js";
import { addHosts } from "./flat.js";
import { checkHosts, checkPorts, MAX_PODS, MAX_RACKS_PER_POD, positive } from "./limits.js";
import { missingLinks } from "./missing-links.js";
import { finish } from "./racks.js";
import type { DRingSpec } from "./spec.js";
import type { Topology } from "./topology.js";

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
