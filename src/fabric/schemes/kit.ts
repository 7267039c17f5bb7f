/** Makers of updates for the tables of the common partials, for schemes that are written outside of the package. */
import { call, exact, forward, insert, routeUpdates, singlePort, tableEntry, tableSize } from "./fabric.js";
import { flowHash } from "./hash.js";
import { directionOf, hashOf, hashParameters, seedUpdate } from "./hash-settings.js";

export const schemeKit = {
  call,
  exact,
  forward,
  insert,
  routeUpdates,
  singlePort,
  tableEntry,
  tableSize,
  directionOf,
  hashOf,
  hashParameters,
  seedUpdate,
  flowHash,
} as const;
