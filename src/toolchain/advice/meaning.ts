/** Whether two programs did the same with many packets: on two switches with the same entries, clocks and seeds. */
import { DiagnosticError, toHex } from "../../base/index.js";
import { DeviceError, type TableEntry } from "../device/index.js";
import type { Program } from "../program/index.js";
import { CoverageCounts, Switch } from "../switch/index.js";
import { PacketMaker, randomEntries } from "./packets.js";

export interface MeaningOptions {
  /** At least. */
  readonly packets: number;
  readonly seed: number;
}

export interface Meaning {
  readonly packets: number;
  /** Packets that left. */
  readonly sent: number;
  readonly entries: number;
  /** Points of the first program's source that ran, and all of them. */
  readonly reached: number;
  readonly points: number;
  /** A packet after which the programs differ. */
  readonly difference: string | undefined;
}

/** Packets with one set of entries; the next ones come with others. */
const ROUND = 64;
const PORTS = 4;

interface Side {
  readonly device: Switch;
  readonly sent: string[];
}

/** Sends the same packets to both; stops at the first difference. Tables of both have the same names, so that the same entries fit. */
export function compareByPackets(a: Program, b: Program, { packets, seed }: MeaningOptions): Meaning {
  const coverage = new CoverageCounts();
  let [tried, sent, entries] = [0, 0, 0];
  let difference: string | undefined;
  const now = { time: 0 };
  const one = sideOf(a, now, coverage);
  const other = sideOf(b, now);
  // Registers keep what earlier rounds wrote, on both sides.
  let present: TableEntry[] = [];
  for (let round = 0; tried < packets && difference === undefined; round++) {
    for (const { device } of [one, other])
      device.apply(present.map((entity) => ({ type: "delete", entity })));
    present = [];
    for (const entry of randomEntries(a, seed + round)) {
      const answers = [accepts(one.device, entry), accepts(other.device, entry)];
      if (answers[0] !== answers[1]) difference = `an entry of ${entry.table} is accepted by one of them`;
      if (answers[0] && answers[1]) present.push(entry);
    }
    entries += present.length;
    const maker = new PacketMaker(a, seed + round);
    for (let i = 0; i < ROUND && difference === undefined; i++) {
      const frame = maker.next();
      now.time += 1000;
      for (const { device } of [one, other]) device.receive(i % PORTS, frame);
      tried++;
      sent += one.sent.length;
      const [left, right] = [one.sent.splice(0).sort().join("\n"), other.sent.splice(0).sort().join("\n")];
      if (left !== right)
        difference = `packet ${i % PORTS} ${toHex(frame)}: ${left || "none"} and ${right || "none"}`;
    }
  }
  const hits = coverage.of(a.bmv2)?.hits ?? new Float64Array(0);
  const reached = hits.filter((count) => count > 0).length;
  return { packets: tried, sent, entries, reached, points: hits.length, difference };
}

function sideOf(program: Program, now: { time: number }, coverage?: CoverageCounts): Side {
  const sent: string[] = [];
  const device = new Switch(program, {
    clock: { now: () => now.time, at: () => () => {} },
    seed: 1,
    transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
    ...(coverage === undefined ? {} : { coverage }),
  });
  return { device, sent };
}

/** Whether the switch takes an entry: it may have one with the same key, or no room. */
function accepts(device: Switch, entity: TableEntry): boolean {
  try {
    device.apply([{ type: "insert", entity }]);
    return true;
  } catch (error) {
    if (error instanceof DeviceError || error instanceof DiagnosticError) return false;
    throw error;
  }
}
