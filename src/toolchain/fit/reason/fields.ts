/** The fields that together take more containers than the device has: which of them stand in which container is fit's own layout. */
import { defined } from "../../../base/index.js";
import { fieldLabel } from "../model/expressions.js";
import type { Problem } from "../place/placement.js";

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

/** What a set of fields takes, as fields leave it and come back. */
class Use {
  taken = 0;
  apart = 0;
  readonly #byField = new Map<string, { host: Host; bits: number }[]>();
  /** By host: how many of its fields are in the set. */
  readonly #present = new Map<Host, number>();

  constructor(hosts: readonly Host[]) {
    for (const host of hosts)
      for (const [field, bits] of host.fields) {
        const list = this.#byField.get(field) ?? [];
        this.#byField.set(field, list);
        list.push({ host, bits });
      }
    for (const field of this.#byField.keys()) this.#change(field, 1);
  }

  /** Bits of each field, over its containers. */
  weights(): Map<string, number> {
    return new Map(
      [...this.#byField].map(([field, list]) => [field, list.reduce((sum, { bits }) => sum + bits, 0)]),
    );
  }

  drop(field: string): void {
    this.#change(field, -1);
  }

  putBack(field: string): void {
    this.#change(field, 1);
  }

  #change(field: string, by: 1 | -1): void {
    for (const { host, bits } of defined(this.#byField.get(field))) {
      const before = this.#present.get(host) ?? 0;
      this.#present.set(host, before + by);
      if (host.tagalong) this.apart += by * bits;
      else if (before === 0) this.taken += host.size;
      else if (before + by === 0) this.taken -= host.size;
    }
  }
}

/**
 * The sentence that says what is exceeded and a smallest set of fields that exceeds it; undefined where nothing is. Fewer fields never take
 * more, so one pass over them is enough, the ones with the fewest bits first.
 */
export function fieldsTooMany(
  problem: Problem,
): { because: string; groups: FieldGroup[]; fields: number } | undefined {
  const { target } = problem;
  if (!target.phv.packs_fields) return undefined;
  const sizes = [8, 16, 32] as const;
  const free = sizes.reduce((sum, size) => sum + target.phv.containers[size] * size, 0);
  const beside = sizes.reduce((sum, size) => sum + (target.phv.tagalong[size] ?? 0) * size, 0);
  const use = new Use(hostsOf(problem));
  const exceeds = () => use.taken > free || (beside > 0 && use.apart > beside + (free - use.taken));
  if (!exceeds()) return undefined;
  const weights = use.weights();
  const inOrder = [...weights].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1));
  const members = inOrder
    .map(([field]) => field)
    .filter((field) => {
      use.drop(field);
      if (exceeds()) return false;
      use.putBack(field);
      return true;
    });
  const because =
    use.taken > free
      ? `they take containers of ${use.taken} bits, and the device has ${free}`
      : `they take ${use.apart} bits besides the ${use.taken} bits of fields that tables use, and the device has ${beside} and ${free}`;
  return { because, groups: grouped(problem, members, weights), fields: members.length };
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
