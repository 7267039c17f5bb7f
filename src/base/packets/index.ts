/**
 * Packets as bytes, for all rooms. For each protocol there is one file, which is exported under its name (`export * as` below). It has a view,
 * functions that read and write a field of the header at a position and allocate nothing, and a representation, an object that `parse` reads, `check`
 * admits and `emit` writes. `Ip` is the view over either version. Numbers of protocols, positions of fields and checksums are defined here alone.
 *
 * Whole frames: `Segment` reads, and `SegmentBuilder` and `DatagramBuilder` write those of the simulator; `FrameFields` sees what the parser of the
 * generated programs sees; `dissect` gives all representations. Files of packets are `pcap` and `pcapng`; `selector-field` has the header fields that
 * carry a selector.
 */

export { ipv4Text, ipv6Text, macText } from "./address-text.js";
export * as Arp from "./arp.js";
export { addWords, finishChecksum, foldSum, isWhole, without } from "./checksum.js";
export { DatagramBuilder } from "./datagram-builder.js";
export { type Dissection, dissect, type Network, type Transport } from "./dissect.js";
export * as Ethernet from "./ethernet.js";
export type { FlowKey } from "./flow-key.js";
export { giveFrame, takeFrame } from "./frame-pool.js";
export * as Icmp from "./icmp.js";
export * as Icmpv6 from "./icmpv6.js";
export * as Ip from "./ip.js";
export * as Ipv4 from "./ipv4.js";
export * as Ipv6 from "./ipv6.js";
export * as Ipv6Extensions from "./ipv6-extensions.js";
export * as MacControl from "./mac-control.js";
export {
  BITMAP_PACKETS,
  bitmapBase,
  MESSAGE_HEADER_LENGTH,
  MessageHeader,
} from "./message-header.js";
export {
  type FlowAddresses,
  finishIp,
  type PreparedHeaders,
  prepareHeaders,
  type SelectorCodec,
} from "./network-headers.js";
export * from "./numbers.js";
export * from "./options.js";
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
export { ECHO_BITS, Segment } from "./segment.js";
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
export * as Tcp from "./tcp.js";
export * as TcpOption from "./tcp-option.js";
export * as Trimming from "./trimming.js";
export * as Udp from "./udp.js";
export * as Vlan from "./vlan.js";
export { get16, get32, put16, put32 } from "./words.js";
