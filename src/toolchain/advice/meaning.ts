/** Whether two programs did the same with many packets: on two switches with the same entries, clocks and seeds. */
import { DiagnosticError, Random, toHex } from "../../base/index.js";
import { DeviceError, type TableEntry } from "../device/index.js";
import { P4InfoIndex, type Program } from "../program/index.js";
import { CoverageCounts, isRecirculation, Switch, TABLE_COUNTS, type TraceTree } from "../switch/index.js";
import { entryFor, PacketMaker, randomEntries, type SeenKey } from "./packets.js";

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
  /** The first program's own tables by what happened: an entry was hit, or one without a key was applied; and all of them. Statements, for which the compiler makes tables, count as places. */
  readonly tablesHit: number;
  readonly tables: number;
  /** A packet after which the programs differ. */
  readonly difference: string | undefined;
}

/** Packets with one set of entries; the next ones come with others. */
const ROUND = 64;
/** Rounds without a new place after which all tables' hits are enough. */
const IDLE = 4;
/** While a table is not hit, or new places are reached, packets go on up to so many times the number asked for. */
const MORE = 8;
/** Packets at the end of a round whose lookups are looked at while a table is not hit, and keys of a table that are kept of them. */
const WATCHED = 16;
const KEYS = 4;

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
  let [most, idle] = [0, 0];
  let difference: string | undefined;
  const now = { time: 0, port: 0, frame: new Uint8Array(0) };
  const one = sideOf(a, now, coverage);
  const other = sideOf(b, now);
  /** Keys that met no entry in the round before, of tables that no packet has hit, and the packets that brought them. */
  const seen: { readonly key: SeenKey; readonly port: number; readonly frame: Uint8Array }[] = [];
  // Registers keep what earlier rounds wrote, on both sides.
  let present: TableEntry[] = [];
  const isDone = () => {
    if (difference !== undefined) return true;
    if (tried < packets) return false;
    if (tried >= MORE * packets) return true;
    const { tables, tablesHit, reached } = countsOf(coverage, a);
    idle = reached > most ? 0 : idle + 1;
    most = reached;
    return tablesHit === tables && idle >= IDLE;
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
    const random = new Random(`${seed + round} aimed`);
    const aimed = seen.flatMap(({ key }) => entryFor(a, key, random) ?? []);
    for (const entry of [...aimed, ...randomEntries(a, seed + round)]) {
      const answers = [accepts(one.device, entry), accepts(other.device, entry)];
      if (answers[0] !== answers[1]) difference = `an entry of ${entry.table} is accepted by one of them`;
      if (answers[0] && answers[1]) present.push(entry);
    }
    entries += present.length;
    const maker = new PacketMaker(a, seed + round);
    const again = seen.splice(0);
    const missing = new Set(unhitTables(coverage, a).keys());
    for (let i = 0; i < ROUND && difference === undefined; i++) {
      const { port, frame } = again[i] ?? { port: maker.port(), frame: maker.next() };
      Object.assign(now, { time: now.time + 1000, port, frame });
      if (i === ROUND - WATCHED && missing.size > 0)
        one.device.trace = ({ root }) => {
          for (const key of missedKeys(root, missing))
            if (seen.filter((known) => known.key.table === key.table).length < KEYS)
              seen.push({ key, port: now.port, frame: now.frame });
        };
      for (const side of [one, other]) {
        side.passes = 0;
        side.device.receive(port, frame);
      }
      tried++;
      sent += one.sent.length;
      const [left, right] = [one.sent.splice(0).sort().join("\n"), other.sent.splice(0).sort().join("\n")];
      if (left !== right)
        difference = `packet ${port} ${toHex(frame)}: ${left || "none"} and ${right || "none"}`;
    }
    one.device.trace = undefined;
  }
  return { packets: tried, sent, entries, ...countsOf(coverage, a), difference };
}

/** Names of tables that stand for statements of a control; a table of a program has its control's name before its own. */
const OF_STATEMENTS = /^tbl_/;

/** The tables and keys of the lookups that found no entry. */
function missedKeys({ events, branches = [] }: TraceTree, tables: ReadonlySet<string>): SeenKey[] {
  const inCopies = branches.flatMap((branch) => missedKeys(branch, tables));
  const here = events.flatMap((event): SeenKey[] => {
    if (event.kind !== "table_lookup" || event.hit || event.key.length === 0) return [];
    const values = event.key.map(({ value }) => BigInt(value));
    return tables.has(event.table_name) ? [{ table: event.table_name, values }] : [];
  });
  return [...here, ...inCopies];
}

/** Why a table was not hit. */
export type Unhit =
  | "never applied"
  | "entries of the program, none met"
  | "entries that are not made at random"
  | "missed";

/** Tables that no packet has hit, with why. */
export function unhitTables(coverage: CoverageCounts, program: Program): Map<string, Unhit> {
  const known = new Map(new P4InfoIndex(program.p4info).tables.list.map((one) => [one.name, one]));
  const found = new Map<string, Unhit>();
  for (const { name, isHit, isApplied, entries } of tableCounts(coverage, program)) {
    if (isHit) continue;
    const info = known.get(name);
    const isWritten = info !== undefined && !info.message.isConstTable && info.profile === undefined;
    found.set(
      name,
      !isApplied
        ? "never applied"
        : entries > 0
          ? "entries of the program, none met"
          : isWritten
            ? "missed"
            : "entries that are not made at random",
    );
  }
  return found;
}

/** By table, over all places that apply it. */
function tableCounts(coverage: CoverageCounts, { bmv2 }: Program) {
  const { points = [], hits = new Float64Array(0) } = coverage.of(bmv2) ?? {};
  const isReached = (at: number, end: number) => hits.subarray(at, end).some((count) => count > 0);
  const tables = new Map<string, { name: string; isHit: boolean; isApplied: boolean; entries: number }>();
  for (const { point, at } of points) {
    if (point.kind !== "table") continue;
    const { name, key, entries = [] } = point.table;
    if (key.length === 0 && OF_STATEMENTS.test(name)) continue;
    const before = tables.get(name);
    const isApplied = isReached(at, at + TABLE_COUNTS);
    // Of a table's counts the first one is that of hits; a table without a key has none.
    const isHit = key.length === 0 ? isApplied : isReached(at, at + 1);
    tables.set(name, {
      ...{ name, entries: entries.length },
      isHit: isHit || (before?.isHit ?? false),
      isApplied: isApplied || (before?.isApplied ?? false),
    });
  }
  return [...tables.values()];
}

function countsOf(
  coverage: CoverageCounts,
  program: Program,
): Pick<Meaning, "reached" | "points" | "tables" | "tablesHit"> {
  const { points = [], hits = new Float64Array(0) } = coverage.of(program.bmv2) ?? {};
  const isReached = (at: number, end: number) => hits.subarray(at, end).some((count) => count > 0);
  const reached = points.filter(({ at }, i) => isReached(at, points[i + 1]?.at ?? hits.length)).length;
  const tables = tableCounts(coverage, program);
  const tablesHit = tables.filter(({ isHit }) => isHit).length;
  return { reached, points: points.length, tables: tables.length, tablesHit };
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
