/**
 * Packets that try every cell: flows drawn from a seed, every selector, through one switch of a plan. Both
 * the recording from real BMv2 (test/golden/pecmp) and the tests of the embedded switch use them.
 */

import { Random } from "../../../src/base/index.js";
import type { FlowKey } from "../../../src/base/packets/index.js";
import type { SwitchPlan } from "../../../src/fabric/schemes/index.js";
import { compileFabric } from "../../../src/fabric/schemes/pecmp/fabric.js";
import { pecmp } from "../../../src/fabric/schemes/pecmp/index.js";
import { readSlice } from "../../../src/fabric/schemes/pecmp/layout.js";
import { nextHop } from "../../../src/fabric/schemes/pecmp/matrix.js";
import { pecmpParameters } from "../../../src/fabric/schemes/pecmp/parameters.js";
import type { PecmpProgram } from "../../../src/fabric/schemes/pecmp/program.js";
import { hostsOf, nodeNamed } from "../../../src/fabric/topology/index.js";
import type { Update } from "../../../src/toolchain/device/index.js";
import { build, example } from "../topology/load.js";
import { crc, pack } from "./crc.js";
import { frameOf } from "./frames.js";
import { ModelSwitch } from "./model-switch.js";

const mesh = build({
  ...{ kind: "clos", pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 8, hosts_per_rack: 1 },
  wiring: "mesh",
});

/** When real BMv2 was recorded, leaves hashed down as they hash up. */
const AS_RECORDED = { leaf: { down: { function: "crc32", order: "forward" } } } as const;

/** Switches to probe: one of each role, every field, groups of powers of two and others. */
export const PROBES = {
  "tor-dscp": { topology: example("clos"), node: "tor0-1", input: {} },
  "leaf-dscp-version": {
    topology: example("clos"),
    node: "leaf1-2",
    input: { version_bit: "overall", hash: AS_RECORDED },
  },
  "leaf-label-both": {
    topology: mesh,
    node: "leaf0-3",
    input: { control: "both", field: "flow_label", hash: AS_RECORDED },
  },
  "spine-vlan": { topology: mesh, node: "spine5", input: { field: "vlan" } },
  "tor-primes": { topology: example("asymmetric"), node: "tor0-0", input: { field: "dscp_flow_label" } },
} as const;

/** Hash seeds that the switches had when real BMv2 was recorded, by role; what a plan draws may change. */
const RECORDED_SEEDS: Readonly<Record<string, number>> = { tor: 58187, leaf: 14295, spine: 23988 };

function withRecordedSeed(plan: SwitchPlan, role: string): SwitchPlan {
  const updates = plan.updates.map((update): Update => {
    const { entity } = update;
    if (entity.kind !== "tableEntry" || entity.action?.kind !== "action") return update;
    if (!entity.action.action.endsWith(".set_hash_seed")) return update;
    const seed = BigInt(RECORDED_SEEDS[role]!);
    const params = Object.fromEntries(Object.keys(entity.action.params).map((way) => [way, seed]));
    return { ...update, entity: { ...entity, action: { ...entity.action, params } } };
  });
  return { ...plan, updates };
}

export type ProbeName = keyof typeof PROBES;

interface Probe {
  readonly family: "ipv4" | "ipv6";
  readonly flow: FlowKey;
  readonly selector: number;
  /** Port that the flow's destination goes to: C[s mod M, Hash(f)], or the only one. */
  readonly port: number;
  readonly frame: Uint8Array;
}

export function probeSet(name: ProbeName, flows: number) {
  const { topology, node: nodeName, input } = PROBES[name];
  const parameters = pecmpParameters.parse(input);
  const { layout, switches } = compileFabric(topology, parameters, () => undefined);
  const plan = pecmp.plan(topology, parameters);
  const node = nodeNamed(topology, nodeName)!;
  const drawn = plan.switches.find((candidate) => candidate.node === node.index)!;
  const planned = withRecordedSeed(drawn, node.role);
  const compiled = switches.find((candidate) => candidate.node === node.index)!;
  const program = plan.programs.find((candidate) => candidate.name === planned.program)!;
  const ways = program.values as PecmpProgram;
  const { seeds } = new ModelSwitch(planned);
  const random = new Random(name);
  const hosts = hostsOf(topology);
  // Without a tag or an IPv6 header, the field is not there: such packets carry selector 0.
  const values = Math.min(2 ** layout.bits, 32);
  const probes: Probe[] = [];
  for (let i = 0; i < flows; i++) {
    const family = i % 2 === 0 ? "ipv4" : "ipv6";
    const [from, to] = [random.pick(hosts), random.pick(hosts)];
    const flow: FlowKey = {
      src: from.host![family],
      dst: to.host![family],
      protocol: random.int(4) === 0 ? 17 : 6,
      srcPort: random.int(65536),
      dstPort: random.int(65536),
    };
    const tuple = [
      { value: flow.src, width: 128 },
      { value: flow.dst, width: 128 },
      { value: BigInt(flow.protocol), width: 8 },
      { value: BigInt(flow.srcPort), width: 16 },
      { value: BigInt(flow.dstPort), width: 16 },
    ];
    const hops = hopsTo(compiled.routing, family, flow.dst);
    const matrix = compiled.ofHops[hops];
    const way = matrix?.direction ?? "up";
    const hash = ways[way]?.hash ?? { algorithm: "crc32", order: "forward" };
    tuple.push({ value: BigInt(seeds[way] ?? 0), width: 16 });
    if (hash.order === "reversed") tuple.reverse();
    const hashed = crc(hash.algorithm, pack(tuple));
    for (let s = 0; s < values; s++) {
      const selector = values < 2 ** layout.bits ? random.int(2 ** layout.bits) : s;
      const carried = family === "ipv4" ? inIpv4(parameters.field, selector) : selector;
      const port =
        matrix === undefined
          ? compiled.routing.hopSets[hops]!.ports[0]!
          : matrix.ports[
              nextHop(
                matrix.matrix,
                readSlice(layout, matrix.hop, carried),
                hashed % matrix.matrix.base.length,
              )
            ]!;
      const frame = frameOf({ family, flow, field: parameters.field, selector, dstMac: node.mac });
      probes.push({ family, flow, selector, port, frame });
    }
  }
  return { plan, planned, program, probes, node, topology };
}

/** An IPv4 packet has no flow label. */
function inIpv4(field: string, selector: number): number {
  if (field === "flow_label") return 0;
  return field === "dscp_flow_label" ? selector & 0x3f : selector;
}

function hopsTo(
  routing: ReturnType<typeof compileFabric>["switches"][number]["routing"],
  family: "ipv4" | "ipv6",
  address: bigint,
): number {
  const bits = family === "ipv4" ? 32 : 128;
  const covering = routing.routes.filter(({ [family]: prefix }) => {
    const shift = BigInt(bits - prefix.length);
    return address >> shift === prefix.address >> shift;
  });
  covering.sort((a, b) => b[family].length - a[family].length);
  return covering[0]!.hops;
}
