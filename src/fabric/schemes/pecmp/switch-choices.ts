/** The choice of a switch among next hops to a host, from compiled routes. */
import { rackRoutes } from "../../paths/index.js";
import type { Topology } from "../../topology/index.js";
import type { CompiledMatrix, CompiledSwitch } from "./compile.js";

export interface SwitchChoice {
  /** Next hops; none where the host cannot be reached. */
  readonly ports: readonly number[];
  /** Where there are several; its cells are indexes of `ports`. */
  readonly matrix: CompiledMatrix | undefined;
}

export class SwitchChoices {
  readonly #switches: ReadonlyMap<number, CompiledSwitch>;
  readonly #routes = new Map<number, Int32Array>();

  /** @param topology that of the compiled switches */
  constructor(
    readonly topology: Topology,
    switches: readonly CompiledSwitch[],
  ) {
    this.#switches = new Map(switches.map((own) => [own.node, own]));
  }

  /** Both are node indexes. */
  of(node: number, host: number): SwitchChoice {
    const own = this.#switches.get(node)!;
    const { nodes, down } = this.topology;
    const local = nodes[node]!.ports.find(({ peer, link }) => peer === host && !down?.has(link));
    if (local !== undefined) return { ports: [local.number], matrix: undefined };
    let routes = this.#routes.get(node);
    if (routes === undefined) this.#routes.set(node, (routes = rackRoutes(this.topology, own.routing)));
    const hops = routes[nodes[host]!.host!.rack]!;
    const matrix = own.ofHops[hops];
    if (matrix !== undefined) return { ports: matrix.ports, matrix };
    const set = own.routing.hopSets[hops];
    return { ports: set?.direction === "local" ? [] : (set?.ports ?? []), matrix };
  }
}
