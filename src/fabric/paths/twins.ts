/**
 * Elements that probes cannot tell apart: every probe between hosts of different racks crosses both of them or neither. An example is a spine with
 * one link to each of two pods: both links and the spine are always crossed together.
 */
import type { Topology } from "../topology/index.js";
import { portsOfChoice } from "./flat-model.js";
import { directedLink } from "./flows.js";
import type { NetworkElement } from "./loss-solver.js";
import { LOCAL, type PathModel, type SwitchModel } from "./model.js";

interface Step {
  readonly link: number;
  readonly to: number;
}

/** Ways of the packets to one host. */
interface Ways {
  /** By node: whether a way avoids the second elements; and whether one crosses one of the first elements and avoids the second ones. */
  readonly free: ReadonlyMap<number, boolean>;
  readonly apart: ReadonlyMap<number, boolean>;
}

export class Twins {
  readonly #switches: ReadonlyMap<number, SwitchModel>;
  /** By node and destination; computed on demand, as all below. */
  readonly #steps = new Map<number, readonly Step[]>();
  readonly #ports = new Map<SwitchModel["choices"][number], readonly number[]>();
  readonly #known = new Map<string, boolean>();

  /** @param isAnswered the answer of a probe crosses the network, too, and counts */
  constructor(
    readonly topology: Topology,
    model: PathModel,
    readonly isAnswered: boolean,
  ) {
    this.#switches = new Map(model.switches.map((own) => [own.node, own]));
  }

  /** Whether every possible probe that crosses one of some elements crosses one of the others, too, and the reverse. */
  areTwins(a: readonly NetworkElement[], b: readonly NetworkElement[]): boolean {
    const key = [a, b].map((set) => set.map(({ kind, number }) => `${kind} ${number}`).join()).join(" / ");
    let twins = this.#known.get(key);
    if (twins === undefined) {
      twins = !this.#separates(a, b) && !this.#separates(b, a);
      this.#known.set(key, twins);
    }
    return twins;
  }

  /** Whether a probe crosses one of `a` and none of `b`. */
  #separates(a: readonly NetworkElement[], b: readonly NetworkElement[]): boolean {
    const { nodes, racks } = this.topology;
    const ends = new Set<number>();
    for (const { hosts } of racks) {
      const own = hosts.filter((host) => [...a, ...b].some((element) => this.#isAt(host, element)));
      const other = hosts.find((host) => !own.includes(host));
      for (const host of [...own, ...(other === undefined ? [] : [other])]) ends.add(host);
    }
    const ways = new Map([...ends].map((host) => [host, this.#waysTo(host, ends, a, b)]));
    for (const [to, { apart }] of ways)
      for (const from of ends) {
        if (nodes[from]!.host!.rack === nodes[to]!.host!.rack || apart.get(from) !== true) continue;
        if (!this.isAnswered || ways.get(from)!.free.get(to) === true) return true;
      }
    return false;
  }

  #isAt(host: number, { kind, number }: NetworkElement): boolean {
    if (kind !== "host_link" && kind !== "host_direction") return false;
    const { a, b } = this.topology.links[kind === "host_link" ? number : number >> 1]!;
    return a.node === host || b.node === host;
  }

  #waysTo(
    host: number,
    ends: ReadonlySet<number>,
    a: readonly NetworkElement[],
    b: readonly NetworkElement[],
  ): Ways {
    const free = new Map<number, boolean>([[host, true]]);
    const apart = new Map<number, boolean>([[host, false]]);
    const visit = (node: number): void => {
      if (free.has(node)) return;
      let [isFree, isApart] = [false, false];
      for (const { link, to } of this.#stepsOf(node, host)) {
        if (b.some((element) => meets(element, link, to))) continue;
        visit(to);
        isFree ||= free.get(to)!;
        isApart ||= a.some((element) => meets(element, link, to)) ? free.get(to)! : apart.get(to)!;
      }
      free.set(node, isFree);
      apart.set(node, isApart);
    };
    for (const from of ends) visit(from);
    return { free, apart };
  }

  #stepsOf(node: number, host: number): readonly Step[] {
    const { nodes, racks } = this.topology;
    const rack = nodes[host]!.host!.rack;
    const own = this.#switches.get(node);
    const isLocal = own?.next[rack] === LOCAL;
    // A host's next nodes do not depend on the destination; those of its switch depend on the host, and all others on its rack.
    const key =
      node * (nodes.length + racks.length) + (isLocal ? host : own === undefined ? 0 : nodes.length + rack);
    let steps = this.#steps.get(key);
    if (steps === undefined) this.#steps.set(key, (steps = this.#makeSteps(node, host, own, rack)));
    return steps;
  }

  #makeSteps(node: number, host: number, own: SwitchModel | undefined, rack: number): Step[] {
    const { nodes, down } = this.topology;
    const { ports, role } = nodes[node]!;
    const stepsOver = (numbers: readonly number[]) =>
      numbers.map((port) => ({
        link: directedLink(this.topology, node, port),
        to: ports[port - 1]!.peer,
      }));
    const up = ports.filter(({ link }) => down?.has(link) !== true);
    if (role === "host") return stepsOver(up.map(({ number }) => number));
    const next = own?.next[rack];
    if (own === undefined || next === undefined) return [];
    if (next === LOCAL) return stepsOver(up.filter(({ peer }) => peer === host).map(({ number }) => number));
    // A packet's class may change the choice: all of them are possible.
    const choices = Array.from(
      { length: own.classes },
      (_, i) => own.next[i * this.topology.racks.length + rack]!,
    );
    const numbers = choices.flatMap((choice) => (choice < 0 ? [] : this.#portsOf(own.choices[choice]!)));
    return stepsOver([...new Set(numbers)]);
  }

  #portsOf(choice: SwitchModel["choices"][number]): readonly number[] {
    let ports = this.#ports.get(choice);
    if (ports === undefined) this.#ports.set(choice, (ports = portsOfChoice(choice)));
    return ports;
  }
}

/** Whether a packet that goes over a directed link into a node crosses the element there. */
function meets({ kind, number }: NetworkElement, link: number, to: number): boolean {
  switch (kind) {
    case "switch":
      return number === to;
    case "link":
    case "host_link":
      return number === link >> 1;
    case "direction":
    case "host_direction":
      return number === link;
  }
}
