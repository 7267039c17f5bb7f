/**
 * Checks the containers of a sum. The ALU adds whole containers: what stands above a narrower operand is added, too, a carry goes to the next
 * bits of the container, and none leaves it.
 */
import type { Access, Operation } from "../model/model.js";
import { type AllocatedContainer, containerName, type PlacedSlice } from "./allocation.js";

/** Bits of an access in one container: `bit` is the container bit of the lowest of them. */
export interface Placed {
  readonly container: AllocatedContainer;
  readonly slice: PlacedSlice;
  readonly lo: number;
  readonly width: number;
  readonly bit: number;
}

/** A sum, with the places of its result and of each operand. */
export interface PlacedSum {
  readonly op: Operation;
  readonly result: readonly Placed[];
  readonly operands: readonly { readonly access: Access; readonly places: readonly Placed[] }[];
  /** Values that are in the container of an operand, beside it, when the instruction runs. */
  readonly beside: (place: Placed) => readonly PlacedSlice[];
}

/** Bits of the widest container: a wider sum takes two, of which the first gives its carry to the second. */
const WIDEST = 32;

/** What breaks the rule, in words. */
export function sumViolations(sum: PlacedSum): string[] {
  const { op, result } = sum;
  const { field, width } = op.write;
  const wrong: string[] = [];
  if (result.length > 1 && width <= WIDEST)
    wrong.push(`the carry of ${field} does not pass from ${containerName(result[0]!.container)} to the next`);
  // Bits below two operands can give a carry to the result.
  const below = new Map<AllocatedContainer, string[]>();
  for (const { access, places } of sum.operands)
    for (const place of places) {
      const name = containerName(place.container);
      const own = places.filter(({ container }) => container === place.container);
      const top = Math.max(...own.map(({ bit, width: bits }) => bit + bits));
      const rest = op.saturates === true ? place.container.size : top + width - access.width;
      for (const { field: other, at, width: bits } of sum.beside(place))
        if (at < rest && at + bits > top && (op.saturates === true || access.width < width))
          wrong.push(`${other} stands above ${access.field} in ${name}, and is added to ${field}`);
        else if (at < place.bit) below.set(place.container, [...(below.get(place.container) ?? []), other]);
    }
  if (below.size > 1)
    wrong.push(
      `${[...below.values()].map(([other]) => other).join(" and ")} stand below operands of ${field}`,
    );
  return wrong;
}
