/**
 * The lock manager of P4DB: a switch keeps the locks and the data of hot tuples. Nodes run transactions under two-phase locking without
 * waiting: a refused lock aborts the transaction.
 */
import { Random } from "../../../src/base/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import type { Check, Design, Outcome, Row } from "./design.js";
import { percent } from "./design.js";
import { at, type Field, join, pack } from "./frames.js";
import { Bed, entry, exact, Ledger, Station } from "./network.js";
import { macOf, read, TYPE, write } from "./p4db.js";

const NODES = 8;
const HOT_OF_NODE = 50;
const OPERATIONS = 8;
const TRANSACTIONS = 4000;
const LINK = { rate: 10e9, delay: 1000 };
const PORT_OF = (node: number): number => 4 * node;

const INVALID = 0;
const READ = 1;
const WRITE = 2;
/** The switch takes requests with this mark, and doubles it. */
const FOR_SWITCH = 0xaa;
const BY_SWITCH = 0x54;

type Words = readonly [number, number, number];

interface Lock {
  mode: typeof INVALID | typeof READ | typeof WRITE;
  readonly tuple: number;
}

function body(lock: Lock, mark: number, data?: Words): Uint8Array {
  const head: Field[] = [
    [0, 64],
    [lock.tuple, 64],
    [0, 64],
    [lock.mode, 8],
    [mark, 8],
    [lock.tuple, 16],
  ];
  return join(
    pack(...head),
    data === undefined ? new Uint8Array() : pack(...data.map((one): Field => [one, 32])),
  );
}

const MODE_AT = 24;
const TUPLE_AT = 26;
const DATA_AT = 28;

/** The second model: a table of locks, in the order in which requests reach the switch. */
class LockTable {
  /** Readers, or -1 with a writer. */
  readonly #holders = new Map<number, number>();
  readonly #data = new Map<number, Words>();

  dataOf(tuple: number): Words {
    return this.#data.get(tuple) ?? [0, 0, 0];
  }

  isFree(tuple: number): boolean {
    return (this.#holders.get(tuple) ?? 0) === 0;
  }

  /** What leaves the switch for a frame. */
  answer(frame: Uint8Array): Uint8Array {
    const request = read(frame);
    const tuple = at(request.body, TUPLE_AT, 2);
    const asked = at(request.body, MODE_AT, 1) as Lock["mode"];
    const back = { ...request, to: request.from, from: request.to };
    const held = this.#holders.get(tuple) ?? 0;
    if (request.type === TYPE.putRequest) {
      this.#holders.set(tuple, held < 0 ? 0 : held - 1);
      if (asked === WRITE)
        this.#data.set(tuple, [0, 1, 2].map((i) => at(request.body, DATA_AT + 4 * i, 4)) as unknown as Words);
      return write({ ...back, type: TYPE.putResponse, body: body({ tuple, mode: asked }, BY_SWITCH) });
    }
    const isGranted = asked === WRITE ? held === 0 : held >= 0;
    if (isGranted) this.#holders.set(tuple, asked === WRITE ? -1 : held + 1);
    const mode = isGranted ? asked : INVALID;
    const data = isGranted ? this.dataOf(tuple) : undefined;
    return write({ ...back, type: TYPE.getResponse, body: body({ tuple, mode }, BY_SWITCH, data) });
  }
}

/** A transaction that waits for its locks. */
interface Open {
  readonly locks: readonly Lock[];
  readonly granted: { lock: Lock; data: Words }[];
  answers: number;
  readonly sent: number;
  readonly done: () => void;
}

interface Figures {
  commits: number;
  aborts: number;
  writes: number;
  /** From a request to its answer, nanoseconds. */
  readonly waits: number[];
  /** Two nodes believed at one time that they had a lock that excludes the other's. */
  violations: string[];
}

/** One node with its workers, each with one transaction at a time. */
class DatabaseNode {
  readonly station: Station;
  readonly #bed: Bed;
  readonly #random: Random;
  readonly #figures: Figures;
  readonly #holders: Map<number, { readers: number; writers: number }>;
  readonly #open = new Map<number, Open>();
  #number = 0;

  constructor(
    bed: Bed,
    readonly node: number,
    parts: { figures: Figures; holders: DatabaseNode["heldBy"] },
  ) {
    this.station = new Station(`node${node}`);
    this.#bed = bed;
    this.#random = new Random(7).fork(node);
    this.#figures = parts.figures;
    this.#holders = parts.holders;
  }

  get heldBy(): Map<number, { readers: number; writers: number }> {
    return this.#holders;
  }

  #locksOf(): Lock[] {
    const chosen = new Map<number, Lock>();
    while (chosen.size < OPERATIONS) {
      const isRemote = this.#random.int(100) < 20;
      const owner = isRemote ? (this.node + 1 + this.#random.int(NODES - 1)) % NODES : this.node;
      const tuple = owner * HOT_OF_NODE + this.#random.int(HOT_OF_NODE);
      chosen.set(tuple, { tuple, mode: this.#random.int(100) < 50 ? WRITE : READ });
    }
    return [...chosen.values()];
  }

  /** A worker's next transaction; `more` says whether there is one. */
  work(more: () => boolean): void {
    if (!more()) return;
    const again = () => this.work(more);
    if (this.#random.int(100) >= 75) {
      // A cold transaction locks nothing that another one wants: it takes the time of one exchange.
      this.#bed.after(4 * LINK.delay, () => {
        this.#figures.commits++;
        again();
      });
      return;
    }
    const open: Open = {
      locks: this.#locksOf(),
      granted: [],
      answers: 0,
      sent: this.#bed.now,
      done: again,
    };
    for (const lock of open.locks) this.#request(TYPE.getRequest, body(lock, FOR_SWITCH), open);
  }

  #request(type: number, content: Uint8Array, open?: Open): void {
    const number = this.#number++;
    if (open !== undefined) this.#open.set(number, open);
    const to = (this.node + 1) % NODES;
    this.station.send(write({ to, from: this.node, type, sender: this.node, number, body: content }));
  }

  hear(frame: Uint8Array): void {
    const { type, number, body: answer } = read(frame);
    const open = this.#open.get(number);
    if (type !== TYPE.getResponse || open === undefined) return;
    this.#open.delete(number);
    this.#figures.waits.push(this.#bed.now - open.sent);
    open.answers++;
    const mode = at(answer, MODE_AT, 1) as Lock["mode"];
    if (mode !== INVALID) {
      const lock = { tuple: at(answer, TUPLE_AT, 2), mode };
      open.granted.push({
        lock,
        data: [0, 1, 2].map((i) => at(answer, DATA_AT + 4 * i, 4)) as unknown as Words,
      });
      this.#take(lock);
    }
    if (open.answers === open.locks.length) this.#end(open);
  }

  #take({ tuple, mode }: Lock): void {
    const held = this.#holders.get(tuple) ?? { readers: 0, writers: 0 };
    if (held.writers > 0 || (mode === WRITE && held.readers > 0))
      this.#figures.violations.push(`tuple ${tuple} at ${this.#bed.now} ns`);
    if (mode === WRITE) held.writers++;
    else held.readers++;
    this.#holders.set(tuple, held);
  }

  #end({ locks, granted, done }: Open): void {
    const commits = granted.length === locks.length;
    if (commits) this.#figures.commits++;
    else this.#figures.aborts++;
    for (const { lock, data } of granted) {
      const held = this.#holders.get(lock.tuple);
      if (held !== undefined && lock.mode === WRITE) held.writers--;
      else if (held !== undefined) held.readers--;
      // An aborted writer writes what it read.
      const value: Words = commits ? [data[0] + 1, this.node, this.#number] : data;
      if (commits && lock.mode === WRITE) this.#figures.writes++;
      this.#request(TYPE.putRequest, body(lock, BY_SWITCH, lock.mode === WRITE ? value : undefined));
    }
    done();
  }
}

async function withWorkers(
  program: Program,
  workers: number,
): Promise<{ figures: Figures; checks: Check[] }> {
  const bed = new Bed();
  const routes = Array.from({ length: NODES }, (_, node) =>
    entry("pipe.Ingress.l2fwd", [exact("hdr.ethernet.dst_addr", macOf(node))], "Ingress.send", {
      port: PORT_OF(node),
    }),
  );
  const tofino = await bed.addSwitch("tofino", program, routes);
  const figures: Figures = { commits: 0, aborts: 0, writes: 0, waits: [], violations: [] };
  const holders: DatabaseNode["heldBy"] = new Map();
  const model = new LockTable();
  const ledger = new Ledger();
  bed.onArrival(tofino, (port, frame) => ledger.expect(`node${port / 4}`, model.answer(frame)));
  let left = TRANSACTIONS;
  for (let i = 0; i < NODES; i++) {
    const node = new DatabaseNode(bed, i, { figures, holders });
    bed.link([node.station, 0], [tofino, PORT_OF(i)], LINK);
    node.station.heard = (frame) => {
      ledger.saw(node.station.name, frame);
      node.hear(frame);
    };
    for (let worker = 0; worker < workers; worker++)
      bed.after(97 * (i + NODES * worker), () => node.work(() => left-- > 0));
  }
  bed.simulation.run();
  const checks: Check[] = [
    {
      what: `answers, ${workers} workers a node`,
      compared: ledger.compared,
      disagreements: ledger.disagreements,
    },
    {
      what: "no lock held against another",
      compared: figures.waits.length,
      disagreements: figures.violations,
    },
    await countsOf(tofino.device, figures, model),
  ];
  return { figures, checks };
}

/** No update is lost: a tuple's first word counts the committed writes. */
async function countsOf(
  device: Awaited<ReturnType<Bed["addSwitch"]>>["device"],
  figures: Figures,
  model: LockTable,
): Promise<Check> {
  const cells = await device.read([{ kind: "register", register: "pipe.Ingress.data_0" }]);
  const disagreements: string[] = [];
  let sum = 0;
  for (const cell of cells) {
    if (cell.kind !== "register") continue;
    sum += Number(cell.value);
    if (Number(cell.value) !== model.dataOf(cell.index)[0])
      disagreements.push(`tuple ${cell.index} is ${cell.value}, expected ${model.dataOf(cell.index)[0]}`);
  }
  if (sum !== figures.writes) disagreements.push(`${sum} writes in the switch, ${figures.writes} committed`);
  return { what: "committed writes in the registers", compared: figures.writes, disagreements };
}

/** Of figures/data/exp_c.csv in the repository, YCSB with half of the operations writes, NO_WAIT: commits and aborts. */
const PAPER: Readonly<Record<number, string>> = { 1: "9.4 %", 4: "40.9 %", 20: "69.1 %" };

async function run(program: Program): Promise<Outcome> {
  const rows: Row[] = [];
  const checks: Check[] = [];
  for (const workers of [1, 4, 20]) {
    const { figures, checks: made } = await withWorkers(program, workers);
    checks.push(...made);
    const total = figures.commits + figures.aborts;
    rows.push({
      property: `transactions aborted, ${workers} workers a node`,
      measured: percent(figures.aborts / total),
      paper: PAPER[workers] ?? "",
    });
    if (workers === 1)
      rows.push({
        property: "time from a request to its answer",
        measured: `${(Math.min(...figures.waits) / 1000).toFixed(2)} us`,
      });
  }
  return { rows, checks };
}

export const lock: Design = {
  name: "lock",
  title: "Lock service: the lock manager of P4DB",
  repo: "DataManagementLab/p4db",
  commit: "a2217087",
  program: "switch_src/lock_manager/p4db_lock_manager.p4",
  chip: "tofino",
  licence: "Apache-2.0",
  paper:
    "P4DB - The Case for In-Network OLTP (SIGMOD 2022); figures/data/exp_c.csv of its repository, No-Switch with NO_WAIT",
  settings:
    "Eight nodes on links of 10 Gbit/s run transactions, 75 % of them hot: eight different tuples, each one of 50 of the own node or (20 %) of another one, read or written " +
    "at equal odds. A node asks for all locks at once; a refused one aborts the transaction (NO_WAIT), and it is not repeated. All hot locks and tuples are in the switch.",
  remark:
    "The settings are those of the paper's runs; there the locks were at the nodes, whose threads take time between two transactions, here at the switch, without such time.",
  run,
};
