/** An allocation as the layout that resources are counted with. */
import type { Gress } from "../model/model.js";
import type { PhvAllocation } from "./allocation.js";
import type { Container, PhvLayout } from "./pack.js";

/**
 * The containers of the allocation; of a field that has none there, and of one that stands beside its bit of validity, which is no field of the
 * allocation, those of `packed`.
 */
export function allocatedLayout({ containers }: PhvAllocation, packed: PhvLayout): PhvLayout {
  const byField = new Map<string, Container[]>();
  const first = packed.containers.length;
  for (const [index, { gress, size, kind, slices: all }] of containers.entries()) {
    const slices = all.filter(({ isParked }) => isParked === undefined);
    for (const field of new Set(slices.map((slice) => slice.field))) {
      const key = `${gress} ${field}`;
      const list = byField.get(key) ?? [];
      byField.set(key, list);
      if (kind !== "tagalong")
        list.push({
          id: first + index,
          size,
          gress,
          tagalong: false,
          ...(kind === "mocha" ? { isMocha: true } : {}),
          slices,
          overlays: undefined,
        });
    }
  }
  const of = (gress: Gress, field: string) => {
    const own = packed.of(gress, field);
    return own.some((container) => isBesideValidity(container, field))
      ? own
      : (byField.get(`${gress} ${field}`) ?? own);
  };
  return {
    isAllocated: true,
    containers: packed.containers,
    of,
    touchedBy: (gress, { field, lo, width }) =>
      of(gress, field).filter(({ slices }) =>
        slices.some((slice) => slice.field === field && slice.lo < lo + width && lo < slice.lo + slice.width),
      ),
  };
}

/** The container has the field and the bit that says that it was written. */
function isBesideValidity({ slices }: Container, field: string): boolean {
  const own = slices.filter((slice) => slice.field === field);
  return own.length > 1 && own.some(({ role }) => role === "validity");
}
