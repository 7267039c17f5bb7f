/**
 * A spineless mesh of server blocks (Gemini; ATC 2022, figure 3): the third stages of the blocks are linked with each other, of all
 * pairs of blocks, or of each block with the next two on both sides of a ring (DRing of blocks). Link k of a pair leads from switch k
 * of one block to switch k + k / n of the other, modulo the n switches of the third stage.
 */
import { fail, type Locate } from "../../base/index.js";
import { addBlock, checkBlocks } from "./blocks.js";
import { CODES } from "./codes.js";
import { Draft } from "./draft.js";
import { positive } from "./limits.js";
import { missingLinks } from "./missing-links.js";
import { finish } from "./racks.js";
import type { SpinelessSpec } from "./spec.js";
import type { Topology } from "./topology.js";

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
