/** How far headers stand from each other in the packets that a parser takes. */
import type { bmv2 } from "../../program/index.js";
import type { FitModel } from "../model/model.js";

export interface Distances {
  /** Bits from the begin of the first header to that of the second one behind it, up to the bound. */
  readonly between: (a: string, b: string) => ReadonlySet<number>;
  /** Some way through the parser extracts the first and then the second. */
  readonly leadsTo: (a: string, b: string) => boolean;
}

interface Place {
  readonly header: string;
  readonly at: number;
}

interface State {
  readonly places: readonly Place[];
  readonly bits: number;
  readonly nexts: readonly string[];
}

export function distancesOf(model: FitModel, parsers: readonly bmv2.Bmv2Parser[], most: number): Distances {
  const graphs = parsers.map((parser) => statesOf(model, parser));
  const found = new Map<string, Map<string, Set<number>>>();
  const all = new Map<string, Set<string>>();
  for (const states of graphs)
    for (const state of states.values())
      for (const { header, at } of state.places) {
        const own = found.get(header) ?? new Map<string, Set<number>>();
        found.set(header, own);
        collect(states, state, at, most, (other, bits) => {
          if (other !== header) own.set(other, (own.get(other) ?? new Set()).add(bits));
        });
        const after = all.get(header) ?? new Set<string>();
        all.set(header, after);
        reach(states, state, at, after);
      }
  const none: ReadonlySet<number> = new Set();
  return {
    between: (a, b) => found.get(a)?.get(b) ?? none,
    leadsTo: (a, b) => all.get(a)?.has(b) === true,
  };
}

/** Headers behind a place of a state, with the bits from there. */
function collect(
  states: ReadonlyMap<string, State>,
  from: State,
  at: number,
  most: number,
  note: (header: string, bits: number) => void,
): void {
  for (const place of from.places) if (place.at > at) note(place.header, place.at - at);
  const open = from.nexts.map((name) => ({ name, bits: from.bits - at }));
  const seen = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, bits } = next;
    const state = states.get(name);
    if (state === undefined || bits > most || seen.has(`${name} ${bits}`)) continue;
    seen.add(`${name} ${bits}`);
    for (const place of state.places) note(place.header, bits + place.at);
    for (const other of state.nexts) open.push({ name: other, bits: bits + state.bits });
  }
}

function reach(states: ReadonlyMap<string, State>, from: State, at: number, after: Set<string>): void {
  for (const place of from.places) if (place.at > at) after.add(place.header);
  const open = [...from.nexts];
  const seen = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const state = states.get(name);
    if (state === undefined || seen.has(name)) continue;
    seen.add(name);
    for (const { header } of state.places) after.add(header);
    open.push(...state.nexts);
  }
}

function statesOf(model: FitModel, { parse_states: states }: bmv2.Bmv2Parser): ReadonlyMap<string, State> {
  const { program, headers } = model;
  const stackOf = (name: string) => {
    const [first] = program.header_stacks.find((one) => one.name === name)?.header_ids ?? [];
    return program.headers.find(({ id }) => id === first)?.name ?? name;
  };
  return new Map(
    states.map((state): [string, State] => {
      const places: Place[] = [];
      let bits = 0;
      for (const op of state.parser_ops) {
        if (op.op === "extract" || op.op === "extract_VL") {
          const [target] = op.parameters;
          const header =
            target.type === "regular"
              ? target.value
              : target.type === "stack"
                ? stackOf(target.value)
                : target.value[0];
          places.push({ header, at: bits });
          bits += headers.get(header)?.bits ?? 0;
        } else if (op.op === "advance" || op.op === "shift") {
          const [value] = op.parameters;
          if (value.type === "hexstr") bits += Number(value.value) * (op.op === "shift" ? 8 : 1);
        }
      }
      const nexts = state.transitions.flatMap(({ next_state: next }) => (next === null ? [] : [next]));
      return [state.name, { places, bits, nexts }];
    }),
  );
}
