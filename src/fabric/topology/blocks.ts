/** Server blocks, of which Jupiter and spineless fabrics consist: three stages of switches, each linked with all of the next. */
import { fail, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";
import { Draft, type DraftNode, type LinkShape } from "./draft.js";
import { addHosts } from "./flat.js";
import { checkHosts, checkPorts, MAX_PODS, MAX_RACKS_PER_POD, positive, tooMany } from "./limits.js";
import { type MissingLinks, missingLinks } from "./links-down.js";
import { finish } from "./racks.js";
import type { JupiterSpec, SpinelessSpec, StargateSpec } from "./spec.js";
import type { Topology } from "./topology.js";

/** Sizes of a server block: its three stages, from the ToRs up. */
interface BlockSpec {
  readonly tors_per_block: number;
  readonly stage2_per_block: number;
  readonly stage3_per_block: number;
  /** Parallel links between a ToR and a switch of the second stage. */
  readonly tor_links: number;
  readonly hosts_per_rack: number;
  readonly host_link: LinkShape;
  readonly fabric_link: LinkShape;
}

/** Fails with P42101, P42103 or P42104 for impossible blocks. `uplinks`: of a switch of the third stage. */
function checkBlocks(spec: BlockSpec, blocks: number, key: string, uplinks: number, locate: Locate): void {
  positive(blocks, key, locate);
  for (const own of ["tors_per_block", "stage2_per_block", "stage3_per_block", "tor_links"] as const)
    positive(spec[own], own, locate);
  if (blocks > MAX_PODS) tooMany(blocks, "server blocks", MAX_PODS, key, locate);
  if (spec.tors_per_block > MAX_RACKS_PER_POD)
    tooMany(spec.tors_per_block, "ToRs in a block", MAX_RACKS_PER_POD, "tors_per_block", locate);
  checkHosts(spec.hosts_per_rack, "hosts_per_rack", locate);
  checkPorts("ToR", spec.hosts_per_rack + spec.tor_links * spec.stage2_per_block, "stage2_per_block", locate);
  checkPorts(
    "switch of the second stage",
    spec.tor_links * spec.tors_per_block + spec.stage3_per_block,
    "tors_per_block",
    locate,
  );
  checkPorts("switch of the third stage", spec.stage2_per_block + uplinks, "stage2_per_block", locate);
}

/** Adds the hosts and switches of block `block` and the links inside it; returns the switches of the third stage. */
function addBlock(
  draft: Draft,
  block: number,
  spec: BlockSpec,
  top: "leaf" | "spine",
  missing: MissingLinks,
): DraftNode[] {
  const stage = (role: "tor" | "leaf" | "spine", name: string, size: number, tier: number) =>
    Array.from({ length: size }, (_, i) => draft.node(role, `${name}${block}-${i}`, block, i, tier));
  const tors = stage("tor", "tor", spec.tors_per_block, 1);
  const second = stage("leaf", "s2b", spec.stage2_per_block, 2);
  const third = stage(top, "s3b", spec.stage3_per_block, 3);
  for (const [rack, tor] of tors.entries())
    for (let i = 0; i < spec.hosts_per_rack; i++) {
      const host = draft.node("host", `host${block}-${rack}-${i}`, block, rack * spec.hosts_per_rack + i);
      draft.link(host, tor, spec.host_link);
    }
  join(draft, tors, second, { shape: spec.fabric_link, missing, parallel: spec.tor_links });
  join(draft, second, third, { shape: spec.fabric_link, missing });
  return third;
}

/** Links each of the lower switches with each of the upper ones. */
function join(
  draft: Draft,
  lower: readonly DraftNode[],
  upper: readonly DraftNode[],
  { shape, missing, parallel = 1 }: { shape: LinkShape; missing: MissingLinks; parallel?: number },
): void {
  for (const a of lower)
    for (const b of upper)
      if (!missing.takes(a, b)) for (let i = 0; i < parallel; i++) draft.link(a, b, shape);
}

// A Clos of blocks with five stages, after Jupiter (Singh et al., SIGCOMM 2015) as ATC 2022 draws it (figure
// 1): server blocks of ToRs and two stages, and spine blocks of two stages. In each spine block some switches of the fourth stage
// belong to each server block, and link to all of its third stage; so packets between server blocks pass the fifth stage.

export function jupiter(spec: JupiterSpec, locate: Locate): Topology {
  const { server_blocks, spine_blocks, stage4_per_server_block: own, stage5_per_spine_block: top } = spec;
  for (const key of ["spine_blocks", "stage4_per_server_block", "stage5_per_spine_block"] as const)
    positive(spec[key], key, locate);
  checkBlocks(spec, server_blocks, "server_blocks", spine_blocks * own, locate);
  checkPorts("switch of the fourth stage", spec.stage3_per_block + top, "stage5_per_spine_block", locate);
  checkPorts("switch of the fifth stage", server_blocks * own, "stage4_per_server_block", locate);

  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  const thirds = Array.from({ length: server_blocks }, (_, block) =>
    addBlock(draft, block, spec, "leaf", missing),
  );
  for (let spine = 0; spine < spine_blocks; spine++) {
    const fourths = thirds.map((_, block) =>
      Array.from({ length: own }, (_, i) =>
        draft.node("spine", `s4p${spine}-${block}-${i}`, undefined, i, 4),
      ),
    );
    const fifths = Array.from({ length: top }, (_, i) =>
      draft.node("spine", `s5p${spine}-${i}`, undefined, i, 5),
    );
    for (const [block, fourth] of fourths.entries()) {
      join(draft, thirds[block]!, fourth, { shape: spec.fabric_link, missing });
      join(draft, fourth, fifths, { shape: spec.fabric_link, missing });
    }
  }
  missing.check(draft);
  return finish(spec.name ?? "jupiter", draft, locate);
}

// A spineless mesh of server blocks (Gemini; ATC 2022, figure 3): the third stages of the blocks are linked with each other, of all
// pairs of blocks, or of each block with the next two on both sides of a ring (DRing of blocks). Link k of a pair leads from switch k
// of one block to switch k + k / n of the other, modulo the n switches of the third stage.

/** In a smaller ring two blocks would be joined twice. */
const MIN_RING = 5;

export function spineless(spec: SpinelessSpec, locate: Locate): Topology {
  const { blocks, links_per_pair: links, stage3_per_block: size } = spec;
  positive(links, "links_per_pair", locate);
  if (spec.wiring === "ring" && blocks < MIN_RING)
    fail(
      CODES.fewSupernodes,
      locate(["blocks"]),
      `the ring has ${blocks} blocks`,
      `a ring needs at least ${MIN_RING}, so that no two blocks are joined twice; or write wiring: full`,
    );
  const neighbours = spec.wiring === "ring" ? 4 : blocks - 1;
  checkBlocks(spec, blocks, "blocks", neighbours * Math.ceil(links / size), locate);

  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  const tops = Array.from({ length: blocks }, (_, block) => addBlock(draft, block, spec, "spine", missing));
  // One link of each pair, then the next: the ports of a switch go round the blocks.
  for (let k = 0; k < links; k++)
    for (let a = 0; a < blocks; a++)
      for (let b = a + 1; b < blocks; b++) {
        if (spec.wiring === "ring" && Math.min(b - a, a + blocks - b) > 2) continue;
        const one = tops[a]![k % size]!;
        const other = tops[b]![(k + Math.floor(k / size)) % size]!;
        if (!missing.takes(one, other)) draft.link(one, other, spec.block_link);
      }
  missing.check(draft);
  return finish(spec.name ?? "spineless", draft, locate);
}

// A site of B4 (Hong et al., SIGCOMM 2018, "Stargate"; ATC 2022, figure 2): supernodes of two stages. The lower stage of a supernode
// has links to hosts (clusters and other sites), and links to the lower stages of the other supernodes of the site; link k of a
// pair of supernodes leads from edge k of one to edge k of the other, modulo the number of edges.

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
