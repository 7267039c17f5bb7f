/**
 * What hosts send: flow sizes (published distributions in `data/cdf`), arrivals to a load, patterns of pairs, requests with
 * fan-out, as streams of flows; and files of flows (CSV) and of packets (pcap).
 */
export type { ArrivalSpec } from "./arrivals.js";
export { readSizeDistribution, type ShareUnit, SizeDistribution } from "./cdf.js";
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
export { readMatrix } from "./matrix-file.js";
export {
  type HostChoice,
  openWorkload,
  type PaceSpec,
  type PairSpec,
  type PartSpec,
  type RequestSpec,
  spreadOf,
  type WorkloadSpec,
} from "./open-workload.js";
export { matrixGroups, type TrafficMatrix } from "./patterns/matrix.js";
export { type PartnerSpec, type Partners, partnersOf } from "./patterns/partners-of.js";
export type { Spread } from "./patterns/pattern.js";
export {
  decodePcap,
  encodePcap,
  PcapDecoder,
  type PcapOptions,
  type PcapPacket,
  pcapHeader,
  pcapRecord,
} from "./pcap.js";
export {
  type PcapngInterface,
  type PcapngPacket,
  pcapngInterface,
  pcapngPacket,
  pcapngSection,
} from "./pcapng.js";
export { decodePcapng, PcapngDecoder } from "./pcapng-decoder.js";
export { type RecordedPacket, recordedPackets } from "./recorded-packets.js";
export { type MappedPrefix, Replay, type ReplaySpec } from "./replay.js";
export { openTrace, type TraceSpec } from "./trace-flows.js";
export { DEFAULT_PORT, readTrafficFile, streamTrafficFile, type TrafficFlow } from "./traffic-file.js";
export type { FlowArrival, FlowGroup, PacketSource, TimedFrame, Workload } from "./workload.js";
