/**
 * HyperX (Ahn et al., SC 2009; Dahu, section 4.1): switches on a lattice, joined where their coordinates differ in exactly one
 * dimension. A hypercube is a HyperX with two switches in each dimension.
 */
import { fail, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";
import { Draft, type DraftNode } from "./draft.js";
import { addHosts } from "./flat.js";
import { checkHosts, checkPorts, MAX_SWITCHES } from "./limits.js";
import { missingLinks } from "./links-down.js";
import { finish } from "./racks.js";
import type { FlattenedButterflySpec, HyperXSpec } from "./spec.js";
import type { Topology, TopologyNode } from "./topology.js";

/** Ports of a switch: its hosts, then dimension by dimension the switches in the order of their coordinate. */
export function hyperx(spec: HyperXSpec, locate: Locate): Topology {
  const { shape } = spec;
  for (const [i, size] of shape.entries())
    if (size < 2)
      fail(
        CODES.countTooSmall,
        locate(["shape", i]),
        `dimension ${i} has ${size} switches`,
        "at least 2 are needed",
      );
  checkHosts(spec.hosts_per_switch, "hosts_per_switch", locate);
  const count = shape.reduce((product, size) => product * size, 1);
  if (count > MAX_SWITCHES)
    fail(
      CODES.addressesExceeded,
      locate(["shape"]),
      `${count} switches with hosts: the address plan has room for ${MAX_SWITCHES}`,
    );
  const ports = shape.reduce((sum, size) => sum + size - 1, spec.hosts_per_switch);
  checkPorts("switch", ports, "shape", locate);

  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  const switches: DraftNode[] = [];
  for (let index = 0; index < count; index++) {
    const coordinates = coordinatesAt(shape, index);
    const made = draft.node("switch", `switch${coordinates.join("-")}`, undefined, index);
    made.coordinates = coordinates;
    switches.push(made);
  }
  for (const [index, own] of switches.entries())
    addHosts(draft, own, coordinatesAt(shape, index).join("-"), undefined, spec);
  // All links of dimension 0 first, and within a dimension by the lower end: so the ports of each switch are sorted.
  let stride = count;
  for (const size of shape) {
    stride /= size;
    for (const [index, own] of switches.entries()) {
      const at = Math.floor(index / stride) % size;
      for (let other = at + 1; other < size; other++) {
        const peer = switches[index + (other - at) * stride]!;
        if (!missing.takes(own, peer)) draft.link(own, peer, spec.fabric_link);
      }
    }
  }
  missing.check(draft);
  return finish(spec.name ?? "hyperx", draft, locate);
}

/**
 * Flattened butterfly (Kim, Dally and Abts, ISCA 2007): a k-ary n-flat joins the switches of each row of a k-ary n-fly into one, with k hosts, and
 * is the HyperX with n - 1 dimensions of k switches.
 */
export function flattenedButterfly(
  { k, n, hosts_per_switch: hosts = k, ...others }: FlattenedButterflySpec,
  locate: Locate,
): Topology {
  if (n < 2)
    fail(CODES.countTooSmall, locate(["n"]), `a flattened butterfly of ${n} stages`, "at least 2 are needed");
  const shape = new Array<number>(n - 1).fill(k);
  return hyperx(
    {
      ...others,
      kind: "hyperx",
      name: others.name ?? "flattened_butterfly",
      shape,
      hosts_per_switch: hosts,
    },
    (path, atKey) => locate(path[0] === "shape" ? ["k"] : path, atKey),
  );
}

/** The last dimension varies first. */
function coordinatesAt(shape: readonly number[], index: number): number[] {
  const coordinates: number[] = new Array(shape.length).fill(0);
  let rest = index;
  for (let dimension = shape.length - 1; dimension >= 0; dimension--) {
    const size = shape[dimension]!;
    coordinates[dimension] = rest % size;
    rest = Math.floor(rest / size);
  }
  return coordinates;
}

/**
 * Dimensions in which two switches of a HyperX differ, ascending: as many as a shortest path has links (Dahu, section 4.1).
 * Throws RangeError for a node without coordinates.
 */
export function offsetDimensions(a: TopologyNode, b: TopologyNode): number[] {
  const [from, to] = [a.coordinates, b.coordinates];
  if (from === undefined || to === undefined)
    throw new RangeError(`${a.name} or ${b.name} is no switch of a HyperX`);
  return [...from.keys()].filter((dimension) => from[dimension] !== to[dimension]);
}
