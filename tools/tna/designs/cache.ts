/**
 * The switch of P4DB as a cache of hot tuples under YCSB's key-value queries: the hottest keys are in its registers, the others at
 * servers. Clients know which keys are hot, as nodes of P4DB do.
 */
import { Random } from "../../../src/base/index.js";
import type { Update } from "../../../src/toolchain/device/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { type Design, near, type Outcome, percent } from "./design.js";
import { at, type Field, pack } from "./frames.js";
import { Bed, entry, exact, Ledger, Station } from "./network.js";
import { type Message, macOf, read, TYPE, write } from "./p4db.js";
import { Zipf } from "./zipf.js";

const CLIENTS = 4;
const SERVERS = 8;
const PARTITIONS = 128;
const KEYS = 10_000_000;
const HOT_KEYS = 10_000;
const REGISTERS = 20;
const QUERIES = 100_000;
const WRITES = 0.05;
/** Mean time between two queries, and what a partition takes for one: nanoseconds. */
const GAP = 1000;
const SERVICE = 1000;
const LINK = { rate: 10e9, delay: 1000 };
const PORT_OF = (node: number): number => 4 * node;

const OPERATION = { read: 0, write: 1 } as const;
const SKIP = 0;
const STOP = 0x80;
const NO_LOCKS: Field = [0, 56];
/** Positions in the body of a message. */
const OPERATION_AT = 8;
const INDEX_AT = 9;
const DATA_AT = 11;

interface Query {
  readonly key: number;
  readonly operation: 0 | 1;
  readonly value: number;
}

function placeOf(key: number): { register: number; index: number } {
  return { register: key % REGISTERS, index: Math.floor(key / REGISTERS) };
}

function firstValueOf(key: number): number {
  return Math.imul(key + 1, 0x9e3779b1) >>> 0;
}

/** Partitions have random keys. */
function partitionOf(key: number): number {
  let mixed = Math.imul(key ^ (key >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % PARTITIONS;
}

/** A transaction of one instruction, for the switch. */
function hotBody(register: number, operation: number, index: number, data: number): Uint8Array {
  return pack(NO_LOCKS, [register, 8], [operation, 8], [index, 16], [data, 32], [STOP, 8]);
}

function coldBody({ key, operation, value }: Query): Uint8Array {
  return pack([key, 32], [operation, 8], [value, 32]);
}

/** The second model: cells in the order in which queries reach the switch; a write answers the value before it. */
class Cells {
  readonly #values = new Map<number, number>();

  access(frame: Uint8Array): Message {
    const message = read(frame);
    const key = at(message.body, INDEX_AT, 2) * REGISTERS + at(message.body, 7, 1) - 1;
    const operation = at(message.body, OPERATION_AT, 1);
    const before = this.#values.get(key) ?? firstValueOf(key);
    if (operation === OPERATION.write) this.#values.set(key, at(message.body, DATA_AT, 4));
    const body = hotBody(SKIP, operation, at(message.body, INDEX_AT, 2), before);
    return { ...message, to: message.from, from: message.to, body };
  }
}

/** A server with some of the partitions: each serves one query after the other. */
class Server {
  readonly station: Station;
  readonly #values = new Map<number, number>();
  readonly #busyUntil = new Map<number, number>();

  constructor(
    bed: Bed,
    readonly node: number,
    served: number[],
  ) {
    this.station = new Station(`node${node}`);
    this.station.heard = (frame) => {
      const message = read(frame);
      const key = at(message.body, 0, 4);
      const partition = partitionOf(key);
      served[partition] = (served[partition] ?? 0) + 1;
      const value = this.#values.get(key) ?? firstValueOf(key);
      const operation = at(message.body, 4, 1) as Query["operation"];
      if (operation === OPERATION.write) this.#values.set(key, at(message.body, 5, 4));
      const end = Math.max(bed.now, this.#busyUntil.get(partition) ?? 0) + SERVICE;
      this.#busyUntil.set(partition, end);
      const body = coldBody({ key, operation, value });
      const answer = { ...message, to: message.from, from: node, type: TYPE.getResponse, body };
      bed.at(end, () => this.station.send(write(answer)));
    };
  }
}

interface Figures {
  readonly hits: number[];
  readonly misses: number[];
  /** Queries by partition. */
  readonly served: number[];
  readonly ledger: Ledger;
}

/** A query of a client: to the switch for a hot key, else to the server of its partition. */
function queryOf(client: number, number: number, query: Query, hotKeys: number): Uint8Array {
  const { key, operation, value } = query;
  const message = { from: client, sender: client, number };
  if (key >= hotKeys) {
    const to = CLIENTS + (partitionOf(key) % SERVERS);
    return write({ ...message, to, type: TYPE.getRequest, body: coldBody(query) });
  }
  const { register, index } = placeOf(key);
  const body = hotBody(register + 1, operation, index, operation === OPERATION.write ? value : 0);
  return write({ ...message, to: client, type: TYPE.transaction, body });
}

function* entries(hotKeys: number): Iterable<Update> {
  for (let node = 0; node < CLIENTS + SERVERS; node++) {
    const port = { port: PORT_OF(node) };
    yield entry("pipe.Ingress.l2fwd", [exact("hdr.ethernet.dst_addr", macOf(node))], "Ingress.send", port);
  }
  for (let key = 0; key < hotKeys; key++) {
    const { register, index } = placeOf(key);
    const value = BigInt(firstValueOf(key));
    yield {
      type: "modify",
      entity: { kind: "register", register: `pipe.Ingress.reg_${register}`, index, value },
    };
  }
}

async function withHotKeys(program: Program, zipf: Zipf, hotKeys: number): Promise<Figures> {
  const bed = new Bed();
  const tofino = await bed.addSwitch("tofino", program, [...entries(hotKeys)]);
  const figures: Figures = { hits: [], misses: [], served: [], ledger: new Ledger() };
  const { ledger } = figures;
  const cells = new Cells();
  bed.onArrival(tofino, (port, frame) => {
    const message = read(frame);
    if (message.type === TYPE.transaction) ledger.expect(`node${port / 4}`, write(cells.access(frame)));
    else ledger.expect(`node${message.to}`, frame);
  });
  const sent = new Map<number, number>();
  const clients = Array.from({ length: CLIENTS }, (_, node) => new Station(`node${node}`));
  const servers = Array.from({ length: SERVERS }, (_, i) => new Server(bed, CLIENTS + i, figures.served));
  for (const client of clients)
    client.heard = (frame) => {
      const { type, number } = read(frame);
      const times = type === TYPE.transaction ? figures.hits : figures.misses;
      times.push(bed.now - (sent.get(number) ?? 0));
    };
  for (const [node, station] of [...clients, ...servers.map(({ station: one }) => one)].entries()) {
    bed.link([station, 0], [tofino, PORT_OF(node)], LINK);
    const { heard } = station;
    station.heard = (frame, port) => {
      ledger.saw(station.name, frame);
      heard(frame, port);
    };
  }
  const random = new Random(11);
  let number = 0;
  const next = (): void => {
    const client = random.int(CLIENTS);
    const operation = random.float() < WRITES ? OPERATION.write : OPERATION.read;
    const query = { key: zipf.draw(random), operation, value: random.uint32() };
    sent.set(number, bed.now);
    clients[client]!.send(queryOf(client, number, query, hotKeys));
    number++;
    if (number < QUERIES) bed.after(random.exponential(GAP), next);
  };
  next();
  bed.simulation.run();
  return figures;
}

/** Share of the most loaded partition, of all queries. */
function worst({ served, hits, misses }: Figures): number {
  return Math.max(...served.filter((count) => count > 0)) / (hits.length + misses.length);
}

/** The same by the probabilities of the keys. */
function worstByProbability(zipf: Zipf, hotKeys: number): number {
  const shares = new Array<number>(PARTITIONS).fill(0);
  for (let key = hotKeys; key < KEYS; key++) {
    const partition = partitionOf(key);
    shares[partition] = shares[partition]! + zipf.below(key + 1) - zipf.below(key);
  }
  return Math.max(...shares);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

async function run(program: Program): Promise<Outcome> {
  const zipf = new Zipf(KEYS, 0.99);
  const cached = await withHotKeys(program, zipf, HOT_KEYS);
  const plain = await withHotKeys(program, zipf, 0);
  const hit = cached.hits.length / QUERIES;
  const saved = 1 - median(cached.hits) / median(plain.misses);
  const gain = worst(plain) / worst(cached);
  const gainExpected = worstByProbability(zipf, 0) / worstByProbability(zipf, HOT_KEYS);
  return {
    rows: [
      {
        property: "queries that the switch answers",
        measured: percent(hit),
        expected: percent(zipf.below(HOT_KEYS)),
        paper: "up to 40 %",
      },
      { property: "their time, less than without the cache", measured: percent(saved), paper: "50 %" },
      {
        property: "gain until the most loaded of 128 partitions is busy",
        measured: `${gain.toFixed(1)} times`,
        expected: `${gainExpected.toFixed(1)} times`,
        paper: "3 to 10 times",
      },
    ],
    checks: [
      {
        what: "frames, with the cache",
        compared: cached.ledger.compared,
        disagreements: cached.ledger.disagreements,
      },
      { what: "frames, without", compared: plain.ledger.compared, disagreements: plain.ledger.disagreements },
      // Five standard deviations of a share of 100,000 queries.
      near("share of queries that the switch answers", hit, zipf.below(HOT_KEYS), 0.008),
    ],
  };
}

export const cache: Design = {
  name: "cache",
  title: "Key-value cache: the hot tuples of P4DB",
  repo: "DataManagementLab/p4db",
  commit: "a2217087",
  program: "switch_src/ycsb/p4db_ycsb.p4",
  chip: "tofino",
  licence: "Apache-2.0",
  paper: "NetCache (SOSP 2017), abstract",
  settings:
    "Four clients and eight servers with 16 partitions each on links of 10 Gbit/s; 10 million keys with Zipf's distribution (0.99), 5 % writes, as YCSB has them. The 10,000 hottest " +
    "keys are in 20 registers of the switch, which the control plane fills; clients ask the switch for them and servers for the others. The same queries again, without hot keys.",
  remark:
    "P4DB uses its hot tuples for transactions of a database; its own figure is a speed-up of up to 8 times (abstract). NetCache's figures are those of a key-value cache: how much of the queries and " +
    "of the load it takes away depends on the number of keys.",
  run,
};
