/**
 * Cuts a list of updates into Writes. Within a Write a switch may do the updates in any order (P4Runtime spec
 * 12.1), while a `Device` does them in the order given: so no two updates that may depend on each other share
 * a Write.
 */
import { entityKey, type Update } from "../../device/index.js";

/** Classes of updates, one bit for each: kinds of entities that are removed, and kinds that are added or changed. */
const ENTRY = 1;
const ENTRY_GONE = 2;
const MEMBER = 4;
const MEMBER_GONE = 8;
const GROUP = 16;
const GROUP_GONE = 32;
const DIRECT = 64;
const OTHER = 128;
const OTHER_GONE = 256;

function classOf({ type, entity }: Update): number {
  const gone = type === "delete";
  switch (entity.kind) {
    case "tableEntry":
      return gone ? ENTRY_GONE : ENTRY;
    case "member":
      return gone ? MEMBER_GONE : MEMBER;
    case "group":
      return gone ? GROUP_GONE : GROUP;
    case "directCounter":
    case "directMeter":
      return DIRECT;
    default:
      return gone ? OTHER_GONE : OTHER;
  }
}

/**
 * Which classes a class may depend on, or they on it: entries refer to members and groups, groups to members,
 * direct resources belong to entries, and what is removed makes room for what is added.
 */
const CONFLICTS: Readonly<Record<number, number>> = {
  [ENTRY]: ENTRY_GONE | MEMBER | MEMBER_GONE | GROUP | GROUP_GONE | DIRECT,
  [ENTRY_GONE]: ENTRY | MEMBER_GONE | GROUP_GONE | DIRECT,
  [MEMBER]: ENTRY | MEMBER_GONE | GROUP,
  [MEMBER_GONE]: ENTRY | ENTRY_GONE | MEMBER | GROUP | GROUP_GONE,
  [GROUP]: ENTRY | MEMBER | MEMBER_GONE | GROUP_GONE,
  [GROUP_GONE]: ENTRY | ENTRY_GONE | MEMBER_GONE | GROUP,
  [DIRECT]: ENTRY | ENTRY_GONE,
  [OTHER]: OTHER_GONE,
  [OTHER_GONE]: OTHER,
};

/** Half-open ranges of `updates`, each of at most `size`, to be written one after the other. */
export function* batches(updates: readonly Update[], size: number): Generator<[start: number, end: number]> {
  let start = 0;
  let classes = 0;
  let keys = new Set<string>();
  for (let i = 0; i < updates.length; i++) {
    const update = updates[i]!;
    const key = entityKey(update.entity);
    const own = classOf(update);
    if ((CONFLICTS[own]! & classes) !== 0 || i - start >= size || keys.has(key)) {
      yield [start, i];
      start = i;
      classes = 0;
      keys = new Set();
    }
    classes |= own;
    keys.add(key);
  }
  if (updates.length > 0) yield [start, updates.length];
}
