/** Bits of a table's entry: of its key by the bytes of its containers, and beside the key. */
import type { KeyPart, Unit } from "../model/model.js";
import type { PhvLayout } from "../phv/pack.js";
import type { Target } from "../target.js";
import { countBits } from "./blocks.js";
import { type KeyBytes, lineBitsOf } from "./exact.js";
import { groupLengthBits, selectorLines } from "./selectors.js";

/** Bits that choose the action of an entry. */
export function selectorBits(unit: Unit, target: Target): number {
  const hits = unit.actions.filter((action) => action.hit).length;
  if (hits <= 1) return 0;
  const { map_entries: mapped, address_bits: address } = target.action;
  return mapped === null || address === null || hits <= mapped ? Math.ceil(Math.log2(hits)) : address;
}

/** Bits that name the method of a register which an entry calls. */
export const METHOD_BITS = 3;

/** The fewest bits of an address: those of a line where keys are left out in part, as on a Tofino (p4c, mau/attached_info.cpp, free_address). */
const leastAddress = (target: Target): number => (target.exact.ghost_bits === null ? 1 : lineBitsOf(target));

/** Bits that the address of a memory takes beside an entry. */
export function addressOf(size: number, target: Target): number {
  return Math.max(leastAddress(target), Math.ceil(Math.log2(Math.max(2, size))));
}

/**
 * Bits of the addresses that an entry holds: of counters, meters, registers and members. Where not all actions of entries use the memory, a
 * bit says whether it is used, and where several use a register, others say with which method (p4c, mau/table_layout.cpp).
 */
export function addressBits(unit: Unit, target: Target): number {
  let bits = 0;
  const hits = unit.actions.filter(({ hit }) => hit);
  for (const memory of unit.attached) {
    const { index, kind, name } = memory;
    if (index === "direct") continue;
    const users = hits.filter(({ memories }) => memories.includes(name)).length;
    bits += addressOf(memory.size, target) + (users < hits.length ? 1 : 0);
    if (kind === "register" && users > 1) bits += METHOD_BITS;
  }
  const { implementation } = unit;
  if (implementation !== undefined) {
    bits += addressOf(implementation.members, target) + 1;
    const { selector } = implementation;
    // A bit says whether the selector is used, also where every action of the table uses it.
    if (selector !== undefined && target.selector.members_per_word !== null)
      bits +=
        addressOf(selectorLines(selector, target), target) + 1 + groupLengthBits(implementation, target);
  }
  return bits;
}

/**
 * Bits that the compiler leaves for the address of a counter or meter beside the entries when it chooses how many entries a word has, although no
 * entry holds one (p4c, mau/attached_info.cpp, free_address): for all counters once, for all other memories once.
 */
export function directBits({ attached }: Unit, target: Target): number {
  const direct = attached.filter(({ index, kind }) => index === "direct" && kind !== "idle");
  const kinds = new Set(direct.map(({ kind }) => (kind === "counter" ? "statistics" : "meter")));
  return target.exact.ghost_bits === null ? 0 : leastAddress(target) * kinds.size;
}

/** Bits of the key in each byte of its containers; two fields in one byte count once. */
export function keyBytesOf(unit: Unit, phv: PhvLayout): KeyBytes {
  const bytes = new Map<string, number>();
  const masks = new Map<string, number>();
  const ranges = new Map<string, number>();
  let bits = 0;
  for (const [index, part] of unit.key.entries()) {
    const { access } = part;
    bits += access.width;
    const add = (name: string, mask: number) => {
      masks.set(name, (masks.get(name) ?? 0) | mask);
      bytes.set(name, (bytes.get(name) ?? 0) + countBits(mask));
      if (part.kind === "range") ranges.set(name, index);
    };
    const containers = phv.of(unit.gress, access.field);
    if (containers.length === 0) {
      for (let lo = 0; lo < access.width; lo += 8)
        add(`${access.field}:${lo}`, (1 << Math.min(8, access.width - lo)) - 1);
    }
    for (const container of containers) {
      for (const slice of container.slices) {
        if (slice.field !== access.field) continue;
        const low = Math.max(slice.lo, access.lo);
        const high = Math.min(slice.lo + slice.width, access.lo + access.width);
        for (let bit = low; bit < high; bit++) {
          const at = slice.at + bit - slice.lo;
          add(`${container.id}:${at >> 3}`, 1 << (at & 7));
        }
      }
    }
  }
  return {
    bytes: [...bytes.values()],
    masks: [...masks.values()],
    ranges: [...bytes.keys()].map((name) => ranges.get(name)),
    bits,
  };
}

/** Key bits with part-filled bytes rounded up to nibbles; ranges count twice. */
export function nibbleBitsOf(key: readonly KeyPart[], bytes: KeyBytes): number {
  let ranges = 0;
  for (const part of key) if (part.kind === "range") ranges += Math.ceil(part.access.width / 4) * 4;
  return bytes.bytes.reduce((sum, bits) => sum + (bits > 4 ? 8 : 4), 0) + ranges;
}
