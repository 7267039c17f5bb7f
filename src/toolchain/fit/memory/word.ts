/**
 * Whether a word of SRAM holds entries side by side, bit by bit: the overhead of each entry from the lowest bit of a block, its key bytes in
 * bytes of their own, its version in a nibble (p4c, mau/table_format.cpp, find_format). Several blocks hold the entries evenly; what no block
 * holds alone is shared between blocks, two entries a block. One search bus brings the key, so it has at most 16 bytes.
 */
import { defined } from "../../../base/index.js";
import { countBits } from "./blocks.js";

const BLOCK_BYTES = 16;
/** Overhead is within the half of a block that goes on the result bus. */
const OVERHEAD_BITS = 64;
/** Bytes that stay free for gateways, as long as there is room. */
const GATEWAY_BYTES = 4;
/** From here on versions take nibbles, not bytes. */
const VERSION_BYTE = 14;
const LOW = 0x0f;
const HIGH = 0xf0;
const MOST_SHARED = 2;

export interface WordEntry {
  /** By byte of the key: the bits that it has there, as a mask. */
  readonly bytes: readonly number[];
  /** Bits that the hash implies: they are left out, from the bytes with the fewest bits. */
  readonly ghost: number;
  /** Bits beside the key, without the version. */
  readonly overhead: number;
  /** Bits of a block that overhead can take. */
  readonly overheadBits: number;
  readonly hasVersion: boolean;
}

/** Whether `width` blocks hold `count` of the entries. */
export function wordHolds(entry: WordEntry, count: number, width: number): boolean {
  const bytes = storedBytes(entry);
  const groups = Array.from(
    { length: width },
    (_, block) => Math.floor(count / width) + (block < count % width ? 1 : 0),
  );
  const isWithin = groups.every((here) => here * entry.overhead <= entry.overheadBits);
  return (
    (isWithin &&
      (new Word(entry, bytes, groups, "apart").place("spread") ||
        new Word(entry, bytes, groups, "apart").place("tight"))) ||
    (entry.overhead > 0 && hasHole(bytes) && new Word(entry, bytes, groups, "between").place("tight"))
  );
}

/** Masks of the bytes that are stored, the fullest first. */
function storedBytes({ bytes, ghost }: WordEntry): number[] {
  let left = ghost;
  const stored: number[] = [];
  for (const mask of [...bytes].sort((a, b) => countBits(a) - countBits(b))) {
    let rest = mask;
    for (; left > 0 && rest !== 0; left--) rest &= rest - 1;
    if (rest !== 0) stored.push(rest);
  }
  return stored.sort((a, b) => countBits(b) - countBits(a));
}

/** A byte has room for overhead below or above its bits. */
const hasHole = (bytes: readonly number[]): boolean => bytes.some((mask) => (mask & 0x81) !== 0x81);

/** What an entry has so far. */
interface Placed {
  readonly bytes: { readonly at: number; readonly mask: number }[];
  version: { readonly at: number; readonly mask: number } | undefined;
}

class Word {
  readonly #bits: Uint8Array;
  readonly #taken: boolean[];
  readonly #full: number[];
  readonly #entries: Placed[];
  readonly #shared: number[];
  /** By entry: where the byte stands that shares its byte with the overhead. */
  readonly #fixed: { readonly at: number; readonly mask: number }[] = [];
  readonly #bytes: readonly number[];
  /** Overhead between the bytes of the key does not end within the half of a block that has it. */
  #isPastHalf = false;

  constructor(
    private readonly entry: WordEntry,
    bytes: readonly number[],
    private readonly groups: readonly number[],
    overhead: "apart" | "between",
  ) {
    const width = groups.length;
    this.#bits = new Uint8Array(width * BLOCK_BYTES);
    this.#taken = new Array<boolean>(width * BLOCK_BYTES).fill(false);
    this.#full = new Array<number>(width).fill(0);
    this.#shared = new Array<number>(width).fill(0);
    this.#entries = Array.from({ length: this.#before(width) }, () => ({ bytes: [], version: undefined }));
    this.#bytes = bytes;
    if (overhead === "apart")
      for (const [block, here] of groups.entries())
        this.#reserve(8 * BLOCK_BYTES * block, here * entry.overhead);
    else this.#bytes = this.#interleaved(bytes);
  }

  /** Entries whose overhead is in the blocks before this one. */
  #before(block: number): number {
    return this.groups.slice(0, block).reduce((sum, here) => sum + here, 0);
  }

  #reserve(from: number, count: number): void {
    for (let bit = from; bit < from + count; bit++) this.#bits[bit >> 3]! |= 1 << (bit & 7);
  }

  /** Puts the overhead of each entry beside the bits of the byte with the largest hole; gives the other bytes (interleave_match_and_overhead). */
  #interleaved(bytes: readonly number[]): readonly number[] {
    const { overhead } = this.entry;
    const own = Math.min(...bytes.map(countBits));
    const index = bytes.findIndex((mask) => countBits(mask) === own);
    const mask = defined(bytes[index]);
    const low = Math.log2(mask & -mask);
    const high = 7 - Math.floor(Math.log2(mask));
    const isBelow = low >= high;
    const cycle = Math.ceil(((isBelow ? 8 - low : 8 - high) + overhead) / 8);
    for (const [block, here] of this.groups.entries())
      for (let i = 0; i < here; i++) {
        const first = BLOCK_BYTES * block + i * cycle;
        const at = isBelow ? first + cycle - 1 : first;
        const start = isBelow ? 8 * at + low - overhead : 8 * at + 8 - high;
        this.#isPastHalf ||= start + overhead > 8 * BLOCK_BYTES * block + OVERHEAD_BITS;
        this.#reserve(start, overhead);
        this.#fixed.push({ at, mask });
      }
    for (const { at, mask: bits } of this.#fixed) {
      if (at >= this.#bits.length) continue;
      this.#bits[at]! |= bits;
      this.#taken[at] = true;
    }
    return bytes.filter((_, i) => i !== index);
  }

  place(order: "spread" | "tight"): boolean {
    if (this.#isPastHalf || this.#fixed.some(({ at }, i) => at >= BLOCK_BYTES * (this.#blockOf(i) + 1)))
      return false;
    for (let block = 0; block < this.groups.length; block++) this.#fillBlock(block, order);
    if (this.#full.every((here, block) => here === this.groups[block])) return true;
    return order === "tight" && this.#share();
  }

  #blockOf(index: number): number {
    return this.groups.findIndex((here, block) => index < this.#before(block) + here);
  }

  /** Entries that are whole in one block. */
  #fillBlock(block: number, order: "spread" | "tight"): void {
    while (this.#full[block]! < this.groups[block]!) {
      const index = this.#before(block) + this.#full[block]!;
      const trial = new Attempt();
      for (const mask of this.#bytes) {
        const at = this.#placeOf(mask, block, order, trial);
        if (at === undefined) return;
        trial.add(at, mask);
      }
      if (this.entry.hasVersion && !this.#placeVersion(block, order, trial, this.#fixed[index])) return;
      this.#commit(index, trial);
      this.#full[block]!++;
    }
  }

  #commit(index: number, { bytes, version }: Attempt): void {
    const placed = defined(this.#entries[index]);
    for (const { at, mask } of bytes) {
      placed.bytes.push({ at, mask });
      this.#bits[at]! |= mask;
      this.#taken[at] = true;
    }
    if (version === undefined) return;
    placed.version = version;
    this.#bits[version.at]! |= version.mask;
    if (version.at % BLOCK_BYTES < VERSION_BYTE) this.#taken[version.at] = true;
  }

  #placeOf(mask: number, block: number, order: "spread" | "tight", trial: Attempt): number | undefined {
    const isInside = (byte: number) => byte >= GATEWAY_BYTES && byte < VERSION_BYTE;
    const all = Array.from({ length: BLOCK_BYTES }, (_, byte) => byte);
    const bytes =
      order === "tight" ? all : [...all.filter(isInside), ...all.filter((byte) => !isInside(byte))];
    return bytes
      .map((byte) => BLOCK_BYTES * block + byte)
      .find(
        (at) => !this.#taken[at] && !trial.has(at) && ((this.#bits[at]! | trial.bitsOf(at)) & mask) === 0,
      );
  }

  /** A nibble for the version: beside the entry's bytes in the first block, beside overhead, among the last four, else any. */
  #placeVersion(
    block: number,
    order: "spread" | "tight",
    trial: Attempt,
    fixed?: { readonly at: number; readonly mask: number },
  ): boolean {
    const used = (at: number) => this.#bits[at]! | trial.bitsOf(at);
    const set = (at: number, mask: number) => {
      trial.version = { at, mask };
      return true;
    };
    const first = BLOCK_BYTES * block;
    // The compiler looks beside the bytes of an entry only for the first block.
    const own =
      block === 0 ? [...trial.bytes.map(({ at }) => at), ...(fixed === undefined ? [] : [fixed.at])] : [];
    for (const at of own)
      for (const nibble of [LOW, HIGH]) if ((used(at) & nibble) === 0) return set(at, nibble);
    if (order === "tight")
      for (let at = first; at < first + OVERHEAD_BITS / 8; at++) {
        if (trial.has(at) || this.#taken[at]) continue;
        const [isLowFree, isHighFree] = [(used(at) & LOW) === 0, (used(at) & HIGH) === 0];
        if (isLowFree !== isHighFree) return set(at, isLowFree ? LOW : HIGH);
      }
    for (let at = first + VERSION_BYTE; at < first + BLOCK_BYTES; at++)
      for (const nibble of [LOW, HIGH]) if ((used(at) & nibble) === 0) return set(at, nibble);
    for (let at = first; at < first + BLOCK_BYTES; at++)
      if (!this.#taken[at] && !trial.has(at) && (used(at) & LOW) === 0) return set(at, LOW);
    return false;
  }

  /** Entries that no block holds alone, with fewer and fewer of the others whole (attempt_allocate_shares). */
  #share(): boolean {
    if (this.#shareRest()) return true;
    for (let block = this.groups.length - 1; block >= 0; block--) {
      this.#shared.fill(0);
      if (this.#full[block] === 0) continue;
      this.#full[block]!--;
      const placed = defined(this.#entries[this.#before(block) + this.#full[block]!]);
      for (const { at, mask } of placed.bytes) {
        this.#bits[at]! &= ~mask;
        this.#taken[at] = false;
      }
      if (placed.version !== undefined) this.#bits[placed.version.at]! &= ~placed.version.mask;
      placed.bytes.length = 0;
      placed.version = undefined;
      if (this.#shareRest()) return true;
    }
    return false;
  }

  #shareRest(): boolean {
    const trial = new Attempt();
    const rest = new Map<number, Sharing>();
    let begun: Sharing[] = [];
    for (let block = 0; block < this.groups.length; block++) {
      const toStart = this.groups[block]! - this.#full[block]!;
      if (toStart === 0 && begun.length === 0) continue;
      if (toStart + begun.length > MOST_SHARED) return false;
      const started = Array.from({ length: toStart }, (_, i): Sharing => {
        const index = this.#before(block) + this.#full[block]! + i;
        return { index, bytes: [...this.#bytes], placed: [], hasVersion: !this.entry.hasVersion };
      });
      for (const one of [...begun, ...started]) {
        if (this.#shared[block]! >= MOST_SHARED) return false;
        this.#shareOne(one, block, started.includes(one), trial);
        rest.set(one.index, one);
      }
      begun = [...begun, ...started].filter(({ bytes, hasVersion }) => bytes.length > 0 || !hasVersion);
    }
    return begun.length === 0;
  }

  #shareOne(one: Sharing, block: number, isOwn: boolean, trial: Attempt): void {
    const sections = new Set<number>();
    if (isOwn && this.#fixed.length > 0) sections.add(block);
    for (let at = isOwn ? 0 : block; at <= block; at++) {
      if (this.#shared[block] === MOST_SHARED) continue;
      one.bytes = one.bytes.filter((mask) => {
        const byte = this.#placeOf(mask, at, "tight", trial);
        if (byte === undefined) return true;
        trial.add(byte, mask);
        one.placed.push({ at: byte, mask });
        sections.add(at);
        return false;
      });
    }
    for (let at = isOwn ? 0 : block; at <= block && !one.hasVersion; at++) {
      if (this.#shared[at] === MOST_SHARED) continue;
      const own = new Attempt(trial, one.placed);
      if (!this.#placeVersion(at, "tight", own, isOwn ? this.#fixed[one.index] : undefined)) continue;
      const version = defined(own.version);
      trial.mark(version.at, version.mask);
      one.hasVersion = true;
      sections.add(at);
    }
    for (const section of sections) this.#shared[section]!++;
    if (isOwn && !sections.has(block)) this.#shared[block]!++;
  }
}

/** An entry that is shared between blocks. */
interface Sharing {
  readonly index: number;
  bytes: number[];
  readonly placed: { readonly at: number; readonly mask: number }[];
  hasVersion: boolean;
}

/** Bytes and bits that an attempt takes, before it is known to succeed. */
class Attempt {
  readonly #bits: Map<number, number>;
  readonly #whole: Set<number>;
  readonly bytes: { readonly at: number; readonly mask: number }[];
  version: { readonly at: number; readonly mask: number } | undefined;

  /** @param from what others of the same attempt have, of which `own` is this entry's */
  constructor(from?: Attempt, own: readonly { readonly at: number; readonly mask: number }[] = []) {
    this.#bits = new Map(from?.allBits());
    this.#whole = new Set(from?.allBytes());
    this.bytes = [...own];
  }

  add(at: number, mask: number): void {
    this.bytes.push({ at, mask });
    this.#whole.add(at);
    this.mark(at, mask);
  }

  mark(at: number, mask: number): void {
    this.#bits.set(at, this.bitsOf(at) | mask);
  }

  has(at: number): boolean {
    return this.#whole.has(at);
  }

  bitsOf(at: number): number {
    return this.#bits.get(at) ?? 0;
  }

  allBits(): Iterable<readonly [number, number]> {
    return this.#bits;
  }

  allBytes(): Iterable<number> {
    return this.#whole;
  }
}
