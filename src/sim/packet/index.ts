/**
 * A packet-level network in virtual time. {@link Simulation} is the clock and the event queue, {@link Network} the
 * nodes and links (rates, delays, bounded queues, silent failures), {@link Host} the servers with their transport,
 * {@link Fabric} a whole topology whose switches run compiled programs on real packet bytes.
 */
export { Channel, type ChannelOptions, type ChannelStats } from "./channel.js";
export * from "./checksum.js";
export * from "./connection.js";
export { ControlChannel, settle } from "./control-channel.js";
export { EventQueue } from "./event-queue.js";
export { Fabric, type FabricOptions } from "./fabric.js";
export * from "./frames.js";
export * from "./host.js";
export * from "./host-policy.js";
export * from "./network.js";
export { ReceiveWindow } from "./receive-window.js";
export * from "./retransmission-timer.js";
export * from "./simulation.js";
export { SwitchNode } from "./switch-node.js";
