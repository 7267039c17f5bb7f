/** Counts of links and lost frames of a lab, from the kernel's counters at the interfaces of its switches. */
import { type InterfaceCounters, type Lab, labOf } from "../../../../testbed/index.js";
import type { Topology } from "../../../../topology/index.js";
import { type LinkUse, linkUse } from "../meters/link-meter.js";

type Counters = ReadonlyMap<string, InterfaceCounters>;

/** Interface that counts the frames of a direction of a link: at the switch that sends them, or that receives them from a host. */
interface Place {
  readonly interface: string;
  /** Whether the switch of the interface sends them. */
  readonly sends: boolean;
}

const QUIET_MS = 50;
const MOST_LOOKS = 40;

export class FabricCounters {
  readonly #lab: Lab;
  readonly #topology: Topology;
  /** By direction of a link: index 2 * link, plus 1 for the direction from end `b`. */
  readonly #places: readonly Place[];
  /** Interfaces by switch. */
  readonly #switches: ReadonlyMap<string, readonly string[]>;
  #start: Counters | undefined;
  #begin: { readonly at: number; readonly counters: Counters } | undefined;

  constructor(lab: Lab, topology: Topology) {
    this.#lab = lab;
    this.#topology = topology;
    const spec = labOf(topology);
    const isSwitch = new Set(spec.switches.map(({ name }) => name));
    this.#places = spec.links.flatMap(({ a, b }) =>
      [
        [a, b],
        [b, a],
      ].map(([from, to]): Place => {
        const sends = isSwitch.has(from!.node);
        return { interface: (sends ? from! : to!).interface, sends };
      }),
    );
    this.#switches = new Map(
      spec.switches.map(({ name, ports }) => [name, ports.map((port) => port.interface)]),
    );
  }

  /** Called before the first frame: lost frames are counted from here. */
  async start(): Promise<void> {
    this.#start = await this.#lab.counters();
  }

  /** Begins the window of the links; `now` in nanoseconds. */
  async begin(now: number): Promise<void> {
    this.#begin = { at: now, counters: await this.#lab.counters() };
  }

  /** Ends the window: the use of each direction of each link, in the order of the topology. */
  async end(now: number): Promise<LinkUse[]> {
    const { at, counters: before } = this.#begin!;
    if (now <= at) return [];
    const after = await this.#lab.counters();
    const counts = this.#places.map(({ interface: name, sends }) => {
      const [old, own] = [before.get(name)!, after.get(name)!];
      return sends
        ? { packets: own.sentFrames - old.sentFrames, bytes: own.sentBytes - old.sentBytes }
        : { packets: own.receivedFrames - old.receivedFrames, bytes: own.receivedBytes - old.receivedBytes };
    });
    return linkUse(this.#topology, counts, now - at);
  }

  /**
   * Called when no host sends any more: number of frames that each switch received and did not send, by switch. Frames that a program
   * creates or copies reduce the number.
   */
  async lost(): Promise<Map<string, number>> {
    const after = await this.#quiet();
    const before = this.#start!;
    const missing = (name: string, counters: Counters) => {
      const { receivedFrames, sentFrames } = counters.get(name)!;
      return receivedFrames - sentFrames;
    };
    return new Map(
      [...this.#switches].map(([name, interfaces]) => [
        name,
        Math.max(
          0,
          interfaces.reduce((sum, one) => sum + missing(one, after) - missing(one, before), 0),
        ),
      ]),
    );
  }

  /** The counters when two readings are equal: queues are then empty. */
  async #quiet(): Promise<Counters> {
    let last = await this.#lab.counters();
    for (let look = 0; look < MOST_LOOKS; look++) {
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      const now = await this.#lab.counters();
      if (sum(now) === sum(last)) return now;
      last = now;
    }
    return last;
  }
}

function sum(counters: Counters): number {
  let frames = 0;
  for (const { sentFrames, receivedFrames } of counters.values()) frames += sentFrames + receivedFrames;
  return frames;
}
