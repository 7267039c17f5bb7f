/** Whether two programs did the same with many packets: on two switches with the same entries, clocks and seeds. */
import { DiagnosticError, toHex } from "../../base/index.js";
import { DeviceError, type TableEntry } from "../device/index.js";
import type { Program } from "../program/index.js";
import { CoverageCounts, isRecirculation, Switch, TABLE_COUNTS } from "../switch/index.js";
import { PacketMaker, randomEntries } from "./packets.js";

export interface MeaningOptions {
  /** At least. */
  readonly packets: number;
  readonly seed: number;
  /** What other packets reached of the first program before; the result counts both. */
  readonly coverage?: CoverageCounts;
}

export interface Meaning {
  readonly packets: number;
  /** Packets that left. */
  readonly sent: number;
  readonly entries: number;
  /** Places of the first program that ran, and all of them. */
  readonly reached: number;
  readonly points: number;
  /** Tables of the first program by what happened: an entry was hit, or one without a key was applied; and all of them. */
  readonly tablesHit: number;
  readonly tables: number;
  /** A packet after which the programs differ. */
  readonly difference: string | undefined;
}

/** Packets with one set of entries; the next ones come with others. */
const ROUND = 64;
/** While a table is not hit, packets go on up to so many times the number asked for. */
const MORE = 8;
const PORTS = 4;

/** A packet that recirculates does so this many times; then it leaves by its port. */
const PASSES = 8;

interface Side {
  readonly device: Switch;
  /** Times that the present packet has recirculated. */
  passes: number;
  readonly sent: string[];
}

/** Sends the same packets to both; stops at the first difference. Tables of both have the same names, so that the same entries fit. */
export function compareByPackets(
  a: Program,
  b: Program,
  { packets, seed, coverage = new CoverageCounts() }: MeaningOptions,
): Meaning {
  let [tried, sent, entries] = [0, 0, 0];
  let difference: string | undefined;
  const now = { time: 0 };
  const one = sideOf(a, now, coverage);
  const other = sideOf(b, now);
  // Registers keep what earlier rounds wrote, on both sides.
  let present: TableEntry[] = [];
  const isDone = () => {
    if (difference !== undefined) return true;
    if (tried < packets) return false;
    const { tables, tablesHit } = countsOf(coverage, a);
    return tablesHit === tables || tried >= MORE * packets;
  };
  for (let round = 0; !isDone(); round++) {
    for (const { device } of [one, other])
      device.apply(
        present.map((entity) => {
          const { action: _, ...bare } = entity;
          return entity.isDefault === true ? { type: "modify", entity: bare } : { type: "delete", entity };
        }),
      );
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
      for (const side of [one, other]) {
        side.passes = 0;
        side.device.receive(i % PORTS, frame);
      }
      tried++;
      sent += one.sent.length;
      const [left, right] = [one.sent.splice(0).sort().join("\n"), other.sent.splice(0).sort().join("\n")];
      if (left !== right)
        difference = `packet ${i % PORTS} ${toHex(frame)}: ${left || "none"} and ${right || "none"}`;
    }
  }
  return { packets: tried, sent, entries, ...countsOf(coverage, a), difference };
}

function countsOf(
  coverage: CoverageCounts,
  { bmv2 }: Program,
): Pick<Meaning, "reached" | "points" | "tables" | "tablesHit"> {
  const { points = [], hits = new Float64Array(0) } = coverage.of(bmv2) ?? {};
  const isReached = (at: number, end: number) => hits.subarray(at, end).some((count) => count > 0);
  const tables = new Map<string, boolean>();
  let reached = 0;
  for (const [i, { point, at }] of points.entries()) {
    if (isReached(at, points[i + 1]?.at ?? hits.length)) reached++;
    if (point.kind !== "table") continue;
    const { name, key } = point.table;
    // Of a table's counts the first one is that of hits; a table without a key has none.
    const isHit = key.length === 0 ? isReached(at, at + TABLE_COUNTS) : isReached(at, at + 1);
    tables.set(name, (tables.get(name) ?? false) || isHit);
  }
  const tablesHit = [...tables.values()].filter(Boolean).length;
  return { reached, points: points.length, tables: tables.size, tablesHit };
}

function sideOf(program: Program, now: { time: number }, coverage?: CoverageCounts): Side {
  const sent: string[] = [];
  const side = { sent, passes: 0 };
  const device = new Switch(program, {
    recirculates: (port) => isRecirculation(port) && ++side.passes <= PASSES,
    clock: { now: () => now.time, at: () => () => {} },
    seed: 1,
    transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
    ...(coverage === undefined ? {} : { coverage }),
  });
  return Object.assign(side, { device });
}

/** Whether the switch takes an entry: it may have one with the same key, or no room. */
function accepts(device: Switch, entity: TableEntry): boolean {
  try {
    device.apply([{ type: entity.isDefault === true ? "modify" : "insert", entity }]);
    return true;
  } catch (error) {
    if (error instanceof DeviceError || error instanceof DiagnosticError) return false;
    throw error;
  }
}
