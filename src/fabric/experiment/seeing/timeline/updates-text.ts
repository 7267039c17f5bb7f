/** What a controller writes to a switch, in a few words. */
import type { Update } from "../../../../toolchain/device/index.js";

const WORDS: Readonly<Partial<Record<Update["entity"]["kind"], string>>> = {
  tableEntry: "table entry",
  member: "member",
  group: "group",
  register: "register cell",
  meter: "meter",
  directMeter: "meter of an entry",
  counter: "counter",
  directCounter: "counter of an entry",
  multicastGroup: "multicast group",
};

/** `modify group 3 (4 members)`, `insert table entry x 12`. */
export function updatesText(updates: readonly Update[]): string {
  const counts = new Map<string, number>();
  let detail = "";
  for (const { type, entity } of updates) {
    const what = WORDS[entity.kind] ?? entity.kind;
    const key = `${type.toLowerCase()} ${what}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (updates.length === 1)
      detail =
        entity.kind === "group"
          ? ` ${entity.groupId} (${entity.members.length} members)`
          : entity.kind === "tableEntry"
            ? ` of ${entity.table}`
            : "";
  }
  return [...counts]
    .map(([key, count]) => (count === 1 ? `${key}${detail}` : `${key} x ${count}`))
    .join("; ");
}
