/**
 * A Clos of blocks with five stages, after Jupiter (Singh et al., SIGCOMM 2015) as ATC 2022 draws it (figure
 * 1): server blocks of ToRs and two stages, and spine blocks of two stages. In each spine block some switches of the fourth stage
 * belong to each server block, and link to all of its third stage; so packets between server blocks pass the fifth stage.
 */
import type { Locate } from "../../base/index.js";
import { addBlock, checkBlocks, join } from "./blocks.js";
import { Draft } from "./draft.js";
import { checkPorts, positive } from "./limits.js";
import { missingLinks } from "./missing-links.js";
import { finish } from "./racks.js";
import type { JupiterSpec } from "./spec.js";
import type { Topology } from "./topology.js";

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
