/** What differs between the uses of the symbolic execution. */
import type { Term, Terms } from "../solver/index.js";
import type { Field } from "./memory.js";

/** The port of the packet that came in. */
export const PORT = "packet.port";
export const PORT_BITS = 9;

export interface Environment {
  /** A value that the switch has and no packet decides: a time, a state at the start. `name` says which, the same for equal ones. */
  outside(name: string, width: number): Term;
  /** A field of a header that nothing has written. */
  unwritten(header: string, field: Field): Term;
  /** Passes of the parser that one packet has, with resubmission and recirculation. */
  readonly passes: number;
  /** Which a path follows where a packet gets a copy: the packet, or its copy; undefined: paths follow both. */
  readonly follows?: "packet" | "copy";
  /** Entries and default actions that a controller may write: those that a path needs, or none. */
  readonly entries: "any" | "none";
  /** A controller gives parsers' value sets the members that a path needs; otherwise they have none. */
  readonly writesValueSets?: boolean;
  /** A controller has written registers as a path needs them; otherwise their cells come from {@link outside}. */
  readonly writesRegisters?: boolean;
  /** What is left out where {@link outside} and {@link unwritten} have one value of several. */
  readonly leftOut?: { readonly outside: string; readonly unwritten: string };
}

/** A switch that has just started, whose clock stands at 0. */
export function freshSwitch(terms: Terms): Environment {
  return {
    outside: (_, width) => terms.constant(0, width),
    unwritten: (_, { width }) => terms.constant(0, width),
    passes: 2,
    entries: "any",
    writesValueSets: true,
    leftOut: {
      outside: "registers and meters in another state than at the start",
      unwritten: "fields of headers that are not valid, with another value than 0",
    },
  };
}

/** The time of a Tofino in nanoseconds, the same for a packet's whole way. */
export const TIME = "time";
export const TIME_BITS = 48;

/** A Tofino that has just started, whose registers a controller has written. Fields that nothing has written are 0 in it. */
export function freshTofino(terms: Terms): Environment {
  return {
    outside: (name, width) => (name === TIME ? terms.variable(TIME, TIME_BITS) : terms.constant(0, width)),
    unwritten: (_, { width }) => terms.constant(0, width),
    passes: 3,
    entries: "any",
    writesValueSets: true,
    writesRegisters: true,
    leftOut: {
      outside: "meters in another state than at the start",
      unwritten: "fields of headers that are not valid, with another value than 0",
    },
  };
}
