/**
 * Bytes of containers that a key has on a crossbar (p4c, backends/tofino/bf-p4c/mau/input_xbar.cpp, add_use and create_alloc). Two fields of a
 * key that take turns in the same bits have a byte each: a value that is not there would match in place of the other one.
 */
import type { Access, Gress, Unit } from "../model/model.js";
import type { Container, PhvLayout } from "../phv/pack.js";
import type { CrossbarByte } from "./crossbar-groups.js";
import type { TernaryByte } from "./ternary-crossbar.js";

/** What a key has of one byte: by bit of it, the field that it matches there. */
type Copy = Map<number, string>;

/** The bytes of a key as it is read, in the order in which they look for places. */
class Bytes {
  readonly #copies = new Map<string, { byte: TernaryByte; id: number; copies: Copy[] }>();

  add(access: Access, range: number | undefined, gress: Gress, phv: PhvLayout): void {
    const read = new Map<string, number[]>();
    forEachBit(access, gress, phv, ({ id, size }, at) => {
      const phase = at >> 3;
      const half = range === undefined ? "" : ` ${(at >> 2) & 1} of ${range}`;
      const key = `${id}:${phase}${half}`;
      if (!this.#copies.has(key)) {
        const byte = {
          name: `${id}:${phase}`,
          align: (size / 8) as CrossbarByte["align"],
          phase,
          isHalf: false,
        };
        this.#copies.set(key, { id, byte: range === undefined ? byte : { ...byte, range }, copies: [] });
      }
      read.set(key, [...(read.get(key) ?? []), at & 7]);
    });
    for (const [key, bits] of read) {
      const copies = this.#copies.get(key)?.copies ?? [];
      const fits = (copy: Copy) => bits.every((bit) => (copy.get(bit) ?? access.field) === access.field);
      const copy = copies.find(fits) ?? new Map<number, string>();
      if (!copies.includes(copy)) copies.push(copy);
      for (const bit of bits) copy.set(bit, access.field);
    }
  }

  list(): TernaryByte[] {
    return [...this.#copies.values()]
      .sort((a, b) => a.id - b.id || a.byte.phase - b.byte.phase)
      .flatMap(({ byte, copies }) =>
        copies.map((copy) => {
          const halves = new Set([...copy.keys()].map((bit) => bit >> 2));
          return { ...byte, isHalf: byte.range === undefined && halves.size === 1 };
        }),
      );
  }
}

/** The bytes of containers that hold these bits, the lowest of a container first. */
export function crossbarBytes(accesses: readonly Access[], gress: Gress, phv: PhvLayout): CrossbarByte[] {
  const bytes = new Bytes();
  for (const access of accesses) bytes.add(access, undefined, gress, phv);
  return bytes.list().map(({ name, align, phase }) => ({ name, align, phase }));
}

/** The bytes of a ternary key. A range takes one for each half of a byte that holds bits of it. */
export function ternaryBytes({ key, gress }: Unit, phv: PhvLayout): TernaryByte[] {
  const bytes = new Bytes();
  for (const [i, { kind, access }] of key.entries())
    bytes.add(access, kind === "range" ? i : undefined, gress, phv);
  return bytes.list();
}

/** Calls `visit` for each bit with its container, its place there and its number in the field. */
export function forEachBit(
  access: Access,
  gress: Gress,
  phv: PhvLayout,
  visit: (container: Container, at: number, bit: number) => unknown,
): void {
  for (const container of phv.touchedBy(gress, access))
    for (const slice of container.slices) {
      if (slice.field !== access.field) continue;
      const low = Math.max(slice.lo, access.lo);
      const high = Math.min(slice.lo + slice.width, access.lo + access.width);
      for (let bit = low; bit < high; bit++) visit(container, slice.at + bit - slice.lo, bit);
    }
}
