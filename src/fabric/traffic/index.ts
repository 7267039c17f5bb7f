/**
 * What hosts send: flow sizes (published distributions in `data/cdf`), arrivals to a load, patterns of pairs, requests with
 * fan-out, collective operations, as streams of flows; files of flows (CSV), and the replay of files of packets.
 */
export type { ArrivalSpec } from "./arrivals.js";
export { readSizeDistribution, type ShareUnit, SizeDistribution } from "./cdf.js";
export { OPERATIONS, stepsOf } from "./collective.js";
export {
  CLIENT_PORTS,
  drawClientPort,
  hostPlaces,
  PairDrawer,
  type PairPattern,
  type Place,
} from "./flow.js";
export type { Service } from "./flow-source.js";
export { capacityBps, type LoadBase } from "./load.js";
export { openTrace, type TraceSpec } from "./mixed-workload.js";
export {
  type HostChoice,
  type OperationSpec,
  openWorkload,
  type PaceSpec,
  type PairSpec,
  type PartSpec,
  type PatternSpec,
  type RequestSpec,
  spreadOf,
  type WorkloadSpec,
} from "./open-workload.js";
export { matrixGroups, readMatrix, type TrafficMatrix } from "./patterns/matrix.js";
export { type PartnerSpec, type Partners, partnersOf } from "./patterns/partners.js";
export type { Spread } from "./patterns/pattern.js";
export { type MappedPrefix, Replay, type ReplaySpec } from "./replay.js";
export { DEFAULT_PORT, readTrafficFile, streamTrafficFile, type TrafficFlow } from "./traffic-file.js";
export type { FlowArrival, FlowGroup, PacketSource, TimedFrame, Workload } from "./workload.js";
