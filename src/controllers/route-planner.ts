/** Plans the state of switches for a network whose links go down and come up, in steps that replace little. */
import type { Entity, Update } from "../device/index.js";
import type { Topology } from "../topology/index.js";

/** The state of one switch. */
export interface PlannedSwitch {
  /** Node index. */
  readonly node: number;
  readonly updates: readonly Update[];
}

/**
 * Gives an object that stays the same the same id in every plan, and a new one an id that no object of the switch has. So
 * the difference between two plans adds objects and removes objects, but changes none that packets use.
 */
export interface RoutePlanner {
  /** Takes `entities` for the state of a switch, instead of what was known of it. */
  learn(node: number, entities: readonly Entity[]): void;
  /** The state of all switches for a topology of `withLinksDown`. */
  plan(topology: Topology): readonly PlannedSwitch[];
}
