/** The count-min sketch with a threshold of CMSIS: the switch sends each packet back with the estimate of its flow, and whether it is large. */
import { Random } from "../../../src/base/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { crc16Arc, crc16Dect } from "./crc.js";
import { type Check, type Design, type Outcome, percent } from "./design.js";
import { ETHERNET_BYTES, ethernet, IPV4_BYTES, ipv4, join, pack, UDP_BYTES, udp } from "./frames.js";
import { Bed, Ledger, Station } from "./network.js";
import { Zipf } from "./zipf.js";

const PACKETS = 200_000;
const FLOWS = 60_000;
const CELLS = 16_384;
const ROWS = 2;
/** A flow is large from this part of all packets on. */
const THETA = 1000;
const GAP = 100;
const LINK = { rate: 100e9, delay: 500 };
const PORT = 8;
const MAC = { host: 0x020000000001, tofino: 0x020000000002 };
const PAYLOAD = new Uint8Array(18);
const ADDED_BYTES = 5;

interface Flow {
  readonly source: number;
  readonly destination: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
}

function frameOf(
  { source, destination, sourcePort, destinationPort }: Flow,
  answer?: Uint8Array,
): Uint8Array {
  const length = UDP_BYTES + PAYLOAD.length;
  const frame = join(
    answer === undefined ? ethernet(MAC.tofino, MAC.host, 0x0800) : ethernet(MAC.host, MAC.tofino, 0x0800),
    ipv4({ source, destination, protocol: 17, length }),
    udp(sourcePort, destinationPort, PAYLOAD.length),
    answer ?? new Uint8Array(),
    PAYLOAD,
  );
  if (answer !== undefined) {
    // The program counts its header in both lengths, and leaves the checksum of the IPv4 header as it is.
    frame[ETHERNET_BYTES + 3] = frame[ETHERNET_BYTES + 3]! + ADDED_BYTES;
    frame[ETHERNET_BYTES + IPV4_BYTES + 5] = frame[ETHERNET_BYTES + IPV4_BYTES + 5]! + ADDED_BYTES;
  }
  return frame;
}

/** The second model: two rows of cells and the number of packets. */
class CountMin {
  readonly #rows = [new Uint32Array(CELLS), new Uint32Array(CELLS)] as const;
  #packets = 0;

  places({ source, destination, sourcePort, destinationPort }: Flow): [number, number] {
    const key = pack([source, 32], [destination, 32], [sourcePort, 16], [destinationPort, 16], [0, 32]);
    return [crc16Arc(key) % CELLS, crc16Dect(key) % CELLS];
  }

  estimate(flow: Flow): number {
    const [first, second] = this.places(flow);
    return Math.min(this.#rows[0][first]!, this.#rows[1][second]!);
  }

  add(flow: Flow): { estimate: number; isLarge: boolean } {
    const [first, second] = this.places(flow);
    this.#packets++;
    this.#rows[0][first]!++;
    this.#rows[1][second]!++;
    const estimate = this.estimate(flow);
    return { estimate, isLarge: estimate >= Math.floor(this.#packets / THETA) };
  }
}

function flowsOf(random: Random): Flow[] {
  return Array.from({ length: FLOWS }, () => ({
    source: 0x0a000000 + random.int(1 << 24),
    destination: 0x0a000000 + random.int(1 << 24),
    sourcePort: 1024 + random.int(60_000),
    destinationPort: random.pick([53, 443, 4789, 8080]),
  }));
}

async function run(program: Program): Promise<Outcome> {
  const bed = new Bed();
  const tofino = await bed.addSwitch("tofino", program, []);
  const host = new Station("host");
  bed.link([host, 0], [tofino, PORT], LINK);
  const random = new Random(5);
  const flows = flowsOf(random.fork("flows"));
  const zipf = new Zipf(FLOWS, 1);
  const model = new CountMin();
  const ledger = new Ledger();
  const counts = new Uint32Array(FLOWS);
  host.heard = (frame) => ledger.saw(host.name, frame);
  let sent = 0;
  const next = (): void => {
    const number = zipf.draw(random);
    const flow = flows[number]!;
    counts[number]!++;
    const { estimate, isLarge } = model.add(flow);
    ledger.expect(host.name, frameOf(flow, pack([isLarge ? 1 : 0, 8], [estimate, 32])));
    host.send(frameOf(flow));
    if (++sent < PACKETS) bed.after(GAP, next);
  };
  next();
  bed.simulation.run();
  return figures({ flows, counts, model, ledger, cells: await cellsOf(tofino) });
}

/** The rows of the sketch, as the control plane reads them. */
async function cellsOf({ device }: Awaited<ReturnType<Bed["addSwitch"]>>): Promise<Uint32Array[]> {
  const rows: Uint32Array[] = [];
  for (const register of ["pipe.Ingress.reg_counters_stage1", "pipe.Ingress.reg_counters_stage2"]) {
    const row = new Uint32Array(CELLS);
    for (const cell of await device.read([{ kind: "register", register }]))
      if (cell.kind === "register") row[cell.index] = Number(cell.value);
    rows.push(row);
  }
  return rows;
}

interface Run {
  readonly flows: readonly Flow[];
  readonly counts: Uint32Array;
  readonly model: CountMin;
  readonly ledger: Ledger;
  readonly cells: readonly Uint32Array[];
}

/** Of the switch's own cells after the last packet. */
function figures({ flows, counts, model, ledger, cells }: Run): Outcome {
  const bound = (Math.E / CELLS) * PACKETS;
  const large = PACKETS / THETA;
  const seen = flows.map((flow, i) => ({ flow, count: counts[i]! })).filter(({ count }) => count > 0);
  const below: string[] = [];
  let beyond = 0;
  let errors = 0;
  let relative = 0;
  let found = 0;
  let right = 0;
  let wanted = 0;
  for (const { flow, count } of seen) {
    const [first, second] = model.places(flow);
    const estimate = Math.min(cells[0]![first]!, cells[1]![second]!);
    if (estimate < count) below.push(`a flow of ${count} packets has ${estimate}`);
    errors += estimate - count;
    if (estimate - count > bound) beyond++;
    if (count >= large) {
      wanted++;
      relative += (estimate - count) / count;
    }
    if (estimate >= large) {
      found++;
      if (count >= large) right++;
    }
  }
  const limit: Check = {
    what: "flows beyond the bound, at most e^-2 of them",
    compared: seen.length,
    disagreements: beyond / seen.length <= Math.exp(-ROWS) ? [] : [percent(beyond / seen.length)],
  };
  return {
    rows: [
      {
        property: `flows whose estimate is more than e N / w = ${bound.toFixed(1)} packets too high`,
        measured: percent(beyond / seen.length),
        paper: `at most ${percent(Math.exp(-ROWS))}`,
      },
      {
        property: "mean error of a flow, packets",
        measured: (errors / seen.length).toFixed(2),
        paper: `at most ${(PACKETS / CELLS).toFixed(2)} in a row`,
      },
      { property: "mean relative error of large flows", measured: percent(relative / wanted) },
      {
        property: "large flows found, of those that there are",
        measured: percent(right / wanted),
        paper: "100.0 %",
      },
      { property: "of those found, large ones", measured: percent(right / found) },
    ],
    checks: [
      {
        what: "answers, with estimate and flag",
        compared: ledger.compared,
        disagreements: ledger.disagreements,
      },
      { what: "no estimate too low", compared: seen.length, disagreements: below },
      limit,
    ],
  };
}

export const sketch: Design = {
  name: "sketch",
  title: "Sketch: the count-min sketch of CMSIS",
  repo: "RaniAbboud/CMSIS-tofino2",
  commit: "240c5bc1",
  program: "cms_threshold.p4",
  chip: "tofino2",
  licence: "AGPL-3.0",
  paper:
    "An improved data stream summary: the count-min sketch and its applications (J. Algorithms 2005), theorem 1",
  settings:
    "200,000 packets of 60,000 flows with Zipf's distribution (1.0), at a link of 100 Gbit/s; two rows of 16,384 cells, addressed by CRC-16/ARC and CRC-16/DECT. The switch sends each packet " +
    "back with the estimate of its flow, and whether it is one of at least a thousandth of all packets. N is the number of packets, w that of cells in a row.",
  remark:
    "The bound holds for any distribution with hash functions that are pairwise independent; CRCs are not, and skewed traffic stays far below.",
  run,
};
