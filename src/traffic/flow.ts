/** Flows: who sends how much to whom, under which ports, and when. */
import type { Random } from "../base/index.js";

export interface FlowSpec {
  /** Numbers that the topology gives to the two hosts. */
  readonly source: number;
  readonly destination: number;
  readonly ipVersion: 4 | 6;
  readonly sourcePort: number;
  readonly destinationPort: number;
  /** Nanoseconds after the start of the run. */
  readonly start: number;
  /** Infinity: until the run ends. */
  readonly bytes: number;
}

/** A host and where it stands, as far as traffic patterns care. */
export interface Place {
  readonly host: number;
  readonly rack: number;
  readonly pod: number;
}

/** Which pairs of hosts exchange traffic: all different ones, those in different racks, or in different pods. */
export type PairPattern = "any" | "inter_rack" | "inter_pod";

const APART: Readonly<Record<PairPattern, (a: Place, b: Place) => boolean>> = {
  any: (a, b) => a.host !== b.host,
  inter_rack: (a, b) => a.rack !== b.rack,
  inter_pod: (a, b) => a.pod !== b.pod,
};

/** Hosts that `source` may send to. */
export function destinationsOf(places: readonly Place[], source: Place, pattern: PairPattern): Place[] {
  return places.filter((place) => APART[pattern](source, place));
}

/** A pair of hosts, uniform over the pairs of the pattern; undefined when there is none. */
export function drawPair(
  places: readonly Place[],
  pattern: PairPattern,
  random: Random,
): readonly [source: Place, destination: Place] | undefined {
  const choices = places.map((source) => destinationsOf(places, source, pattern));
  const total = choices.reduce((sum, list) => sum + list.length, 0);
  if (total === 0) return undefined;
  let index = random.int(total);
  for (const [i, list] of choices.entries()) {
    if (index < list.length) return [places[i]!, list[index]!];
    index -= list.length;
  }
  return undefined;
}

/** Ports that Linux gives to clients (ip_local_port_range), so that five-tuples look like real ones. */
const FIRST_CLIENT_PORT = 32768;
export const CLIENT_PORTS = 60999 - FIRST_CLIENT_PORT + 1;

export function drawClientPort(random: Random): number {
  return FIRST_CLIENT_PORT + random.int(CLIENT_PORTS);
}
