/**
 * What the generated programs do with packets, case by case: hand-made frames into the leaf and the spine of a
 * small Clos, and the frame that must come out, or the drop counter that must count.
 */
import { toBytes } from "../../../src/base/index.js";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import { nodeNamed, type TopologyNode } from "../../../src/fabric/topology/index.js";
import { example } from "../topology/load.js";
import { checksum, frameOf } from "./frames.js";

export interface PacketCase {
  readonly name: string;
  readonly node: "leaf0-0" | "spine0-0";
  readonly frame: Uint8Array;
  /** Ports of which one must be taken, and the frame that leaves there; or the index of the drop counter. */
  readonly expected:
    | { readonly ports: readonly number[]; readonly frame: (port: number) => Uint8Array }
    | { readonly drop: number };
}

const topology = example("clos");
const NOT_IP = 1;
const MALFORMED = 2;
const TTL = 3;
const NO_ROUTE = 4;

/** Plans of the schemes for the fabric of the cases. */
export function casePlan(name: string) {
  const scheme = schemeNamed(name)!;
  return { topology, plan: scheme.plan(topology, scheme.parameters.parse({})) };
}

function edit(frame: Uint8Array, ...changes: [at: number, ...bytes: number[]][]): Uint8Array {
  const copy = Uint8Array.from(frame);
  for (const [at, ...bytes] of changes) copy.set(bytes, at);
  return copy;
}

/** The IPv4 header's checksum made right again; `at` is where the header starts. */
function fixChecksum(frame: Uint8Array, at = 14): Uint8Array {
  const copy = edit(frame, [at + 10, 0, 0]);
  const sum = checksum([...copy.subarray(at, at + 20)]);
  return edit(copy, [at + 10, sum >> 8, sum & 0xff]);
}

/** The frame as a router passes it on: new MACs, TTL or hop limit one less, IPv4 checksum right. */
function passedOn(node: TopologyNode, frame: Uint8Array, ip: number) {
  return (port: number): Uint8Array => {
    const peer = topology.nodes[node.ports[port - 1]!.peer]!;
    const ipv4 = frame[ip]! >> 4 === 4;
    const ttl = ip + (ipv4 ? 8 : 7);
    const changed = edit(
      frame,
      [0, ...toBytes(peer.mac, 6)],
      [6, ...frame.subarray(0, 6)],
      [ttl, frame[ttl]! - 1],
    );
    return ipv4 ? fixChecksum(changed, ip) : changed;
  };
}

export function packetCases(): PacketCase[] {
  const leaf = nodeNamed(topology, "leaf0-0")!;
  const spine = nodeNamed(topology, "spine0-0")!;
  const host = (name: string) => nodeNamed(topology, name)!.host!;
  const down = [1, 2];
  const up = [5, 6, 7, 8];
  const flow = (family: "ipv4" | "ipv6", to: string, protocol = 6) => ({
    src: host("host0-1-0")[family],
    dst: host(to)[family],
    protocol,
    srcPort: 4660,
    dstPort: 80,
  });
  const make = (family: "ipv4" | "ipv6", to: string, more: object = {}, protocol = 6) =>
    frameOf({
      family,
      flow: flow(family, to, protocol),
      field: "dscp",
      selector: 0,
      dstMac: leaf.mac,
      ...more,
    });
  const v4 = make("ipv4", "host0-0-0");
  const v6 = make("ipv6", "host0-0-0");
  const tagged = edit(make("ipv4", "host0-0-0", { field: "vlan", selector: 5 }));
  const cases: PacketCase[] = [];
  const passes = (name: string, frame: Uint8Array, ports: readonly number[], ip = 14) =>
    cases.push({ name, node: "leaf0-0", frame, expected: { ports, frame: passedOn(leaf, frame, ip) } });
  const drops = (name: string, frame: Uint8Array, drop: number, node: PacketCase["node"] = "leaf0-0") =>
    cases.push({ name, node, frame, expected: { drop } });

  passes("IPv4 down to a pair of ToRs", v4, down);
  passes("IPv6 down to a pair of ToRs", v6, down);
  passes("IPv4 up to the spines of the plane", make("ipv4", "host1-1-1"), up);
  passes("IPv6 up to the spines of the plane", make("ipv6", "host1-1-1"), up);
  passes("UDP", make("ipv4", "host1-0-0", {}, 17), up);
  passes("ICMP, which has no ports", make("ipv4", "host1-0-0", {}, 1), up);
  passes("IPv6 with an extension header, taken as without ports", make("ipv6", "host1-0-0", {}, 43), up);
  passes("a VLAN tag is kept", tagged, down, 18);
  passes("TTL 2 is the last that passes", make("ipv4", "host0-0-0", { ttl: 2 }), down);
  passes("a first fragment", fixChecksum(edit(v4, [20, 0x20, 0])), down);
  passes(
    "a later fragment, cut to 4 bytes of payload",
    fixChecksum(edit(v4, [20, 0x00, 0x10])).subarray(0, 38),
    down,
  );
  drops("ARP", edit(v4, [12, 0x08, 0x06]), NOT_IP);
  drops("a tag with something else behind it", edit(tagged, [16, 0x88, 0xcc]), NOT_IP);
  drops("a wrong IPv4 checksum", edit(v4, [24, v4[24]! ^ 1]), MALFORMED);
  drops("IPv4 options", fixChecksum(edit(v4, [14, 0x46])), MALFORMED);
  drops("a header that is cut short", v4.subarray(0, 30), MALFORMED);
  drops("ports that are cut short", v4.subarray(0, 36), MALFORMED);
  drops("TTL 1", make("ipv4", "host0-0-0", { ttl: 1 }), TTL);
  drops("hop limit 0", make("ipv6", "host0-0-0", { ttl: 0 }), TTL);
  const stranger = frameOf({
    family: "ipv4",
    flow: { ...flow("ipv4", "host0-0-0"), dst: 0xc0a80001n },
    field: "dscp",
    selector: 0,
    dstMac: spine.mac,
  });
  drops("a destination outside the fabric, at the top", stranger, NO_ROUTE, "spine0-0");
  return cases;
}
