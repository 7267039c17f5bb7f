/** A map whose keys are bytes in packets: a lookup allocates no object. */

interface Entry<T> {
  readonly key: Uint8Array;
  value: T;
  /** Another key with the same hash. */
  next: Entry<T> | undefined;
}

export class KeyMap<T> {
  readonly #entries = new Map<number, Entry<T>>();

  /** @param hash a 32-bit hash of `bytes[at, at + length)` */
  constructor(readonly hash = keyHash) {}

  /** The value of the key that stands in `bytes[at, at + length)`. */
  get(bytes: Uint8Array, at: number, length: number): T | undefined {
    let entry = this.#entries.get(this.hash(bytes, at, length));
    while (entry !== undefined && !isAt(entry.key, bytes, at, length)) entry = entry.next;
    return entry?.value;
  }

  set(key: Uint8Array, value: T): void {
    const number = this.hash(key, 0, key.length);
    const first = this.#entries.get(number);
    for (let entry = first; entry !== undefined; entry = entry.next) {
      if (!isAt(entry.key, key, 0, key.length)) continue;
      entry.value = value;
      return;
    }
    this.#entries.set(number, { key, value, next: first });
  }

  delete(key: Uint8Array): void {
    const number = this.hash(key, 0, key.length);
    let before: Entry<T> | undefined;
    let entry = this.#entries.get(number);
    while (entry !== undefined && !isAt(entry.key, key, 0, key.length)) {
      before = entry;
      entry = entry.next;
    }
    if (entry === undefined) return;
    if (before !== undefined) before.next = entry.next;
    else if (entry.next !== undefined) this.#entries.set(number, entry.next);
    else this.#entries.delete(number);
  }
}

/** 32 bits; a key has a multiple of four bytes. */
function keyHash(bytes: Uint8Array, at: number, length: number): number {
  let sum = length;
  for (let i = at; i < at + length; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    sum = Math.imul(sum ^ word, 0x9e3779b1);
    sum ^= sum >>> 15;
  }
  return sum;
}

function isAt(key: Uint8Array, bytes: Uint8Array, at: number, length: number): boolean {
  if (key.length !== length) return false;
  for (let i = 0; i < length; i++) if (key[i] !== bytes[at + i]) return false;
  return true;
}
