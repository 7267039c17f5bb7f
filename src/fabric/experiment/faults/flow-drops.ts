/**
 * Drops of certain packets of a flow, in the simulator. A flow is known by its number; its five-tuple, and so what must be counted, is
 * known when it opens. The packets are counted where they reach the end of the first link of the flow's source.
 */
import { defined } from "../../../base/index.js";
import type { FlowKey } from "../../../base/packets/index.js";
import { type Channel, CountedLoss, type Fabric } from "../../sim/packet/index.js";
import { hostsOf } from "../../topology/index.js";
import { directionsOf, elementName, type Fault } from "./fault.js";

const IPV4_BITS = 32;
const IPV6_BITS = 128;
const IPV4_ADDRESSES = 1n << 32n;

/** A drop that acts, or has acted, on its flow. */
interface Counting {
  readonly loss: CountedLoss;
  readonly channels: readonly Channel[];
}

export class FlowDrops {
  /** Five-tuples of the flows that faults name, from their opening on. */
  readonly #opened = new Map<number, FlowKey>();
  readonly #active = new Set<Fault>();
  readonly #counting = new Map<Fault, Counting>();

  /** Observes the flows of the faults from now on: to be made before they open. `note` gets a sentence on each drop that did not happen. */
  constructor(
    readonly fabric: Fabric,
    faults: readonly Fault[],
    note: (text: string) => void,
  ) {
    const drops = faults.filter(({ effect }) => effect.kind === "drop");
    if (drops.length === 0) return;
    const wanted = new Set(drops.map(({ element }) => element.index));
    fabric.events.observe({
      flowOpened: (number, flow) => {
        if (!wanted.has(number)) return;
        this.#opened.set(number, flow);
        for (const fault of this.#active) if (fault.element.index === number) this.#attach(fault, flow);
      },
      ended: () => {
        for (const fault of drops) for (const text of this.#missed(fault)) note(text);
      },
    });
  }

  begin(fault: Fault): void {
    this.#active.add(fault);
    const flow = this.#opened.get(fault.element.index);
    if (flow !== undefined) this.#attach(fault, flow);
  }

  end(fault: Fault): void {
    this.#active.delete(fault);
    const counting = this.#counting.get(fault);
    for (const channel of counting?.channels ?? []) channel.unimpair(defined(counting).loss);
  }

  #attach(fault: Fault, { src, dst, srcPort, dstPort, protocol }: FlowKey): void {
    const { element, effect } = fault;
    if (element.kind !== "flow" || effect.kind !== "drop") throw new Error("only flows have drops");
    const ipVersion = src < IPV4_ADDRESSES && dst < IPV4_ADDRESSES ? 4 : 6;
    const prefix = (address: bigint) =>
      ({ ipVersion, address, length: ipVersion === 4 ? IPV4_BITS : IPV6_BITS }) as const;
    const forward = { src: prefix(src), dst: prefix(dst), srcPort, dstPort };
    const back = { src: prefix(dst), dst: prefix(src), srcPort: dstPort, dstPort: srcPort };
    const loss = new CountedLoss({
      match: { protocol, ...(element.ways === "out" ? forward : back) },
      lost: effect.numbers,
      dataOnly: effect.counted === "data",
    });
    const { topology, network } = this.fabric;
    const source = defined(
      hostsOf(topology).find(
        ({ host }) => (ipVersion === 4 ? defined(host).ipv4 : defined(host).ipv6) === src,
      ),
    );
    const channels = directionsOf(topology, { kind: "node", index: source.index })
      .filter(
        ({ link, from }) =>
          (defined(topology.links[link])[from].node === source.index) === (element.ways === "out"),
      )
      .map(({ link, from }) => this.fabric.link(link)[from === "a" ? "aToB" : "bToA"]);
    for (const channel of channels) network.impair(channel, loss);
    this.#counting.set(fault, { loss, channels });
  }

  #missed(fault: Fault): string[] {
    if (fault.effect.kind !== "drop") return [];
    const { numbers, counted } = fault.effect;
    const count = this.#counting.get(fault)?.loss.count ?? 0;
    const missed = numbers.filter((number) => number > count);
    if (missed.length === 0) return [];
    const name = elementName(this.fabric.topology, fault.element);
    const packets = `packet${missed.length === 1 ? "" : "s"} ${missed.join(", ")}`;
    const what = counted === "data" ? " with data" : "";
    return [
      `entry ${fault.number + 1} of faults did not drop ${packets} of ${name}: ${
        this.#opened.has(fault.element.index)
          ? `while it acted there were ${count}${what}`
          : "the flow did not open"
      }.`,
    ];
  }
}
