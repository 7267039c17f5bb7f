/**
 * Checksum engines of a parser: how many are in use in one state. Engines on different ways of a packet share a unit, and so do engines that
 * begin in the same states and do the same where both work (p4c, parde/allocate_parser_checksum.cpp, can_share_hw_unit).
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { PacketState } from "./packet.js";

export interface EngineUse {
  /** Units that one packet needs at once. */
  readonly units: number;
  /** Where the last of them is first used. */
  readonly source: bmv2.SourceInfo | undefined;
  readonly state: string | undefined;
}

export function engineUse(states: readonly PacketState[]): EngineUse {
  // An engine whose sum nothing asks for is no engine.
  const given = new Set(
    states.flatMap(({ sums }) => sums.filter(({ gives }) => gives).map(({ engine }) => engine)),
  );
  const before = spread(
    states,
    (state) => state.branches.flatMap(({ to }) => (to === undefined ? [] : [to])),
    given,
  );
  const into = new Map<number, number[]>();
  for (const { id, branches } of states)
    for (const { to } of branches) if (to !== undefined) into.set(to, [...(into.get(to) ?? []), id]);
  const after = spread(states, ({ id }) => into.get(id) ?? [], given);
  let most: EngineUse = { units: 0, source: undefined, state: undefined };
  for (const state of states) {
    const own = new Set(state.sums.filter(({ engine }) => given.has(engine)).map(({ engine }) => engine));
    const all = new Set(own);
    for (const engine of defined(before[state.id])) if (defined(after[state.id]).has(engine)) all.add(engine);
    if (all.size <= most.units) continue;
    const units = unitsOf([...all], states, before);
    if (units <= most.units) continue;
    most = {
      units,
      source: state.sums.at(-1)?.source ?? state.source,
      state: state.names.join(" + "),
    };
  }
  return most;
}

/** Units of engines that are in use at once. */
function unitsOf(
  engines: readonly string[],
  states: readonly PacketState[],
  before: readonly ReadonlySet<string>[],
): number {
  const usesOf = ({ sums }: PacketState, engine: string) =>
    JSON.stringify(sums.filter((sum) => sum.engine === engine).map(({ bits, gives }) => ({ bits, gives })));
  const begins = ({ id }: PacketState, engine: string) => !defined(before[id]).has(engine);
  const isShared = (a: string, b: string) =>
    states.every((state) => {
      const own = [a, b].filter((engine) => state.sums.some((sum) => sum.engine === engine));
      if (own.length === 2) return usesOf(state, a) === usesOf(state, b);
      return own.every((engine) => !begins(state, engine));
    });
  const units: string[][] = [];
  for (const engine of engines) {
    const unit = units.find((others) => others.every((other) => isShared(engine, other)));
    if (unit === undefined) units.push([engine]);
    else unit.push(engine);
  }
  return units.length;
}

/** By state: engines that some state uses from which a way leads to it. */
function spread(
  states: readonly PacketState[],
  nexts: (state: PacketState) => readonly number[],
  given: ReadonlySet<string>,
): Set<string>[] {
  const reached = states.map(() => new Set<string>());
  for (let changed = true; changed; ) {
    changed = false;
    for (const state of states) {
      const own = [...defined(reached[state.id]), ...state.sums.map(({ engine }) => engine)];
      for (const next of nexts(state)) {
        const there = defined(reached[next]);
        const size = there.size;
        for (const engine of own) if (given.has(engine)) there.add(engine);
        changed ||= there.size > size;
      }
    }
  }
  return reached;
}
