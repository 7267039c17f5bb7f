/**
 * Digests (P4Runtime spec 9.6). Values are collected in lists of at most `maxListSize`. A list is sent when it is full or
 * after `maxTimeoutNs`. A value of a list that is not acknowledged is not sent again before the acknowledgement or
 * `ackTimeoutNs` (0: at once). Digests that no controller turned on are dropped.
 */
import type { DigestConfigEntry, DigestList } from "../../device/index.js";
import type { Instance } from "./instance.js";

interface Digest {
  readonly name: string;
  config: DigestConfigEntry | undefined;
  pending: bigint[][];
  /** Values that wait, or that were sent and not acknowledged. */
  readonly known: Set<string>;
  readonly unacknowledged: Map<bigint, { names: string[]; cancel: () => void }>;
  cancel: (() => void) | undefined;
}

function unused(name: string): Digest {
  return {
    name,
    config: undefined,
    pending: [],
    known: new Set(),
    unacknowledged: new Map(),
    cancel: undefined,
  };
}

export class Digests {
  /** By the number of the learn list. Calls with one struct have a list each, and one digest. */
  readonly #lists = new Map<
    number,
    { readonly name: string; readonly values: (phv: Int32Array) => bigint[] }
  >();
  readonly #byName = new Map<string, Digest>();
  #nextId = 1n;

  constructor(
    readonly instance: Instance,
    readonly send: (list: DigestList) => void,
  ) {
    const { layout } = instance.specialised;
    for (const list of instance.program.bmv2.learn_lists) {
      const fields = list.elements.flatMap((element) => {
        if (element.type !== "field") return [];
        const field = layout.field(element.value[0], element.value[1]);
        return field === undefined ? [] : [field];
      });
      this.#lists.set(list.id, {
        name: list.name,
        values: (phv) =>
          fields.map((field) => {
            let value = 0n;
            for (let i = field.words - 1; i >= 0; i--)
              value = (value << 32n) | BigInt(phv[field.at + i]! >>> 0);
            return value;
          }),
      });
      this.#byName.set(list.name, unused(list.name));
    }
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  knows(name: string): boolean {
    return this.#byName.has(name);
  }

  config(name: string): DigestConfigEntry | undefined {
    return this.#byName.get(name)?.config;
  }

  /**
   * Turns a digest on, off (`undefined`) or to another configuration; the result undoes that. A digest that is turned off
   * drops the values that wait or were not acknowledged. The undo function keeps them.
   */
  configure(name: string, config: DigestConfigEntry | undefined): () => void {
    const digest = this.#byName.get(name)!;
    const before = digest.config;
    digest.config = config;
    if (config !== undefined)
      return () => {
        digest.config = before;
      };
    this.#byName.set(name, unused(name));
    return () => {
      digest.config = before;
      this.#byName.set(name, digest);
    };
  }

  #reset(digest: Digest): void {
    digest.cancel?.();
    digest.cancel = undefined;
    digest.pending = [];
    digest.known.clear();
    for (const { cancel } of digest.unacknowledged.values()) cancel();
    digest.unacknowledged.clear();
  }

  close(): void {
    for (const digest of this.#byName.values()) this.#reset(digest);
  }

  /** Adds the values of a learn list, when the program asks for its digest. */
  learn(list: number, phv: Int32Array): void {
    const source = this.#lists.get(list);
    const digest = source && this.#byName.get(source.name);
    if (digest?.config === undefined) return;
    const values = source!.values(phv);
    const name = values.join();
    if (digest.known.has(name)) return;
    digest.known.add(name);
    digest.pending.push(values);
    const { maxListSize, maxTimeoutNs } = digest.config;
    if ((maxListSize > 0 && digest.pending.length >= maxListSize) || maxTimeoutNs === 0n) this.#flush(digest);
    else if (digest.cancel === undefined) {
      const { clock } = this.instance;
      digest.cancel = clock.at(clock.now() + Number(maxTimeoutNs) / 1000, () => this.#flush(digest));
    }
  }

  #flush(digest: Digest): void {
    digest.cancel?.();
    digest.cancel = undefined;
    if (digest.pending.length === 0 || digest.config === undefined) return;
    const data = digest.pending;
    digest.pending = [];
    const names = data.map((values) => values.join());
    const listId = this.#nextId++;
    const { clock } = this.instance;
    const { ackTimeoutNs } = digest.config;
    if (ackTimeoutNs === 0n) this.#forget(digest, names);
    else {
      const cancel = clock.at(clock.now() + Number(ackTimeoutNs) / 1000, () =>
        this.acknowledge(digest.name, listId),
      );
      digest.unacknowledged.set(listId, { names, cancel });
    }
    this.send({ digest: digest.name, listId, data, timestampNs: BigInt(Math.floor(clock.now() * 1000)) });
  }

  #forget(digest: Digest, names: readonly string[]): void {
    for (const name of names) digest.known.delete(name);
  }

  acknowledge(name: string, listId: bigint): void {
    const digest = this.#byName.get(name);
    const list = digest?.unacknowledged.get(listId);
    if (digest === undefined || list === undefined) return;
    list.cancel();
    digest.unacknowledged.delete(listId);
    this.#forget(digest, list.names);
  }
}
