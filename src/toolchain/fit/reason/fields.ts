/** The fields that together take more containers than the device has: which of them stand in which container is fit's own layout. */
import { defined } from "../../../base/index.js";
import { fieldLabel } from "../model/expressions.js";
import type { Problem } from "../place/placement.js";
import { smallest } from "./smallest.js";

/** Fields of one header in a set, with the bits of their containers. */
export interface FieldGroup {
  readonly text: string;
}

interface Host {
  readonly size: number;
  readonly tagalong: boolean;
  /** Fields any of which takes the place. */
  readonly fields: Map<string, number>;
}

/** Places of containers; those whose headers exclude each other share one. */
function hostsOf({ phv }: Problem): Host[] {
  const byId = new Map<number, Host>();
  for (const { id, size, tagalong, slices, overlays } of phv.containers) {
    const host = byId.get(overlays ?? id) ?? { size, tagalong, fields: new Map() };
    byId.set(overlays ?? id, host);
    const own = overlays === undefined;
    for (const { field, width } of slices)
      host.fields.set(field, (host.fields.get(field) ?? 0) + (own ? width : 0));
  }
  return [...byId.values()];
}

/** The sentence that says what is exceeded and a smallest set of fields that exceeds it; undefined where nothing is. */
export async function fieldsTooMany(
  problem: Problem,
): Promise<{ because: string; groups: FieldGroup[]; fields: number; isMinimal: boolean } | undefined> {
  const { target } = problem;
  if (!target.phv.packs_fields) return undefined;
  const sizes = [8, 16, 32] as const;
  const free = sizes.reduce((sum, size) => sum + target.phv.containers[size] * size, 0);
  const beside = sizes.reduce((sum, size) => sum + (target.phv.tagalong[size] ?? 0) * size, 0);
  const hosts = hostsOf(problem);
  const use = (fields: ReadonlySet<string>) => {
    let taken = 0;
    let apart = 0;
    for (const host of hosts) {
      const here = [...host.fields].filter(([field]) => fields.has(field));
      if (here.length === 0) continue;
      if (host.tagalong) apart += here.reduce((sum, [, bits]) => sum + bits, 0);
      else taken += host.size;
    }
    return { taken, apart };
  };
  const exceeds = (fields: readonly string[]) => {
    const { taken, apart } = use(new Set(fields));
    return taken > free || (beside > 0 && apart > beside + (free - taken));
  };
  const weights = new Map<string, number>();
  for (const host of hosts)
    for (const [field, bits] of host.fields) weights.set(field, (weights.get(field) ?? 0) + bits);
  const all = [...weights].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)).map(([field]) => field);
  if (!exceeds(all)) return undefined;
  const { members, isMinimal } = await smallest(all, (part) => (exceeds(part) ? "refused" : "placed"));
  const { taken, apart } = use(new Set(members));
  const because =
    taken > free
      ? `they take containers of ${taken} bits, and the device has ${free}`
      : `they take ${apart} bits besides the ${taken} bits of fields that tables use, and the device has ${beside} and ${free}`;
  return { because, groups: grouped(problem, members, weights), fields: members.length, isMinimal };
}

/** The fields by header, the largest first. */
function grouped(
  problem: Problem,
  fields: readonly string[],
  weights: ReadonlyMap<string, number>,
): FieldGroup[] {
  const byHeader = new Map<string, { names: string[]; bits: number }>();
  for (const field of fields) {
    const header = problem.model.fields.get(field)?.header ?? "";
    const entry = byHeader.get(header) ?? { names: [], bits: 0 };
    byHeader.set(header, entry);
    entry.names.push(field);
    entry.bits += defined(weights.get(field));
  }
  return [...byHeader]
    .sort((a, b) => b[1].bits - a[1].bits || (a[0] < b[0] ? -1 : 1))
    .map(([header, { names, bits }]) => {
      const [only, ...others] = names;
      const what =
        others.length === 0 ? `field ${fieldLabel(defined(only))}` : `${names.length} fields of ${header}`;
      return { text: `${what}, ${bits} bits` };
    });
}
