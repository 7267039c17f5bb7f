/**
 * Idle timeouts (P4Runtime spec 9.1.8): an entry that was not hit for its timeout is reported once; the next
 * hit, or a MODIFY, starts its time anew. One timer a table, set for the entry that is due first.
 */
import type { TableEntry } from "../../program/index.js";
import type { Instance, TableControl } from "./instance.js";

export class IdleTimeouts {
  readonly #timers = new Map<TableControl, () => void>();

  constructor(
    readonly instance: Instance,
    readonly report: (entries: readonly TableEntry[], timestampNs: bigint) => void,
  ) {
    for (const table of instance.tables.values())
      if (table.info.table.support_timeout) table.store.woken = () => this.schedule(table);
  }

  /** Sets the table's timer for the entry that is due first. */
  schedule(table: TableControl): void {
    this.#timers.get(table)?.();
    this.#timers.delete(table);
    let due = Number.POSITIVE_INFINITY;
    for (const { number, idleTimeoutNs } of table.store.entries.values()) {
      if (idleTimeoutNs === 0n || table.store.idle.has(number)) continue;
      due = Math.min(due, table.store.lastHit[number]! + Number(idleTimeoutNs) / 1000);
    }
    if (due < Number.POSITIVE_INFINITY)
      this.#timers.set(
        table,
        this.instance.clock.at(due, () => this.#check(table)),
      );
  }

  #check(table: TableControl): void {
    const { store } = table;
    const now = this.instance.clock.now();
    const idle: TableEntry[] = [];
    for (const entry of store.entries.values()) {
      const { number, idleTimeoutNs } = entry;
      if (idleTimeoutNs === 0n || store.idle.has(number)) continue;
      // Half a nanosecond of slack for times that are not whole in binary.
      if (now - store.lastHit[number]! < Number(idleTimeoutNs) / 1000 - 0.0005) continue;
      store.idle.add(number);
      idle.push({
        kind: "tableEntry",
        table: table.name,
        match: entry.match,
        priority: entry.priority,
        idleTimeoutNs,
        ...(entry.controllerMetadata === 0n ? {} : { controllerMetadata: entry.controllerMetadata }),
        ...(entry.metadata === undefined ? {} : { metadata: entry.metadata }),
      });
    }
    if (idle.length > 0) this.report(idle, BigInt(Math.floor(now * 1000)));
    this.schedule(table);
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
