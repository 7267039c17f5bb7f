/**
 * A packet-level network in virtual time. {@link Simulation} is the clock and the event queue, {@link Network} the
 * nodes and links (rates, delays, bounded queues, silent failures), {@link Host} the servers with their transport,
 * {@link Fabric} a whole topology whose switches run compiled programs on real packet bytes.
 */

export type { Node } from "./channel.js";
export { Channel, type ChannelOptions, type ChannelStats, type ChannelTap } from "./channel.js";
export {
  type CloseReason,
  type Connection,
  ConnectionCounters,
  type ConnectionHost,
  type ConnectionListener,
  type Stream,
  type Timed,
} from "./connection.js";
export {
  type ChannelState,
  type ControlAct,
  ControlChannel,
  type ControlChannelOptions,
  HostChannel,
  settle,
} from "./control-channel.js";
export type { ControlFault } from "./control-direction.js";
export { entityBytes, eventBytes, MESSAGE_BYTES, packetBytes, queryBytes } from "./control-messages.js";
export { EventQueue } from "./event-queue.js";
export { Fabric, FabricEvents, type FabricObserver, type FabricOptions, type FabricPlace } from "./fabric.js";
export { Host, type HostOptions, type HostStats, type Peer, type TransportOptions } from "./host.js";
export {
  CountedLoss,
  type FrameFault,
  Impairment,
  type ImpairmentOptions,
  shareThreshold,
} from "./impairment.js";
export { type Endpoint, type Link, type LinkOptions, Network } from "./network.js";
export type { Deadlock, PausedDirection } from "./pfc/deadlock.js";
export type { DirectionStats, FabricFlowControl } from "./pfc/fabric-flow-control.js";
export { headroomBytes, type PfcOptions, pauseNs } from "./pfc/pfc-options.js";
export { type RetransmissionOptions, RetransmissionTimeout } from "./retransmission-timer.js";
export {
  controlClock,
  type Handler,
  NS_PER_MS,
  NS_PER_S,
  NS_PER_US,
  Simulation,
  type SimulationOptions,
} from "./simulation.js";
export { Ping, type PingListener, type PingOptions } from "./stack/ping.js";
export {
  type ArpHost,
  ArpTable,
  type FrameVerdict,
  StackHost,
  type StackHostOptions,
} from "./stack/stack-host.js";
export type { PortSource } from "./switch-node.js";
export { CPU_PORT, type QueueObserver, SwitchNode, type SwitchNodeOptions } from "./switch-node.js";
export type {
  AckSample,
  CongestionControl,
  CongestionControlMaker,
  CongestionControlOptions,
  SubflowGroup,
  SubflowView,
} from "./transport/congestion/congestion-control.js";
export { CONGESTION_CONTROLS, type CongestionControlName } from "./transport/congestion/registry.js";
export type { FixedStreamOptions } from "./transport/fixed-stream.js";
export { Dcqcn, type DcqcnOptions } from "./transport/messages/dcqcn.js";
export { FixedWindow, type MessageControlMaker } from "./transport/messages/message-control.js";
export { type MessageOptions, RECOVERIES, type Recovery } from "./transport/messages/message-options.js";
export { Swift, type SwiftOptions } from "./transport/messages/swift.js";
export { MultipathConnection } from "./transport/multipath.js";
export { TcpConnection, type TcpState } from "./transport/tcp.js";
export {
  type DelayedAckOptions,
  SUBFLOW_SCHEDULERS,
  type SubflowScheduler,
  type TcpOptions,
} from "./transport/tcp-options.js";
export {
  type UdpListener,
  type UdpOptions,
  UdpReceiver,
  UdpSender,
} from "./transport/udp-flow.js";
export type { TrimmedPort } from "./trimming/fabric-trimming.js";
export type { TrimOptions } from "./trimming/trim-options.js";
export { ETHERNET_WIRE, HEADERS_ONLY, type WireModel, wireBytes } from "./wire-model.js";
