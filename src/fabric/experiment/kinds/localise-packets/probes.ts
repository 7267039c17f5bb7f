/**
 * Probes go as packets to another host and back. With exact next hops they take covers of all links and routes through suspects, and the
 * answer takes a drawn route; otherwise they go between random hosts with random ports. The path model gives their paths.
 */

import type { Random } from "../../../../base/index.js";
import { type FlowKey, PROTOCOL_UDP } from "../../../../base/packets/index.js";
import { type HostPolicy, restingHost } from "../../../hosts/index.js";
import {
  ExactWalker,
  emptyFlows,
  type FlowColumns,
  FlowTracer,
  MAX_LINKS,
  type NamedRoute,
  RouteFinder,
  type Suspect,
} from "../../../paths/index.js";
import { hostsOf, type Topology } from "../../../topology/index.js";
import type { SchemeRun } from "../../experiment.js";
import { CoverProbes } from "../localise/probes.js";

export interface Probe {
  /** Node indexes of hosts. */
  readonly source: number;
  readonly destination: number;
  /** UDP ports, and the selectors of the probe and its answer. */
  readonly clientPort: number;
  readonly port: number;
  readonly forward: number;
  readonly reverse: number;
  /** Directed links on the path there and back. */
  readonly links: readonly number[];
}

/** The next probe; `suspects`: the elements that may have failed, by the results of probes so far. */
export type NextProbe = (suspects: readonly Suspect[]) => Probe;

/** Maximum number of draws of ports until both packets leave by the NICs of their routes. */
const MOST_DRAWS = 256;
/** Lowest port of probes, on both sides: hosts listen at ports below it. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

export class ProbeSource {
  readonly #walker: ExactWalker;
  readonly #tracer: FlowTracer;
  readonly #covers: CoverProbes | undefined;
  readonly #policies = new Map<number, HostPolicy>();

  constructor(
    readonly topology: Topology,
    readonly scheme: SchemeRun,
    readonly ip: 4 | 6,
    random: Random,
  ) {
    const model = scheme.plan.pathModel!();
    this.#walker = new ExactWalker(topology, model);
    this.#tracer = new FlowTracer(topology, model);
    this.#covers = this.#walker.isExact
      ? new CoverProbes(new RouteFinder(topology, this.#walker), random)
      : undefined;
  }

  get isExact(): boolean {
    return this.#covers !== undefined;
  }

  probes(random: Random): NextProbe {
    if (this.#covers === undefined) return () => this.#random(random);
    const routes = this.#covers.routes(random);
    return (suspects) => this.#named(routes(suspects), random);
  }

  #named(route: NamedRoute, random: Random): Probe {
    const { source, destination } = route;
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      const ports = { clientPort: drawPort(random), port: drawPort(random) };
      const { there, back } = this.#flows(source, destination, ports);
      if (this.#nic(source, there, route.selector) !== route.nic) continue;
      const nic = random.int(this.topology.nodes[destination]!.ports.length);
      const answer = this.#walker.walk(destination, source, nic, (links) => random.int(links.length));
      if (answer === undefined || this.#nic(destination, back, answer.selector) !== nic) continue;
      const links = [...route.links, ...answer.links];
      return { source, destination, ...ports, forward: route.selector, reverse: answer.selector, links };
    }
    // The host's policy never sends a packet with this selector by the NIC: another probe takes its place.
    return this.#random(random);
  }

  #random(random: Random): Probe {
    const hosts = hostsOf(this.topology);
    for (;;) {
      const from = random.pick(hosts);
      const to = random.pick(hosts);
      if (from.host!.rack === to.host!.rack) continue;
      const ports = { clientPort: drawPort(random), port: drawPort(random) };
      const { there, back } = this.#flows(from.index, to.index, ports);
      const links = [...this.#trace(from.index, to.index, there), ...this.#trace(to.index, from.index, back)];
      return { source: from.index, destination: to.index, ...ports, forward: 0, reverse: 0, links };
    }
  }

  #trace(source: number, destination: number, flow: FlowKey): number[] {
    const { srcPort, dstPort } = flow;
    const columns: FlowColumns = {
      ...emptyFlows(1, this.ip),
      source: Int32Array.of(source),
      destination: Int32Array.of(destination),
      protocol: Uint8Array.of(PROTOCOL_UDP),
      sourcePort: Uint16Array.of(srcPort),
      destinationPort: Uint16Array.of(dstPort),
      nic: Uint8Array.of(this.#nic(source, flow, 0)),
    };
    const out = new Int32Array(MAX_LINKS);
    return [...out.subarray(0, Math.max(0, this.#tracer.of(columns).linksOf(0, out)))];
  }

  #flows(source: number, destination: number, { clientPort, port }: { clientPort: number; port: number }) {
    const address = (node: number) => this.topology.nodes[node]!.host![this.ip === 4 ? "ipv4" : "ipv6"];
    const [src, dst] = [address(source), address(destination)];
    const there: FlowKey = { src, dst, protocol: PROTOCOL_UDP, srcPort: clientPort, dstPort: port };
    const back: FlowKey = { src: dst, dst: src, protocol: PROTOCOL_UDP, srcPort: port, dstPort: clientPort };
    return { there, back };
  }

  /** The NIC by which the policy of a host sends a packet. */
  #nic(node: number, flow: FlowKey, selector: number): number {
    const { name, ports } = this.topology.nodes[node]!;
    if (ports.length === 1) return 0;
    let policy = this.#policies.get(node);
    if (policy === undefined) {
      policy = this.scheme.hosts(restingHost(name, ports.length));
      this.#policies.set(node, policy);
    }
    return policy.nic(flow, selector, ports.length);
  }
}

function drawPort(random: Random): number {
  return FIRST_PORT + random.int(PORTS);
}
