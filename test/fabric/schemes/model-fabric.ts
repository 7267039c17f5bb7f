/** A fabric of {@link ModelSwitch}es with one random hash per tier (or per switch), to walk packets through. */

import { Random } from "../../../src/base/index.js";
import type { FlowKey } from "../../../src/base/packets/index.js";
import { type HostPolicy, restingHost } from "../../../src/fabric/hosts/index.js";
import { type FabricPlan, hostPolicyOf } from "../../../src/fabric/schemes/index.js";
import type { Hop, SelectorLayout } from "../../../src/fabric/schemes/pecmp/layout.js";
import { readSlice, versionMask } from "../../../src/fabric/schemes/pecmp/layout.js";
import type { Topology, TopologyNode } from "../../../src/fabric/topology/index.js";
import { ModelSwitch } from "./model-switch.js";

export interface Walk {
  /** Node indexes from host to host. */
  readonly nodes: readonly number[];
  readonly links: readonly number[];
}

type PlannedSwitch = FabricPlan["switches"][number];

export class ModelFabric {
  readonly #switches = new Map<number, ModelSwitch>();
  readonly #hosts = new Map<bigint, TopologyNode>();
  readonly policy: HostPolicy;

  constructor(
    readonly topology: Topology,
    readonly plan: FabricPlan,
    /** Slices of the selector; undefined where the hash covers the selector instead (PRR). */
    readonly layout: SelectorLayout | undefined,
    readonly hashScope: "tier" | "switch" = "tier",
  ) {
    this.policy = hostPolicyOf(plan.hosts, restingHost());
    for (const planned of plan.switches) this.#switches.set(planned.node, new ModelSwitch(planned));
    for (const node of topology.nodes) if (node.host !== undefined) this.#hosts.set(node.host.ipv4, node);
  }

  /** One switch has another state from now on. */
  replace(planned: PlannedSwitch): void {
    this.#switches.set(planned.node, new ModelSwitch(planned));
  }

  /** The way of a packet of `flow` with a selector; fails the test when it gets lost. */
  walk(flow: FlowKey, selector: number): Walk {
    const { nodes } = this.topology;
    const from = this.#hosts.get(flow.src)!;
    const to = this.#hosts.get(flow.dst)!;
    const mask = this.layout === undefined ? 0 : versionMask(this.layout);
    const version = (selector & mask) === 0 ? 0 : 1;
    const nic = from.ports[this.policy.nic(flow, selector, from.ports.length)]!;
    const seen = [from.index];
    const links = [nic.link];
    for (let node = nodes[nic.peer]!; ; ) {
      seen.push(node.index);
      if (node === to) return { nodes: seen, links };
      if (seen.length > 8) throw new Error("a loop");
      const step = this.#switches
        .get(node.index)!
        .forward("ipv4", flow.dst, this.#slices(node, selector), this.#hash(node, flow, selector), version);
      if ("drop" in step) throw new Error(`${node.name} drops: ${step.drop}`);
      const port = node.ports[step.port - 1]!;
      links.push(port.link);
      node = nodes[port.peer]!;
    }
  }

  #slices({ role }: TopologyNode, selector: number) {
    const read = (hop: Hop) => (this.layout === undefined ? 0 : readSlice(this.layout, hop, selector));
    if (role === "tor" || role === "spine") return { up: read(role), down: read(role) };
    return { up: read("leaf"), down: read("legs") };
  }

  #hash(node: TopologyNode, flow: FlowKey, selector: number): { up: number; down: number } {
    const place = this.hashScope === "tier" ? node.role : node.name;
    const input = this.layout === undefined ? `${selector} ` : "";
    const tuple = `${flow.src} ${flow.dst} ${flow.srcPort} ${flow.dstPort}`;
    const hash = (way: string) => new Random(`${place} ${way} ${input}${tuple}`).uint32();
    // A switch uses one of the two.
    return {
      get up() {
        return hash("up");
      },
      get down() {
        return hash("down");
      },
    };
  }
}

/** A flow between two hosts, by name, with ports drawn from `random`. */
export function flowBetween(topology: Topology, from: string, to: string, random: Random): FlowKey {
  const address = (name: string) => topology.nodes.find((node) => node.name === name)!.host!.ipv4;
  return {
    src: address(from),
    dst: address(to),
    protocol: 6,
    srcPort: 1024 + random.int(60000),
    dstPort: 1024 + random.int(60000),
  };
}

export function reverse(flow: FlowKey): FlowKey {
  return { ...flow, src: flow.dst, dst: flow.src, srcPort: flow.dstPort, dstPort: flow.srcPort };
}
