/**
 * Packets as bytes, for all rooms: files of packets (pcap and pcapng), and the header fields that carry a selector.
 */
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
export {
  FIELD_BITS,
  SELECTOR_FIELDS,
  type SelectorField,
  type SelectorHeaders,
  selectorHeaders,
  selectorOf,
} from "./selector-field.js";
