/** Calls in deparsers. */
import { callsIn } from "./calls.js";
import type { Lowering } from "./lowering.js";

/** Calls of deparsers depend on the metadata of their own gress, so they are lowered first. */
export function splitDeparser(lowering: Lowering): void {
  for (const [pipe, { blocks }] of lowering.program.pipes.entries())
    for (const block of blocks) {
      if (block.kind !== "deparser") continue;
      lowering.gress = { pipe, name: block.role === "ingressDeparser" ? "ingress" : "egress" };
      block.body.body = callsIn(lowering, block.body.body);
    }
  lowering.gress = undefined;
}
