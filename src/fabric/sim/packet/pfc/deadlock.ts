/**
 * Deadlocks of priority flow control: a cycle of links, each paused because what came in by it waits for the next. A set of pauses is one for ever when no
 * pause of it can end while the others hold: at each of its ports, what waits for outputs that the others pause is by itself enough to keep the
 * pause. The greatest such set is what is left after taking away, again and again, each pause that could end; so a set that is found is a proof as long as
 * no link fails, no frame of flow control is lost, and none that ends a pause is still on its way or waits for the reaction of its receiver while the next
 * PAUSE follows it: a sender in such a pause goes on for a moment. (Cyclic buffer dependency: Hu et al., HotNets 2016; Dally and Seitz 1987.)
 */
import type { Simulation } from "../simulation.js";
import type { IngressBuffer } from "./ingress-buffer.js";

/** Time between two searches while a switch asks for a pause, in nanoseconds. */
const INTERVAL_NS = 100_000;

/** A switch with flow control, as the search sees it. */
export interface PausingSwitch {
  readonly name: string;
  readonly buffer: Pick<IngressBuffer, "asking" | "isAsking" | "outputsOf" | "staysAsking">;
  /** Whether the switch may not send by a port at present. */
  isPaused(port: number): boolean;
  /** The switch at the far end of a port, and its port; undefined: a host, or nothing. */
  peer(port: number): { readonly node: PausingSwitch; readonly port: number } | undefined;
  /** The name of what is at the far end. */
  peerName(port: number): string;
}

/** A direction of a link: `to` asks `from` to stop. */
export interface PausedDirection {
  readonly from: string;
  readonly to: string;
}

/** Times in nanoseconds of the simulation. */
export interface Deadlock {
  /** When it was found. */
  readonly since: number;
  /** When it was found to have ended, by a failure of a link or the loss of a frame of flow control; absent: it holds. */
  until?: number;
  /** The directions of one cycle, each waiting for the next, the last for the first. */
  readonly cycle: readonly PausedDirection[];
  /** Further directions that cannot go on, hosts included. */
  readonly others: number;
}

interface Ask {
  readonly node: PausingSwitch;
  readonly port: number;
}

/** The pauses that cannot end, in the order of the switches. */
export function stuckPauses(switches: Iterable<PausingSwitch>): Ask[] {
  let stuck: Ask[] = [...switches].flatMap((node) => node.buffer.asking().map((port) => ({ node, port })));
  for (;;) {
    const holds = holdsIn(stuck);
    const left = stuck.filter(({ node, port }) =>
      node.buffer.staysAsking(port, (output) => holds(node, output)),
    );
    if (left.length === stuck.length) return left;
    stuck = left;
  }
}

/** Whether an output is paused by one of these. */
function holdsIn(asks: readonly Ask[]): (node: PausingSwitch, output: number) => boolean {
  const ports = new Map<PausingSwitch, Set<number>>();
  for (const { node, port } of asks) {
    const own = ports.get(node);
    if (own === undefined) ports.set(node, new Set([port]));
    else own.add(port);
  }
  return (node, output) => {
    const peer = node.peer(output);
    return peer !== undefined && node.isPaused(output) && ports.get(peer.node)?.has(peer.port) === true;
  };
}

/** A cycle among pauses that cannot end; each waits for another of them, so there is one. */
function cycleOf(stuck: readonly Ask[]): PausedDirection[] {
  const holds = holdsIn(stuck);
  const path: Ask[] = [];
  let at = stuck[0];
  while (at !== undefined) {
    const { node, port } = at;
    const before = path.findIndex((one) => one.node === node && one.port === port);
    if (before >= 0)
      return path.slice(before).map((one) => ({ from: one.node.peerName(one.port), to: one.node.name }));
    path.push(at);
    const output = node.buffer.outputsOf(port).find((one) => holds(node, one));
    at = output === undefined ? undefined : node.peer(output);
  }
  return [];
}

/** Looks for deadlocks while any switch asks for a pause. */
export class DeadlockWatch {
  readonly deadlocks: Deadlock[] = [];
  #isWatching = false;

  constructor(
    readonly simulation: Simulation,
    readonly switches: readonly PausingSwitch[],
  ) {}

  /** A switch has begun to ask for a pause. */
  begin(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#sleep();
  }

  #sleep(): void {
    this.simulation.at(this.simulation.now + INTERVAL_NS, () => this.#look());
  }

  #look(): void {
    const { now } = this.simulation;
    const stuck = stuckPauses(this.switches);
    const last = this.deadlocks.at(-1);
    const holds = last !== undefined && last.until === undefined;
    if (stuck.length === 0 && holds) last.until = now;
    if (stuck.length > 0 && !holds) {
      const cycle = cycleOf(stuck);
      this.deadlocks.push({ since: now, cycle, others: stuck.length - cycle.length });
    }
    if (this.switches.some(({ buffer }) => buffer.asking().length > 0)) this.#sleep();
    else this.#isWatching = false;
  }
}
