/**
 * Path planning over known flows (RePaC, section 4.2.2, algorithm 2): each flow in turn gets the source port that leads it to the
 * path with the minimum load. The paper counts load by path, for flows between two hosts. Here it is counted by link, so that flows
 * of many pairs, whose paths share links, are planned together: the load of a path is that of its most loaded link.
 */
import { fail, type Locate } from "../../../base/index.js";
import type { FlowKey } from "../../../base/packets/index.js";
import type { FlowAssignment } from "../../hosts/index.js";
import { type FlowColumns, FlowTracer, MAX_LINKS, type PathModel } from "../../paths/index.js";
import { nodeAt, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { KnownFlow } from "../scheme.js";
import { nicHash } from "./nic-hash.js";
import type { RepacParameters } from "./parameters.js";

interface PlanningOptions extends Pick<RepacParameters, "port_bits" | "port_ranges"> {
  readonly buckets: number;
  readonly locate: Locate;
}

/** A path between two hosts, and its source ports that no flow has yet; the last one is used next. */
interface OpenPath {
  /** Directed links between switches. */
  readonly links: Int32Array;
  readonly free: number[];
}

/** One assignment for each flow. Throws DiagnosticError P45304 where the flows between two hosts need more ports than there are. */
export function planPaths(
  topology: Topology,
  model: PathModel,
  options: PlanningOptions,
  flows: readonly KnownFlow[],
): FlowAssignment[] {
  const ends = new Map<string, FlowEnds>();
  const tracer = new FlowTracer(topology, model);
  const load = new Float64Array(2 * topology.links.length);
  return flows.map((flow) => {
    const key = [flow.version, flow.protocol, flow.source, flow.destination, flow.destinationPort].join(" ");
    let own = ends.get(key);
    if (own === undefined) {
      own = new FlowEnds(topology, tracer, options, flow);
      ends.set(key, own);
    }
    const { links, sourcePort } = own.take(load);
    // An endless flow counts as one byte: all endless flows have the same weight.
    const bytes = Number.isFinite(flow.bytes) ? flow.bytes : 1;
    for (const link of links) load[link]! += bytes / topology.links[link >> 1]!.rateBps;
    return { sourcePort };
  });
}

/** The flows from one host to a port of another one. */
class FlowEnds {
  readonly #paths = new Map<string, OpenPath>();
  /** First ports of the blocks that were not opened yet. */
  readonly #blocks: number[];

  constructor(
    readonly topology: Topology,
    readonly tracer: FlowTracer,
    readonly options: PlanningOptions,
    readonly flow: KnownFlow,
  ) {
    const size = 2 ** options.port_bits;
    this.#blocks = options.port_ranges.flatMap(([from, to]) =>
      Array.from({ length: (to + 1 - from) / size }, (_, i) => from + i * size),
    );
    this.#openBlock();
  }

  /** The path with the least load, and a port that leads there. */
  take(load: Float64Array): { readonly links: Int32Array; readonly sourcePort: number } {
    for (;;) {
      const best = this.#leastLoaded(load);
      const sourcePort = best.free.pop();
      if (sourcePort !== undefined) return { links: best.links, sourcePort };
      this.#openBlock();
    }
  }

  #leastLoaded(load: Float64Array): OpenPath {
    let best: OpenPath | undefined;
    let [least, leastSum] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const path of this.#paths.values()) {
      let [most, sum] = [0, 0];
      for (const link of path.links) {
        most = Math.max(most, load[link]!);
        sum += load[link]!;
      }
      if (most > least || (most === least && sum >= leastSum)) continue;
      [best, least, leastSum] = [path, most, sum];
    }
    return best!;
  }

  /** Opens a block: all values of the low bits with one value of the upper bits, a reference header and all changes of it. */
  #openBlock(): void {
    const first = this.#blocks.shift();
    if (first === undefined) this.#usedUp();
    const { topology } = this;
    const columns = this.#columns(first);
    const paths = this.tracer.of(columns);
    const out = new Int32Array(MAX_LINKS);
    for (let i = columns.size - 1; i >= 0; i--) {
      const count = paths.linksOf(i, out);
      const links = out.slice(0, Math.max(0, count)).filter((link) => {
        const { a, b } = topology.links[link >> 1]!;
        return nodeAt(topology, a.node).role !== "host" && nodeAt(topology, b.node).role !== "host";
      });
      const key = out.slice(0, Math.max(0, count)).join(" ");
      const known = this.#paths.get(key);
      if (known === undefined) this.#paths.set(key, { links, free: [first + i] });
      else known.free.push(first + i);
    }
  }

  #columns(first: number): FlowColumns {
    const { source, destination, version, protocol, destinationPort } = this.flow;
    const size = 2 ** this.options.port_bits;
    return {
      size,
      version,
      source: new Int32Array(size).fill(source),
      destination: new Int32Array(size).fill(destination),
      protocol: new Uint8Array(size).fill(protocol),
      sourcePort: Uint16Array.from({ length: size }, (_, i) => first + i),
      destinationPort: new Uint16Array(size).fill(destinationPort),
      nic: Uint8Array.from({ length: size }, (_, i) => this.#nicOf(first + i)),
    };
  }

  #nicOf(srcPort: number): number {
    const { source, destination, version, protocol, destinationPort: dstPort } = this.flow;
    const { nodes } = this.topology;
    const address = (node: number) => nodes[node]!.host![version === 4 ? "ipv4" : "ipv6"];
    const key: FlowKey = { src: address(source), dst: address(destination), protocol, srcPort, dstPort };
    const nics = nodes[source]!.ports.length;
    return nics === 1 ? 0 : (nicHash(key, 0) % this.options.buckets) % nics;
  }

  #usedUp(): never {
    const { topology, flow, options } = this;
    const [from, to] = [flow.source, flow.destination].map((node) => nodeAt(topology, node).name);
    const ports = options.port_ranges.reduce((sum, [first, last]) => sum + last + 1 - first, 0);
    fail(
      CODES.portsUsedUp,
      options.locate(["port_ranges"]) ?? options.locate([]),
      `the flows from ${from} to port ${flow.destinationPort} of ${to} need more source ports than the ${ports} of port_ranges`,
      "write wider port_ranges, or fewer flows",
    );
  }
}
