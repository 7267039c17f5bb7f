/**
 * The metadata in front of a packet in the parsers of a Tofino. Most parsers take all of it in fixed places before they read the packet: such
 * a parser reads the metadata from bytes of their own, and the packet needs no room in front of it.
 */
import { defined } from "../../../base/index.js";
import { type bmv2, bmv2Number } from "../../program/index.js";
import type { Layout } from "./layout.js";

interface Reach {
  readonly takes: number;
  readonly sees: number;
}

const NOTHING: Reach = { takes: 0, sees: 0 };

/** Bytes that an operation passes in a fixed place, and those that it looks at beyond; undefined: the place is not fixed. */
function reach(op: bmv2.ParserOp, layout: Layout): Reach | undefined {
  switch (op.op) {
    case "extract": {
      const [target] = op.parameters;
      if (target.type !== "regular") return undefined;
      const header = layout.headers.get(target.value);
      if (header === undefined || header.varbit !== undefined) return undefined;
      return { takes: header.fixedBits >> 3, sees: 0 };
    }
    case "advance": {
      const [size] = op.parameters;
      if (size.type !== "hexstr") return undefined;
      const bits = Number(bmv2Number(size.value));
      return bits % 8 === 0 ? { takes: bits / 8, sees: 0 } : undefined;
    }
    case "set": {
      const [, from] = op.parameters;
      if (from.type !== "lookahead") return NOTHING;
      return { takes: 0, sees: bytesOf(from.value) };
    }
    case "verify":
      return NOTHING;
    case "primitive":
      return op.parameters[0].op === "parser_place" ? undefined : NOTHING;
    default:
      return undefined;
  }
}

function bytesOf([offset, width]: readonly [number, number]): number {
  return (offset + width + 7) >> 3;
}

/** Where a state that begins at a place ends, at most at the end of the metadata; undefined: not in a fixed place. */
function endOf(
  state: bmv2.ParseState,
  begin: number,
  { layout, bytes }: Front,
): number | "error" | undefined {
  let at = begin;
  for (const op of state.parser_ops) {
    if (at === bytes) return at;
    if (op.op === "verify" && op.parameters[0].type === "bool" && !op.parameters[0].value) return "error";
    const step = reach(op, layout);
    if (step === undefined || at + step.takes > bytes || at + step.sees > bytes) return undefined;
    at += step.takes;
  }
  const isSeen = ({ type, value }: bmv2.ParseState["transition_key"][number]): boolean =>
    type !== "lookahead" || at + bytesOf(value) <= bytes;
  return at === bytes || state.transition_key.every(isSeen) ? at : undefined;
}

interface Front {
  readonly layout: Layout;
  /** Of the metadata. */
  readonly bytes: number;
}

type States = ReadonlyMap<string, bmv2.ParseState>;

function nextOf({ transitions }: bmv2.ParseState, states: States): (string | undefined)[] {
  return transitions.map(({ next_state: next }) => (next !== null && states.has(next) ? next : undefined));
}

/**
 * The states that begin within the metadata, with their places; undefined where an operation lies across the end of the metadata, a way
 * ends within it without an error, or a state is met both within it and behind it.
 */
export function frontStates(parser: bmv2.Bmv2Parser, front: Front): ReadonlyMap<string, number> | undefined {
  const states: States = new Map(parser.parse_states.map((state) => [state.name, state]));
  const takesPlaces = parser.parse_states.some(({ parser_ops }) =>
    parser_ops.some((op) => op.op === "primitive" && op.parameters[0].op === "parser_place"),
  );
  if (takesPlaces || parser.init_state === null) return undefined;
  const places = new Map([[parser.init_state, 0]]);
  for (const [name, begin] of places) {
    const state = defined(states.get(name));
    const end = begin === front.bytes ? begin : endOf(state, begin, front);
    if (end === undefined) return undefined;
    if (end === "error") continue;
    for (const next of nextOf(state, states)) {
      if (next === undefined) {
        if (end < front.bytes) return undefined;
        continue;
      }
      const known = places.get(next);
      if (known !== undefined && known !== end) return undefined;
      places.set(next, end);
    }
  }
  return new Map([...places].filter(([, at]) => at < front.bytes));
}
