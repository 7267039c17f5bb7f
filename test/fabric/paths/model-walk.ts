/**
 * Small random networks with random path models, and the path of a flow by the words of src/fabric/paths/model.ts alone: bit by bit and hop by
 * hop, without tables.
 */
import type { Random } from "../../../src/base/index.js";
import {
  type HashModel,
  type HashPart,
  LOCAL,
  MAX_LINKS,
  type PathModel,
  type PortChoice,
  type SwitchModel,
  UNREACHABLE,
} from "../../../src/fabric/paths/index.js";
import type { Topology } from "../../../src/fabric/topology/index.js";
import { build } from "../topology/load.js";

export interface OneFlow {
  readonly source: number;
  readonly destination: number;
  readonly version: 4 | 6;
  readonly protocol: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly selector: number;
  readonly nic: number;
}

/** A hop at a switch: its choice, the row that was read, and the port. */
interface Hop {
  readonly node: number;
  readonly choice: PortChoice;
  readonly row: ArrayLike<number>;
  readonly port: number;
}

export interface Followed {
  readonly arrived: boolean;
  readonly links: readonly number[];
  readonly hops: readonly Hop[];
}

/** Follows a packet. A loop ends after {@link MAX_LINKS} links. */
export function follow(topology: Topology, model: PathModel, flow: OneFlow): Followed {
  const { nodes, links, racks, down } = topology;
  const from = nodes[flow.source]!.host!;
  const to = nodes[flow.destination]!.host!;
  const crossed: number[] = [];
  const hops: Hop[] = [];
  const end = (arrived: boolean) => ({ arrived, links: crossed, hops });
  let node = flow.source;
  let port = flow.nic + 1;
  for (;;) {
    const { link, peer, peerPort } = nodes[node]!.ports[port - 1]!;
    const { a } = links[link]!;
    crossed.push(a.node === node && a.port === port ? 2 * link : 2 * link + 1);
    if (peer === flow.destination) return end(true);
    const own = model.switches.find((each) => each.node === peer);
    if (crossed.length === MAX_LINKS || own === undefined) return end(false);
    const kind = (own.portClass?.[peerPort] ?? 0) + (own.sourceClass?.[from.rack] ?? 0);
    const next = own.next[kind * racks.length + to.rack]!;
    node = peer;
    if (next === LOCAL) {
      const last = nodes[peer]!.ports.find(
        (each) => each.peer === flow.destination && !(down?.has(each.link) ?? false),
      );
      if (last === undefined) return end(false);
      port = last.number;
    } else if (next === UNREACHABLE) return end(false);
    else {
      const choice = own.choices[next]!;
      const { low, width } = choice.slice ?? { low: 0, width: 0 };
      const bits = Number((BigInt(flow.selector) >> BigInt(low)) % 2n ** BigInt(width));
      const row = choice.rows[bits % choice.rows.length]!;
      const hash = model.hashes[choice.hash];
      port = row[row.length === 1 ? 0 : hashOf(topology, hash!, flow, choice.seed) % row.length]!;
      hops.push({ node: peer, choice, row, port });
    }
  }
}

/** The value of a hash: its parts as one number, most significant first. */
function hashOf({ nodes }: Topology, { input, hash }: HashModel, flow: OneFlow, seed: number): number {
  const address = (node: number) => nodes[node]!.host![flow.version === 4 ? "ipv4" : "ipv6"];
  const partValue = ({ field, bits, folded }: HashPart): bigint => {
    const modulus = 2n ** BigInt(bits);
    const whole = {
      src: () => address(flow.source),
      dst: () => address(flow.destination),
      protocol: () => BigInt(flow.protocol),
      src_port: () => BigInt(flow.sourcePort),
      dst_port: () => BigInt(flow.destinationPort),
      selector: () => BigInt(flow.selector),
      seed: () => BigInt(seed),
      zero: () => 0n,
    }[field]();
    if (folded !== true) return whole % modulus;
    let sum = 0n;
    for (let left = whole; left > 0n; left /= modulus) sum ^= left % modulus;
    return sum;
  };
  let value = 0n;
  let width = 0;
  for (const part of input) {
    value = value * 2n ** BigInt(part.bits) + partValue(part);
    width += part.bits;
  }
  const length = Math.ceil(width / 8);
  value *= 2n ** BigInt(8 * length - width);
  const bytes = Uint8Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 255n));
  return hash(bytes, length) >>> 0;
}

/** Rotations and XORs of all bytes, from a value other than 0; the low `width` bits of the sum. */
const rotating = (width: number) => (bytes: Uint8Array, length: number) => {
  let sum = 0x2468ace1;
  for (let i = 0; i < length; i++) sum = ((sum << 5) | (sum >>> 27)) ^ (bytes[i]! << 3) ^ bytes[i]!;
  return width === 32 ? sum >>> 0 : sum & (2 ** width - 1);
};

/** Affine hashes of 32, 16 and 7 bits, one whose high byte is the seed alone, and two that are not affine. */
export const HASHES: readonly HashModel[] = [
  {
    name: "wide",
    affine: true,
    input: [
      ...(["src", "dst"] as const).map((field) => ({ field, bits: 128 })),
      { field: "protocol", bits: 8 },
      { field: "src_port", bits: 16 },
      { field: "dst_port", bits: 16 },
      { field: "selector", bits: 32 },
      { field: "seed", bits: 32 },
    ],
    hash: rotating(32),
  },
  {
    name: "folded",
    affine: true,
    input: [
      { field: "zero", bits: 3 },
      { field: "src", bits: 16, folded: true },
      { field: "dst", bits: 8, folded: true },
      { field: "selector", bits: 20 },
      { field: "seed", bits: 6 },
      { field: "dst_port", bits: 16 },
    ],
    hash: rotating(16),
  },
  {
    name: "ports",
    affine: true,
    input: [
      { field: "dst_port", bits: 16 },
      { field: "src_port", bits: 16 },
      { field: "protocol", bits: 8 },
      { field: "seed", bits: 1 },
    ],
    hash: rotating(7),
  },
  {
    name: "seed above a port",
    affine: true,
    input: [
      { field: "src_port", bits: 16 },
      { field: "seed", bits: 8 },
    ],
    hash: (bytes) => (bytes[0]! ^ bytes[1]!) + 256 * bytes[2]!,
  },
  {
    name: "products",
    affine: false,
    input: [
      { field: "src", bits: 32 },
      { field: "dst", bits: 128 },
      { field: "protocol", bits: 8 },
      { field: "src_port", bits: 16 },
      { field: "dst_port", bits: 16 },
      { field: "selector", bits: 32 },
      { field: "seed", bits: 32 },
    ],
    hash: (bytes, length) => {
      let sum = 0x811c9dc5;
      for (let i = 0; i < length; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193);
      return sum >>> 0;
    },
  },
];

/** Five switches with parallel links, and hosts with one or two links, sometimes both to one switch. */
export function randomNetwork(random: Random): Topology {
  const names = ["s0", "s1", "s2", "s3", "s4"];
  const hosts = ["h0", "h1", "h2", "h3"];
  const links = names.map((a, i) => ({ a, b: names[(i + 1) % names.length]! }));
  for (let i = 0; i < 5; i++) {
    const a = random.int(names.length);
    links.push({ a: names[a]!, b: names[(a + 1 + random.int(names.length - 1)) % names.length]! });
  }
  for (const a of hosts) for (let i = random.int(2); i < 2; i++) links.push({ a, b: random.pick(names) });
  return build({
    kind: "graph",
    nodes: [
      ...names.map((name) => ({ name, role: "switch" as const })),
      ...hosts.map((name) => ({ name, role: "host" as const })),
    ],
    links: random.shuffle(links),
  });
}

/** Switches whose tables have one class, and whose choices `choose` makes from the switch's ports. */
export function plainModel(
  topology: Topology,
  random: Random,
  choose: (ports: readonly number[], node: number) => PortChoice,
): PathModel {
  const switches = topology.nodes.flatMap(({ index, role, ports }): SwitchModel[] => {
    if (role === "host") return [];
    const choices = [1, 2, 3].map(() =>
      choose(
        ports.map(({ number }) => number),
        index,
      ),
    );
    return [{ node: index, classes: 1, choices, next: nextOf(topology, random, index, 1, choices.length) }];
  });
  return { hashes: HASHES, switches };
}

/** A random table: the switch's own hosts are local; a tenth of the others has no path. */
export function nextOf(
  { racks }: Topology,
  random: Random,
  node: number,
  classes: number,
  choices: number,
): Int32Array {
  return Int32Array.from({ length: classes * racks.length }, (_, i) => {
    if (random.int(10) === 0) return UNREACHABLE;
    return racks[i % racks.length]!.switches.includes(node) ? LOCAL : random.int(choices);
  });
}
