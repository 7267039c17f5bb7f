/**
 * A switch reduced to what a plan writes into it: routes, s mod M, groups. Members are in a group in the
 * order in which they were made, as in BMv2. The hash is handed in, so that a test can try every column.
 */

import type { SwitchPlan } from "../../../src/fabric/schemes/index.js";
import type { ActionCall, Match, Update } from "../../../src/toolchain/device/index.js";

export type Step = { port: number } | { drop: string };

interface Stored {
  match: readonly Match[];
  action: ActionCall | { group: number };
}

type Family = "ipv4" | "ipv6";

export class ModelSwitch {
  readonly #tables = new Map<string, Stored[]>();
  /** Entries by table and match. */
  readonly #byMatch = new Map<string, Stored>();
  /** Results of earlier lookups of routes, by version: a plan is written once. */
  readonly #routes = {
    ipv4: [new Map<bigint, Stored | undefined>(), new Map<bigint, Stored | undefined>()],
    ipv6: [new Map<bigint, Stored | undefined>(), new Map<bigint, Stored | undefined>()],
  };
  readonly #members = new Map<number, { handle: number; port: number }>();
  readonly #groups = new Map<number, number[]>();
  /** By direction, from the default entry of `hash_seed`. */
  readonly seeds: Readonly<Record<string, number>> = {};

  constructor(plan: SwitchPlan) {
    for (const update of plan.updates) this.#apply(update);
  }

  #apply({ type, entity }: Update): void {
    switch (entity.kind) {
      case "member":
        if (this.#members.has(entity.memberId)) throw new Error(`member ${entity.memberId} twice`);
        this.#members.set(entity.memberId, {
          handle: this.#members.size,
          port: Number(entity.action.params["port"]),
        });
        return;
      case "group": {
        if (this.#groups.has(entity.groupId)) throw new Error(`group ${entity.groupId} twice`);
        const members = entity.members.map(({ memberId }) => this.#members.get(memberId)!);
        if (entity.maxSize < members.length) throw new Error("group larger than its maximum");
        const ordered = [...members].sort((a, b) => a.handle - b.handle);
        this.#groups.set(
          entity.groupId,
          ordered.map((member) => member.port),
        );
        return;
      }
      case "tableEntry": {
        if (entity.isDefault === true && type === "modify" && entity.action?.kind === "action") {
          const seeds = Object.entries(entity.action.params).map(([name, seed]) => [name, Number(seed)]);
          Object.assign(this.seeds, Object.fromEntries(seeds));
          return;
        }
        const entries = this.#tables.get(entity.table) ?? [];
        this.#tables.set(entity.table, entries);
        const { action, match, table } = entity;
        const key = `${table} ${match.map(keyOf).join()}`;
        if (this.#byMatch.has(key)) throw new Error("entry twice");
        if (action === undefined) return;
        if (action.kind === "group" && !this.#groups.has(action.groupId))
          throw new Error("entry names no group");
        if (action.kind !== "group" && action.kind !== "action")
          throw new Error(`a plan writes no ${action.kind}`);
        const entry = { match, action: action.kind === "group" ? { group: action.groupId } : action };
        entries.push(entry);
        this.#byMatch.set(key, entry);
        return;
      }
      case "multicastGroup":
        // Probes of a data plane of its own go there, no packets of hosts.
        return;
      default:
        throw new Error(`a plan writes no ${entity.kind}`);
    }
  }

  /** Entries of a table, by its short name. */
  entries(table: string): readonly Stored[] {
    return this.#tables.get(`FabricIngress.${table}`) ?? [];
  }

  #exact(table: string, ...values: number[]): Stored | undefined {
    const match = values.map((value) => `=${value}`);
    return this.#byMatch.get(`FabricIngress.${table} ${match.join()}`);
  }

  /**
   * The port for a destination; `slices` are what the program reads of the selector on each way, `version` is the version bit of
   * programs that have one.
   */
  forward(
    family: Family,
    address: bigint,
    slices: { up: number; down: number },
    hash: { up: number; down: number },
    version: 0 | 1 = 0,
  ): Step {
    const routes = this.#routes[family][version]!;
    if (!routes.has(address)) routes.set(address, this.#longest(family, address, version));
    const route = routes.get(address);
    if (route === undefined || "group" in route.action) return { drop: "no route" };
    const { action, params } = route.action;
    switch (action) {
      case "FabricIngress.to_port":
        return { port: Number(params["port"]) };
      case "FabricIngress.to_rack":
        return { port: Number(params["first_port"]) };
      case "FabricIngress.to_uplinks":
      case "FabricIngress.to_downlinks": {
        const way = action.endsWith("uplinks") ? "up" : "down";
        if (this.entries(`${way}_buckets`).length > 0)
          return this.#bucket(`${way}_buckets`, Number(params["next_hops"]), hash[way]);
        if ("next_hops" in params)
          return this.#pick(this.#exact(`${way}_groups`, Number(params["next_hops"])), hash[way]);
        const rowEntry = this.#exact("row_of_selector", Number(params["rows"]), slices[way]);
        const row =
          rowEntry !== undefined && "params" in rowEntry.action ? rowEntry.action.params["row"] : 0n;
        const entry = this.#exact(`${way}_matrix`, Number(params["matrix"]), Number(row));
        return this.#pick(entry, hash[way]);
      }
      default:
        return { drop: action };
    }
  }

  /** The bucket is the hash modulo the number of buckets; its group has one next hop. */
  #bucket(table: string, nextHops: number, hash: number): Step {
    const own = this.entries(table).filter(
      ({ match: [group] }) => group!.kind === "exact" && group!.value === BigInt(nextHops),
    );
    return this.#pick(this.#exact(table, nextHops, hash % own.length), 0);
  }

  /** As {@link forward}, where the ingress port decides function and seed; `hash` computes a function. */
  forwardByPort(
    family: "ipv4" | "ipv6",
    address: bigint,
    port: number,
    hash: (number: number, seed: number) => number,
  ): Step {
    const route = this.#longest(family, address);
    if (route === undefined || "group" in route.action) return { drop: "no route" };
    const { action, params } = route.action;
    if (action === "FabricIngress.to_port") return { port: Number(params["port"]) };
    if (action !== "FabricIngress.to_group") return { drop: action };
    const own = this.#exact("hash_seed", port)!.action as ActionCall;
    const value = hash(Number(own.params["function"]), Number(own.params["seed"]));
    return this.#pick(this.#exact("groups", Number(params["next_hops"])), value);
  }

  #pick(entry: Stored | undefined, hash: number): Step {
    if (entry === undefined || !("group" in entry.action)) return { drop: "no next hop" };
    const ports = this.#groups.get(entry.action.group)!;
    return { port: ports[hash % ports.length]! };
  }

  #longest(family: Family, address: bigint, version: 0 | 1 = 0): Stored | undefined {
    const bits = family === "ipv4" ? 32 : 128;
    let best: Stored | undefined;
    let length = -1;
    for (const entry of this.entries(`${family}_routes`)) {
      const key = entry.match.find(({ field }) => field === "meta.version");
      if (key?.kind === "exact" && key.value !== BigInt(version)) continue;
      const part = entry.match.find(({ kind }) => kind === "lpm");
      if (part !== undefined && part.kind !== "lpm") throw new Error("route without a prefix");
      const shift = BigInt(bits - (part?.prefixLength ?? 0));
      if (part !== undefined && address >> shift !== part.value >> shift) continue;
      if ((part?.prefixLength ?? 0) > length) {
        best = entry;
        length = part?.prefixLength ?? 0;
      }
    }
    return best;
  }
}

function keyOf(part: Match): string {
  if (part.kind === "exact") return `=${part.value}`;
  return JSON.stringify(part, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}
