/**
 * A site of B4 (Hong et al., SIGCOMM 2018, "Stargate"; ATC 2022, figure 2): supernodes of two stages. The lower stage of a supernode
 * has links to hosts (clusters and other sites), and links to the lower stages of the other supernodes of the site; link k of a
 * pair of supernodes leads from edge k of one to edge k of the other, modulo the number of edges.
 */
import type { Locate } from "../../base/index.js";
import { join } from "./blocks.js";
import { Draft, type DraftNode } from "./draft.js";
import { addHosts } from "./flat.js";
import { checkHosts, checkPorts, MAX_PODS, MAX_RACKS_PER_POD, positive, tooMany } from "./limits.js";
import { missingLinks } from "./missing-links.js";
import { finish } from "./racks.js";
import type { StargateSpec } from "./spec.js";
import type { Topology } from "./topology.js";

export function stargate(spec: StargateSpec, locate: Locate): Topology {
  const { supernodes, edges_per_supernode: edges, cores_per_supernode: cores, links_per_pair: links } = spec;
  for (const key of ["supernodes", "edges_per_supernode", "cores_per_supernode", "links_per_pair"] as const)
    positive(spec[key], key, locate);
  if (supernodes > MAX_PODS) tooMany(supernodes, "supernodes", MAX_PODS, "supernodes", locate);
  if (edges > MAX_RACKS_PER_POD)
    tooMany(edges, "edges in a supernode", MAX_RACKS_PER_POD, "edges_per_supernode", locate);
  checkHosts(spec.hosts_per_edge, "hosts_per_edge", locate);
  const sideways = (supernodes - 1) * Math.ceil(links / edges);
  checkPorts("edge", spec.hosts_per_edge + cores + sideways, "links_per_pair", locate);
  checkPorts("core", edges, "edges_per_supernode", locate);

  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  const lower: DraftNode[][] = [];
  for (let own = 0; own < supernodes; own++) {
    const stage = Array.from({ length: edges }, (_, i) => draft.node("leaf", `edge${own}-${i}`, own, i));
    const upper = Array.from({ length: cores }, (_, i) => draft.node("spine", `core${own}-${i}`, own, i));
    const hosts = { hosts_per_switch: spec.hosts_per_edge, host_link: spec.host_link };
    for (const [i, edge] of stage.entries()) addHosts(draft, edge, `${own}-${i}`, own, hosts);
    join(draft, stage, upper, { shape: spec.fabric_link, missing });
    lower.push(stage);
  }
  for (let a = 0; a < supernodes; a++)
    for (let b = a + 1; b < supernodes; b++)
      for (let k = 0; k < links; k++) {
        const [one, other] = [lower[a]![k % edges]!, lower[b]![k % edges]!];
        if (!missing.takes(one, other)) draft.link(one, other, spec.fabric_link);
      }
  missing.check(draft);
  return finish(spec.name ?? "stargate", draft, locate);
}
