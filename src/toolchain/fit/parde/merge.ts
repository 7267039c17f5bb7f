/** Chains of states become one, as the compiler makes them before it divides states by what a cycle can do (p4c, merge_parser_state.cpp). */
import { defined } from "../../../base/index.js";
import type { Branch, KeyPart, PacketState } from "./packet.js";

/** States where each that only leads to one next state, which nothing else leads to, is one with it. The first one stays the first. */
export function mergeChains(states: readonly PacketState[]): PacketState[] {
  const users = new Map<number, number>();
  for (const { branches } of states)
    for (const { to } of branches) if (to !== undefined) users.set(to, (users.get(to) ?? 0) + 1);
  const next = new Map<number, PacketState>();
  for (const state of states) {
    const [only, ...others] = state.branches;
    if (state.key.length > 0 || only?.to === undefined || others.length > 0 || only.set !== undefined)
      continue;
    const after = defined(states[only.to]);
    // What loads the counter from the packet begins a state.
    if (only.to === 0 || users.get(only.to) !== 1 || after.counts.includes("load")) continue;
    if (after.id !== state.id) next.set(state.id, after);
  }
  const inside = new Set([...next.values()].map(({ id }) => id));
  const kept: PacketState[] = [];
  for (const state of states) {
    if (inside.has(state.id)) continue;
    let merged = state;
    const seen = new Set([state.id]);
    for (
      let after = next.get(state.id);
      after !== undefined && !seen.has(after.id);
      after = next.get(after.id)
    ) {
      seen.add(after.id);
      merged = joined(merged, after);
    }
    kept.push(merged);
  }
  return renumbered(kept);
}

/** Both states as one; what the later one names counts from where the earlier one begins. */
function joined(a: PacketState, b: PacketState): PacketState {
  const by = a.bits;
  const moved = <T extends { readonly at: number }>(list: readonly T[]): T[] =>
    list.map((one) => ({ ...one, at: one.at + by }));
  // The key of a chain looks at what an earlier state of the chain took.
  const here = new Map([...a.taken, ...moved(b.taken)].map((one) => [one.field, one]));
  const key = b.key.map((part): KeyPart => {
    if (part.at !== undefined) return { ...part, at: part.at + by };
    const taken = part.isCounter ? undefined : here.get(part.slot);
    return taken === undefined ? part : { ...part, at: taken.at + taken.width - part.width };
  });
  return {
    ...a,
    names: [...a.names, ...b.names],
    bits: a.bits + b.bits,
    headers: [...a.headers, ...moved(b.headers)],
    taken: [...a.taken, ...moved(b.taken)],
    written: [...a.written, ...b.written],
    sums: [...a.sums, ...b.sums.map((sum) => ({ ...sum, bits: moved(sum.bits) }))],
    counts: [...a.counts, ...b.counts],
    key,
    branches: b.branches,
  };
}

function renumbered(states: readonly PacketState[]): PacketState[] {
  const ids = new Map(states.map(({ id }, i) => [id, i]));
  return states.map((state, id) => ({
    ...state,
    id,
    branches: state.branches.map(
      (branch): Branch => ({
        ...branch,
        to: branch.to === undefined ? undefined : defined(ids.get(branch.to)),
      }),
    ),
  }));
}
