/** The target of an update: the matrices of all switches and the policy of the hosts, with the present layout of the selector. */
import { fail, type Locate } from "../../../../base/index.js";
import type { Topology } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import { type CompiledSwitch, groupSizes } from "../compile.js";
import { compileFabric, type PecmpFabric } from "../fabric.js";
import { hostsOf } from "../host-rules.js";
import type { PecmpHosts } from "../hosts.js";
import { type Hop, type SelectorLayout, selectorValues } from "../layout.js";
import { alwaysMoves } from "../matrix.js";
import type { PecmpParameters } from "../parameters.js";
import type { OffsetSet } from "../selectors.js";
import { withoutElements } from "./elements.js";
import type { UpdateSpec } from "./parameters.js";

export interface Target {
  /** The topology without elements that are out of service. */
  readonly topology: Topology;
  readonly switches: readonly CompiledSwitch[];
  readonly rules: PecmpHosts;
  /** By name of a host: its NICs in service, where these are not all. */
  readonly nics: Readonly<Record<string, readonly number[]>>;
}

/**
 * Compiles for the layout of the selector that programs and hosts have. Throws DiagnosticError as {@link compileFabric} and
 * {@link withoutElements} do; P45502 where the new rows need more bits than the layout has.
 */
export function targetOf(
  topology: Topology,
  parameters: PecmpParameters,
  layout: SelectorLayout,
  spec: UpdateSpec,
  locate: Locate = () => undefined,
): Target {
  const wanted = { ...parameters, ...spec };
  const reduced = withoutElements(topology, wanted.without, locate);
  // The bits are those of the layout, not those that a new layout would need.
  const fabric = compileFabric(reduced, { ...wanted, field: "dscp_flow_label" }, locate);
  checkFits(layout, fabric, locate);
  return {
    topology: reduced,
    switches: fabric.switches,
    rules: hostsOf(wanted, {
      layout: { ...layout, control: wanted.control, fanOuts: fabric.fanOuts },
      offsets: layout.shared ? offsetsWithin(layout, fabric, reduced, locate) : fabric.offsets,
    }),
    nics: nicsInService(reduced),
  };
}

function checkFits(layout: SelectorLayout, { layout: fresh }: PecmpFabric, locate: Locate): void {
  if (layout.shared && !fresh.shared)
    fail(
      CODES.selectorFixed,
      locate(["control"]),
      `control: ${fresh.control} needs a slice of the selector for each hop, but the programs read one value at all hops`,
      "begin with control: both; an update can go from there to any control",
    );
  for (const [hop, { most }] of Object.entries(fresh.fanOuts)) {
    const values = layout.shared ? 1 : selectorValues(fresh.control, most);
    const room = 2 ** (layout.slices[hop as Hop]?.width ?? 0);
    if (values <= room) continue;
    fail(
      CODES.selectorFixed,
      locate(["control"]) ?? locate(["without"]),
      `${hop} needs ${values} values of the selector, but its slice has ${room}`,
      "programs keep their bits: begin with the widest control and with all links that may be in service",
    );
  }
}

/** Offsets of the layout's width that move every flow in all groups. */
function offsetsWithin(
  layout: SelectorLayout,
  { offsets, switches }: PecmpFabric,
  topology: Topology,
  locate: Locate,
): OffsetSet {
  const width = Math.max(0, ...Object.values(layout.slices).map((slice) => slice.width));
  const limit = 2 ** width;
  if (offsets.offsets.every((offset) => offset < limit)) return { ...offsets, bits: width };
  const sizes = groupSizes(topology, switches);
  const matrices = switches.flatMap((compiled) => compiled.matrices.map(({ matrix }) => matrix));
  const moves = (offset: number) =>
    sizes.every((size) => offset % size !== 0) && matrices.every((matrix) => alwaysMoves(matrix, 0, offset));
  const found = Array.from({ length: limit - 1 }, (_, i) => i + 1).filter(moves);
  if (found.length === 0)
    fail(
      CODES.selectorFixed,
      locate(["without"]) ?? locate(["offsets"]),
      `no offset of ${width} bits moves every flow in groups of ${sizes.join(", ")}`,
      "begin with offsets: primes, which need more bits",
    );
  return { rule: "primes", offsets: found, bits: width };
}

/** By name of a host that has lost some of its links: the NICs that still have one. */
export function nicsInService({ nodes, down }: Topology): Record<string, readonly number[]> {
  const nics: Record<string, readonly number[]> = {};
  if (down === undefined) return nics;
  for (const { name, role, ports } of nodes) {
    if (role !== "host") continue;
    const left = ports.flatMap(({ link }, nic) => (down.has(link) ? [] : [nic]));
    if (left.length < ports.length) nics[name] = left;
  }
  return nics;
}
