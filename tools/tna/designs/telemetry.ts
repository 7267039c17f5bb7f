/**
 * The telemetry of Stratum's fabric-tna: the switch mirrors a packet to a collector, with its times and the depth of its queue, when the
 * state of its flow has changed or its queue is long. Here it forwards four senders' bursts to one receiver.
 */
import { Random } from "../../../src/base/index.js";
import type { Update } from "../../../src/toolchain/device/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import type { Check, Design, Outcome, Row } from "./design.js";
import { at, ETHERNET_BYTES, ethernet, IPV4_BYTES, ipv4, join, UDP_BYTES, udp } from "./frames.js";
import { Bed, entry, exact, Ledger, Station } from "./network.js";

const SENDERS = 4;
const FLOWS_OF_SENDER = 8;
const PACKETS = 40_000;
const BURST_PACKETS = 24;
/** Mean load of the receiver's link. */
const LOAD = 0.7;
const LINK = { rate: 10e9, delay: 1000 };
const PORT = { sender: 8, receiver: 16, collector: 24, recirculation: 68 };
const SESSION = 0x200;
const SWITCH = { mac: 0x00aa00000001, address: 0x0a000001, id: 1 };
const RECEIVER = { mac: 0x020000000010, address: 0x0a010101 };
const COLLECTOR = { mac: 0x020000000018, address: 0x0a020202, port: 32_766 };
const senderOf = (number: number) => ({ mac: 0x020000000020 + number, address: 0x0a030300 + number });
const VLAN = { hosts: 10, infrastructure: 4094 };
const PORT_TYPE = { edge: 1, infrastructure: 2, internal: 3 };
const ROUTED = 2;
/** Queues are reported from this latency on, and have a new quota below the other one: nanoseconds. */
const LONG = 30_000;
const SHORT = 2_000;
const QUOTA = 1024;
/** A flow is reported when its latency changes by this step: the program's own value, and a coarser one. */
const STEPS = [2 ** 8, 2 ** 15];
const TIME_PERIOD = 2 ** 30;
const CELL_BYTES = 80;
/** In the buffer a packet has the header from ingress to egress (218 bits in whole bytes) and its check sequence. */
const ADDED_BYTES = 28 + 4;
const TYPE = { flow: 1, queue: 2 };

/** In a report, from the frame's begin. */
const AT = (() => {
  const fixed = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES;
  const common = fixed + 12;
  const local = common + 9;
  const packet = local + 7;
  return { fixed, common, local, packet, identification: packet + ETHERNET_BYTES + 4 };
})();

function port(number: number, vlan: number, type: number): Update[] {
  const isUntagged = [exact("ig_port", number), exact("vlan_is_valid", 0)];
  return [
    entry(
      "pipe.FabricIngress.filtering.ingress_port_vlan",
      isUntagged,
      "FabricIngress.filtering.permit_with_internal_vlan",
      { vlan_id: vlan, port_type: type },
      1,
    ),
    entry(
      "pipe.FabricEgress.egress_next.egress_vlan",
      [exact("vlan_id", vlan), exact("eg_port", number)],
      "FabricEgress.egress_next.pop_vlan",
    ),
  ];
}

function routes(ingress: number, destination?: number): Update {
  const key = [exact("ig_port", ingress), exact("ip_eth_type", 0x0800)];
  if (destination !== undefined)
    key.push({ kind: "ternary", field: "eth_dst", value: BigInt(destination), mask: (1n << 48n) - 1n });
  return entry(
    "pipe.FabricIngress.filtering.fwd_classifier",
    key,
    "FabricIngress.filtering.set_forwarding_type",
    { fwd_type: ROUTED },
    1,
  );
}

function nextHop(id: number, host: { mac: number; address: number }, out: number, vlan: number): Update[] {
  const profile = "pipe.FabricIngress.next.hashed_profile";
  const params = { port_num: BigInt(out), smac: BigInt(SWITCH.mac), dmac: BigInt(host.mac) };
  return [
    entry(
      "pipe.FabricIngress.forwarding.routing_v4",
      [{ kind: "lpm", field: "ipv4_dst", value: BigInt(host.address), prefixLength: 32 }],
      "FabricIngress.forwarding.set_next_id_routing_v4",
      { next_id: id },
    ),
    {
      type: "insert",
      entity: {
        kind: "member",
        profile,
        memberId: id,
        action: { action: "FabricIngress.next.routing_hashed", params },
      },
    },
    {
      type: "insert",
      entity: { kind: "group", profile, groupId: id, maxSize: 0, members: [{ memberId: id, weight: 1 }] },
    },
    {
      type: "insert",
      entity: {
        kind: "tableEntry",
        table: "pipe.FabricIngress.next.hashed",
        match: [exact("next_id", id)],
        priority: 0,
        action: { kind: "group", groupId: id },
      },
    },
    entry(
      "pipe.FabricIngress.pre_next.next_vlan",
      [exact("next_id", id)],
      "FabricIngress.pre_next.set_vlan",
      { vlan_id: vlan },
    ),
  ];
}

/** Of `queue_latency_thresholds`: both halves of the latency in ranges. */
function threshold(low: number, high: number, action: string): Update {
  const range = (field: string, from: number, to: number) =>
    ({ kind: "range", field, low: BigInt(from), high: BigInt(to) }) as const;
  const key = [
    exact("egress_qid", 0),
    range("hop_latency_upper", low >>> 16, high >>> 16),
    range("hop_latency_lower", low & 0xffff, high & 0xffff),
  ];
  return entry(
    "pipe.FabricEgress.int_egress.queue_latency_thresholds",
    key,
    `FabricEgress.int_egress.${action}`,
    {},
    1,
  );
}

function report(type: number): Update {
  // 2 and 1: mirrored by egress, as a report.
  const key = [exact("bmd_type", 2), exact("mirror_type", 1), exact("int_report_type", type)];
  const params = {
    src_ip: SWITCH.address,
    mon_ip: COLLECTOR.address,
    mon_port: COLLECTOR.port,
    switch_id: SWITCH.id,
  };
  return entry(
    "pipe.FabricEgress.int_egress.report",
    key,
    "FabricEgress.int_egress.do_local_report_encap",
    params,
  );
}

/** What the design's tests and its controller install for routing, reports and their way to the collector. */
function entries(step: number): Update[] {
  const senders = Array.from({ length: SENDERS }, (_, i) => PORT.sender + i);
  const watched = {
    kind: "ternary",
    field: "ipv4_dst",
    value: BigInt(RECEIVER.address),
    mask: 0xffffffffn,
  } as const;
  return [
    ...senders.flatMap((number) => [...port(number, VLAN.hosts, PORT_TYPE.edge), routes(number, SWITCH.mac)]),
    ...port(PORT.receiver, VLAN.hosts, PORT_TYPE.edge),
    ...port(PORT.collector, VLAN.infrastructure, PORT_TYPE.infrastructure),
    ...port(PORT.recirculation, VLAN.infrastructure, PORT_TYPE.internal),
    routes(PORT.recirculation),
    ...nextHop(100, RECEIVER, PORT.receiver, VLAN.hosts),
    ...nextHop(101, COLLECTOR, PORT.collector, VLAN.infrastructure),
    entry(
      "pipe.FabricIngress.int_watchlist.watchlist",
      [exact("ipv4_valid", 1), watched],
      "FabricIngress.int_watchlist.mark_to_report",
      {},
      1,
    ),
    report(TYPE.flow),
    report(TYPE.queue),
    report(TYPE.flow | TYPE.queue),
    {
      type: "modify",
      entity: {
        kind: "tableEntry",
        table: "pipe.FabricEgress.int_egress.config",
        match: [],
        priority: 0,
        isDefault: true,
        action: {
          kind: "action",
          action: "FabricEgress.int_egress.set_config",
          params: {
            hop_latency_mask: BigInt(2 ** 32 - step),
            timestamp_mask: BigInt(2 ** 48 - TIME_PERIOD),
          },
        },
      },
    },
    threshold(LONG, 0xffff, "check_quota"),
    threshold(0x10000, 0xffffffff, "check_quota"),
    threshold(0, SHORT - 1, "reset_quota"),
    {
      type: "insert",
      entity: {
        kind: "cloneSession",
        sessionId: SESSION,
        replicas: [{ port: PORT.recirculation, instance: 0 }],
        classOfService: 0,
        packetLengthBytes: 128,
      },
    },
  ];
}

interface Packet {
  readonly number: number;
  readonly sender: number;
  readonly flow: number;
  readonly bytes: number;
}

function frameOf({ number, sender, flow, bytes }: Packet, isForwarded: boolean): Uint8Array {
  const length = bytes - ETHERNET_BYTES - IPV4_BYTES;
  const { mac, address } = senderOf(sender);
  return join(
    isForwarded ? ethernet(RECEIVER.mac, SWITCH.mac, 0x0800) : ethernet(SWITCH.mac, mac, 0x0800),
    ipv4({
      source: address,
      destination: RECEIVER.address,
      protocol: 17,
      length,
      ttl: isForwarded ? 63 : 64,
      identification: number,
    }),
    udp(10_000 + flow, 9, length - UDP_BYTES),
    new Uint8Array(length - UDP_BYTES),
  );
}

/** What a report says of a packet. */
interface Said {
  readonly type: number;
  readonly arrived: number;
  readonly left: number;
  readonly cells: number;
  /** Of these, cells of a packet that leaves its queue at the same instant: either order is right. */
  readonly leaving?: number;
  readonly ingress: number;
  readonly egress: number;
}

function textOf({ type, arrived, left, cells, ingress, egress }: Said): string {
  return `type ${type}, ${arrived} to ${left} ns, ${cells} cells, port ${ingress} to ${egress}`;
}

/** The second model: a queue with one server, and which packets are reported. */
class Queue {
  readonly #waiting: { starts: number; cells: number }[] = [];
  #free = 0;
  #quota = QUOTA;
  readonly #states = new Map<string, string>();
  readonly latencies: number[] = [];

  constructor(readonly step: number) {}

  /** What is reported of a packet that arrives now; undefined: nothing. */
  arrive(now: number, { sender, flow, bytes }: Packet): Said | undefined {
    while (this.#waiting.length > 0 && this.#waiting[0]!.starts < now) this.#waiting.shift();
    const cells = this.#waiting.reduce((sum, one) => sum + one.cells, 0);
    const leaving = this.#waiting[0]?.starts === now ? this.#waiting[0].cells : 0;
    const left = Math.max(now, this.#free);
    // The simulation's time is whole nanoseconds.
    this.#free = Math.round(left + (bytes * 8 * 1e9) / LINK.rate);
    this.#waiting.push({ starts: left, cells: Math.ceil((bytes + ADDED_BYTES) / CELL_BYTES) });
    const type = this.#typeOf(`${sender} ${flow}`, now, left);
    if (type === 0) return undefined;
    return { type, arrived: now, left, cells, leaving, ingress: PORT.sender + sender, egress: PORT.receiver };
  }

  #typeOf(flow: string, arrived: number, left: number): number {
    const latency = left - arrived;
    this.latencies.push(latency);
    if (latency < SHORT) this.#quota = QUOTA;
    if (latency >= LONG && this.#quota > 0) {
      this.#quota--;
      return TYPE.flow | TYPE.queue;
    }
    const state = `${Math.floor(latency / this.step)} ${Math.floor(left / TIME_PERIOD)}`;
    const isNew = this.#states.get(flow) !== state;
    this.#states.set(flow, state);
    return isNew ? TYPE.flow : 0;
  }
}

function read(frame: Uint8Array): Said {
  return {
    type: at(frame, AT.fixed + 1, 1) >>> 5,
    arrived: at(frame, AT.fixed + 8, 4),
    left: at(frame, AT.local + 3, 4),
    cells: at(frame, AT.local, 3) & 0x7ffff,
    ingress: at(frame, AT.common + 4, 2) & 511,
    egress: at(frame, AT.common + 6, 2) & 511,
  };
}

/** What is wrong with the headers of the report itself; undefined: nothing. */
function flaw(frame: Uint8Array, sequence: number): string | undefined {
  const identification = at(frame, ETHERNET_BYTES + 4, 2);
  const length = frame.length - ETHERNET_BYTES - IPV4_BYTES;
  const header = ipv4({
    source: SWITCH.address,
    destination: COLLECTOR.address,
    protocol: 17,
    length,
    ttl: 63,
    identification,
  });
  if (header.some((byte, i) => frame[ETHERNET_BYTES + i] !== byte)) return "IPv4 header";
  if (at(frame, ETHERNET_BYTES + IPV4_BYTES + 4, 2) !== length) return "length of UDP";
  if (at(frame, 0, 6) !== COLLECTOR.mac || at(frame, 6, 6) !== SWITCH.mac) return "Ethernet addresses";
  if (at(frame, AT.fixed + 4, 4) !== sequence)
    return `sequence number ${at(frame, AT.fixed + 4, 4)}, expected ${sequence}`;
  return at(frame, AT.common, 4) === SWITCH.id ? undefined : "switch";
}

/** One run with a step: its rows and checks. */
async function withStep(program: Program, step: number): Promise<Outcome> {
  const bed = new Bed();
  const tofino = await bed.addSwitch("tofino", program, entries(step));
  const ledger = new Ledger();
  const model = new Queue(step);
  const expected = new Map<number, Said>();
  const packets: Packet[] = [];
  bed.onArrival(tofino, (_port, frame) => {
    const packet = packets[at(frame, ETHERNET_BYTES + 4, 2)]!;
    ledger.expect("receiver", frameOf(packet, true));
    const said = model.arrive(bed.now, packet);
    if (said !== undefined) expected.set(packet.number, said);
  });
  const receiver = new Station("receiver");
  receiver.heard = (frame) => ledger.saw("receiver", frame);
  bed.link([receiver, 0], [tofino, PORT.receiver], LINK);
  const collector = new Station("collector");
  const differ: string[] = [];
  const flaws: string[] = [];
  let reports = 0;
  let reportBytes = 0;
  collector.heard = (frame) => {
    reports++;
    reportBytes += frame.length;
    const wrong = flaw(frame, reports);
    if (wrong !== undefined) flaws.push(`report ${reports}: ${wrong}`);
    const number = at(frame, AT.identification, 2);
    const wanted = expected.get(number);
    const is = textOf(read(frame));
    const should = wanted === undefined ? "no report" : textOf(wanted);
    const other = wanted && textOf({ ...wanted, cells: wanted.cells - (wanted.leaving ?? 0) });
    if (is !== should && is !== other) differ.push(`packet ${number}: ${is}; expected ${should}`);
    expected.delete(number);
  };
  bed.link([collector, 0], [tofino, PORT.collector], LINK);
  const random = new Random(17);
  const senders = Array.from({ length: SENDERS }, (_, i) => {
    const station = new Station(`sender${i}`);
    bed.link([station, 0], [tofino, PORT.sender + i], LINK);
    return station;
  });
  /** A burst of a flow at the rate of the sender's link. */
  const burst = (sender: number): void => {
    const flow = random.int(FLOWS_OF_SENDER);
    const count = 1 + random.int(2 * BURST_PACKETS);
    let bits = 0;
    for (let i = 0; i < count && packets.length < PACKETS; i++) {
      const packet = { number: packets.length, sender, flow, bytes: 100 + random.int(1300) };
      bits += packet.bytes * 8;
      packets.push(packet);
      senders[sender]!.send(frameOf(packet, false));
    }
    const time = (bits * 1e9) / LINK.rate;
    if (packets.length < PACKETS) bed.after(random.exponential((time * SENDERS) / LOAD), () => burst(sender));
  };
  for (let i = 0; i < SENDERS; i++) bed.after(1000 * i, () => burst(i));
  bed.simulation.run();
  for (const [number, said] of expected)
    differ.push(`packet ${number} has no report, expected ${textOf(said)}`);
  const latencies = model.latencies.sort((a, b) => a - b);
  const name = `a step of ${step} ns`;
  return {
    rows: [
      {
        property: `reports with the times and the depth of their packet, ${name}`,
        measured: `${reports - differ.length} of ${reports}`,
      },
      {
        property: `bits of reports for each packet, ${name}`,
        measured: ((8 * reportBytes) / PACKETS).toFixed(0),
        paper: "16",
      },
      {
        property: "latency in the switch, median and 99th percentile",
        measured: [0.5, 0.99]
          .map((share) => `${(latencies[Math.floor(share * latencies.length)]! / 1000).toFixed(2)} us`)
          .join(", "),
      },
    ],
    checks: [
      { what: `forwarded packets, ${name}`, compared: ledger.compared, disagreements: ledger.disagreements },
      { what: `reports: which, times, depth, ports; ${name}`, compared: reports, disagreements: differ },
      { what: `headers of reports, ${name}`, compared: reports, disagreements: flaws },
    ],
  };
}

async function run(program: Program): Promise<Outcome> {
  const rows: Row[] = [];
  const checks: Check[] = [];
  for (const step of STEPS) {
    const made = await withStep(program, step);
    // The latencies are those of the same packets.
    rows.push(...made.rows.slice(0, step === STEPS[0] ? 3 : 2));
    checks.push(...made.checks);
  }
  return { rows, checks };
}

export const telemetry: Design = {
  name: "telemetry",
  title: "In-band telemetry: the reports of fabric-tna",
  repo: "stratum/fabric-tna",
  commit: "fd3c3f09",
  program: "p4src/tna/fabric_tna.p4",
  chip: "tofino",
  defines: ["WITH_INT"],
  includeFolders: ["p4src", "p4src/tna"],
  licence: "Apache-2.0",
  paper: "PINT (SIGCOMM 2020), abstract: sixteen bits a packet, in the packet",
  settings:
    "Four senders on links of 10 Gbit/s send bursts of up to 48 packets of 100 to 1,399 bytes, eight flows each, to one receiver on such a link, at 70 % of its rate. All flows are watched: a flow is reported when its " +
    "latency has changed by a step (the program's 256 ns, or 32,768 ns) and once in 1.07 s; every packet that waits 30 us is reported, up to 1,024 until one waits less than 2 us. Routes, mirror session and the report's tables are " +
    "those of the design's own tests; reports are cut at 128 bytes, recirculate and go to a collector.",
  remark:
    "PINT's sixteen bits are in the packets themselves, spread over them; reports are packets of their own. The second model is a queue with one server: which packets are reported, with what times, depth, ports and sequence numbers.",
  run,
};
