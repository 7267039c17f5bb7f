/**
 * One table at run time. Entries are numbered from 0, lowest free number first. Typed arrays by that number hold what
 * generated code needs of an entry; maps hold what the control plane wrote.
 */
import type { Match, TableAction } from "../../device/index.js";
import { DueEntries } from "./due-entries.js";
import { ExactIndex } from "./exact-index.js";
import { Handles } from "./handles.js";
import { PrefixIndex } from "./prefix-index.js";
import { PrefixTrie } from "./prefix-trie.js";
import { MeterArray, readCounter, setCounter } from "./resources.js";
import { type EntryKey, grown, type KeyShape } from "./shape.js";
import { TernaryIndex } from "./ternary-index.js";

/** An entry as it was written. */
export interface StoredEntry {
  readonly number: number;
  readonly name: string;
  readonly match: readonly Match[];
  readonly priority: number;
  action: TableAction;
  idleTimeoutNs: bigint;
  controllerMetadata: bigint;
  metadata: Uint8Array | undefined;
  readonly isConst: boolean;
  /** The handle or group that the action names. */
  target: number;
}

export interface TableParts {
  readonly name: string;
  readonly shape: KeyShape;
  /** Words of action parameters an entry. */
  readonly stride: number;
  /** Words of an entry's record. */
  readonly record: number;
  readonly maxSize: number;
  readonly counters: boolean;
  /** Name of the direct meter, and whether it counts bytes. */
  readonly meter: { name: string; bytes: boolean } | undefined;
  readonly timeouts: boolean;
}

export class TableStore {
  defaultAction = -1;
  defaultData: Int32Array;
  /** The entry of a table without a key; -1 while there is none. */
  only = -1;
  /** Two numbers an entry: packets and bytes. */
  counts = new Float64Array(0);
  readonly index: ExactIndex | PrefixTrie | PrefixIndex | TernaryIndex;
  lastHit = new Float64Array(0);
  readonly meter: MeterArray | undefined;
  readonly entries = new Map<number, StoredEntry>();
  readonly byName = new Map<string, StoredEntry>();
  /** Is called when an entry is hit that was reported idle. */
  woken: ((entry: number) => void) | undefined;
  /** Entries that were reported idle and not hit since. */
  readonly idle = new Set<number>();
  /** Entries with an idle timeout that are not idle, by the time at which they may be. */
  readonly due = new DueEntries();
  readonly #handles = new Handles();

  constructor(readonly parts: TableParts) {
    const { shape, record } = parts;
    this.index =
      shape.index === "exact"
        ? new ExactIndex(shape.words, record)
        : shape.index === "trie"
          ? new PrefixTrie(shape.fields[0]!.width, record)
          : shape.index === "prefix"
            ? new PrefixIndex(shape, record)
            : new TernaryIndex(shape, record);
    this.defaultData = new Int32Array(parts.stride);
    if (parts.meter !== undefined) this.meter = new MeterArray(parts.meter.name, 0, parts.meter.bytes);
  }

  /**
   * The records of the entries; that of one entry begins at word {@link recordAt}. A record is the number of the action's
   * name, then the parameters; in a table with an action profile the handle of a member, or the complement of a group's
   * number.
   */
  get records(): Int32Array {
    return this.index.records;
  }

  /** The first word of the record of an entry; valid until an entry is inserted or removed. */
  recordAt(entry: number): number {
    return this.index.recordAt(entry);
  }

  /** @param again number of a removed entry that is inserted again, to undo the removal */
  insert(key: EntryKey, entry: Omit<StoredEntry, "number">, again?: number): StoredEntry {
    if (again !== undefined) this.#handles.claim(again);
    const number = again ?? this.#handles.take();
    const { parts } = this;
    if (parts.counters) {
      this.counts = grown(this.counts, 2 * (number + 1));
      setCounter(this, number, 0, 0);
    }
    if (parts.timeouts) this.lastHit = grown(this.lastHit, number + 1);
    if (this.meter !== undefined) {
      this.meter.reserve(number + 1);
      this.meter.configure(number, undefined, 0);
    }
    if (parts.shape.words === 0) this.only = number;
    this.index.insert(number, key);
    const stored = { ...entry, number };
    this.entries.set(number, stored);
    this.byName.set(entry.name, stored);
    return stored;
  }

  remove(entry: StoredEntry): void {
    if (this.parts.shape.words === 0) this.only = -1;
    this.index.remove(entry.number);
    this.entries.delete(entry.number);
    this.byName.delete(entry.name);
    this.idle.delete(entry.number);
    this.due.delete(entry.number);
    this.#handles.release(entry.number);
  }

  /** Saves what packets change of an entry, and its meter; the result restores it in an entry with any number. */
  keep(entry: number): (to: number) => void {
    const { counters, timeouts } = this.parts;
    const count = counters ? readCounter(this, entry) : undefined;
    const lastHit = timeouts ? this.lastHit[entry]! : 0;
    const idle = this.idle.has(entry);
    const meter = this.meter?.keep(entry);
    return (to) => {
      if (count !== undefined) setCounter(this, to, count.packets, count.bytes);
      if (timeouts) this.lastHit[to] = lastHit;
      if (idle) this.idle.add(to);
      meter?.(to);
    };
  }

  /** Notes that an entry was hit at a time in microseconds. */
  touch(entry: number, now: number): void {
    this.lastHit[entry] = now;
    if (this.idle.size > 0 && this.idle.delete(entry)) this.woken?.(entry);
  }
}
