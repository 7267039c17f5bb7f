/**
 * Handles of table entries. P4Runtime identifies an entry by its key, the command text by a handle. So this file keeps a
 * handle for each key and assigns handles as BMv2 does: the lowest free slot, with the number of earlier uses of the slot
 * in the top byte. Entries that existed before the first command get their handles in the order of reading.
 */
import { defined } from "../../base/index.js";
import type { Device, Match, TableEntry } from "../device/index.js";
import { entriesIn } from "./entities.js";

/** The key that identifies an entry. */
export interface EntryKey {
  readonly match: readonly Match[];
  readonly priority: number;
}

const SLOT_BITS = 24;

export class EntryHandles {
  readonly #tables = new Map<string, TableHandles>();

  constructor(readonly device: Device) {}

  /** Handles of a table. The first call reads its entries. */
  async of(table: string): Promise<TableHandles> {
    const known = this.#tables.get(table);
    if (known !== undefined) return known;
    const handles = new TableHandles(this.device, table);
    await handles.read();
    this.#tables.set(table, handles);
    return handles;
  }
}

export class TableHandles {
  readonly #byHandle = new Map<number, EntryKey>();
  readonly #byKey = new Map<string, number>();
  /** Uses of each slot so far; a slot in use is not in `#free`. */
  readonly #uses: number[] = [];
  #free: number[] = [];

  constructor(
    readonly device: Device,
    readonly table: string,
  ) {}

  /** All present entries with their handles. Other controllers may have added or deleted entries. */
  async read(
    more: { counter?: boolean; meter?: boolean; idle?: boolean } = {},
  ): Promise<[number, TableEntry][]> {
    const entities = await this.device.read([{ kind: "tableEntry", table: this.table, ...more }]);
    const entries = entriesIn(entities);
    const present = new Set(entries.map(keyText));
    for (const [handle, key] of this.#byHandle) if (!present.has(keyText(key))) this.remove(handle);
    return entries.map((entry) => [this.#byKey.get(keyText(entry)) ?? this.add(entry), entry]);
  }

  add({ match, priority }: EntryKey): number {
    // another controller deleted and added the entry: the old handle is no longer valid
    const stale = this.#byKey.get(keyText({ match, priority }));
    if (stale !== undefined) this.remove(stale);
    const slot = this.#free.pop() ?? this.#uses.push(0) - 1;
    const handle = ((defined(this.#uses[slot]) & 0x7f) << SLOT_BITS) | slot;
    this.#uses[slot]!++;
    this.#byHandle.set(handle, { match, priority });
    this.#byKey.set(keyText({ match, priority }), handle);
    return handle;
  }

  remove(handle: number): void {
    const key = this.#byHandle.get(handle);
    if (key === undefined) return;
    this.#byHandle.delete(handle);
    this.#byKey.delete(keyText(key));
    const slot = handle & (2 ** SLOT_BITS - 1);
    // the lowest free slot is last, so that it is taken first
    const at = this.#free.findIndex((other) => other < slot);
    this.#free.splice(at < 0 ? this.#free.length : at, 0, slot);
  }

  /** After all entries were deleted at once, handles start from 0 again. */
  clear(): void {
    this.#byHandle.clear();
    this.#byKey.clear();
    this.#uses.length = 0;
    this.#free = [];
  }

  handleOf(key: EntryKey): number | undefined {
    return this.#byKey.get(keyText(key));
  }

  /** The entry's key. An unknown handle makes it read the entries of the device again. */
  async key(handle: number): Promise<EntryKey | undefined> {
    if (!this.#byHandle.has(handle)) await this.read();
    return this.#byHandle.get(handle);
  }
}

/** A key as text, whatever the order of its fields. */
export function keyText({ match, priority }: EntryKey): string {
  return `${priority} ${match.map(partText).sort().join(",")}`;
}

function partText(part: Match): string {
  switch (part.kind) {
    case "exact":
    case "optional":
      return `${part.field}=${part.value}`;
    case "lpm":
      return `${part.field}=${part.value}/${part.prefixLength}`;
    case "ternary":
      return `${part.field}=${part.value}&${part.mask}`;
    case "range":
      return `${part.field}=${part.low}..${part.high}`;
  }
}
