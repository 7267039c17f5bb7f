/**
 * Cuts a list of updates into Writes. Within a Write a switch may do the updates in any order (P4Runtime spec
 * 12.1), while a `Device` does them in the order given: so no two updates that may depend on each other share
 * a Write.
 */
import type { Update } from "../../program/index.js";
import { entityKey } from "../key.js";

/** Kinds that do not refer to each other may share a Write. */
function levelOf({ type, entity }: Update): string {
  switch (entity.kind) {
    case "member":
    case "group":
      return `${entity.kind} ${type === "delete"}`;
    case "tableEntry":
    case "valueSet":
      return type === "delete" ? "entry true" : "entry false";
    case "directCounter":
    case "directMeter":
      return "direct";
    default:
      return "other";
  }
}

/** Half-open ranges of `updates`, each of at most `size`, to be written one after the other. */
export function* batches(updates: readonly Update[], size: number): Generator<[start: number, end: number]> {
  let start = 0;
  let level = "";
  let keys = new Set<string>();
  for (let i = 0; i < updates.length; i++) {
    const update = updates[i]!;
    const key = entityKey(update.entity);
    const next = levelOf(update);
    if (i > start && (next !== level || i - start >= size || keys.has(key))) {
      yield [start, i];
      start = i;
      keys = new Set();
    }
    level = next;
    keys.add(key);
  }
  if (start < updates.length) yield [start, updates.length];
}
