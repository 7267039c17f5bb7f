/**
 * Packets as bytes, for all rooms. Numbers of protocols and checksums are defined here alone. Headers are written by
 * `network-headers`, `segment-builder`, `datagram-builder`, `arp` and `icmp`, and read by `segment`, `packet-match`, `ip-family` and the same
 * `arp` and `icmp`. Files of packets are `pcap` and `pcapng`; `selector-field` has the header fields that carry a selector.
 */

export { ipv4Text, ipv6Text, macText } from "./address-text.js";
export { type ArpMessage, arpFrame, BROADCAST, FRAME_BYTES, readArp } from "./arp.js";
export { addWords, finishChecksum, foldSum } from "./checksum.js";
export { DatagramBuilder } from "./datagram-builder.js";
export { ECHO_OPTION } from "./echo-option.js";
export type { FlowKey } from "./flow-key.js";
export { giveFrame, takeFrame } from "./frame-pool.js";
export {
  ECHO_REPLY,
  ECHO_REQUEST,
  type IcmpAddresses,
  type IcmpMessage,
  icmpError,
  icmpErrorText,
  icmpFrame,
  PORT_UNREACHABLE,
  readIcmp,
  UNREACHABLE,
} from "./icmp.js";
export {
  dscpOf,
  endOf,
  type Family,
  familyOf,
  flowLabelOf,
  IPV4,
  IPV6,
  isFragment,
  isMarked,
  isTcp,
} from "./ip-family.js";
export {
  type FlowAddresses,
  finishIp,
  type PreparedHeaders,
  prepareHeaders,
  type SelectorCodec,
} from "./network-headers.js";
export {
  CE,
  ECT_0,
  ETHERTYPE_ARP,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_SERVICE_VLAN,
  ETHERTYPE_VLAN,
  FLAG_ACK,
  FLAG_CWR,
  FLAG_ECE,
  FLAG_FIN,
  FLAG_PSH,
  FLAG_RST,
  FLAG_SYN,
  PROTOCOL_ICMP,
  PROTOCOL_ICMPV6,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
} from "./numbers.js";
export {
  type AddressPrefix,
  FrameFields,
  PacketFilter,
  type PacketMatch,
  payloadBytes,
} from "./packet-match.js";
export {
  decodePcap,
  encodePcap,
  MAX_PCAP_FRAME,
  PcapDecoder,
  type PcapOptions,
  type PcapPacket,
  pcapHeader,
  pcapRecord,
} from "./pcap.js";
export {
  BLOCK,
  BYTE_ORDER_MAGIC,
  INBOUND,
  OPTION,
  OUTBOUND,
  type PcapngInterface,
  type PcapngPacket,
  padded,
  pcapngInterface,
  pcapngPacket,
  pcapngSection,
} from "./pcapng.js";
export { decodePcapng, PcapngDecoder } from "./pcapng-decoder.js";
export { PieceBuffer } from "./piece-buffer.js";
export { type IpPacket, ipPacket, isReadable, type NewEnds, readdress } from "./readdress.js";
export { type RecordedPacket, recordedPackets } from "./recorded-packets.js";
export {
  ECHO_BITS,
  JOIN_OPTION,
  MAPPING_OPTION,
  MOST_WINDOW_SCALE,
  OPTION_MSS,
  OPTION_SACK,
  OPTION_SACK_PERMITTED,
  OPTION_WINDOW_SCALE,
  Segment,
} from "./segment.js";
export { OPTION_ROOM, SegmentBuilder } from "./segment-builder.js";
export {
  FIELD_BITS,
  SELECTOR_FIELDS,
  type SelectorField,
  type SelectorHeaders,
  selectorHeaders,
  selectorOf,
} from "./selector-field.js";
export { unwrap } from "./sequence.js";
export { get16, get32, put16, put32 } from "./words.js";
