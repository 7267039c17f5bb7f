/** What identifies an entity (P4Runtime spec 9: its "key"), as one string. */
import { defined } from "../../base/index.js";
import type { Entity, Match, TableEntry } from "./device.js";

function matchKey(match: Match): string {
  switch (match.kind) {
    case "exact":
    case "optional":
      return `${match.field}=${match.value}`;
    case "lpm":
      return `${match.field}=${match.value}/${match.prefixLength}`;
    case "ternary":
      return `${match.field}=${match.value}&${match.mask}`;
    case "range":
      return `${match.field}=${match.low}..${match.high}`;
  }
}

/** A match key as text, whatever the order of its fields. */
export function matchesKey(matches: readonly Match[]): string {
  if (matches.length === 1) return matchKey(defined(matches[0]));
  return matches.map(matchKey).sort().join(",");
}

function tableEntryKey(entry: TableEntry): string {
  if (entry.isDefault) return `${entry.table} default`;
  return `${entry.table} ${entry.priority} ${matchesKey(entry.match)}`;
}

export function entityKey(entity: Entity): string {
  switch (entity.kind) {
    case "tableEntry":
      return `table ${tableEntryKey(entity)}`;
    case "directCounter":
    case "directMeter":
      return `${entity.kind} ${tableEntryKey(entity.entry)}`;
    case "member":
      return `member ${entity.profile} ${entity.memberId}`;
    case "group":
      return `group ${entity.profile} ${entity.groupId}`;
    case "counter":
      return `counter ${entity.counter} ${entity.index}`;
    case "meter":
      return `meter ${entity.meter} ${entity.index}`;
    case "register":
      return `register ${entity.register} ${entity.index}`;
    case "multicastGroup":
      return `multicast group ${entity.groupId}`;
    case "cloneSession":
      return `clone session ${entity.sessionId}`;
    case "digest":
      return `digest ${entity.digest}`;
    case "valueSet":
      return `value set ${entity.valueSet}`;
  }
}
