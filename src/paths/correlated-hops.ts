/**
 * Checks an assignment of hash functions: does a choice on a path determine a later one (polarisation; ATC
 * 2022, sections 2 and 3)? The colours of the reused functions are followed from the source along all paths to the destination. A
 * function may be reused where the colours are mixed evenly again: every switch of some stage in between receives the same share of
 * every colour (colour recombining, section 3). Then each port of the later group gets its fair share. This is tested exactly.
 */
import type { Topology } from "../topology/index.js";
import { type Colours, coloursOf, type HashUse, useOf } from "./analysis-domain.js";
import type { PathModel, PortChoice, SwitchModel } from "./model.js";
import { HashOfFlow, rawFlow } from "./raw-flow.js";

/** Two choices on a path of which the first determines the second, at least in part. */
export interface CorrelatedHops {
  /** Names of the switches from the source to the second choice. */
  readonly path: readonly string[];
  /** Switches of both choices, and the sizes of their groups. */
  readonly first: { readonly node: number; readonly slots: number };
  readonly second: { readonly node: number; readonly slots: number };
  /** Name of the function that both use. */
  readonly hash: string;
  /** Share of the flows at the second choice that would have to move to another port to give all ports their fair shares. */
  readonly polarisedShare: number;
  /** Racks between which this happens. */
  readonly from: number;
  readonly to: number;
}

/** A pair of choices on one path that use the same function, where the analysis found no polarisation. */
export interface ProvenReuse {
  readonly hash: string;
  readonly first: string;
  readonly second: string;
}

export interface PathCheck {
  /** The worst pair of choices for each pair of switches, the worst first. */
  readonly correlated: readonly CorrelatedHops[];
  /** Stages that reuse a function without polarisation, each pair of stages once. */
  readonly reuses: readonly ProvenReuse[];
  /** Number of pairs of racks that were followed. */
  readonly pairs: number;
}

export interface CheckOptions {
  /** Pairs of racks to follow. */
  readonly pairs: Iterable<readonly [from: number, to: number]>;
  /** Name of the place of a choice for people, for {@link ProvenReuse}: for example `stage 2 down`. */
  readonly placeOf?: (node: number, kind: number) => string;
  /** Polarised shares up to this value are ignored as rounding errors; default: 0.5 %. */
  readonly tolerance?: number;
}

const TOLERANCE = 0.005;

/** A switch, and the class of the incoming packets, which determines the choice. */
interface State {
  readonly own: SwitchModel;
  readonly kind: number;
  readonly choice: PortChoice;
  readonly use: HashUse | undefined;
  /** By distinct port of the choice: the next state; undefined at the destination. */
  readonly ports: readonly number[];
  readonly next: readonly (State | undefined)[];
  readonly before: State[];
}

export function checkPaths(topology: Topology, model: PathModel, options: CheckOptions): PathCheck {
  return new PathChecker(topology, model, options).check();
}

/** Checks a model several times, with other functions in place of its own. */
export class PathChecker {
  readonly #byNode: (SwitchModel | undefined)[];
  readonly #seedBits = new Map<string, number>();
  readonly #pairs: readonly {
    readonly from: number;
    readonly to: number;
    readonly states: readonly State[];
  }[];
  #worst = new Map<string, CorrelatedHops>();
  #reused = new Map<string, ProvenReuse>();
  #correlatedPlaces = new Set<string>();
  #functions: readonly number[] = [];

  constructor(
    readonly topology: Topology,
    readonly model: PathModel,
    readonly options: CheckOptions,
  ) {
    this.#byNode = topology.nodes.map(() => undefined);
    for (const own of model.switches) this.#byNode[own.node] = own;
    this.#pairs = [...options.pairs]
      .filter(([from, to]) => from !== to)
      .flatMap(([from, to]) =>
        topology.racks[from]!.switches.map((start) => ({ from, to, states: this.#states(start, from, to) })),
      );
  }

  /**
   * @param functions by index of a hash in the model: the function that replaces it; absent: the model's own functions
   * @param only follows the colours of this function alone: all others count as independent at every choice
   */
  check(functions: readonly number[] = [...this.model.hashes.keys()], only?: number): PathCheck {
    this.#worst = new Map();
    this.#reused = new Map();
    this.#correlatedPlaces = new Set();
    this.#functions = functions;
    for (const { from, to, states } of this.#pairs) {
      const uses = states.flatMap((state) => this.#use(state) ?? []);
      const followed = only === undefined ? uses : uses.filter(({ hash }) => hash === only);
      for (const colours of coloursOf(followed, this.model.hashes, this.#bits))
        this.#spread(states, colours, from, to);
    }
    return {
      correlated: [...this.#worst.values()].sort((a, b) => b.polarisedShare - a.polarisedShare),
      reuses: [...this.#reused]
        .filter(([places]) => !this.#correlatedPlaces.has(places))
        .map(([, reuse]) => reuse),
      pairs: this.#pairs.length,
    };
  }

  #use({ use }: State): HashUse | undefined {
    return use === undefined ? undefined : { ...use, hash: this.#functions[use.hash]! };
  }

  #bits = (hash: number, seed: number): number => {
    const key = `${hash} ${seed}`;
    let bits = this.#seedBits.get(key);
    if (bits === undefined) {
      const value = new HashOfFlow(this.model.hashes[hash]!);
      bits = value.of({ ...rawFlow(), seed }) ^ value.of(rawFlow());
      this.#seedBits.set(key, bits);
    }
    return bits;
  };

  /** All states of packets between the racks, each before its successors. */
  #states(start: number, from: number, to: number): State[] {
    const known = new Map<string, State>();
    const order: State[] = [];
    const { nodes, racks } = this.topology;
    const visit = (node: number, port: number): State | undefined => {
      const own = this.#byNode[node];
      if (own === undefined) return undefined;
      const kind = (own.portClass?.[port] ?? 0) + (own.sourceClass?.[from] ?? 0);
      const key = `${node} ${kind}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      const index = own.next[kind * racks.length + to]!;
      if (index < 0) return undefined;
      const choice = own.choices[index]!;
      const ports = [...new Set(Array.from(choice.rows[0]!))];
      const next: (State | undefined)[] = [];
      const state: State = { own, kind, choice, use: useOf(choice), ports, next, before: [] };
      known.set(key, state);
      for (const out of ports) {
        const { peer, peerPort } = nodes[node]!.ports[out - 1]!;
        const after = visit(peer, peerPort);
        next.push(after);
        if (after !== undefined && !after.before.includes(state)) after.before.push(state);
      }
      order.push(state);
      return state;
    };
    const host = nodes[racks[from]!.hosts[0]!]!;
    visit(start, host.ports.find(({ peer }) => peer === start)!.peerPort);
    return order.reverse();
  }

  #spread(order: readonly State[], colours: Colours, from: number, to: number): void {
    const weights = new Map<State, Float64Array>();
    const at = (state: State) => {
      let own = weights.get(state);
      if (own === undefined) {
        own = new Float64Array(colours.count);
        weights.set(state, own);
      }
      return own;
    };
    if (order.length > 0) at(order[0]!).fill(1 / colours.count);
    for (const state of order) {
      const own = at(state);
      const { choice, ports, next } = state;
      const use = this.#use(state);
      const row = choice.rows[0]!;
      const place = new Map(ports.map((port, i) => [port, i]));
      const fair = new Float64Array(ports.length);
      for (let slot = 0; slot < row.length; slot++) fair[place.get(row[slot]!)!]! += 1 / row.length;
      const slotOf = use === undefined ? undefined : colours.slotsOf(use);
      const loads = new Float64Array(ports.length);
      let total = 0;
      for (let colour = 0; colour < own.length; colour++) {
        const weight = own[colour]!;
        if (weight === 0) continue;
        total += weight;
        if (slotOf === undefined) {
          for (const [i, after] of next.entries())
            if (after !== undefined) at(after)[colour]! += weight * fair[i]!;
        } else {
          const i = place.get(row[slotOf(colour)]!)!;
          loads[i]! += weight;
          const after = next[i];
          if (after !== undefined) at(after)[colour]! += weight;
        }
      }
      if (slotOf !== undefined && total > 0) this.#judge(state, loads, fair, total, from, to);
    }
  }

  #judge(
    state: State,
    loads: Float64Array,
    fair: Float64Array,
    total: number,
    from: number,
    to: number,
  ): void {
    const path = this.#earlier(state);
    if (path === undefined) return;
    const first = path[0]!;
    let moved = 0;
    for (let i = 0; i < fair.length; i++) moved += Math.max(0, loads[i]! / total - fair[i]!);
    const { placeOf } = this.options;
    const names = placeOf === undefined ? undefined : path.map((own) => placeOf(own.own.node, own.kind));
    const hash = this.model.hashes[this.#use(state)!.hash]!.name;
    const places = names === undefined ? "" : `${hash} ${names[0]} ${names.at(-1)}`;
    if (moved <= (this.options.tolerance ?? TOLERANCE)) {
      if (names !== undefined && !this.#reused.has(places))
        this.#reused.set(places, { hash, first: names[0]!, second: names.at(-1)! });
      return;
    }
    this.#correlatedPlaces.add(places);
    const { nodes } = this.topology;
    const found: CorrelatedHops = {
      path: [...leadTo(first), ...path].map(({ own }) => nodes[own.node]!.name),
      first: { node: first.own.node, slots: first.use!.slots },
      second: { node: state.own.node, slots: state.use!.slots },
      hash,
      polarisedShare: moved,
      from,
      to,
    };
    const key = `${found.first.node} ${found.second.node}`;
    const known = this.#worst.get(key);
    if (known === undefined || known.polarisedShare < moved) this.#worst.set(key, found);
  }

  /** The nearest earlier choice by the same function, with the states from it to this one; undefined where there is none. */
  #earlier(state: State): readonly State[] | undefined {
    const hash = this.#use(state)!.hash;
    const queue: (readonly State[])[] = [[state]];
    const seen = new Set<State>();
    for (const path of queue)
      for (const before of path[0]!.before) {
        if (this.#use(before)?.hash === hash) return [before, ...path];
        if (seen.has(before)) continue;
        seen.add(before);
        queue.push([before, ...path]);
      }
    return undefined;
  }
}

/** States from the source to the predecessor of a state. */
function leadTo(state: State): State[] {
  const path: State[] = [];
  for (let at = state.before[0]; at !== undefined && !path.includes(at); at = at.before[0]) path.unshift(at);
  return path;
}
