/** Plans the state of switches for a network whose links go down and come up, in steps that change little. */
import type { Entity, Update } from "../../toolchain/device/index.js";
import type { Topology } from "../topology/index.js";

/** The state of one switch. */
export interface PlannedSwitch {
  /** Node index. */
  readonly node: number;
  readonly updates: readonly Update[];
}

/**
 * An object that does not change has the same id in every plan; a new object gets an id that no object of the switch has. So
 * the difference between two plans adds and removes objects, but changes none that packets use.
 */
export interface RoutePlanner {
  /** Sets the state of a switch to `entities`, and drops the earlier one. */
  learn(node: number, entities: readonly Entity[]): void;
  /** The state of all switches for a topology of `withLinksDown`. */
  plan(topology: Topology): readonly PlannedSwitch[];
}
