/** Numbers of protocols and flags, each once. */

/** Ethernet types (IANA, "IEEE 802 Numbers"). */
export const ETHERTYPE_IPV4 = 0x0800;
export const ETHERTYPE_ARP = 0x0806;
export const ETHERTYPE_VLAN = 0x8100;
export const ETHERTYPE_IPV6 = 0x86dd;
export const ETHERTYPE_MAC_CONTROL = 0x8808;
/** The outer tag of IEEE 802.1ad. */
export const ETHERTYPE_SERVICE_VLAN = 0x88a8;

/**
 * For experiments within a site (IEEE 802): the header of an overlay between switches, of 8 bytes, with the type of what follows at their end.
 * Probes of switches have the type too, and nothing that reads as a packet behind it.
 */
export const ETHERTYPE_OVERLAY = 0x88b5;

/** IPv4 protocols and IPv6 next headers (IANA, "Protocol Numbers"). */
export const PROTOCOL_ICMP = 1;
export const PROTOCOL_IPV4 = 4;
export const PROTOCOL_TCP = 6;
export const PROTOCOL_UDP = 17;
export const PROTOCOL_IPV6 = 41;
export const PROTOCOL_ICMPV6 = 58;

/** Next headers that are extension headers of IPv6 (RFC 8200, section 4; RFC 4302). */
export const PROTOCOL_HOP_BY_HOP = 0;
export const PROTOCOL_ROUTING = 43;
export const PROTOCOL_FRAGMENT = 44;
export const PROTOCOL_AUTHENTICATION = 51;
export const PROTOCOL_DESTINATION_OPTIONS = 60;

/** ECN field of the IP header (RFC 3168): able to be marked, and marked by a switch. */
export const ECT_0 = 2;
export const CE = 3;

/** Flags of TCP (RFC 9293, section 3.1). */
export const FLAG_FIN = 0x01;
export const FLAG_SYN = 0x02;
export const FLAG_RST = 0x04;
export const FLAG_PSH = 0x08;
export const FLAG_ACK = 0x10;
/** The data that an acknowledgement answers were marked; in a SYN: ECN is offered or accepted (RFC 3168). */
export const FLAG_ECE = 0x40;
/** The sender has reduced its window (RFC 3168). */
export const FLAG_CWR = 0x80;
