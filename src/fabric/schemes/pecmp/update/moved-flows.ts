/**
 * Which flows an update moves to another path. The controller knows the routes of both versions. A host knows the destinations and
 * the selectors of its flows, but not the hash functions of switches. So the controller tells each host, for every
 * destination, the values of the selector's slices whose rows differ somewhere on the way; a flow with other values takes the same
 * path under both versions, whatever its hash is. Flows that do not move need not wait for their data in flight.
 *
 * The answer errs on one side: a flow that keeps its path may count as moved, because the switch whose row differs is not on
 * its own path. No flow that moves is left out.
 */
import { z } from "zod";
import type { FlowKey } from "../../../../base/packets/index.js";
import { nodeAt, type Topology } from "../../../topology/index.js";
import { HOPS, type Hop, readSlice, type SelectorLayout } from "../layout.js";
import { type SwitchChoice, SwitchChoices } from "../switch-choices.js";
import type { Target } from "./target.js";

/** Values of slices, by hop: a flow with one of them moves. `all`: flows with any selector do. */
const selectorsSchema = z.union([
  z.literal("all"),
  z.partialRecord(z.enum(HOPS), z.array(z.number().int().min(0))),
]);
type MovedSelectors = Readonly<Partial<Record<Hop, readonly number[]>>> | "all";

const decimal = z.string().regex(/^\d+$/);
const rackSchema = z.tuple([decimal, z.number().int(), decimal, z.number().int()]);

/** For the flows of one host. */
export const movedFlowsSchema = z.strictObject({
  /** To destinations in no rack of `to`. */
  others: selectorsSchema,
  to: z.array(
    z.strictObject({
      /** Address and length of the IPv4 prefix, then of the IPv6 prefix. */
      racks: z.array(rackSchema),
      selectors: selectorsSchema,
    }),
  ),
});
export type MovedFlows = z.output<typeof movedFlowsSchema>;

const NONE: MovedSelectors = {};

/** What differs between the choices of a switch, and the next hops of the rows that do not. */
interface Difference {
  readonly moved: MovedSelectors;
  readonly unmoved: readonly number[];
}

/** Compares two targets for the same selectors; see {@link MovedFlows}. */
export class TargetComparison {
  readonly #old: SwitchChoices;
  readonly #new: SwitchChoices;
  readonly #known = new Map<object, Map<object, Difference>>();
  /** Equal sets are one object, so that a union of the same two sets is computed once. */
  readonly #sets = new Map<string, MovedSelectors>([[JSON.stringify(NONE), NONE]]);
  readonly #unions = new Map<MovedSelectors, Map<MovedSelectors, MovedSelectors>>();
  /** By rack of the whole topology: by node, the selectors that differ on the way from this node. */
  readonly #byRack: ReadonlyMap<number, MovedSelectors>[];

  /** @param whole the topology with all its links, whose racks are in the answer */
  constructor(
    readonly whole: Topology,
    readonly layout: SelectorLayout,
    readonly before: Target,
    after: Target,
  ) {
    this.#old = new SwitchChoices(before.topology, before.switches);
    this.#new = new SwitchChoices(after.topology, after.switches);
    this.#byRack = whole.racks.map(({ hosts }) => {
      // A host that has lost a link is a rack of its own in the reduced topologies.
      const classes = new Map(
        hosts.map((host) => {
          const rackIn = (target: Target) => target.topology.nodes[host]!.host!.rack;
          return [`${rackIn(before)} ${rackIn(after)}`, host];
        }),
      );
      return this.#towards([...classes.values()]);
    });
  }

  /** For the flows that a host sends; `host` is its node index. */
  of(host: number): MovedFlows {
    const { topology } = this.before;
    const switches = nodeAt(topology, host).ports.flatMap(({ peer, link }) =>
      topology.down?.has(link) === true ? [] : [peer],
    );
    const racksOf = new Map<MovedSelectors, number[]>();
    for (const [rack, from] of this.#byRack.entries()) {
      const moved = switches.reduce((sum, node) => this.#union(sum, from.get(node) ?? NONE), NONE);
      const racks = racksOf.get(moved);
      if (racks === undefined) racksOf.set(moved, [rack]);
      else racks.push(rack);
    }
    const [first, ...rest] = [...racksOf].sort(([, a], [, b]) => b.length - a.length);
    return {
      others: mutable(first?.[0] ?? NONE),
      to: rest.map(([selectors, racks]) => ({
        racks: racks.map((rack) => {
          const { ipv4, ipv6 } = this.whole.racks[rack]!;
          return [String(ipv4.address), ipv4.length, String(ipv6.address), ipv6.length];
        }),
        selectors: mutable(selectors),
      })),
    };
  }

  /** By node: the selectors whose packets to one of these hosts may move on the way from this node. */
  #towards(hosts: readonly number[]): ReadonlyMap<number, MovedSelectors> {
    const sum = new Map<number, MovedSelectors>();
    for (const host of hosts) {
      const own = new Map<number, MovedSelectors>();
      for (const { index, role } of this.whole.nodes) {
        if (role === "host") continue;
        sum.set(index, this.#union(sum.get(index) ?? NONE, this.#from(index, host, own)));
      }
    }
    return sum;
  }

  /** A packet moves at the first switch that sends it elsewhere: until there it is on its old path. */
  #from(node: number, host: number, known: Map<number, MovedSelectors>): MovedSelectors {
    if (node === host) return NONE;
    const found = known.get(node);
    if (found !== undefined) return found;
    const { moved, unmoved } = this.#difference(this.#old.of(node, host), this.#new.of(node, host));
    let sum = moved;
    const { ports } = this.whole.nodes[node]!;
    for (const port of unmoved) sum = this.#union(sum, this.#from(ports[port - 1]!.peer, host, known));
    known.set(node, sum);
    return sum;
  }

  #difference(old: SwitchChoice, fresh: SwitchChoice): Difference {
    const [a, b] = [old.matrix ?? old.ports, fresh.matrix ?? fresh.ports];
    let own = this.#known.get(a);
    if (own === undefined) this.#known.set(a, (own = new Map()));
    let difference = own.get(b);
    if (difference === undefined) own.set(b, (difference = this.#compare(old, fresh)));
    return difference;
  }

  #compare(old: SwitchChoice, fresh: SwitchChoice): Difference {
    const hop = old.matrix?.hop ?? fresh.matrix?.hop;
    const isSame = (value: number) => samePorts(rowOf(old, value), rowOf(fresh, value));
    if (hop === undefined)
      return isSame(0) ? { moved: NONE, unmoved: old.ports } : { moved: "all", unmoved: [] };
    const values = Array.from({ length: 2 ** (this.layout.slices[hop]?.width ?? 0) }, (_, value) => value);
    const moved = values.filter((value) => !isSame(value));
    if (moved.length === values.length) return { moved: "all", unmoved: [] };
    const unmoved = new Set(values.filter(isSame).flatMap((value) => rowOf(old, value)));
    return { moved: moved.length === 0 ? NONE : this.#one({ [hop]: moved }), unmoved: [...unmoved] };
  }

  #union(a: MovedSelectors, b: MovedSelectors): MovedSelectors {
    if (a === b || b === NONE || a === "all") return a;
    if (a === NONE || b === "all") return b;
    let own = this.#unions.get(a);
    if (own === undefined) this.#unions.set(a, (own = new Map()));
    let sum = own.get(b);
    if (sum === undefined) {
      const values = (hop: Hop) => [...new Set([...(a[hop] ?? []), ...(b[hop] ?? [])])];
      const used = HOPS.filter((hop) => a[hop] !== undefined || b[hop] !== undefined);
      own.set(
        b,
        (sum = this.#one(Object.fromEntries(used.map((hop) => [hop, values(hop).sort(ascending)])))),
      );
    }
    return sum;
  }

  #one(set: Exclude<MovedSelectors, "all">): MovedSelectors {
    const key = JSON.stringify(set);
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    this.#sets.set(key, set);
    return set;
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** Ports by column of the row that a value of the slice picks. */
function rowOf({ ports, matrix }: SwitchChoice, value: number): readonly number[] {
  if (matrix === undefined) return ports;
  const { rows } = matrix;
  return Array.from(rows[value % rows.length]!, (hop) => ports[hop]!);
}

/** Whether every hash leads to the same port in both rows. */
function samePorts(a: readonly number[], b: readonly number[]): boolean {
  if (a.length === b.length) return a.every((port, column) => port === b[column]);
  // Rows of different lengths take the hash modulo their lengths.
  const ports = new Set([...a, ...b]);
  return ports.size === 1 && a.length > 0 && b.length > 0;
}

function mutable(moved: MovedSelectors): z.output<typeof selectorsSchema> {
  return moved === "all"
    ? moved
    : Object.fromEntries(Object.entries(moved).map(([hop, values]) => [hop, [...values]]));
}

/** The {@link MovedFlows} of a host, ready to be asked about single flows. */
export class MovedRoutes {
  readonly #others: MovedSelectors;
  readonly #racks: readonly {
    readonly ipv4: bigint;
    readonly shift4: bigint;
    readonly ipv6: bigint;
    readonly shift6: bigint;
    readonly selectors: MovedSelectors;
  }[];

  constructor({ others, to }: MovedFlows) {
    this.#others = others as MovedSelectors;
    this.#racks = to.flatMap(({ racks, selectors }) =>
      racks.map(([ipv4, length4, ipv6, length6]) => {
        const [shift4, shift6] = [BigInt(32 - length4), BigInt(128 - length6)];
        return {
          ipv4: BigInt(ipv4) >> shift4,
          shift4,
          ipv6: BigInt(ipv6) >> shift6,
          shift6,
          selectors: selectors as MovedSelectors,
        };
      }),
    );
  }

  /** Whether the update moves a flow with this selector; undefined: its packets have different selectors. */
  moves({ dst }: FlowKey, layout: SelectorLayout, selector: number | undefined): boolean {
    const rack = this.#racks.find(
      ({ ipv4, shift4, ipv6, shift6 }) => dst >> shift4 === ipv4 || dst >> shift6 === ipv6,
    );
    const moved = rack === undefined ? this.#others : rack.selectors;
    if (moved === "all") return true;
    const entries = Object.entries(moved) as [Hop, readonly number[]][];
    if (selector === undefined) return entries.length > 0;
    return entries.some(([hop, values]) => values.includes(readSlice(layout, hop, selector)));
  }
}
