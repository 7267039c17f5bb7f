/** The simulated network of a lab: hosts, switches and links as planned, and which of them are broken. */
import { fail, given, type Json, Random } from "../../base/index.js";
import { type Link, Network, Simulation, StackHost, SwitchNode } from "../../fabric/sim/packet/index.js";
import { parseValue } from "../../toolchain/device/index.js";
import { hostNetwork } from "../exercises/index.js";
import { CODES } from "./codes.js";
import { addressValue, DEFAULT_LINK, type LabPlan, type PlannedHost } from "./project.js";
import type { LinkView, NodeView } from "./protocol.js";
import type { LabScheme } from "./scheme.js";

/** Length of a switch's queues, the default of BMv2. */
const QUEUE_PACKETS = 64;
/** Length of a host's queue, the default `txqueuelen` of a Linux interface. */
const HOST_QUEUE_PACKETS = 1000;

interface LabNetworkOptions {
  readonly plan: LabPlan;
  readonly seed: number;
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  /** Receives the texts of `log_msg` of a switch. */
  log(name: string, text: string): void;
  readonly scheme?: LabScheme | undefined;
  /** Receives the messages that the policy of a host sends to the controllers. */
  tell(host: string, message: Json): void;
}

export class LabNetwork {
  readonly plan: LabPlan;
  readonly simulation: Simulation;
  readonly network: Network;
  readonly hosts = new Map<string, StackHost>();
  readonly switches = new Map<string, SwitchNode>();
  readonly #places: LabNetworkOptions["places"];
  readonly #downLinks = new Map<number, { readonly signalled: boolean }>();
  readonly #downSwitches = new Set<string>();
  /** Links that carry no packets now: the link or one of its switches is broken. */
  readonly #dead = new Set<number>();

  constructor(options: LabNetworkOptions) {
    const { plan, seed, places, log, scheme } = options;
    this.simulation = new Simulation(scheme === undefined ? {} : { turn: () => scheme.turn() });
    this.network = new Network(this.simulation);
    this.plan = plan;
    this.#places = places;
    for (const host of plan.hosts) this.hosts.set(host.name, this.#host(host, options));
    for (const [i, { name, cpuPort, priorityQueues }] of plan.switches.entries())
      this.switches.set(
        name,
        new SwitchNode(this.simulation, {
          name,
          seed: seed + i,
          queuePackets: scheme?.queues.packets ?? QUEUE_PACKETS,
          queueBytes: scheme?.queues.bytes ?? Number.POSITIVE_INFINITY,
          ...given({ cpuPort, priorities: priorityQueues }),
          log: (text) => log(name, text),
        }),
      );
    /** The ports of a host count from 1, in the order of its links. */
    const hostPorts = new Map<string, number>();
    for (const { a, b, rateBps = DEFAULT_LINK.rateBps, delayNs = DEFAULT_LINK.delayNs } of plan.links) {
      const end = ({ node, port }: { node: string; port: number }) => {
        const host = this.hosts.get(node);
        if (host === undefined) return { node: this.switches.get(node)!, port };
        hostPorts.set(node, (hostPorts.get(node) ?? 0) + 1);
        return { node: host, port: hostPorts.get(node)! };
      };
      const from = (node: string) => ({
        rate: rateBps,
        delay: Math.round(delayNs),
        queueBytes: Number.POSITIVE_INFINITY,
        queuePackets: this.hosts.has(node) ? HOST_QUEUE_PACKETS : Number.POSITIVE_INFINITY,
      });
      this.network.connect(end(a), end(b), { aToB: from(a.node), bToA: from(b.node) });
    }
  }

  #host(planned: PlannedHost, { seed, scheme, tell }: LabNetworkOptions): StackHost {
    const { name, mac, ipv4, ipv6, prefixLength, commands, gateways } = planned;
    const { simulation } = this;
    const own = scheme && {
      codec: scheme.codec,
      policy: scheme.policy({
        name,
        nics: gateways?.length ?? 1,
        clock: {
          now: () => simulation.now,
          at: (time, fn) => simulation.at(Math.max(simulation.now, Math.round(time)), fn),
        },
        random: new Random(seed).fork("hosts").fork(name),
        tell: (message) => tell(name, message),
      }),
    };
    const address = addressValue(ipv4, 32);
    const { nextHop, neighbours } = hostNetwork({ ipv4: address, prefixLength, commands });
    return new StackHost(this.simulation, {
      name,
      mac: addressValue(mac, 48),
      ipv4: address,
      ...(ipv6 === undefined ? {} : { ipv6: addressValue(ipv6, 128) }),
      nextHop,
      neighbours,
      ...own,
      ...(gateways === undefined ? {} : { gateways: gateways.map((one) => addressValue(one, 48)) }),
    });
  }

  /** Fails with P46002 if there is no such host. */
  host(name: string): StackHost {
    return this.hosts.get(name) ?? this.#unknown("host", name, this.hosts);
  }

  switch(name: string): SwitchNode {
    return this.switches.get(name) ?? this.#unknown("switch", name, this.switches);
  }

  link(id: number): Link {
    const link = this.network.links[id];
    if (link !== undefined && id < this.plan.links.length) return link;
    return fail(
      CODES.noNode,
      undefined,
      `there is no link ${id}; there are 0 to ${this.plan.links.length - 1}`,
    );
  }

  #unknown(what: string, name: string, known: ReadonlyMap<string, unknown>): never {
    fail(
      CODES.noNode,
      undefined,
      `there is no ${what} ${name}`,
      `there are: ${[...known.keys()].join(", ")}`,
    );
  }

  /** The IPv4 address that a text gives, as the name of a host or as an address. */
  addressOf(text: string): bigint {
    const host = this.hosts.get(text);
    if (host !== undefined) return host.options.ipv4;
    const parsed = parseValue(text, 32);
    if (parsed.ok && text.includes(".")) return parsed.value;
    return fail(
      CODES.noNode,
      undefined,
      `${text} is neither a host nor an IPv4 address`,
      `hosts: ${[...this.hosts.keys()].join(", ")}`,
    );
  }

  /** The host that has an IPv4 address. */
  hostAt(address: bigint): StackHost | undefined {
    for (const host of this.hosts.values()) if (host.options.ipv4 === address) return host;
    return undefined;
  }

  setLink(id: number, up: boolean, signalled: boolean): LinkView {
    this.link(id);
    if (up) this.#downLinks.delete(id);
    else this.#downLinks.set(id, { signalled });
    this.#settle(id, up || signalled);
    return this.linkView(id);
  }

  /** Breaks or repairs all links of a switch; its neighbours see the change. The caller stops or starts its program. */
  setSwitch(name: string, up: boolean): NodeView {
    const node = this.switch(name);
    if (up) this.#downSwitches.delete(name);
    else this.#downSwitches.add(name);
    for (const { index } of this.network.linksOf(node)) this.#settle(index, true);
    return this.nodeView(name);
  }

  isUp(name: string): boolean {
    return !this.#downSwitches.has(name);
  }

  #settle(id: number, signalled: boolean): void {
    const link = this.network.links[id]!;
    const isDead = this.#downLinks.has(id) || [link.a, link.b].some(({ node }) => !this.isUp(node.name));
    if (isDead === this.#dead.has(id)) return;
    if (isDead) {
      this.#dead.add(id);
      this.network.failLink(link);
    } else {
      this.#dead.delete(id);
      this.network.repairLink(link);
    }
    if (signalled) this.network.signalLink(link, !isDead);
  }

  linkView(id: number): LinkView {
    const { a, b, rateBps = DEFAULT_LINK.rateBps, delayNs = DEFAULT_LINK.delayNs } = this.plan.links[id]!;
    const silent = this.#downLinks.get(id)?.signalled === false;
    return { id, a, b, rateBps, delayNs, up: !this.#dead.has(id), ...(silent ? { silent: true } : {}) };
  }

  nodeView(name: string): NodeView {
    const { x, y } = this.#places.get(name) ?? { x: 0.5, y: 0.5 };
    const host = this.plan.hosts.find((one) => one.name === name);
    if (host !== undefined) {
      const { mac, ipv4, ipv6, prefixLength } = host;
      const address = `${ipv4}/${prefixLength}`;
      return {
        name,
        kind: "host",
        x,
        y,
        up: true,
        ipv4: address,
        ...given({ ipv6 }),
        mac,
      };
    }
    const planned = this.plan.switches.find((one) => one.name === name)!;
    const { program, tier } = planned;
    return {
      name,
      kind: "switch",
      x,
      y,
      up: this.isUp(name),
      ...given({ program, tier }),
    };
  }
}
