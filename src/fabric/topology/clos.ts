/** Networks with tiers: Clos fabrics with three tiers, fat trees, and leaf-spine networks with two. */
import { fail, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";
import { Draft, type DraftNode } from "./draft.js";
import { checkHosts, checkPorts, MAX_PODS, MAX_RACKS_PER_POD, positive } from "./limits.js";
import { type MissingLinks, missingLinks } from "./links-down.js";
import { finish } from "./racks.js";
import type { ClosSpec, FatTreeSpec, LeafSpineSpec } from "./spec.js";
import type { Topology } from "./topology.js";

export function clos(spec: ClosSpec, locate: Locate): Topology {
  positive(spec.pods, "pods", locate);
  positive(spec.tors_per_pod, "tors_per_pod", locate);
  positive(spec.leaves_per_pod, "leaves_per_pod", locate);
  positive(spec.spines_per_plane, "spines_per_plane", locate);
  if (spec.pods > MAX_PODS) {
    fail(
      CODES.addressesExceeded,
      locate(["pods"]),
      `${spec.pods} pods: the address plan has room for ${MAX_PODS}`,
    );
  }
  const pods = checkPods(spec, spec.tors_per_pod, "tors_per_pod", locate);
  const mesh = spec.wiring === "mesh";
  const planes = mesh ? 1 : spec.leaves_per_pod;
  checkPorts("leaf", spec.tors_per_pod + spec.spines_per_plane, "spines_per_plane", locate);
  checkPorts("ToR", pods.hostsPerTor + spec.leaves_per_pod, "leaves_per_pod", locate);
  checkPorts("spine", spec.pods * (mesh ? spec.leaves_per_pod : 1), "pods", locate);

  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  const allLeaves: DraftNode[][] = [];
  for (let pod = 0; pod < spec.pods; pod++) {
    const size = { tors: spec.tors_per_pod, leaves: spec.leaves_per_pod };
    allLeaves.push(addPod(draft, pod, size, spec, missing));
  }
  for (let plane = 0; plane < planes; plane++) {
    for (let i = 0; i < spec.spines_per_plane; i++) {
      const name = mesh ? `spine${i}` : `spine${plane}-${i}`;
      draft.node("spine", name, undefined, plane * spec.spines_per_plane + i);
    }
  }
  const spines = draft.nodes.filter((node) => node.role === "spine");
  for (const leaves of allLeaves) {
    for (const [k, leaf] of leaves.entries()) {
      const first = mesh ? 0 : k * spec.spines_per_plane;
      for (const spine of spines.slice(first, first + spec.spines_per_plane)) {
        if (!missing.takes(leaf, spine)) draft.link(leaf, spine, spec.fabric_link);
      }
    }
  }
  missing.check(draft);
  return finish(spec.name ?? "clos", draft, locate);
}

/**
 * A fat tree of switches with k ports (Al-Fares et al., SIGCOMM 2008): k pods of k/2 ToRs and k/2 leaves, (k/2)^2 spines, and
 * k/2 hosts a ToR unless the description says otherwise.
 */
export function fatTree(spec: FatTreeSpec, locate: Locate): Topology {
  const { k, name = "fat_tree", hosts_per_rack = k / 2, ...rest } = spec;
  if (k < 2 || k % 2 !== 0)
    fail(CODES.oddPorts, locate(["k"]), `k is ${k}`, "a fat tree needs an even number of ports, at least 2");
  const half = k / 2;
  return clos(
    {
      ...rest,
      kind: "clos",
      name,
      homing: "single",
      wiring: "planes",
      pods: k,
      tors_per_pod: half,
      leaves_per_pod: half,
      spines_per_plane: half,
      hosts_per_rack,
    },
    (path) => locate(path[0] === "hosts_per_rack" || path[0] === "missing_links" ? path : ["k"]),
  );
}

export function leafSpine(spec: LeafSpineSpec, locate: Locate): Topology {
  positive(spec.tors, "tors", locate);
  positive(spec.leaves, "leaves", locate);
  const pods = checkPods(spec, spec.tors, "tors", locate);
  checkPorts("leaf", spec.tors, "tors", locate);
  checkPorts("ToR", pods.hostsPerTor + spec.leaves, "leaves", locate);
  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  addPod(draft, 0, spec, spec, missing);
  missing.check(draft);
  return finish(spec.name ?? "leaf_spine", draft, locate);
}

/** Adds the ToRs, leaves and hosts of one pod and the links between them; returns the leaves. */
function addPod(
  draft: Draft,
  pod: number,
  size: { tors: number; leaves: number },
  spec: ClosSpec | LeafSpineSpec,
  missing: MissingLinks,
): DraftNode[] {
  const torsPerRack = spec.homing === "dual" ? 2 : 1;
  const tors: DraftNode[] = [];
  for (let i = 0; i < size.tors; i++) tors.push(draft.node("tor", `tor${pod}-${i}`, pod, i));
  const leaves: DraftNode[] = [];
  for (let i = 0; i < size.leaves; i++) leaves.push(draft.node("leaf", `leaf${pod}-${i}`, pod, i));
  for (let rack = 0; rack < size.tors / torsPerRack; rack++) {
    for (let i = 0; i < spec.hosts_per_rack; i++) {
      const host = draft.node("host", `host${pod}-${rack}-${i}`, pod, rack * spec.hosts_per_rack + i);
      for (let nic = 0; nic < torsPerRack; nic++) {
        draft.link(host, tors[rack * torsPerRack + nic]!, spec.host_link);
      }
    }
  }
  for (const tor of tors) {
    for (const leaf of leaves) {
      if (!missing.takes(tor, leaf)) draft.link(tor, leaf, spec.fabric_link);
    }
  }
  return leaves;
}

function checkPods(spec: ClosSpec | LeafSpineSpec, tors: number, torsKey: string, locate: Locate) {
  checkHosts(spec.hosts_per_rack, "hosts_per_rack", locate);
  const dual = spec.homing === "dual";
  if (dual && tors % 2 !== 0) {
    fail(
      CODES.oddToRs,
      locate([torsKey]),
      `${torsKey} is ${tors}, but dual-homed hosts need pairs of ToRs`,
      `write ${tors + 1}, or homing: single`,
    );
  }
  const racks = dual ? tors / 2 : tors;
  if (racks > MAX_RACKS_PER_POD) {
    fail(
      CODES.addressesExceeded,
      locate([torsKey]),
      `${racks} racks in a pod: the address plan has room for ${MAX_RACKS_PER_POD}`,
    );
  }
  return { hostsPerTor: spec.hosts_per_rack };
}
