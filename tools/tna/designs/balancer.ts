/**
 * NetClone with the scheduling of RackSched: a request goes to the less loaded one of two servers, or to both if both are idle; of two
 * responses the switch lets one through. Servers report the length of their queue in each response.
 */
import { Random } from "../../../src/base/index.js";
import type { Update } from "../../../src/toolchain/device/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { type Check, type Design, type Outcome, percent, type Row } from "./design.js";
import { at, ETHERNET_BYTES, ethernet, IPV4_BYTES, ipv4, join, pack, UDP_BYTES, udp } from "./frames.js";
import { Bed, entry, exact, Ledger, Station } from "./network.js";

const SERVERS = 6;
const WORKERS = 8;
/** Mean time of service, nanoseconds. */
const SERVICE = 25_000;
const REQUESTS = 12_000;
const LINK = { rate: 100e9, delay: 1000 };
/** The bound of the 99th percentile for which throughputs are compared. */
const BOUND = 5 * SERVICE;

const RECIRCULATION = 452;
/** The client, then the servers. */
const PORTS = [396, 392, 444, 440, 428, 424, 412];
const addressOf = (host: number): number => 0x0a000165 + host;
const macOf = (host: number): number => 0x020000000065 + host;

const NETCLONE_PORT = 1000;
const PLAIN_PORT = 2000;
const REQUEST = 0;
const RESPONSE = 1;
const FILTERS = 2;
const FILTER_CELLS = 131_072;
const FIELDS = ["operation", "sequence", "group", "server", "load", "clone", "filter"] as const;
const AT = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES;
const HEADER_BYTES = 4 * FIELDS.length;

type Header = Record<(typeof FIELDS)[number], number>;

interface Packet {
  readonly from: number;
  readonly to: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly header: Header;
  /** Number of the request. */
  readonly request: number;
}

const NOTHING: Header = { operation: 0, sequence: 0, group: 0, server: 0, load: 0, clone: 0, filter: 0 };

function write(
  { from, to, sourcePort, destinationPort, header, request }: Packet,
  toMac = macOf(to),
): Uint8Array {
  const payload = join(...FIELDS.map((name) => pack([header[name], 32])), pack([request, 32]));
  const length = UDP_BYTES + payload.length;
  return join(
    ethernet(toMac, macOf(from), 0x0800),
    ipv4({ source: addressOf(from), destination: addressOf(to), protocol: 17, length }),
    udp(sourcePort, destinationPort, payload.length),
    payload,
  );
}

function read(frame: Uint8Array): Packet {
  const address = ETHERNET_BYTES + 12;
  const header = { ...NOTHING };
  for (const [i, name] of FIELDS.entries()) header[name] = at(frame, AT + 4 * i, 4);
  return {
    from: at(frame, address, 4) - addressOf(0),
    to: at(frame, address + 4, 4) - addressOf(0),
    sourcePort: at(frame, ETHERNET_BYTES + IPV4_BYTES, 2),
    destinationPort: at(frame, ETHERNET_BYTES + IPV4_BYTES + 2, 2),
    header,
    request: at(frame, AT + HEADER_BYTES, 4),
  };
}

/** The two servers of each group, from group 1 on. */
const GROUPS: readonly (readonly [number, number])[] = Array.from({ length: SERVERS }, (_, first) =>
  Array.from({ length: SERVERS - first - 1 }, (_, i): [number, number][] => [
    [first, first + 1 + i],
    [first + 1 + i, first],
  ]).flat(),
).flat();

/** What the design's controller installs. */
function entries(schedules: boolean): Update[] {
  const all: Update[] = [];
  for (const [host, port] of PORTS.entries())
    all.push(
      entry(
        "pipe.SwitchIngress.ipv4_exact",
        [exact("hdr.ipv4.dstAddr", addressOf(host))],
        "SwitchIngress.ipv4_forward",
        { port },
      ),
    );
  for (let server = 0; server < SERVERS; server++) {
    const to = { dst_addr: addressOf(server + 1), dst_mac: macOf(server + 1) };
    const id = [exact("ig_md.srv1id", server)];
    all.push(
      entry("pipe.SwitchIngress.RandomLB_table", id, "SwitchIngress.RandomLB_action", to),
      entry("pipe.SwitchIngress.update_dstIP_table", id, "SwitchIngress.update_dstIP_action", to),
      entry(
        "pipe.SwitchIngress.CloneForward_table",
        [exact("hdr.netclone.sid", server)],
        "SwitchIngress.CloneForward_action",
        to,
      ),
    );
  }
  for (const [i, [srv1, srv2]] of GROUPS.entries()) {
    all.push(
      entry(
        "pipe.SwitchIngress.get_srvID_table",
        [exact("hdr.netclone.grp", i + 1)],
        "SwitchIngress.get_srvID_action",
        { srv1, srv2 },
      ),
      {
        type: "insert",
        entity: {
          kind: "multicastGroup",
          groupId: i + 1,
          replicas: [
            { port: PORTS[srv1 + 1]!, instance: 1 },
            { port: RECIRCULATION, instance: 1 },
          ],
        },
      },
    );
  }
  const value = schedules ? 1n : 0n;
  all.push({ type: "modify", entity: { kind: "register", register: "pipe.racksched_reg", index: 0, value } });
  return all;
}

/** The second model: what the switch sends for each frame, in the order in which frames reach it. */
class Scheduler {
  #sequence = 0;
  clones = 0;
  filtered = 0;
  readonly #loads = new Array<number>(SERVERS).fill(0);
  readonly #filters = Array.from({ length: FILTERS }, () => new Map<number, number>());

  constructor(readonly schedules: boolean) {}

  send(packet: Packet): Packet[] {
    if (packet.sourcePort !== NETCLONE_PORT && packet.destinationPort !== NETCLONE_PORT) return [packet];
    return packet.header.operation === REQUEST ? this.#request(packet) : this.#response(packet);
  }

  #request(packet: Packet): Packet[] {
    const sequence = ++this.#sequence;
    const [first, second] = GROUPS[packet.header.group - 1]!;
    const load = { first: this.#loads[first]!, second: this.#loads[second]! };
    const header = { ...packet.header, sequence };
    if (load.first === 0 && load.second === 0) {
      this.clones++;
      return [
        { ...packet, to: first + 1, header: { ...header, clone: 1, server: second } },
        { ...packet, to: second + 1, header: { ...header, clone: 2, server: second } },
      ];
    }
    const takesSecond = this.schedules && load.first > load.second;
    return [{ ...packet, to: (takesSecond ? second : first) + 1, header }];
  }

  #response(packet: Packet): Packet[] {
    const { server, load, clone, filter, sequence } = packet.header;
    this.#loads[server] = load;
    if (clone === 0) return [packet];
    const cells = this.#filters[filter]!;
    const cell = sequence % FILTER_CELLS;
    const isSecond = cells.get(cell) === sequence;
    cells.set(cell, isSecond ? 0 : sequence);
    if (isSecond) this.filtered++;
    return isSecond ? [] : [packet];
  }
}

/** A queue in front of some workers. */
class Server {
  readonly station: Station;
  served = 0;
  readonly #queue: Packet[] = [];
  #busy = 0;
  readonly #random: Random;

  constructor(
    readonly bed: Bed,
    readonly number: number,
  ) {
    this.station = new Station(`host${number + 1}`);
    this.#random = new Random(3).fork(number);
  }

  hear(frame: Uint8Array): void {
    const packet = read(frame);
    // A clone is for idle servers only.
    if (packet.header.clone === 2 && this.#queue.length > 0) return;
    this.#queue.push(packet);
    this.#start();
  }

  #start(): void {
    if (this.#busy === WORKERS) return;
    const packet = this.#queue.shift();
    if (packet === undefined) return;
    this.#busy++;
    this.bed.after(this.#random.exponential(SERVICE), () => {
      this.#busy--;
      this.served++;
      const { sourcePort, destinationPort, from, to } = packet;
      const header = { ...packet.header, operation: RESPONSE, server: this.number, load: this.#queue.length };
      this.station.send(
        write({
          ...packet,
          from: to,
          to: from,
          sourcePort: destinationPort,
          destinationPort: sourcePort,
          header,
        }),
      );
      this.#start();
    });
  }
}

interface Figures {
  /** Nanoseconds, in order. */
  readonly times: number[];
  readonly scheduler: Scheduler;
  readonly served: readonly number[];
  readonly checks: Check[];
}

type Policy = "random" | "cloning" | "cloning and scheduling";

async function withLoad(program: Program, policy: Policy, load: number): Promise<Figures> {
  const bed = new Bed();
  const schedules = policy === "cloning and scheduling";
  const tofino = await bed.addSwitch("tofino", program, entries(schedules));
  const scheduler = new Scheduler(schedules);
  const ledger = new Ledger();
  bed.onArrival(tofino, (_port, frame) => {
    for (const packet of scheduler.send(read(frame))) ledger.expect(`host${packet.to}`, write(packet));
  });
  const client = new Station("host0");
  const servers = Array.from({ length: SERVERS }, (_, i) => new Server(bed, i));
  const sent: number[] = [];
  const answers = new Array<number>(REQUESTS).fill(0);
  const times: number[] = [];
  const hosts: [Station, (frame: Uint8Array) => void][] = [
    [
      client,
      (frame) => {
        const { request } = read(frame);
        answers[request]!++;
        times.push(bed.now - sent[request]!);
      },
    ],
    ...servers.map((one): [Station, (frame: Uint8Array) => void] => [
      one.station,
      (frame) => one.hear(frame),
    ]),
  ];
  for (const [i, [station, hear]] of hosts.entries()) {
    bed.link([station, 0], [tofino, PORTS[i]!], LINK);
    station.heard = (frame) => {
      ledger.saw(station.name, frame);
      hear(frame);
    };
  }
  const random = new Random(13);
  const gap = SERVICE / (SERVERS * WORKERS * load);
  const next = (): void => {
    const request = sent.length;
    const isPlain = policy === "random";
    // A client of NetClone names a group and no server; without it, a client chooses a server.
    const to = isPlain ? 1 + random.int(SERVERS) : 1;
    const header = { ...NOTHING, group: 1 + random.int(GROUPS.length), filter: random.int(FILTERS) };
    const destinationPort = isPlain ? PLAIN_PORT : NETCLONE_PORT;
    client.send(write({ from: 0, to, sourcePort: 5000, destinationPort, header, request }));
    sent.push(bed.now);
    if (sent.length < REQUESTS) bed.after(random.exponential(gap), next);
  };
  next();
  bed.simulation.run();
  const wrong = answers.flatMap((count, i) => (count === 1 ? [] : [`request ${i} has ${count} answers`]));
  const what = `${policy} at ${percent(load)}`;
  return {
    times: times.sort((a, b) => a - b),
    scheduler,
    served: servers.map(({ served }) => served),
    checks: [
      { what: `frames, ${what}`, compared: ledger.compared, disagreements: ledger.disagreements },
      { what: `one answer a request, ${what}`, compared: REQUESTS, disagreements: wrong },
    ],
  };
}

function tail({ times }: Figures): number {
  return times[Math.floor(times.length * 0.99)] ?? 0;
}

const LOADS = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95];

/** The load at which the 99th percentile passes the bound, between two loads by a straight line. */
function loadAtBound(tails: readonly number[]): number {
  const above = tails.findIndex((one) => one > BOUND);
  if (above <= 0) return above < 0 ? LOADS.at(-1)! : LOADS[0]!;
  const [low, high] = [tails[above - 1]!, tails[above]!];
  return LOADS[above - 1]! + ((BOUND - low) / (high - low)) * (LOADS[above]! - LOADS[above - 1]!);
}

async function run(program: Program): Promise<Outcome> {
  const checks: Check[] = [];
  const measure = async (policy: Policy, load: number): Promise<Figures> => {
    const figures = await withLoad(program, policy, load);
    checks.push(...figures.checks);
    return figures;
  };
  const plain = await measure("random", 0.2);
  const cloning = await measure("cloning", 0.2);
  const tails: Record<Policy, number[]> = { random: [], cloning: [], "cloning and scheduling": [] };
  let last = cloning;
  for (const load of LOADS)
    for (const policy of ["random", "cloning and scheduling"] as const) {
      last = await measure(policy, load);
      tails[policy].push(tail(last));
    }
  const bound = { random: loadAtBound(tails.random), both: loadAtBound(tails["cloning and scheduling"]) };
  const rows: Row[] = [
    {
      property: `throughput with a 99th percentile of ${BOUND / 1000} us, scheduling to random`,
      measured: `${(bound.both / bound.random).toFixed(2)} times`,
      paper: "up to 1.44 times",
    },
    {
      property: "99th percentile at a load of 20 %, cloning to random",
      measured: `${(tail(cloning) / tail(plain)).toFixed(2)} times`,
      // The smaller one of two exponential times has half the mean, and half of each quantile.
      expected: "0.50 times, of service alone",
    },
    {
      property: "requests cloned at a load of 20 %, and second responses filtered",
      measured: `${percent(cloning.scheduler.clones / REQUESTS)}, ${cloning.scheduler.filtered} of ${cloning.scheduler.clones}`,
    },
    {
      property: "most and fewest requests of a server at 95 %, of the mean",
      measured: [Math.max(...last.served), Math.min(...last.served)]
        .map((count) => percent((count * SERVERS) / last.served.reduce((sum, one) => sum + one, 0)))
        .join(", "),
    },
  ];
  return { rows, checks };
}

export const balancer: Design = {
  name: "balancer",
  title: "Load balancer: NetClone with RackSched",
  repo: "GyuyeongKim/NetClone-public",
  commit: "c99557a5",
  program: "netclone.p4",
  chip: "tofino",
  licence: "MIT",
  paper: "RackSched (OSDI 2020), abstract; the abstract of NetClone (SIGCOMM 2023) has no figure",
  settings:
    "One client and six servers with eight workers each, links of 100 Gbit/s; requests come at random, service takes 25 us on average (exponential). Loads from " +
    "20 % to 95 % of the workers. The entries, groups and registers are those that the design's controller writes, with and without its RackSched; the second copy of a " +
    "request takes the recirculation port. Without the design a client chooses a server at random.",
  remark:
    "RackSched's figure is of its own testbed and workloads; the bound here is five times the mean time of service. Servers queue and drop clones as the design's server does.",
  run,
};
