/**
 * `p4loom/simulate`: networks in virtual time: packets over compiled programs with real transports, and flows as rates. Pages:
 * docs/simulator.md and docs/flow-simulator.md.
 */
export { Random } from "../base/index.js";
export * as flows from "../fabric/sim/flow/index.js";
export * from "../fabric/sim/packet/index.js";
export * as traffic from "../fabric/traffic/index.js";
