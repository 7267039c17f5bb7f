/**
 * Idle timeouts (P4Runtime spec 9.1.8): an entry that was not hit for its timeout is reported once; the next
 * hit, or a MODIFY, restarts its time. In a table that expires (PNA's AUTO_DELETE) it is deleted instead, and only the program restarts its time. A hit only stores its own time: when the time of an entry comes that was hit
 * meanwhile, the entry gets its new time. Each table has one timer, set for the entry that is due first.
 */
import { defined, given } from "../../../base/index.js";
import type { TableEntry } from "../../device/index.js";
import type { StoredEntry } from "../tables/store.js";
import type { Instance, TableControl } from "./instance.js";

/** Maximum number of entries that are checked, and so reported, at once; the other entries follow immediately. */
const ENTRIES_A_CHECK = 1024;

/** Half a nanosecond in microseconds, since times may be rounded. */
const SLACK = 0.0005;

interface Timer {
  time: number;
  cancel: () => void;
}

export class IdleTimeouts {
  readonly #timers = new Map<TableControl, Timer>();

  constructor(
    readonly instance: Instance,
    readonly report: (entries: readonly TableEntry[], timestampNs: bigint) => void,
    readonly remove: (table: TableControl, entry: StoredEntry) => void,
  ) {
    for (const table of instance.tables.values())
      if (table.info.table.support_timeout)
        table.store.woken = (entry) => this.update(table, defined(table.store.entries.get(entry)));
  }

  /** An entry came, changed, or was hit after it had been reported; its time starts at `lastHit`. */
  update(table: TableControl, entry: StoredEntry): void {
    const { store } = table;
    if (entry.idleTimeoutNs === 0n || store.idle.has(entry.number)) store.due.delete(entry.number);
    else store.due.set(entry.number, dueTime(table, entry));
    this.#schedule(table);
  }

  /** Restarts the time of an entry that a packet hit, with another timeout if one is given. */
  restart(table: TableControl, number: number, timeoutNs?: bigint): void {
    const { store } = table;
    const entry = store.entries.get(number);
    if (entry === undefined) return;
    store.lastHit[number] = this.instance.clock.now();
    if (timeoutNs === undefined || timeoutNs === entry.idleTimeoutNs) return;
    entry.idleTimeoutNs = timeoutNs;
    this.update(table, entry);
  }

  /** Sets the table's timer for the entry that is due first; a timer that is early does no harm. */
  #schedule(table: TableControl): void {
    const time = table.store.due.firstTime;
    const timer = this.#timers.get(table);
    if (timer !== undefined && timer.time <= time) return;
    timer?.cancel();
    if (time < Number.POSITIVE_INFINITY)
      this.#timers.set(table, { time, cancel: this.instance.clock.at(time, () => this.#check(table)) });
  }

  #check(table: TableControl): void {
    this.#timers.delete(table);
    const { store } = table;
    const now = this.instance.clock.now();
    const idle: TableEntry[] = [];
    for (let looked = 0; looked < ENTRIES_A_CHECK && store.due.firstTime <= now + SLACK; looked++) {
      const entry = defined(store.entries.get(store.due.first));
      const time = dueTime(table, entry);
      if (time > now + SLACK) {
        store.due.set(entry.number, time);
        continue;
      }
      if (table.info.table.expires) {
        this.remove(table, entry);
        continue;
      }
      store.due.delete(entry.number);
      store.idle.add(entry.number);
      idle.push({
        kind: "tableEntry",
        table: table.name,
        match: entry.match,
        priority: entry.priority,
        idleTimeoutNs: entry.idleTimeoutNs,
        ...given({ controllerMetadata: entry.controllerMetadata || undefined, metadata: entry.metadata }),
      });
    }
    if (idle.length > 0) this.report(idle, BigInt(Math.floor(now * 1000)));
    this.#schedule(table);
  }

  close(): void {
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}

/** In microseconds of the switch's clock. */
function dueTime({ store }: TableControl, { number, idleTimeoutNs }: StoredEntry): number {
  return defined(store.lastHit[number]) + Number(idleTimeoutNs) / 1000;
}
