/**
 * Collects the pathmap by probes of all running switches before traffic starts (RePaC, section 4.1), compares it with the
 * definition, and sends it to the hosts. A switch that is not linear, or differs from its tier, is an error.
 */
import { fail, type Json } from "../../../base/index.js";
import type { ControlledSwitch, Controller, ControllerContext } from "../../controllers/index.js";
import {
  controlProbeBits,
  type ProbedChoice,
  Prober,
  probeChoice,
  REFERENCE_SOURCE_BITS,
  referenceProbe,
} from "../../probing/index.js";
import { nodeAt, rackAt, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { BucketGroup } from "./groups.js";
import type { HopMap, Pathmap } from "./pathmap.js";

/** Its name in logs and faults. */
export const PATHMAP_CONTROLLER = "pathmap";

interface PathmapControllerOptions {
  /** As the definition gives it. */
  readonly computed: Pathmap;
  /** By node. */
  readonly groups: ReadonlyMap<number, readonly BucketGroup[]>;
  /** By node and hop set: an IPv4 address that this hop set reaches. */
  destination(node: number, hops: number): bigint;
}

/** On a testbed the first question to a host starts a process. */
const HOSTS_AT_ONCE = 4;
/** Number of random pairs of headers for each choice. */
const TESTS = 64;

export function pathmapController(options: PathmapControllerOptions): Controller {
  return {
    prepare: async (context) => {
      const pathmap = await collect(options, context);
      const message = { pathmap: JSON.parse(JSON.stringify(pathmap)) as Json };
      const { hosts } = context;
      for (let from = 0; from < hosts.length; from += HOSTS_AT_ONCE)
        await Promise.all(hosts.slice(from, from + HOSTS_AT_ONCE).map((host) => host.ask(message)));
      context.log(
        `the pathmap of ${context.switches.length} switches is as computed; ${context.hosts.length} hosts have it`,
      );
    },
    start: () => {},
  };
}

interface TierChoice {
  readonly name: string;
  readonly offsets: readonly number[];
  readonly size: number;
}

async function collect(options: PathmapControllerOptions, context: ControllerContext): Promise<Pathmap> {
  const tiers = new Map<string, TierChoice[]>();
  for (const own of context.switches) {
    const groups = options.groups.get(own.node.index)!;
    if (groups.length === 0) continue;
    for (const { way, ports, hops } of groups) {
      const dst = options.destination(own.node.index, hops);
      const probed = await probe(own, ports, dst, options.computed, context);
      checkLinear(own.node.name, way, probed);
      const hop = `${own.node.role} ${way}`;
      const list = tiers.get(hop) ?? [];
      tiers.set(hop, [...list, { name: own.node.name, offsets: probed.offsets, size: ports.length }]);
    }
  }
  const { computed } = options;
  return { ...computed, hops: computed.hops.map((hop) => agreed(hop, tiers.get(hop.hop) ?? [])) };
}

async function probe(
  { device }: ControlledSwitch,
  ports: readonly number[],
  dst: bigint,
  { control }: Pathmap,
  { clock, random }: ControllerContext,
): Promise<ProbedChoice> {
  const prober = new Prober(device, { field: control.field, sleep: (ns) => clock.sleep(ns) });
  try {
    return await probeChoice(prober, {
      reference: referenceProbe(dst),
      sourceBits: REFERENCE_SOURCE_BITS,
      bits: controlProbeBits(control.portBits, control.field, control.fieldBits),
      ports,
      tests: TESTS,
      random,
    });
  } finally {
    prober.close();
  }
}

function checkLinear(name: string, way: string, { counterexample, stray, ports }: ProbedChoice): void {
  if (stray !== undefined)
    fail(
      CODES.probedPathmap,
      undefined,
      `${name} sends a probe ${way} by port ${stray}, which is none of its next hops there (${ports.join(", ")})`,
    );
  if (counterexample === undefined) return;
  const { bits, got, expected, header } = counterexample;
  fail(
    CODES.probedPathmap,
    undefined,
    `the choice of ${name} on the way ${way} is not linear`,
    `for source ${header.src}, ports ${header.srcPort} and ${header.dstPort} and field ${header.selector} a change of ${bits.join(", ")} leads to next hop ${got}; if it were linear, to ${expected}`,
  );
}

/**
 * The offsets of a tier. Probes see next hops, not buckets: for groups with 2^n next hops they see the low n bits. For a
 * switch with fewer next hops than the tier's largest they see fewer bits.
 */
function agreed(hop: HopMap, choices: readonly TierChoice[]): HopMap {
  // A hop of the hosts.
  if (choices.length === 0) return hop;
  const largest = choices.reduce((a, b) => (b.size > a.size ? b : a));
  const text = (offsets: readonly number[]) => offsets.join(" ");
  const low = (offsets: readonly number[], size: number) => offsets.map((offset) => offset % size);
  for (const choice of choices) {
    const expected = low(hop.offsets, choice.size);
    if (text(choice.offsets) === text(expected)) continue;
    const alike = choices.filter(({ offsets, size }) => text(offsets) === text(low(choice.offsets, size)));
    fail(
      CODES.probedPathmap,
      undefined,
      2 * alike.length > choices.length
        ? `the switches of ${hop.hop} do not hash as planned: ${choice.name} moves by ${text(choice.offsets)}, not by ${text(expected)}`
        : `${choice.name} differs from its tier (${hop.hop}): the control bits move its choice by ${text(choice.offsets)}, that of the others by ${text(expected)}`,
      "offsets of the next hop by control bit, lowest bit first; load the planned program into the switch",
    );
  }
  return { ...hop, offsets: largest.offsets };
}

/** The address of one host that is reached by each hop set of a switch. */
export function destinations(topology: Topology, rackHops: (node: number) => ArrayLike<number>) {
  return (node: number, hops: number): bigint => {
    const next = rackHops(node);
    const rack = topology.racks.findIndex(({ index }) => next[index] === hops);
    return nodeAt(topology, rackAt(topology, rack).hosts[0]!).host!.ipv4;
  };
}
