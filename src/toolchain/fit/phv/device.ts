/** The containers of a device while they are filled. */
import type { Gress } from "../model/model.js";
import type { Target } from "../target.js";
import type { PlacedSlice } from "./allocation.js";
import type { ContainerSize } from "./pack.js";
import type { Piece } from "./piece.js";
import type { ContainerKind } from "./requests.js";

/** Containers that are of one gress together. */
interface Block {
  gress: Gress | undefined;
  /** The chip gives it to a gress, not the allocation. */
  readonly isFixed: boolean;
}

export interface Slot {
  readonly kind: ContainerKind;
  readonly size: ContainerSize;
  readonly group: number;
  readonly index: number;
  readonly block: Block;
  guests: readonly Guest[];
}

interface Guest {
  readonly piece: Piece;
  readonly slices: readonly PlacedSlice[];
}

const SIZES = [8, 16, 32] as const;
export type Arrangement = NonNullable<Target["phv"]["arrangement"]>;

/** All containers of a device, empty: by size those of each group, and those of each collection. */
export function slotsOf(arrangement: Arrangement): {
  groups: ReadonlyMap<ContainerSize, readonly Slot[][]>;
  collections: readonly Slot[][];
} {
  const groups = new Map<ContainerSize, Slot[][]>();
  for (const size of SIZES) {
    const list = Array.from({ length: arrangement.groups[size] }, (): Slot[] => []);
    for (const kind of ["normal", "mocha", "dark"] as const) fillGroups(arrangement, kind, size, list);
    groups.set(size, list);
  }
  const collections = Array.from({ length: arrangement.collections ?? 0 }, (_, group) => {
    const block: Block = { gress: undefined, isFixed: false };
    return SIZES.flatMap((size) =>
      Array.from({ length: arrangement.collection[size] }, (_, i) => {
        const index = group * arrangement.collection[size] + i;
        return { kind: "tagalong" as const, size, group, index, block, guests: [] };
      }),
    );
  });
  return { groups, collections };
}

function fillGroups(
  arrangement: Arrangement,
  kind: "normal" | "mocha" | "dark",
  size: ContainerSize,
  list: Slot[][],
): void {
  const inGroup = arrangement[kind][size];
  const total = inGroup * list.length;
  // A dark container is unknown to the deparser.
  const blockSize = kind === "dark" ? 0 : arrangement.gress_block[size];
  let block: Block = { gress: undefined, isFixed: false };
  for (let index = 0; index < total; index++) {
    const group = Math.floor(index / inGroup);
    const alone = arrangement.last_block_alone && index >= total - blockSize;
    if (blockSize === 0 || alone || index % blockSize === 0) {
      const fixed = arrangement.first_groups_fixed ? (["ingress", "egress"] as const)[group] : undefined;
      block = { gress: fixed, isFixed: fixed !== undefined };
    }
    list[group]!.push({ kind, size, group, index, block, guests: [] });
  }
}
