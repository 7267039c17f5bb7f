/** States that only wait or only shift become one with their neighbours (p4c, merge_lowered_parser_states.cpp), and the rest get numbers. */
import { defined } from "../../../base/index.js";
import { type HardwareState, isIdle, type Row } from "./machine.js";

export function compact(states: readonly HardwareState[], buffer: number): HardwareState[] {
  const list = states.map((state) => ({ ...state, rows: [...state.rows] }));
  const isLooped = list.map((_, id) => reaches(list, id, id));
  for (const [id, state] of list.entries())
    for (const [i, row] of state.rows.entries()) {
      let merged = row;
      const seen = new Set([id]);
      while (merged.to !== undefined && !seen.has(merged.to)) {
        const next = defined(list[merged.to]);
        const [only, ...others] = next.rows;
        if (next.match.length > 0 || only === undefined || others.length > 0 || isLooped[merged.to]) break;
        seen.add(merged.to);
        const both = together(merged, only, buffer);
        if (both === undefined) break;
        merged = both;
      }
      state.rows[i] = merged;
    }
  return reachable(list);
}

/** One row that does what two in sequence do; undefined where both work, or a cycle cannot see what the second one takes. */
function together(a: Row, b: Row, buffer: number): Row | undefined {
  const works = (row: Row) => !isIdle(row) || row.saves.length > 0;
  if ((works(a) && works(b)) || a.shift + b.shift > buffer) return undefined;
  const by = a.shift;
  const bits = <T extends { readonly at: number }>(list: readonly T[]): T[] =>
    list.map((one) => ({ ...one, at: one.at + 8 * by }));
  const writes = b.writes.map((one) => ({
    ...one,
    from: one.from === undefined ? undefined : one.from + by,
    taken: bits(one.taken),
  }));
  const past = b.past.map((one) => ({ ...one, from: one.from + by, taken: bits(one.taken) }));
  const sums = b.sums.map((one) => ({ ...one, bits: bits(one.bits) }));
  const saves = bits(b.saves);
  const isSeen =
    writes.every(({ from, size }) => from === undefined || from + size / 8 <= buffer) &&
    past.every(({ from }) => from < buffer) &&
    [...sums.flatMap((one) => one.bits), ...saves].every(({ at, width }) => at + width <= 8 * buffer);
  if (!isSeen) return undefined;
  return {
    ...a,
    writes: [...a.writes, ...writes],
    past: [...a.past, ...past],
    sums: [...a.sums, ...sums],
    counts: [...a.counts, ...b.counts],
    saves: [...a.saves, ...saves],
    shift: a.shift + b.shift,
    to: b.to,
  };
}

function reaches(states: readonly HardwareState[], from: number, to: number): boolean {
  const seen = new Set<number>();
  const work = [from];
  for (let id = work.pop(); id !== undefined; id = work.pop())
    for (const { to: next } of defined(states[id]).rows) {
      if (next === to) return true;
      if (next === undefined || seen.has(next)) continue;
      seen.add(next);
      work.push(next);
    }
  return false;
}

/** States that a packet reaches, with new numbers. */
function reachable(states: readonly HardwareState[]): HardwareState[] {
  const ids = new Map<number, number>();
  const order: number[] = [];
  const work = states.length > 0 ? [0] : [];
  for (let id = work.shift(); id !== undefined; id = work.shift()) {
    if (ids.has(id)) continue;
    ids.set(id, order.length);
    order.push(id);
    for (const { to } of defined(states[id]).rows) if (to !== undefined) work.push(to);
  }
  return order.map((id) => {
    const state = defined(states[id]);
    const rows = state.rows.map((row) => ({
      ...row,
      to: row.to === undefined ? undefined : defined(ids.get(row.to)),
    }));
    return { ...state, rows };
  });
}
