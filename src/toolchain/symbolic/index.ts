/**
 * Symbolic execution of programs for v1model and a Tofino: each path of a packet with the condition under which it is taken, and with the entries that it needs. It runs BMv2 JSON,
 * the form that the switch runs, so that it takes programs of any compiler.
 *
 *     explore     paths, one after the other
 *     machine     one path through simple_switch; parser, control, tables, actions are its parts
 *     tofino      one path through a Tofino, of the same parts
 *     chooser     the decisions of a path
 *     expressions, numbers, memory   values
 */
export {
  type Environment,
  freshSwitch,
  freshTofino,
  PORT,
  PORT_BITS,
  TIME,
  TIME_BITS,
} from "./environment.js";
export { Explorer, type Path } from "./explore.js";
export type { Outcome } from "./machine.js";
export { byteName, LENGTH, LENGTH_BITS } from "./packet.js";
export { isRandom, Plan, type TableRules } from "./pass.js";
export type { Copies, Entry, Opaque } from "./situation.js";
