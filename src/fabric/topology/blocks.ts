/** Server blocks, of which Jupiter and spineless fabrics consist: three stages of switches, each linked with all of the next. */
import type { Locate } from "../../base/index.js";
import type { Draft, DraftNode, LinkShape } from "./draft.js";
import { checkHosts, checkPorts, MAX_PODS, MAX_RACKS_PER_POD, positive, tooMany } from "./limits.js";
import type { MissingLinks } from "./missing-links.js";

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
export function checkBlocks(
  spec: BlockSpec,
  blocks: number,
  key: string,
  uplinks: number,
  locate: Locate,
): void {
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
export function addBlock(
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
export function join(
  draft: Draft,
  lower: readonly DraftNode[],
  upper: readonly DraftNode[],
  { shape, missing, parallel = 1 }: { shape: LinkShape; missing: MissingLinks; parallel?: number },
): void {
  for (const a of lower)
    for (const b of upper)
      if (!missing.takes(a, b)) for (let i = 0; i < parallel; i++) draft.link(a, b, shape);
}
