/**
 * Paths of probes. With exact next hops: a set of routes that covers every directed link between switches, and then, when
 * some probes are lost, routes through the suspects. Otherwise: between random hosts with random ports, as in Pingmesh.
 */
import type { Random } from "../../../base/index.js";
import {
  emptyFlows,
  type FlowColumns,
  type FlowTracer,
  MAX_LINKS,
  type NamedRoute,
  type NetworkElement,
  type RouteFinder,
  type Suspect,
} from "../../../paths/index.js";
import { hostsOf, type Topology } from "../../../topology/index.js";

/** The directed links of the next probe; `suspects`: elements that may have failed by the results so far, the likeliest first. */
export type NextWay = (suspects: readonly Suspect[]) => ArrayLike<number>;

/** Number of independent covers: each element is on at least this many routes, with different other elements. */
const COVERS = 8;
/** Maximum number of suspects that are probed one by one. */
const MOST_SUSPECTS = 64;
/** An element whose confidence is below this share of the highest one is no suspect. */
const SUSPECT_SHARE = 1e-3;

/** Routes over covers, and through suspects. Covers are computed on first use, and shared by all failures. */
export class CoverProbes {
  readonly #covers: NamedRoute[][] = [];

  constructor(
    readonly finder: RouteFinder,
    readonly random: Random,
  ) {}

  cover(number: number): readonly NamedRoute[] {
    return (this.#covers[number] ??= this.finder.cover(this.random.fork(number)));
  }

  /** A new route through an element; undefined where there is none. */
  through({ kind, number }: NetworkElement, random: Random): NamedRoute | undefined {
    const links =
      kind === "switch"
        ? this.finder.into(number)
        : kind === "link"
          ? [2 * number, 2 * number + 1]
          : [number];
    return links.length === 0 ? undefined : this.finder.through(random.pick(links), random);
  }

  /** The next route: the covers in turn; while there are suspects, every second route goes through one. */
  routes(random: Random): (suspects: readonly Suspect[]) => NamedRoute {
    let cover = 0;
    let next = 0;
    let turn = 0;
    return (suspects) => {
      if (suspects.length > 0 && turn++ % 2 === 0) {
        const own = this.through(random.pick(likely(suspects)).element, random);
        if (own !== undefined) return own;
      }
      if (next === this.cover(cover).length) {
        cover = (cover + 1) % COVERS;
        next = 0;
      }
      return this.cover(cover)[next++]!;
    };
  }
}

function likely(suspects: readonly Suspect[]): readonly Suspect[] {
  const least = SUSPECT_SHARE * suspects[0]!.confidence;
  let count = 1;
  while (count < Math.min(MOST_SUSPECTS, suspects.length) && suspects[count]!.confidence >= least) count++;
  return suspects.slice(0, count);
}

const LEAST_BATCH = 256;
const MOST_BATCH = 16_384;

/** Paths of probes between random hosts of different racks with random ports. Batches grow: most failures need few probes. */
export function randomWays(
  topology: Topology,
  tracer: FlowTracer,
  random: Random,
  ip: 4 | 6,
): () => ArrayLike<number> {
  const draw = randomFlows(topology, random, ip);
  const out = new Int32Array(MAX_LINKS);
  let size = LEAST_BATCH;
  let links = new Int32Array(0);
  let ends = new Int32Array(0);
  let count = 0;
  let next = 0;
  const trace = () => {
    const traced = tracer.of(draw(size));
    links = new Int32Array(size * 8);
    ends = new Int32Array(size + 1);
    count = next = 0;
    for (let i = 0; i < size; i++) {
      const length = traced.linksOf(i, out);
      if (length <= 0) continue;
      const start = ends[count++]!;
      const end = start + length;
      if (end > links.length) {
        const longer = new Int32Array(2 * links.length + MAX_LINKS);
        longer.set(links);
        links = longer;
      }
      for (let k = 0; k < length; k++) links[start + k] = out[k]!;
      ends[count] = end;
    }
    size = Math.min(2 * size, MOST_BATCH);
  };
  return () => {
    while (next >= count) trace();
    return links.subarray(ends[next]!, ends[++next]!);
  };
}

/** Draws columns of UDP flows between hosts of different racks, by any NIC of the sender. */
function randomFlows(
  topology: Topology,
  random: Random,
  ip: 4 | 6,
): (size: number) => FlowColumns & { readonly nic: Uint8Array } {
  const hosts = hostsOf(topology);
  return (size) => {
    const nic = new Uint8Array(size);
    const flows = { ...emptyFlows(size, ip), nic };
    flows.protocol.fill(PROTOCOL_UDP);
    for (let i = 0; i < size; i++) {
      const source = random.pick(hosts);
      let destination = random.pick(hosts);
      while (destination.host!.rack === source.host!.rack) destination = random.pick(hosts);
      flows.source[i] = source.index;
      flows.destination[i] = destination.index;
      flows.sourcePort[i] = random.int(65_536);
      flows.destinationPort[i] = random.int(65_536);
      nic[i] = random.int(source.ports.length);
    }
    return flows;
  };
}

const PROTOCOL_UDP = 17;
