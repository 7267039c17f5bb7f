/** What an allocation takes: containers and bits by size. */
import type { PhvAllocation } from "./allocation.js";
import type { ContainerSize, PhvUse } from "./pack.js";

/** Use of the containers that tables can reach, or of those beside the pipeline. Bits that several fields share count once. */
export function allocatedUse(
  { containers }: PhvAllocation,
  tagalong: boolean,
): Readonly<Record<ContainerSize, PhvUse>> {
  const use = (size: ContainerSize): PhvUse => {
    const here = containers.filter((one) => one.size === size && (one.kind === "tagalong") === tagalong);
    const bits = (list: typeof here) =>
      list.reduce((sum, { slices }) => {
        const taken = new Set(
          slices.flatMap(({ at, width }) => Array.from({ length: width }, (_, i) => at + i)),
        );
        return sum + taken.size;
      }, 0);
    return {
      containers: here.length,
      bits: bits(here),
      bitsIngress: bits(here.filter(({ gress }) => gress === "ingress")),
      bitsEgress: bits(here.filter(({ gress }) => gress === "egress")),
    };
  };
  return { 8: use(8), 16: use(16), 32: use(32) };
}
