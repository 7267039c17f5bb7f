/**
 * Builds a {@link Topology} from its spec: nodes, then links in a fixed order (so port numbers are always
 * the same), then racks and addresses. A spec of an impossible network is a diagnostic.
 *
 * Addresses: host h of rack r in pod p is 10.p.r.(h+1) and fd00:0:p:r::(h+1), so a rack is a /24 and a /64,
 * a pod a /16 and a /48. The racks of a graph without tiers have consecutive numbers: rack n is in pod n / 256.
 */
import { fail, type Locate } from "../base/index.js";
import type { ClosSpec, GraphSpec, LeafSpineSpec, TopologySpec } from "./spec.js";
import {
  type Link,
  type Pod,
  type Port,
  type Rack,
  type Role,
  TIER,
  type Topology,
  type TopologyNode,
} from "./topology.js";

/** v1model ports have 9 bits, and 511 is the drop port. */
const MAX_PORT = 510;
const MAX_PODS = 256;
const MAX_RACKS_PER_POD = 256;
const MAX_HOSTS_PER_RACK = 254;

/**
 * Builds the network that `spec` describes; `locate` finds keys of the spec for messages.
 * Throws DiagnosticError, P42101 to P42107, when there is no such network.
 */
export function buildTopology(spec: TopologySpec, locate: Locate = () => undefined): Topology {
  switch (spec.kind) {
    case "clos":
      return clos(spec, locate);
    case "leaf_spine":
      return leafSpine(spec, locate);
    case "graph":
      return graph(spec, locate);
  }
}

interface DraftNode {
  index: number;
  name: string;
  role: Role;
  pod: number | undefined;
  position: number;
  ports: Port[];
}

interface LinkShape {
  rate: number;
  delay: number;
}

/** Collects nodes and links. */
class Draft {
  readonly nodes: DraftNode[] = [];
  readonly links: Link[] = [];
  readonly byName = new Map<string, DraftNode>();

  node(role: Role, name: string, pod: number | undefined, position: number): DraftNode {
    const node: DraftNode = { index: this.nodes.length, name, role, pod, position, ports: [] };
    this.nodes.push(node);
    this.byName.set(name, node);
    return node;
  }

  link(a: DraftNode, b: DraftNode, shape: LinkShape): void {
    const index = this.links.length;
    const portA = a.ports.length + 1;
    const portB = b.ports.length + 1;
    a.ports.push({ number: portA, link: index, peer: b.index, peerPort: portB });
    b.ports.push({ number: portB, link: index, peer: a.index, peerPort: portA });
    this.links.push({
      index,
      a: { node: a.index, port: portA },
      b: { node: b.index, port: portB },
      rateBps: shape.rate,
      delayNs: shape.delay,
    });
  }
}

function clos(spec: ClosSpec, locate: Locate): Topology {
  positive(spec.pods, "pods", locate);
  positive(spec.tors_per_pod, "tors_per_pod", locate);
  positive(spec.leaves_per_pod, "leaves_per_pod", locate);
  positive(spec.spines_per_plane, "spines_per_plane", locate);
  if (spec.pods > MAX_PODS) {
    fail("P42103", locate(["pods"]), `${spec.pods} pods: the address plan has room for ${MAX_PODS}`);
  }
  const pods = checkPods(spec, spec.tors_per_pod, "tors_per_pod", locate);
  const mesh = spec.wiring === "mesh";
  const planes = mesh ? 1 : spec.leaves_per_pod;
  checkPorts("leaf", spec.tors_per_pod + spec.spines_per_plane, "spines_per_plane", locate);
  checkPorts("ToR", pods.hostsPerTor + spec.leaves_per_pod, "leaves_per_pod", locate);
  checkPorts("spine", spec.pods * (mesh ? spec.leaves_per_pod : 1), "pods", locate);

  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  const allLeaves: DraftNode[][] = [];
  for (let pod = 0; pod < spec.pods; pod++) {
    const size = { tors: spec.tors_per_pod, leaves: spec.leaves_per_pod };
    allLeaves.push(addPod(draft, pod, size, spec, missing));
  }
  for (let plane = 0; plane < planes; plane++) {
    for (let i = 0; i < spec.spines_per_plane; i++) {
      const name = mesh ? `spine${i}` : `spine${plane}-${i}`;
      draft.node("spine", name, undefined, plane * spec.spines_per_plane + i);
    }
  }
  const spines = draft.nodes.filter((node) => node.role === "spine");
  for (const leaves of allLeaves) {
    for (const [k, leaf] of leaves.entries()) {
      const first = mesh ? 0 : k * spec.spines_per_plane;
      for (const spine of spines.slice(first, first + spec.spines_per_plane)) {
        if (!missing.takes(leaf, spine)) draft.link(leaf, spine, spec.fabric_link);
      }
    }
  }
  missing.check(draft);
  return finish(spec.name ?? "clos", draft, locate);
}

function leafSpine(spec: LeafSpineSpec, locate: Locate): Topology {
  positive(spec.tors, "tors", locate);
  positive(spec.leaves, "leaves", locate);
  const pods = checkPods(spec, spec.tors, "tors", locate);
  checkPorts("leaf", spec.tors, "tors", locate);
  checkPorts("ToR", pods.hostsPerTor + spec.leaves, "leaves", locate);
  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  addPod(draft, 0, spec, spec, missing);
  missing.check(draft);
  return finish(spec.name ?? "leaf_spine", draft, locate);
}

/** Adds the ToRs, leaves and hosts of one pod and the links between them; returns the leaves. */
function addPod(
  draft: Draft,
  pod: number,
  size: { tors: number; leaves: number },
  spec: ClosSpec | LeafSpineSpec,
  missing: MissingLinks,
): DraftNode[] {
  const torsPerRack = spec.homing === "dual" ? 2 : 1;
  const tors: DraftNode[] = [];
  for (let i = 0; i < size.tors; i++) tors.push(draft.node("tor", `tor${pod}-${i}`, pod, i));
  const leaves: DraftNode[] = [];
  for (let i = 0; i < size.leaves; i++) leaves.push(draft.node("leaf", `leaf${pod}-${i}`, pod, i));
  for (let rack = 0; rack < size.tors / torsPerRack; rack++) {
    for (let i = 0; i < spec.hosts_per_rack; i++) {
      const host = draft.node("host", `host${pod}-${rack}-${i}`, pod, rack * spec.hosts_per_rack + i);
      for (let nic = 0; nic < torsPerRack; nic++) {
        draft.link(host, tors[rack * torsPerRack + nic]!, spec.host_link);
      }
    }
  }
  for (const tor of tors) {
    for (const leaf of leaves) {
      if (!missing.takes(tor, leaf)) draft.link(tor, leaf, spec.fabric_link);
    }
  }
  return leaves;
}

function positive(value: number, key: string, locate: Locate): void {
  if (value < 1) fail("P42101", locate([key]), `${key} is ${value}`, "at least 1 is needed");
}

function checkPods(spec: ClosSpec | LeafSpineSpec, tors: number, torsKey: string, locate: Locate) {
  positive(spec.hosts_per_rack, "hosts_per_rack", locate);
  const dual = spec.homing === "dual";
  if (dual && tors % 2 !== 0) {
    fail(
      "P42102",
      locate([torsKey]),
      `${torsKey} is ${tors}, but dual-homed hosts need pairs of ToRs`,
      `write ${tors + 1}, or homing: single`,
    );
  }
  const racks = dual ? tors / 2 : tors;
  if (racks > MAX_RACKS_PER_POD) {
    fail(
      "P42103",
      locate([torsKey]),
      `${racks} racks in a pod: the address plan has room for ${MAX_RACKS_PER_POD}`,
    );
  }
  if (spec.hosts_per_rack > MAX_HOSTS_PER_RACK) {
    fail(
      "P42103",
      locate(["hosts_per_rack"]),
      `${spec.hosts_per_rack} hosts in a rack: the address plan has room for ${MAX_HOSTS_PER_RACK}`,
    );
  }
  return { hostsPerTor: spec.hosts_per_rack };
}

function checkPorts(role: string, ports: number, key: string, locate: Locate): void {
  if (ports <= MAX_PORT) return;
  fail(
    "P42104",
    locate([key]),
    `a ${role} would need ${ports} ports`,
    `a v1model switch has ports 1 to ${MAX_PORT}: a port number has 9 bits and 511 means drop`,
  );
}

interface MissingLinks {
  /** Whether the link between these two is to be left out. */
  takes(a: DraftNode, b: DraftNode): boolean;
  /** P42105 for a pair that names no link of the generator. */
  check(draft: Draft): void;
}

function missingLinks(pairs: readonly (readonly [string, string])[], locate: Locate): MissingLinks {
  const unused = new Map<string, number>();
  for (const [i, [a, b]] of pairs.entries()) unused.set(linkKey(a, b), i);
  const wanted = new Set(unused.keys());
  return {
    takes(a, b) {
      const key = linkKey(a.name, b.name);
      unused.delete(key);
      return wanted.has(key);
    },
    check(draft) {
      for (const i of unused.values()) {
        const unknown = pairs[i]!.findIndex((name) => !draft.byName.has(name));
        if (unknown >= 0) {
          fail("P42105", locate(["missing_links", i, unknown]), `no node is called "${pairs[i]![unknown]}"`);
        }
        fail(
          "P42105",
          locate(["missing_links", i]),
          `there is no link between "${pairs[i]!.join('" and "')}"`,
        );
      }
    },
  };
}

function linkKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

function graph(spec: GraphSpec, locate: Locate): Topology {
  const draft = new Draft();
  const counts = new Map<Role, number>();
  for (const [i, { name, role }] of spec.nodes.entries()) {
    if (draft.byName.has(name))
      fail("P42106", locate(["nodes", i, "name"]), `two nodes are called "${name}"`);
    const position = counts.get(role) ?? 0;
    counts.set(role, position + 1);
    draft.node(role, name, undefined, position);
  }
  for (const [i, link] of spec.links.entries()) {
    const end = (key: "a" | "b") =>
      draft.byName.get(link[key]) ??
      fail("P42105", locate(["links", i, key]), `no node is called "${link[key]}"`);
    let a = end("a");
    let b = end("b");
    if (a === b) fail("P42106", locate(["links", i]), `a link leads from "${a.name}" to itself`);
    if (a.role === "host" && b.role === "host") {
      fail("P42106", locate(["links", i]), `a link joins two hosts, "${a.name}" and "${b.name}"`);
    }
    if (TIER[a.role] > TIER[b.role]) [a, b] = [b, a];
    draft.link(a, b, link);
  }
  for (const [i] of spec.nodes.entries()) {
    const { name, ports, role } = draft.nodes[i]!;
    if (ports.length > MAX_PORT) checkPorts(`switch such as "${name}"`, ports.length, "links", locate);
    if (role === "host" && ports.length === 0) {
      fail("P42107", locate(["nodes", i]), `host "${name}" has no link`);
    }
  }
  return finish(spec.name ?? "graph", draft, locate);
}

interface DraftRack {
  pod: number;
  switches: number[];
  hosts: DraftNode[];
}

/** Groups hosts into racks (same pod, same switches), and gives numbers and addresses to all nodes. */
function finish(name: string, draft: Draft, locate: Locate): Topology {
  const racks = new Map<string, DraftRack>();
  for (const host of draft.nodes) {
    if (host.role !== "host") continue;
    const switches = [...new Set(host.ports.map((port) => port.peer))].sort((x, y) => x - y);
    const key = switches.join(" ");
    const rack = racks.get(key) ?? { pod: host.pod ?? -1, switches, hosts: [] };
    racks.set(key, rack);
    rack.hosts.push(host);
  }
  if (racks.size === 0) fail("P42107", locate([]), "the network has no hosts");
  const pods: { ipv4: Pod["ipv4"]; ipv6: Pod["ipv6"]; racks: number[] }[] = [];
  const finishedRacks: Rack[] = [];
  const addresses = new Map<number, NonNullable<TopologyNode["host"]>>();
  for (const draftRack of racks.values()) {
    const index = finishedRacks.length;
    const pod = draftRack.pod >= 0 ? draftRack.pod : index >> 8;
    if (pod >= MAX_PODS) fail("P42103", locate(["nodes"]), "the address plan has room for 65536 racks");
    if (draftRack.hosts.length > MAX_HOSTS_PER_RACK) {
      fail(
        "P42103",
        locate(["nodes"]),
        `the address plan has room for ${MAX_HOSTS_PER_RACK} hosts at one switch`,
      );
    }
    const ipv4Pod = (10n << 24n) | (BigInt(pod) << 16n);
    const ipv6Pod = (0xfd00n << 112n) | (BigInt(pod) << 80n);
    pods[pod] ??= {
      ipv4: { address: ipv4Pod, length: 16 },
      ipv6: { address: ipv6Pod, length: 48 },
      racks: [],
    };
    const number = BigInt(pods[pod].racks.length);
    pods[pod].racks.push(index);
    const ipv4 = { address: ipv4Pod | (number << 8n), length: 24 };
    const ipv6 = { address: ipv6Pod | (number << 64n), length: 64 };
    for (const [i, host] of draftRack.hosts.entries()) {
      addresses.set(host.index, {
        rack: index,
        ipv4: ipv4.address + BigInt(i + 1),
        ipv6: ipv6.address + BigInt(i + 1),
      });
    }
    const hosts = draftRack.hosts.map((host) => host.index);
    finishedRacks.push({ index, pod, switches: draftRack.switches, hosts, ipv4, ipv6 });
  }
  return {
    name,
    nodes: draft.nodes.map((node) => ({
      ...node,
      mac: 0x020000000000n + BigInt(node.index + 1),
      host: addresses.get(node.index),
    })),
    links: draft.links,
    racks: finishedRacks,
    pods: pods.map((pod, index) => ({ index, ...pod })),
  };
}
