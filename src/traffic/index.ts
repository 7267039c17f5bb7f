/**
 * What hosts send: flow sizes (published distributions in `data/cdf`), flow starts, pairs of hosts, client ports; and
 * files of flows (CSV) and of packets (pcap).
 */
export { meanInterval, poissonStarts } from "./arrivals.js";
export { readSizeDistribution, type SizeDistribution } from "./cdf.js";
export { CLIENT_PORTS, drawClientPort, PairDrawer, type PairPattern, type Place } from "./flow.js";
export {
  decodePcap,
  encodePcap,
  PcapDecoder,
  type PcapOptions,
  type PcapPacket,
  pcapHeader,
  pcapRecord,
} from "./pcap.js";
export { DEFAULT_PORT, readTrafficFile, type TrafficFlow } from "./traffic-file.js";
export type { FlowArrival, FlowGroup, PacketSource, TimedFrame, Workload } from "./workload.js";
