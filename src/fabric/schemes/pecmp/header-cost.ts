/** The header bits that a packet needs to carry its path (P-ECMP, section 5.1 and figure 6b). */
import { FIELD_BITS, Ipv4, Ipv6, type SelectorField } from "../../../base/packets/index.js";

interface HeaderCost {
  readonly way: string;
  /** Bits that encode the path. */
  readonly bits: number;
  /** Bytes that a packet grows by. */
  readonly bytes: number;
}

/** Fixed part of a segment routing header (RFC 8754, section 2). */
const SRH = 8;
const SID = 16;
/** A 16-bit compressed SID after a locator block of 32 bits: six fit into one address (RFC 9800, NEXT-C-SID). */
const COMPRESSED_BITS = 16;
const COMPRESSED_PER_SID = 6;

/**
 * Costs of a path of `hops` switches that are named one by one.
 *
 * @param bits of the selector
 */
export function headerCosts(field: SelectorField, bits: number, hops: number): HeaderCost[] {
  const containers = Math.ceil(hops / COMPRESSED_PER_SID);
  return [
    // Only a VLAN tag is an additional header; the other fields are in every IP header.
    { way: `P-ECMP, ${field} of ${FIELD_BITS[field]} bits`, bits, bytes: field === "vlan" ? 4 : 0 },
    {
      way: "SRv6, a 128-bit SID a hop (RFC 8754)",
      bits: 8 * SID * hops,
      bytes: Ipv6.LENGTH + SRH + SID * hops,
    },
    {
      way: "SRv6, 16-bit compressed SIDs (RFC 9800)",
      bits: COMPRESSED_BITS * hops,
      // One container is the destination address of the outer header.
      bytes: Ipv6.LENGTH + (containers > 1 ? SRH + SID * containers : 0),
    },
    { way: "IP in IP, an IPv4 header a hop (RFC 2003)", bits: 32 * hops, bytes: Ipv4.LENGTH * hops },
    { way: "IP in IP, an IPv6 header a hop (RFC 2473)", bits: 128 * hops, bytes: Ipv6.LENGTH * hops },
  ];
}
