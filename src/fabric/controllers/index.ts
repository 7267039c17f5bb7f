/**
 * A control plane that lives: {@link Controller} is a control plane program, {@link ControllerContext} all that it sees,
 * {@link ControllerHost} starts, stops, kills and restarts the controllers of a fabric. The host touches no clock, switch or
 * file by itself: an engine hands them in as {@link ControllerEnvironment}.
 */
export type { ControllerClock } from "./clock.js";
export type {
  CommandEvent,
  ControlledHost,
  ControlledSwitch,
  Controller,
  ControllerContext,
  ControllerPlace,
  ControllerPlan,
  HostEvent,
  LinkEvent,
  SwitchEvent,
} from "./controller.js";
export { failureOf } from "./failure.js";
export { ControllerHost, type HostSession, STOP_LIMIT_NS } from "./host.js";
export { ControllerStopped } from "./incarnation.js";
export type { RoutePlanner } from "./route-controller.js";
export { ROUTE_CONTROLLER, routeController, whileRunning } from "./route-controller.js";
export type { SwitchSession, SwitchState } from "./switch-session.js";
export type { Clock } from "./time-source.js";
