/**
 * Checks an assignment of hash functions: does a choice on a path determine a later one (polarisation; ATC
 * 2022, sections 2 and 3)? The colours of the functions that depend on each other (`hash-relations.ts`) are followed from the source along
 * all paths to the destination. Such functions may be used one after the other where the colours are mixed evenly again: every switch of
 * some stage in between receives the same share of every colour (colour recombining, section 3). Then each port of the later group gets
 * its fair share. This is tested exactly where the colours can be listed, else with drawn headers, and the result says so.
 */
import { rackAt, type Topology } from "../topology/index.js";
import { type Colours, domainsOf, useOf } from "./analysis-domain.js";
import {
  type Compared,
  type Component,
  DRAWN_HEADERS,
  HashRelations,
  type HashUse,
} from "./hash-relations.js";
import type { HashModel, PathModel, PortChoice, SwitchModel } from "./model.js";

/** Two choices on a path of which the first determines the second, at least in part. */
export interface CorrelatedHops {
  /** Names of the switches from the source to the second choice. */
  readonly path: readonly string[];
  /** Switches of both choices, and the sizes of their groups. */
  readonly first: { readonly node: number; readonly slots: number };
  readonly second: { readonly node: number; readonly slots: number };
  /** Name of the function that both use, or the names of both functions, with a comma between. */
  readonly hash: string;
  /** Share of the flows at the second choice that would have to move to another port to give all ports their fair shares. */
  readonly polarisedShare: number;
  /** Racks between which this happens. */
  readonly from: number;
  readonly to: number;
}

/** A choice whose ports do not get their fair shares of all flows, whatever was chosen before: the function has too few values. */
interface UnevenChoice {
  readonly node: number;
  readonly slots: number;
  readonly hash: string;
  /** Share of all flows that would have to move to another port. */
  readonly movedShare: number;
}

/** Functions whose joint values are too many to list: they were followed with drawn headers. */
interface DrawnCheck {
  readonly functions: readonly string[];
  readonly headers: number;
  /** The largest polarised share of a choice that would not have been told from chance. */
  readonly resolution: number;
}

/** A pair of choices on one path that use the same function, where the analysis found no polarisation. */
interface ProvenReuse {
  readonly hash: string;
  readonly first: string;
  readonly second: string;
}

export interface PathCheck {
  /** The worst pair of choices for each pair of switches, the worst first. */
  readonly correlated: readonly CorrelatedHops[];
  /** Stages that reuse a function without polarisation, each pair of stages once. */
  readonly reuses: readonly ProvenReuse[];
  /** One for each switch and function, the worst first. */
  readonly uneven: readonly UnevenChoice[];
  /** What is not proved: dependences of these functions were looked for with drawn headers. */
  readonly drawn: readonly DrawnCheck[];
  /** Pairs of functions that count as independent because drawn headers show no dependence; equal names: two seeds of one function. */
  readonly compared: readonly Compared[];
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
  readonly #relations: HashRelations;
  readonly #pairs: readonly {
    readonly from: number;
    readonly to: number;
    readonly states: readonly State[];
  }[];
  #worst = new Map<string, CorrelatedHops>();
  #reused = new Map<string, ProvenReuse>();
  #uneven = new Map<string, UnevenChoice>();
  #drawn = new Map<string, DrawnCheck>();
  #correlatedPlaces = new Set<string>();
  #functions: readonly number[] = [];
  /** The largest share that the last colours could not tell from chance. */
  #resolution = 0;

  constructor(
    readonly topology: Topology,
    readonly model: PathModel,
    readonly options: CheckOptions,
    /** The functions that {@link check} puts in place of those of the model. */
    readonly hashes: readonly HashModel[] = model.hashes,
  ) {
    this.#relations = new HashRelations(hashes);
    this.#byNode = topology.nodes.map(() => undefined);
    for (const own of model.switches) this.#byNode[own.node] = own;
    this.#pairs = [...options.pairs]
      .filter(([from, to]) => from !== to)
      .flatMap(([from, to]) =>
        rackAt(topology, from).switches.map((start) => ({ from, to, states: this.#states(start, from, to) })),
      );
  }

  /**
   * @param functions by index of a hash in the model: the one of {@link hashes} that replaces it, or -1 for an even choice that depends on
   *   no other; absent: the model's own functions
   * @param only follows this function alone, with those that it depends on: all others count as even and independent at every choice
   */
  check(functions: readonly number[] = [...this.model.hashes.keys()], only?: number): PathCheck {
    this.#worst = new Map();
    this.#reused = new Map();
    this.#uneven = new Map();
    this.#drawn = new Map();
    this.#correlatedPlaces = new Set();
    this.#functions = functions;
    for (const { from, to, states } of this.#pairs) {
      const components = this.#followed(states, only);
      const { colours, drawn } = domainsOf(components, this.#relations);
      for (const own of colours) this.#spread(states, own, components, from, to);
      if (drawn.length > 0) this.#noteDrawn(drawn);
    }
    return {
      correlated: [...this.#worst.values()].sort((a, b) => b.polarisedShare - a.polarisedShare),
      reuses: [...this.#reused]
        .filter(([places]) => !this.#correlatedPlaces.has(places))
        .map(([, reuse]) => reuse),
      uneven: [...this.#uneven.values()].sort((a, b) => b.movedShare - a.movedShare),
      drawn: [...this.#drawn.values()],
      compared: [...this.#relations.compared.values()],
      pairs: this.#pairs.length,
    };
  }

  /** The components of functions that are used more than once on a path, or are not even by themselves. */
  #followed(states: readonly State[], only: number | undefined): readonly Component[] {
    const uses = states.flatMap((state) => this.#use(state) ?? []);
    const all = this.#relations.components(uses);
    const wanted = only === undefined ? undefined : this.#relations.nameOf(only);
    return all.filter((component) => {
      if (wanted !== undefined && !component.maps.some(({ hash }) => this.#relations.nameOf(hash) === wanted))
        return false;
      return !component.uniform || this.#isReused(states, component);
    });
  }

  /** Whether some path has two choices by maps of the component. */
  #isReused(states: readonly State[], { keys }: Component): boolean {
    const uses = new Map<State, number>();
    for (const state of states) {
      const use = this.#use(state);
      const own = use !== undefined && keys.has(this.#relations.keyOf(use)) ? 1 : 0;
      const before = state.before.reduce((most, earlier) => Math.max(most, uses.get(earlier) ?? 0), 0);
      if (own + before > 1) return true;
      uses.set(state, own + before);
    }
    return false;
  }

  #noteDrawn(components: readonly Component[]): void {
    const functions = [
      ...new Set(components.flatMap(({ maps }) => maps.map(({ hash }) => this.hashes[hash]!.name))),
    ].sort();
    const key = functions.join(" ");
    this.#drawn.set(key, {
      functions,
      headers: DRAWN_HEADERS,
      resolution: Math.max(this.#resolution, this.#drawn.get(key)?.resolution ?? 0),
    });
  }

  #use({ use }: State): HashUse | undefined {
    const hash = use === undefined ? -1 : this.#functions[use.hash]!;
    return hash < 0 ? undefined : { ...use!, hash };
  }

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

  #spread(
    order: readonly State[],
    colours: Colours,
    components: readonly Component[],
    from: number,
    to: number,
  ): void {
    this.#resolution = 0;
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
      weights.delete(state);
      const { choice, ports, next } = state;
      const use = this.#use(state);
      const row = choice.rows[0]!;
      const place = new Map(ports.map((port, i) => [port, i]));
      const placeOf = Int32Array.from({ length: row.length }, (_, slot) => place.get(row[slot]!)!);
      const fair = new Float64Array(ports.length);
      for (const i of placeOf) fair[i]! += 1 / row.length;
      const slotOf = use === undefined ? undefined : colours.slotsOf(use);
      const loads = new Float64Array(ports.length);
      let total = 0;
      let squares = 0;
      for (let colour = 0; colour < own.length; colour++) {
        const weight = own[colour]!;
        if (weight === 0) continue;
        total += weight;
        squares += weight * weight;
        if (slotOf === undefined) {
          for (const [i, after] of next.entries())
            if (after !== undefined) at(after)[colour]! += weight * fair[i]!;
        } else {
          const i = placeOf[slotOf(colour)]!;
          loads[i]! += weight;
          const after = next[i];
          if (after !== undefined) at(after)[colour]! += weight;
        }
      }
      if (use === undefined || slotOf === undefined || total === 0) continue;
      const shares = loads.map((load) => load / total);
      const component = components.find(({ keys }) => keys.has(this.#relations.keyOf(use)))!;
      let even = fair;
      if (!colours.isEven(use)) {
        even = new Float64Array(ports.length);
        for (let colour = 0; colour < colours.count; colour++)
          even[placeOf[slotOf(colour)]!]! += 1 / colours.count;
        this.#judgeAlone(state, even, fair, colours);
      }
      const noise = colours.drawn ? resolutionOf(even, (total * total) / squares) : 0;
      this.#judge(state, component, { shares, even, noise }, { from, to });
    }
  }

  /** Whether the function alone gives each port its fair share of all flows. */
  #judgeAlone(state: State, even: Float64Array, fair: Float64Array, colours: Colours): void {
    const use = this.#use(state)!;
    const movedShare = distance(even, fair);
    const noise = colours.drawn ? resolutionOf(fair, colours.count) : 0;
    if (movedShare <= this.#tolerance + noise) return;
    const hash = this.hashes[use.hash]!.name;
    const key = `${state.own.node} ${hash}`;
    const known = this.#uneven.get(key);
    if (known === undefined || known.movedShare < movedShare)
      this.#uneven.set(key, { node: state.own.node, slots: use.slots, hash, movedShare });
  }

  get #tolerance(): number {
    return this.options.tolerance ?? TOLERANCE;
  }

  /**
   * Whether the flows of a pair reach a choice evenly mixed. `even`: shares of the ports among all flows; `noise`: what chance alone may
   * move.
   */
  #judge(
    state: State,
    component: Component,
    { shares, even, noise }: { shares: Float64Array; even: Float64Array; noise: number },
    pair: { from: number; to: number },
  ): void {
    const path = this.#earlier(state, component);
    if (path === undefined) return;
    this.#resolution = Math.max(this.#resolution, this.#tolerance + noise);
    const first = path[0]!;
    const moved = distance(shares, even);
    const { placeOf } = this.options;
    const names = placeOf === undefined ? undefined : path.map((own) => placeOf(own.own.node, own.kind));
    const hash = [...new Set([first, state].map((own) => this.hashes[this.#use(own)!.hash]!.name))].join(
      ", ",
    );
    const places = names === undefined ? "" : `${hash} ${names[0]} ${names.at(-1)}`;
    if (moved <= this.#tolerance + noise) {
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
      ...pair,
    };
    const key = `${found.first.node} ${found.second.node}`;
    const known = this.#worst.get(key);
    // Shares of drawn headers have errors: an exact one stays.
    if (known === undefined || (noise === 0 && known.polarisedShare < moved)) this.#worst.set(key, found);
  }

  /** The nearest earlier choice by a function of the component, with the states from it to this one; undefined where there is none. */
  #earlier(state: State, { keys }: Component): readonly State[] | undefined {
    const queue: (readonly State[])[] = [[state]];
    const seen = new Set<State>();
    for (const path of queue)
      for (const before of path[0]!.before) {
        const use = this.#use(before);
        if (use !== undefined && keys.has(this.#relations.keyOf(use))) return [before, ...path];
        if (seen.has(before)) continue;
        seen.add(before);
        queue.push([before, ...path]);
      }
    return undefined;
  }
}

/** Share that must move to make one distribution the other. */
function distance(shares: Float64Array, wanted: Float64Array): number {
  let moved = 0;
  for (let i = 0; i < wanted.length; i++) moved += Math.max(0, shares[i]! - wanted[i]!);
  return moved;
}

/** What chance moves in a sample from the distribution, with six standard deviations: the part of a normal distribution above its mean. */
function resolutionOf(shares: Float64Array, samples: number): number {
  let [mean, variance] = [0, 0];
  for (const share of shares) {
    mean += Math.sqrt((share * (1 - share)) / (2 * Math.PI * samples));
    variance += (0.5 - 0.5 / Math.PI) * ((share * (1 - share)) / samples);
  }
  return mean + 6 * Math.sqrt(variance);
}

/** States from the source to the predecessor of a state. */
function leadTo(state: State): State[] {
  const path: State[] = [];
  for (let at = state.before[0]; at !== undefined && !path.includes(at); at = at.before[0]) path.unshift(at);
  return path;
}
