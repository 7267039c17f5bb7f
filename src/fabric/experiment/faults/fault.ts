/** A fault: an element of the network, what happens to it, to which packets, and when. Times are nanoseconds. */
import { defined } from "../../../base/index.js";
import type { PacketMatch } from "../../../base/packets/index.js";
import type { Topology } from "../../topology/index.js";

/** Both directions of a link, or one. `out` is what end `a` of the link sends. */
export type Ways = "both" | "out" | "in";

/** Where a fault is. Indexes are those of the topology. */
export type Element =
  /** A switch, or a host. */
  | { readonly kind: "node"; readonly index: number }
  | { readonly kind: "link"; readonly index: number; readonly ways: Ways }
  /** The channel between central controllers and a switch or host; {@link ALL_CHANNELS}: the management network. */
  | { readonly kind: "control"; readonly index: number }
  /** A flow, by its number in the results; `out` is what its source sends. */
  | { readonly kind: "flow"; readonly index: number; readonly ways: "out" | "in" };

/** Index of the element that stands for the control channels of all switches and hosts. */
export const ALL_CHANNELS = -1;

/** What happens there. */
export type Effect =
  | {
      readonly kind: "packets";
      /** Shares of the matching packets that are lost and corrupted, 0 to 1; only packets that are not lost are corrupted. */
      readonly loss: number;
      readonly corruption: number;
      /** Nanoseconds by which matching packets are delayed. */
      readonly delay: number;
      /** Share of a link's rate that is left, above 0 and below 1; undefined: all of it. */
      readonly rate?: number;
    }
  /** Both ends of a link lose their carrier: a signal, unlike lost packets. */
  | { readonly kind: "down" }
  /** Of a flow: the packets with these numbers are lost, from 1, of those with data or of all. */
  | { readonly kind: "drop"; readonly numbers: readonly number[]; readonly counted: "data" | "all" }
  /** The process of a switch ends as in a crash; its end is a restart. */
  | { readonly kind: "kill" };

export interface Fault {
  /** Position in the list of faults that it comes from. */
  readonly number: number;
  readonly element: Element;
  readonly effect: Effect;
  /** The packets that it affects; absent: all. */
  readonly match: PacketMatch | undefined;
  readonly at: number;
  /** Undefined: until the end of the run. */
  readonly until: number | undefined;
  /** It acts at the beginning of each period, for this share of it. */
  readonly flap: Flap | undefined;
}

export interface Flap {
  readonly period: number;
  /** Above 0 and below 1. */
  readonly duty: number;
}

/** Every packet is lost, as on a cut link. */
export const SILENCE: Effect = { kind: "packets", loss: 1, corruption: 0, delay: 0 };

/** Whether nothing passes the element while the fault acts. */
export function isCut({ effect, match }: Pick<Fault, "effect" | "match">): boolean {
  if (effect.kind === "drop") return false;
  return effect.kind !== "packets" || (effect.loss === 1 && match === undefined);
}

/** One direction of a link: what the node at its end `a` sends, or the one at `b`. */
interface Direction {
  readonly link: number;
  readonly from: "a" | "b";
}

/**
 * The directions of links on which a fault of an element affects packets, each packet once: for a switch its sending directions, for a
 * host both directions of its links.
 */
export function directionsOf(topology: Topology, element: Element): Direction[] {
  if (element.kind === "control" || element.kind === "flow") return [];
  if (element.kind === "link") {
    const { index, ways } = element;
    const out: Direction = { link: index, from: "a" };
    const back: Direction = { link: index, from: "b" };
    return ways === "both" ? [out, back] : [ways === "out" ? out : back];
  }
  const { role, ports } = defined(topology.nodes[element.index]);
  return ports.flatMap(({ link }): Direction[] => {
    const out = defined(topology.links[link]).a.node === element.index ? "a" : "b";
    const sent: Direction = { link, from: out };
    return role === "host" ? [sent, { link, from: out === "a" ? "b" : "a" }] : [sent];
  });
}

/** `leaf0-1`, `tor0-0 - leaf0-1`, or `tor0-0 > leaf0-1` for one direction. */
export function elementName(topology: Topology, element: Element): string {
  const name = (node: number) => defined(topology.nodes[node]).name;
  if (element.kind === "node") return name(element.index);
  if (element.kind === "control")
    return element.index === ALL_CHANNELS
      ? "all control channels"
      : `the control channel of ${name(element.index)}`;
  if (element.kind === "flow") return `flow ${element.index}${element.ways === "in" ? ", back" : ""}`;
  const { a, b } = defined(topology.links[element.index]);
  if (element.ways === "in") return `${name(b.node)} > ${name(a.node)}`;
  return `${name(a.node)} ${element.ways === "out" ? ">" : "-"} ${name(b.node)}`;
}

/** `silent`, `10% loss`, `down`, ...: what happens, for tables and messages. */
export function effectName({ effect, match, flap }: Pick<Fault, "effect" | "match" | "flap">): string {
  const words: string[] = [];
  if (effect.kind === "drop") words.push(dropName(effect));
  else if (effect.kind !== "packets") words.push(effect.kind);
  else if (isCut({ effect, match })) words.push("silent");
  else {
    if (effect.loss > 0) words.push(`${percent(effect.loss)} loss`);
    if (effect.corruption > 0) words.push(`${percent(effect.corruption)} corruption`);
    if (effect.delay > 0) words.push(`${effect.delay / 1e3}us delay`);
    if (effect.rate !== undefined) words.push(`${percent(effect.rate)} rate`);
  }
  if (match !== undefined) words.push("of some packets");
  if (flap !== undefined) words.push("flapping");
  return words.join(" ");
}

/** The name of the event that ends the fault. */
export function endName({ effect }: Pick<Fault, "effect">): string {
  return { packets: "repair", down: "up", kill: "restart", drop: "end of the drops" }[effect.kind];
}

/** `drop of packet 9 with data`. */
function dropName({ numbers, counted }: Extract<Effect, { kind: "drop" }>): string {
  return `drop of packet${numbers.length === 1 ? "" : "s"} ${numbers.join(", ")}${counted === "data" ? " with data" : ""}`;
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(4))}%`;
}

// The times at which faults begin and end; a flapping fault begins and ends many times.

interface Transition {
  /** Nanoseconds from the start. */
  readonly at: number;
  readonly fault: Fault;
  readonly begins: boolean;
}

/**
 * All changes before `duration`, in time order. At the same time ends come before beginnings; then the order of the list holds.
 * A fault that lasts beyond `duration` has no end here.
 */
export function transitionsOf(faults: readonly Fault[], duration: number): Transition[] {
  const result: Transition[] = [];
  for (const fault of faults) {
    for (const { from, to } of spans(fault, duration)) {
      if (from >= duration) break;
      result.push({ at: from, fault, begins: true });
      if (to < duration) result.push({ at: to, fault, begins: false });
    }
  }
  return result.sort(
    (a, b) => a.at - b.at || Number(a.begins) - Number(b.begins) || a.fault.number - b.fault.number,
  );
}

function* spans({ at, until, flap }: Fault, duration: number): Generator<{ from: number; to: number }> {
  const end = Math.min(until ?? Number.POSITIVE_INFINITY, duration);
  if (flap === undefined) {
    yield { from: at, to: until ?? Number.POSITIVE_INFINITY };
    return;
  }
  for (let i = 0; ; i++) {
    const from = Math.round(at + i * flap.period);
    if (from >= end) return;
    const on = Math.max(1, Math.round(flap.duty * flap.period));
    yield { from, to: Math.min(from + on, until ?? Number.POSITIVE_INFINITY) };
  }
}
