/** The interface of schemes in the flow simulator: a router finds paths, and gets the traffic of each epoch at its end. */
import type { PathSource } from "../../paths/index.js";
import type { RoutedBundles } from "./bundles.js";

/** The counters of switches in an epoch. */
export interface EpochTraffic {
  /** Time at the end of the epoch. */
  readonly nowNs: number;
  readonly epochNs: number;
  /** Bytes by directed link. */
  readonly byLink: Float64Array;
  /** Calls back with the bytes of each bundle that sent some, and with its path: `links[from]` to `links[end - 1]`, directed links between switches. */
  eachBundle(
    call: (bundle: number, bytes: number, links: Int32Array, from: number, end: number) => void,
  ): void;
}

/** `linksOf(bundle, out)` writes the directed links between switches from the source's switch to the destination's. */
export interface FlowRouter extends PathSource {
  /** Maximum number of links of a path; with failed links, paths may be longer. */
  readonly maxLinks: number;
  /** Returns whether paths may differ from those before the call. Absent: paths never change. */
  endEpoch?(traffic: EpochTraffic): boolean;
  /** Time from the change of a link to new routes at all switches; absent: the experiment defines it. */
  readonly propagationNs?: number;
  /** Switches have noticed changes of their own ports. `isDown`: by port, 1 where it is down; not to be changed or kept. */
  portsChanged?(isDown: Uint8Array): void;
  /** Routing has found other paths, without these ports. */
  routesChanged?(isDown: Uint8Array): void;
  /** A switch runs again, with the state that it began with. */
  restarted?(own: number): void;
}

/** Makes the router of a run for its bundles. */
export type RouterMaker = (bundles: RoutedBundles) => FlowRouter;
