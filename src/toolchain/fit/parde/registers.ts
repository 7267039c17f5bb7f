/**
 * What the match registers hold: the bytes that a state compares, and the bytes that wait for a later state while it runs. A byte that no
 * row of any select tests is never loaded.
 */
import { defined } from "../../../base/index.js";
import type { FieldInfo } from "../model/model.js";
import type { HardwareState } from "./machine.js";

export interface RegisterUse {
  /** Bytes that the rows compare. */
  readonly matched: number;
  /** Bytes that the registers hold while the state runs. */
  readonly held: number;
  /** The values that they are of. */
  readonly slots: readonly string[];
}

/** By state. */
export function registerUse(
  states: readonly HardwareState[],
  fields: ReadonlyMap<string, FieldInfo>,
): RegisterUse[] {
  const tested = testedBits(states);
  const live = liveSlots(states);
  const bytesOf = (slots: Iterable<string>): number => {
    const bytes = new Set<string>();
    for (const slot of slots)
      for (const byte of slotBytes(slot, tested.get(slot), fields.get(slot))) bytes.add(byte);
    return bytes.size;
  };
  return states.map(({ match }, id) => {
    const own = match.filter(({ isCounter }) => !isCounter).map(({ slot }) => slot);
    const slots = [...defined(live[id])];
    return { matched: bytesOf(own), held: bytesOf(slots), slots };
  });
}

interface Tested {
  readonly width: number;
  readonly mask: bigint;
}

/** By value: the bits that some row tests. */
function testedBits(states: readonly HardwareState[]): Map<string, Tested> {
  const tested = new Map<string, Tested>();
  for (const { match, rows } of states)
    for (const [i, { slot, width }] of match.entries()) {
      const all = (1n << BigInt(width)) - 1n;
      const own = rows.reduce(
        (mask, { masks, set }) => mask | (set === undefined ? (masks[i] ?? 0n) : all),
        0n,
      );
      tested.set(slot, { width, mask: (tested.get(slot)?.mask ?? 0n) | own });
    }
  return tested;
}

/** The bytes of the packet, by name, that hold tested bits of a value; of one whose place is not known the fewer, as it begins or ends a byte. */
function slotBytes(slot: string, tested: Tested | undefined, field: FieldInfo | undefined): string[] {
  if (tested === undefined) return [];
  if (field !== undefined && !field.metadata) return bytesFrom(field.offset, tested, field.header);
  const [begins, ends] = [0, (8 - (tested.width % 8)) % 8].map((first) => bytesFrom(first, tested, slot));
  return begins!.length < ends!.length ? begins! : ends!;
}

function bytesFrom(first: number, { width, mask }: Tested, owner: string): string[] {
  const bytes: string[] = [];
  for (let byte = first >> 3; 8 * byte < first + width; byte++) {
    const from = Math.max(0, 8 * byte - first);
    const to = Math.min(width, 8 * byte + 8 - first);
    const part = (mask >> BigInt(width - to)) & ((1n << BigInt(to - from)) - 1n);
    if (part > 0n) bytes.push(`${owner} ${byte}`);
  }
  return bytes;
}

/** By state: values that it or a later state compares and that an earlier state has loaded. */
function liveSlots(states: readonly HardwareState[]): Set<string>[] {
  const live = states.map(
    ({ match }) => new Set(match.filter((one) => !one.isCounter).map(({ slot }) => slot)),
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (const [id, { rows }] of states.entries()) {
      const here = defined(live[id]);
      const size = here.size;
      for (const { to, saves } of rows)
        for (const slot of to === undefined ? [] : defined(live[to]))
          if (!saves.some((one) => one.slot === slot)) here.add(slot);
      changed ||= here.size > size;
    }
  }
  return live;
}
