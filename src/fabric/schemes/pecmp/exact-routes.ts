/**
 * Routes by exact next hops (P-ECMP, section 3.2): every shortest route between two hosts with the selector that names it, and the
 * selector of a route. With control of next hops each hop reads a slice of its own, and a value of the slice names one next hop.
 */
import type { FlowKey } from "../../../base/packets/index.js";
import { directedLink } from "../../paths/index.js";
import { nodeAt, type Topology } from "../../topology/index.js";
import { flowHash } from "../hash.js";
import type { CompiledMatrix } from "./compile.js";
import type { PecmpFabric } from "./fabric.js";
import { type Hop, readSlice, type SelectorLayout, writeSlice } from "./layout.js";
import { SwitchChoices } from "./switch-choices.js";

export interface ExactRoute {
  /** Node indexes from host to host. */
  readonly nodes: readonly number[];
  /** Directed links: 2 l is link l from its end `a` to its end `b`, 2 l + 1 the way back. */
  readonly links: readonly number[];
  /** NIC of the first host, from 0. */
  readonly nic: number;
  /** All slices except that of the NIC, which depends on the flow: see {@link ExactRoutes.withNic}. */
  readonly selector: number;
}

/** Why a list of nodes is no route. */
interface WrongRoute {
  /** Index in the list. */
  readonly at: number;
  readonly why: string;
}

interface Step {
  readonly node: number;
  readonly port: number;
}

export class ExactRoutes {
  readonly #choices: SwitchChoices;

  /** @param fabric compiled with control of next hops */
  constructor(
    readonly topology: Topology,
    readonly fabric: PecmpFabric,
  ) {
    this.#choices = new SwitchChoices(topology, fabric.switches);
  }

  /**
   * Every shortest route between two hosts, by ascending ports at each switch. A route for which two switches would need
   * different values of the same slice is left out: no selector names it.
   */
  *between(source: number, destination: number): Generator<ExactRoute> {
    const { nodes } = this.topology;
    const host = nodes[source]!;
    for (const { number, link } of host.ports) {
      if (this.topology.down?.has(link)) continue;
      yield* this.#from([{ node: source, port: number }], 0, new Set(), destination);
    }
  }

  /** The route along these nodes, from host to host; or the index of the first node that breaks it, with the reason. */
  along(list: readonly number[]): ExactRoute | WrongRoute {
    const { nodes } = this.topology;
    const steps: Step[] = [];
    const used = new Map<Hop, { value: number; node: number }>();
    const destination = list.at(-1)!;
    let selector = 0;
    for (const [i, node] of list.slice(0, -1).entries()) {
      const { name, ports, role } = nodes[node]!;
      const next = list[i + 1]!;
      const wanted = ports.filter((port) => port.peer === next && !this.topology.down?.has(port.link));
      if (wanted.length === 0)
        return { at: i + 1, why: `"${name}" has no link to "${nodes[next]!.name}" that is up` };
      if (role === "host") {
        if (i > 0) return { at: i, why: `"${name}" is a host, and hosts do not forward packets` };
        steps.push({ node, port: wanted[0]!.number });
        continue;
      }
      const { ports: hops, matrix } = this.#choices.of(node, destination);
      const numbers = wanted.map(({ number }) => number);
      const place = hops.findIndex((port) => numbers.includes(port));
      if (place < 0)
        return {
          at: i + 1,
          why: `"${name}" has no shortest path to "${nodes[destination]!.name}" through "${nodes[next]!.name}"`,
        };
      steps.push({ node, port: hops[place]! });
      if (matrix === undefined) continue;
      const value = sliceValue(matrix, place);
      const other = used.get(matrix.hop);
      if (other !== undefined && other.value !== value)
        return {
          at: i,
          why: `"${nodes[other.node]!.name}" and "${name}" read the same bits of the selector, and need different values`,
        };
      used.set(matrix.hop, { value, node });
      selector = writeSlice(this.fabric.layout, matrix.hop, selector, value);
    }
    return this.#route(steps, selector);
  }

  /** The selector of a route for one flow, with the value that makes the bond of the first host take the route's NIC. */
  withNic(route: ExactRoute, flow: FlowKey): number {
    return selectorWithNic(
      this.fabric.layout,
      route,
      nodeAt(this.topology, route.nodes[0]!).ports.length,
      flow,
    );
  }

  *#from(
    steps: readonly Step[],
    selector: number,
    used: ReadonlySet<Hop>,
    to: number,
  ): Generator<ExactRoute> {
    const last = steps.at(-1)!;
    const node = nodeAt(this.topology, last.node).ports[last.port - 1]!.peer;
    if (node === to) {
      yield this.#route(steps, selector);
      return;
    }
    const { ports, matrix } = this.#choices.of(node, to);
    for (const [place, port] of ports.entries()) {
      const further = [...steps, { node, port }];
      if (matrix === undefined) {
        yield* this.#from(further, selector, used, to);
        continue;
      }
      const { hop } = matrix;
      const { layout } = this.fabric;
      const value = sliceValue(matrix, place);
      if (used.has(hop) && readSlice(layout, hop, selector) !== value) continue;
      yield* this.#from(further, writeSlice(layout, hop, selector, value), new Set(used).add(hop), to);
    }
  }

  #route(steps: readonly Step[], selector: number): ExactRoute {
    const { topology } = this;
    const last = steps.at(-1)!;
    const end = nodeAt(topology, last.node).ports[last.port - 1]!.peer;
    return {
      nodes: [...steps.map(({ node }) => node), end],
      links: steps.map(({ node, port }) => directedLink(topology, node, port)),
      nic: steps[0]!.port - 1,
      selector,
    };
  }
}

/** The selector of a route for one flow of a host with `nics` NICs: the value of the NIC's slice makes the bond take the route's NIC. */
export function selectorWithNic(
  layout: SelectorLayout,
  route: Pick<ExactRoute, "nic" | "selector">,
  nics: number,
  flow: FlowKey,
): number {
  const value = (((route.nic - flowHash(flow)) % nics) + nics) % nics;
  return writeSlice(layout, "nic", route.selector, value);
}

/** Value of a slice that names a next hop: its row follows those of the offsets. */
function sliceValue({ matrix }: CompiledMatrix, place: number): number {
  return matrix.offsetRows + place;
}
