/**
 * A parser of a program as states that say what each takes from the packet: the layer between the statements of the program and the
 * hardware's states. Header stacks are unrolled, since a state of the hardware extracts to fixed containers, and what a constant decides
 * is decided here. `states.ts` reads one state; here all are found from the first one on.
 */
import { defined } from "../../../base/index.js";
import { type bmv2, parserPlace } from "../../program/index.js";
import { livenessOf } from "./liveness.js";
import { type Branch, NotCounted, type PacketGraph, type PacketState, widthOf } from "./packet.js";
import { readState, type Variables } from "./states.js";

/** States beyond this number are no parser of a chip; a program that has them is not counted. */
const MAX_STATES = 4096;
/** Entries of a value set whose size the program does not state. */
const DEFAULT_SET_SIZE = 1;

/** Reads a parser. */
export function packetStates(program: bmv2.Bmv2Program, parser: bmv2.Bmv2Parser): PacketGraph {
  try {
    return { states: new Exploration(program, parser).run() };
  } catch (error) {
    if (error instanceof NotCounted) return { unknown: error.message, source: error.source };
    throw error;
  }
}

interface Visit {
  readonly id: number;
  readonly state: bmv2.ParseState;
  readonly variables: Variables;
}

class Exploration {
  readonly #states: Map<string, bmv2.ParseState>;
  readonly #live: ReturnType<typeof livenessOf>;
  readonly #ids = new Map<string, number>();
  readonly #queue: Visit[] = [];

  constructor(
    readonly program: bmv2.Bmv2Program,
    readonly parser: bmv2.Bmv2Parser,
  ) {
    this.#states = new Map(parser.parse_states.map((state) => [state.name, state]));
    this.#live = livenessOf(parser);
  }

  run(): PacketState[] {
    const start = this.#states.get(this.parser.init_state);
    if (start === undefined) return [];
    const found: PacketState[] = [];
    this.#enter(start, { stacks: new Map(), values: new Map() });
    for (let visit = this.#queue.shift(); visit !== undefined; visit = this.#queue.shift())
      found.push(this.#read(visit));
    return found;
  }

  /** The number of a state with what it knows of stacks and variables that matter from here on. */
  #enter(state: bmv2.ParseState, { stacks, values }: Variables): number {
    const live = defined(this.#live.get(state.name));
    const known = {
      stacks: new Map([...stacks].filter(([name]) => live.stacks.has(name)).sort()),
      values: new Map([...values].filter(([name]) => live.variables.has(name)).sort()),
    };
    const key = JSON.stringify([
      state.name,
      [...known.stacks],
      [...known.values].map(([name, value]) => [name, String(value)]),
    ]);
    const old = this.#ids.get(key);
    if (old !== undefined) return old;
    const id = this.#ids.size;
    if (id >= MAX_STATES)
      throw new NotCounted(`more than ${MAX_STATES} states after header stacks are unrolled`, undefined);
    this.#ids.set(key, id);
    this.#queue.push({ id, state, variables: known });
    return id;
  }

  #read({ id, state, variables }: Visit): PacketState {
    const { content, after, decided } = readState(this.program, state, variables);
    const branches: Branch[] = [];
    for (const transition of state.transitions) {
      const branch = this.#branch(state, transition, decided, after);
      if (branch === undefined) continue;
      branches.push(branch);
      // Nothing after a branch that every packet takes is reached.
      if (branch.set === undefined && branch.masks.every((mask) => mask === 0n)) break;
    }
    return { ...content, id, names: [state.name], source: parserPlace(state), branches };
  }

  /** Undefined for a branch that a constant rules out, and for one to a state that only reports that nothing matched. */
  #branch(
    state: bmv2.ParseState,
    transition: bmv2.Transition,
    decided: readonly (bigint | undefined)[],
    after: Variables,
  ): Branch | undefined {
    const parts = partsOf(this.program, state, transition);
    const values: bigint[] = [];
    const masks: bigint[] = [];
    for (const [i, constant] of decided.entries()) {
      const { value, mask } = defined(parts[i]);
      if (constant === undefined) {
        values.push(value & mask);
        masks.push(mask);
      } else if (transition.type !== "parse_vset" && (constant & mask) !== (value & mask)) return undefined;
    }
    const next = transition.next_state === null ? undefined : this.#states.get(transition.next_state);
    if (next !== undefined && isNoMatch(next)) return undefined;
    const to = next === undefined || this.#overflows(next, after) ? undefined : this.#enter(next, after);
    const set = transition.type === "parse_vset" ? this.#setOf(transition) : undefined;
    return { values, masks, set, to };
  }

  #setOf({ value }: bmv2.Transition): { name: string; size: number } {
    const set = this.program.parse_vsets.find(({ name }) => name === value);
    return { name: value ?? "", size: set?.max_size ?? DEFAULT_SET_SIZE };
  }

  /** The state extracts to a stack that is full: the hardware ends there. */
  #overflows(state: bmv2.ParseState, { stacks }: Variables): boolean {
    const count = new Map(stacks);
    return state.parser_ops.some((op) => {
      if (op.op !== "extract" || op.parameters[0].type !== "stack") return false;
      const name = op.parameters[0].value;
      const at = count.get(name) ?? 0;
      count.set(name, at + 1);
      return at >= (this.program.header_stacks.find((one) => one.name === name)?.size ?? 0);
    });
  }
}

/** The state that a select without a default leads to: the hardware reports an error when no row matches. */
function isNoMatch({ parser_ops: ops, transitions }: bmv2.ParseState): boolean {
  const [only, ...others] = ops;
  return (
    others.length === 0 &&
    only?.op === "verify" &&
    only.parameters[0].type === "bool" &&
    !only.parameters[0].value &&
    transitions.every(({ next_state: next }) => next === null)
  );
}

/** Value and mask of each part of the key; BMv2 JSON pads each part to whole bytes. */
function partsOf(
  program: bmv2.Bmv2Program,
  state: bmv2.ParseState,
  { type, value, mask }: bmv2.Transition,
): { value: bigint; mask: bigint }[] {
  const widths = state.transition_key.map((part) => widthOf(program, part));
  const total = widths.reduce((sum, width) => sum + 8 * Math.ceil(width / 8), 0);
  const given = type === "hexstr" && value !== null ? BigInt(value) : 0n;
  const all = type === "default" ? 0n : mask === null ? (1n << BigInt(total)) - 1n : BigInt(mask);
  let below = total;
  return widths.map((width) => {
    below -= 8 * Math.ceil(width / 8);
    const ones = (1n << BigInt(width)) - 1n;
    return { value: (given >> BigInt(below)) & ones, mask: (all >> BigInt(below)) & ones };
  });
}
