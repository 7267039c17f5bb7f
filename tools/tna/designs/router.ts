/**
 * The switch of the open SDE (switch.p4, profile X1) as a router with a routing table, ECMP and a bridged VLAN: its tables are set as its
 * API sets them for routed ports.
 */
import { Random } from "../../../src/base/index.js";
import type { Update } from "../../../src/toolchain/device/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { crc16Arc } from "./crc.js";
import { type Check, type Design, near, type Outcome, percent } from "./design.js";
import { at, ETHERNET_BYTES, ethernet, ipv4, join, pack, UDP_BYTES, udp } from "./frames.js";
import { Bed, entry, exact, Ledger, Station } from "./network.js";

const HOSTS = 8;
const ROUTES = 20_000;
const PACKETS = 30_000;
const FLOWS = 6_000;
/** The hosts of the group, all of 1/4 until one is taken out. */
const GROUP = [4, 5, 6, 7];
const GROUP_HOP = 100;
const LINK = { rate: 100e9, delay: 1000 };
const GAP = 200;
const PAYLOAD = new Uint8Array(26);
const SWITCH_MAC = 0x00aa00000001;
const VRF = 1;
const MTU = 9000;
/** Hosts 0 to 3 and 4 to 7 are in one bridge domain each. */
const bridgeOf = (host: number): number => (host < 4 ? 10 : 11);
const portOf = (host: number): number => 8 + 4 * host;
const lagOf = (host: number): number => 1 + host;
const hopOf = (host: number): number => 1 + host;
const macOf = (host: number): number => 0x020000000010 + host;

interface Route {
  readonly prefix: number;
  readonly length: number;
  /** A host, or -1 for the group. */
  readonly to: number;
}

interface Flow {
  readonly source: number;
  readonly destination: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
}

interface Packet extends Flow {
  readonly from: number;
  readonly ttl: number;
  /** The host that is addressed on layer 2; undefined: the router. */
  readonly bridgedTo?: number;
}

/** The second model: routes by the length of their prefix, the longest first, and the hash of a flow. */
class Router {
  readonly #lengths: { length: number; routes: Map<number, number> }[] = [];
  members: readonly number[] = GROUP;

  constructor(routes: readonly Route[]) {
    for (let length = 32; length >= 0; length--) {
      const some = routes.filter((one) => one.length === length);
      if (some.length > 0)
        this.#lengths.push({ length, routes: new Map(some.map(({ prefix, to }) => [prefix, to])) });
    }
  }

  /** The host to which a flow goes; undefined: there is no route. */
  hostOf(flow: Flow): number | undefined {
    const { source, destination, sourcePort, destinationPort } = flow;
    for (const { length, routes } of this.#lengths) {
      const to = routes.get(masked(destination, length));
      if (to === undefined) continue;
      if (to >= 0) return to;
      const key = pack([source, 32], [destination, 32], [17, 8], [destinationPort, 16], [sourcePort, 16]);
      return this.members[crc16Arc(key) % this.members.length];
    }
    return undefined;
  }
}

function masked(address: number, length: number): number {
  return length === 0 ? 0 : (address & (0xffffffff << (32 - length))) >>> 0;
}

function routesOf(random: Random): Route[] {
  const all = new Map<string, Route>();
  while (all.size < ROUTES) {
    const length = 11 + random.int(18);
    const prefix = masked(random.uint32(), length);
    const to = random.int(2) === 0 ? -1 : random.int(HOSTS);
    all.set(`${prefix}/${length}`, { prefix, length, to });
  }
  return [...all.values()];
}

function frameOf({ from, ttl, bridgedTo, ...flow }: Packet, to?: number): Uint8Array {
  const length = UDP_BYTES + PAYLOAD.length;
  const isRouted = bridgedTo === undefined && to !== undefined;
  const mac = bridgedTo === undefined ? SWITCH_MAC : macOf(bridgedTo);
  return join(
    isRouted ? ethernet(macOf(to), SWITCH_MAC, 0x0800) : ethernet(mac, macOf(from), 0x0800),
    ipv4({
      source: flow.source,
      destination: flow.destination,
      protocol: 17,
      length,
      ttl: isRouted ? ttl - 1 : ttl,
    }),
    udp(flow.sourcePort, flow.destinationPort, PAYLOAD.length),
    PAYLOAD,
  );
}

function member(profile: string, memberId: number, action: string, params: Record<string, number>): Update {
  const values = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, BigInt(value)]));
  return {
    type: "insert",
    entity: { kind: "member", profile, memberId, action: { action, params: values } },
  };
}

function group(type: "insert" | "modify", hosts: readonly number[]): Update {
  const members = hosts.map((host) => ({ memberId: hopOf(host), weight: 1 }));
  return {
    type,
    entity: { kind: "group", profile: "pipe.nexthop_ecmp_action_profile", groupId: 1, maxSize: 0, members },
  };
}

function toMember(table: string, match: Parameters<typeof entry>[1], memberId: number, priority = 0): Update {
  return {
    type: "insert",
    entity: { kind: "tableEntry", table, match, priority, action: { kind: "member", memberId } },
  };
}

/** A port with its bridge domain, and the next hop of the host behind it. */
function portEntries(host: number): Update[] {
  const port = portOf(host);
  const lag = lagOf(host);
  const hop = [exact("local_md.nexthop", hopOf(host))];
  const none = { learning_mode: 0, color: 0, tc: 0, meter_index: 0, sflow_session_id: 0, mac_pkt_class: 0 };
  const labels = {
    in_ports_group_label_ipv4: 0,
    in_ports_group_label_ipv6: 0,
    in_ports_group_label_mirror: 0,
  };
  const out = { out_ports_group_label_ipv4: 0, out_ports_group_label_ipv6: 0 };
  return [
    {
      type: "modify",
      entity: {
        kind: "register",
        register: "pipe.SwitchIngressParser.$PORT_METADATA",
        index: port,
        value: BigInt(lag) << 32n,
      },
    },
    entry("pipe.ingress_port_mapping", [exact("local_md.ingress_port", port)], "set_port_properties", {
      exclusion_id: port,
      ...none,
      ...labels,
    }),
    toMember(
      "pipe.port_vlan_to_bd_mapping",
      [ternary("local_md.ingress_port_lag_index", lag, 10)],
      bridgeOf(host),
      1,
    ),
    entry(
      "pipe.pv_rmac",
      [ternary("local_md.ingress_port_lag_index", lag, 10), ternary("hdr.ethernet.dst_addr", SWITCH_MAC, 48)],
      "rmac_hit",
      {},
      1,
    ),
    entry("pipe.dmac", [exact("local_md.bd", bridgeOf(host)), exact("dst_addr", macOf(host))], "dmac_hit", {
      port_lag_index: lag,
    }),
    member("pipe.lag_action_profile", lag, "set_lag_port", { port }),
    toMember("pipe.lag_table", [exact("port_lag_index", lag)], lag),
    entry("pipe.nexthop", hop, "nexthop_set_nexthop_properties", { port_lag_index: lag, zone: 0 }),
    member("pipe.nexthop_ecmp_action_profile", hopOf(host), "set_ecmp_properties", {
      port_lag_index: lag,
      nexthop_index: hopOf(host),
      zone: 0,
    }),
    entry("pipe.egress_port_mapping", [exact("port", port)], "set_port_normal", {
      port_lag_index: lag,
      port_lag_label: 0,
      meter_index: 0,
      sflow_session_id: 0,
      ...out,
    }),
    entry("pipe.outer_nexthop", hop, "outer_nexthop_rewrite_l2", { bd: bridgeOf(host) }),
    entry("pipe.neighbor", hop, "neighbor_rewrite_l2", { dmac: macOf(host) }),
  ];
}

function ternary(field: string, value: number, width: number) {
  return { kind: "ternary", field, value: BigInt(value), mask: (1n << BigInt(width)) - 1n } as const;
}

function bridgeEntries(bridge: number): Update[] {
  const off = {
    vlan_arp_suppress: 0,
    vrf_ttl_violation: 0,
    vrf_ttl_violation_valid: 0,
    vrf_ip_options_violation: 0,
    vrf_unknown_l3_multicast_trap: 0,
    bd_label: 0,
    stp_group: 0,
    learning_mode: 0,
    ipv4_multicast_enable: 0,
    igmp_snooping_enable: 0,
    ipv6_unicast_enable: 0,
    ipv6_multicast_enable: 0,
    mld_snooping_enable: 0,
    mpls_enable: 0,
    mrpf_group: 0,
    zone: 0,
  };
  return [
    member("pipe.bd_action_profile", bridge, "set_bd_properties", {
      bd: bridge,
      vrf: VRF,
      ipv4_unicast_enable: 1,
      ...off,
    }),
    entry("pipe.egress_bd_mapping", [exact("local_md.bd[12:0]", bridge)], "set_egress_bd_mapping", {
      smac: SWITCH_MAC,
      mtu: MTU,
    }),
  ];
}

function entries(routes: readonly Route[]): Update[] {
  const hosts = Array.from({ length: HOSTS }, (_, host) => host);
  return [
    entry(
      "pipe.validate_ethernet",
      [ternary("hdr.vlan_tag[0].$valid$", 0, 1)],
      "valid_pkt_untagged",
      { pkt_type: 0 },
      1,
    ),
    entry(
      "pipe.validate_ip",
      [ternary("hdr.ipv4.$valid$", 1, 1)],
      "valid_ipv4_pkt",
      { ip_frag: 0, is_link_local: 0 },
      1,
    ),
    entry("pipe.vrf_mapping", [exact("vrf", VRF)], "set_vrf_properties", { smac: SWITCH_MAC }),
    ...[10, 11].flatMap(bridgeEntries),
    ...hosts.flatMap(portEntries),
    group("insert", GROUP),
    {
      type: "insert",
      entity: {
        kind: "tableEntry",
        table: "pipe.ecmp_table",
        match: [exact("local_md.nexthop", GROUP_HOP)],
        priority: 0,
        action: { kind: "group", groupId: 1 },
      },
    },
    ...routes.map(({ prefix, length, to }) =>
      entry(
        "pipe.ipv4_lpm",
        [
          exact("vrf", VRF),
          { kind: "lpm", field: "ip_dst_addr", value: BigInt(prefix), prefixLength: length },
        ],
        "fib_hit",
        { nexthop_index: to < 0 ? GROUP_HOP : hopOf(to), fib_label: 0 },
      ),
    ),
  ];
}

async function run(program: Program): Promise<Outcome> {
  const bed = new Bed();
  const random = new Random(23);
  const routes = routesOf(random.fork("routes"));
  const model = new Router(routes);
  const tofino = await bed.addSwitch("tofino", program, entries(routes));
  const ledger = new Ledger();
  /** Packets of the group by host, before it changes. */
  const shares = new Map<number, number>();
  const hosts = Array.from({ length: HOSTS }, (_, host) => {
    const station = new Station(`host${host}`);
    bed.link([station, 0], [tofino, portOf(host)], LINK);
    return station;
  });
  /** The host that got the last packet of a flow, as the frames say. */
  const got = new Map<string, number>();
  for (const [host, station] of hosts.entries())
    station.heard = (frame) => {
      ledger.saw(station.name, frame);
      got.set(keyOf(frame), host);
    };
  const send = (packet: Packet): void => {
    const to = packet.bridgedTo ?? model.hostOf(packet);
    if (to !== undefined) ledger.expect(`host${to}`, frameOf(packet, to));
    hosts[packet.from]!.send(frameOf(packet));
  };
  let unrouted = 0;
  for (let i = 0; i < PACKETS; i++) {
    const bridged = random.int(8) === 0;
    const from = random.int(HOSTS);
    const packet: Packet = {
      ...flowOf(random, random.uint32()),
      from,
      ttl: 2 + random.int(250),
      ...(bridged ? { bridgedTo: (from & 4) | ((from + 1 + random.int(3)) & 3) } : {}),
    };
    if (!bridged && model.hostOf(packet) === undefined) unrouted++;
    bed.at(i * GAP, () => send(packet));
  }
  bed.simulation.run();
  // Flows by the group, before and after a member has gone.
  const flows = flowsOfGroup(random, routes, model);
  const before = await paths(bed, flows, send, got);
  for (const host of before) shares.set(host, (shares.get(host) ?? 0) + 1);
  const last = GROUP.at(-1);
  const left = GROUP.filter((host) => host !== last);
  await tofino.device.write([group("modify", left)]);
  model.members = left;
  const after = await paths(bed, flows, send, got);
  const moved = before.filter((host, i) => after[i] !== host).length / flows.length;
  const size = GROUP.length;
  const checks: Check[] = [
    {
      what: "frames: routed, bridged, by the group",
      compared: ledger.compared,
      disagreements: ledger.disagreements,
    },
    // Five standard deviations of a share of the flows.
    near(
      "share of flows that move",
      moved,
      (size - 1) / size,
      5 * Math.sqrt((size - 1) / size ** 2 / flows.length),
    ),
  ];
  const counts = GROUP.map((host) => (shares.get(host) ?? 0) / flows.length);
  return {
    rows: [
      {
        property: `flows that change their next hop when one of ${size} goes`,
        measured: percent(moved),
        expected: percent((size - 1) / size),
        paper: percent((size - 1) / size),
      },
      {
        property: "largest and smallest share of a next hop",
        measured: `${percent(Math.max(...counts))}, ${percent(Math.min(...counts))}`,
        expected: percent(1 / size),
      },
      { property: "packets without a route, none of which leaves", measured: String(unrouted) },
    ],
    checks,
  };
}

function flowOf(random: Random, destination: number): Flow {
  return {
    source: random.uint32(),
    destination,
    sourcePort: random.int(65_536),
    destinationPort: 5000 + random.int(1000),
  };
}

/** Flows to addresses of routes by the group. */
function flowsOfGroup(random: Random, routes: readonly Route[], model: Router): Flow[] {
  const flows: Flow[] = [];
  const some = routes.filter(({ to }) => to < 0);
  while (flows.length < FLOWS) {
    const { prefix, length } = random.pick(some);
    const destination = (prefix | (random.uint32() & ~(0xffffffff << (32 - length)))) >>> 0;
    const flow = flowOf(random, destination);
    // A longer prefix may lead elsewhere: by the group, another set of members gives another host.
    model.members = [-1];
    const isOfGroup = model.hostOf(flow) === -1;
    model.members = GROUP;
    if (isOfGroup) flows.push(flow);
  }
  return flows;
}

/** The hosts at which a packet of each flow arrives. */
async function paths(
  bed: Bed,
  flows: readonly Flow[],
  send: (packet: Packet) => void,
  got: Map<string, number>,
): Promise<number[]> {
  got.clear();
  const start = bed.now;
  for (const [i, flow] of flows.entries()) bed.at(start + i * GAP, () => send({ ...flow, from: 0, ttl: 64 }));
  bed.simulation.run();
  return flows.map((flow) => got.get(keyOf(frameOf({ ...flow, from: 0, ttl: 64 }))) ?? -1);
}

/** Addresses and ports, which forwarding does not change. */
function keyOf(frame: Uint8Array): string {
  const position = ETHERNET_BYTES + 12;
  return [at(frame, position, 4), at(frame, position + 4, 4), at(frame, position + 8, 4)].join(" ");
}

export const router: Design = {
  name: "router",
  title: "L2/L3 switch: switch.p4 of the open SDE",
  repo: "p4lang/open-p4studio",
  commit: "1f97778f",
  program: "pkgsrc/switch-p4-16/p4src/switch-tofino/switch_tofino_x1.p4",
  chip: "tofino",
  includeFolders: ["pkgsrc/switch-p4-16/p4src/shared"],
  licence: "Apache-2.0",
  paper:
    "RFC 2991 on choosing a next hop by the hash modulo their number: (N - 1) / N of the flows move; the abstract of the program's own paper, DC.p4 (SOSR 2015), has no figure",
  settings:
    "Eight hosts on links of 100 Gbit/s, in two bridge domains of four with routed addresses; 20,000 random IPv4 routes of 11 to 28 bits in the LPM table, half of them to a group of four next hops, " +
    "the others to one host; 30,000 packets, an eighth of them bridged, then 6,000 flows by the group before and after one of its members is taken out. Ports, bridge domains, router MAC, next hops, neighbours and LAGs are set " +
    "as the program's tables want them for routed ports; the second model looks up, hashes (CRC-16/ARC of the five-tuple), decrements TTLs and computes checksums.",
  remark:
    "Selectors of this switch take the hash modulo the size of the group. A Tofino's selector in its fair mode is not described in public.",
  run,
};
